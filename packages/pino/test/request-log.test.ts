import { once } from 'node:events';
import { get } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Application,
  BadRequestError,
  createApp,
  errorHandler,
  HttpError,
  listen,
  ServiceUnavailableError,
  SetupError,
} from '@fairlead/core';
import { requestId } from '@fairlead/middleware';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createLogger,
  type LoggerOptions,
  logErrors,
  logRequests,
  type RequestLogOptions,
} from '../src/index.js';

type Line = Readonly<Record<string, unknown>>;

/** Creates a logger that keeps its lines, and a function that waits until there are `count` of them. */
function captureLog(level: NonNullable<LoggerOptions['level']> = 'info') {
  const lines: Line[] = [];
  const arrived = new EventTarget();
  const write = (text: string): void => {
    lines.push(JSON.parse(text));
    arrived.dispatchEvent(new Event('line'));
  };
  const waitFor = async (count: number): Promise<readonly Line[]> => {
    while (lines.length < count) await once(arrived, 'line');
    return lines;
  };
  return { logger: createLogger({ level, destination: { write } }), lines, waitFor };
}

/** Creates an application that logs, with the middleware in the order that is usual. */
function createLogged(
  options: RequestLogOptions = {},
  level: NonNullable<LoggerOptions['level']> = 'info',
) {
  const log = captureLog(level);
  const app = createApp({ onError: logErrors(log.logger) });
  app.use(errorHandler(), logRequests(log.logger, options), requestId());
  return { app, ...log };
}

/** Serves an application on a free port until the test finishes. */
async function serve(app: Application): Promise<string> {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server.url;
}

