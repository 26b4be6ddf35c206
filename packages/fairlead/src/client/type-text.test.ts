import { expect, it } from 'vitest';
import { keyOf, literal, writeDeclaration } from './type-text.js';
import { intersection, type Member, type Type, union } from './types.js';

const write = (type: Type, comment: readonly string[] = []) =>
  writeDeclaration('Value', type, comment, ({ target }) => target.slice(2));

const long = (length: number): Type[] =>
  Array.from({ length }, (_, index) => `"alternative ${index + 1}"`);

it.each([
  ['a', '"a"'],
  ["it's", '"it\'s"'],
  ['"', "'\"'"],
  [`'"'`, `"'\\"'"`],
  ['\u001b\u2028', '"\\u001b\\u2028"'],
])('the literal of %j is %s', (text, code) => {
  expect(literal(text)).toBe(code);
});

it.each([
  ['id', 'id'],
  ['class', 'class'],
  ['$a_1', '$a_1'],
  ['user-id', '"user-id"'],
  ['1a', '"1a"'],
  ['größe', '"größe"'],
  ['', '""'],
])('the key of the member %j is %s', (name, key) => {
  expect(keyOf(name)).toBe(key);
});

it.each<[Type, string]>([
  ['string', 'string'],
  [{ kind: 'reference', target: '#/User', form: 'sent' }, 'User'],
  [{ kind: 'array', item: union(['string', 'null']) }, 'readonly (string | null)[]'],
  [
    { kind: 'tuple', items: ['string', 'number'], required: 1, rest: 'boolean' },
    'readonly [string, number?, ...readonly boolean[]]',
  ],
  [
    { kind: 'generic', name: 'EventMessage', types: ['"a"', 'number'] },
    'EventMessage<"a", number>',
  ],
  [intersection([union(['string', 'number']), 'object']), '(string | number) & object'],
])('the declaration of %j is a type on one line', (type, code) => {
  expect(write(type)).toBe(`export type Value = ${code};\n`);
});

it('the declaration of an object is an interface with a line for each member', () => {
  const members: Member[] = [
    { key: 'id', type: 'number', isReadonly: true },
    { key: 'name', type: 'string', isOptional: true, comment: ['Of a person.'] },
    { key: 'tags', type: { kind: 'object', members: [{ key: 'a', type: 'string' }] } },
  ];
  expect(write({ kind: 'object', members })).toBe(`export interface Value {
  readonly id: number;
  /** Of a person. */
  name?: string;
  tags: { a: string };
}
`);
});

it('an object of more than three members, or with a comment, has a line for each', () => {
  const members = ['a', 'b', 'c'].map((key) => ({ key, type: 'string' }));
  const inner = (all: readonly Member[]) =>
    write({ kind: 'array', item: { kind: 'object', members: all } });
  expect(inner(members)).toContain('{ a: string; b: string; c: string }');
  expect(inner([...members, { key: 'd', type: 'string' }])).toContain('{\n  a: string;\n');
  expect(inner([{ key: 'a', type: 'string', comment: ['x'] }])).toContain('{\n  /** x */\n');
});

it('alternatives that are longer than a line have one each', () => {
  expect(write(union(long(3)))).toBe(
    'export type Value = "alternative 1" | "alternative 2" | "alternative 3";\n',
  );
  expect(write(union(long(5)))).toBe(`export type Value =
  | "alternative 1"
  | "alternative 2"
  | "alternative 3"
  | "alternative 4"
  | "alternative 5";
`);
});

it('a comment of several lines cannot end itself', () => {
  expect(write('string', ['One. */ evil()', '@deprecated\u001b'])).toBe(`/**
 * One. *\\/ evil()
 * @deprecated\\u001b
 */
export type Value = string;
`);
});
