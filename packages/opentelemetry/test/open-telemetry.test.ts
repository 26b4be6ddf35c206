import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  BadRequestError,
  type Context,
  createApp,
  createRouter,
  type Middleware,
  NotFoundError,
  ServiceUnavailableError,
} from '@fairlead/core';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { getRPCMetadata } from '@opentelemetry/core';
import { AlwaysOffSampler, NoopSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { describe, expect, it, vi } from 'vitest';
import { type OpenTelemetryOptions, openTelemetry } from '../src/index.js';
import { serve } from './support/serve.js';
import { registerSdk, traceHttp } from './support/tracing.js';

const users = () => createRouter().get('/users/:id', ({ params }) => params);

const coded = (code: string) => new ServiceUnavailableError('No.', { code });

/** The attributes of the exceptions of a span. */
function exceptionsOf(span: ReadableSpan | undefined) {
  return span?.events.map(({ name, attributes }) => name === 'exception' && attributes);
}

describe('a request that a route handles', () => {
  it.each([
    ['GET', 200, 'synchronously', users()],
    [
      'GET',
      200,
      'asynchronously',
      createRouter().get('/users/:id', async ({ params }) => {
        await setImmediate();
        return params;
      }),
    ],
    ['HEAD', 200, 'as GET', users()],
    [
      'GET',
      404,
      'with an error',
      createRouter().get('/users/:id', () => {
        throw new NotFoundError('There is no such user.');
      }),
    ],
  ])('names the span after its pattern: %s, %i, %s', async (method, status, _, router) => {
    const spans = traceHttp();
    const url = await serve(openTelemetry(), router);
    await fetch(`${url}/users/7?secret=1`, { method });
    expect(await spans.first(1)).toMatchObject([
      {
        name: `${method} /users/:id`,
        attributes: { 'http.route': '/users/:id', 'http.response.status_code': status },
        status: { code: SpanStatusCode.UNSET },
        events: [],
      },
    ]);
  });

  it('names the span when the client disconnects before the handler ends', async () => {
    const spans = traceHttp();
    const abort = new AbortController();
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const router = createRouter().get('/users/:id', async (ctx) => {
      ctx.signal.addEventListener('abort', () => close());
      abort.abort();
      await closed;
      // The handler outlives the span.
      await spans.first(1);
      ctx.send('late');
    });
    const url = await serve(openTelemetry(), router);
    await expect(fetch(`${url}/users/7`, { signal: abort.signal })).rejects.toThrow();
    expect(await spans.first(1)).toMatchObject([
      { name: 'GET /users/:id', attributes: { 'http.route': '/users/:id' } },
    ]);
  });

  it('passes the id of the trace to the functions after it', async () => {
    const spans = traceHttp();
    const router = createRouter().get('/', ({ state }) => ({ traceId: state.traceId }));
    const response = await fetch(await serve(openTelemetry(), router));
    const [span] = await spans.first(1);
    expect(await response.json()).toEqual({ traceId: span?.spanContext().traceId });
  });
});

it('keeps the traces of pipelined requests apart, also of those that wait for others', async () => {
  const spans = traceHttp();
  const router = createRouter().get('/:id', async ({ params, state }) => {
    await setImmediate();
    return { id: params.id, traceId: state.traceId };
  });
  const { port } = new URL(await serve(openTelemetry(), router));
  const { socket, responses } = connectRaw(Number(port));
  for (let id = 0; id < 30; id += 1) socket.write(`GET /${id} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const traces = (await responses(30)).map((response) => /"traceId":"(\w+)"/.exec(response)?.[1]);
  socket.destroy();
  expect(new Set(traces).size).toBe(30);
  const names = (await spans.first(30)).map(({ name }) => name);
  expect(names).toEqual(Array.from({ length: 30 }, () => 'GET /:id'));
});

it('adds few enough listeners to the response of a stream', async () => {
  const spans = traceHttp();
  const emitWarning = vi.spyOn(process, 'emitWarning');
  const router = createRouter().get('/', ({ signal }) => {
    signal.addEventListener('abort', () => undefined);
    return Readable.from(['one', 'two']);
  });
  const response = await fetch(await serve(openTelemetry(), router));
  expect(await response.text()).toBe('onetwo');
  await spans.first(1);
  expect(emitWarning).not.toHaveBeenCalled();
});

describe('a request that no route handles', () => {
  it.each(['/none', '/%'])('keeps the method as the name of the span: %s', async (path) => {
    const spans = traceHttp();
    await fetch(`${await serve(openTelemetry(), users())}${path}`);
    const [span] = await spans.first(1);
    expect(span?.name).toBe('GET');
    expect(span?.attributes).not.toHaveProperty('http.route');
  });
});

describe('the error of a request', () => {
  const failing = () =>
    createRouter().get('/users/:id', async () => {
      throw new TypeError('ada@example.com is not a number');
    });

  it('is an exception without its message', async () => {
    const spans = traceHttp();
    await fetch(`${await serve(openTelemetry(), failing())}/users/7`);
    const [span] = await spans.first(1);
    expect(span).toMatchObject({
      name: 'GET /users/:id',
      attributes: { 'http.route': '/users/:id', 'error.type': '500' },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(exceptionsOf(span)).toEqual([{ 'exception.type': 'TypeError' }]);
  });

  it('has its message and stack with includeMessage', async () => {
    const spans = traceHttp();
    await fetch(`${await serve(openTelemetry({ includeMessage: true }), failing())}/users/7`);
    expect(exceptionsOf((await spans.first(1))[0])).toEqual([
      {
        'exception.type': 'TypeError',
        'exception.message': 'ada@example.com is not a number',
        'exception.stacktrace': expect.stringContaining('open-telemetry.test.ts'),
      },
    ]);
  });

  it('may be a value that is not an error', async () => {
    const spans = traceHttp();
    const url = await serve(openTelemetry({ includeMessage: true }), () => {
      throw Object.create(null);
    });
    await fetch(url);
    expect(exceptionsOf((await spans.first(1))[0])).toEqual([
      { 'exception.type': 'object', 'exception.message': 'an object' },
    ]);
  });

  it('is recorded if a response cannot be written as JSON', async () => {
    const spans = traceHttp();
    await fetch(
      await serve(
        openTelemetry(),
        createRouter().get('/', () => ({ n: 1n })),
      ),
    );
    const [span] = await spans.first(1);
    expect(span?.name).toBe('GET /');
    expect(exceptionsOf(span)).toHaveLength(1);
  });

  it('is recorded if clients see its message', async () => {
    const spans = traceHttp();
    const router = createRouter().get('/', () => {
      throw new ServiceUnavailableError('No.', { code: 'OVERLOADED', expose: true });
    });
    expect((await fetch(await serve(openTelemetry(), router))).status).toBe(503);
    const [span] = await spans.first(1);
    expect(exceptionsOf(span)).toEqual([{ 'exception.type': 'ServiceUnavailableError' }]);
    expect(span?.attributes['fairlead.error.code']).toBe('OVERLOADED');
  });

  it('fails the span if a stream fails after the head of the response', async () => {
    const spans = traceHttp();
    const router = createRouter().get('/', () =>
      Readable.from(
        (async function* () {
          yield 'one';
          throw new RangeError('two');
        })(),
      ),
    );
    const response = await fetch(await serve(openTelemetry(), router));
    await expect(response.text()).rejects.toThrow();
    const [span] = await spans.first(1);
    expect(span).toMatchObject({
      name: 'GET /',
      attributes: { 'error.type': 'RangeError' },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(exceptionsOf(span)).toEqual([{ 'exception.type': 'RangeError' }]);
  });

  it.each([
    ['a 5xx response', () => Promise.reject(coded('STORE_FULL')), 'STORE_FULL'],
    [
      'a stream that fails',
      async function* () {
        yield 'one';
        throw coded('STORE_GONE');
      },
      'STORE_GONE',
    ],
    [
      'a function that fails after it has written to the raw response',
      (ctx: Context) => {
        ctx.takeOver().writeHead(200).write('one');
        throw coded('STORE_GONE');
      },
      'STORE_GONE',
    ],
    ['an error whose code may be data', () => Promise.reject(coded('ada@b.c')), undefined],
  ])('has its code in the span: %s', async (_, handler, code) => {
    const spans = traceHttp();
    const url = await serve(openTelemetry(), createRouter().get('/', handler));
    await fetch(url)
      .then((response) => response.text())
      .catch(() => 'cut');
    const [span] = await spans.first(1);
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(span?.attributes['fairlead.error.code']).toBe(code);
  });

  it('is recorded once if a stream fails while its client waits', async () => {
    const spans = traceHttp();
    const arrived = Promise.withResolvers<void>();
    const router = createRouter().get('/', async function* () {
      yield 'one';
      await arrived.promise;
      throw new RangeError('two');
    });
    const { body } = await fetch(await serve(openTelemetry(), router));
    const reader = body?.getReader();
    await reader?.read();
    arrived.resolve();
    await expect(reader?.read()).rejects.toThrow();
    expect(exceptionsOf((await spans.first(1))[0])).toEqual([{ 'exception.type': 'RangeError' }]);
  });

  it('is recorded once if openTelemetry() was called twice', async () => {
    openTelemetry();
    const spans = traceHttp();
    await fetch(`${await serve(openTelemetry(), failing())}/users/7`);
    expect(exceptionsOf((await spans.first(1))[0])).toHaveLength(1);
  });

  it('is not recorded if it is the fault of the client, also when it is reported', async () => {
    const spans = traceHttp();
    const router = createRouter().get('/', () => {
      throw new BadRequestError('No.', { expose: false });
    });
    expect((await fetch(await serve(openTelemetry(), router))).status).toBe(400);
    expect((await spans.first(1))[0]).toMatchObject({ name: 'GET /', events: [] });
  });
});

describe('a request without a span', () => {
  it('passes if no SDK is registered', async () => {
    const onWarning = vi.fn();
    const router = createRouter().get('/', ({ state }) => ({ traceId: state.traceId ?? 'none' }));
    const response = await fetch(await serve(openTelemetry({ onWarning }), router));
    expect(await response.json()).toEqual({ traceId: 'none' });
    expect(onWarning).not.toHaveBeenCalled();
  });

  it('is not reported if the instrumentation ignores it', async () => {
    const onWarning = vi.fn();
    const spans = traceHttp({ ignored: '/health' });
    const url = await serve(openTelemetry({ onWarning }), users());
    await fetch(`${url}/health`);
    await fetch(`${url}/users/7`);
    expect(await spans.first(1)).toMatchObject([{ name: 'GET /users/:id' }]);
    expect(onWarning).not.toHaveBeenCalled();
  });

  it('is reported once if the SDK exports nothing', async () => {
    registerSdk(new NoopSpanProcessor());
    const onWarning = vi.fn();
    const url = await serve(openTelemetry({ onWarning }), users());
    for (let count = 0; count < 2; count += 1) await fetch(`${url}/users/7`);
    expect(onWarning.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^The OpenTelemetry SDK exports no spans: .* Remove OTEL_TRACES_EXPORTER=none/,
        ),
      ],
    ]);
  });
});

it('names the span that the instrumentation starts for a request in process within another one', async () => {
  const spans = traceHttp();
  const inner = createApp({ onError: () => undefined })
    .use(openTelemetry())
    .get('/inner/:id', () => Promise.reject(new Error('no database')));
  const router = createRouter().get('/outer', async () => (await inner.request('/inner/7')).text());
  expect((await fetch(`${await serve(openTelemetry(), router)}/outer`)).status).toBe(200);
  const shown = (await spans.first(2)).map(({ name, status, instrumentationScope }) => [
    name,
    status.code,
    instrumentationScope.name,
  ]);
  expect(shown).toEqual([
    ['GET /inner/:id', SpanStatusCode.ERROR, '@opentelemetry/instrumentation-http'],
    ['GET /outer', SpanStatusCode.UNSET, '@opentelemetry/instrumentation-http'],
  ]);
});

it('gives metrics of requests that are not sampled their route, and their trace its id', async () => {
  traceHttp({ sampler: new AlwaysOffSampler() });
  const metadata: unknown[] = [];
  const url = await serve(
    async (_ctx, next) => {
      const current = getRPCMetadata(context.active());
      await next();
      metadata.push(current);
    },
    openTelemetry(),
    createRouter().get('/', ({ state }) => ({ traceId: state.traceId })),
  );
  const response = await fetch(url);
  expect(await response.json()).toEqual({ traceId: expect.stringMatching(/^[\da-f]{32}$/) });
  expect(metadata).toMatchObject([{ type: 'http', route: '/' }]);
});

it('names a server span that no instrumentation of node:http has started', async () => {
  const spans = traceHttp({ ignored: '/users/7' });
  const startSpan: Middleware = (_ctx, next) => {
    const start = () =>
      trace.getTracer('own').startActiveSpan('own', async (span) => {
        await next();
        span.end();
      });
    return context.with(ROOT_CONTEXT, start);
  };
  await fetch(`${await serve(startSpan, openTelemetry(), users())}/users/7`);
  expect(await spans.first(1)).toMatchObject([
    { name: 'GET /users/:id', attributes: { 'http.route': '/users/:id' } },
  ]);
});

it.each([
  [{ includeMessages: true }, "openTelemetry() has no option 'includeMessages'"],
  [{ includeMessage: 1 }, 'includeMessage of openTelemetry() must be true or false'],
  [{ parts: ['handlers'] }, 'parts of openTelemetry() must be'],
  [{ onWarning: 'log' }, 'onWarning of openTelemetry() must be a function'],
])('refuses %j', (options, message) => {
  expect(() => openTelemetry(options as OpenTelemetryOptions)).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    }),
  );
});
