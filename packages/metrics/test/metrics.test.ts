import { once } from 'node:events';
import { connect } from 'node:net';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  InvalidPatternError,
  intended,
  listen,
  NotFoundError,
  type Router,
  ServiceUnavailableError,
  SetupError,
} from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
import { createDocument } from '@fairlead/openapi';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  register as defaultRegistry,
  Gauge,
  type OpenMetricsContentType,
  type PrometheusContentType,
  Registry,
} from 'prom-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMetrics, type MetricsOptions } from '../src/index.js';

/** Creates metrics of requests only. */
function create(options: MetricsOptions = {}) {
  return createMetrics({ processMetrics: false, ...options });
}

/** Listens on a free port until the test finishes. */
async function serve(app: Application): Promise<string> {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server.url;
}

/** Returns the number of requests by labels, as `{method="GET",route="/",status="200"} 1`. */
async function countsOf(registry: Pick<Registry, 'metrics'>): Promise<string[]> {
  const text = await registry.metrics();
  const lines = text.matchAll(/^http_request_duration_seconds_count(.*)$/gm);
  return [...lines].map(([, line = '']) => line);
}

/** Returns the number of failed requests by labels. */
async function failuresOf(registry: Pick<Registry, 'metrics'>): Promise<string[]> {
  const text = await registry.metrics();
  const lines = text.matchAll(/^http_request_failures_total(.*)$/gm);
  return [...lines].map(([, line = '']) => line);
}

describe('the counter of failures', () => {
  it('has the code of the error behind each response of 500 or above', async () => {
    const metrics = create();
    const app = createApp()
      .use(metrics.middleware, errorHandler({ onError: () => {} }))
      .get('/full', () => {
        throw new ServiceUnavailableError('Full.', { code: 'STORE_FULL' });
      })
      .get('/broken', () => {
        throw new Error('Broken.');
      })
      .get('/status', (ctx) => {
        ctx.status = 502;
      });
    for (const path of ['/full', '/broken', '/status', '/missing']) await app.request(path);
    await expect.poll(() => countsOf(metrics.registry)).toHaveLength(4);
    expect(await failuresOf(metrics.registry)).toEqual([
      '{method="GET",route="/full",status="503",code="STORE_FULL"} 1',
      '{method="GET",route="/broken",status="500",code="INTERNAL_SERVER_ERROR"} 1',
      '{method="GET",route="/status",status="502",code="none"} 1',
    ]);
  });
});

/** Returns the number of requests of deprecated routes by labels. */
async function deprecatedOf(registry: Pick<Registry, 'metrics'>): Promise<string[]> {
  const text = await registry.metrics();
  const lines = text.matchAll(/^http_deprecated_requests_total(.*)$/gm);
  return [...lines].map(([, line = '']) => line);
}

