import fc from 'fast-check';
import { expect, it } from 'vitest';
import { repeats, standInFor } from './hidden-values.js';

it.each([
  ['must be a URL (was "postgres://ada:s3cret@db")', 'postgres://ada:s3cret@db'],
  ['must be a URL (was "postgres://ada:S3CRET…")', 'postgres://ada:s3cret@db'],
  ['"s3cr" is not a key', 'xs3cretx'],
  ['must be at most 65535 (was 100000)', '1e5'],
  ['must not be 7', '7'],
  ["must not be 'a'", 'a'],
])('%s repeats %s', (message, text) => {
  expect(repeats(message, text)).toBe(true);
});

it.each([
  ['must be at most 65535', '7'],
  ['must be at least 32 characters (was 5)', 'short'],
  ['must be one of debug, info', 'de'],
  ['must be a number', ''],
])('%s does not repeat %j', (message, text) => {
  expect(repeats(message, text)).toBe(false);
});

it('finds every text in a message that contains it as a word', () => {
  const word = fc.string({ minLength: 1 }).filter((text) => /^\w+$/.test(text));
  fc.assert(
    fc.property(word, fc.string(), (text, other) => {
      expect(repeats(`${other} "${text}" ${other}`, text)).toBe(true);
    }),
  );
});

it('creates another text of the same shape', () => {
  expect(standInFor('postgres://Zoe:9z@db:5432')).toBe('qptuhsft://Apf:0a@ec:6543');
  expect(standInFor('***')).toBeUndefined();
});
