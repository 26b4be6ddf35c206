import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasEmptyObject, serialize } from './serialize-json.js';

/** Texts of which strings are made that look like JSON. */
const PARTS = ['{}', '"', '\\', ':', ',', '[', ']', '{', '}', '1', 'null', 'é', 'x'];
const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 }).map((parts) => parts.join(''));

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(null, true, 0, -1.5e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** Finds an empty object by visiting every value. */
function containsEmptyObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  return (members.length === 0 && !Array.isArray(value)) || members.some(containsEmptyObject);
}

describe('hasEmptyObject', () => {
  it('finds empty objects, and ignores what strings and keys contain', () => {
    fc.assert(
      fc.property(values, (value) => {
        const expected = containsEmptyObject(value);
        expect(hasEmptyObject(JSON.stringify(value))).toBe(expected);
        expect(hasEmptyObject(JSON.stringify(value, null, 2))).toBe(expected);
      }),
      { numRuns: cases(1_000) },
    );
  });
});

it('hasEmptyObject ends for text that is not JSON', () => {
  expect(hasEmptyObject('x{}')).toBe(true);
  expect(hasEmptyObject('"x {}')).toBe(false);
});

describe('serialize', () => {
  it.each(['{}', ':{},', '":{},"', '\\":{}}', '[{}]', ',{},,{},'])(
    'reads each member once, with the string %j',
    (name) => {
      let reads = 0;
      const items = Array.from({ length: 10 }, () =>
        Object.defineProperty({ name }, 'id', { enumerable: true, get: () => (reads += 1) }),
      );
      expect(JSON.parse(serialize({ items })).items[0]).toEqual({ name, id: 1 });
      expect(reads).toBe(10);
    },
  );

  it('finds an object that loses its content among empty ones', () => {
    const value = { empty: {}, name: '{}', list: [{}, { set: new Set([1]) }] };
    expect(() => serialize(value)).toThrow(/^'list\.1\.set' is a Set\./);
  });

  it('accepts objects that say how they are written, beside empty ones', () => {
    const value = { at: new Date(0), empty: {}, own: { set: new Set([1]), toJSON: () => ({}) } };
    expect(serialize(value)).toBe('{"at":"1970-01-01T00:00:00.000Z","empty":{},"own":{}}');
  });

  it('checks lists of any length', () => {
    const list = [{}, ...new Array(300_000).fill(0)];
    expect(serialize(list).length).toBe(2 * list.length + 2);
  });
});
