import { expect, it } from 'vitest';
import { unreadable } from './errors.js';

it.each([
  ['EACCES', 403],
  ['EPERM', 403],
  ['EIO', 500],
  ['EMFILE', 500],
])('%s is a reported %i without the path', (code, status) => {
  const cause = Object.assign(new Error(`${code}: open '/srv/a.txt'`), { code });
  const error = unreadable('/a.txt', cause);
  expect(error).toMatchObject({ status, cause, report: true });
  expect(error.expose && error.message.includes('a.txt')).toBe(false);
});
