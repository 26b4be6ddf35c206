import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../src/config/config.js';
import { createService } from '../src/service.js';
import { hasTracingSdk, traceRequests } from '../src/tracing/trace-requests.js';
import { openTracing } from '../src/tracing/tracing.js';
import { startService } from './support/api.js';
import { APP } from './support/built-program.js';
import { freePort } from './support/free-port.js';
import { captureLog } from './support/log.js';
import { type ServiceProcess, startProcess } from './support/service-process.js';
import { STORES } from './support/stores.js';
import { temporaryFolder } from './support/temporary-folder.js';

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

/** Registers an SDK that shuts down like this, for the rest of the running test. */
function registerShutdown(shutdown: () => Promise<void>): void {
  const onSpan = () => undefined;
  const processor = { onStart: onSpan, onEnd: onSpan, forceFlush: async () => {}, shutdown };
  new NodeTracerProvider({ spanProcessors: [processor] }).register();
}

const warning = expect.objectContaining({
  level: 'warn',
  msg: expect.stringMatching(/^failed to export/),
});

/** Starts a receiver of traces for the running test and returns its URL. */
async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts the service with the SDK of the README, has it trace a request, and sends SIGTERM. */
async function stopTraced(endpoint: string): Promise<ServiceProcess> {
  const folder = temporaryFolder();
  const readme = readFileSync(join(APP, 'README.md'), 'utf8');
  const [, sdk = ''] = /^```js\n(\/\/ otel\.mjs.*?)^```/ms.exec(readme) ?? [];
  writeFileSync(join(folder, 'otel.mjs'), sdk);
  symlinkSync(join(APP, 'node_modules'), join(folder, 'node_modules'));
  const service = startProcess({
    DATABASE_URL: 'memory:',
    TRACING: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    NODE_OPTIONS: `--import ${pathToFileURL(join(folder, 'otel.mjs'))}`,
  });
  await fetch(`${await service.url}/api/users`);
  service.kill('SIGTERM');
  return service;
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
    await (await openTracing(logger)).close(1);
    expect(hasTracingSdk()).toBe(false);
    expect(lines.all).toMatchObject([{ level: 'warn', msg: expect.stringContaining('--import') }]);
  });

  it('exports the last spans when it is closed', async () => {
    const shutdowns: string[] = [];
    registerShutdown(async () => void shutdowns.push('shutdown'));
    const { logger, lines } = captureLog();
    await (await openTracing(logger)).close(60_000);
    expect(shutdowns).toEqual(['shutdown']);
    expect(lines.all).toEqual([]);
  });

  it.each([
    ['never ends', () => new Promise<void>(() => {}), 'No response within 1 ms.'],
    ['fails', () => Promise.reject(new Error('Refused.')), 'Refused.'],
  ])('closes with a warning when the export %s', async (_, shutdown, message) => {
    registerShutdown(shutdown);
    const { logger, lines } = captureLog();
    await (await openTracing(logger)).close(1);
    expect(lines.all).toMatchObject([
      { level: 'warn', msg: expect.stringMatching(/^failed to export/), err: { message } },
    ]);
  });
});

describe('a service that stops', () => {
  it('gives the export half of the time that is left of SHUTDOWN_TIMEOUT', async () => {
    registerShutdown(() => new Promise<void>(() => {}));
    const { logger, lines } = captureLog();
    const closing: ((remaining: number) => unknown)[] = [];
    const onClose = (callback: (remaining: number) => unknown) => void closing.push(callback);
    const { signal: stopping } = new AbortController();
    const config = readConfig({ DATABASE_URL: 'memory:', TRACING: 'on' });
    await createService({ stopping, onClose }, config, logger);
    for (const close of closing.toReversed()) await close(100);
    const [, limit] = /within (\d+) ms/.exec(JSON.stringify(lines.all)) ?? [];
    expect(Number(limit)).toBe(50);
  });

  it('exports its last spans before it ends', async () => {
    const exported = Promise.withResolvers<string | undefined>();
    const endpoint = await receiver(({ url }, response) => {
      exported.resolve(url);
      response.end();
    });
    const service = await stopTraced(endpoint);
    expect(await exported.promise).toBe('/v1/traces');
    expect((await service.ended).code).toBe(0);
    expect(service.log.all).toEqual(expect.not.arrayContaining([warning]));
  });

  it.each([
    ['accepts spans and never answers', () => receiver(() => {})],
    ['refuses connections', async () => `http://127.0.0.1:${await freePort()}`],
  ])('ends with 0 and a warning when the receiver of traces %s', async (_, endpoint) => {
    const service = await stopTraced(await endpoint());
    expect((await service.ended).code).toBe(0);
    expect(service.log.all).toContainEqual(warning);
  });
});
