import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import {
  type Context,
  type Middleware,
  ServiceUnavailableError,
  SetupError,
  TooManyRequestsError,
} from '@fairlead/core';
import {
  findOptionProblems,
  fn,
  integer,
  type Kinds,
  kind,
  markFactories,
  oneOf,
} from '@fairlead/options';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { networkOf } from './network-of.js';

/** The state of a key after a request was counted. */
export interface RateLimiterResult {
  /** The number of requests left in the window. */
  readonly remainingPoints: number;
  /** The time until the window ends, in milliseconds. */
  readonly msBeforeNext: number;
}

/** Counts requests. Every limiter of rate-limiter-flexible with a single result fits. */
export interface RateLimiter {
  /** The limit of the limiter, if it has one. */
  readonly points?: number;
  /** The window of the limiter in seconds, if it has one. */
  readonly duration?: number;
  /** Counts a request. Rejects with the state of the key when the limit is exceeded. */
  consume(key: string): Promise<RateLimiterResult>;
}

/** Options of {@link rateLimit}. */
export interface RateLimitOptions {
  /** The number of requests allowed per key and window: a whole number of at least 1. */
  readonly points: number;
  /** The length of a window in seconds: a whole number from 1 to 2,147,483 (24 days). */
  readonly duration: number;
  /** Returns the key that a request counts towards. Default: the network of `ctx.ip`. */
  readonly key?: (ctx: Context) => string;
  /** Counts requests, with the same `points` and `duration`. Default: counts in memory. */
  readonly limiter?: RateLimiter;
  /** The policy name in the headers: printable ASCII without `"` and `\`. Default `default`. */
  readonly name?: string;
  /** Whether to allow (`open`) or reject (`closed`) requests while counting fails. Default `open`. */
  readonly onFailure?: 'open' | 'closed';
  /** Called when counting fails and the request is allowed. Default: logs with `console.error`. */
  readonly onError?: (error: unknown, ctx: Context) => void;
}

/** The longest delay of a Node.js timer, in seconds. With a longer one, a window would end at once. */
const MAX_DURATION = 2_147_483;

const RATE_LIMIT_OPTIONS: Kinds<RateLimitOptions> = {
  points: integer(1),
  duration: integer(1, MAX_DURATION, 'of seconds'),
  key: fn,
  limiter: kind(
    'an object with a method consume, such as a limiter of rate-limiter-flexible',
    isLimiter,
  ),
  name: kind('printable ASCII without quotes or backslashes', isPolicyName),
  onFailure: oneOf('open', 'closed'),
  onError: fn,
};

function isLimiter(value: unknown): boolean {
  return typeof value === 'object' && value !== null && fn.accepts(Reflect.get(value, 'consume'));
}

function isPolicyName(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) && !/["\\]/.test(value);
}

/**
 * Limits how many requests a client can make in a window of time. Every response has the headers
 * `RateLimit-Policy` and `RateLimit`, with the limit and the remaining requests. A 429 response also
 * has `Retry-After`, in whole seconds of at least 1.
 *
 * The middleware throws a TooManyRequestsError, 429, when the limit is exceeded. When counting fails
 * and `onFailure` is `closed`, it throws a ServiceUnavailableError, 503 `RATE_LIMIT_UNAVAILABLE`, with
 * the failure as its cause.
 *
 * @throws {SetupError} `INVALID_RATE_LIMIT`, when an option is missing, unknown or invalid, or the limiter
 *   has a different limit or window.
 * @see draft-ietf-httpapi-ratelimit-headers-11 §3, §4; RFC 6585 §4; RFC 9110 §10.2.3
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  assertOptions(options);
  const { points, duration, name = 'default', onFailure = 'open', onError = logError } = options;
  const { key = clientNetwork, limiter = new RateLimiterMemory({ points, duration }) } = options;
  const consume = createConsume(limiter);
  const policy = `"${name}";q=${points};w=${duration}`;

  return async function rateLimit(ctx, next) {
    const storedKey = toStoredKey(key(ctx));
    ctx.append('RateLimit-Policy', policy);
    const state = await count(consume, storedKey).catch((cause: unknown) => {
      if (onFailure === 'closed') throw unavailable(cause);
      onError(cause, ctx);
    });
    if (state !== undefined) {
      const { allowed, remaining, seconds } = state;
      ctx.append('RateLimit', `"${name}";r=${remaining};t=${seconds}`);
      if (!allowed) throw tooMany(options, seconds);
    }
    return next();
  };
}

markFactories(rateLimit);

/** The state of a key, as the headers present it. */
interface KeyState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** The time until the window ends, rounded up. */
  readonly seconds: number;
}

