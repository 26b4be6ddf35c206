import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { freePort } from '@fairlead/test-support/free-port';
import { describe, expect, it, onTestFinished } from 'vitest';
import { APP } from './support/built-program.js';
import { type ServiceProcess, startProcess } from './support/service-process.js';
import { postgresUrl } from './support/stores.js';
import { temporaryFolder } from './support/temporary-folder.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const warning = expect.objectContaining({
  level: 'warn',
  msg: expect.stringMatching(/^Cannot export the last telemetry/),
});

/** Starts a server for the running test and returns its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A span as a receiver of OTLP in JSON gets it. */
interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly events: readonly unknown[];
}

interface Export {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly unknown[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** Starts a receiver of traces for the running test. */
async function receiveTraces() {
  const exports: Export[] = [];
  const endpoint = await serve(async (req, res) => {
    exports.push((await json(req)) as Export);
    res.setHeader('Content-Type', 'application/json').end('{}');
  });
  return {
    endpoint,
    resources: () => exports.flatMap(({ resourceSpans = [] }) => resourceSpans),
    spans: () =>
      exports
        .flatMap(({ resourceSpans = [] }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  };
}

/** Starts the service with the SDK of the README. */
function startTraced(endpoint: string, database = 'memory:'): ServiceProcess {
  const folder = temporaryFolder();
  const readme = readFileSync(join(APP, 'README.md'), 'utf8');
  const [, sdk = ''] = /^```js\n(\/\/ telemetry\.mjs.*?)^```/ms.exec(readme) ?? [];
  writeFileSync(join(folder, 'telemetry.mjs'), sdk);
  symlinkSync(join(APP, 'node_modules'), join(folder, 'node_modules'));
  return startProcess({
    DATABASE_URL: database,
    TRACING: 'on',
    OTEL_SERVICE_NAME: 'users',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    NODE_OPTIONS: `--import ${pathToFileURL(join(folder, 'telemetry.mjs'))}`,
  });
}

/** Sends SIGTERM, and returns how the process ended. */
function stop(service: ServiceProcess): ServiceProcess['ended'] {
  service.kill('SIGTERM');
  return service.ended;
}

const attributesOf = ({ attributes }: ReceivedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('the service with the SDK of the README', () => {
  it('exports a span for each request, named after its route, before it ends', async () => {
    const traces = await receiveTraces();
    const service = startTraced(traces.endpoint);
    const url = await service.url;
    const headers = { traceparent: PARENT };
    await fetch(`${url}/api/users/nobody?secret=1`, { headers });
    for (const path of ['/api/v1/users', '/none', '/health/live', '/metrics']) {
      await (await fetch(`${url}${path}`)).text();
    }
    expect(await stop(service)).toMatchObject({ code: 0 });

    expect(traces.spans().map(({ name }) => name)).toEqual([
      'GET /api/users/:id',
      'GET /api/v1/users',
      'GET',
    ]);
    const [span] = traces.spans();
    expect(span).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
    });
    expect(Object.keys(attributesOf(span as ReceivedSpan)).sort()).toEqual([
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'network.peer.port',
      'network.protocol.version',
      'server.address',
      'server.port',
      'url.path',
      'url.scheme',
    ]);
    expect(traces.resources()[0]?.resource.attributes).toContainEqual({
      key: 'service.name',
      value: { stringValue: 'users' },
    });
    expect(await service.log.first('request', 1)).toMatchObject([{ traceId: span?.traceId }]);
    expect(service.log.all).toEqual(expect.not.arrayContaining([warning]));
  });

  it('exports the queries of PostgreSQL as children of their request', async () => {
    const traces = await receiveTraces();
    const service = startTraced(traces.endpoint, await postgresUrl());
    await (await fetch(`${await service.url}/api/users`)).text();
    await stop(service);
    const spans = traces.spans();
    const request = spans.find(({ name }) => name === 'GET /api/users');
    const queries = spans.filter(({ name }) => name.startsWith('pg.query:'));
    expect(new Set(queries.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set([request?.spanId]),
    );
  });

  it.each([
    ['accepts spans and never answers', () => serve(() => undefined)],
    ['refuses connections', async () => `http://127.0.0.1:${await freePort()}`],
  ])('ends with 0 and a warning when the receiver of traces %s', async (_, endpoint) => {
    const service = startTraced(await endpoint());
    await fetch(`${await service.url}/api/users`);
    expect((await stop(service)).code).toBe(0);
    expect(service.log.all).toContainEqual(warning);
  });
});

describe('TRACING', () => {
  it('logs a warning at the start when no SDK is registered, and none at the end', async () => {
    const service = startProcess({
      DATABASE_URL: 'memory:',
      TRACING: 'on',
      NODE_ENV: 'production',
    });
    await service.url;
    expect(await stop(service)).toMatchObject({ code: 0 });
    expect(service.log.all.filter(({ level }) => level === 'warn')).toMatchObject([
      { msg: expect.stringMatching(/^No OpenTelemetry SDK is registered\. .* --import/) },
    ]);
  });
});
