import { StoreError } from '@fairlead/store';
import { expect, it, vi } from 'vitest';
import { FailureLog } from './failure-log.js';

function openLog() {
  const lines: string[] = [];
  let now = 0;
  const log = new FailureLog(
    ({ message }) => lines.push(message),
    () => now,
  );
  const add = (message: string) => log.add(new StoreError('STORE_UNREACHABLE', message));
  const wait = (seconds: number) => {
    now += seconds * 1_000;
  };
  return { log, lines, add, wait };
}

it('warns of the first of equal failures at once, and of their number once a minute', () => {
  const { log, lines, add, wait } = openLog();
  for (let count = 0; count < 5; count++) add('Lost.');
  add('Read-only.');
  expect(lines).toEqual(['Lost.', 'Read-only.']);
  wait(59);
  add('Lost.');
  expect(lines).toHaveLength(2);
  wait(1);
  log.flush();
  expect(lines.slice(2)).toEqual(['Lost. This happened 5 more times in 60 s.']);
});

it('warns again at once of a failure that did not occur for a minute', () => {
  const { log, lines, add, wait } = openLog();
  add('Lost.');
  expect(log.isEmpty).toBe(false);
  wait(60);
  log.flush();
  expect(log.isEmpty).toBe(true);
  add('Lost.');
  expect(lines).toEqual(['Lost.', 'Lost.']);
});

it('warns of the last failures when the store closes', () => {
  const { log, lines, add, wait } = openLog();
  add('Lost.');
  wait(2);
  add('Lost.');
  log.flush(0);
  expect(lines).toEqual(['Lost.', 'Lost. This happened once more in 2 s.']);
});

it('prints a failure when the listener throws', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  const cause = new Error('The log is full.');
  const log = new FailureLog(() => {
    throw cause;
  });
  const failure = new StoreError('STORE_BUSY', 'Busy.');
  log.add(failure);
  expect(print.mock.calls).toEqual([[failure, expect.objectContaining({ cause })]]);
});
