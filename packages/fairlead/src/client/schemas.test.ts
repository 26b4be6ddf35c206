import { describe, expect, it } from 'vitest';
import { Document } from './document.js';
import { SchemaTypes } from './schemas.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const User = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

function typesOf(schemas: object, openapi = '3.1.1'): SchemaTypes {
  return new SchemaTypes(new Document({ openapi, components: { schemas } }, 'openapi.json'));
}

/** Writes the declarations of schemas, which clients receive unless `use` sends them. */
function declare(
  schemas: object,
  use: (types: SchemaTypes) => void = () => undefined,
  openapi?: string,
): string {
  const types = typesOf(schemas, openapi);
  use(types);
  return types.declare(new Set()).texts.join('\n');
}

/** Returns the last declaration on one line, without its name. */
const declarationOf = (text: string) =>
  (/export (?:type|interface) Value =?([\s\S]*)/.exec(text)?.[1] ?? text)
    .replace(/\s+/g, ' ')
    .replaceAll('; }', ' }')
    .trim()
    .replace(/^\| |;$/g, '');

const received = (Value: unknown, openapi?: string) =>
  declarationOf(declare({ Value }, undefined, openapi));

const sent = (Value: unknown) =>
  declarationOf(declare({ Value }, (types) => types.of(ref('Value'), 'sent')));

