import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import {
  type AnyContext,
  type Context,
  InternalServerError,
  type Middleware,
  ServiceUnavailableError,
  TooManyRequestsError,
} from '@fairlead/core';
import {
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  type Placement,
  type RoutePlacement,
  type SentDescription,
  throwTogether,
} from '@fairlead/core/extend';
import {
  arrayOf,
  atLine,
  describeValue,
  either,
  findOptionProblems,
  fn,
  hasMethods,
  integer,
  type Kinds,
  kind,
  named,
  nonEmptyString,
  oneOf,
  reporterOf,
  warn,
} from '@fairlead/options';
import { networkOf } from './network-of.js';
import { COUNTS, MemoryStore, type RateLimitStore } from './store.js';

/** What a limit knows about a client after it has counted a request. */
export interface RateLimitState {
  /** Whether the request was within the limit. */
  readonly allowed: boolean;
  /** The points that the client has in a window. */
  readonly limit: number;
  /** The points that are left in the window. */
  readonly remaining: number;
  /** The time until the window ends: whole seconds, at least 1. */
  readonly reset: number;
}

/** The result of a limiter from rate-limiter-flexible. */
export interface RateLimiterResult {
  /** The number of points left in the window. */
  readonly remainingPoints: number;
  /** The time until the window ends, in milliseconds. */
  readonly msBeforeNext: number;
}

/** Counts requests. Any limiter from rate-limiter-flexible with a single result works. */
export interface RateLimiter {
  /** The limit of the limiter, if it has one. */
  readonly points?: number;
  /** The window of the limiter in seconds, if it has one. */
  readonly duration?: number;
  /** Counts a request. Rejects with the state of the key when the limit is exceeded. */
  consume(key: string, points?: number): Promise<RateLimiterResult>;
  /** Gives points back. Required only for limits that count failures. */
  reward?(key: string, points?: number): Promise<unknown>;
}

/** Options of {@link rateLimit} and {@link rateLimitGuard}. */
export interface RateLimitOptions {
  /**
   * The points that a key has in one window: an integer of at least 1, or a function that returns an integer
   * of at least 0 for a request. A request costs one point by default.
   */
  readonly points: number | ((ctx: Context) => number | Promise<number>);
  /** The length of a window in seconds: a whole number from 1 to 2,147,483 (24 days). */
  readonly duration: number;
  /** Returns the key that a request counts towards: not empty. Default: the network of `ctx.ip`. */
  readonly key?: (ctx: Context) => string | Promise<string>;
  /**
   * The points that a request costs: an integer of at least 1, or a function that returns an integer of at
   * least 0 for a request. Default 1.
   */
  readonly cost?: number | ((ctx: Context) => number | Promise<number>);
  /** Whether to let a request pass without counting it. */
  readonly skip?: (ctx: Context) => boolean | Promise<boolean>;
  /**
   * Names of middleware or guards, one of which must run before, because `key`, `points`, `cost` or `skip` reads what it
   * sets, such as `SignedIn` or `auth.middleware`. The start warns if none does.
   */
  readonly after?: string | readonly string[];
  /**
   * Whether to count `all` requests or only `failures`: responses of status 400 or higher, and those that
   * were aborted. A request counts until its response has succeeded. Default `all`.
   */
  readonly count?: 'all' | 'failures';
  /** The policy name in the headers and in a store: printable ASCII without `"` and `\`. Default `default`. */
  readonly name?: string;
  /**
   * Holds the counts; needs a `name`. Limits with the same name in a store count together. Default: the
   * memory of the process, separately for each application.
   */
  readonly store?: RateLimitStore;
  /** Counts requests instead of a store, with the same `points` and `duration`. */
  readonly limiter?: RateLimiter;
  /**
   * What happens to requests while counting fails: they pass (`open`), are rejected with 503 (`closed`), or
   * are counted in this process (`memory`). Default `open`.
   */
  readonly onFailure?: 'open' | 'closed' | 'memory';
  /**
   * Called with the error when counting fails and the request passes. Default: that of the error handler.
   */
  readonly onError?: (error: unknown, ctx: Context) => void;
}

const DEFAULT_NAME = 'default';

/**
 * The longest delay of a Node.js timer, in seconds. With a longer one, a limiter's window would end
 * immediately.
 */
const MAX_DURATION = 2_147_483;

