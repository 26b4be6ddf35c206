import {
  createApp,
  createRouter,
  type Middleware,
  NotFoundError,
  ServiceUnavailableError,
} from '@fairlead/core';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { suppressTracing, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findTracingProblem, type OpenTelemetryOptions, openTelemetry } from '../src/index.js';
import { serve } from './support/serve.js';
import { registerSdk } from './support/tracing.js';

/** Registers an SDK without instrumentations, and returns its exporter. */
function record(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  registerSdk(new SimpleSpanProcessor({ exporter }));
  return exporter;
}

async function spansOf(exporter: InMemorySpanExporter, count: number) {
  await expect.poll(() => exporter.getFinishedSpans().length).toBe(count);
  return exporter.getFinishedSpans();
}

describe('without an instrumentation of node:http, the span of a request', () => {
  it('has the name and the attributes of the semantic conventions', async () => {
    const exporter = record();
    const router = createRouter().get('/users/:id', async ({ state }) => ({
      traceId: state.traceId,
      active: trace.getActiveSpan()?.spanContext().traceId,
    }));
    const url = await serve(openTelemetry(), router);
    const response = await fetch(`${url}/users/7?secret=1`, { headers: { 'User-Agent': 'ada' } });
    const [span] = await spansOf(exporter, 1);
    const { port } = new URL(url);
    expect(span).toMatchObject({
      name: 'GET /users/:id',
      kind: SpanKind.SERVER,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/users/:id',
      'http.response.status_code': 200,
      'network.protocol.version': '1.1',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'url.path': '/users/7',
      'url.scheme': 'http',
    });
    const traceId = span?.spanContext().traceId;
    expect(await response.json()).toEqual({ traceId, active: traceId });
  });

  it('is named after the method, or HTTP for a method that nobody knows, and after the route', async () => {
    const exporter = record();
    const app = createApp()
      .use(openTelemetry())
      .all('/files/:name', () => null);
    await app.request('/missing');
    await app.request('/missing', { method: 'PURGE' });
    await app.request('/files/a', { method: 'PURGE' });
    const spans = await spansOf(exporter, 3);
    expect(spans.map(({ name, attributes }) => [name, attributes['http.request.method']])).toEqual([
      ['GET', 'GET'],
      ['HTTP', '_OTHER'],
      ['HTTP /files/:name', '_OTHER'],
    ]);
    expect(spans[0]?.attributes['http.response.status_code']).toBe(404);
  });

  it('continues the trace of its caller', async () => {
    const exporter = record();
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    onTestFinished(() => propagation.disable());
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const app = createApp()
      .use(openTelemetry())
      .get('/', () => 1);
    await app.request('/', { headers: { traceparent: `00-${traceId}-${spanId}-01` } });
    const [span] = await spansOf(exporter, 1);
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.parentSpanContext?.spanId).toBe(spanId);
  });

  it.each([
    [503, new ServiceUnavailableError('No.'), SpanStatusCode.ERROR, 'ServiceUnavailableError'],
    [
      503,
      new ServiceUnavailableError('No.', { expose: true }),
      SpanStatusCode.ERROR,
      'ServiceUnavailableError',
    ],
    [404, new NotFoundError('No.'), SpanStatusCode.UNSET, undefined],
  ])('has the error of a response with %i', async (status, error, code, type) => {
    const exporter = record();
    const app = createApp({ onError: () => undefined })
      .use(openTelemetry())
      .get('/', () => Promise.reject(error));
    expect((await app.request('/')).status).toBe(status);
    const [span] = await spansOf(exporter, 1);
    expect(span).toMatchObject({ status: { code } });
    expect(span?.attributes['error.type']).toBe(type);
  });

  it('has the status as its error type if no error was thrown', async () => {
    const exporter = record();
    const app = createApp()
      .use(openTelemetry())
      .get('/', (ctx) => {
        ctx.status = 502;
        ctx.send('down');
      });
    await app.request('/');
    const [span] = await spansOf(exporter, 1);
    expect(span).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': '502', 'http.response.status_code': 502 },
    });
  });

  it('does not begin where tracing is suppressed', async () => {
    const exporter = record();
    const suppress: Middleware = (_ctx, next) =>
      context.with(suppressTracing(context.active()), next);
    const app = createApp()
      .use(suppress, openTelemetry())
      .get('/', () => 1);
    expect((await app.request('/')).status).toBe(200);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('contains those of its parts, each within the one that runs it', async () => {
    const exporter = record();
    const pass: Middleware = function pass(_ctx, next) {
      return next();
    };
    const validate = (value: unknown) => ({ value });
    const params = { '~standard': { version: 1, vendor: 'test', validate } } as const;
    const app = createApp({ onError: () => undefined })
      .use(openTelemetry({ parts: ['middleware', 'validation', 'handler'] }), pass)
      .get('/:id', { params }, async function show() {
        throw new Error('no database');
      });
    const other = createApp()
      .use(openTelemetry())
      .get('/other', () => 1);
    await other.request('/other');
    expect((await spansOf(exporter, 1)).map(({ name }) => name)).toEqual(['GET /other']);
    exporter.reset();
    await app.request('/7');
    await expect.poll(() => exporter.getFinishedSpans().at(-1)?.kind).toBe(SpanKind.SERVER);
    expect(treeOf(exporter.getFinishedSpans())).toEqual([
      ['validation GET /:id', 'middleware pass', SpanStatusCode.UNSET],
      ['handler show', 'middleware pass', SpanStatusCode.ERROR],
      ['middleware pass', 'GET /:id', SpanStatusCode.ERROR],
      ['GET /:id', undefined, SpanStatusCode.ERROR],
    ]);
  });
});

