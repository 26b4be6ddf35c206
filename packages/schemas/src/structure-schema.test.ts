import * as v from 'valibot';
import { expect, it } from 'vitest';
import { describeStructure } from './structure-schema.js';

const object = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
});

it.each([
  [v.string(), { type: 'string' }],
  [v.picklist(['a', 'b']), { enum: ['a', 'b'] }],
  [v.literal(5), { type: 'number' }],
  [v.nullish(v.boolean()), { anyOf: [{ type: 'boolean' }, { type: 'null' }] }],
  [v.array(v.number()), { type: 'array', items: { type: 'number' } }],
  [v.looseTuple([v.string()]), { type: 'array', prefixItems: [{ type: 'string' }], items: {} }],
  [
    v.object({ a: v.string(), b: v.optional(v.number()) }),
    object({ a: { type: 'string' }, b: { type: 'number' } }, ['a']),
  ],
  [
    v.strictObject({ a: v.string() }),
    { ...object({ a: { type: 'string' } }, ['a']), additionalProperties: false },
  ],
  [
    v.record(v.string(), v.number()),
    { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
  ],
  [
    v.variant('kind', [
      v.object({ kind: v.literal('a') }),
      v.object({ kind: v.literal('b'), n: v.number() }),
    ]),
    {
      anyOf: [
        object({ kind: { enum: ['a'] } }, ['kind']),
        object({ kind: { enum: ['b'] }, n: { type: 'number' } }, ['kind', 'n']),
      ],
    },
  ],
  [v.object({ at: v.date(), any: v.unknown() }), object({ at: {}, any: {} }, ['at'])],
  [v.fallback(v.number(), 1), { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  [v.never(), { not: {} }],
  [v.custom(() => true), {}],
])('describes what a schema accepts, and nothing that is not known', (schema, described) => {
  expect(describeStructure(schema)).toEqual(described);
});
