import { throwTogether } from '@fairlead/core/extend';
import {
  assertConnected,
  describeValue,
  findOptionProblems,
  hasMethods,
  type Kinds,
  nonEmptyString,
  positiveMilliseconds,
  within,
} from '@fairlead/options';
import { COUNTS, type RateLimitCount, type RateLimitStore } from './store.js';

/** A client from the npm package `redis`, which may be a cluster client. You create, connect and close it. */
export interface RedisClient {
  /** Whether the client is connected. */
  readonly isReady?: boolean;
  /** Runs a script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Options of {@link createRedisStore}. */
export interface RedisStoreOptions {
  /** Precedes every key. Default `rate-limit:`. */
  readonly prefix?: string;
  /** Milliseconds until counting fails: a whole number of at least 1. Default 500. */
  readonly timeout?: number;
}

const REDIS_STORE_OPTIONS: Kinds<RedisStoreOptions> = {
  prefix: nonEmptyString,
  timeout: positiveMilliseconds,
};

/** Adds points to a count that expires. A script is atomic. */
const ADD = `
local points = tonumber(ARGV[1])
if points < 0 and redis.call('EXISTS', KEYS[1]) == 0 then return {0, 0} end
local total = redis.call('INCRBY', KEYS[1], points)
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {total, left}`;

/** What the stores of each client share, by prefix. */
const countsOf = new WeakMap<RedisClient, Map<string, object>>();

/** How long a server that did not respond in time is left alone, in milliseconds. */
const PAUSE = 1_000;

/**
 * Creates a store that counts in Redis or Valkey, so that a limit holds across processes and machines.
 *
 * Counting fails immediately while the client is not connected. After a timeout, it fails immediately for a
 * second, so that a hanging server delays few requests. `onFailure` of the limit decides what happens then.
 *
 * @param client - A client from the npm package `redis`. It needs a listener for its `error` event.
 * @throws {SetupError} `INVALID_OPTION`, when `client` or an option is invalid.
 */
export function createRedisStore(
  client: RedisClient,
  options: RedisStoreOptions = {},
): RateLimitStore {
  const problems = findOptionProblems('createRedisStore()', options, REDIS_STORE_OPTIONS);
  if (!hasMethods('eval')(client)) {
    problems.unshift(
      `createRedisStore() cannot use ${describeValue(client)}. Pass a client from the npm package redis.`,
    );
  }
  throwTogether(problems);
  const { prefix = 'rate-limit:', timeout = 500 } = options;
  const ofClient = countsOf.get(client) ?? new Map<string, object>();
  countsOf.set(client, ofClient);
  const counts = ofClient.get(prefix) ?? {};
  ofClient.set(prefix, counts);
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const late = (): Error => new Error(`Redis did not respond within ${timeout} ms.`);

  const store: RateLimitStore = {
    async add(key, points, duration) {
      assertConnected(client);
      if (performance.now() < pausedUntil) throw late();
      const pause = () => {
        pausedUntil = performance.now() + PAUSE;
        return late();
      };
      const script = {
        keys: [`${prefix}${key}`],
        arguments: [String(points), String(duration * 1_000)],
      };
      return toCount(await within(timeout, pause, () => client.eval(ADD, script)));
    },
  };
  return Object.assign(store, { [COUNTS]: counts });
}

function toCount(reply: unknown): RateLimitCount {
  const [points, msBeforeNext]: unknown[] = Array.isArray(reply) ? reply : [];
  if (!Number.isSafeInteger(Number(points)) || !Number.isSafeInteger(Number(msBeforeNext))) {
    throw new Error('Redis did not respond with two integers.');
  }
  return { points: Number(points), msBeforeNext: Number(msBeforeNext) };
}
