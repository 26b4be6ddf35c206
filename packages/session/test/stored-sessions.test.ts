import {
  createApp,
  errorHandler,
  json,
  TooManyRequestsError,
  UnauthorizedError,
} from '@fairlead/core';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createMemoryStore,
  type SessionOptions,
  type SessionStore,
  session,
} from '../src/index.js';
import { createRedisStore } from '../src/redis.js';
import { type Account, COOKIE, createAccounts } from './support/accounts.js';
import { type Client, serve } from './support/client.js';
import { testStore } from './support/contract.js';

const POST = { method: 'POST' };
const NOBODY = { user: null, visits: null, cart: null };

testStore('createMemoryStore', () => createMemoryStore());

describe('createMemoryStore', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const full =
    /^createMemoryStore\(\) is full: it has 2 of 2 sessions, with 2 of 67108864 bytes\. Limit the rate/;

  it('refuses a session beyond maxSessions, and keeps the others', async () => {
    const store = createMemoryStore({ maxSessions: 2 });
    await store.write('a', '1', 60_000, undefined);
    await store.write('b', '2', 60_000, undefined);
    await expect(store.write('c', '3', 60_000, undefined)).rejects.toThrow(full);
    expect(await store.write('a', '10', 60_000, '1')).toBe(true);
    const texts = ['a', 'b', 'c'].map((key) => store.read(key, 60_000));
    expect(await Promise.all(texts)).toEqual(['10', '2', undefined]);
    await store.delete('a', undefined);
    expect(await store.write('c', '3', 60_000, undefined)).toBe(true);
  });

  it('has room for another session once the lifetime of one has ended', async () => {
    const store = createMemoryStore({ maxSessions: 1 });
    const client = await serve(createAccounts({ store, idleTimeout: 60_000, lifetime: 100_000 }));
    const other = client.copy();
    await client.send('/visit', POST);
    for (const now of [50_000, 99_000]) {
      vi.setSystemTime(now);
      expect(await (await client.send('/')).json()).toMatchObject({ visits: 1 });
      expect((await other.send('/visit', POST)).status).toBe(503);
    }
    vi.setSystemTime(100_000);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
    expect((await other.send('/visit', POST)).status).toBe(200);
  });

  it('refuses what exceeds maxBytes, new sessions and growing ones, and keeps the others', async () => {
    const store = createMemoryStore({ maxBytes: 4 });
    await store.write('a', 'é', 60_000, undefined);
    await store.write('b', '12', 60_000, undefined);
    await expect(store.write('c', '', 60_000, undefined)).resolves.toBe(true);
    await expect(store.write('d', '1', 60_000, undefined)).rejects.toThrow(
      'it has 3 of 100000 sessions, with 4 of 4 bytes.',
    );
    await expect(store.write('b', '123', 60_000, '12')).rejects.toThrow('is full');
    expect(await store.write('b', '34', 60_000, '12')).toBe(true);
    expect(await store.write('b', '3', 60_000, '34')).toBe(true);
    expect(await store.write('d', '1', 60_000, undefined)).toBe(true);
    const texts = ['a', 'b', 'c', 'd'].map((key) => store.read(key, 60_000));
    expect(await Promise.all(texts)).toEqual(['é', '3', '', '1']);
  });

  it.each([{ maxSessions: 3 }, { maxBytes: 3 }])(
    'with %o makes room by removing expired sessions only, whatever their idle timeouts',
    async (options) => {
      const store = createMemoryStore(options);
      await store.write('long', '1', 60_000, undefined);
      await store.write('short', '2', 10_000, undefined);
      await store.write('used', '3', 10_000, undefined);
      vi.setSystemTime(9_999);
      await store.read('used', 10_000);
      await expect(store.write('new', '4', 60_000, undefined)).rejects.toThrow('is full');
      vi.setSystemTime(10_000);
      expect(await store.write('new', '4', 60_000, undefined)).toBe(true);
      await expect(store.write('more', '5', 60_000, undefined)).rejects.toThrow('is full');
      const keys = ['long', 'short', 'used', 'new'];
      const texts = await Promise.all(keys.map((key) => store.read(key, 60_000)));
      expect(texts).toEqual(['1', undefined, '3', '4']);
    },
  );

  it('removes a session that was read with a shorter idle timeout than it was written with', async () => {
    const store = createMemoryStore({ maxSessions: 1 });
    await store.write('a', '1', 60_000, undefined);
    await store.read('a', 1_000);
    vi.setSystemTime(1_000);
    expect(await store.write('b', '2', 60_000, undefined)).toBe(true);
  });

  it('has the room of an expired session again when its key is written anew', async () => {
    const store = createMemoryStore({ maxBytes: 3 });
    await store.write('a', '1', 1_000, undefined);
    vi.setSystemTime(1_000);
    expect(await store.write('a', '2', 1_000, undefined)).toBe(true);
    expect(await store.write('b', '34', 1_000, undefined)).toBe(true);
    await expect(store.write('c', '5', 1_000, undefined)).rejects.toThrow('with 3 of 3 bytes');
  });

  it('removes expired sessions each minute before it is full', async () => {
    const store = createMemoryStore();
    const removed = vi.spyOn(Map.prototype, 'delete');
    const keys: unknown[][] = [];
    for (const now of [1, 60_000, 60_001]) {
      vi.setSystemTime(now);
      await store.write(`at ${now}`, '1', 1_000, undefined);
      keys.push(removed.mock.calls.map(([key]) => key));
    }
    removed.mockRestore();
    expect(keys).toEqual([[], [], ['at 1']]);
  });
});

