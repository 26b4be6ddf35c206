import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nestsDeeper } from './parsers.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('agrees with the depth of the parsed value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat({ max: 8 }), (value, limit) => {
      const text = JSON.stringify(value);
      expect(nestsDeeper(text, limit)).toBe(depthOf(value) > limit);
    }),
  );
});

it('does not count brackets in strings, even after escaped quotes', () => {
  expect(nestsDeeper('["[[[[", "\\"[[[[", "\\\\", []]', 2)).toBe(false);
  expect(nestsDeeper('["[[[[", "\\"[[[[", "\\\\", [[]]]', 2)).toBe(true);
});
