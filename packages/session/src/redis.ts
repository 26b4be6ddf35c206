import { throwTogether } from '@fairlead/core/extend';
import {
  assertConnected,
  describeValue,
  findOptionProblems,
  hasMethods,
  type Kinds,
  string,
} from '@fairlead/options';
import type { SessionStore } from './stored-sessions.js';

/** The commands that the store needs. Clients, clusters, pools and sentinels of the package redis have them. */
export interface RedisClient {
  /** Whether the client is connected. */
  readonly isReady?: boolean;
  /** GET, and sets the time to live. Redis 6.2 */
  getEx(key: string, options: { type: 'PX'; value: number }): Promise<unknown>;
  /** Runs a Lua script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Options of {@link createRedisStore}. */
export interface RedisStoreOptions {
  /** The beginning of all keys. Default `session:`. */
  readonly prefix?: string;
}

const REDIS_STORE_OPTIONS: Kinds<RedisStoreOptions> = { prefix: string };

/** Lua has no undefined: a string that exists is preceded by `=`. */
const WRITE = `
local text = redis.call('GET', KEYS[1])
if (text and '=' .. text or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

const DELETE = `
local text = redis.call('GET', KEYS[1])
if ARGV[1] ~= '' and (text and '=' .. text or '') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Records the key of an owner until the time in ARGV[2], and forgets those whose time has passed. */
const OWN = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
return redis.call('PEXPIREAT', KEYS[1], last[2])`;

const OWNED = `return redis.call('ZRANGE', KEYS[1], 0, -1)`;

const DISOWN = `
for _, key in ipairs(ARGV) do redis.call('ZREM', KEYS[1], key) end
return 1`;

/**
 * Creates a store in Redis 6.2 or newer, or in Valkey.
 *
 * @param client - A connected client. You connect and close it. Create a pool or a cluster with
 *   `disableOfflineQueue: true`, so that requests fail immediately while there is no connection, as those of a
 *   client do.
 * @throws {SetupError} `INVALID_OPTION`, when the client lacks a command, or an option is unknown or
 *   invalid.
 */
export function createRedisStore(
  client: RedisClient,
  options: RedisStoreOptions = {},
): SessionStore {
  assertArguments(client, options);
  const { prefix = 'session:' } = options;
  const evaluate = async (script: string, key: string, args: readonly string[]) => {
    assertConnected(client);
    return client.eval(script, { keys: [prefix + key], arguments: [...args] });
  };
  const run = async (script: string, key: string, ...args: readonly string[]): Promise<boolean> =>
    Number(await evaluate(script, key, args)) === 1;
  const runOwner = (script: string, owner: string, ...args: readonly string[]): Promise<unknown> =>
    evaluate(script, `user:${owner}`, args);
  return Object.freeze<SessionStore>({
    async read(key, ttl) {
      assertConnected(client);
      const text = await client.getEx(prefix + key, { type: 'PX', value: ttl });
      return typeof text === 'string' ? text : undefined;
    },
    async write(key, text, ttl, expected, owner) {
      if (owner !== undefined) {
        // First, so that no session lacks its owner. Keys of a cluster cannot change together.
        const now = Date.now();
        await runOwner(OWN, owner.id, key, String(now + owner.ttl), String(now));
      }
      return run(WRITE, key, mark(expected), text, String(ttl));
    },
    delete: (key, expected) => run(DELETE, key, mark(expected)),
    async deleteOwned(owner, except) {
      const owned = Object.values(Object(await runOwner(OWNED, owner))).map(String);
      const keys = owned.filter((key) => key !== except);
      await Promise.all(keys.map((key) => run(DELETE, key, '')));
      await runOwner(DISOWN, owner, ...keys);
    },
  });
}

function mark(expected: string | undefined): string {
  return expected === undefined ? '' : `=${expected}`;
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertArguments(client: RedisClient, options: RedisStoreOptions): void {
  const problems = findOptionProblems('createRedisStore()', options, REDIS_STORE_OPTIONS);
  if (!hasMethods('getEx', 'eval')(client)) {
    problems.unshift(
      `createRedisStore() cannot use ${describeValue(client)} as a client. Pass the result of createClient() from the npm package redis.`,
    );
  }
  throwTogether(problems);
}
