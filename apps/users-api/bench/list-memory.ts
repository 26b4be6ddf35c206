import { openStore, type StoreConfig } from '../src/users/store/open.js';
import { ServerProcess } from './server-process.js';

/** Creates under way at once while a store is filled. */
const CONCURRENCY = 2_000;

/** What reading the whole list has shown. */
export interface ListMemory {
  readonly users: number;
  /** Resident memory of the idle server, in bytes. */
  readonly idle: number;
  /** The most resident memory while the list was read, in bytes. */
  readonly peak: number;
  /** Milliseconds. */
  readonly duration: number;
}

/** Fills a store. */
export async function fill(
  config: StoreConfig,
  count: number,
  onCreated: (created: number) => void,
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
 * Reads the list of all users from a server of its own, to the end.
 *
 * @param databaseUrl - A store with users in it.
 * @param count - How many.
 * @throws {Error} When the list has another number of users, or says so.
 */
export async function measureList(databaseUrl: string, count: number): Promise<ListMemory> {
  const server = await ServerProcess.start(databaseUrl);
  try {
    // What the first requests load is no part of a list.
    for (let request = 0; request < 200; request += 1)
      await read(`${server.url}/api/users?limit=10`);
    const idle = server.memory;
    server.forgetPeak();
    const start = performance.now();
    const { users, total } = await read(`${server.url}/api/users`);
    const duration = performance.now() - start;
    if (users !== count || total !== count) {
      throw new Error(`The list of ${count} users has ${users}, and says ${total}.`);
    }
    return { users, idle, peak: server.peakMemory, duration };
  } finally {
    await server.stop();
  }
}

/** Counts the users of a list as it comes, without holding it. */
async function read(url: string): Promise<{ users: number; total: number }> {
  const { body, status } = await fetch(url);
  if (status !== 200 || body === null) throw new Error(`${url} is answered ${status}.`);
  const user = '{"id":"';
  let users = 0;
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split(user);
    users += parts.length - 1;
    // A mark may be cut in two; a whole one is never counted twice.
    rest = (parts.at(-1) ?? '').slice(-64);
  }
  return { users, total: Number(/"total":(\d+)/.exec(rest)?.[1]) };
}
