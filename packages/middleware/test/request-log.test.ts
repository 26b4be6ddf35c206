import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  HttpError,
  type Middleware,
  NotFoundError,
  notFoundHandler,
} from '@fairlead/core';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RequestLogEntry, requestId, requestLogger, timeout } from '../src/index.js';
import { serve } from './support/send.js';

/** A request logger, and what it has logged. */
function createLog() {
  const entries: RequestLogEntry[] = [];
  const logger = requestLogger({ logger: { info: (entry) => entries.push(entry) } });
  return { entries, logger };
}

/** Replaces stdout for the running test. It stays open after an error. */
function replaceStdout(write: (written: (error?: Error) => void) => void): Writable {
  const stdout = new Writable({
    autoDestroy: false,
    write: (_chunk, _encoding, written) => write(written),
  });
  const { stdout: original } = process;
  const get = vi.spyOn(process, 'stdout', 'get').mockReturnValue(stdout as typeof original);
  onTestFinished(() => get.mockRestore());
  return stdout;
}

const fail = (error: unknown): Middleware => {
  return () => {
    throw error;
  };
};

describe('requestLogger()', () => {
  const at = (...times: number[]) => {
    const clock = times.values();
    return () => clock.next().value ?? Number.NaN;
  };

  it('passes an object to a logger', async () => {
    const entries: RequestLogEntry[] = [];
    const logger = { info: (entry: RequestLogEntry) => entries.push(entry) };
    const router = createRouter().post('/:id', async (ctx) => {
      ctx.status = 201;
      ctx.json(null);
    });
    const app = createApp()
      .use(requestId({ create: () => 'id-1' }), requestLogger({ logger, now: at(0, 12.34567) }))
      .route('/users', router);
    await app.request('/users/7?page=1', { method: 'POST' });
    expect(entries).toEqual([
      {
        method: 'POST',
        path: '/users/7',
        pattern: '/users/:id',
        status: 201,
        milliseconds: 12.346,
        requestId: 'id-1',
      },
    ]);
  });

  it('writes a line to a stream', async () => {
    const lines: string[] = [];
    const logger = { write: (line: string) => lines.push(line) };
    const app = createApp().use(requestLogger({ logger, now: at(0, 12.34) }), async (ctx) => {
      ctx.status = 201;
    });
    await app.request('/users?page=1', { method: 'POST' });
    expect(lines).toEqual(['POST /users 201 12.3 ms\n']);
  });

  it('writes a line without control characters', async () => {
    const lines: string[] = [];
    const logger = { write: (line: string) => lines.push(line) };
    const app = createApp().use(requestLogger({ logger, now: at(0, 1) }));
    // HTTP/2 has such paths.
    const req = Object.assign(new IncomingMessage(new Socket()), {
      method: 'GET',
      url: '/a\x9b2Jb',
    });
    const res = new ServerResponse(req);
    const closed = once(res, 'close');
    app.handle(req, res);
    res.destroy();
    await closed;
    expect(lines).toEqual(['GET /a\\u009b2Jb 499 1.0 ms aborted\n']);
  });

  it('writes a line to stdout by default', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await createApp()
      .use(requestLogger({ now: () => 0 }))
      .request('/a');
    const lines = write.mock.calls.map(([line]) => line);
    write.mockRestore();
    expect(lines).toContain('GET /a 404 0.0 ms\n');
  });

  it('writes a line that tells an aborted response', async () => {
    const line = Promise.withResolvers<string>();
    const app = createApp().use(requestLogger({ logger: { write: line.resolve }, now: at(0, 1) }));
    app.use(
      (ctx) =>
        void ctx
          .takeOver()
          .writeHead(200)
          .write('a', () => ctx.res.destroy()),
    );
    const { port } = await serve(app);
    connectRaw(port).socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await line.promise).toBe('GET /a 200 1.0 ms aborted\n');
  });

  it('omits the requests that skip selects when they have ended', async () => {
    const entries: RequestLogEntry[] = [];
    const logger = { info: (entry: RequestLogEntry) => entries.push(entry) };
    const skip = ({ pattern, status }: Context) => pattern === '/health' && status === 200;
    const app = createApp()
      .use(requestLogger({ logger, skip }))
      .get('/health', (ctx) => {
        if (ctx.query.fail !== undefined) ctx.status = 503;
        return null;
      });
    await app.request('/health');
    await app.request('/health?fail');
    await app.request('/none');
    expect(entries.map(({ path, status }) => [path, status])).toEqual([
      ['/health', 503],
      ['/none', 404],
    ]);
  });

  it('reports what its logger rejects with', async () => {
    const errors: unknown[] = [];
    const logger = { info: () => Promise.reject(new Error('The disk is full.')) };
    const app = createApp({ onError: (error) => errors.push(error) });
    await app.use(requestLogger({ logger })).request('/');
    await expect.poll(() => errors.map(String)).toEqual(['Error: The disk is full.']);
  });

  it('writes many lines at once to stdout, without a warning', async () => {
    const stdout = replaceStdout((written) => setImmediate(written));
    const write = vi.spyOn(stdout, 'write');
    const emitWarning = vi.spyOn(process, 'emitWarning');
    const app = createApp().use(requestLogger({ now: () => 0 }));
    await Promise.all(Array.from({ length: 50 }, () => app.request('/')));
    const lines = Array.from({ length: 50 }, () => 'GET / 404 0.0 ms\n');
    expect(write.mock.calls.map(([line]) => line)).toEqual(lines);
    expect(emitWarning).not.toHaveBeenCalled();
  });

  it('goes on when nothing reads stdout any more', async () => {
    const stdout = replaceStdout((written) => setImmediate(written, new Error('EPIPE')));
    const emit = vi.spyOn(stdout, 'emit');
    await createApp().use(requestLogger()).request('/');
    const results = () =>
      emit.mock.calls.flatMap(([event], index) =>
        event === 'error' ? [emit.mock.results[index]?.type] : [],
      );
    await expect.poll(results).toEqual(['return']);
  });

  it('passes an object to a logger that is also a stream', async () => {
    const logger = { info: vi.fn(), write: vi.fn() };
    await createApp().use(requestLogger({ logger })).request('/');
    expect(logger.info).toHaveBeenCalledOnce();
    expect(logger.write).not.toHaveBeenCalled();
  });

  it.each([{}, 'stdout', null, () => undefined])('refuses the logger %j', (logger) => {
    expect(() => Reflect.apply(requestLogger, undefined, [{ logger }])).toThrow(
      expect.objectContaining({
        name: 'SetupError',
        code: 'INVALID_OPTION',
        message: expect.stringContaining(
          'logger of requestLogger() must be a logger with an info() method, such as console, or a stream: got',
        ),
      }),
    );
  });

  it('reports an error of the logger and still responds', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const logger = {
      info: () => {
        throw new Error('disk full');
      },
    };
    const app = createApp().use(requestLogger({ logger }), (ctx) => ctx.send('hello'));
    expect(await (await app.request('/')).text()).toBe('hello');
    expect(error).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: 'disk full' }),
    );
    error.mockRestore();
  });

  it('measures until the response when downstream middleware takes longer', async () => {
    const { entries, logger } = createLog();
    const app = createApp()
      .use(errorHandler({ onError: () => undefined }), timeout(10), logger)
      .use(() => new Promise(() => undefined));
    await app.request('/');
    expect(entries).toEqual([
      expect.objectContaining({ status: 503, milliseconds: expect.any(Number) }),
    ]);
  });
});

