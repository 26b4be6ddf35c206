import { throwTogether } from '@fairlead/core/extend';
import { describeValue, findOptionProblems, fn, type Kinds, string } from '@fairlead/options';
import type { SessionStore } from './stored-sessions.js';

/** The commands that the store needs. Clients, clusters, pools and sentinels of the package redis have them. */
export interface RedisClient {
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

/**
 * Creates a store in Redis 6.2 or newer, or in Valkey.
 *
 * @param client - A connected client. You connect and close it. Create it with `disableOfflineQueue: true`,
 *   so that requests fail immediately while there is no connection.
 * @throws {SetupError} `INVALID_OPTION`, when the client lacks a command, or an option is unknown or
 *   invalid.
 */
export function createRedisStore(
  client: RedisClient,
  options: RedisStoreOptions = {},
): SessionStore {
  assertArguments(client, options);
  const { prefix = 'session:' } = options;
  const run = async (script: string, key: string, ...args: readonly string[]): Promise<boolean> =>
    Number(await client.eval(script, { keys: [prefix + key], arguments: [...args] })) === 1;
  return Object.freeze<SessionStore>({
    async read(key, ttl) {
      const text = await client.getEx(prefix + key, { type: 'PX', value: ttl });
      return typeof text === 'string' ? text : undefined;
    },
    write: (key, text, ttl, expected) => run(WRITE, key, mark(expected), text, String(ttl)),
    delete: (key, expected) => run(DELETE, key, mark(expected)),
  });
}

function mark(expected: string | undefined): string {
  return expected === undefined ? '' : `=${expected}`;
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertArguments(client: RedisClient, options: RedisStoreOptions): void {
  const problems = findOptionProblems('createRedisStore()', options, REDIS_STORE_OPTIONS);
  if (!(fn.accepts(client?.getEx) && fn.accepts(client?.eval))) {
    problems.unshift(
      `createRedisStore() cannot use ${describeValue(client)} as a client. Pass the result of createClient() from the npm package redis.`,
    );
  }
  throwTogether(problems);
}