/** Lists spans in the order of their ends: name, name of the parent, and status. */
function treeOf(spans: readonly ReadableSpan[]) {
  const nameOf = (id: string | undefined) =>
    spans.find((span) => span.spanContext().spanId === id)?.name;
  return spans.map(({ name, parentSpanContext, status }) => [
    name,
    nameOf(parentSpanContext?.spanId),
    status.code,
  ]);
}

describe('a request in process within another request', () => {
  const { ERROR, UNSET } = SpanStatusCode;

  /** An application whose `GET /outer` sends a request that fails. */
  function create(
    options: OpenTelemetryOptions = {},
    within: (send: () => Promise<Response>) => Promise<Response> = (send) => send(),
  ) {
    const app = createApp({ onError: () => undefined }).use(openTelemetry(options));
    app.get('/inner/:id', function inner() {
      throw new Error('no database');
    });
    app.get('/outer', async function outer() {
      const response = await within(() => app.request('/inner/7'));
      return response.text();
    });
    return app;
  }

  const query = (send: () => Promise<Response>): Promise<Response> =>
    trace.getTracer('own').startActiveSpan('query', async (span) => {
      const response = await send();
      await response.clone().text();
      span.end();
      return response;
    });

  it('has its own span', async () => {
    const exporter = record();
    expect((await create().request('/outer')).status).toBe(200);
    expect(treeOf(await spansOf(exporter, 2))).toEqual([
      ['GET /inner/:id', 'GET /outer', ERROR],
      ['GET /outer', undefined, UNSET],
    ]);
  });

  it('ignores headers that name another parent', async () => {
    const exporter = record();
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    onTestFinished(() => propagation.disable());
    const app = createApp().use(openTelemetry());
    app.get('/inner', () => 1);
    app.get('/outer', async ({ req }) => {
      const { traceparent } = req.headers;
      return (await app.request('/inner', { headers: { traceparent: `${traceparent}` } })).text();
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await app.request('/outer', { headers: { traceparent } });
    expect(treeOf(await spansOf(exporter, 2))).toEqual([
      ['GET /inner', 'GET /outer', UNSET],
      ['GET /outer', undefined, UNSET],
    ]);
  });

  it('leaves a span that the handler has started as it is', async () => {
    const exporter = record();
    await create({}, query).request('/outer');
    expect(treeOf(await spansOf(exporter, 3))).toEqual([
      ['GET /inner/:id', 'query', ERROR],
      ['query', 'GET /outer', UNSET],
      ['GET /outer', undefined, UNSET],
    ]);
  });

  it('leaves such a span as it is within the span of an instrumentation', async () => {
    const exporter = record();
    const app = create({}, query);
    const response = trace.getTracer('own').startActiveSpan('own', async (span) => {
      const { status } = await app.request('/outer');
      span.end();
      return status;
    });
    expect(await response).toBe(200);
    expect(treeOf(await spansOf(exporter, 3))).toEqual([
      ['GET /inner/:id', 'query', ERROR],
      ['query', 'GET /outer', UNSET],
      ['GET /outer', undefined, UNSET],
    ]);
  });

  it('has its parts within its own span', async () => {
    const exporter = record();
    await create({ parts: ['handler'] }).request('/outer');
    expect(treeOf(await spansOf(exporter, 4))).toEqual([
      ['handler inner', 'GET /inner/:id', ERROR],
      ['GET /inner/:id', 'GET /outer', ERROR],
      ['handler outer', 'GET /outer', UNSET],
      ['GET /outer', undefined, UNSET],
    ]);
  });
});

it('keeps the span of a request that passes openTelemetry() twice', async () => {
  const exporter = record();
  const router = createRouter()
    .use(openTelemetry())
    .get('/', () => 1);
  const app = createApp().use(openTelemetry()).route('/', router);
  await app.request('/');
  await app.request('/');
  expect((await spansOf(exporter, 2)).map(({ name }) => name)).toEqual(['GET /', 'GET /']);
});

describe('findTracingProblem', () => {
  it('finds an SDK without an exporter', () => {
    const exporter = record();
    expect(findTracingProblem()).toBeUndefined();
    expect(exporter.getFinishedSpans()).toEqual([]);
    trace.disable();
    trace.setGlobalTracerProvider({ getTracer: vi.fn(), _activeSpanProcessor: {} } as never);
    expect(findTracingProblem()).toBeUndefined();
    trace.disable();
    trace.setGlobalTracerProvider({
      getTracer: vi.fn(),
      _activeSpanProcessor: { _spanProcessors: [] },
    } as never);
    expect(findTracingProblem()).toMatch(/^The OpenTelemetry SDK exports no spans/);
  });
});
