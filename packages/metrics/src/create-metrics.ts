import {
  type AnyContext,
  type Context,
  createRouter,
  isHttpError,
  type Middleware,
  type RequestOutcome,
  type Router,
  SetupError,
} from '@fairlead/core';
import {
  assertOptions,
  type Doubt,
  describe,
  describeFactories,
  isDeprecated,
  type RoutePlacement,
  takeProblem,
} from '@fairlead/core/extend';
import {
  atLine,
  boolean,
  captureCaller,
  describeValue,
  fn,
  formatLocation,
  hasMethods,
  hiddenRouteAt,
  isIntended,
  type Kinds,
  kind,
  nonEmptyString,
  oneOf,
  publicReason,
  warn,
} from '@fairlead/options';
import {
  Counter,
  collectDefaultMetrics,
  register as defaultRegistry,
  Gauge,
  Histogram,
  type PrometheusContentType,
  Registry,
  type RegistryContentType,
} from 'prom-client';

/** Options of {@link createMetrics}. */
export interface MetricsOptions<Format extends RegistryContentType = PrometheusContentType> {
  /** Where to register the metrics. Default: a new registry. */
  readonly registry?: Registry<Format>;
  /** Upper bounds of the histogram's buckets in seconds, in ascending order. Default: 1 ms to 10 s. */
  readonly buckets?: readonly number[];
  /** Whether to measure the process: memory, CPU time, event loop, garbage collection. Default true. */
  readonly processMetrics?: boolean;
  /**
   * Called when the response is complete, with `ctx.pattern` set. Return true to leave the request out of
   * the histogram and the counters.
   */
  readonly skip?: (ctx: Context) => boolean;
  /**
   * Called when the response to a request of a deprecated route is complete. Returns the verified name of the program
   * that sent it, such as the ID of an OAuth client; undefined for `none`. Never return what identifies a person. The
   * first 100 names become labels, the others count as `other`.
   */
  readonly caller?: (ctx: Context) => string | undefined;
}

/** A number that {@link Metrics.register} exports. */
export interface NumberMetric {
  /** Name in Prometheus format, such as `store_waiting_writes`. */
  readonly name: string;
  /** Describes the number, in the `# HELP` line. */
  readonly help: string;
  /** A counter never decreases while the process runs. A gauge may. */
  readonly type: 'counter' | 'gauge';
  /** Returns the current value. */
  value(): number;
}

/** The metrics of an application. */
export interface Metrics<Format extends RegistryContentType = PrometheusContentType> {
  /** The prom-client Registry. Register your own metrics in it. */
  readonly registry: Registry<Format>;
  /** Measures the requests that reach it. Add it before middleware that responds. */
  readonly middleware: Middleware;
  /**
   * Exports numbers that something else keeps, such as the `metrics` of @fairlead/store. They are read when
   * the metrics are collected.
   *
   * @throws {SetupError} `INVALID_OPTION`, when a member of a number is missing or invalid; `METRIC_CONFLICT`,
   *   when the registry has another metric of the same name.
   */
  readonly register: (numbers: Iterable<NumberMetric>) => void;
  /**
   * Creates a router with a GET route for Prometheus. The route is hidden from OpenAPI documents. It responds
   * with 500 when a metric cannot be collected.
   *
   * @param path - Path of the route. Default `/metrics`.
   * @throws {InvalidPatternError} When the path is invalid.
   * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
   */
  readonly router: (path?: string, options?: MetricsRouteOptions) => Router;
}

/** Options of {@link Metrics.router}. */
export interface MetricsRouteOptions {
  /** Why everyone may read the metrics, for `createApp({ access: 'declared' })`. */
  readonly public?: string;
}

const ROUTE_OPTIONS: Kinds<MetricsRouteOptions> = { public: publicReason };

/** A registry that writes any format. */
type AnyRegistry = Registry<RegistryContentType>;

type AnyOptions = MetricsOptions<RegistryContentType>;

/** Bounds of the buckets in seconds, from an in-memory lookup to a typical client timeout. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const DURATIONS = 'http_request_duration_seconds';
const FAILURES = 'http_request_failures_total';
const IN_FLIGHT = 'http_requests_in_flight';
const DEPRECATED = 'http_deprecated_requests_total';

/** Route label of requests without a route. Their paths are unbounded, so they cannot be labels. */
const NO_ROUTE = 'none';

