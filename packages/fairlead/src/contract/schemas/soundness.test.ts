import { cases } from '@fairlead/test-support/properties';
import { expect, it } from 'vitest';
import { judge } from '../../../test/support/soundness.js';

it.each(['request', 'response'] as const)(
  'no change of a %s is safe that refuses a value',
  (direction) => {
    const { safe, judged } = judge(direction, cases(250));
    expect(Math.min(safe, judged)).toBeGreaterThan(5);
  },
);
