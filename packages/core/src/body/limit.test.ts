import { expect, it } from 'vitest';
import { parseLimit } from './parsers.js';

it.each([
  [0, 0],
  [1500, 1500],
  ['500b', 500],
  ['64kb', 65_536],
  ['1mb', 1_048_576],
  ['1.5MB', 1_572_864],
  ['1 gb', 1_073_741_824],
  ['0.3b', 0],
])('%j is %i bytes', (limit, bytes) => {
  expect(parseLimit(limit)).toBe(bytes);
});

it.each([
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  '10',
  'mb',
  '-1kb',
  '1tb',
  '1e3b',
  '1kb ',
])('%j is not a size', (limit) => {
  expect(parseLimit(limit)).toBeNaN();
});
