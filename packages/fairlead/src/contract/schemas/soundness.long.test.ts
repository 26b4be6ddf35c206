import { expect, it } from 'vitest';
import { judge } from '../../../test/support/soundness.js';

it.each(['request', 'response'] as const)(
  'none of many changes of a %s is safe that refuses a value',
  (direction) => {
    const { safe, judged } = judge(direction, 2_000);
    expect(Math.min(safe, judged)).toBeGreaterThan(50);
  },
);