describe('the counter of requests of deprecated routes', () => {
  const deprecated = { since: '2026-01-31' };

  it('has the caller that the option names, and none for others', async () => {
    const caller = vi.fn((ctx: Context) => ctx.get('X-Client'));
    const metrics = create({ caller });
    const app = createApp({ versions: createVersions({ header: 'X-Api-Version', default: '1' }) })
      .use(metrics.middleware)
      .get('/users', { version: '1', deprecated }, () => [])
      .get('/users', { version: '2' }, () => [])
      .post('/users', { deprecated: true }, () => [])
      .get('/others', { deprecated: false }, () => []);
    const send = (path: string, client: string, init: RequestInit = {}) =>
      app.request(path, { ...init, headers: { 'X-Client': client, ...init.headers } });
    await send('/users', 'billing');
    await send('/users', 'billing');
    await send('/users', '');
    await send('/users', 'billing', { headers: { 'X-Api-Version': '2' } });
    await send('/users', 'shop', { method: 'POST' });
    await send('/others', 'shop');
    await send('/missing', 'shop');
    await expect
      .poll(() => deprecatedOf(metrics.registry))
      .toEqual([
        '{method="GET",route="/users",caller="billing"} 2',
        '{method="GET",route="/users",caller="none"} 1',
        '{method="POST",route="/users",caller="shop"} 1',
      ]);
    expect(caller).toHaveBeenCalledTimes(4);
  });

  it('counts requests without the option', async () => {
    const metrics = create();
    const app = createApp()
      .use(metrics.middleware)
      .get('/', { deprecated }, () => 1);
    await app.request('/');
    await expect
      .poll(() => deprecatedOf(metrics.registry))
      .toEqual(['{method="GET",route="/",caller="none"} 1']);
  });

  it('counts the callers after the first 100, and long names, as others', async () => {
    const metrics = create({ caller: (ctx) => ctx.query.client });
    const app = createApp()
      .use(metrics.middleware)
      .get('/', { deprecated }, () => 1);
    await app.request(`/?client=${'x'.repeat(101)}`);
    for (let number = 0; number < 102; number += 1) await app.request(`/?client=${number}`);
    await app.request('/?client=7');
    await expect.poll(() => deprecatedOf(metrics.registry)).toHaveLength(101);
    const counts = await deprecatedOf(metrics.registry);
    expect(counts).toContain('{method="GET",route="/",caller="7"} 2');
    expect(counts).toContain('{method="GET",route="/",caller="other"} 3');
  });
});