/** Two requests that both read the session before either of them saves it. */
async function race(
  client: Client,
  first: (path: string) => Promise<Response>,
  one: string,
  other: string,
): Promise<[Response, Response]> {
  const slow = first(`/slow${one}`);
  await expect.poll(() => client.send('/waiting').then((reply) => reply.json())).toBe(true);
  const fast = await client.send(other, POST);
  await client.send('/release', POST);
  return [await slow, fast];
}

/** Creates an application whose routes below `/slow` wait for a request to `/release`. */
async function createRacing(store: SessionStore): Promise<Client> {
  let gate = Promise.withResolvers<void>();
  let isWaiting = false;
  const app = createApp()
    .use(errorHandler({ onError: () => undefined }))
    .use('/release', (ctx) => {
      gate.resolve();
      gate = Promise.withResolvers();
      isWaiting = false;
      ctx.json('released');
    })
    .use('/waiting', (ctx) => ctx.json(isWaiting))
    .use(session<Account>({ store }))
    .use('/slow', (_ctx, next) => {
      isWaiting = true;
      return gate.promise.then(next);
    })
    .get('/', ({ state }) => ({
      user: state.session.get('user') ?? null,
      visits: state.session.get('visits') ?? null,
      cart: state.session.get('cart') ?? null,
    }));
  for (const prefix of ['', '/slow']) {
    app
      .post(`${prefix}/sign-in/:user`, ({ state, params }) => {
        state.session.rotate();
        state.session.set('user', (params as { user: string }).user);
        return 1;
      })
      .post(`${prefix}/visit`, ({ state }) => {
        state.session.set('visits', (state.session.get('visits') ?? 0) + 1);
        return 1;
      })
      .post(`${prefix}/cart/:item`, ({ state, params }) => {
        state.session.set('cart', [(params as { item: string }).item]);
        return 1;
      })
      .post(`${prefix}/forget`, ({ state }) => {
        state.session.set('visits', undefined);
        return 1;
      })
      .post(`${prefix}/read`, ({ state }) => state.session.get('visits') ?? null)
      .post(`${prefix}/sign-out`, ({ state }) => {
        state.session.destroy();
        return 1;
      });
  }
  return serve(app);
}

