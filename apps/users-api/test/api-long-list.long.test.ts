import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { StoreError } from '@fairlead/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryUserStore } from '../src/users/store/memory.js';
import type { UserStore } from '../src/users/store/user-store.js';
import type { User } from '../src/users/user.js';
import { ADA, startService, WIRE_APIS } from './support/api.js';
import { captureLog } from './support/log.js';
import { listAll, STORES } from './support/stores.js';

const COUNT = 1_203;
const MOUNTS = ['/api/users', '/api/v1/users', '/api/v2/users'];

async function fill(store: UserStore, count = COUNT): Promise<readonly User[]> {
  const names = Array.from({ length: count }, (_, n) => `User "${n}" 𝄞\u2028`);
  await Promise.all(names.map((name) => store.create({ ...ADA, name })));
  return listAll(store);
}

/** Counts the turns of the event loop until the running test ends. */
function countTurns(): () => number {
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  onTestFinished(() => clearImmediate(next));
  return () => turns;
}

/** A memory store with more users than a batch. The test supplies its list. */
class ListedStore extends MemoryUserStore {
  readonly #list: () => AsyncGenerator<User[]>;

  constructor(list: () => AsyncGenerator<User[]>) {
    super();
    this.#list = list;
  }

  override page() {
    return { users: BATCH, total: 1_000 };
  }

  override list() {
    return this.#list();
  }
}

const BATCH: User[] = Array.from({ length: 500 }, (_, n) => ({
  ...ADA,
  id: `${n}`,
  createdAt: '2030-01-02T12:00:00.000Z',
  updatedAt: '2030-01-02T12:00:00.000Z',
}));

describe.each(WIRE_APIS)('a long list of the $variant API over the $store store', (api) => {
  it('is sent as JSON.stringify writes it, whole or as a large page', async () => {
    const store = await STORES[api.store]();
    const data = await fill(store);
    const url = `${await startService({ store })}${api.mount}`;
    const list = await fetch(url);
    expect(list.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(list.headers.get('content-length')).toBeNull();
    expect(await list.text()).toBe(JSON.stringify({ data, total: COUNT }));
    const page = await fetch(`${url}?page=2&limit=600`);
    const meta = { total: COUNT, page: 2, limit: 600 };
    expect(await page.text()).toBe(JSON.stringify({ data: data.slice(600, 1_200), meta }));
    const all = await fetch(`${url}?limit=1e300`);
    expect(await all.json()).toEqual({ data, meta: { total: COUNT, page: 1, limit: 1e300 } });
  });

  it('gives other work a turn of the event loop before it reads another batch', async () => {
    const store = await STORES[api.store]();
    await fill(store);
    const turns = countTurns();
    const readAt: number[] = [];
    const list = store.list.bind(store);
    store.list = async function* (slice) {
      for await (const batch of list(slice)) {
        readAt.push(turns());
        yield batch;
      }
    };
    const url = `${await startService({ store })}${api.mount}`;
    await (await fetch(url)).text();
    await (await fetch(`${url}?limit=1000`)).text();
    expect(readAt).toHaveLength(23);
    expect(new Set(readAt).size).toBe(23);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const store = await STORES[api.store]();
    await fill(store);
    const url = `${await startService({ store })}${api.mount}`;
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await head.text()).toBe('');
  });

  it('has a Content-Length when it is short', async () => {
    const store = await STORES[api.store]();
    const data = await fill(store, 3);
    const response = await fetch(`${await startService({ store })}${api.mount}`);
    const text = JSON.stringify({ data, total: 3 });
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(await response.text()).toBe(text);
  });
});

describe.each(MOUNTS)('a long list at %s', (mount) => {
  it('is read no further once the client has gone', async () => {
    let isEnded = false;
    const store = new ListedStore(async function* () {
      try {
        for (;;) yield BATCH;
      } finally {
        isEnded = true;
      }
    });
    const request = get(`${await startService({ store })}${mount}`);
    request.on('error', () => {});
    const [response]: IncomingMessage[] = await once(request, 'response');
    await once(response as IncomingMessage, 'readable');
    expect(isEnded).toBe(false);
    request.destroy();
    await expect.poll(() => isEnded).toBe(true);
  });

  it('is a 503 when the store fails at the first batch', async () => {
    const store = new ListedStore(async function* () {
      yield Promise.reject(new StoreError('STORE_UNREACHABLE', 'The store test has gone away.'));
    });
    const response = await fetch(`${await startService({ store })}${mount}`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'STORE_UNREACHABLE' });
  });

  it('is cut off, and never well-formed, when the store fails in the middle', async () => {
    const { logger, lines } = captureLog();
    const store = new ListedStore(async function* () {
      yield BATCH;
      yield BATCH;
      throw new StoreError('STORE_UNREACHABLE', 'The store test has gone away.');
    });
    const response = await fetch(`${await startService({ store, logger })}${mount}`);
    await expect(response.text()).rejects.toThrow();
    expect(await lines.first('request', 1)).toMatchObject([
      {
        level: 'error',
        aborted: true,
        err: { code: 'STORE_UNREACHABLE', message: 'The store test has gone away.' },
      },
    ]);
  });
});

describe.each(MOUNTS)('a store that fails for a reason that may pass, at %s', (mount) => {
  it('is a 503 with Retry-After and the code; the log has the reason', async () => {
    const { logger, lines } = captureLog();
    const store = new MemoryUserStore();
    const busy = new StoreError('STORE_BUSY', 'The store test has too much to do.');
    store.page = () => {
      throw busy;
    };
    const response = await fetch(`${await startService({ store, logger })}${mount}`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'Service Unavailable',
      instance: mount,
      code: 'STORE_BUSY',
      error: 'Service Unavailable',
    });
    expect(await lines.first('request', 1)).toMatchObject([
      { err: { code: 'STORE_BUSY', message: 'The store test has too much to do.' } },
    ]);
  });
});