describe('the histogram', () => {
  it('has the method, the full pattern and the status of each request', async () => {
    const metrics = create();
    const app = createApp()
      .use(metrics.middleware, errorHandler())
      .route(
        '/api',
        createRouter().get('/users/:id', ({ params }) => params),
      )
      .post('/', (ctx) => {
        ctx.status = 201;
      })
      .get('/broken', () => {
        throw new Error('Broken.');
      });
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const url = await serve(app);
    await fetch(`${url}/api/users/1`);
    await fetch(`${url}/api/users/2`);
    await fetch(`${url}/api/users/2`, { method: 'HEAD' });
    await fetch(url, { method: 'POST' });
    await fetch(url, { method: 'QUERY' });
    await fetch(`${url}/missing`);
    await fetch(`${url}/broken`);
    await expect
      .poll(() => countsOf(metrics.registry))
      .toEqual([
        '{method="GET",route="/api/users/:id",status="200"} 2',
        '{method="HEAD",route="/api/users/:id",status="200"} 1',
        '{method="POST",route="/",status="201"} 1',
        '{method="QUERY",route="none",status="405"} 1',
        '{method="GET",route="none",status="404"} 1',
        '{method="GET",route="/broken",status="500"} 1',
      ]);
    expect(log).toHaveBeenCalledTimes(1);
  });

  it('counts uncommon methods as one', async () => {
    const metrics = create();
    const url = await serve(createApp().use(metrics.middleware));
    await fetch(url, { method: 'PROPFIND' });
    await fetch(url, { method: 'MKCOL' });
    await expect
      .poll(() => countsOf(metrics.registry))
      .toEqual(['{method="other",route="none",status="404"} 2']);
  });

  it('measures until the response has ended', async () => {
    const metrics = create();
    const end = Promise.withResolvers<void>();
    const url = await serve(
      createApp()
        .use(metrics.middleware)
        .get('/', async function* () {
          yield 'first';
          await end.promise;
        }),
    );
    const response = await fetch(url);
    expect(await countsOf(metrics.registry)).toEqual([]);
    end.resolve();
    await response.text();
    await expect.poll(() => countsOf(metrics.registry)).toHaveLength(1);
  });

  it('counts a client that left before the response as 499', async () => {
    const metrics = create();
    const arrived = Promise.withResolvers<void>();
    const url = await serve(
      createApp()
        .use(metrics.middleware)
        .get('/', async ({ signal }) => {
          arrived.resolve();
          await once(signal, 'abort');
          return 1;
        }),
    );
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await arrived.promise;
    socket.destroy();
    await expect
      .poll(() => countsOf(metrics.registry))
      .toEqual(['{method="GET",route="/",status="499"} 1']);
  });

  it('counts a response that the client did not read to its end as 499', async () => {
    const metrics = create();
    const url = await serve(
      createApp()
        .use(metrics.middleware)
        .get('/', async function* ({ signal }) {
          yield 'first';
          await once(signal, 'abort');
        }),
    );
    const abort = new AbortController();
    await fetch(url, { signal: abort.signal });
    abort.abort();
    await expect
      .poll(() => countsOf(metrics.registry))
      .toEqual(['{method="GET",route="/",status="499"} 1']);
    expect(await failuresOf(metrics.registry)).toEqual([]);
  });

  it.each([
    ['500', 'STORE_FAILED', Object.assign(new Error('Failed.'), { code: 'STORE_FAILED' })],
    ['503', 'STORE_GONE', new ServiceUnavailableError('Gone.', { code: 'STORE_GONE' })],
    ['500', 'NOT_FOUND', new NotFoundError('Not found.')],
    ['500', 'INTERNAL_SERVER_ERROR', 'not an Error'],
    ['500', 'INTERNAL_SERVER_ERROR', Object.assign(new Error('No.'), { code: 'ada@example.com' })],
  ])(
    'counts a response that an error cut off as %s, with the code %s',
    async (status, code, error) => {
      const metrics = create();
      const url = await serve(
        createApp({ onError: () => {} })
          .use(metrics.middleware)
          .get('/', async function* () {
            yield 'first';
            throw error;
          }),
      );
      const response = await fetch(url);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      const labels = `method="GET",route="/",status="${status}"`;
      await expect.poll(() => countsOf(metrics.registry)).toEqual([`{${labels}} 1`]);
      expect(await failuresOf(metrics.registry)).toEqual([`{${labels},code="${code}"} 1`]);
    },
  );

  it('measures in seconds', async () => {
    const metrics = create();
    const start = performance.now();
    await createApp().use(metrics.middleware).request('/');
    await expect.poll(() => countsOf(metrics.registry)).toHaveLength(1);
    const elapsed = (performance.now() - start) / 1_000;
    const [, sum] = /_sum\{.*\} (.*)/.exec(await metrics.registry.metrics()) ?? [];
    expect(Number(sum)).toBeGreaterThan(0);
    expect(Number(sum)).toBeLessThan(elapsed);
  });

  it('has buckets from 1 ms to 10 s by default', async () => {
    const metrics = create();
    await createApp().use(metrics.middleware).request('/');
    await expect.poll(() => countsOf(metrics.registry)).toHaveLength(1);
    const bounds = [...(await metrics.registry.metrics()).matchAll(/le="(.*?)"/g)];
    expect(bounds.map(([, bound]) => bound).join(' ')).toBe(
      '0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf',
    );
  });

  it('leaves out requests that skip returns true for', async () => {
    const metrics = create({ skip: ({ pattern }) => pattern === '/metrics' });
    const app = createApp()
      .use(metrics.middleware)
      .get('/', () => 1)
      .route('/', metrics.router());
    await app.request('/metrics');
    await app.request('/');
    await expect
      .poll(() => countsOf(metrics.registry))
      .toEqual(['{method="GET",route="/",status="200"} 1']);
    expect(await metrics.registry.metrics()).toContain('http_requests_in_flight 0');
  });

  it('adds up across processes', async () => {
    const metrics = create();
    await createApp().use(metrics.middleware).request('/');
    await expect.poll(() => countsOf(metrics.registry)).toHaveLength(1);
    const one = await metrics.registry.getMetricsAsJSON();
    const both = AggregatorRegistry.aggregate<PrometheusContentType>([one, one]);
    expect(await countsOf(both)).toEqual(['{method="GET",route="none",status="404"} 2']);
    expect(await both.metrics()).toContain(
      '_bucket{le="+Inf",method="GET",route="none",status="404"} 2',
    );
  });

  it('starts again after the registry was reset, and has its default labels', async () => {
    const metrics = create();
    const app = createApp().use(metrics.middleware);
    await app.request('/');
    await expect.poll(() => countsOf(metrics.registry)).toHaveLength(1);
    metrics.registry.resetMetrics();
    expect(await countsOf(metrics.registry)).toEqual([]);
    metrics.registry.setDefaultLabels({ app: 'api' });
    await app.request('/');
    await expect
      .poll(() => countsOf(metrics.registry))
      .toEqual(['{app="api",method="GET",route="none",status="404"} 1']);
  });
});

