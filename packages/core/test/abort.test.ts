import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Context, createApp, ForbiddenError, type Middleware } from '../src/index.js';
import { giveUp } from './support/give-up.js';
import { serve } from './support/serve.js';

/** Middleware that aborts what is behind it, and lets the response be sent. */
const abortWith =
  (error: unknown): Middleware =>
  async (ctx, next) => {
    const rest = next();
    ctx.abort(error);
    await Promise.race([rest, setTimeout(0)]);
  };

describe('ctx.abort()', () => {
  it('responds with the error, aborts the signal with it, and ignores what is recorded later', async () => {
    const error = new ForbiddenError('Not today.', { code: 'NOT_TODAY', headers: { 'X-A': '1' } });
    const done = Promise.withResolvers<Context>();
    const stream = new Readable({ read: () => undefined });
    const app = createApp({ includeStack: true }).use(abortWith(error), async (ctx) => {
      await once(ctx.signal, 'abort');
      ctx.status = 201;
      ctx.json('late');
      ctx.send(stream);
      done.resolve(ctx);
    });
    const response = await app.request('/');
    expect([response.status, response.headers.get('X-A')]).toEqual([403, '1']);
    const body: unknown = await response.json();
    expect(body).toMatchObject({ code: 'NOT_TODAY', detail: 'Not today.' });
    expect(body).not.toHaveProperty('stack');
    expect((await done.promise).signal.reason).toBe(error);
    expect(stream.destroyed).toBe(true);
  });

  it('is reported once, when the middleware throws the error', async () => {
    const onError = vi.fn();
    const app = createApp({ onError }).use(giveUp(1), () => new Promise(() => undefined));
    expect((await app.request('/')).status).toBe(503);
    expect(onError.mock.calls.map(([error]) => error)).toEqual([
      expect.objectContaining({ code: 'GAVE_UP' }),
    ]);
  });

  it('reports the error when nothing throws it', async () => {
    const onError = vi.fn();
    const error = new Error('too late');
    const app = createApp({ onError })
      .get('/', (ctx) => ctx.abort(error))
      .get('/exposed', (ctx) => ctx.abort(new ForbiddenError()));
    expect((await app.request('/')).status).toBe(500);
    expect((await app.request('/exposed')).status).toBe(403);
    expect(onError.mock.calls).toEqual([[error, expect.anything()]]);
  });

  it('responds with a generic 500 if format fails', async () => {
    const failure = new Error('cannot format');
    const format = () => {
      throw failure;
    };
    const app = createApp({ format, onError: () => undefined }).use(
      giveUp(1),
      () => new Promise(() => undefined),
    );
    const response = await app.request('/');
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({ code: 'INTERNAL_SERVER_ERROR' }),
    ]);
  });

  it('leaves a response whose head was sent as it is', async () => {
    const sent = Promise.withResolvers<Context>();
    const body = new PassThrough();
    const app = createApp().use((ctx) => {
      ctx.send(body);
      sent.resolve(ctx);
    });
    body.write('one ');
    const response = await app.request('/');
    const ctx = await sent.promise;
    ctx.abort(new ForbiddenError());
    body.end('two');
    expect([response.status, await response.text()]).toEqual([200, 'one two']);
    expect(ctx.signal.aborted).toBe(true);
  });
});

describe('ctx.flushHead()', () => {
  it('sends the head of a stream before its first bytes', async () => {
    const body = new PassThrough();
    onTestFinished(() => void body.destroy());
    const app = createApp().use((ctx) => {
      ctx.send(body);
      ctx.flushHead();
    });
    const response = await fetch((await serve(app)).url);
    expect(response.headers.get('Content-Type')).toBe('application/octet-stream');
    body.end('late');
    expect(await response.text()).toBe('late');
  });

  it('has no effect on a body that is recorded afterwards', async () => {
    const failing = new Readable({ read: () => undefined });
    setImmediate(() => failing.destroy(new Error('empty')));
    const app = createApp({ onError: () => undefined }).use((ctx) => {
      ctx.send('early');
      ctx.flushHead();
      ctx.send(failing);
    });
    expect((await app.request('/')).status).toBe(500);
  });
});