/** Methods that become labels. @see RFC 9110 §9.3; RFC 5789; RFC 10008 */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'QUERY',
]);

const CODE = /^[A-Z][A-Z\d_]{0,63}$/;

/** Method label of all other requests. */
const OTHER_METHOD = 'other';

/** The maximum number of callers that become labels. */
const MAX_CALLERS = 100;

/** The maximum length of a caller that becomes a label. */
const MAX_CALLER_LENGTH = 100;

const METRICS_OPTIONS: Kinds<AnyOptions> = {
  registry: kind(
    'a prom-client Registry',
    hasMethods('registerMetric', 'getSingleMetric', 'metrics'),
  ),
  buckets: kind('an array of positive numbers in ascending order', isBuckets),
  processMetrics: boolean,
  skip: fn,
  caller: fn,
};

function isBuckets(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((bound, index) => Number.isFinite(bound) && bound > (value[index - 1] ?? 0));
}

const UNEXPORTED =
  'createMetrics() measures requests, but nothing exports its metrics. Mount its router(), or pass its middleware to intended() if you export its registry yourself, or later.';

const UNMEASURED =
  'The router() of createMetrics() exports no metrics of requests, because no application has its middleware. Register metrics.middleware first, or pass the router to intended() if you measure no requests.';

/**
 * Measures the requests of an application for Prometheus:
 *
 * - the histogram `http_request_duration_seconds` with the labels `method`, `route` and `status`, from the
 *   middleware to the end of the response;
 * - the counter `http_request_failures_total` of statuses of 500 and above, with these labels and `code`;
 * - the counter `http_deprecated_requests_total` of requests of deprecated routes, with the labels `method`, `route`
 *   and `caller`;
 * - the gauge `http_requests_in_flight`.
 *
 * `route` is the full pattern of the route, or `none` if no route matched or middleware of the application
 * responded before. `status` is the one that was sent. If the client did not receive the whole response, it is
 * 499, or 500 or more if an error cut the response off. `code` is that of the error, such as `STORE_FULL`,
 * `INTERNAL_SERVER_ERROR` if it has none, or `none` without an error. Uncommon methods count as `other`. Applications that share a registry share the
 * metrics.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid, or the metrics in the
 *   registry have other buckets; `METRIC_CONFLICT`, when the registry has another metric of the same name.
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createMetrics<Format extends RegistryContentType = PrometheusContentType>(
  options: MetricsOptions<Format> = {},
): Metrics<Format> {
  assertOptions<AnyOptions>('createMetrics()', options, METRICS_OPTIONS);
  const {
    registry = new Registry<Format>(),
    buckets,
    processMetrics = true,
    skip,
    caller,
  } = options;
  const requests = findRequests(registry, buckets) ?? addRequests(registry, buckets ?? BUCKETS);
  if (processMetrics) addProcessMetrics(registry);

  // Whoever has the registry can export it.
  let isExported = options.registry !== undefined;
  let isChecked = false;
  /** Called for the first request, because an application that is created later may export the metrics. */
  const warnIfUnexported = () => {
    isChecked = true;
    isMeasured = true;
    if (isExported || isIntended(measure)) return;
    warn('FAIRLEAD_OPTION', `${UNEXPORTED}${atLine(measure)}`);
  };
  /** Whether there may be metrics besides those of the process. */
  let isMeasured = options.registry !== undefined;
  const measure: Middleware = function metrics(ctx, next) {
    const start = performance.now();
    if (!isChecked) warnIfUnexported();
    requests.inFlight += 1;
    ctx.onFinish((outcome) => {
      requests.inFlight -= 1;
      // A WebSocket connection lasts until it closes.
      if (outcome.status === 101 || skip?.(ctx)) return;
      const method = METHODS.has(ctx.method) ? ctx.method : OTHER_METHOD;
      const seconds = (performance.now() - start) / 1_000;
      const status = statusOf(outcome);
      const labels = { method, route: ctx.pattern ?? NO_ROUTE, status };
      requests.durations.observe(labels, seconds);
      if (isDeprecated(ctx)) {
        const name = nameOf(requests.callers, caller?.(ctx));
        requests.deprecated.inc({ method, route: labels.route, caller: name });
      }
      if (status >= 500) requests.failures.inc({ ...labels, code: codeOf(outcome.error) });
    });
    return next();
  };
  const warning = () => (isExported ? describeUnexported() : undefined);

  return Object.freeze({
    get registry() {
      isExported = true;
      isMeasured = true;
      return registry;
    },
    middleware: describe(measure, {
      name: 'the middleware of createMetrics()',
      role: 'middleware',
      warning: () => describeBuckets(buckets) ?? warning(),
      check: ({ routes }) => {
        isMeasured = true;
        return findSecondMeasure(measure, routes);
      },
    }),
    register(numbers) {
      isMeasured = true;
      for (const number of numbers) addNumber(registry, number);
    },
    router: function router(path = '/metrics', options: MetricsRouteOptions = {}) {
      assertOptions('router() of createMetrics()', options, ROUTE_OPTIONS);
      isExported = true;
      const locate = captureCaller(router);
      const hidden = hiddenRouteAt(locate, options.public);
      const created = createRouter();
      /** Called for a request, because an application that is created later may have the middleware. */
      const warnIfUnmeasured = () => {
        if (![created, measure].some(isIntended))
          warn('FAIRLEAD_OPTION', UNMEASURED + formatLocation(locate));
        isMeasured = true;
      };
      const respond = async function metrics(ctx: AnyContext) {
        if (!isMeasured) warnIfUnmeasured();
        const text = await registry.metrics();
        ctx.set('Content-Type', registry.contentType);
        ctx.set('Cache-Control', 'no-store');
        ctx.send(text);
      };
      describe(respond, { name: 'createMetrics()', forOperators: 'metrics' });
      const problem = takeProblem(created, () => created.get(path, hidden, respond));
      if (problem !== undefined) throw problem;
      return created;
    },
  } satisfies Metrics<Format>);
}