it('a WebSocket connection is in flight, but not in the histogram', async () => {
  const metrics = create();
  const app = createApp()
    .use(metrics.middleware)
    .get('/chat', (ctx) => {
      const { socket } = ctx.upgrade();
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      socket.resume().once('end', () => socket.end());
    });
  const { port } = new URL(await serve(app));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  await once(socket, 'data');
  const gauge = () => metrics.registry.getSingleMetricAsString('http_requests_in_flight');
  expect(await gauge()).toMatch(/ 1$/);
  socket.destroy();
  await expect.poll(gauge).toMatch(/ 0$/);
  expect(await countsOf(metrics.registry)).toEqual([]);
});

it('http_requests_in_flight is the number of requests in progress', async () => {
  const metrics = create();
  const arrived = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const url = await serve(
    createApp()
      .use(metrics.middleware)
      .get('/', async () => {
        arrived.resolve();
        await end.promise;
        return 1;
      }),
  );
  const gauge = () => metrics.registry.getSingleMetricAsString('http_requests_in_flight');
  const response = fetch(url);
  await arrived.promise;
  expect(await gauge()).toMatch(/\nhttp_requests_in_flight 1$/);
  end.resolve();
  await response;
  await expect.poll(gauge).toMatch(/\nhttp_requests_in_flight 0$/);
});