const RATE_LIMIT_OPTIONS: Kinds<RateLimitOptions> = {
  points: either(integer(1), fn),
  duration: integer(1, MAX_DURATION, 'number of seconds'),
  key: fn,
  cost: either(integer(1), fn),
  skip: fn,
  after: either(nonEmptyString, arrayOf(nonEmptyString, 'an array of names')),
  count: oneOf('all', 'failures'),
  name: kind('printable ASCII without quotes or backslashes', isPolicyName),
  store: kind('an object with an add() method, such as the result of createRedisStore()', (value) =>
    hasMethods('add')(value),
  ),
  limiter: kind(
    'an object with a consume() method, such as a limiter from rate-limiter-flexible',
    hasMethods('consume'),
  ),
  onFailure: oneOf('open', 'closed', 'memory'),
  onError: fn,
};

function isPolicyName(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) && !/["\\]/.test(value);
}

/**
 * Limits how many requests a client can make in a window of time. Every response has the headers
 * `RateLimit-Policy` and `RateLimit`, with the limit and the remaining requests. A 429 response also
 * has `Retry-After`, in whole seconds of at least 1. {@link rateLimitsOf} returns the same data.
 *
 * The middleware throws a TooManyRequestsError, 429, when the limit is exceeded. When counting fails
 * and `onFailure` is `closed`, it throws a ServiceUnavailableError, 503 `RATE_LIMIT_UNAVAILABLE`, with
 * the failure as its cause. When a function of the options returns an unusable value, it throws an
 * InternalServerError, 500 `INVALID_RATE_LIMIT_VALUE`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid, or the limiter
 *   has a different limit or window.
 * @see draft-ietf-httpapi-ratelimit-headers-11 §3, §4; RFC 6585 §4; RFC 9110 §10.2.3
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  const limit = createLimit('rateLimit()', options);
  const middleware: Middleware = named('rateLimit', async (ctx, next) => {
    await limit(ctx);
    return next();
  });
  const warning = createWarning('rateLimit()', options);
  const { name = DEFAULT_NAME } = options;
  names.set(middleware, name);
  const check = ({ routes }: Placement) =>
    findSameName('rateLimit()', middleware, name, routes) ?? findProbes(options, routes);
  return describe(middleware, {
    role: 'middleware',
    guard: 'rateLimitGuard()',
    ...afterOf(options),
    warning,
    check,
    sends: describeSent(options),
    limit: describeLimit(options),
  });
}

/** The name of each middleware and guard. */
const names = new WeakMap<object, string>();

/** Finds a route with another limit of the same name before this one, so that clients cannot tell the two apart. */
function findSameName(
  call: string,
  limit: object,
  name: string,
  routes: readonly RoutePlacement[],
): Doubt | undefined {
  const isSame = (other: object) => {
    const own = descriptionOf(other)?.wraps ?? other;
    return own !== limit && names.get(own) === name;
  };
  const route = routes.find(({ before }) => before.some(isSame));
  if (route === undefined) return undefined;
  const message = `${call} has the same name '${name}' as another one before it, so its headers and its state replace those of the other, for example for ${route.method} ${route.pattern}. Pass another name, such as name: 'sign-in', or pass its result to intended().`;
  return { code: 'FAIRLEAD_OPTION', message };
}

/** Finds a health route that counts like any other, so that an orchestrator ends a healthy process. */
function findProbes(
  { skip }: RateLimitOptions,
  routes: readonly RoutePlacement[],
): Doubt | undefined {
  const isHealth = (one: object) => descriptionOf(one)?.forOperators === 'probes';
  const route = skip === undefined ? routes.find(({ after }) => after.some(isHealth)) : undefined;
  if (route === undefined) return undefined;
  const message = `rateLimit() counts probes, which receive a 429 at the limit: ${route.method} ${route.pattern}. Mount its router before rateLimit(), pass skip, or pass the result of rateLimit() to intended().`;
  return { code: 'FAIRLEAD_ORDER', message };
}

/** Creates the function that warns about options that can work, but are usually a mistake. */
function createWarning(call: string, options: RateLimitOptions): () => string | undefined {
  const conflict = findSharedCount(call, options);
  return () => describeDuration(call, options.duration) ?? conflict;
}

/** The size of the first limit of each name, by what counts it. */
const firstSizes = new WeakMap<object, Map<string, string>>();

/** Finds a limit of another size that counts together with this one. Limits of the same size may be one limit. */
function findSharedCount(
  call: string,
  { store, name = DEFAULT_NAME, points, duration }: RateLimitOptions,
): string | undefined {
  if (store === undefined || typeof points === 'function') return undefined;
  const counts: object = Reflect.get(store, COUNTS) ?? store;
  const sizes = firstSizes.get(counts) ?? new Map<string, string>();
  firstSizes.set(counts, sizes);
  const size = `${points} points per ${duration} s`;
  const first = sizes.get(name) ?? size;
  sizes.set(name, first);
  if (first === size) return undefined;
  return `${call} has ${size}, but counts together with a limit of ${first}, because both have the name '${name}' and the same store. Pass another name, or pass its result to intended().`;
}