describe('the line of a request', () => {
  it('has the method, path, route, status, duration and id, but not the query', async () => {
    const { app, waitFor } = createLogged();
    const url = await serve(app.get('/users/:id', () => 'Ada'));
    const response = await fetch(`${url}/users/7?secret=1`);
    expect(await waitFor(1)).toEqual([
      {
        level: 'info',
        time: expect.any(Number),
        pid: process.pid,
        hostname: expect.any(String),
        method: 'GET',
        path: '/users/7',
        route: '/users/:id',
        status: 200,
        duration: expect.any(Number),
        requestId: response.headers.get('x-request-id'),
        msg: 'request',
      },
    ]);
  });

  it('has no route without a match, and the trace of ctx.state', async () => {
    const { app, waitFor } = createLogged();
    app.use((ctx, next) => {
      ctx.state.traceId = 'abc';
      return next();
    });
    await fetch(`${await serve(app)}/elsewhere`);
    const [line] = await waitFor(1);
    expect(line).toMatchObject({ level: 'info', status: 404, traceId: 'abc' });
    expect(line).not.toHaveProperty('route');
    expect(line).not.toHaveProperty('err');
  });

  it('has a duration that ends with the response', async () => {
    const { app, waitFor, lines } = createLogged();
    const { promise, resolve } = Promise.withResolvers<void>();
    const url = await serve(
      app.get('/', () =>
        Readable.from(
          (async function* () {
            yield 'a';
            await promise;
            yield 'b';
          })(),
        ),
      ),
    );
    const response = await fetch(url);
    const before = lines.length;
    resolve();
    await response.text();
    await waitFor(1);
    expect(before).toBe(0);
  });

  it('has the error of a 500, once', async () => {
    const { app, waitFor, lines } = createLogged();
    const url = await serve(
      app.get('/', () => {
        throw new RangeError('Too far.');
      }),
    );
    await fetch(url);
    await fetch(`${url}/elsewhere`);
    await waitFor(2);
    expect(lines).toMatchObject([
      { level: 'error', status: 500, err: { type: 'RangeError', message: 'Too far.' } },
      { level: 'info', status: 404 },
    ]);
  });

  it('has errors that are reported, and no others', async () => {
    const { app, waitFor } = createLogged();
    const errors: Readonly<Record<string, HttpError>> = {
      hidden: new ServiceUnavailableError('Overloaded.'),
      exposed: new ServiceUnavailableError('Try again.', { expose: true }),
      client: new BadRequestError('Wrong.'),
      reported: new HttpError(409, 'Conflict.', { report: true }),
    };
    const url = await serve(
      app.get('/:name', ({ params: { name = '' } }) => {
        throw errors[name];
      }),
    );
    for (const name of Object.keys(errors)) await fetch(`${url}/${name}`);
    const lines = await waitFor(4);
    expect(lines.map(({ level, status, err }) => [level, status, Object(err).message])).toEqual([
      ['error', 503, 'Overloaded.'],
      ['error', 503, undefined],
      ['info', 400, undefined],
      ['error', 409, 'Conflict.'],
    ]);
  });

  it('has the code of an HttpError, or of the status of an error as of http-errors', async () => {
    const { app, waitFor } = createLogged();
    const url = await serve(
      app
        .get('/taken', () => {
          throw new HttpError(409, 'Taken.', { code: 'NAME_TAKEN', cause: new Error('Ada') });
        })
        .get('/fail', () => {
          throw Object.assign(new Error('It failed.'), { code: 'EIO' });
        })
        .get('/gone', () => {
          throw Object.assign(new Error('As of http-errors.'), { status: 410, expose: true });
        })
        .get('/', () => 'hello'),
    );
    for (const path of ['/taken', '/elsewhere', '/fail', '/gone', '/']) await fetch(url + path);
    const lines = await waitFor(5);
    expect(lines.map(({ status, code }) => [status, code])).toEqual([
      [409, 'NAME_TAKEN'],
      [404, 'NOT_FOUND'],
      [500, undefined],
      [410, 'GONE'],
      [200, undefined],
    ]);
  });

  it('has the error of a 4xx and its cause only if the logger logs debug', async () => {
    const error = new BadRequestError('Wrong.', { cause: new Error('The reason.') });
    const ask = async (level: 'debug' | 'info') => {
      const { app, waitFor } = createLogged({}, level);
      await fetch(await serve(app.get('/', () => Promise.reject(error))));
      return (await waitFor(1))[0];
    };
    expect(await ask('debug')).toMatchObject({
      level: 'info',
      code: 'BAD_REQUEST',
      err: { message: 'Wrong.', cause: { message: 'The reason.' } },
    });
    expect(await ask('info')).not.toHaveProperty('err');
  });

  it('has the error of a stream that fails, and is aborted', async () => {
    const { app, waitFor, lines } = createLogged();
    const url = await serve(
      app
        .get('/', () =>
          Readable.from(
            (async function* () {
              yield 'a';
              throw new Error('The disk is gone.');
            })(),
          ),
        )
        .get('/next', () => 'hello'),
    );
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    await fetch(`${url}/next`);
    await waitFor(2);
    expect(lines).toMatchObject([
      { level: 'error', aborted: true, err: { message: 'The disk is gone.' } },
      { level: 'info', route: '/next' },
    ]);
  });

  it('has 499 for a client that disconnects before the response, without an error', async () => {
    const { app, waitFor } = createLogged();
    const started = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    onTestFinished(() => gone.resolve());
    const url = await serve(
      app.get('/', () => {
        started.resolve();
        return gone.promise;
      }),
    );
    const request = get(url).on('error', () => undefined);
    await started.promise;
    request.destroy();
    expect(await waitFor(1)).toMatchObject([{ level: 'info', status: 499, aborted: true }]);
  });

  it('is at level debug for a quiet route, unless there is an error', async () => {
    const { app, waitFor } = createLogged(
      { quiet: ({ pattern }) => pattern === '/health/:kind' },
      'debug',
    );
    const url = await serve(
      app.get('/health/:kind', ({ params }) => {
        if (params.kind === 'live') return 'live';
        throw new Error('No store.');
      }),
    );
    await fetch(`${url}/health/live`);
    await fetch(`${url}/health/ready`);
    expect(await waitFor(2)).toMatchObject([{ level: 'debug' }, { level: 'error', status: 500 }]);
  });

  it('is not written below the level of the logger', async () => {
    const { app, waitFor } = createLogged({}, 'error');
    const url = await serve(
      app
        .get('/', () => 'hello')
        .get('/fail', () => {
          throw new Error('It failed.');
        }),
    );
    await fetch(url);
    await fetch(`${url}/fail`);
    expect(await waitFor(1)).toMatchObject([{ route: '/fail' }]);
  });
});