describe('the route', () => {
  it('responds with the metrics of the registry', async () => {
    const metrics = create();
    new Counter({
      name: 'orders_total',
      help: 'Number of orders.',
      registers: [metrics.registry],
    }).inc(3);
    const url = await serve(createApp().use(metrics.middleware).route('/', metrics.router()));
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    expect(text).toContain('\norders_total 3\n');
    expect(text).toContain('\nhttp_requests_in_flight 1\n');
  });

  it('responds in the format of the registry', async () => {
    const registry = new Registry<OpenMetricsContentType>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const metrics = createMetrics({ registry, processMetrics: false });
    const app = createApp().use(metrics.middleware).route('/', metrics.router());
    await app.request('/');
    await expect.poll(() => countsOf(metrics.registry)).toHaveLength(1);
    const response = await app.request('/metrics');
    expect(response.headers.get('content-type')).toBe(Registry.OPENMETRICS_CONTENT_TYPE);
    expect(await response.text()).toMatch(/# EOF\n$/);
  });

  it('serves another path, and HEAD', async () => {
    const app = createApp().route('/', create().router('/internal/metrics'));
    const response = await app.request('/internal/metrics', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    expect(() => create().router('/:')).toThrow(InvalidPatternError);
  });

  it('responds with a logged 500 when a metric cannot be collected', async () => {
    const metrics = create();
    const failure = new Error('No pool.');
    new Gauge({
      name: 'pool_connections',
      help: 'Number of connections.',
      registers: [metrics.registry],
      collect: () => Promise.reject(failure),
    });
    const onError = vi.fn();
    const url = await serve(
      createApp().use(errorHandler({ onError })).route('/', metrics.router()),
    );
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('No pool.');
    expect(onError.mock.calls).toEqual([[failure, expect.anything()]]);
  });

  it('is hidden from OpenAPI documents', () => {
    const app = createApp().route('/', create().router());
    expect(createDocument(app, { info: { title: 'API', version: '1' } }).paths).toEqual({});
  });
});

describe('the registry', () => {
  it('measures the process by default', async () => {
    const { registry } = createMetrics();
    expect(await registry.metrics()).toContain('\nprocess_cpu_seconds_total ');
    expect(await create().registry.metrics()).not.toContain('process_cpu_seconds_total');
  });

  it('keeps process metrics that it already has', () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const present = registry.getSingleMetric('process_cpu_seconds_total');
    createMetrics({ registry });
    createMetrics({ registry });
    expect(registry.getSingleMetric('process_cpu_seconds_total')).toBe(present);
  });

  it('is separate for each call without one', async () => {
    const [one, other] = [create(), create()];
    await createApp().use(one.middleware).request('/');
    await expect.poll(() => countsOf(one.registry)).toHaveLength(1);
    expect(await countsOf(other.registry)).toEqual([]);
  });

  it('can be shared, and then has the requests of both applications', async () => {
    const registry = new Registry();
    for (const buckets of [[1, 2], undefined, [1, 2]]) {
      const metrics = create({ registry, ...(buckets && { buckets }) });
      await createApp().use(metrics.middleware).request('/');
    }
    await expect
      .poll(() => countsOf(registry))
      .toEqual(['{method="GET",route="none",status="404"} 3']);
  });

  it('cannot be shared with other buckets', () => {
    const { registry } = create();
    expect(() => create({ registry, buckets: [1, 2] })).toThrow(
      new SetupError(
        'INVALID_OPTION',
        'createMetrics() cannot use these buckets: an earlier call has added http_request_duration_seconds to the registry with other buckets. Pass the same buckets, or another registry.',
      ),
    );
  });

  it.each(['http_request_duration_seconds', 'http_requests_in_flight'])(
    'must not have another metric with the name %s',
    (name) => {
      const registry = new Registry();
      new Gauge({ name, help: 'Another metric.', registers: [registry] });
      expect(() => create({ registry })).toThrow(
        new SetupError(
          'METRIC_CONFLICT',
          `createMetrics() cannot add ${name}: the registry has another metric of this name. Rename that metric, or pass another registry.`,
        ),
      );
    },
  );

  it('rejects a number whose name it has', () => {
    const { register } = create();
    const number = { name: 'jobs', help: 'Jobs.', type: 'gauge', value: () => 1 } as const;
    register([number]);
    expect(() => register([number])).toThrow(
      new SetupError(
        'METRIC_CONFLICT',
        'register() cannot add jobs: the registry has another metric of this name. Rename that metric, or pass another registry.',
      ),
    );
  });

  it('gets new metrics after it was cleared', async () => {
    const registry = new Registry();
    create({ registry });
    registry.clear();
    await createApp().use(create({ registry }).middleware).request('/');
    await expect.poll(() => countsOf(registry)).toHaveLength(1);
  });
});

describe('options', () => {
  it.each([
    [{ bucket: [1] }, "createMetrics() has no option 'bucket'. Did you mean 'buckets'?"],
    [
      { registry: {} },
      'registry of createMetrics() must be a prom-client Registry: got an object.',
    ],
    [
      { registry: { registerMetric() {}, metrics() {} } },
      'registry of createMetrics() must be a prom-client Registry: got an object.',
    ],
    [{ processMetrics: 1 }, 'processMetrics of createMetrics() must be true or false: got 1.'],
    [{ skip: '/metrics' }, "skip of createMetrics() must be a function: got '/metrics'."],
    [
      { buckets: [2, 1] },
      'buckets of createMetrics() must be an array of positive numbers in ascending order: got [2, 1].',
    ],
  ])('refuses %o', (options, message) => {
    const error = new SetupError('INVALID_OPTION', message);
    expect(() => createMetrics(options as MetricsOptions)).toThrow(error);
  });

  it.each([[[]], [[1, 1]], [[0, 1]], [['1']], [[1, Number.POSITIVE_INFINITY]], [5]])(
    'refuses the buckets %o',
    (buckets) => {
      expect(() => createMetrics({ buckets } as MetricsOptions)).toThrow('ascending order');
    },
  );
});

it('reports a skip function that throws, and still counts the request as finished', async () => {
  const metrics = create({
    skip() {
      throw new Error('No skip.');
    },
  });
  const onError = vi.fn();
  await createApp().use(metrics.middleware, errorHandler({ onError })).request('/');
  await expect.poll(() => onError.mock.calls.map(([error]) => error.message)).toEqual(['No skip.']);
  expect(await metrics.registry.metrics()).toContain('http_requests_in_flight 0');
});

describe('register()', () => {
  it('exports numbers as they are when the metrics are collected', async () => {
    const { register, registry } = create();
    const jobs = {
      waiting: 3,
      value() {
        return this.waiting;
      },
    };
    register([
      Object.assign(jobs, { name: 'jobs_waiting', help: 'Waiting jobs.', type: 'gauge' as const }),
      { name: 'jobs_total', help: 'All jobs.', type: 'counter', value: () => 7 },
    ]);
    for (jobs.waiting of [3, 2]) {
      const text = await registry.metrics();
      expect(text).toContain(`# HELP jobs_waiting Waiting jobs.
# TYPE jobs_waiting gauge
jobs_waiting ${jobs.waiting}

# HELP jobs_total All jobs.
# TYPE jobs_total counter
jobs_total 7
`);
    }
  });

  it.each([
    [
      { name: 'jobs-waiting' },
      /^name of a metric must be letters.*: register\(\) got 'jobs-waiting'/,
    ],
    [{ name: undefined }, /^name of a metric must be letters.* got undefined/],
    [{ help: '' }, /^help of a metric must be a non-empty string: register\(\) got ''/],
    [
      { type: 'histogram' },
      /^type of a metric must be 'counter' or 'gauge': register\(\) got 'histogram'/,
    ],
    [{ value: 7 }, /^value of a metric must be a function: register\(\) got 7/],
  ])('rejects %o', (member, message) => {
    const number = { name: 'jobs', help: 'Jobs.', type: 'gauge', value: () => 1, ...member };
    expect(() => create().register([number as never])).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(message) }),
    );
  });
});

