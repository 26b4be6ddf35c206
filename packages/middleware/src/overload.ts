import { AsyncLocalStorage } from 'node:async_hooks';
import { getHeapStatistics } from 'node:v8';
import {
  type Context,
  InternalServerError,
  type Middleware,
  type Next,
  ServiceUnavailableError,
} from '@fairlead/core';
import {
  assertOptions,
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  type Placement,
} from '@fairlead/core/extend';
import {
  describeValue,
  fn,
  integer,
  type Kinds,
  kind,
  milliseconds,
  named,
} from '@fairlead/options';
import { type Clock, Gate, type Running } from './overload/gate.js';
import { PRIORITIES, type Priority } from './overload/queue.js';
import { Turns } from './overload/turns.js';

export type { Priority } from './overload/queue.js';

/** Options of {@link overload}. */
export interface OverloadOptions {
  /** The number of requests that may run: an integer of at least 1. By default it adapts to how long requests take. */
  readonly limit?: number;
  /** The most milliseconds that a request waits until it runs: an integer of at least 0. Default 500. */
  readonly wait?: number;
  /** Returns which requests run first when some have to wait. Default `normal` for all. */
  readonly priority?: (ctx: Context) => Priority;
  /** Whether to let a request pass without counting it. */
  readonly skip?: (ctx: Context) => boolean;
  /** The first part of the names of the metrics: lower-case letters, digits and underscores. Default `overload`. */
  readonly name?: string;
}

/** A number that `register()` of @fairlead/metrics exports. */
export interface OverloadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  value(): number;
}

/** The middleware that {@link overload} returns. */
export interface Overload extends Middleware {
  /** The limit, and the requests that run, that wait and that were rejected. */
  readonly metrics: readonly OverloadMetric[];
}

const OVERLOAD_OPTIONS: Kinds<OverloadOptions> = {
  limit: integer(1),
  wait: milliseconds,
  priority: fn,
  skip: fn,
  name: kind(
    'lower-case letters, digits and underscores, with a letter first',
    (value) => typeof value === 'string' && /^[a-z][a-z\d_]*$/.test(value),
  ),
};

/** Seconds after which a client may try again. */
const RETRY_AFTER = 1;

/** The time of the event loop, which all gates without a fixed limit share. */
const turns = new Turns((callback) => void setImmediate(callback));

const clock: Clock = {
  now: () => performance.now(),
  after: (delay, callback) => void setTimeout(callback, delay).unref(),
  heap: () => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    return used_heap_size / heap_size_limit;
  },
};

/**
 * Keeps a service responsive when it receives more requests than it can serve: lets as many run as finish in about their
 * usual time, lets the others wait briefly, and rejects them with 503 `OVERLOADED` and `Retry-After`. Also gives other
 * connections a turn between requests that keep the event loop busy. In normal use, no request waits.
 *
 * A request counts until its functions have settled, or until its response has ended or its connection was upgraded. A
 * stream that a handler returns does not count.
 *
 * The middleware throws a {@link ServiceUnavailableError} 503 `OVERLOADED`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function overload(options: OverloadOptions = {}): Overload {
  assertOptions('overload()', options, OVERLOAD_OPTIONS);
  const { limit, wait = 500, priority, skip, name = 'overload' } = options;
  const gate = new Gate(limit, wait, clock, limit === undefined ? turns : undefined);
  const middleware: Middleware = named('overload', (ctx, next) => {
    if (skip?.(ctx)) return next();
    if (gate.isOpen()) return run(gate, ctx, next);
    return runLater(gate, ctx, next, readPriority(priority, ctx));
  });
  const check = ({ routes }: Placement) => (skip === undefined ? findProbes(routes) : undefined);
  const described = describe(middleware, { role: 'middleware', check, sends: SENDS });
  return Object.assign(described, { metrics: metricsOf(gate, name) });
}

describeFactories(overload);

const SENDS = {
  responses: {
    503: {
      description: 'The service is overloaded.',
      headers: {
        'Retry-After': {
          description: 'The seconds until the next request can succeed.',
          schema: { type: 'integer', minimum: 1 },
        },
      },
    },
  },
};

/** A request whose functions have not settled. */
class Request implements Running {
  readonly #gate: Gate;
  readonly #ctx: Context;
  readonly #start: number;

