import {
  type Application,
  createApp,
  errorHandler,
  InvalidPatternError,
  listen,
  RouteConflictError,
  SetupError,
} from '@fairlead/core';
import { createDocument } from '@fairlead/openapi';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHealth, type HealthLogger, type HealthOptions } from '../src/index.js';

/** Serves the routes on a free port until the test finishes. Changes are ignored unless observed. */
async function serve(options: HealthOptions = {}) {
  const health = createHealth({ onChange: () => undefined, ...options });
  const app: Application = createApp().use(errorHandler()).route('/', health);
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return async (path = '/health/ready', init?: RequestInit) => {
    const response = await fetch(server.url + path, init);
    const text = await response.text();
    return {
      status: response.status,
      cache: response.headers.get('cache-control'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}

/** A check that settles when the test resolves or rejects the promise of its call. */
function checkOnDemand() {
  const calls: PromiseWithResolvers<void>[] = [];
  const check = (): Promise<void> => {
    const call = Promise.withResolvers<void>();
    calls.push(call);
    return call.promise;
  };
  return { calls, check };
}

/** Records the calls of `onChange`. */
function recordChanges() {
  const changes: [name: string, message: string | undefined][] = [];
  const onChange = (name: string, error: Error | undefined): void => {
    changes.push([name, error?.message]);
  };
  return { changes, onChange };
}

describe('the liveness route', () => {
  it('responds with 200 while checks fail and the service is stopping', async () => {
    const get = await serve({
      checks: { store: () => Promise.reject(new Error('Gone.')) },
      stopping: AbortSignal.abort(),
    });
    expect(await get('/health/live')).toEqual({
      status: 200,
      cache: 'no-store',
      body: { status: 'live' },
    });
  });
});

describe('the readiness route', () => {
  it('responds with 200 without checks', async () => {
    const get = await serve();
    expect(await get()).toEqual({ status: 200, cache: 'no-store', body: { status: 'ready' } });
  });

  it('responds to HEAD without a body', async () => {
    const get = await serve();
    expect(await get('/health/ready', { method: 'HEAD' })).toEqual({
      status: 200,
      cache: 'no-store',
      body: undefined,
    });
  });

  it('responds with 200 whatever passing checks return', async () => {
    const get = await serve({ checks: { one: () => 0, two: async () => undefined } });
    expect(await get()).toMatchObject({ status: 200 });
  });

  it('responds with 200 and the code of each degraded check, but not its message', async () => {
    const full = Object.assign(new Error('secret'), { code: 'STORE_FULL' });
    const get = await serve({
      checks: {
        cache: () => ({ degraded: undefined }),
        store: async () => ({ degraded: full }),
        jobQueue: () => ({ degraded: new Error('secret') }),
        mail: () => ({ degraded: 'secret' }),
      },
    });
    const degraded = {
      store: 'STORE_FULL',
      jobQueue: 'JOB_QUEUE_DEGRADED',
      mail: 'MAIL_DEGRADED',
    };
    const body = { status: 'ready', degraded };
    expect(await get()).toEqual({ status: 200, cache: 'no-store', body });
  });

  it('responds with 503 while one check is degraded and another fails', async () => {
    const fail = () => Promise.reject(new Error('Gone.'));
    const get = await serve({
      checks: { store: () => ({ degraded: new Error('Full.') }), queue: fail },
    });
    const { status, body } = await get();
    expect([status, body.code]).toEqual([503, 'QUEUE_UNAVAILABLE']);
  });

  it('names a failing check and the code of its error, but not the message', async () => {
    const get = await serve({
      checks: { cache: () => 1, store: () => Promise.reject(new Error('secret')) },
    });
    expect(await get()).toEqual({
      status: 503,
      cache: 'no-store',
      body: {
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        detail: 'The store is not responding.',
        instance: '/health/ready',
        code: 'STORE_UNAVAILABLE',
        error: 'The store is not responding.',
        failing: { store: 'STORE_UNAVAILABLE' },
      },
    });
  });

  it.each([
    ['STORE_UNREACHABLE', 'STORE_UNREACHABLE'],
    ['ECONNREFUSED', 'ECONNREFUSED'],
    ['28P01', '28P01'],
    ['no route to db-7', 'STORE_UNAVAILABLE'],
    ['A'.repeat(65), 'STORE_UNAVAILABLE'],
    [7, 'STORE_UNAVAILABLE'],
  ])('responds with the reason of an error with the code %j: %s', async (code, reason) => {
    const error = Object.assign(new Error('secret'), { code });
    const get = await serve({ checks: { store: () => Promise.reject(error) } });
    expect((await get()).body).toMatchObject({ failing: { store: reason } });
  });

  it.each([
    ['store', 'STORE_UNAVAILABLE'],
    ['userStore', 'USER_STORE_UNAVAILABLE'],
    ['user-store', 'USER_STORE_UNAVAILABLE'],
    ['user store 2', 'USER_STORE_2_UNAVAILABLE'],
    ['user_store', 'USER_STORE_UNAVAILABLE'],
  ])('derives the code of %s: %s', async (name, code) => {
    const get = await serve({ checks: { [name]: () => Promise.reject(new Error()) } });
    expect((await get()).body).toMatchObject({ code, detail: `The ${name} is not responding.` });
  });

  it('names all failing checks, and has the code of the first', async () => {
    const fail = () => Promise.reject(new Error('Gone.'));
    const get = await serve({ checks: { store: fail, cache: fail, disk: () => 1, queue: fail } });
    expect((await get()).body).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      detail: 'The store, cache and queue are not responding.',
    });
  });

  it('responds with STOPPING once the signal aborts, and runs no check', async () => {
    const stopping = new AbortController();
    const check = vi.fn();
    const get = await serve({ checks: { store: check }, stopping: stopping.signal });
    expect(await get()).toMatchObject({ status: 200 });
    stopping.abort();
    expect(await get()).toMatchObject({
      status: 503,
      cache: 'no-store',
      body: { code: 'STOPPING', detail: 'The service is stopping.' },
    });
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('responds with STOPPING if the signal aborts while a check runs', async () => {
    const stopping = new AbortController();
    const get = await serve({
      checks: { store: () => stopping.abort() },
      stopping: stopping.signal,
    });
    expect((await get()).body).toMatchObject({ code: 'STOPPING' });
  });

  it('serves other paths', async () => {
    const get = await serve({ live: '/livez', ready: '/readyz' });
    const paths = ['/livez', '/readyz', '/health/live', '/health/ready'];
    const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status));
    expect(statuses).toEqual([200, 200, 404, 404]);
  });
});

it('hides both routes from OpenAPI documents', () => {
  const app = createApp().route('/', createHealth());
  expect(createDocument(app, { info: { title: 'API', version: '1' } }).paths).toEqual({});
});

describe('checks', () => {
  it('run at once', async () => {
    const one = checkOnDemand();
    const two = checkOnDemand();
    const get = await serve({ checks: { one: one.check, two: two.check } });
    const response = get();
    await expect.poll(() => [one.calls.length, two.calls.length]).toEqual([1, 1]);
    one.calls[0]?.resolve();
    two.calls[0]?.resolve();
    expect(await response).toMatchObject({ status: 200 });
  });

  it('run once for concurrent requests', async () => {
    const { calls, check } = checkOnDemand();
    let received = 0;
    const app = createApp()
      .use((_, next) => {
        received += 1;
        return next();
      })
      .route('/', createHealth({ checks: { store: check } }));
    const responses = [1, 2, 3].map(() => app.request('/health/ready'));
    await expect.poll(() => received).toBe(3);
    calls[0]?.resolve();
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(calls).toHaveLength(1);
  });

  it('run again for a later request', async () => {
    const check = vi.fn();
    const get = await serve({ checks: { store: check } });
    await get();
    await get();
    expect(check).toHaveBeenCalledTimes(2);
  });

  it.each([
    [
      'throws synchronously',
      () => {
        throw new Error('Gone.');
      },
      'Gone.',
    ],
    ['rejects', () => Promise.reject(new Error('Gone.')), 'Gone.'],
    [
      'rejects with a non-Error',
      () => Promise.reject('gone'),
      "The check 'store' failed with 'gone'. Use an Error.",
    ],
    [
      'rejects with undefined',
      () => Promise.reject(),
      "The check 'store' failed with undefined. Use an Error.",
    ],
    ['returns false', async () => false, "The check 'store' returned false."],
    ['never settles', () => new Promise(() => {}), 'The store did not respond within 1 ms.'],
  ])('fails when it %s', async (_, check, message) => {
    const { changes, onChange } = recordChanges();
    const get = await serve({ checks: { store: check }, timeout: 1, onChange });
    expect((await get()).body).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(changes).toEqual([['store', message]]);
  });

  it('receive a signal that aborts at the timeout', async () => {
    const signals: AbortSignal[] = [];
    const { changes, onChange } = recordChanges();
    const get = await serve({
      checks: {
        store: (signal) => {
          signals.push(signal);
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('Canceled.')));
          });
        },
      },
      timeout: 1,
      onChange,
    });
    await get();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(changes).toEqual([['store', 'The store did not respond within 1 ms.']]);
  });

  it('have 2 seconds by default', async () => {
    const get = await serve({ checks: { store: async () => {} } });
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    await get();
    expect(setTimer.mock.calls.map(([, delay]) => delay)).toContain(2_000);
  });

  it('receive a signal that does not abort when they pass', async () => {
    const signals: AbortSignal[] = [];
    const get = await serve({ checks: { store: (signal) => signals.push(signal) } });
    await get();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('are not called again while they hang, and recover afterwards', async () => {
    const hanging = Promise.withResolvers<void>();
    const check = vi.fn().mockReturnValueOnce(hanging.promise);
    const { changes, onChange } = recordChanges();
    const get = await serve({ checks: { store: check }, timeout: 1, onChange });
    expect(await get()).toMatchObject({ status: 503 });
    expect(await get()).toMatchObject({ status: 503 });
    expect(check).toHaveBeenCalledTimes(1);
    hanging.reject(new Error('Late.'));
    expect(await get()).toMatchObject({ status: 200 });
    expect(check).toHaveBeenCalledTimes(2);
    expect(changes).toEqual([
      ['store', 'The store did not respond within 1 ms.'],
      ['store', undefined],
    ]);
  });

  it('do not run again within the interval', async () => {
    const check = vi.fn(() => Promise.reject(new Error('Gone.')));
    const get = await serve({ checks: { store: check }, interval: 60_000 });
    expect(await get()).toMatchObject({ status: 503 });
    expect(await get()).toMatchObject({ status: 503 });
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('run again after the interval', async () => {
    const check = vi.fn();
    const get = await serve({ checks: { store: check }, interval: 1 });
    await expect
      .poll(async () => {
        await get();
        return check.mock.calls.length;
      })
      .toBeGreaterThan(1);
  });
});

describe('onChange', () => {
  it('is called once when a check fails and once when it recovers', async () => {
    const { changes, onChange } = recordChanges();
    const failing = new Set(['store', 'queue']);
    const check = (name: string) => () => {
      if (failing.has(name)) throw new Error(`No ${name}.`);
    };
    const checks = { store: check('store'), cache: check('cache'), queue: check('queue') };
    const get = await serve({ checks, onChange });
    await get();
    await get();
    failing.delete('queue');
    await get();
    failing.clear();
    await get();
    await get();
    expect(changes).toEqual([
      ['store', 'No store.'],
      ['queue', 'No queue.'],
      ['queue', undefined],
      ['store', undefined],
    ]);
  });

  it('is called with the state and the error when a check becomes degraded, fails and recovers', async () => {
    const onChange = vi.fn();
    const [full, gone] = [new Error('Full.'), new Error('Gone.')];
    const check = vi
      .fn()
      .mockResolvedValueOnce({ degraded: full })
      .mockResolvedValueOnce({ degraded: full })
      .mockRejectedValueOnce(gone)
      .mockResolvedValueOnce({ degraded: full });
    const get = await serve({ checks: { store: check }, onChange });
    for (const _ of Array(6)) await get();
    expect(onChange.mock.calls).toEqual([
      ['store', full, 'degraded'],
      ['store', gone, 'failing'],
      ['store', full, 'degraded'],
      ['store', undefined, 'passing'],
    ]);
  });

  it('logs a degraded check by default', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const cause = new Error('Full.');
    const health = createHealth({ checks: { store: () => ({ degraded: cause }) } });
    await createApp().route('/', health).request('/health/ready');
    const message = 'The store responds, but part of it fails.';
    expect(error.mock.calls).toEqual([[new Error(message, { cause })]]);
  });

  it.each([
    ['logger', () => ({ error: vi.fn(), info: vi.fn() }), (logger: HealthLogger) => ({ logger })],
    [
      'console by default',
      () => ({
        error: vi.spyOn(console, 'error').mockReturnValue(),
        info: vi.spyOn(console, 'info').mockReturnValue(),
      }),
      () => ({}),
    ],
  ])('logs both with %s', async (_, observe, optionsOf) => {
    const logger = observe();
    const cause = new Error('Gone.');
    const check = vi.fn().mockRejectedValueOnce(cause);
    const health = createHealth({ checks: { store: check }, ...optionsOf(logger) });
    const app = createApp().route('/', health);
    await app.request('/health/ready');
    await app.request('/health/ready');
    expect(logger.error.mock.calls).toEqual([
      [new Error('The store is not responding.', { cause })],
    ]);
    expect(logger.info.mock.calls).toEqual([['The store is working again.']]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('No log.');
      },
    ],
    ['rejects', () => Promise.reject(new Error('No log.'))],
  ])('is reported when it %s, and does not change the response', async (_, onChange) => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const check = () => Promise.reject(new Error('Gone.'));
    const get = await serve({ checks: { store: check }, onChange });
    expect((await get()).body).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(error.mock.calls).toEqual([
      [
        expect.objectContaining({
          message: 'createHealth() failed to report a change of the store.',
          cause: new Error('No log.'),
        }),
      ],
    ]);
  });
});