describe('a session in a store', () => {
  it.each<[string, string, string, number, 0 | 1, object]>([
    ['different members', '/cart/a', '/visit', 200, 1, { visits: 2, cart: ['a'] }],
    ['the same member to one value', '/cart/a', '/cart/a', 409, 1, { visits: 1, cart: ['a'] }],
    ['the same count', '/visit', '/visit', 409, 1, { visits: 2, cart: null }],
    ['the same member by deleting it', '/forget', '/forget', 200, 1, { visits: null, cart: null }],
    ['the same member to two values', '/cart/a', '/cart/b', 409, 1, { visits: 1, cart: ['b'] }],
    ['a member that the other deletes', '/visit', '/forget', 409, 1, { visits: null, cart: null }],
    ['a member, and delete another', '/forget', '/cart/b', 200, 1, { visits: null, cart: ['b'] }],
    ['a member while the other rotates', '/cart/a', '/sign-in/ada', 409, 1, { user: 'ada' }],
    [
      'the id while the other changes',
      '/sign-in/ada',
      '/visit',
      200,
      0,
      { user: 'ada', visits: 2 },
    ],
    ['a member while the other signs out', '/cart/a', '/sign-out', 409, 1, NOBODY],
    ['no member while the other signs out', '/read', '/sign-out', 200, 1, NOBODY],
  ])('of two requests that change %s', async (_, slow, fast, status, newest, after) => {
    const client = await createRacing(createMemoryStore());
    await client.send('/visit', POST);
    const first = client.copy();
    const [late, early] = await race(client, (path) => first.send(path, POST), slow, fast);
    expect(early.status).toBe(200);
    expect(late.status).toBe(status);
    const { [newest]: current = client } = [first, client];
    expect(await (await current.send('/')).json()).toMatchObject(after);
  });

  it('lets no more of 500 concurrent guesses pass than a count of them allows', async () => {
    let waiting = 0;
    let gate = Promise.withResolvers<void>();
    const app = createApp()
      .use(errorHandler(), session<{ guesses: number }>({ store: createMemoryStore() }))
      .post('/start', ({ state }) => {
        state.session.set('guesses', 0);
        return 0;
      })
      .post('/guess/:of', async ({ state, params }) => {
        const guesses = state.session.get('guesses') ?? 0;
        if (guesses >= 3) throw new TooManyRequestsError();
        state.session.set('guesses', guesses + 1);
        waiting += 1;
        if (waiting === Number(params.of)) gate.resolve();
        await gate.promise;
        return 'wrong';
      });
    const client = await serve(app);
    await client.send('/start', POST);
    /** Sends guesses, which all have read the count before one of them is saved. */
    const guess = async (of: number) => {
      waiting = 0;
      gate = Promise.withResolvers();
      const guesses = Array.from({ length: of }, () => client.send(`/guess/${of}`, POST));
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      return [200, 409, 429].map((status) => statuses.filter((one) => one === status).length);
    };
    expect(await guess(500)).toEqual([1, 499, 0]);
    expect(await guess(10)).toEqual([1, 9, 0]);
    expect(await guess(10)).toEqual([1, 9, 0]);
    expect(await guess(10)).toEqual([0, 0, 10]);
  });

  it('responds with the conflict when the handler has rejected the request', async () => {
    const errors: unknown[] = [];
    const gate = Promise.withResolvers<void>();
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }))
      .use(session<{ failed: number }>({ store: createMemoryStore() }))
      .post('/first', ({ state }) => {
        state.session.set('failed', 0);
        return 0;
      })
      .post('/slow', async ({ state }) => {
        state.session.set('failed', (state.session.get('failed') ?? 0) + 1);
        await gate.promise;
        throw new UnauthorizedError('Wrong password.');
      })
      .post('/fast', ({ state }) => {
        state.session.set('failed', (state.session.get('failed') ?? 0) + 1);
        gate.resolve();
        throw new UnauthorizedError('Wrong password.');
      });
    const client = await serve(app);
    await client.send('/first', POST);
    const slow = client.send('/slow', POST);
    const fast = await client.send('/fast', POST);
    expect([fast.status, (await slow).status].toSorted()).toEqual([401, 409]);
    expect(errors).toEqual([]);
  });

  it('explains a conflict', async () => {
    const client = await createRacing(createMemoryStore());
    await client.send('/visit', POST);
    const [late] = await race(
      client,
      (path) => client.copy().send(path, POST),
      '/cart/a',
      '/cart/b',
    );
    expect(await late.json()).toMatchObject({
      code: 'SESSION_CONFLICT',
      detail:
        "Cannot save the session: another request has changed 'cart'. Send the request again.",
    });
  });

  it('that others keep changing is a conflict after ten attempts', async () => {
    const inner = createMemoryStore();
    let attempts = 0;
    const write: SessionStore['write'] = async (key, text, ttl, expected) => {
      if (expected === undefined) return inner.write(key, text, ttl, expected);
      attempts += 1;
      return false;
    };
    const client = await serve(createAccounts({ store: { ...inner, write } }));
    await client.send('/visit', POST);
    const response = await client.send('/cart/a', POST);
    expect(await response.json()).toMatchObject({
      code: 'SESSION_CONFLICT',
      detail: expect.stringContaining('other requests keep changing it'),
    });
    expect(attempts).toBe(10);
  });

  it('with an id that is in use is a conflict', async () => {
    const store = { ...createMemoryStore(), write: async () => false };
    const client = await serve(createAccounts({ store }));
    const response = await client.send('/visit', POST);
    expect(await response.json()).toMatchObject({
      code: 'SESSION_CONFLICT',
      detail: expect.stringContaining('its new id is in use'),
    });
    expect(client.cookies.size).toBe(0);
  });

  it('may change when the handler writes the response, unless it is new', async () => {
    const app = createAccounts({ store: createMemoryStore() }).post('/taken', (ctx) => {
      ctx.state.session.set('visits', 7);
      ctx.takeOver().end('done');
    });
    const client = await serve(app);
    await client.send('/visit', POST);
    expect(await (await client.send('/taken', POST)).text()).toBe('done');
    await expect.poll(async () => (await client.send('/')).json()).toMatchObject({ visits: 7 });
  });

  it('is one session after a rotation that another change has forced to repeat', async () => {
    const client = await createRacing(createMemoryStore({ maxSessions: 2 }));
    await client.send('/visit', POST);
    const first = client.copy();
    const [late] = await race(client, (path) => first.send(path, POST), '/sign-in/ada', '/visit');
    expect(late.status).toBe(200);
    const other = client.copy();
    other.cookies.clear();
    expect((await other.send('/visit', POST)).status).toBe(200);
  });

  it('is read once for each request, and saved once if it has changed', async () => {
    const calls: string[] = [];
    const inner = createMemoryStore();
    const store: SessionStore = {
      read: (...args) => {
        calls.push('read');
        return inner.read(...args);
      },
      write: (...args) => {
        calls.push('write');
        return inner.write(...args);
      },
      delete: (...args) => {
        calls.push('delete');
        return inner.delete(...args);
      },
    };
    const app = createAccounts({ store }).post('/set', ({ state: { session } }) => {
      for (const visits of [2, 3, 1]) session.set('visits', visits);
      return 1;
    });
    const client = await serve(app);
    const callsOf = async (method: string, path: string) => {
      calls.length = 0;
      await client.send(path, { method });
      return [...calls];
    };
    expect(await callsOf('POST', '/set')).toEqual(['write']);
    expect(await callsOf('GET', '/')).toEqual(['read']);
    expect(await callsOf('POST', '/set')).toEqual(['read']);
    expect(await callsOf('POST', '/visit')).toEqual(['read', 'write']);
    expect(await callsOf('POST', '/sign-in/ada')).toEqual(['read', 'delete', 'write']);
    expect(await callsOf('POST', '/sign-out')).toEqual(['read', 'delete']);
  });

  it('loses no member that concurrent requests set', async () => {
    const app = createApp()
      .use(errorHandler(), session<Record<string, number>>({ store: createMemoryStore() }))
      .get('/', ({ state }) =>
        Array.from({ length: 10 }, (_, index) => state.session.get(`n${index}`)),
      )
      .post('/:name', async ({ state, params }) => {
        await new Promise(setImmediate);
        state.session.set(params.name, 1);
        return 1;
      });
    const client = await serve(app);
    await client.send('/first', POST);
    const sent = Array.from({ length: 10 }, (_, index) => client.copy().send(`/n${index}`, POST));
    const responses = await Promise.all(sent);
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await (await client.send('/')).json()).toEqual(Array(10).fill(1));
  });

  it('ends for every copy of the cookie with a sign-out', async () => {
    const client = await serve(createAccounts({ store: createMemoryStore() }));
    await client.send('/sign-in/ada', POST);
    const thief = client.copy();
    await client.send('/sign-out', POST);
    expect(await (await thief.send('/')).json()).toEqual(NOBODY);
  });

  it('ends its old id with rotate()', async () => {
    const client = await serve(createAccounts({ store: createMemoryStore() }));
    await client.send('/sign-in/ada', POST);
    const thief = client.copy();
    await client.send('/sign-in/ada', POST);
    expect(await (await thief.send('/')).json()).toEqual(NOBODY);
  });

  it('is not found if the store does not know the name and path of its cookie', async () => {
    const inner = createMemoryStore();
    const store = { ...inner };
    const client = await serve(createAccounts({ store }));
    await client.send('/sign-in/ada', POST);
    expect(await (await client.send('/')).json()).toMatchObject({ user: 'ada' });
    store.read = async (key, ttl) => (await inner.read(key, ttl))?.replace(/,"[^"]*"\]$/, ']');
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('is stored under the hash of the cookie, without the cookie', async () => {
    const seen: unknown[] = [];
    const inner = createMemoryStore();
    const store: SessionStore = {
      read: (...args) => inner.read(...args),
      write: (...args) => {
        seen.push(args);
        return inner.write(...args);
      },
      delete: (...args) => inner.delete(...args),
    };
    const client = await serve(createAccounts({ store }));
    const { id } = (await (await client.send('/sign-in/ada', POST)).json()) as { id: string };
    expect(seen).toEqual([[id, expect.stringContaining('{"user":"ada"}'), 1_800_000, undefined]]);
    expect(JSON.stringify(seen)).not.toContain(client.cookies.get(COOKIE));
  });

  it('is not read or written without a cookie and a change', async () => {
    const fail = () => Promise.reject(new Error('down'));
    const client = await serve(
      createAccounts({ store: { read: fail, write: fail, delete: fail } }),
    );
    expect((await client.send('/')).status).toBe(200);
    client.cookies.set(COOKIE, 'not an id');
    expect((await client.send('/')).status).toBe(200);
  });
});

