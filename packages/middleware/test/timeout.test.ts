import { once } from 'node:events';
import { get } from 'node:http';
import { Readable } from 'node:stream';
import {
  type Application,
  createApp,
  errorHandler,
  intended,
  listen,
  type Middleware,
  NotFoundError,
  SetupError,
} from '@fairlead/core';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { timeout } from '../src/index.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns what `onError` receives when a handler continues after its time. */
async function reportsOf(handler: (signal: AbortSignal) => Promise<never>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const late = Promise.withResolvers<void>();
  const app = createApp({ onError: (error) => errors.push(error) }).use(
    timeout(5),
    async (_ctx, next) => {
      await (next() as Promise<void>).finally(() => setImmediate(late.resolve));
    },
    ({ signal }) => handler(signal),
  );
  expect((await app.request('/')).status).toBe(503);
  await late.promise;
  return errors;
}

describe('timeout()', () => {
  it('responds with 503 once, aborts the signal, and ignores a late response', async () => {
    const late = Promise.withResolvers<void>();
    const reasons: unknown[] = [];
    const onError = vi.fn();
    const app = createApp().use(errorHandler({ onError }), timeout(5), async (ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      reasons.push(ctx.signal.reason);
      ctx.status = 200;
      ctx.json('late');
      late.resolve();
    });
    const response = await app.request('/slow');
    await late.promise;
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: 'TIMED_OUT',
      detail: 'Service Unavailable',
    });
    expect(reasons).toEqual([expect.objectContaining({ code: 'TIMED_OUT' })]);
    expect(onError).toHaveBeenCalledTimes(1);
  });

  const bug = new Error('a bug');
  const abort = new DOMException('aborted', 'AbortError');
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  it.each<[string, (reason: unknown) => unknown, readonly unknown[]]>([
    ['reports a late error', () => bug, [bug]],
    ['reports a connection that was reset', () => reset, [reset]],
    ['ignores the reason of the signal', (reason) => reason, []],
    ['ignores an error that the signal causes', (cause) => new Error('canceled', { cause }), []],
    ['ignores an operation that the signal aborts', () => abort, []],
    ['ignores a late error that only clients receive', () => new NotFoundError(), []],
  ])('%s', async (_, fail, reported) => {
    const errors = await reportsOf(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw fail(signal.reason);
    });
    expect(errors).toEqual([expect.objectContaining({ code: 'TIMED_OUT' }), ...reported]);
  });

  it('ignores the response of node:http to a request that the signal aborts', async () => {
    const begun = new Readable({ read: () => undefined });
    begun.push('a');
    const upstream = await listen(
      createApp().use((ctx) => ctx.send(begun)),
      0,
    );
    onTestFinished(() => upstream.close({ timeout: 0 }));
    const errors = await reportsOf(async (signal) => {
      const request = get(upstream.url, { signal }).on('error', () => undefined);
      const [response] = await once(request, 'response');
      await once(response.resume(), 'end');
      throw bug;
    });
    expect(errors).toEqual([expect.objectContaining({ code: 'TIMED_OUT' })]);
  });

  it('does not include a stream that the handler returns', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const source = new Readable({ read: () => undefined });
    const app = createApp()
      .use(errorHandler(), timeout(1_000))
      .get('/', () => source);
    source.push('a');
    const response = await app.request('/');
    vi.advanceTimersByTime(60_000);
    source.push('b');
    source.push(null);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('ab');
  });

  it('passes on a timely response and a timely error', async () => {
    const app = createApp().use(errorHandler(), timeout(60_000), async (ctx) => {
      await null;
      if (ctx.path === '/error') throw new NotFoundError();
      ctx.json('quick');
    });
    expect(await (await app.request('/')).json()).toBe('quick');
    expect((await app.request('/error')).status).toBe(404);
  });

  it.each([503, 504] as const)('responds with the status %i', async (status) => {
    const errors: unknown[] = [];
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }), timeout(1, { status }))
      .use((ctx) => once(ctx.signal, 'abort').then(() => new Promise(() => undefined)));
    const response = await app.request('/');
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ status, code: 'TIMED_OUT' }),
    ]);
    expect(errors).toEqual([expect.objectContaining({ status, code: 'TIMED_OUT' })]);
  });

  it('stands still while that of a route runs, which may take longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const app = createApp()
      .use(timeout(1_000), async (_ctx, next) => {
        await null;
        await next();
      })
      .get('/', timeout(60_000), async () => {
        begun.resolve();
        await finish.promise;
        return 'done';
      });
    const response = app.request('/');
    await begun.promise;
    vi.advanceTimersByTime(59_000);
    finish.resolve();
    expect(await (await response).json()).toBe('done');
  });

  it('of a route applies to the route', async () => {
    const app = createApp({ onError: () => undefined })
      .use(timeout(60_000))
      .get('/', timeout(1), () => new Promise(() => undefined));
    const response = await app.request('/');
    expect(await response.json()).toMatchObject({ status: 503, code: 'TIMED_OUT' });
  });

  it.each<[string, Middleware]>([
    ['synchronous', (_ctx, next) => next()],
    ['asynchronous', async (_ctx, next) => next()],
  ])('runs again once that of a route has ended after %s middleware', async (_what, before) => {
    const app = createApp({ onError: () => undefined })
      .use(timeout(5), async (_ctx, next) => {
        await next();
        await new Promise(() => undefined);
      })
      .get('/', before, timeout(60_000), async () => 'done')
      .get('/sync', before, timeout(60_000), () => 'done');
    for (const path of ['/', '/sync']) {
      expect((await app.request(path)).status).toBe(503);
    }
  });

  it.each([{ status: 500 }, { statuscode: 504 }])('refuses the options %j', (options) => {
    expect(() => Reflect.apply(timeout, undefined, [1, options])).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])('refuses %s milliseconds', (milliseconds) => {
    expect(() => timeout(milliseconds)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

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
});

it.each([
  ['5000', "'5000'"],
  [undefined, 'undefined'],
  [{ milliseconds: 5 }, 'an object'],
  [Number.NaN, 'NaN'],
])('timeout() rejects %o', (value, shown) => {
  const message = `Invalid timeout: ${shown}. Pass timeout() an integer from 1 to 2147483647, in milliseconds.`;
  expect(() => Reflect.apply(timeout, undefined, [value])).toThrow(
    new SetupError('INVALID_OPTION', message),
  );
});

/** The warnings that the start of an application prints, with their codes. */
function warningsOf(app: Application): readonly unknown[] {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  app.seal();
  const calls: readonly (readonly unknown[])[] = emitWarning.mock.calls;
  return calls.map(([message, options]) => `${Reflect.get(Object(options), 'code')}: ${message}`);
}

const handler = () => 1;

describe('a timeout below 10 milliseconds', () => {
  it('causes a warning on the application, below a prefix and in a route', () => {
    const app = createApp()
      .use(timeout(5))
      .use('/b', timeout(2))
      .get('/a', timeout(9), handler)
      .get('/b', timeout(10), handler)
      .get('/c', timeout(50), handler);
    expect(warningsOf(app)).toEqual([
      expect.stringContaining(
        'FAIRLEAD_OPTION: timeout(5) allows 5 milliseconds. If you mean seconds, multiply by 1,000; otherwise pass the middleware to intended().\n  At: test/timeout.test.ts:',
      ),
      expect.stringContaining('timeout(2) allows'),
      expect.stringContaining('timeout(9) allows'),
    ]);
  });

  it('causes none if it is intended', () => {
    expect(
      warningsOf(
        createApp()
          .use(intended(timeout(5)))
          .get('/', handler),
      ),
    ).toEqual([]);
  });
});
