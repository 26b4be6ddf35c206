import { assertOptions } from '@fairlead/core/extend';
import { integer, type Kinds } from '@fairlead/options';
import type { SessionStore } from './stored-sessions.js';

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** The number of sessions to keep. Default 100,000. */
  readonly maxSessions?: number;
  /** The size of all sessions together, in bytes of JSON. Default 67,108,864: 64 MiB. */
  readonly maxBytes?: number;
}

const MEMORY_STORE_OPTIONS: Kinds<MemoryStoreOptions> = {
  maxSessions: integer(1),
  maxBytes: integer(1, Number.MAX_SAFE_INTEGER, 'number of bytes'),
};

/** How often the expired sessions of a store that is not full are removed, in milliseconds. */
const SWEEP_INTERVAL = 60_000;

interface Entry {
  readonly text: string;
  /** In bytes. */
  readonly size: number;
  readonly owner: string | undefined;
  /** In milliseconds since 1970. */
  expires: number;
}

/**
 * Creates a store in the memory of this process, for tests, development and single processes. A restart
 * ends all sessions. A full store refuses new sessions, and never removes one that has not expired.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): SessionStore {
  assertOptions('createMemoryStore()', options, MEMORY_STORE_OPTIONS);
  const { maxSessions = 100_000, maxBytes = 67_108_864 } = options;
  const entries = new Map<string, Entry>();
  /** The keys of each owner. */
  const owned = new Map<string, Set<string>>();
  let bytes = 0;
  /**
   * No session expires before this time. Reading a session extends its life, so the first one may expire later.
   */
  let firstExpiry = Number.POSITIVE_INFINITY;
  let nextSweep = 0;

  const remove = (key: string): void => {
    const { size = 0, owner = '' } = entries.get(key) ?? {};
    bytes -= size;
    entries.delete(key);
    disown(owner, key);
  };
  const disown = (owner: string, key: string): void => {
    const keys = owned.get(owner);
    keys?.delete(key);
    if (keys?.size === 0) owned.delete(owner);
  };
  const find = (key: string, now: number): Entry | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || entry.expires > now) return entry;
    remove(key);
    return undefined;
  };
  const extend = (entry: Entry, expires: number): void => {
    entry.expires = expires;
    firstExpiry = Math.min(firstExpiry, expires);
  };
  const sweep = (now: number): void => {
    nextSweep = now + SWEEP_INTERVAL;
    firstExpiry = Number.POSITIVE_INFINITY;
    for (const [key, { expires }] of entries) {
      if (expires <= now) remove(key);
      else firstExpiry = Math.min(firstExpiry, expires);
    }
  };

  return Object.freeze<SessionStore>({
    async read(key, ttl) {
      const now = Date.now();
      const entry = find(key, now);
      if (entry !== undefined) extend(entry, now + ttl);
      return entry?.text;
    },
    async write(key, text, ttl, expected, newOwner) {
      const now = Date.now();
      const entry = find(key, now);
      if (entry?.text !== expected) return false;
      const size = Buffer.byteLength(text);
      const growth = size - (entry?.size ?? 0);
      const isFull = (): boolean =>
        (entry === undefined && entries.size >= maxSessions) || bytes + growth > maxBytes;
      if (now >= nextSweep || (now >= firstExpiry && isFull())) sweep(now);
      if (isFull()) throw full(entries.size, bytes, maxSessions, maxBytes);
      const owner = newOwner?.id ?? entry?.owner;
      if (owner !== entry?.owner) disown(entry?.owner ?? '', key);
      if (owner !== undefined) owned.set(owner, (owned.get(owner) ?? new Set()).add(key));
      const written = { text, size, owner, expires: 0 };
      entries.set(key, written);
      extend(written, now + ttl);
      bytes += growth;
      return true;
    },
    async delete(key, expected) {
      const entry = find(key, Date.now());
      if (entry === undefined || (expected !== undefined && entry.text !== expected)) return false;
      remove(key);
      return true;
    },
    async deleteOwned(owner, except) {
      for (const key of owned.get(owner) ?? []) if (key !== except) remove(key);
    },
  });
}

function full(count: number, bytes: number, maxSessions: number, maxBytes: number): Error {
  return new Error(
    `createMemoryStore() is full: it has ${count} of ${maxSessions} sessions, with ${bytes} of ${maxBytes} bytes. Limit the rate of the routes that start sessions, raise maxSessions or maxBytes, or use createRedisStore().`,
  );
}
