import type { Context } from '@fairlead/core';
import { token } from '@fairlead/di';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GuardFn, guardName, type Interceptor } from '../metadata/references.js';
import type { CallHandler } from '../metadata/runner.js';
import { chain } from '../promise.js';
import { createInvoker, type InvokerPlan, intercept, type NamedGuard } from './invoker.js';

const ctx = { res: { headersSent: false } } as Context;

const plan: InvokerPlan = {
  handler: 'A.b',
  guards: [],
  parameters: [],
  read: undefined,
  call: () => 'result',
  status: undefined,
  headers: [],
  redirect: undefined,
  mayBeEmpty: () => true,
};

/** Creates an invoker that notes what it runs. The parts in `later` return promises. */
function noting(notes: string[], later: readonly string[] = []): () => unknown {
  const note = <T>(name: string, value: T): T | Promise<T> => {
    notes.push(name);
    return later.includes(name) ? Promise.resolve(value) : value;
  };
  const { invoke } = createInvoker({
    ...plan,
    guards: [{ name: 'guard', check: () => note('guards', true) }],
    read: () => note('arguments', [undefined, 7]),
    status: 201,
    call: (_ctx, values) => note('call', values.join()),
  });
  const noted = Object.defineProperty({ ...ctx }, 'status', { set: () => notes.push('status') });
  return () => invoke(noted as Context, () => {});
}

const order = ['guards', 'arguments', 'status', 'call'];

/** Guards with their verdict and whether they return a promise. */
const guards = fc.array(fc.record({ allows: fc.boolean(), later: fc.boolean() }), { maxLength: 8 });

describe('createInvoker', () => {
  it('runs everything synchronously if nothing returns a promise', () => {
    const notes: string[] = [];
    expect(noting(notes)()).toBe(',7');
    expect(notes).toEqual(order);
  });

  it.each([[['guards']], [['arguments']], [['call']], [['guards', 'arguments', 'call']]])(
    'runs it in the same order if %j return promises',
    async (later) => {
      const notes: string[] = [];
      await expect(noting(notes, later)()).resolves.toBe(',7');
      expect(notes).toEqual(order);
    },
  );

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
        const { invoke } = createInvoker({ ...plan, guards: checks, call: () => 'allowed' });
        const outcome = await (async () => invoke(ctx, () => {}))().catch(
          (error: Error) => error.message,
        );
        const denier = list.findIndex(({ allows }) => !allows);
        const last = denier === -1 ? list.length - 1 : denier;
        expect(outcome).toBe(denier === -1 ? 'allowed' : `Access denied by guard ${denier}.`);
        expect(called).toEqual(Array.from({ length: last + 1 }, (_, index) => index));
      }),
    );
  });

  it('calls guards without a receiver, like any function', () => {
    const receivers: unknown[] = [];
    function check(this: unknown): boolean {
      receivers.push(this);
      return true;
    }
    createInvoker({ ...plan, guards: [{ name: 'a', check }] }).invoke(ctx, () => {});
    expect(receivers).toEqual([undefined]);
  });

  it('throws synchronously if no guard returns a promise', () => {
    const { invoke } = createInvoker({ ...plan, guards: [{ name: 'b', check: () => false }] });
    expect(() => invoke(ctx, () => {})).toThrow('by b.');
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

const call: CallHandler = (_ctx, values) => values.length;

describe('intercept', () => {
  it('returns a call without interceptors unchanged', () => {
    expect(intercept(call, [])).toBe(call);
  });

  it('returns no promise if neither the method nor an interceptor does', () => {
    const double: Interceptor = (_ctx, next) => Number(next()) * 2;
    expect(intercept(call, [double, double])(ctx, ['a', 'b'])).toBe(8);
  });

  it('nests lists of interceptors like one list', async () => {
    const list = fc.array(fc.record({ name: fc.string(), later: fc.boolean() }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(list, list, async (outer, inner) => {
        const notes: string[] = [];
        const around =
          ({ name, later }: { name: string; later: boolean }): Interceptor =>
          (_ctx, next) => {
            notes.push(`enter ${name}`);
            return chain(next(), (value) =>
              later ? Promise.resolve([name, value]) : [name, value],
            );
          };
        const [first, second] = [outer.map(around), inner.map(around)];
        const nested = await intercept(intercept(call, second), first)(ctx, []);
        const way = notes.splice(0);
        expect(nested).toEqual(await intercept(call, [...first, ...second])(ctx, []));
        expect(notes).toEqual(way);
        expect(way).toEqual([...outer, ...inner].map(({ name }) => `enter ${name}`));
      }),
    );
  });
});