describe('metrics that nothing exports', () => {
  const warningsOf = ({ middleware }: Pick<ReturnType<typeof create>, 'middleware'>) => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emit.mockRestore());
    createApp()
      .use(middleware)
      .get('/', () => 1)
      .seal();
    return emit.mock.calls.map(([message]) => message);
  };

  /** The warnings of two requests. */
  const warningsOfRequests = async (
    { middleware }: Pick<ReturnType<typeof create>, 'middleware'>,
    exportLater = () => {},
  ) => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emit.mockRestore());
    const app = createApp()
      .use(middleware)
      .get('/', () => 1);
    app.seal();
    exportLater();
    await app.request('/');
    await app.request('/');
    return emit.mock.calls.map(([message]) => message);
  };

  it('cause a warning at the first request', async () => {
    expect(await warningsOfRequests(create())).toEqual([
      expect.stringContaining(
        'createMetrics() measures requests, but nothing exports its metrics. Mount its router(), or pass its middleware to intended() if you export its registry yourself, or later.\n  At: test/metrics.test.ts:',
      ),
    ]);
  });

  it('cause none if an application exports them that is created later, or if they are intended', async () => {
    const metrics = create();
    const exportLater = () => createApp().route('/', metrics.router()).seal();
    expect(await warningsOfRequests(metrics, exportLater)).toEqual([]);
    expect(await warningsOfRequests({ middleware: intended(create().middleware) })).toEqual([]);
  });

  it('cause a warning at the first export if no application measures requests', async () => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emit.mockRestore());
    const exportOf = async (router: Router) => {
      const app = createApp().route('/', router);
      for (const _ of [1, 2]) await app.request('/metrics');
      return emit.mock.calls.splice(0).map(([message]) => message);
    };
    expect(await exportOf(create().router())).toEqual([
      expect.stringContaining(
        'The router() of createMetrics() exports no metrics of requests, because no application has its middleware. Register metrics.middleware first, or pass the router to intended() if you measure no requests.\n  At: test/metrics.test.ts:',
      ),
    ]);
    expect(await exportOf(intended(create().router()))).toEqual([]);
    expect(await exportOf(create({ registry: new Registry() }).router())).toEqual([]);
    const own = create();
    own.register([]);
    expect(await exportOf(own.router())).toEqual([]);
    const measured = create();
    createApp().use(measured.middleware).seal();
    expect(await exportOf(measured.router())).toEqual([]);
  });

  const addToDefault = () => {
    new Counter({ name: 'orders_total', help: 'Orders.' });
    onTestFinished(() => defaultRegistry.clear());
  };

  it('cause a warning if they are in the default registry of prom-client', () => {
    addToDefault();
    expect(warningsOf(create({ registry: new Registry() }))).toEqual([
      expect.stringContaining(
        'createMetrics() does not export the default registry of prom-client, which has orders_total. Create these metrics with registers: [metrics.registry], or pass the middleware to intended() if something else exports them.\n  At: ',
      ),
    ]);
  });

  it('cause none in the default registry if a call has received it', () => {
    addToDefault();
    const all = [create({ registry: defaultRegistry }), create({ registry: new Registry() })];
    expect(all.flatMap(warningsOf)).toEqual([]);
  });

  it('cause a warning about buckets in milliseconds', () => {
    for (const buckets of [
      [0.5, 600],
      [10, 60],
      [1, 60, 3_600],
    ])
      expect(warningsOf(create({ buckets }))).toEqual([]);
    expect(warningsOf(create({ buckets: [50, 100, 1_000] }))).toEqual([
      expect.stringContaining(
        'The buckets of createMetrics() are from 50 to 1000 seconds. If you mean milliseconds, divide by 1,000; otherwise pass the middleware to intended().',
      ),
    ]);
  });

  it('cause a warning if the middleware runs twice for a route', () => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emit.mockRestore());
    const seal = (middleware: ReturnType<typeof create>['middleware']) =>
      createApp()
        .use(middleware)
        .get('/a', middleware, () => 1)
        .get('/b', () => 1)
        .seal();
    seal(create().middleware);
    expect(emit.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining(
        'The middleware of createMetrics() measures each request twice, for example to GET /a. Register it once, or pass it to intended().',
      ),
    ]);
    seal(intended(create().middleware));
    expect(emit.mock.calls).toHaveLength(1);
  });

  it('cause none if they are intended, or the registry or the router is used', async () => {
    const [routed, read, marked] = [create(), create(), create()];
    routed.router();
    read.registry.setDefaultLabels({});
    intended(marked.middleware);
    const all = [routed, read, marked, create({ registry: new Registry() })];
    for (const one of all) expect(await warningsOfRequests(one)).toEqual([]);
  });
});

it('a route with one method and one status has 16 series by default', async () => {
  const metrics = create();
  const app = createApp()
    .use(metrics.middleware)
    .get('/users/:id', () => 'Ada');
  for (const id of ['1', '2']) await (await app.request(`/users/${id}`)).text();
  const text = await metrics.registry.metrics();
  expect(text.match(/^http_request_duration_seconds_.*$/gm)).toHaveLength(16);
});

it('a message about the route of the metrics shows the call of router()', () => {
  const { router } = createMetrics({ processMetrics: false });
  const app = createApp()
    .get('/metrics', () => 'mine')
    .route('/', router());
  expect(() => app.seal()).toThrow(
    /\n {2}At: test\/metrics\.test\.ts:\d+:\d+\n {2}At: test\/metrics\.test\.ts:/,
  );
});
