import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context, HttpError, type Middleware, ServiceUnavailableError } from '@fairlead/core';
import { assertAnswered, describeFactories, throwTogether } from '@fairlead/core/extend';
import {
  arrayOf,
  assertConnected,
  describeValue,
  findOptionProblems,
  hasMethods,
  integer,
  type Kinds,
  nonEmptyString,
  within,
} from '@fairlead/options';
import type { KeptResponse } from './adapter.js';
import {
  DAY,
  describeKeyed,
  findMissingPrincipal,
  inUse,
  isTakenOver,
  KEY_OPTIONS,
  type KeyOptions,
  notKept,
  PATIENCE,
  readKeyedRequest,
  replay,
  responseOf,
  reused,
} from './keyed-request.js';
import { isStreamed, statusOf } from './transactions.js';

/** A client from the npm package `redis`. You create, connect and close it. */
export interface RedisClient {
  /** Whether the client is connected. */
  readonly isReady?: boolean;
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Options of {@link redisIdempotency}. */
export interface RedisIdempotencyOptions extends KeyOptions {
  /**
   * Statuses from 500 on whose errors say that the handler has done nothing, such as `[503]`, so that the same key runs
   * again. Default: none. Errors below 500 always say so.
   */
  readonly forgets?: readonly number[];
  /**
   * Milliseconds after which the outcome of a request that has not ended is unknown, because its process may have been
   * killed. At most `lifetime`. Default 60,000.
   */
  readonly lostAfter?: number;
  /** Precedes every key. Default `idempotency:`. */
  readonly prefix?: string;
}

const REDIS_IDEMPOTENCY_OPTIONS: Kinds<RedisIdempotencyOptions> = {
  ...KEY_OPTIONS,
  forgets: arrayOf(integer(500, 599), 'an array of statuses from 500 to 599'),
  lostAfter: integer(1, undefined, 'number of milliseconds'),
  prefix: nonEmptyString,
};

/** Begins a request, or returns what is known about the one that has begun. Its end is measured by the server's clock. */
const BEGIN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('HMGET', KEYS[1], 'fingerprint', 'lost', 'status', 'headers', 'body')
if kept[3] then return {'kept', kept[1], kept[3], kept[4], kept[5]} end
if kept[1] then return {tonumber(kept[2]) > now and 'runs' or 'lost', kept[1]} end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'fingerprint', ARGV[2], 'lost', string.format('%.0f', now + ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'begun'}`;

/** Precedes what only the request that has begun may do. */
const OWN = `if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end\n`;

const KEEP = `${OWN}
redis.call('HSET', KEYS[1], 'status', ARGV[2], 'headers', ARGV[3], 'body', ARGV[4])
return redis.call('PEXPIRE', KEYS[1], ARGV[5])`;

const FORGET = `${OWN}return redis.call('DEL', KEYS[1])`;

const LOSE = `${OWN}
redis.call('HSET', KEYS[1], 'lost', 0)
return 1`;

/** Milliseconds between two looks at a request that runs: the first pause, and the longest one. */
const PAUSES = [20, 250] as const;

/**
 * Creates middleware that runs the rest of a request once for each `Idempotency-Key`, which Redis or Valkey keeps with
 * the response, for routes whose writes are in no transaction of a database. A request with the same key gets the
 * response of the first, with `Idempotency-Replayed: true`.
 *
 * Redis can't store the key together with writes that are elsewhere. If the process ends between a write and its
 * response, or an error from 500 on is thrown, the outcome is unknown. The request then never runs again: until
 * `lifetime` has passed, the same key is a 409. And if Redis loses the key, by eviction, a restart without its file, or
 * a failover, the request runs again. Where the writes are in PostgreSQL or `@fairlead/store`, use `idempotency()`,
 * which has neither gap.
 *
 * It runs after the middleware that authenticates, and reads the body first. Without a connection, requests with a key
 * fail before they run.
 *
 * @param client - A client from the npm package `redis`. It needs a listener for its `error` event.
 * @throws {BadRequestError} 400 `MISSING_IDEMPOTENCY_KEY` and `INVALID_IDEMPOTENCY_KEY`.
 * @throws {HttpError} 409 `IDEMPOTENCY_KEY_IN_USE`, when the first request still runs after `patience`; 409
 *   `IDEMPOTENCY_OUTCOME_UNKNOWN`; 422 `IDEMPOTENCY_KEY_REUSED`, when it was another request.
 * @throws {ServiceUnavailableError} 503 `IDEMPOTENCY_UNAVAILABLE`, when Redis doesn't respond. Nothing ran.
 * @throws {SetupError} `INVALID_OPTION`, when `client` or an option is missing, unknown or invalid.
 * @see draft-ietf-httpapi-idempotency-key-header-07
 */
export function redisIdempotency(
  client: RedisClient,
  options: RedisIdempotencyOptions,
): Middleware {
  const call = 'redisIdempotency()';
  assertArguments(call, client, options);
  const {
    principal,
    required = false,
    lifetime = DAY,
    patience = PATIENCE,
    forgets = [],
    lostAfter = LOST_AFTER,
    prefix = 'idempotency:',
  } = options;
  const ranNothing = (status: number): boolean => status < 500 || forgets.includes(status);
  const run = (script: string, key: string, ...values: string[]) =>
    within(
      patience,
      () => new Error(`Redis did not respond within ${patience} ms.`),
      () => client.eval(script, { keys: [key], arguments: values }),
    );

  /** Waits for a request with the same key, and returns the response that it has left. */
  const claim = async (
    ctx: Context,
    id: string,
    token: string,
    fingerprint: string,
  ): Promise<KeptResponse | undefined> => {
    const end = performance.now() + patience;
    for (let [pause, longest] = PAUSES as readonly number[] as [number, number]; ; ) {
      const { state, kept } = await begin(ctx, id, token, fingerprint);
      if (state === 'begun') return undefined;
      if (kept.fingerprint !== fingerprint) throw reused();
      if (state === 'kept') return kept;
      if (state === 'lost') throw outcomeUnknown();
      if (performance.now() + pause > end) throw inUse();
      await delay(pause, undefined, { signal: ctx.signal });
      pause = Math.min(2 * pause, longest);
    }
  };

  const begin = async (ctx: Context, id: string, token: string, fingerprint: string) => {
    try {
      assertConnected(client);
    } catch (cause) {
      throw unavailable(cause);
    }
    try {
      return toState(await run(BEGIN, id, token, fingerprint, String(lostAfter), String(lifetime)));
    } catch (cause) {
      // Redis may have begun it.
      void settle(ctx, FORGET, id, token);
      throw unavailable(cause);
    }
  };

  /** Records how a request has ended. The response doesn't depend on it, because the handler has run. */
  const settle = async (ctx: Context, script: string, id: string, ...values: string[]) => {
    try {
      const isDone = Number(await run(script, id, ...values)) === 1;
      if (!isDone && script !== FORGET) ctx.report(gone(ctx));
    } catch (cause) {
      ctx.report(unsettled(ctx, cause));
    }
  };

  const idempotent: Middleware = async (ctx, next) => {
    const request = await readKeyedRequest(call, ctx, { principal, required });
    if (request === undefined) return next();
    const id = prefix + JSON.stringify([request.owner, request.key]);
    const token = randomUUID();
    const found = await claim(ctx, id, token, request.fingerprint);
    if (found !== undefined) return replay(ctx, found, request);
    const lose = () => settle(ctx, LOSE, id, token);
    const endWith = (status: number) =>
      ranNothing(status) ? settle(ctx, FORGET, id, token) : lose();
    try {
      await next();
      assertAnswered(ctx);
    } catch (error) {
      // What a handler has sent may tell the client that something was done.
      await (isTakenOver(ctx) ? lose() : endWith(statusOf(error)));
      throw error;
    }
    if (isTakenOver(ctx) || isStreamed(ctx)) {
      await lose();
      const error = notKept(call, ctx);
      if (!isTakenOver(ctx)) throw error;
      return ctx.report(error);
    }
    if (ctx.status >= 400) return endWith(ctx.status);
    const { status, headers, body } = responseOf(ctx, request);
    const text = Buffer.from(body).toString('base64');
    await settle(
      ...([ctx, KEEP, id, token] as const),
      ...[String(status), JSON.stringify(headers), text, String(lifetime)],
    );
  };
  return describeKeyed(call, idempotent, { required, unavailable: 'Redis does not respond.' });
}

describeFactories(redisIdempotency);

const LOST_AFTER = 60_000;

/** @throws {SetupError} `INVALID_OPTION` */
function assertArguments(
  call: string,
  client: RedisClient,
  options: RedisIdempotencyOptions,
): void {
  const problems = findOptionProblems(call, options, REDIS_IDEMPOTENCY_OPTIONS);
  problems.push(...findMissingPrincipal(call, options));
  if (!hasMethods('eval')(client)) {
    problems.unshift(
      `${call} cannot use ${describeValue(client)}. Pass a client from the npm package redis.`,
    );
  }
  const { lifetime = DAY, lostAfter = LOST_AFTER } = Object(options) as RedisIdempotencyOptions;
  if (problems.length === 0 && lostAfter > lifetime) {
    problems.push(
      `${call} cannot use a lifetime of ${lifetime} with lostAfter ${lostAfter}: the key would end before its request. Make lifetime at least lostAfter.`,
    );
  }
  throwTogether(problems);
}

function toState(reply: unknown): { readonly state: string; readonly kept: KeptResponse } {
  const [state = '', fingerprint = '', status = '', headers = '[]', body = ''] = Array.isArray(
    reply,
  )
    ? reply.map(String)
    : [];
  const bytes = Buffer.from(body, 'base64');
  const kept = { fingerprint, status: Number(status), headers: JSON.parse(headers), body: bytes };
  return { state, kept };
}

function unavailable(cause: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('Requests with an Idempotency-Key cannot run now.', {
    code: 'IDEMPOTENCY_UNAVAILABLE',
    retryAfter: 1,
    cause,
  });
}

function outcomeUnknown(): HttpError {
  return new HttpError(
    409,
    'Whether an earlier request with this Idempotency-Key took effect is unknown. Look it up, and if it did not, send a new key.',
    { code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' },
  );
}

function gone({ method, path }: Context): Error {
  return new Error(
    `The Idempotency-Key of ${method} ${path} was not in Redis anymore when the request ended, so that the same key runs again. Set maxmemory-policy to noeviction, and let Redis write to disk.`,
  );
}

function unsettled({ method, path }: Context, cause: unknown): Error {
  return new Error(
    `Redis did not record the end of ${method} ${path}. Requests with the same Idempotency-Key are a 409.`,
    { cause },
  );
}
