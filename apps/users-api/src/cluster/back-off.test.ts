import { describe, expect, it } from 'vitest';
import { BackOff } from './back-off.js';

describe('BackOff', () => {
  it('doubles the wait with each early exit, up to 30 seconds', () => {
    const backOff = new BackOff();
    expect(Array.from({ length: 11 }, () => backOff.next(29_999))).toEqual([
      100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
    ]);
  });

  it('starts over after a process that ran for 30 seconds', () => {
    const backOff = new BackOff();
    backOff.next(0);
    backOff.next(0);
    expect([backOff.next(30_000), backOff.next(0)]).toEqual([100, 200]);
  });
});
