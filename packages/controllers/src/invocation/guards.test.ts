import type { Context } from '@fairlead/core';
import { token } from '@fairlead/di';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GuardFn } from '../metadata/references.js';
import { createGuardCheck, guardName, type NamedGuard } from './guards.js';

const ctx = {} as Context;

/** Guards with their verdict and whether they return a promise. */
const guards = fc.array(fc.record({ allows: fc.boolean(), later: fc.boolean() }), { maxLength: 8 });

describe('createGuardCheck', () => {
  it('runs guards in order until one denies, whichever of them are asynchronous', async () => {
    await fc.assert(
      fc.asyncProperty(guards, async (list) => {
        const called: number[] = [];
        const checks = list.map(
          ({ allows, later }, index): NamedGuard => ({
            name: `guard ${index}`,
            check: () => {
              called.push(index);
              return later ? Promise.resolve(allows) : allows;
            },
          }),
        );
        const outcome = await (async () => createGuardCheck(checks, 'A.b')(ctx))().then(
          () => 'allowed',
          (error: Error) => error.message,
        );
        const denier = list.findIndex(({ allows }) => !allows);
        const last = denier === -1 ? list.length - 1 : denier;
        expect(outcome).toBe(denier === -1 ? 'allowed' : `Access denied by guard ${denier}.`);
        expect(called).toEqual(Array.from({ length: last + 1 }, (_, index) => index));
      }),
    );
  });

  it('returns no promise if no guard does', () => {
    const checks = [{ name: 'a', check: () => true }];
    expect(createGuardCheck(checks, 'A.b')(ctx)).toBeUndefined();
    expect(() => createGuardCheck([{ name: 'b', check: () => false }], 'A.b')(ctx)).toThrow(
      'by b.',
    );
  });
});

describe('guardName', () => {
  function named() {
    return true;
  }
  class RoleGuard {
    canActivate() {
      return true;
    }
  }
  const nameless = (): GuardFn => () => true;

  it.each([
    [named, 'named'],
    [RoleGuard, 'RoleGuard'],
    [nameless(), 'guard#2'],
    ['text', "'text'"],
    [Symbol('symbol'), 'Symbol(symbol)'],
    [token<GuardFn>('typed'), 'token(typed)'],
  ])('of %o is %s', (guard, name) => {
    expect(guardName(guard, 2)).toBe(name);
  });
});