describe('the type of a schema', () => {
  it.each([
    [{}, 'unknown'],
    [true, 'unknown'],
    [false, 'never'],
    [{ type: 'string', format: 'date-time' }, 'string'],
    [{ type: 'integer', format: 'int64' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', "it's", '"', 1, null, true] }, `"a" | "it's" | '"' | 1 | null | true`],
    [{ const: { a: ['b'] } }, '{ readonly a: readonly ["b"] }'],
    [{ type: 'array' }, 'readonly unknown[]'],
    [{ items: { enum: ['a', 'b'] } }, 'readonly ("a" | "b")[]'],
    [
      { type: 'array', items: { type: 'array', items: User } },
      'readonly (readonly { readonly id: string }[])[]',
    ],
    [{ prefixItems: [{ type: 'string' }, {}] }, 'readonly [string, unknown]'],
    [
      { prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 1, items: true },
      'readonly [string, number?, ...readonly unknown[]]',
    ],
    [{ type: 'object' }, '{ readonly [name: string]: unknown }'],
    [{ type: 'object', additionalProperties: false }, '{ readonly [name: string]: never }'],
    [{ additionalProperties: { type: 'number' } }, '{ readonly [name: string]: number }'],
    [
      { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
      '{ readonly a?: string; readonly [name: string]: number | string | undefined }',
    ],
    [
      { propertyNames: { enum: ['a', 'b-c'] }, additionalProperties: {}, required: ['a'] },
      '{ readonly a: unknown; readonly "b-c"?: unknown }',
    ],
    [
      { properties: { a: { type: 'string' }, b: { not: {} } }, required: ['a'] },
      '{ readonly a: string; readonly b?: never }',
    ],
    [
      { propertyNames: { const: 'a' }, additionalProperties: { type: 'number' }, required: ['a'] },
      '{ readonly a: number }',
    ],
    [
      {
        properties: { class: {}, 'user-id': {}, '': {}, 'a\n"': {}, größe: {} },
        required: ['class'],
      },
      String.raw`{ readonly class: unknown; readonly "user-id"?: unknown; readonly ""?: unknown; readonly 'a\n"'?: unknown; readonly "größe"?: unknown }`,
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    [
      { allOf: [User, { properties: { b: {} } }] },
      '{ readonly id: string } & { readonly b?: unknown }',
    ],
    [
      { allOf: [{ properties: { b: { type: 'number' } } }], required: ['b'] },
      '{ readonly b?: number } & { readonly b: number }',
    ],
    [{ ...User, anyOf: [{ required: ['id'] }] }, '{ readonly id: string }'],
    [{ type: 'object', oneOf: [User, { type: 'null' }] }, '{ readonly id: string } | null'],
  ])('%j is %s', (schema, type) => {
    expect(received(schema)).toBe(type);
  });

  it.each([
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: 'string', nullable: true, enum: ['a'] }, '"a" | null'],
    [{ allOf: [User], nullable: true }, '{ readonly id: string } | null'],
  ])('%j of OpenAPI 3.0 is %s', (schema, type) => {
    expect(received(schema, '3.0.3')).toBe(type);
  });

  it('has its description and its deprecation as comments, which it cannot end', () => {
    const a = { description: ' One. */ evil()\nTwo.  ', deprecated: true, default: 1 };
    expect(received({ description: 'All.', properties: { a } })).toBe(
      '{ /** * One. *\\/ evil() * Two. * @default 1 * @deprecated */ readonly a: unknown }',
    );
  });
});

describe('a member', () => {
  const schema = {
    properties: {
      page: { type: 'number', default: 1 },
      id: { type: 'string', readOnly: true },
      password: { type: 'string', writeOnly: true },
      size: { type: 'number' },
    },
    required: ['id', 'password'],
  };

  it('with a default is optional in what clients send', () => {
    expect(sent(schema)).toBe(
      '{ /** @default 1 */ readonly page?: number | undefined; readonly password: string; readonly size?: number | undefined }',
    );
  });

  it('with a default is present in what clients receive', () => {
    expect(received(schema)).toBe(
      '{ /** @default 1 */ readonly page: number; readonly id: string; readonly size?: number }',
    );
  });

  it('belongs to two types if clients send and receive the schema', () => {
    const List = { type: 'array', items: ref('Value') };
    const schemas = { List, Value: schema, Role: { enum: ['a'] }, ValueInput: { type: 'string' } };
    const text = declare(schemas, (types) => {
      types.of(ref('List'), 'sent');
      types.of(ref('List'), 'received');
    });
    expect(text.match(/^export .*/gm)).toEqual([
      'export type List = readonly Value[];',
      'export type ListInput = readonly ValueInput2[];',
      'export interface Value {',
      'export interface ValueInput2 {',
      'export type Role = "a";',
      'export type ValueInput = string;',
    ]);
  });
});

describe('a reference into another schema', () => {
  it('has a declaration, named after its words', () => {
    const address = { properties: { street: { type: 'string' } } };
    const text = declare({
      User: { properties: { address } },
      Home: { $ref: '#/components/schemas/User/properties/address' },
    });
    expect(text).toContain('export type Home = UserAddress;');
    expect(text).toContain('export interface UserAddress {\n  readonly street?: string;\n}');
  });
});

describe('a recursive schema', () => {
  it('refers to itself', () => {
    const schema = { properties: { children: { type: 'array', items: ref('Value') } } };
    expect(received(schema)).toBe('{ readonly children?: readonly Value[] }');
  });

  it('is not part of itself, as in a base with its variants', () => {
    const variant = { allOf: [ref('Pet'), { properties: { name: { type: 'string' } } }] };
    const text = declare({
      Pet: { oneOf: [ref('Cat'), ref('Self')] },
      Cat: variant,
      Self: ref('Self'),
    });
    expect(text).toContain('export type Pet = Cat | Self;');
    expect(text).toContain('export interface Cat {\n  readonly name?: string;\n}');
    expect(text).toContain('export type Self = unknown;');
  });
});

describe('a discriminator', () => {
  const text = { type: 'string' };
  const pet = (kind: object) => ({ properties: { kind }, required: ['kind'] });

  it.each([
    [text, undefined, '(Cat & { readonly kind: "Cat" }) | (Dog & { readonly kind: "Dog" })'],
    [
      text,
      { c: 'Cat', d: '#/components/schemas/Dog', e: 'Dog' },
      '(Cat & { readonly kind: "c" }) | (Dog & { readonly kind: "d" | "e" })',
    ],
    [{ const: 'pet' }, undefined, 'Cat | Dog'],
    [
      { enum: ['Cat', 'Dog'] },
      undefined,
      '(Cat & { readonly kind: "Cat" }) | (Dog & { readonly kind: "Dog" })',
    ],
    [{ enum: ['cat', 'dog'] }, undefined, 'Cat | Dog'],
  ])('with the member %j and the mapping %j is %s', (kind, mapping, type) => {
    const discriminator = { propertyName: 'kind', mapping };
    const schemas = { Cat: pet(kind), Dog: pet(kind) };
    const Value = { oneOf: [ref('Cat'), ref('Dog')], discriminator };
    const declared = declarationOf(declare({ ...schemas, Value }));
    expect(declared).toBe(type);
  });
});

it('a schema that is omitted has a declaration only if a type refers to it', () => {
  const types = typesOf({ Problem: { type: 'string' }, Used: { type: 'number' }, Other: {} });
  types.of(ref('Used'), 'received');
  const omitted = new Set(['Problem', 'Used'].map((name) => `#/components/schemas/${name}`));
  expect(types.declare(omitted).texts).toEqual([
    'export type Used = number;\n',
    'export type Other = unknown;\n',
  ]);
});

it('the members of an object include those of references and of allOf', () => {
  const types = typesOf({ Base: { properties: { id: {}, name: {} }, required: ['id'] } });
  const found = types.propertiesOf({
    allOf: [ref('Base'), { properties: { age: {} } }],
    required: ['name'],
  });
  expect([...found].map(([name, { isRequired }]) => [name, isRequired])).toEqual([
    ['id', true],
    ['name', true],
    ['age', false],
  ]);
});
