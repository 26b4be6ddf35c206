import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp, type HttpError, type Middleware } from '@fairlead/core';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import { type RateLimitOptions, rateLimit } from '../src/index.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');
describe('the documents', () => {
  it('list every option', () => {
    const options: Required<RateLimitOptions> = {
      points: 1,
      duration: 1,
      key: () => '',
      cost: 1,
      skip: () => false,
      after: 'SignedIn',
      count: 'all',
      name: 'default',
      store: { add: async () => ({ points: 1, msBeforeNext: 1 }) },
      limiter: new RateLimiterMemory({ points: 1, duration: 1 }),
      onFailure: 'open',
      onError: () => undefined,
    };
    const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
    expect(listed).toEqual(Object.keys(options));
  });

  it('list every error with its code and status', async () => {
    const gone = { consume: () => Promise.reject(new Error('The store is gone.')) };
    const limit = { points: 1, duration: 1 };
    const errors: unknown[] = [];
    const keep: Middleware = async (_, next) => {
      try {
        await next();
      } catch (error) {
        errors.push(error);
      }
    };
    const full = createApp().use(keep, rateLimit(limit));
    await full.request('/');
    await full.request('/');
    const closed = rateLimit({ ...limit, limiter: gone, onFailure: 'closed' });
    await createApp().use(keep, closed).request('/');
    await createApp()
      .use(keep, rateLimit({ ...limit, key: () => '' }))
      .request('/');
    await createApp()
      .use(keep, () => rateLimit({ points: 0, duration: 1 }))
      .request('/');

    const rows = errorsOf('rate-limit').matchAll(
      /^\| `(\w+Error)` +\| `([A-Z_]+)` +\| (\d*) *\|/gm,
    );
    expect([...rows].map(([, name, code, status]) => [name, code, status])).toEqual(
      (errors as HttpError[]).map(({ name, code, status = '' }) => [name, code, String(status)]),
    );
  });
});
