import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../test/support/contract.js';
import { anySchema, draw } from '../../../test/support/schemas.js';
import { isMisjudged, randomOf, validatorOf } from '../../../test/support/soundness.js';
import { partOf } from './part.js';
import { judge } from './verdict.js';

const SENT = { hides: 'readOnly', isText: false } as const;

describe('a verdict', () => {
  it('is that of a validator, unless it is not known', () => {
    let known = 0;
    const schemas = { One: { type: 'integer', minimum: 0 }, Two: { enum: ['x', 'yy'] } };
    const property = fc.property(anySchema, anySchema, fc.integer(), (schema, other, seed) => {
      if (isMisjudged(schema)) return;
      const accepts = validatorOf(schemas, schema);
      const document = documentOf({ components: { schemas } });
      const random = randomOf(seed);
      for (const source of [schema, other]) {
        const value = draw(schemas, source, random);
        const verdict = judge(value, partOf(document, schema), SENT);
        if (verdict === undefined) continue;
        known += 1;
        expect([value, verdict]).toEqual([value, accepts(value)]);
      }
    });
    fc.assert(property, { numRuns: cases(400) });
    expect(known).toBeGreaterThan(10);
  });

  it.each([
    [5, { type: 'string', maxLength: 1 }, true],
    [55, { type: 'string', maxLength: 1 }, false],
    ['5', { type: 'integer' }, true],
    ['a', { type: 'integer' }, false],
    ['true', { type: 'boolean' }, true],
    ['a', { type: 'array', items: { const: 'a' } }, true],
    ['a', { type: 'array', items: { const: 'b' } }, false],
    ['5', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, undefined],
    ['5', { not: { type: 'integer' } }, undefined],
    [['a', 'b'], { type: 'string' }, undefined],
  ])('of %j as text for %j is %s', (value, schema, verdict) => {
    const part = partOf(documentOf({}), schema);
    expect(judge(value, part, { ...SENT, isText: true })).toBe(verdict);
  });

  it('does not count members that the sender leaves out', () => {
    const schema = { required: ['id'], properties: { id: { readOnly: true } } };
    const part = partOf(documentOf({}), schema);
    expect(judge({}, part, SENT)).toBe(true);
    expect(judge({}, part, { ...SENT, hides: 'writeOnly' })).toBe(false);
  });
});