/** Warns about a duration that was probably meant in milliseconds: minutes, or seconds that are no hours. */
function describeDuration(call: string, duration: number): string | undefined {
  if (duration < 60_000 || duration % 1_000 > 0) return undefined;
  if (duration % 3_600 === 0 && duration % 60_000 > 0) return undefined;
  return `${call} has windows of ${duration} seconds. If you mean milliseconds, pass duration: ${duration / 1_000}; otherwise pass its result to intended().`;
}

/**
 * Creates a guard that limits like {@link rateLimit}. Middleware runs before guards, so a limit per signed-in
 * user has to be a guard: list it after the one that authenticates.
 *
 * The guard of a method replaces that of its class with the same `name`, and the guard of a class replaces
 * that of the plugin. Limits with different names all apply.
 *
 * @returns A function for `@UseGuard()` or for `guards` of `controllersPlugin()`.
 * @throws {SetupError} Same as {@link rateLimit}.
 */
export function rateLimitGuard(options: RateLimitOptions): (ctx: Context) => Promise<boolean> {
  const limit = createLimit('rateLimitGuard()', options);
  const guard = named('rateLimit', async (ctx: Context): Promise<boolean> => {
    await limit(ctx);
    return true;
  });
  const warning = createWarning('rateLimitGuard()', options);
  const sends = describeSent(options);
  const { name = DEFAULT_NAME } = options;
  names.set(guard, name);
  const slot = `rate limit ${name}`;
  const check = ({ routes }: Placement) => findSameName('rateLimitGuard()', guard, name, routes);
  return describe(guard, {
    role: 'guard',
    middleware: 'rateLimit()',
    ...afterOf(options),
    slot,
    warning,
    check,
    sends,
    limit: describeLimit(options),
  });
}

/** Describes what must run before. */
function afterOf({ after }: RateLimitOptions) {
  return after !== undefined && { after };
}

/** Describes the limit for lists. */
function describeLimit({ points, duration, count }: RateLimitOptions): string {
  const number = typeof points === 'number' ? points : 'points';
  return `${number}${count === 'failures' ? ' failures' : ''} per ${duration} s`;
}

/** Describes the responses for documents. */
function describeSent({ onFailure }: RateLimitOptions): SentDescription {
  return {
    headers: {
      'RateLimit-Policy': 'The limit: its name, its points and its window in seconds.',
      RateLimit: 'The remaining points, and the seconds until the window ends.',
    },
    responses: {
      429: {
        headers: {
          'Retry-After': {
            description: 'The seconds until the next request can succeed.',
            schema: { type: 'integer', minimum: 1 },
          },
        },
      },
      ...(onFailure === 'closed' && { 503: {} }),
    },
  };
}

describeFactories(rateLimit, rateLimitGuard);

/** Returns the states of the limits that a request was counted for, by their names: `ctx.state.rateLimits`. */
export function rateLimitsOf({ state }: AnyContext): Readonly<Record<string, RateLimitState>> {
  // Only limits set it.
  return (state.rateLimits ?? {}) as Readonly<Record<string, RateLimitState>>;
}

/** A request that was counted. */
interface Counted {
  readonly state: RateLimitState;
  /** Milliseconds until the window ends. */
  readonly left: number;
  /** Takes the points of the request back. */
  readonly undo: () => Promise<unknown>;
}

/** What to count for a request. */
interface Charge {
  readonly key: string;
  readonly cost: number;
  readonly points: number;
}

/** Creates the function that counts a request and throws when it exceeds the limit. */
function createLimit(call: string, options: RateLimitOptions): (ctx: Context) => Promise<void> {
  assertOptions(call, options);
  const { duration, name = DEFAULT_NAME, key = clientNetwork, cost = 1, skip, count } = options;
  const { onFailure = 'open', onError = reportFailure } = options;
  const report = reporterOf(`onError of ${call}`, onError);
  const countInMemory = createMemoryCount(duration);
  const countRequest = createCount(options, countInMemory);

  const tryCount = async (ctx: Context, charge: Charge): Promise<Counted | undefined> => {
    try {
      return await countRequest(ctx, charge);
    } catch (cause) {
      if (onFailure === 'closed') throw unavailable(cause);
      report(cause, ctx);
      return onFailure === 'memory' ? countInMemory(ctx, charge) : undefined;
    }
  };

  return async (ctx) => {
    if (skip !== undefined && (await skip(ctx))) return;
    const charge: Charge = {
      key: toStoredKey(readKey(call, await key(ctx))),
      points: await readPoints(call, 'points', options.points, ctx),
      cost: await readPoints(call, 'cost', cost, ctx),
    };
    ctx.append('RateLimit-Policy', `"${name}";q=${charge.points};w=${duration}`);
    const counted = await tryCount(ctx, charge);
    if (counted === undefined) return;
    const { state } = counted;
    ctx.state.rateLimits = Object.freeze({ ...rateLimitsOf(ctx), [name]: state });
    ctx.append('RateLimit', `"${name}";r=${state.remaining};t=${state.reset}`);
    if (!state.allowed) throw tooMany(state, duration);
    if (count === 'failures') undoOnSuccess(ctx, counted, (cause) => report(cause, ctx));
  };
}

