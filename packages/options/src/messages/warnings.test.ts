import { expect, it } from 'vitest';
import { isIntended, markIntended } from './warnings.js';

it('knows the values that are marked as intended, frozen ones too', () => {
  const list = Object.freeze([]);

  expect(markIntended(list)).toBe(list);
  expect([list, Object.freeze([]), undefined, 'text'].map(isIntended)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
