import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { type Context, createApp, errorHandler } from '../src/index.js';
import { sender } from './support/send.js';
import { serve } from './support/serve.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const UPLOAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';

it('ctx.signal aborts when the client disconnects', async () => {
  const [begun, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  const app = createApp().use(async (ctx) => {
    const { signal } = ctx;
    begun.resolve();
    await once(signal, 'abort');
    aborted.resolve(signal.aborted);
  });
  const { port } = await serve(app);
  const { socket } = connectRaw(port);
  socket.write(REQUEST);
  await begun.promise;
  socket.destroy();
  expect(await aborted.promise).toBe(true);
});

it('ctx.signal is already aborted when first read after the client disconnected', async () => {
  const [begun, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  const app = createApp().use(async (ctx) => {
    begun.resolve();
    await once(ctx.res, 'close');
    seen.resolve(ctx.signal.aborted);
  });
  const { port } = await serve(app);
  const { socket } = connectRaw(port);
  socket.write(REQUEST);
  await begun.promise;
  socket.destroy();
  expect(await seen.promise).toBe(true);
});

it('ctx.signal does not abort after a complete response', async () => {
  const after = Promise.withResolvers<readonly boolean[]>();
  const app = createApp().use((ctx) => {
    const { signal } = ctx;
    ctx.res.once('close', () => after.resolve([signal.aborted, ctx.signal.aborted]));
    ctx.send('complete');
  });
  const send = await sender(app);
  await send('GET', '/');
  expect(await after.promise).toEqual([false, false]);
});

it('ctx.signal is always the same signal', async () => {
  const app = createApp().use((ctx) => {
    const { signal } = ctx;
    ctx.json(ctx.signal === signal);
  });
  const send = await sender(app);
  expect((await send('GET', '/')).json()).toBe(true);
});

describe('a client that disconnects', () => {
  /** Disconnects while a handler runs, and returns the lines of the log and the errors of `onError`. */
  async function disconnect(
    handler: (ctx: Context) => unknown,
    request = REQUEST,
    leave: (socket: Socket) => unknown = (socket) => socket.destroy(),
  ) {
    const begun = Promise.withResolvers<void>();
    const settled = Promise.withResolvers<void>();
    const lines: string[] = [];
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).use(
      (ctx, next) => {
        ctx.onFinish(({ status, aborted }) => {
          lines.push(`${ctx.method} ${ctx.path} ${status} ${aborted ? 'aborted' : 'sent'}`);
        });
        return next();
      },
      async (_ctx, next) => {
        try {
          await next();
        } finally {
          settled.resolve();
        }
      },
      errorHandler(),
    );
    app.all('/', async (ctx) => {
      begun.resolve();
      return handler(ctx);
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(request);
    await begun.promise;
    leave(socket);
    await settled.promise;
    await expect.poll(() => lines.length).toBe(1);
    // The application records the result in a later microtask.
    await setImmediate();
    return { lines, errors };
  }

  it.each<[string, (ctx: Context) => unknown, string?]>([
    ['without a response', async (ctx) => void (await once(ctx.res, 'close'))],
    [
      'with a response',
      async (ctx) => {
        await once(ctx.res, 'close');
        return {};
      },
    ],
    [
      'with the reason of ctx.signal',
      async ({ signal }) => {
        await once(signal, 'abort');
        signal.throwIfAborted();
      },
    ],
    ['with the error of a timer', ({ signal }) => setTimeout(60_000, undefined, { signal })],
    ['with the error of a listener', ({ signal }) => once(new EventTarget(), 'a', { signal })],
    ['with the error of a pipeline', (ctx) => pipeline(new PassThrough().resume(), ctx.takeOver())],
    ['with the error of the request', ({ req }) => buffer(req), `${UPLOAD}ab`],
  ])(
    'is logged as aborted, and not reported, when the handler ends %s',
    async (_end, handler, request) => {
      const { lines, errors } = await disconnect(handler, request);
      expect(errors).toEqual([]);
      expect(lines).toEqual([expect.stringMatching(/ \/ 499 aborted$/)]);
    },
  );

  it('is logged as aborted, and not reported, when the handler ends with the reset of its connection', async () => {
    const waitForReset = async ({ req, signal }: Context) => {
      const failed = new Promise((resolve) => req.socket.once('error', resolve));
      await once(signal, 'abort');
      throw await failed;
    };
    const reset = (socket: Socket) => socket.resetAndDestroy();
    const { lines, errors } = await disconnect(waitForReset, REQUEST, reset);
    expect(errors).toEqual([]);
    expect(lines).toEqual(['GET / 499 aborted']);
  });

  it.each([
    new TypeError('A mistake.'),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  ])('does not hide another error of the handler: %s', async (error) => {
    const { lines, errors } = await disconnect(async ({ signal }) => {
      await once(signal, 'abort');
      throw error;
    });
    expect(errors).toEqual([error]);
    expect(lines).toEqual(['GET / 499 aborted']);
  });
});

it('a reset with which the handler destroys the response is reported', async () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const errors: unknown[] = [];
  const app = createApp({ onError: (error) => void errors.push(error) }).use(async (ctx) => {
    const closed = once(ctx.signal, 'abort');
    ctx.takeOver().writeHead(200).destroy(reset);
    await closed;
    throw reset;
  });
  const { port } = await serve(app);
  const { socket, ended } = connectRaw(port);
  socket.write(REQUEST);
  await ended();
  await expect.poll(() => errors).toEqual([reset]);
});