/** Warns about bounds that were probably meant in milliseconds. */
function describeBuckets(buckets: readonly number[] = BUCKETS): string | undefined {
  const [first = 0, last = 0] = [buckets[0], buckets.at(-1)];
  if (first < 5 || last < 100) return undefined;
  return `The buckets of createMetrics() are from ${first} to ${last} seconds. If you mean milliseconds, divide by 1,000; otherwise pass the middleware to intended().`;
}

/** Finds a route whose requests the middleware measures twice. */
function findSecondMeasure(
  measure: Middleware,
  routes: readonly RoutePlacement[],
): Doubt | undefined {
  const route = routes.find(({ after }) => after.includes(measure));
  if (route === undefined) return undefined;
  const message = `The middleware of createMetrics() measures each request twice, for example to ${route.method} ${route.pattern}. Register it once, or pass it to intended().`;
  return { code: 'FAIRLEAD_OPTION', message };
}

/** Returns the status label. A response that was cut off does not count as a success. */
function statusOf({ status, aborted, error }: RequestOutcome): number {
  if (!aborted || status >= 400) return status;
  if (error === undefined) return 499;
  return isHttpError(error) && error.status >= 500 ? error.status : 500;
}

/** Returns the label of an error: its code, if it has the form of a Fairlead or Node.js code. */
function codeOf(error: unknown): string {
  if (error === undefined) return 'none';
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && CODE.test(code) ? code : 'INTERNAL_SERVER_ERROR';
}

/** Returns the label of a caller. */
function nameOf(known: Set<string>, caller: string | undefined): string {
  if (caller === undefined || caller === '') return 'none';
  if (known.has(caller)) return caller;
  if (known.size >= MAX_CALLERS || caller.length > MAX_CALLER_LENGTH) return 'other';
  known.add(caller);
  return caller;
}

/** The metrics of requests in a registry. */
interface Requests {
  readonly durations: Histogram;
  readonly failures: Counter;
  readonly deprecated: Counter;
  /** The callers that are labels. */
  readonly callers: Set<string>;
  /** Upper bounds of the buckets in seconds. */
  readonly bounds: readonly number[];
  inFlight: number;
}

/** The metrics that each histogram belongs to. */
const known = new WeakMap<object, Requests>();

