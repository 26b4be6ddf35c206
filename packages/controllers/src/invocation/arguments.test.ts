import type { Context } from '@fairlead/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParameterDefinition } from '../metadata/parameter.js';
import { createReadArguments } from './arguments.js';

const ctx = {} as Context;

function custom(index: number, extract: () => unknown): ParameterDefinition {
  return {
    index,
    type: undefined,
    source: 'custom',
    name: undefined,
    all: false,
    required: false,
    isRequiredSet: false,
    default: undefined,
    schema: undefined,
    transform: undefined,
    extract,
  };
}

describe('createReadArguments', () => {
  it('reads in the order of the parameters, whichever of them are asynchronous', async () => {
    const values = fc.array(fc.record({ value: fc.integer(), later: fc.boolean() }));
    await fc.assert(
      fc.asyncProperty(values, async (list) => {
        const order: number[] = [];
        const parameters = list.map(({ value, later }, index) =>
          custom(index, () => {
            order.push(index);
            return later ? Promise.resolve(value) : value;
          }),
        );
        const read = await createReadArguments(parameters.toReversed(), 'A.b')(ctx);
        expect(read).toEqual(list.map(({ value }) => value));
        expect(order).toEqual(list.map((_, index) => index));
      }),
    );
  });

  it('returns no promise if no parameter does', () => {
    const read = createReadArguments([custom(0, () => 1), custom(2, () => 3)], 'A.b');
    expect(read(ctx)).toEqual([1, undefined, 3]);
  });

  it('returns a new list for every request', () => {
    const read = createReadArguments([custom(0, () => 1)], 'A.b');
    expect(read(ctx)).not.toBe(read(ctx));
  });

  it('stops at a parameter that fails', async () => {
    const read = createReadArguments(
      [
        custom(0, () => Promise.reject(new Error('first'))),
        custom(1, () => {
          throw new Error('never read');
        }),
      ],
      'A.b',
    );
    await expect(read(ctx)).rejects.toMatchObject({ cause: { message: 'first' } });
  });
});