describe('options', () => {
  it.each([
    [{ check: {} }, "createHealth() has no option 'check'. Did you mean 'checks'?"],
    [{ checks: [] }, 'checks of createHealth() must be an object: got [].'],
    [
      { timeout: 0 },
      'timeout of createHealth() must be an integer number of milliseconds from 1 to 2147483647: got 0.',
    ],
    [
      { interval: '1s' },
      "interval of createHealth() must be an integer number of milliseconds from 0 to 2147483647: got '1s'.",
    ],
    [
      { stopping: new AbortController() },
      'stopping of createHealth() must be an AbortSignal: got an instance of AbortController.',
    ],
    [{ live: '' }, "live of createHealth() must be a non-empty string: got ''."],
    [{ onChange: 1 }, 'onChange of createHealth() must be a function: got 1.'],
    [
      { logger: { info() {} } },
      'logger of createHealth() must be an object with the methods info and error: got an object.',
    ],
    [
      { checks: new Map([['store', () => 1]]) },
      'checks of createHealth() must be an object: got an instance of Map.',
    ],
    [
      { checks: { store: Promise.resolve(), '': () => 1 } },
      "createHealth() cannot use an instance of Promise as the check 'store'. Use a function.\n" +
        "createHealth() cannot use '' as the name of a check. Begin with a letter, and use only letters, digits, '_', '-' and spaces.",
    ],
  ])('refuses %o', (options, message) => {
    const error = new SetupError('INVALID_OPTION', message);
    expect(() => createHealth(options as HealthOptions)).toThrow(error);
  });

  it('refuses paths that no router accepts, and two equal paths', () => {
    expect(() => createHealth({ live: '/:' })).toThrow(InvalidPatternError);
    expect(() => createHealth({ live: '/health', ready: '/health' })).toThrow(RouteConflictError);
  });
});

it('a message about a route of createHealth() shows the call', () => {
  const app = createApp()
    .get('/health/live', () => 'mine')
    .route('/', createHealth());
  expect(() => app.seal()).toThrow(
    /\n {2}At: test\/health\.test\.ts:\d+:\d+\n {2}At: test\/health\.test\.ts:/,
  );
});
