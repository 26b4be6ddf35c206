import { createApp, errorHandler } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { memoryStore, type SessionStore, session } from '../src/index.js';
import { type Account, COOKIE, createAccounts } from './support/accounts.js';
import { type Client, serve } from './support/client.js';
import { testStore } from './support/contract.js';

const POST = { method: 'POST' };
const NOBODY = { user: null, visits: null, cart: null };

testStore('memoryStore', () => memoryStore());

describe('memoryStore', () => {
  it('drops the least recently used session beyond its limit', async () => {
    const store = memoryStore({ maxSessions: 2 });
    await store.write('a', '1', 60_000, undefined);
    await store.write('b', '2', 60_000, undefined);
    await store.read('a', 60_000);
    await store.write('c', '3', 60_000, undefined);
    const texts = ['a', 'b', 'c'].map((key) => store.read(key, 60_000));
    expect(await Promise.all(texts)).toEqual(['1', undefined, '3']);
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
    ['the same member to one value', '/cart/a', '/cart/a', 200, 1, { visits: 1, cart: ['a'] }],
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
    const client = await createRacing(memoryStore());
    await client.send('/visit', POST);
    const first = client.copy();
    const [late, early] = await race(client, (path) => first.send(path, POST), slow, fast);
    expect(early.status).toBe(200);
    expect(late.status).toBe(status);
    const { [newest]: current = client } = [first, client];
    expect(await (await current.send('/')).json()).toMatchObject(after);
  });

  it('explains a conflict', async () => {
    const client = await createRacing(memoryStore());
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

  it('loses no member that concurrent requests set', async () => {
    const app = createApp()
      .use(errorHandler(), session<Record<string, number>>({ store: memoryStore() }))
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
    const client = await serve(createAccounts({ store: memoryStore() }));
    await client.send('/sign-in/ada', POST);
    const thief = client.copy();
    await client.send('/sign-out', POST);
    expect(await (await thief.send('/')).json()).toEqual(NOBODY);
  });

  it('ends its old id with rotate()', async () => {
    const client = await serve(createAccounts({ store: memoryStore() }));
    await client.send('/sign-in/ada', POST);
    const thief = client.copy();
    await client.send('/sign-in/ada', POST);
    expect(await (await thief.send('/')).json()).toEqual(NOBODY);
  });

  it('is stored under the hash of the cookie, without the cookie', async () => {
    const seen: unknown[] = [];
    const inner = memoryStore();
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

describe('a store that fails', () => {
  const works = memoryStore();
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
