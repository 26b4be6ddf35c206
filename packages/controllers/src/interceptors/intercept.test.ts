import type { Context } from '@fairlead/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chain } from '../promise.js';
import { type Call, intercept } from './intercept.js';
import type { Interceptor } from './interceptor.js';

const ctx = {} as Context;
const call: Call = (_ctx, values) => values.length;

describe('intercept', () => {
  it('leaves a call without interceptors as it is', () => {
    expect(intercept(call, [])).toBe(call);
  });

  it('makes no promise when neither the method nor an interceptor does', () => {
    const double: Interceptor = (_ctx, next) => Number(next()) * 2;
    expect(intercept(call, [double, double])(ctx, ['a', 'b'])).toBe(8);
  });

  it('nests: a list around a list is one list', async () => {
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
