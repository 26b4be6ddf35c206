import { createApp, errorHandler, isHttpError } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { StoreError, type StoreErrorCode } from '../src/index.js';

/** Requests a route that fails, and returns the response and the errors that were reported. */
async function fail(error: StoreError, isStream = false) {
  const reported: unknown[] = [];
  const onError = (thrown: unknown): void => void reported.push(thrown);
  async function* failing(): AsyncGenerator<string> {
    yield Promise.reject(error);
  }
  const app = createApp({ onError })
    .use(errorHandler())
    .get('/', () => (isStream ? failing() : Promise.reject(error)));
  const response = await app.request('/');
  return { response, problem: await response.json(), reported };
}

describe('a StoreError in an application', () => {
  const TRANSIENT = [
    'STORE_UNREACHABLE',
    'STORE_BUSY',
    'STORE_LOCKED',
    'STORE_INTERRUPTED',
    'STORE_GONE',
    'STORE_FULL',
  ] as const;

  it.each(TRANSIENT)('with the code %s is a 503 with Retry-After', async (code) => {
    const error = new StoreError(code, 'The disk of db-7 is full.');
    for (const isStream of [false, true]) {
      const { response, problem, reported } = await fail(error, isStream);
      expect(response.status).toBe(503);
      expect(response.headers.get('Retry-After')).toBe('1');
      expect(problem).toEqual({
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        detail: 'Service Unavailable',
        instance: '/',
        code,
        error: 'Service Unavailable',
      });
      expect(reported).toEqual([error]);
    }
  });

  it.each<StoreErrorCode>([
    'STORE_READ_ONLY',
    'STORE_CLOSED',
    'STORE_CONSTRAINT',
    'STORE_FAILED',
    'INVALID_WRITE',
  ])('with the code %s is a generic 500', async (code) => {
    const error = new StoreError(code, 'The table notes is missing.');
    const { response, problem, reported } = await fail(error);
    expect(isHttpError(error)).toBe(false);
    expect(response.status).toBe(500);
    expect(response.headers.get('Retry-After')).toBeNull();
    expect(problem).toMatchObject({
      detail: 'Internal Server Error',
      code: 'INTERNAL_SERVER_ERROR',
    });
    expect(reported).toEqual([error]);
  });
});

it('what a response needs is invisible in a printed error', () => {
  expect(Object.keys(new StoreError('STORE_BUSY', 'Wait.'))).toEqual(['name', 'code']);
});
