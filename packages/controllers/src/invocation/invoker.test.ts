import type { Context } from '@fairlead/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Interceptor } from '../metadata/references.js';
import { chain } from '../promise.js';
import { type CallMethod, createInvoker, intercept, type Stages } from './invoker.js';

const ctx = {} as Context;

/** Stages that note their names. Those in `later` return promises. */
function noting(notes: string[], later: readonly string[] = []): Stages {
  const note = <T>(name: string, value: T): T | Promise<T> => {
    notes.push(name);
    return later.includes(name) ? Promise.resolve(value) : value;
  };
  return {
    checkGuards: () => note('guards', undefined),
    readArguments: () => note('arguments', [1, 2]),
    prepareResponse: () => void notes.push('prepare'),
    callMethod: (_ctx, values) => note('call', values.length),
    recordResponse: (_ctx, result) => void notes.push(`record ${String(result)}`),
  };
}

const order = ['guards', 'arguments', 'prepare', 'call', 'record 2'];

describe('createInvoker', () => {
  it('runs all stages synchronously if none returns a promise', () => {
    const notes: string[] = [];
    expect(createInvoker(noting(notes))(ctx, () => {})).toBeUndefined();
    expect(notes).toEqual(order);
  });

  it.each([[['guards']], [['arguments']], [['call']], [['guards', 'arguments', 'call']]])(
    'runs them in the same order if %j return promises',
    async (later) => {
      const notes: string[] = [];
      await createInvoker(noting(notes, later))(ctx, () => {});
      expect(notes).toEqual(order);
    },
  );
});

const call: CallMethod = (_ctx, values) => values.length;

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
