import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalPattern } from './pattern.js';

it.each([
  ['\\d{1,}', '[0-9]+'],
  ['[\\d_a-z]', '[0-9_a-z]'],
  ['[a-zA-Z0-9_]', '\\w'],
  ['a{0,1}b{0,}c{2,2}d{1}', 'a?b*c{2}d'],
])('writes %s as %s', (one, other) => {
  expect(canonicalPattern(one)).toBe(canonicalPattern(other));
});

it.each([
  ['a{1}?', 'a?'],
  ['\\u{1}', '\\u'],
  ['[^\\d]', '[\\d]'],
  ['\\\\d', '\\\\[0-9]x'],
  ['[a-c]', '[abc-]'],
])('does not write %s as %s', (one, other) => {
  expect(canonicalPattern(one)).not.toBe(canonicalPattern(other));
});

const piece = fc.constantFrom(
  ...['\\d', '\\w', '[a-c\\d]', '[^b1]', '[-a]', '[\\]x]', 'a', '\\.', '(?:b|1)', '\\u{61}'],
);
const count = fc.constantFrom('', '?', '{1}', '{2}', '{1,}', '{0,1}', '{1}?', '{0,2}', '*', '+?');

it('keeps what a pattern matches', () => {
  const pieces = fc.array(fc.tuple(piece, count), { minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom(...'ab1_.]-x'), maxLength: 6 });
  fc.assert(
    fc.property(pieces, fc.array(text, { maxLength: 20 }), (parts, texts) => {
      const pattern = `^${parts.map((part) => part.join('')).join('')}$`;
      const other = canonicalPattern(pattern);
      for (const one of texts) {
        expect(new RegExp(other, 'u').test(one)).toBe(new RegExp(pattern, 'u').test(one));
      }
    }),
  );
});
