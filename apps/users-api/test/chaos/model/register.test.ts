import { describe, expect, it } from 'vitest';
import { Register } from './register.js';
import { Violation } from './violation.js';

const NEVER = Number.POSITIVE_INFINITY;

/** A register with writes `[value, start, end]`; one that was not answered ends never. */
function registerOf(...writes: [string, number, number][]): Register {
  const register = new Register('name');
  for (const [value, start, end] of writes) {
    register.begin(value, start).end = end;
    if (end < NEVER) register.see(value, { start, end });
  }
  return register;
}

describe('Register', () => {
  it('refuses a value that nobody wrote', () => {
    const register = registerOf(['a', 1, 2]);
    expect(() => register.see('b', { start: 3, end: 4 })).toThrow(Violation);
  });

  it('refuses a value once another was acknowledged after it', () => {
    const register = registerOf(['a', 1, 2], ['b', 3, 4]);
    expect(() => register.see('a', { start: 5, end: 6 })).toThrow(Violation);
  });

  it('takes a value that was replaced during the request', () => {
    const register = registerOf(['a', 1, 2], ['b', 4, 5]);
    expect(() => register.see('a', { start: 3, end: 6 })).not.toThrow();
  });

  it('takes either of two that were written at the same time, and then no change of mind', () => {
    const register = registerOf(['a', 1, 4], ['b', 2, 5]);
    register.see('a', { start: 6, end: 7 });
    expect(() => register.see('b', { start: 8, end: 9 })).toThrow(Violation);
  });

  it.each(['a', 'b'])('takes %s after a write that was not answered', (value) => {
    const register = registerOf(['a', 1, 2], ['b', 3, NEVER]);
    expect(() => register.see(value, { start: 5, end: 6 })).not.toThrow();
  });

  it('takes an unanswered write for never done when it is not shown once it is over', () => {
    const register = registerOf(['a', 1, 2]);
    register.begin('b', 3).end = 4;
    register.see('a', { start: 5, end: 6 });
    expect(() => register.see('b', { start: 7, end: 8 })).toThrow(Violation);
  });

  it('refuses that a write was not done whose value was shown', () => {
    const register = registerOf(['a', 1, 2]);
    const write = register.begin('b', 3);
    register.see('b', { start: 4, end: 5 });
    expect(() => register.withdraw(write, 6)).toThrow(Violation);
  });

  it('refuses the value of a write that was not done', () => {
    const register = registerOf(['a', 1, 2]);
    register.withdraw(register.begin('b', 3), 4);
    expect(() => register.see('b', { start: 5, end: 6 })).toThrow(Violation);
  });
});