describe('requestLogger() logs the status that the client receives', () => {
  const router = createRouter().get('/users', (ctx) => ctx.json([]));
  const silent = () => errorHandler({ onError: () => undefined });
  const onlyLogger = (logger: Middleware) => createApp().use(logger);
  const belowHandlers = (logger: Middleware) =>
    createApp().use(silent(), logger).route('/', router).use(notFoundHandler());
  const aboveHandlers = (logger: Middleware) =>
    createApp().use(logger, silent()).route('/', router).use(notFoundHandler());
  const withoutHandlers = (logger: Middleware) => createApp().use(logger).route('/', router);
  const withHandler =
    (...handlers: Middleware[]) =>
    (logger: Middleware) =>
      createApp().use(silent(), logger, ...handlers);
  const below =
    (...outer: Middleware[]) =>
    (logger: Middleware) =>
      createApp().use(silent(), ...outer, logger, (ctx: Context) => ctx.send('ok'));

  it.each<[string, string, string, number, (logger: Middleware) => Application]>([
    ['nothing responds', 'GET', '/', 404, onlyLogger],
    ['no route matches', 'GET', '/none', 404, withoutHandlers],
    ['no route matches, below the handlers', 'GET', '/none', 404, belowHandlers],
    ['another method is requested', 'POST', '/users', 405, withoutHandlers],
    ['another method is requested, above the handlers', 'POST', '/users', 405, aboveHandlers],
    ['OPTIONS is requested', 'OPTIONS', '/users', 204, withoutHandlers],
    ['OPTIONS is requested, below the handlers', 'OPTIONS', '/users', 204, belowHandlers],
    ['a target is malformed', 'GET', '/%zz', 400, withoutHandlers],
    [
      'the raw response is taken over',
      'GET',
      '/',
      202,
      withHandler((ctx) => void ctx.takeOver().writeHead(202).end()),
    ],
    [
      'the raw response is written later',
      'GET',
      '/',
      202,
      withHandler((ctx) => {
        const res = ctx.takeOver();
        setImmediate(() => res.writeHead(202).end());
      }),
    ],
    ['a client error passes', 'GET', '/', 404, withHandler(fail(new NotFoundError('x')))],
    ['a server error passes', 'GET', '/', 500, withHandler(fail(new Error('x')))],
    [
      'a foreign error passes',
      'GET',
      '/',
      413,
      withHandler(fail(Object.assign(new Error('x'), { statusCode: 413, expose: true }))),
    ],
    [
      'a stream fails before it is sent',
      'GET',
      '/',
      500,
      withHandler((ctx) =>
        ctx.send(new Readable({ read: () => undefined }).destroy(new Error('x'))),
      ),
    ],
    [
      'middleware above changes the status',
      'GET',
      '/',
      203,
      below(async (ctx, next) => {
        await next();
        ctx.status = 203;
      }),
    ],
    [
      'middleware above fails afterwards',
      'GET',
      '/',
      500,
      below(async (_ctx, next) => {
        await next();
        throw new Error('x');
      }),
    ],
  ])('when %s', async (_when, method, path, status, create) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { entries, logger } = createLog();
    const { port } = await serve(create(logger));
    const { socket, ended } = connectRaw(port);
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(await ended()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(entries).toEqual([expect.objectContaining({ method, path, status })]);
    vi.restoreAllMocks();
  });

  it('when the client disconnects before the response', async () => {
    const { entries, logger } = createLog();
    const [begun, logged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = createApp().use(logger, async (ctx) => {
      begun.resolve();
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      ctx.status = 201;
      setImmediate(logged.resolve);
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await begun.promise;
    socket.destroy();
    await logged.promise;
    expect(entries).toEqual([expect.objectContaining({ status: 499, aborted: true })]);
  });

  it('once for each of two loggers', async () => {
    const [one, two] = [createLog(), createLog()];
    await createApp().use(one.logger, two.logger).request('/');
    expect([one.entries.length, two.entries.length]).toEqual([1, 1]);
  });
});

describe('requestLogger() logs the error', () => {
  const failure = new Error('broken');
  const quiet = () => errorHandler({ onError: () => undefined });
  const ownHandler: Middleware = async (ctx, next) => {
    try {
      await next();
    } catch {
      ctx.status = 500;
      ctx.json('own');
    }
  };

  it.each<[string, (logger: Middleware) => Middleware[]]>([
    ['above errorHandler()', (logger) => [logger, quiet()]],
    ['below errorHandler()', (logger) => [quiet(), logger]],
    ['without errorHandler()', (logger) => [logger]],
    ['below middleware that handles errors', (logger) => [ownHandler, logger]],
  ])('of a 500, %s', async (_where, stack) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { entries, logger } = createLog();
    await createApp()
      .use(...stack(logger), fail(failure))
      .request('/');
    expect(entries).toEqual([expect.objectContaining({ status: 500, error: failure })]);
    vi.restoreAllMocks();
  });

  it('of a 503 that clients may see', async () => {
    const { entries, logger } = createLog();
    const error = new HttpError(503, 'Later.', { expose: true });
    await createApp().use(quiet(), logger, fail(error)).request('/');
    expect(entries).toEqual([expect.objectContaining({ status: 503, error })]);
  });

  it('of a stream that fails after the headers', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const entry = Promise.withResolvers<RequestLogEntry>();
    const app = createApp().use(requestLogger({ logger: { info: entry.resolve } }), (ctx) => {
      const stream = new Readable({ read: () => undefined });
      stream.push('a');
      ctx.res.once('pipe', () => setImmediate(() => stream.destroy(failure)));
      ctx.send(stream);
    });
    const { port } = await serve(app);
    connectRaw(port).socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await entry.promise).toMatchObject({ status: 200, aborted: true, error: failure });
  });

  it.each<[string, Middleware[]]>([
    ['a client error', [fail(new NotFoundError('x'))]],
    ['an error that middleware above replaces', [ownSuccess, quiet(), fail(failure)]],
  ])('but not for %s', async (_what, stack) => {
    const { entries, logger } = createLog();
    await createApp()
      .use(logger, quiet(), ...stack)
      .request('/');
    expect(entries).toEqual([expect.not.objectContaining({ error: expect.anything() })]);
  });
});

