import type { Context } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { createInvoker, type Stages } from './invoker.js';

const ctx = {} as Context;

/** Stages that note their names, those in `later` after a promise. */
function noting(notes: string[], later: readonly string[] = []): Stages {
  const note = <T>(name: string, value: T): T | Promise<T> => {
    notes.push(name);
    return later.includes(name) ? Promise.resolve(value) : value;
  };
  return {
    admit: () => note('admit', undefined),
    readArguments: () => note('arguments', [1, 2]),
    prepare: () => void notes.push('prepare'),
    call: (_ctx, values) => note('call', values.length),
    respond: (_ctx, result) => void notes.push(`respond ${String(result)}`),
  };
}

const order = ['admit', 'arguments', 'prepare', 'call', 'respond 2'];

describe('createInvoker', () => {
  it('runs all stages synchronously when none gives a promise', () => {
    const notes: string[] = [];
    expect(createInvoker(noting(notes))(ctx, () => {})).toBeUndefined();
    expect(notes).toEqual(order);
  });

  it.each([[['admit']], [['arguments']], [['call']], [['admit', 'arguments', 'call']]])(
    'runs them in the same order when %j give promises',
    async (later) => {
      const notes: string[] = [];
      await createInvoker(noting(notes, later))(ctx, () => {});
      expect(notes).toEqual(order);
    },
  );
});
