import { SetupError } from '@fairlead/core';
import { findOptionProblems, integer, type Kinds } from '@fairlead/options';
import type { SessionStore } from './stored-sessions.js';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** The number of sessions to keep. A further one replaces the least recently used. Default 100,000. */
  readonly maxSessions?: number;
}

const MEMORY_STORE_OPTIONS: Kinds<MemoryStoreOptions> = { maxSessions: integer(1) };

interface Entry {
  readonly text: string;
  /** In milliseconds since 1970. */
  readonly expires: number;
}

/**
 * Creates a store in the memory of this process, for tests, development and single processes. A restart
 * ends all sessions.
 *
 * @throws {SetupError} `INVALID_SESSION_OPTION`, when an option is unknown or invalid.
 */
export function memoryStore(options: MemoryStoreOptions = {}): SessionStore {
  const problems = findOptionProblems('memoryStore()', options, MEMORY_STORE_OPTIONS);
  if (problems.length > 0) throw new SetupError('INVALID_SESSION_OPTION', problems.join('\n'));
  const { maxSessions = 100_000 } = options;
  /** In order of their last use. */
  const entries = new Map<string, Entry>();

  const find = (key: string): string | undefined => {
    const entry = entries.get(key);
    return entry === undefined || entry.expires <= Date.now() ? undefined : entry.text;
  };
  const put = (key: string, text: string, ttl: number): void => {
    entries.delete(key);
    entries.set(key, { text, expires: Date.now() + ttl });
    for (const [oldest, { expires }] of entries) {
      if (expires > Date.now() && entries.size <= maxSessions) break;
      entries.delete(oldest);
    }
  };

  return Object.freeze<SessionStore>({
    async read(key, ttl) {
      const text = find(key);
      if (text !== undefined) put(key, text, ttl);
      return text;
    },
    async write(key, text, ttl, expected) {
      if (find(key) !== expected) return false;
      put(key, text, ttl);
      return true;
    },
    async delete(key, expected) {
      const text = find(key);
      if (expected !== undefined && text !== expected) return false;
      return entries.delete(key) && text !== undefined;
    },
  });
}
