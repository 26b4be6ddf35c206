import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createContainer } from '../container.js';
import { InitializationError } from './injection-errors.js';

/** Returns what a call throws or rejects with. */
async function caught(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const refused = (name: string) => () => {
  throw new Error(`${name} refused`);
};

describe('an error on the console', () => {
  it('shows its text once, and where the factory threw', async () => {
    const container = createContainer().register('db', { useFactory: refused('db') });
    const text = inspect(await caught(() => container.resolve('db')));

    expect(text.match(/refused/g)).toHaveLength(1);
    expect(text).toMatch(/^ConstructionError: Building 'db' failed: db refused\n {2}At: /);
    expect(text.split('\n').at(-1)).toMatch(/^ +at .*output\.test\.ts:\d+:\d+\)?$/);
  });

  it('shows each of several problems once', async () => {
    const container = createContainer()
      .register('db', { useFactory: refused('db') })
      .register('mail', { useFactory: refused('mail') });
    const error = await caught(() => container.initialize());
    const text = inspect(error);

    expect(error).toBeInstanceOf(InitializationError);
    expect(text.match(/db refused/g)).toHaveLength(1);
    expect(text.match(/mail refused/g)).toHaveLength(1);
  });
});

describe('the properties of an error', () => {
  it('are not enumerable except its code, because node prints them for an uncaught error', async () => {
    const container = createContainer().register('db', { useFactory: refused('db') });
    const error = await caught(() => container.resolve('db'));

    expect(Object.keys(error as Error)).toEqual(['code']);
    expect(error).toMatchObject({ token: 'db', path: ['db'], paths: [['db']] });
  });
});

describe('a failed factory', () => {
  it.each([
    [
      'several errors',
      new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]),
      '::1 refused; 127.0.0.1 refused',
    ],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['a text', 'no disk', 'no disk'],
    ['an object', { code: 1 }, 'an object'],
  ])('is described if it throws %s', async (_name, thrown, text) => {
    const container = createContainer().register('db', {
      useFactory: () => {
        throw thrown;
      },
    });

    expect(await caught(() => container.resolve('db'))).toMatchObject({
      message: expect.stringContaining(`Building 'db' failed: ${text}\n`),
    });
  });
});