/**
 * Counts a request only if it fails. It counts from the start, so that concurrent attempts cannot exceed
 * the limit before the first of them has failed.
 */
function undoOnSuccess(
  ctx: Context,
  { left, undo }: Counted,
  onError: (cause: unknown) => void,
): void {
  const end = performance.now() + left;
  ctx.onFinish(({ status, aborted }) => {
    const isFailure = aborted || status >= 400;
    // The points of a window that has ended must not be taken from the next one.
    if (!isFailure && performance.now() < end) return undo().catch(onError);
  });
}

type Count = (ctx: Context, charge: Charge) => Promise<Counted>;

/** Creates a function that counts in memory, separately for each application. */
function createMemoryCount(duration: number): Count {
  const stores = new WeakMap<object, MemoryStore>();
  return (ctx, charge) => {
    const store = stores.get(ctx.app) ?? new MemoryStore();
    stores.set(ctx.app, store);
    return countIn(store, charge, duration);
  };
}

function createCount(options: RateLimitOptions, countInMemory: Count): Count {
  const { store, limiter, name = DEFAULT_NAME, duration } = options;
  if (limiter !== undefined) return createLimiterCount(limiter);
  if (store === undefined) return countInMemory;
  // The first colon of a key ends the name, because names and keys may contain colons.
  const prefix = `${name.replace(/[%:]/g, encodeURIComponent)}:`;
  return (_ctx, charge) => countIn(store, { ...charge, key: prefix + charge.key }, duration);
}

async function countIn(
  store: RateLimitStore,
  { key, cost, points }: Charge,
  duration: number,
): Promise<Counted> {
  const { points: used, msBeforeNext } = await store.add(key, cost, duration);
  return {
    state: describeState(used <= points, points, points - used, msBeforeNext),
    left: msBeforeNext,
    undo: async () => store.add(key, -cost, duration),
  };
}

/**
 * Creates a function that counts with a limiter. A limiter rejects with an error when it fails, or with a
 * result at the limit.
 */
function createLimiterCount(limiter: RateLimiter): Count {
  const consume = createConsume(limiter);
  return async (_ctx, { key, cost, points }) => {
    const { allowed, result } = await consume(key, cost).then(
      (result) => ({ allowed: true, result }),
      (reason: unknown) => {
        if (!isResult(reason)) throw reason;
        return { allowed: false, result: reason };
      },
    );
    return {
      state: describeState(allowed, points, result.remainingPoints, result.msBeforeNext),
      left: result.msBeforeNext,
      undo: async () => limiter.reward?.(key, cost),
    };
  };
}

/**
 * Returns the function that counts a request. A limiter in memory starts a timer for each key. Without
 * the snapshot, that timer would retain the asynchronous context of the key's first request, such as
 * that of `shareContext()`, until the window ends.
 */
function createConsume(
  limiter: RateLimiter,
): (key: string, cost: number) => Promise<RateLimiterResult> {
  const consume = async (key: string, cost: number) => limiter.consume(key, cost);
  if (limiter.constructor.name !== 'RateLimiterMemory') return consume;
  const run = AsyncLocalStorage.snapshot();
  return (key, cost) => run(consume, key, cost);
}

function isResult(reason: unknown): reason is RateLimiterResult {
  return typeof reason === 'object' && reason !== null && 'msBeforeNext' in reason;
}

function describeState(
  allowed: boolean,
  limit: number,
  left: number,
  msBeforeNext: number,
): RateLimitState {
  const remaining = allowed ? Math.max(0, left) : 0;
  const reset = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return Object.freeze({ allowed, limit, remaining, reset });
}

function clientNetwork(ctx: Context): string {
  warnOfProxy(ctx);
  // The address is empty on a Unix socket.
  return networkOf(ctx.ip) || 'unknown';
}

