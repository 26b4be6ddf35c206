import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import { hideProperties, messageOf, numberMessages, printable, reporterOf } from './errors.js';

it('numbers messages below a title, aligned with their first lines', () => {
  const messages = Array.from({ length: 10 }, (_, index) => `Problem ${index}.`);
  const text = numberMessages('10 problems.', ['One.\n  Fix: two.', ...messages.slice(1)]);

  expect(text).toContain('10 problems.\n\n   1. One.\n        Fix: two.\n\n   2. Problem 1.');
  expect(text).toContain('\n\n  10. Problem 9.');
});

it('hides properties of errors from inspection', () => {
  const error = Object.assign(new Error('several problems'), { problems: ['first'], code: 'X' });
  hideProperties(error, 'problems', 'missing');

  expect(error.problems).toEqual(['first']);
  expect(Object.keys(error)).toEqual(['code']);
});

/** An error such as one of pg, whose properties quote what a user has sent. */
const ofDriver = () =>
  Object.assign(new RangeError('duplicate key'), {
    code: '23505',
    detail: 'Key (email)=(ada@example.com) already exists.',
    params: ['ada@example.com'],
  });

it.each([
  ['an error', ofDriver],
  [
    'its cause',
    () => new Error('No user.', { cause: new Error('No row.', { cause: ofDriver() }) }),
  ],
  ['one of several', () => new AggregateError([new Error('first'), ofDriver()], 'Two failed.')],
])('%s is printed with its stack and code, without values', (_, create) => {
  const error = create();
  const text = inspect(printable(error));
  expect(inspect(error)).toContain('ada@example.com');
  expect(text).not.toContain('ada@example.com');
  expect(text).toContain(`${error.message}\n    at `);
  expect(text).toMatch(/RangeError: duplicate key\n +at /);
  expect(text).toContain("code: '23505'");
  expect(printable(error)).toBeInstanceOf(error.constructor);
});

it('an error without further properties is printed as it is, and so is one that may keep them', () => {
  const errors = [
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    new AggregateError([new Error('one')], 'all'),
    new DOMException('aborted', 'AbortError'),
    'text',
    undefined,
  ];
  expect(errors.map((error) => printable(error) === error)).toEqual(errors.map(() => true));
  const kept = ofDriver();
  expect(printable(kept, () => true)).toBe(kept);
});

it('an error that causes itself is printed', () => {
  const error = ofDriver();
  error.cause = error;
  expect(inspect(printable(error), { depth: 20 })).not.toContain('ada@example.com');
});

it('a reporter prints an error with that of the function that should receive it', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const [error, cause] = [new Error('of the work'), new Error('of the option')];
  const received: unknown[] = [];
  reporterOf('onError of createEvents()', (one) => void received.push(one))(error);
  expect([received, print.mock.calls]).toEqual([[error], []]);
  reporterOf('onError of createEvents()')(error);
  reporterOf('onError of createEvents()', () => {
    throw cause;
  })(error);
  const failed = new Error('onError of createEvents() failed.', { cause });
  expect(print.mock.calls).toEqual([[error], [error, failed]]);
});

it('a reporter prints what the function that should receive an error rejects with', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const [error, cause] = [new Error('of the work'), new Error('of the option')];
  reporterOf('onError of createEvents()', () => Promise.reject(cause))(error);
  await vi.waitFor(() => {
    const failed = new Error('onError of createEvents() failed.', { cause });
    expect(print.mock.calls).toEqual([[error, failed]]);
  });
});

it('values that cannot be printed become text', () => {
  class Secretive extends Error {
    readonly #secret = 'none';
    readonly extra = 1;
    [inspect.custom]() {
      return this.#secret;
    }
  }
  const throwing = Object.defineProperty(new Error('a getter'), 'cause', {
    get() {
      throw new Error('no');
    },
  });
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  expect(printable(new Secretive('private'))).toMatch(/^Error: private\n/);
  expect(printable(throwing)).toMatch(/^Error: a getter\n/);
  expect(printable(proxy)).toBe('An error that cannot be printed.');
});

it.each([
  [new Error('gone'), 'gone'],
  ['gone', 'gone'],
  [undefined, 'undefined'],
  [Object.create(null), 'an object'],
])('the message of %o', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
