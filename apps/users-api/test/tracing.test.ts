import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { hasTracingSdk, traceRequests } from '../src/tracing/trace-requests.js';
import { openTracing } from '../src/tracing/tracing.js';
import { startService } from './support/api.js';
import { captureLog } from './support/log.js';
import { STORES } from './support/stores.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

/** Registers the SDK for the rest of the running test. */
function registerSdk(): void {
  provider.register();
}

afterEach(() => {
  exporter.reset();
  trace.disable();
  context.disable();
  propagation.disable();
});
afterAll(() => provider.shutdown());

/** The spans of the requests that were answered. */
async function spansOf(count: number) {
  await expect.poll(() => exporter.getFinishedSpans().length).toBeGreaterThanOrEqual(count);
  return exporter.getFinishedSpans();
}

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a traced request', () => {
  it('is a server span of its method and route, below the one that its headers name', async () => {
    registerSdk();
    const { logger, lines } = captureLog();
    const url = await startService({ tracing: traceRequests(), logger });
    await fetch(`${url}/api/users/nobody?secret=1`, { headers: { traceparent: PARENT } });
    const [span] = await spansOf(1);
    expect(span).toMatchObject({
      name: 'GET /api/users/:id',
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/api/users/:id',
        'http.response.status_code': 404,
        'url.path': '/api/users/nobody',
        'url.scheme': 'http',
        'network.protocol.version': '1.1',
      },
      status: { code: SpanStatusCode.UNSET },
      parentSpanContext: { spanId: 'b7ad6b7169203331' },
    });
    expect(span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(await lines.first('request', 1)).toMatchObject([
      { traceId: '0af7651916cd43dd8448eb211c80319c' },
    ]);
    expect(JSON.stringify(span?.attributes)).not.toContain('secret');
  });

  it('is named by its method alone where no route matched', async () => {
    registerSdk();
    await fetch(`${await startService({ tracing: traceRequests() })}/elsewhere`);
    expect(await spansOf(1)).toMatchObject([{ name: 'GET' }]);
  });

  it('is an error at 500', async () => {
    registerSdk();
    const store = await STORES.memory();
    const url = await startService({ store, tracing: traceRequests() });
    await store.close();
    await fetch(`${url}/api/users`);
    expect(await spansOf(1)).toMatchObject([
      { status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': '500' } },
    ]);
  });

  it('is the parent of what its handler does', async () => {
    registerSdk();
    const memory = await STORES.memory();
    const page: typeof memory.page = async (slice) => {
      await Promise.resolve();
      trace.getTracer('test').startSpan('query').end();
      return memory.page(slice);
    };
    const store = new Proxy(memory, {
      get: (target, name) => (name === 'page' ? page : Reflect.get(target, name).bind(target)),
    });
    await fetch(`${await startService({ store, tracing: traceRequests() })}/api/users?page=1`);
    const [query, request] = await spansOf(2);
    expect(query?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  });

  it('makes no span without the middleware', async () => {
    registerSdk();
    await fetch(`${await startService()}/api/users`);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});

describe('openTracing', () => {
  it('warns when the process has no SDK', async () => {
    const { logger, lines } = captureLog();
    await (await openTracing(logger)).close();
    expect(hasTracingSdk()).toBe(false);
    expect(lines.all).toMatchObject([{ level: 'warn', msg: expect.stringContaining('--import') }]);
  });

  it('hands on the last spans when it is closed', async () => {
    const exported: string[] = [];
    const sdk = new NodeTracerProvider({
      spanProcessors: [
        {
          onStart: () => undefined,
          onEnd: () => undefined,
          forceFlush: async () => undefined,
          shutdown: async () => void exported.push('shutdown'),
        },
      ],
    });
    sdk.register();
    const { logger, lines } = captureLog();
    await (await openTracing(logger)).close();
    expect(exported).toEqual(['shutdown']);
    expect(lines.all).toEqual([]);
  });
});