/** The applications that were warned. */
const warned = new WeakSet<object>();

/** Warns once about a proxy that the application does not trust, because all its clients count together. */
function warnOfProxy({ app, req: { headers, socket } }: Context): void {
  const header = ['X-Forwarded-For', 'Forwarded'].find((name) => headers[name.toLowerCase()]);
  // Calls without a socket, such as those of adapters, pass the address of the client.
  if (header === undefined || warned.has(app)) return;
  if ('proxy' in app && app.proxy !== undefined) return;
  if (!(socket instanceof Socket)) return;
  warned.add(app);
  warn(
    'FAIRLEAD_UNKNOWN_PROXY',
    `A rate limit counts all clients of a proxy together: a request has the header ${header}, but the application trusts no proxy. Pass the number of your proxies, such as createApp({ proxy: 1 }), or createApp({ proxy: 0 }) if there is none.${atLine(app)}`,
  );
}

/** Hashes long and unusual keys, because a client can choose a key of any length with any bytes. */
function toStoredKey(key: string): string {
  if (/^(?!sha256:)[\x21-\x7e]{0,128}$/.test(key)) return key;
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** @throws {InternalServerError} 500, because all clients without a key would share one count. */
function readKey(call: string, key: unknown): string {
  if (nonEmptyString.accepts(key)) return String(key);
  throw invalidValue(
    `The key function of ${call} returned ${describeValue(key)}. Return a non-empty string that identifies the client, or let the request pass with skip.`,
  );
}

async function readPoints(
  call: string,
  option: 'points' | 'cost',
  value: number | ((ctx: Context) => number | Promise<number>),
  ctx: Context,
): Promise<number> {
  if (typeof value === 'number') return value;
  const points: unknown = await value(ctx);
  if (POINTS.accepts(points)) return Number(points);
  throw invalidValue(
    `The ${option} function of ${call} returned ${describeValue(points)}. Return ${POINTS.description}.`,
  );
}

const POINTS = integer(0);

function invalidValue(message: string): InternalServerError {
  return new InternalServerError(message, { code: 'INVALID_RATE_LIMIT_VALUE' });
}

function tooMany({ limit, reset }: RateLimitState, duration: number): TooManyRequestsError {
  return new TooManyRequestsError(
    `Too many requests: the limit is ${limit} per ${duration} s. Try again in ${reset} s.`,
    { retryAfter: reset },
  );
}

const FAILURE = 'Cannot apply the rate limit: the store failed. Check the store.';

function unavailable(cause: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError(FAILURE, { code: 'RATE_LIMIT_UNAVAILABLE', cause });
}

function reportFailure(cause: unknown, ctx: Context): void {
  ctx.report(new Error(FAILURE, { cause }));
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertOptions(call: string, options: RateLimitOptions): void {
  const problems = findOptionProblems(call, options, RATE_LIMIT_OPTIONS);
  for (const name of ['points', 'duration'] as const) {
    if (options?.[name] !== undefined) continue;
    problems.push(`${call} needs ${name}. Pass ${RATE_LIMIT_OPTIONS[name].description}.`);
  }
  if (problems.length === 0) problems.push(...findConflicts(call, options));
  throwTogether(problems);
}

/** Finds options that do not fit each other. */
function findConflicts(call: string, options: RateLimitOptions): readonly string[] {
  const { points, duration, limiter, store, name, count, cost } = options;
  if (typeof cost === 'number' && typeof points === 'number' && cost > points) {
    return [
      `${call} rejects every request, because each costs ${cost} of ${points} points. Pass a lower cost, or more points.`,
    ];
  }
  if (store !== undefined && limiter !== undefined) {
    return [`${call} cannot use both store and limiter. Pass one of them.`];
  }
  if (store !== undefined && name === undefined) {
    return [
      `${call} needs a name with a store, because limits with the same name count together. Pass one.`,
    ];
  }
  if (limiter === undefined) return [];
  if (typeof points === 'function') {
    return [`${call} cannot use a function as points with a limiter. Pass a store instead.`];
  }
  if (count === 'failures' && limiter.reward === undefined) {
    return [
      `${call} cannot count failures with a limiter that has no reward() method. Pass a store instead.`,
    ];
  }
  // Wrappers of other limiters have undefined or 0 here.
  const allowed = limiter.points || points;
  const window = limiter.duration || duration;
  if (allowed === points && window === duration) return [];
  return [
    `${call} cannot use a limiter that allows ${allowed} requests per ${window} s: points and duration allow ${points} per ${duration} s. Use the same values in both.`,
  ];
}
