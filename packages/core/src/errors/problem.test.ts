import { expect, it } from 'vitest';
import { HttpError } from './http-error.js';
import { describeProblem } from './problem.js';

it('an exposed error includes its message, code and details', () => {
  const issues = [{ path: 'name', message: 'is required' }];
  const error = new HttpError(400, 'The user is not valid.', {
    code: 'INVALID_USER',
    details: { issues },
  });
  expect(describeProblem(error, '/users', false)).toEqual({
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: 'The user is not valid.',
    instance: '/users',
    code: 'INVALID_USER',
    error: 'The user is not valid.',
    issues,
  });
});

it('an error that is not exposed includes only its status and code', () => {
  const error = new HttpError(503, 'db-7 is down', {
    code: 'STORE_DOWN',
    details: { host: 'db-7' },
  });
  expect(describeProblem(error, '/', false)).toEqual({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    detail: 'Service Unavailable',
    instance: '/',
    code: 'STORE_DOWN',
    error: 'Service Unavailable',
  });
});

it('`expose` decides, regardless of the status', () => {
  const shown = describeProblem(new HttpError(500, 'Try later.', { expose: true }), '/', false);
  const hidden = describeProblem(new HttpError(404, 'secret', { expose: false }), '/', false);
  expect([shown.detail, hidden.detail]).toEqual(['Try later.', 'Not Found']);
});

it.each([
  [new Error('secret')],
  [new TypeError('secret')],
  ['secret'],
  [null],
  [undefined],
  [7],
  [{}],
])('the thrown value %j is a generic 500', (thrown) => {
  expect(describeProblem(thrown, '/', false)).toEqual({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    detail: 'Internal Server Error',
    instance: '/',
    code: 'INTERNAL_SERVER_ERROR',
    error: 'Internal Server Error',
  });
});

it('details do not replace the standard members', () => {
  const details = {
    type: 'x',
    title: 'x',
    status: 200,
    detail: 'x',
    instance: 'x',
    code: 'x',
    error: 'x',
  };
  const error = new HttpError(400, 'Real.', { details });
  expect(describeProblem(error, '/', false)).toEqual(
    describeProblem(new HttpError(400, 'Real.'), '/', false),
  );
});

it('the stack is included on demand, for errors only', () => {
  const error = new Error('deep');
  expect(describeProblem(error, '/', true).stack).toBe(error.stack);
  expect(describeProblem(new HttpError(400), '/', true).stack).toContain('Bad Request');
  expect(describeProblem('text', '/', true)).not.toHaveProperty('stack');
  expect(describeProblem(error, '/', false)).not.toHaveProperty('stack');
});
