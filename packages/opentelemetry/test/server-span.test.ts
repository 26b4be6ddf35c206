import {
  createApp,
  createRouter,
  type Middleware,
  NotFoundError,
  ServiceUnavailableError,
} from '@fairlead/core';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { suppressTracing, W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findTracingProblem, openTelemetry } from '../src/index.js';
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

  it('is named after the method without a route, and HTTP for a method that nobody knows', async () => {
    const exporter = record();
    const app = createApp().use(openTelemetry());
    await app.request('/missing');
    await app.request('/missing', { method: 'PURGE' });
    const spans = await spansOf(exporter, 2);
    expect(spans.map(({ name, attributes }) => [name, attributes['http.request.method']])).toEqual([
      ['GET', 'GET'],
      ['HTTP', '_OTHER'],
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
    const spans = exporter.getFinishedSpans();
    const nameOf = (id: string | undefined) =>
      spans.find((span) => span.spanContext().spanId === id)?.name;
    const tree = spans.map((span) => [span.name, nameOf(span.parentSpanContext?.spanId)]);
    expect(tree).toEqual([
      ['validation GET /:id', 'middleware pass'],
      ['handler show', 'middleware pass'],
      ['middleware pass', 'GET /:id'],
      ['GET /:id', undefined],
    ]);
    expect(spans.map(({ status }) => status.code)).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.ERROR,
      SpanStatusCode.ERROR,
      SpanStatusCode.ERROR,
    ]);
  });
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
