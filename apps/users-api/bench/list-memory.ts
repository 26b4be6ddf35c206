import { openStore, type StoreConfig } from '../src/users/store/open.js';
import { ServerProcess } from './server-process.js';

/** Number of concurrent creates while filling a store. */
const CONCURRENCY = 2_000;

/** Results of reading the whole list. */
export interface ListMemory {
  readonly users: number;
  /** Resident memory of the idle server, in bytes. */
  readonly idle: number;
  /** Peak resident memory while reading the list, in bytes. */
  readonly peak: number;
  /** In milliseconds. */
  readonly duration: number;
}

/** Creates users in a store, and reports the size of each batch to `onCreated`. */
export async function fill(
  config: StoreConfig,
  count: number,
  onCreated: (count: number) => void,
): Promise<void> {
  const store = await openStore(config);
  for (let created = 0; created < count; created += CONCURRENCY) {
    const users = Array.from({ length: Math.min(CONCURRENCY, count - created) }, (_, index) => ({
      name: `User ${created + index}`,
      email: `user-${created + index}@example.com`,
    }));
    await Promise.all(users.map((user) => store.create(user)));
    onCreated(users.length);
  }
  await store.close();
}

/**
 * Starts a server and reads its whole list of users.
 *
 * @param databaseUrl - Database of the server.
 * @param count - Number of users in the database.
 * @throws {Error} When the list or its total has a different number of users.
 */
export async function measureList(databaseUrl: string, count: number): Promise<ListMemory> {
  const server = await ServerProcess.start(databaseUrl);
  try {
    // The first requests load code, which must not count as memory of the list.
    for (let request = 0; request < 200; request += 1)
      await read(`${server.url}/api/users?limit=10`);
    const idle = server.memory;
    server.resetPeak();
    const start = performance.now();
    const { users, total } = await read(`${server.url}/api/users`);
    const duration = performance.now() - start;
    if (users !== count || total !== count) {
      throw new Error(
        `Expected ${count} users, but the list has ${users} and its total is ${total}.`,
      );
    }
    return { users, idle, peak: server.peakMemory, duration };
  } finally {
    await server.stop();
  }
}

/** Counts the users of a list while streaming it. */
async function read(url: string): Promise<{ users: number; total: number }> {
  const { body, status } = await fetch(url);
  if (status !== 200 || body === null) throw new Error(`GET ${url} returned status ${status}.`);
  const user = '{"id":"';
  let users = 0;
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split(user);
    users += parts.length - 1;
    // A match may span two chunks, so keep the end of this one for the next.
    rest = (parts.at(-1) ?? '').slice(-64);
  }
  return { users, total: Number(/"total":(\d+)/.exec(rest)?.[1]) };
}