describe('the size of a session in a store', () => {
  /** Creates an application whose sessions a client can fill. */
  async function createFilling(options: SessionOptions, errors: unknown[] = []) {
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }), json())
      .use(session<Record<string, unknown>>(options))
      .post('/fill/:name', ({ state, params, body }) => {
        state.session.set(params.name, body);
        return 1;
      })
      .get('/:name', ({ state, params }) => state.session.get(params.name) ?? null);
    const client = await serve(app);
    const anonymous = client.copy();
    const fill = (name: string, length: number, one = anonymous.copy()) => {
      const body = JSON.stringify(['x'.repeat(length)]);
      const headers = { 'Content-Type': 'application/json' };
      return one.send(`/fill/${name}`, { method: 'POST', headers, body });
    };
    return { client, fill };
  }

  it('is limited, so that anonymous requests cannot fill the memory', async () => {
    const errors: unknown[] = [];
    const written: string[] = [];
    const inner = createMemoryStore();
    const store: SessionStore = {
      ...inner,
      write: (key, text, ...rest) => {
        written.push(text);
        return inner.write(key, text, ...rest);
      },
    };
    const { fill } = await createFilling({ store }, errors);
    for (let sent = 0; sent < 150; sent += 1) {
      expect((await fill('large', 20_000)).status).toBe(500);
    }
    expect(written).toEqual([]);
    expect(errors[0]).toMatchObject({
      code: 'SESSION_TOO_LARGE',
      message: expect.stringMatching(
        /^Cannot save the session: it has 200\d\d bytes as JSON, and its largest member is 'large', but maxBytes of session\(\) is 16384\. Keep/,
      ),
    });
  });

  it('is limited together by the store, which refuses more with 503 and keeps the others', async () => {
    const errors: unknown[] = [];
    const store = createMemoryStore({ maxBytes: 50_000 });
    const { client, fill } = await createFilling({ store }, errors);
    await fill('note', 9_000, client);
    const statuses = new Set<number>();
    for (let sent = 0; sent < 20; sent += 1) statuses.add((await fill('large', 10_000)).status);
    expect([...statuses]).toEqual([200, 503]);
    expect((await fill('more', 7_000, client)).status).toBe(503);
    expect(errors[0]).toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
      cause: expect.objectContaining({
        message: expect.stringContaining('createMemoryStore() is full'),
      }),
    });
    expect(await (await client.send('/note')).json()).toEqual(['x'.repeat(9_000)]);
    expect((await fill('note', 8_000, client)).status).toBe(200);
    expect(await (await client.send('/note')).json()).toEqual(['x'.repeat(8_000)]);
  });

  it('may be maxBytes, with its members and when it began', async () => {
    const { client, fill } = await createFilling({ store: createMemoryStore(), maxBytes: 100 });
    const others = `[${Date.now()},{"a":[""]}]`.length;
    expect((await fill('a', 100 - others, client)).status).toBe(200);
    expect((await fill('a', 101 - others, client)).status).toBe(500);
  });

  it('names the largest member in the error', async () => {
    const errors: unknown[] = [];
    const store = createMemoryStore();
    const { client, fill } = await createFilling({ store, maxBytes: 200 }, errors);
    await fill('small', 1, client);
    await fill('large', 100, client);
    expect((await fill('medium', 90, client)).status).toBe(500);
    expect(String(errors[0])).toContain("its largest member is 'large'");
  });

  it('counts all members', async () => {
    const { client, fill } = await createFilling({ store: createMemoryStore(), maxBytes: 100 });
    await fill('a', 40, client);
    expect((await fill('b', 40, client)).status).toBe(500);
    expect(await (await client.send('/a')).json()).toEqual(['x'.repeat(40)]);
    expect(await (await client.send('/b')).json()).toBeNull();
  });

  it('leaves the place of a session in a full store to its rotation', async () => {
    const store = createMemoryStore({ maxSessions: 1 });
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    const app = createApp()
      .use(errorHandler({ onError: () => undefined }), session<Account>({ store }))
      .post('/:isFirst', ({ state, params }) => {
        state.session.set('visits', Number(params.isFirst));
        return 1;
      })
      .post('/together/:user', async ({ state, params }) => {
        if (state.session.id !== undefined) state.session.rotate();
        state.session.set('user', params.user);
        waiting += 1;
        if (waiting === 3) gate.resolve();
        await gate.promise;
        return 1;
      })
      .get('/', ({ state }) => state.session.get('user') ?? null);
    const client = await serve(app);
    await client.send('/1', POST);
    const others = [client.copy(), client.copy()];
    for (const other of others) other.cookies.clear();
    const responses = await Promise.all(
      [client, ...others].map((one, index) => one.send(`/together/${index}`, POST)),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 503, 503]);
    expect(await (await client.send('/')).json()).toBe('0');
  });

  it.each([
    ['an HttpError', new UnauthorizedError('Wrong password.')],
    ['an error as of http-errors', Object.assign(new Error(), { status: 401, expose: true })],
  ])(
    'becomes a 503 if a full store cannot keep the session of a request that fails with %s',
    async (_, error) => {
      const errors: unknown[] = [];
      const store = createMemoryStore({ maxSessions: 1 });
      const app = createAccounts({ store }, errors).post('/guess', ({ state }) => {
        state.session.set('visits', 1);
        throw error;
      });
      const client = await serve(app);
      const other = client.copy();
      expect((await client.send('/guess', POST)).status).toBe(401);
      expect((await other.send('/guess', POST)).status).toBe(503);
      expect(errors).toEqual([expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE' })]);
    },
  );
});