/** Returns the metrics that an earlier call has added to a registry, unless they were removed. */
function findRequests(registry: AnyRegistry, buckets?: readonly number[]): Requests | undefined {
  const existing = registry.getSingleMetric(DURATIONS);
  const requests = existing && known.get(existing);
  if (requests === undefined || buckets === undefined) return requests;
  if (String(buckets) === String(requests.bounds)) return requests;
  throw new SetupError(
    'INVALID_OPTION',
    `createMetrics() cannot use these buckets: an earlier call has added ${DURATIONS} to the registry with other buckets. Pass the same buckets, or another registry.`,
  );
}

function addRequests(registry: AnyRegistry, bounds: readonly number[]): Requests {
  for (const name of [DURATIONS, FAILURES, DEPRECATED, IN_FLIGHT])
    assertFree('createMetrics()', registry, name);
  const durations = new Histogram({
    name: DURATIONS,
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [...bounds],
    registers: [],
  });
  const failures = new Counter({
    name: FAILURES,
    help: 'Responses with a status of 500 or above, or that an error cut off.',
    labelNames: ['method', 'route', 'status', 'code'],
    registers: [],
  });
  const deprecated = new Counter({
    name: DEPRECATED,
    help: 'Requests of deprecated routes, by caller.',
    labelNames: ['method', 'route', 'caller'],
    registers: [],
  });
  const requests = {
    ...{ durations, failures, deprecated, bounds: Object.freeze([...bounds]) },
    callers: new Set<string>(),
    inFlight: 0,
  };
  known.set(durations, requests);
  registry.registerMetric(durations);
  registry.registerMetric(failures);
  registry.registerMetric(deprecated);
  const inFlight = new Gauge({
    name: IN_FLIGHT,
    help: 'Number of requests in progress.',
    registers: [],
    collect() {
      this.set(requests.inFlight);
    },
  });
  registry.registerMetric(inFlight);
  return requests;
}

/** Warns about metrics in the default registry of prom-client, unless another call has the registry to export. */
function describeUnexported(): string | undefined {
  const names = defaultRegistry.getMetricsAsArray().map(({ name }) => name);
  if (names.length === 0 || findRequests(defaultRegistry) !== undefined) return undefined;
  const listed = names.length > 3 ? `${names.slice(0, 3).join(', ')} and others` : names.join(', ');
  return `createMetrics() does not export the default registry of prom-client, which has ${listed}. Create these metrics with registers: [metrics.registry], or pass the middleware to intended() if something else exports them.`;
}

const NUMBER_METRIC: Required<Kinds<NumberMetric>> = {
  name: kind(
    'letters, digits, underscores and colons, without a digit at the start',
    (value) => typeof value === 'string' && /^[a-z_:][\w:]*$/i.test(value),
  ),
  help: nonEmptyString,
  type: oneOf('counter', 'gauge'),
  value: fn,
};

/** @throws {SetupError} `INVALID_OPTION` or `METRIC_CONFLICT` */
function addNumber(registry: AnyRegistry, metric: NumberMetric): void {
  const { name, help, type } = metric;
  for (const member of ['name', 'help', 'type', 'value'] as const) {
    const { accepts, description } = NUMBER_METRIC[member];
    if (accepts(metric[member])) continue;
    throw new SetupError(
      'INVALID_OPTION',
      `${member} of a metric must be ${description}: register() got ${describeValue(metric[member])}.`,
    );
  }
  assertFree('register()', registry, name);
  const Metric = type === 'counter' ? Counter : Gauge;
  const exported = new Metric({
    name,
    help,
    registers: [],
    collect() {
      this.reset();
      this.inc(metric.value());
    },
  });
  registry.registerMetric(exported);
}

/** @throws {SetupError} `METRIC_CONFLICT` */
function assertFree(call: string, registry: AnyRegistry, name: string): void {
  if (registry.getSingleMetric(name) === undefined) return;
  throw new SetupError(
    'METRIC_CONFLICT',
    `${call} cannot add ${name}: the registry has another metric of this name. Rename that metric, or pass another registry.`,
  );
}

/** Measures the process, unless the registry already has these metrics. */
function addProcessMetrics(registry: AnyRegistry): void {
  if (registry.getSingleMetric('process_cpu_seconds_total') !== undefined) return;
  collectDefaultMetrics({ register: registry });
}

describeFactories(createMetrics);
