import { describe, expect, it } from 'vitest';
import { DocumentSchemas } from './document-schemas.js';

const User = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    tags: { type: 'array', items: { type: 'string' } },
    friend: { $ref: '#/components/schemas/User' },
  },
  required: ['name'],
  additionalProperties: false,
};
const schemas = new DocumentSchemas({ components: { schemas: { User } } });
const REFERENCE = { $ref: '#/components/schemas/User' };

describe('findMisfit', () => {
  it.each([[{ name: 'Ada' }], [{ name: 'Ada', tags: [], friend: { name: 'Grace' } }]])(
    'accepts %j',
    (value) => {
      expect(schemas.findMisfit(REFERENCE, value)).toBeUndefined();
    },
  );

  it.each([
    [7, [], 'is 7, which does not fit {"$ref":"#/components/schemas/User"}'],
    [{}, ['name'], 'is missing'],
    [{ name: '' }, ['name'], 'is "", which does not fit {"type":"string","minLength":1}'],
    [{ name: 'Ada', tags: ['a', 1] }, ['tags', 1], 'is 1, which does not fit {"type":"string"}'],
    [{ name: 'Ada', friend: {} }, ['friend', 'name'], 'is missing'],
    [{ name: 'Ada', secret: 1 }, ['secret'], 'is not described'],
  ])('finds the innermost part of %j that does not fit', (value, path, reason) => {
    expect(schemas.findMisfit(REFERENCE, value)).toEqual({
      path,
      reason: expect.stringContaining(reason),
    });
  });

  it('finds members of any name, and branches of unions', () => {
    const Counts = { type: 'object', additionalProperties: { type: 'integer' } };
    expect(schemas.findMisfit(Counts, { a: 1, b: 1.5 })?.path).toEqual(['b']);
    const Id = { anyOf: [{ type: 'string' }, { type: 'integer' }] };
    expect(schemas.findMisfit(Id, 1)).toBeUndefined();
    expect(schemas.findMisfit(Id, null)).toEqual({
      path: [],
      reason: `is null, which does not fit ${JSON.stringify(Id)}`,
    });
  });

  it('decides nothing that JSON Schema leaves open', () => {
    expect(schemas.findMisfit({ type: 'string', format: 'email' }, 'x')).toBeUndefined();
    expect(schemas.findMisfit({}, undefined)).toBeUndefined();
  });
});