describe('logErrors', () => {
  it('logs an error that is thrown after the response, with the id of the request', async () => {
    const { app, waitFor } = createLogged();
    const url = await serve(
      app.get('/', (ctx) => {
        ctx.onFinish(() => {
          throw new Error('Too late.');
        });
        return 'hello';
      }),
    );
    const { headers } = await fetch(url);
    expect(await waitFor(2)).toMatchObject([
      { level: 'info', status: 200, msg: 'request' },
      {
        level: 'error',
        msg: 'request failed',
        err: { message: 'Too late.' },
        requestId: headers.get('x-request-id'),
      },
    ]);
  });

  it('logs what quiet throws', async () => {
    const { app, waitFor } = createLogged({
      quiet() {
        throw new Error('No pattern.');
      },
    });
    const response = await fetch(await serve(app.get('/', () => 'hello')));
    expect(response.status).toBe(200);
    expect(await waitFor(1)).toMatchObject([
      { level: 'error', msg: 'request failed', err: { message: 'No pattern.' } },
    ]);
  });

  it('logs an error of a response that is still open at once', async () => {
    const { logger, waitFor } = captureLog();
    const logged = Promise.withResolvers<void>();
    const app = createApp({ onError: logErrors(logger) }).use(logRequests(logger));
    app.get('/', async function* (ctx) {
      yield 'one';
      await nextTurn();
      ctx.report(new Error('A row is missing.'));
      await logged.promise;
      yield 'two';
    });
    const response = await fetch(await serve(app));
    expect(await waitFor(1)).toMatchObject([
      { level: 'error', msg: 'request failed', err: { message: 'A row is missing.' } },
    ]);
    logged.resolve();
    expect(await response.text()).toBe('onetwo');
    expect((await waitFor(2))[1]).toMatchObject({ level: 'info', status: 200 });
  });

  it('logs the error of a stream that fails while its client waits only once', async () => {
    const { app, waitFor, lines } = createLogged();
    const arrived = Promise.withResolvers<void>();
    const url = await serve(
      app
        .get('/', async function* () {
          yield 'a';
          await arrived.promise;
          throw new Error('The disk is gone.');
        })
        .get('/next', () => 'hello'),
    );
    const { body } = await fetch(url);
    const reader = body?.getReader();
    await reader?.read();
    arrived.resolve();
    await expect(reader?.read()).rejects.toThrow();
    await fetch(`${url}/next`);
    await waitFor(2);
    expect(lines).toMatchObject([
      { level: 'error', aborted: true, msg: 'request', err: { message: 'The disk is gone.' } },
      { level: 'info', route: '/next' },
    ]);
  });

  it('logs an error whose response is replaced', async () => {
    const { logger, waitFor } = captureLog();
    const app = createApp().use(
      logRequests(logger),
      async (ctx, next) => {
        await next();
        ctx.status = 200;
      },
      errorHandler({ onError: logErrors(logger) }),
    );
    await fetch(
      await serve(
        app.get('/', () => {
          throw new Error('It failed.');
        }),
      ),
    );
    expect(await waitFor(2)).toMatchObject([
      { level: 'info', status: 200 },
      { level: 'error', msg: 'request failed', err: { message: 'It failed.' } },
    ]);
  });

  it('logs every error of an application that does not log its requests', async () => {
    const { logger, waitFor } = captureLog();
    const app = createApp({ onError: logErrors(logger) }).get('/', () => {
      throw new Error('It failed.');
    });
    await fetch(await serve(app));
    expect(await waitFor(1)).toMatchObject([
      { level: 'error', msg: 'request failed', err: { message: 'It failed.' } },
    ]);
  });
});

describe('the arguments', () => {
  const { logger } = captureLog();

  it.each([
    [
      () => logRequests(logger, { quite: () => true } as object),
      "logRequests() has no option 'quite'. Did you mean 'quiet'?",
    ],
    [
      () => logRequests(logger, { quiet: ['/health'] } as object),
      "quiet of logRequests() must be a function: got ['/health'].",
    ],
    [
      () => logRequests(console as never),
      'logger of logRequests() must be a pino logger, such as the result of createLogger(): got an instance of Console.',
    ],
    [
      () => logErrors(undefined as never),
      'logger of logErrors() must be a pino logger, such as the result of createLogger(): got undefined.',
    ],
  ])('%# are refused if they are wrong', (call, message) => {
    expect(call).toThrow(new SetupError('INVALID_OPTION', message));
  });
});