/**
 * Returns the function that counts a request. A limiter in memory starts a timer for each key. Without
 * the snapshot, that timer would retain the asynchronous context of the key's first request, such as
 * that of `shareContext()`, until the window ends.
 */
function createConsume(limiter: RateLimiter): RateLimiter['consume'] {
  const consume: RateLimiter['consume'] = (key) => limiter.consume(key);
  if (!(limiter instanceof RateLimiterMemory)) return consume;
  const run = AsyncLocalStorage.snapshot();
  return (key) => run(consume, key);
}

/** Counts a request. A limiter rejects with an error when it fails, or with a result at the limit. */
async function count(consume: RateLimiter['consume'], key: string): Promise<KeyState> {
  try {
    return describeState(await consume(key), true);
  } catch (reason) {
    if (!isResult(reason)) throw reason;
    return describeState(reason, false);
  }
}

function isResult(reason: unknown): reason is RateLimiterResult {
  return typeof reason === 'object' && reason !== null && 'msBeforeNext' in reason;
}

function describeState(result: RateLimiterResult, allowed: boolean): KeyState {
  const remaining = allowed ? result.remainingPoints : 0;
  return { allowed, remaining, seconds: Math.max(1, Math.ceil(result.msBeforeNext / 1_000)) };
}

function clientNetwork(ctx: Context): string {
  return networkOf(ctx.ip);
}

/** Hashes long and unusual keys, because a client can choose a key of any length with any bytes. */
function toStoredKey(key: string): string {
  if (/^[\x21-\x7e]{0,128}$/.test(key)) return key;
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function tooMany({ points, duration }: RateLimitOptions, seconds: number): TooManyRequestsError {
  return new TooManyRequestsError(
    `Too many requests: the limit is ${points} per ${duration} s. Try again in ${seconds} s.`,
    { retryAfter: seconds },
  );
}

function unavailable(cause: unknown): ServiceUnavailableError {
  const message = 'Cannot apply the rate limit: the limiter failed. Check its store.';
  return new ServiceUnavailableError(message, { code: 'RATE_LIMIT_UNAVAILABLE', cause });
}

function logError(error: unknown): void {
  console.error('Cannot apply the rate limit, so the request is allowed. Check the store:', error);
}

/** @throws {SetupError} `INVALID_RATE_LIMIT` */
function assertOptions(options: RateLimitOptions): void {
  const problems = findOptionProblems('rateLimit()', options, RATE_LIMIT_OPTIONS);
  for (const name of ['points', 'duration'] as const) {
    if (options?.[name] !== undefined) continue;
    problems.push(`rateLimit() needs ${name}. Pass ${RATE_LIMIT_OPTIONS[name].description}.`);
  }
  if (problems.length === 0) problems.push(...findMismatch(options));
  if (problems.length > 0) throw new SetupError('INVALID_RATE_LIMIT', problems.join('\n'));
}

function findMismatch({ points, duration, limiter }: RateLimitOptions): readonly string[] {
  // Wrappers of other limiters have undefined or 0 here.
  const allowed = limiter?.points || points;
  const window = limiter?.duration || duration;
  if (allowed === points && window === duration) return [];
  return [
    `rateLimit() cannot use a limiter that allows ${allowed} requests per ${window} s: points and duration allow ${points} per ${duration} s. Use the same values in both.`,
  ];
}
