import { describe, expect, it } from 'vitest';
import { Register } from './register.js';
import { Violation } from './violation.js';

const NEVER = Number.POSITIVE_INFINITY;

/** Returns a register with writes `[value, start, end]`. The `end` may be `NEVER`. */
function registerOf(...writes: [string, number, number][]): Register {
  const register = new Register('name');
  for (const [value, start, end] of writes) {
    register.begin(value, start).end = end;
    if (end < NEVER) register.see(value, { start, end });
  }
  return register;
}

describe('Register', () => {
  it('rejects a value that nobody wrote', () => {
    const register = registerOf(['a', 1, 2]);
    expect(() => register.see('b', { start: 3, end: 4 })).toThrow(Violation);
  });

  it('rejects a value after a later write was acknowledged', () => {
    const register = registerOf(['a', 1, 2], ['b', 3, 4]);
    expect(() => register.see('a', { start: 5, end: 6 })).toThrow(Violation);
  });

  it('accepts a value that was replaced during the request', () => {
    const register = registerOf(['a', 1, 2], ['b', 4, 5]);
    expect(() => register.see('a', { start: 3, end: 6 })).not.toThrow();
  });

  it('accepts either of two concurrent writes, but not a change between them', () => {
    const register = registerOf(['a', 1, 4], ['b', 2, 5]);
    register.see('a', { start: 6, end: 7 });
    expect(() => register.see('b', { start: 8, end: 9 })).toThrow(Violation);
  });

  it.each(['a', 'b'])('accepts %s after a write without a response', (value) => {
    const register = registerOf(['a', 1, 2], ['b', 3, NEVER]);
    expect(() => register.see(value, { start: 5, end: 6 })).not.toThrow();
  });

  it('rejects a value that a read after the end of its write did not show', () => {
    const register = registerOf(['a', 1, 2]);
    register.begin('b', 3).end = 4;
    register.see('a', { start: 5, end: 6 });
    expect(() => register.see('b', { start: 7, end: 8 })).toThrow(Violation);
  });

  it('rejects withdrawing a write whose value has appeared', () => {
    const register = registerOf(['a', 1, 2]);
    const write = register.begin('b', 3);
    register.see('b', { start: 4, end: 5 });
    expect(() => register.withdraw(write, 6)).toThrow(Violation);
  });

  it('rejects the value of a withdrawn write', () => {
    const register = registerOf(['a', 1, 2]);
    register.withdraw(register.begin('b', 3), 4);
    expect(() => register.see('b', { start: 5, end: 6 })).toThrow(Violation);
  });
});