describe('a store that fails', () => {
  const works = createMemoryStore();
  const failing: [string, () => Promise<never>, string][] = [
    ['rejects', () => Promise.reject(new Error('down')), 'down'],
    [
      'throws',
      () => {
        throw new Error('down');
      },
      'down',
    ],
    [
      'hangs',
      () => new Promise(() => undefined),
      'The session store did not respond within 20 ms.',
    ],
  ];

  it.each(failing)('becomes a 503 if it %s', async (_, fail, reason) => {
    const errors: unknown[] = [];
    const store = { ...works };
    const client = await serve(createAccounts({ store, storeTimeout: 20 }, errors));
    await client.send('/sign-in/ada', POST);

    Object.assign(store, { write: fail });
    expect((await client.send('/visit', POST)).status).toBe(503);
    Object.assign(store, { ...works, delete: fail });
    const failed = await client.send('/sign-out', POST);
    expect(failed.status).toBe(503);
    expect(failed.headers.getSetCookie()).toEqual([]);
    expect((await client.send('/sign-in/bob', POST)).status).toBe(503);
    Object.assign(store, { ...works, read: fail });
    const response = await client.send('/');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' });
    Object.assign(store, works);
    expect(await (await client.send('/')).json()).toMatchObject({ user: 'ada' });
    expect(errors).toEqual(
      Array.from({ length: 4 }, () =>
        expect.objectContaining({
          code: 'SESSION_STORE_UNAVAILABLE',
          cause: expect.objectContaining({ message: reason }),
        }),
      ),
    );
  });

  it('becomes a 503 at once while the Redis client is not connected', async () => {
    const errors: unknown[] = [];
    const never = () => new Promise<never>(() => undefined);
    const store = createRedisStore({ isReady: false, getEx: never, eval: never });
    const client = await serve(createAccounts({ store, storeTimeout: 60_000 }, errors));
    expect((await client.send('/sign-in/ada', POST)).status).toBe(503);
    await expect(store.read('a', 1)).rejects.toThrow('The Redis client is not connected.');
    expect(errors).toEqual([expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE' })]);
  });

  it('has 2 seconds to respond by default', async () => {
    const read = () => new Promise<never>(() => undefined);
    const app = createAccounts({ store: { ...works, read } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const onResponse = vi.fn();
    const headers = { Cookie: `${COOKIE}=${'x'.repeat(43)}` };
    const response = app.request('/', { headers }).finally(onResponse);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(onResponse).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await response).status).toBe(503);
  });

  it('leaves no timer when it has responded', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const response = await createAccounts({ store: works }).request('/visit', POST);
    expect(response.status).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('to write the new session of a rotation is a 503, and the old session has ended', async () => {
    const store = { ...works };
    const client = await serve(createAccounts({ store }));
    await client.send('/sign-in/ada', POST);
    store.write = () => Promise.reject(new Error('down'));
    expect((await client.send('/sign-in/bob', POST)).status).toBe(503);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('to delete a session keeps it from rotating', async () => {
    const store = { ...works };
    const client = await serve(createAccounts({ store }));
    await client.send('/sign-in/ada', POST);
    const failures = [() => Promise.reject(new Error('down'))];
    store.delete = (...args) => failures.pop()?.() ?? works.delete(...args);
    expect((await client.send('/sign-in/bob', POST)).status).toBe(503);
    expect(await (await client.send('/')).json()).toMatchObject({ user: 'ada' });
  });

  it('is reported together with the error of the handler', async () => {
    const errors: unknown[] = [];
    const store = { ...works, write: () => Promise.reject(new Error('down')) };
    const app = createAccounts({ store }, errors).post('/fail', ({ state }) => {
      state.session.set('visits', 1);
      throw new Error('of the handler');
    });
    const client = await serve(app);
    expect((await client.send('/fail', POST)).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        errors: [
          expect.objectContaining({ message: 'of the handler' }),
          expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE' }),
        ],
      }),
    ]);
  });
});
