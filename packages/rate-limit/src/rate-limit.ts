import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import {
  type Context,
  type Middleware,
  ServiceUnavailableError,
  SetupError,
  TooManyRequestsError,
} from '@fairlead/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { networkOf } from './network-of.js';

/** The state of a key after a request was counted. */
export interface RateLimiterResult {
  /** Number of requests that the key may still make in its window. */
  readonly remainingPoints: number;
  /** Until the window ends, in milliseconds. */
  readonly msBeforeNext: number;
}

/** What counts the requests: any limiter of rate-limiter-flexible with one result. */
export interface RateLimiter {
  /** The limiter's own limit, where it has one. */
  readonly points?: number;
  /** The limiter's own window in seconds, where it has one. */
  readonly duration?: number;
  /** Counts a request. Rejects with the state of the key when it is one too many. */
  consume(key: string): Promise<RateLimiterResult>;
}

/** What {@link rateLimit} may be told. */
export interface RateLimitOptions {
  /** Number of requests that a key may make in one window: a whole number from 1. */
  readonly points: number;
  /** Length of a window in seconds: a whole number from 1 to 2,147,483 (24 days). */
  readonly duration: number;
  /** Whom a request is counted for; the network of the connection's remote address by default. */
  readonly key?: (ctx: Context) => string;
  /** Counts in place of the process's memory; built with the same `points` and `duration`. */
  readonly limiter?: RateLimiter;
  /** The policy's name in the headers: printable ASCII without `"` and `\`; `default` by default. */
  readonly name?: string;
  /** Whether requests pass (`open`, the default) or are refused (`closed`) while counting fails. */
  readonly onFailure?: 'open' | 'closed';
  /** Is told why counting failed, when the request passes. Default: `console.error`. */
  readonly onError?: (error: unknown, ctx: Context) => void;
}

/** Longest delay of a timer of node, in seconds: past it, a window would end at once. */
const MAX_DURATION = 2_147_483;

/**
 * Limits how many requests a client may make in a window of time. Every answer tells the limit and
 * what is left of it, in `RateLimit-Policy` and `RateLimit`; an answer of 429 has `Retry-After`, in
 * whole seconds from 1.
 *
 * The middleware throws a TooManyRequestsError, 429; when counting fails and `onFailure` is
 * `closed`, a ServiceUnavailableError, 503 `RATE_LIMIT_UNAVAILABLE`, with the failure as its cause.
 *
 * @throws {SetupError} `INVALID_RATE_LIMIT`, when an option cannot be used, or the limiter has another
 *   limit or window.
 * @see draft-ietf-httpapi-ratelimit-headers-11 §3, §4; RFC 6585 §4; RFC 9110 §10.2.3
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  assertOptions(options);
  const { points, duration, name = 'default', onFailure = 'open', onError = logError } = options;
  const { key = remoteNetwork, limiter = new RateLimiterMemory({ points, duration }) } = options;
  const consume = createConsume(limiter);
  const policy = `"${name}";q=${points};w=${duration}`;

  return async function rateLimit(ctx, next) {
    const counted = storable(key(ctx));
    ctx.append('RateLimit-Policy', policy);
    const state = await count(consume, counted).catch((cause: unknown) => {
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

/** What the store knows of a key after a request was counted. */
interface KeyState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Until the window ends, rounded up. */
  readonly seconds: number;
}

/**
 * Makes the function that counts a request. A limiter in memory sets a timer for each key, which would
 * hold the asynchronous context of the key's first request, such as that of `shareContext()`, until
 * the window ends: such a limiter runs in the context that the middleware was created in.
 */
function createConsume(limiter: RateLimiter): RateLimiter['consume'] {
  const consume: RateLimiter['consume'] = (key) => limiter.consume(key);
  if (!(limiter instanceof RateLimiterMemory)) return consume;
  const run = AsyncLocalStorage.snapshot();
  return (key) => run(consume, key);
}

/** Counts a request. A limiter rejects with an Error when it fails, and otherwise with its result. */
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

function remoteNetwork(ctx: Context): string {
  return networkOf(ctx.req.socket.remoteAddress ?? 'in process');
}

/** A key that every store takes: what a client wrote may be of any length, and hold any byte. */
function storable(key: string): string {
  if (/^[\x21-\x7e]{0,128}$/.test(key)) return key;
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function tooMany({ points, duration }: RateLimitOptions, seconds: number): TooManyRequestsError {
  return new TooManyRequestsError(
    `More than ${points} requests in ${duration} seconds. Try again in ${seconds} seconds.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

function unavailable(cause: unknown): ServiceUnavailableError {
  const message = 'The requests of this client could not be counted.';
  return new ServiceUnavailableError(message, { code: 'RATE_LIMIT_UNAVAILABLE', cause });
}

function logError(error: unknown): void {
  console.error('A request passed without being counted against its rate limit:', error);
}

function assertOptions({ points, duration, name = 'default', limiter }: RateLimitOptions): void {
  if (!Number.isSafeInteger(points) || points < 1) {
    throw invalid(`points is ${points}. Give a whole number from 1.`);
  }
  if (!Number.isInteger(duration) || duration < 1 || duration > MAX_DURATION) {
    throw invalid(`duration is ${duration}. Give a whole number of seconds, 1 to ${MAX_DURATION}.`);
  }
  if (!/^[\x20-\x7e]+$/.test(name) || /["\\]/.test(name)) {
    throw invalid(`name is '${name}'. Give printable ASCII without quotes and backslashes.`);
  }
  // Wrappers of other limiters have none of their own, or 0.
  if ((limiter?.points || points) === points && (limiter?.duration || duration) === duration)
    return;
  throw invalid(
    `the limiter allows ${limiter?.points} requests in ${limiter?.duration} seconds, the options ${points} in ${duration}. Give both the same.`,
  );
}

function invalid(reason: string): SetupError {
  return new SetupError('INVALID_RATE_LIMIT', `rateLimit() cannot be set up: ${reason}`);
}
