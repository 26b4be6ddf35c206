import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { createApp } from '../app/application.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { timeout } from './timeout.js';

it('what is answered late is dropped, also where middleware above handles the error', async () => {
  const done = Promise.withResolvers<void>();
  const stream = new Readable({ read: () => undefined });
  const handlesError: Middleware = async (_ctx, next) => {
    await (next() as Promise<void>).catch(() => done.promise);
  };
  const app = createApp().use(handlesError, timeout(1), async (ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    ctx.status = 201;
    ctx.json('late');
    ctx.send(stream);
    done.resolve();
  });
  const answer = await app.request('/');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: 'TIMED_OUT' });
  expect(stream.destroyed).toBe(true);
});

it('accepts the longest time of a timer, and names it in the error for a longer one', () => {
  expect(() => timeout(2_147_483_647)).not.toThrow();
  expect(() => timeout(2_147_483_648)).toThrow(
    'Invalid timeout: 2147483648. Pass timeout() an integer from 1 to 2147483647, in milliseconds.',
  );
});