  constructor(gate: Gate, ctx: Context, start: number) {
    this.#gate = gate;
    this.#ctx = ctx;
    this.#start = start;
  }

  isOpen(): boolean {
    return !this.#ctx.res.closed && this.#ctx.status !== 101;
  }

  readonly succeed = (): void => {
    this.#gate.leave(this, this.#start, this.#ctx.pattern ?? '');
  };

  readonly fail = (): void => {
    this.#gate.leave(this, this.#start, undefined);
  };
}

/** Runs the functions of a request, and counts it unless they have settled at once. */
function run(gate: Gate, ctx: Context, next: Next): void | Promise<void> {
  const start = gate.now();
  let result: void | Promise<void>;
  try {
    result = next();
  } finally {
    gate.use(start);
  }
  if (typeof result?.then !== 'function') return;
  const request = new Request(gate, ctx, start);
  gate.enter(request);
  result.then(request.succeed, request.fail);
  return result;
}

/** Runs the functions of a request once the gate lets it. */
function runLater(gate: Gate, ctx: Context, next: Next, priority: Priority): Promise<void> {
  const restore = AsyncLocalStorage.snapshot();
  return new Promise((resolve, reject) => {
    const waiting = {
      since: gate.now(),
      isOpen: () => !ctx.res.closed,
      run() {
        try {
          resolve(restore(run, gate, ctx, next));
        } catch (error) {
          reject(error);
        }
      },
      reject: () => reject(overloaded()),
    };
    gate.add(waiting, priority);
  });
}

function overloaded(): ServiceUnavailableError {
  return new ServiceUnavailableError('The service is overloaded. Try again later.', {
    code: 'OVERLOADED',
    retryAfter: RETRY_AFTER,
    expose: true,
  });
}

function readPriority(priority: OverloadOptions['priority'], ctx: Context): Priority {
  if (priority === undefined) return 'normal';
  const value: unknown = priority(ctx);
  const found = PRIORITIES.find((each) => each === value);
  if (found !== undefined) return found;
  throw new InternalServerError(
    `The priority function of overload() returned ${describeValue(value)}. Return 'high', 'normal' or 'low'.`,
    { code: 'INVALID_PRIORITY' },
  );
}

/** Finds a route for operators that is rejected like any other, so that an orchestrator ends a healthy process. */
function findProbes(routes: Placement['routes']): Doubt | undefined {
  for (const { method, pattern, after } of routes) {
    const found = after.map(descriptionOf).find((one) => one?.forOperators !== undefined);
    if (found === undefined) continue;
    const message = `overload() may reject ${method} ${pattern}, which is for ${found.forOperators}. Mount its router before overload(), pass skip, or pass the result of overload() to intended().`;
    return { code: 'FAIRLEAD_ORDER', message };
  }
  return undefined;
}

function metricsOf(gate: Gate, name: string): readonly OverloadMetric[] {
  const gauge = (part: string, help: string, value: () => number): OverloadMetric =>
    Object.freeze({ name: `${name}_${part}`, help, type: 'gauge', value });
  const counter = (part: string, help: string, value: () => number): OverloadMetric =>
    Object.freeze({ name: `${name}_${part}_total`, help, type: 'counter', value });
  return Object.freeze([
    gauge('limit', 'Number of requests that may run.', () => gate.limit),
    gauge('running', 'Number of requests that run.', () => gate.running),
    gauge('queued', 'Number of requests that wait.', () => gate.queued),
    counter('rejected_late', 'Requests that waited too long.', () => gate.rejected.late),
    counter(
      'rejected_full',
      'Requests rejected because too many waited.',
      () => gate.rejected.full,
    ),
  ]);
}