async function ownSuccess(...[ctx, next]: Parameters<Middleware>): Promise<void> {
  await next();
  ctx.status = 200;
  ctx.json('fine');
}

describe('the option serverTiming', () => {
  const logger = { info: () => undefined };
  const validate = (value: unknown) => ({ value });
  const params = { '~standard': { version: 1, vendor: 'test', validate } } as const;
  const create = (serverTiming?: boolean) =>
    createApp()
      .use(requestLogger({ logger, ...(serverTiming !== undefined && { serverTiming }) }))
      .get('/:id', { params }, async (ctx) => {
        if (ctx.path === '/own') ctx.set('Server-Timing', 'database;dur=5');
        return 1;
      });
  const timingOf = async (app: Pick<Application, 'request'>, path = '/7') =>
    (await app.request(path)).headers.get('Server-Timing')?.replaceAll(/=[\d.]+/g, '=0');

  it('adds how long the parts of a request took', async () => {
    const parts = 'validation;dur=0, handler;dur=0, serialization;dur=0, total;dur=0';
    expect(await timingOf(create(true))).toBe(parts);
    expect(await timingOf(create(true), '/own')).toBe(`database;dur=0, ${parts}`);
    expect(await timingOf(create(true), '/no/route')).toBe('total;dur=0');
  });

  it('is on by default in development only', async () => {
    for (const [environment, expected] of [
      ['development', expect.stringContaining('total;dur=0')],
      ['production', undefined],
      ['test', undefined],
      [undefined, undefined],
    ] as const) {
      vi.stubEnv('NODE_ENV', environment);
      expect(await timingOf(create())).toEqual(expected);
    }
    vi.unstubAllEnvs();
    expect(await timingOf(create(false))).toBeUndefined();
  });

  it('leaves a response alone that the handler has written', async () => {
    const app = createApp()
      .use(requestLogger({ logger, serverTiming: true }))
      .get('/', (ctx) => {
        ctx.takeOver().end('raw');
      });
    const response = await app.request('/');
    expect([await response.text(), response.headers.get('Server-Timing')]).toEqual(['raw', null]);
  });
});
