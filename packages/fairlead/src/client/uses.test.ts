import { expect, it } from 'vitest';
import { Document } from './document.js';
import { referenceTo } from './reference.js';
import { hasDefault, SchemaUses } from './uses.js';

const targetOf = (name: string) => referenceTo(['components', 'schemas', name]);
const ref = (name: string) => ({ $ref: targetOf(name) });

function usesOf(schemas: object): SchemaUses {
  const document = new Document({ openapi: '3.1.1', components: { schemas } }, 'openapi.json');
  return new SchemaUses(document, Object.keys(schemas).map(targetOf));
}

it.each([
  [{ properties: { a: { readOnly: true } } }, true],
  [{ properties: { a: { writeOnly: true } } }, true],
  [{ properties: { a: { default: 1 } } }, true],
  [{ properties: { a: { default: 1 } }, required: ['a'] }, false],
  [{ items: [{ properties: { a: { readOnly: true } } }] }, true],
  [{ properties: { a: { type: 'string' } } }, false],
])('whether clients send other members of %j than they receive: %s', (schema, differs) => {
  expect(usesOf({ A: schema }).differs(targetOf('A'))).toBe(differs);
});

it('a schema differs if one that it leads to does, also in a cycle', () => {
  const uses = usesOf({
    A: { items: ref('B') },
    B: { anyOf: [ref('A'), ref('C')] },
    C: { properties: { id: { readOnly: true } } },
    D: { items: ref('D') },
  });
  expect(['A', 'B', 'C', 'D'].map((name) => uses.differs(targetOf(name)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

it('the targets of a schema are those that it leads to', () => {
  const found = new Set<string>();
  usesOf({ A: { items: ref('B') }, B: { allOf: [ref('A')] }, C: {} }).addTargets(ref('A'), found);
  expect([...found].toSorted()).toEqual(['A', 'B'].map(targetOf));
});

it('a schema has the default value of what it refers to', () => {
  const document = new Document({ openapi: '3.1.1', a: { default: null } }, 'openapi.json');
  expect(hasDefault(document, { $ref: '#/a' })).toBe(true);
  expect(hasDefault(document, { type: 'string' })).toBe(false);
});
