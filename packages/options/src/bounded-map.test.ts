import { expect, it } from 'vitest';
import { setWithin } from './bounded-map.js';

it('keeps the newest entries of a map', () => {
  const map = new Map<string, number>();
  for (const [index, key] of ['a', 'b', 'a', 'c', 'd'].entries()) setWithin(map, 2, key, index);
  expect([...map]).toEqual([
    ['c', 3],
    ['d', 4],
  ]);
});
