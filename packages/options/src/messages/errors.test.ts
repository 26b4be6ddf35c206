import { expect, it, vi } from 'vitest';
import { hideProperties, numberMessages, reporterOf } from './errors.js';

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

it('a reporter prints an error with that of the function that should receive it', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const [error, cause] = [new Error('of the work'), new Error('of the option')];
  const received: unknown[] = [];
  reporterOf('createEvents()', (one) => void received.push(one))(error);
  expect([received, print.mock.calls]).toEqual([[error], []]);
  reporterOf('createEvents()')(error);
  reporterOf('createEvents()', () => {
    throw cause;
  })(error);
  const failed = new Error('onError of createEvents() failed.', { cause });
  expect(print.mock.calls).toEqual([[error], [error, failed]]);
});
