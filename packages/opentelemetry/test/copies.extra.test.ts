import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Runs the packages from source. */
const FROM_SOURCE = ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'];

/** Starts and ends the spans of requests with the copy of the API that has registered the SDK. */
const START_SPANS = `
const { emit } = Server.prototype;
Server.prototype.emit = function (event, req, res) {
  const run = () => emit.apply(this, arguments);
  if (event !== 'request') return run();
  const span = api.trace.getTracer('own').startSpan(req.method);
  res.on('close', () => span.end());
  return api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, span), run);
};
`;

/** Instruments node:http with version 1.10 of the API. */
const INSTRUMENT = `
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
new HttpInstrumentation();
require('node:http');
`;

/**
 * Runs a traced application for one request, in its own process.
 *
 * @param copy - The package of the API that registers the SDK.
 * @param instrumentation - Code that traces requests.
 */
async function run(copy: string, instrumentation: string) {
  const program = `
    import { Server } from 'node:http';
    import { createRequire } from 'node:module';
    import { createApp, listen } from '@fairlead/core';
    import { findTracingProblem, flushTelemetry, openTelemetry } from '@fairlead/opentelemetry';
    import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
    import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

    const require = createRequire(import.meta.url);
    const api = require('${copy}');
    const exported = [];
    const exporter = {
      export(spans, done) {
        exported.push(...spans.map(({ name, attributes }) => [name, attributes['http.route']]));
        done({ code: 0 });
      },
      shutdown: async () => undefined,
    };
    const spanProcessors = [new BatchSpanProcessor({ exporter })];
    api.trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ${instrumentation}
    const app = createApp().use(openTelemetry());
    app.get('/users/:id', ({ state }) => ({ isTraced: state.traceId !== undefined }));
    const server = await listen(app, 0);
    const { isTraced } = await (await fetch(server.url + '/users/7')).json();
    await server.close();
    await flushTelemetry(60_000);
    console.log(JSON.stringify({ problem: findTracingProblem(), isTraced, exported }));
  `;
  const args = [...FROM_SOURCE, '--input-type=module', '--eval', program];
  const cwd = join(import.meta.dirname, '..');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
  return { ...JSON.parse(stdout), warning: stderr };
}

describe('an SDK that another copy of @opentelemetry/api has registered', () => {
  it.each([
    'opentelemetry-api-1.0',
    'opentelemetry-api-1.4',
    'opentelemetry-api-1.9',
    '@opentelemetry/api',
  ])('gets routes, and exports its last spans: %s', async (copy) => {
    expect(await run(copy, START_SPANS)).toEqual({
      isTraced: true,
      exported: [['GET /users/:id', '/users/:id']],
      warning: '',
    });
  });

  it('gets a span of openTelemetry() if a newer copy ignores the SDK, so that the instrumentation starts none', async () => {
    expect(await run('opentelemetry-api-1.4', INSTRUMENT)).toEqual({
      isTraced: true,
      exported: [['GET /users/:id', '/users/:id']],
      warning: '',
    });
  });

  it('is reported as missing if it is refused, because a copy with another version was used before', async () => {
    const useOther = `
      api.trace.disable();
      require('@opentelemetry/api').trace.setGlobalTracerProvider(new TracerProvider());
    `;
    expect(await run('opentelemetry-api-1.9', useOther)).toMatchObject({
      problem: expect.stringContaining('@opentelemetry/api 1.9.1 was used before the SDK'),
      isTraced: false,
    });
  });
});
