import { createApp, errorHandler } from '@fairlead/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createMemoryStore,
  endSessions,
  type SessionOptions,
  type SessionStore,
  session,
} from '../src/index.js';
import { COOKIE } from './support/accounts.js';
import { serve } from './support/client.js';
import { NEW_KEY } from './support/keys.js';

const POST = { method: 'POST' };
const DAY = 86_400_000;

interface Account {
  id: string;
  note: string;
}

/** Creates an application whose users can be remembered, and end their other sessions. */
function create(options: SessionOptions, errors: unknown[] = []) {
  return createApp()
    .use(errorHandler({ onError: (error) => errors.push(error) }), session<Account>(options))
    .get('/', ({ state }) => state.session.get('id') ?? null)
    .post('/sign-in/:id', ({ state, params, query }) => {
      state.session.rotate({ remember: query.days === undefined ? undefined : +query.days * DAY });
      state.session.set('id', params.id);
    })
    .post('/note', ({ state }) => state.session.set('note', 'a'))
    .post('/rotate', ({ state }) => state.session.rotate())
    .post('/sign-out', ({ state }) => state.session.destroy())
    .post('/password', ({ state }) => {
      state.session.destroyOthers();
      state.session.rotate();
    })
    .post('/others', ({ state }) => state.session.destroyOthers())
    .post('/everywhere', ({ state }) => {
      state.session.destroyOthers();
      state.session.destroy();
    });
}

const userOf = async (client: Awaited<ReturnType<typeof serve>>) => (await client.send('/')).json();

describe.each<[string, () => SessionOptions]>([
  ['a cookie', () => ({ keys: [NEW_KEY] })],
  ['a store', () => ({ store: createMemoryStore() })],
])('a remembered session in %s', (_, options) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('lasts for its time without requests, after others have ended', async () => {
    const client = await serve(create(options()));
    const other = client.copy();
    await client.send('/sign-in/ada?days=30', POST);
    await other.send('/sign-in/bob', POST);
    vi.setSystemTime(13 * 3_600_000);
    expect([await userOf(client), await userOf(other)]).toEqual(['ada', null]);
    vi.setSystemTime(30 * DAY - 1);
    expect(await userOf(client)).toBe('ada');
    await client.send('/note', POST);
    vi.setSystemTime(30 * DAY);
    expect(await userOf(client)).toBeNull();
  });

  it('has a cookie that persists, as long as the session', async () => {
    const client = await serve(create(options()));
    const ageOf = ({ headers }: Response) =>
      /Max-Age=(\d+)/.exec(headers.getSetCookie()[0] ?? '')?.[1];
    expect(ageOf(await client.send('/sign-in/ada?days=30', POST))).toBe('2592000');
    expect(ageOf(await client.send('/sign-in/ada', POST))).toBeUndefined();
  });

  it('is as long as others after a rotation without it', async () => {
    const client = await serve(create(options()));
    await client.send('/sign-in/ada?days=30', POST);
    await client.send('/rotate', POST);
    expect(await userOf(client)).toBe('ada');
    vi.setSystemTime(1_800_000);
    expect(await userOf(client)).toBeNull();
  });
});

describe('rotate()', () => {
  it.each([
    ['?days=0.001', 'remember of session.rotate() must be an integer number of milliseconds from'],
    ['?days=401', 'from 3600000 to 34560000000: got 34646400000.'],
  ])('refuses a time that is too short or too long: %s', async (query, message) => {
    const errors: unknown[] = [];
    const app = create({ keys: [NEW_KEY] }, errors);
    expect((await app.request(`/sign-in/ada${query}`, POST)).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    ]);
  });
});

it('a client that changes how long its session is remembered has no session', async () => {
  const client = await serve(create({ store: createMemoryStore() }));
  await client.send('/sign-in/ada?days=1', POST);
  const value = client.cookies.get(COOKIE) ?? '';
  expect(value).toMatch(/^[\w-]{43}\.86400000$/);
  for (const forged of [value.replace('.86', '.96'), value.slice(0, 43), `${value}0`]) {
    client.cookies.set(COOKIE, forged);
    expect(await userOf(client)).toBeNull();
  }
});

describe('destroyOthers()', () => {
  const options = () => ({ store: createMemoryStore(), user: 'id' });

  /** Signs in on several devices, of which the last one is that of another user. */
  async function signIn(given: SessionOptions) {
    const phone = await serve(create(given));
    const [laptop, tablet, bobs] = [phone.copy(), phone.copy(), phone.copy()];
    for (const client of [phone, laptop, tablet]) await client.send('/sign-in/ada', POST);
    await bobs.send('/sign-in/bob', POST);
    const users = () => Promise.all([phone, laptop, tablet, bobs].map(userOf));
    return { phone, laptop, users };
  }

  it('ends the sessions of the user on other devices', async () => {
    const { phone, users } = await signIn(options());
    await phone.send('/others', POST);
    expect(await users()).toEqual(['ada', null, null, 'bob']);
  });

  it('ends all with destroy()', async () => {
    const { phone, users } = await signIn(options());
    const response = await phone.send('/everywhere', POST);
    expect(response.headers.getSetCookie()[0]).toContain('Max-Age=0;');
    expect(await users()).toEqual([null, null, null, 'bob']);
  });

  it('keeps the session that rotates', async () => {
    const { phone, laptop, users } = await signIn(options());
    await phone.send('/password', POST);
    expect(await users()).toEqual(['ada', null, null, 'bob']);
    await laptop.send('/sign-in/ada', POST);
    await laptop.send('/others', POST);
    expect(await users()).toEqual([null, 'ada', null, 'bob']);
  });

  it('knows the user who has signed in last in a session', async () => {
    const { phone, laptop, users } = await signIn(options());
    await laptop.send('/sign-in/bob', POST);
    await phone.send('/others', POST);
    expect(await users()).toEqual(['ada', 'bob', null, 'bob']);
    await laptop.send('/everywhere', POST);
    expect(await users()).toEqual(['ada', null, null, null]);
  });

  it('leaves no session that rotates at the same time', async () => {
    const given = options();
    const { phone, laptop, users } = await signIn(given);
    const { write } = given.store;
    let others: Promise<unknown> = Promise.resolve();
    given.store = {
      ...given.store,
      // All sessions end after the new one was written.
      async write(...parameters) {
        const isWritten = await write(...parameters);
        others = phone.send('/everywhere', POST);
        await others;
        return isWritten;
      },
    };
    const racing = await serve(create(given));
    racing.cookies.set(COOKIE, laptop.cookies.get(COOKIE) ?? '');
    expect((await racing.send('/rotate', POST)).status).toBe(409);
    expect(await users()).toEqual([null, null, null, 'bob']);
    expect(await userOf(racing)).toBeNull();
  });

  it('fails if the store does, and the response with it', async () => {
    const given = options();
    const { phone } = await signIn(given);
    const deleteOwned = () => Promise.reject(new Error('down'));
    const broken = await serve(create({ ...given, store: { ...given.store, deleteOwned } }));
    broken.cookies.set(COOKIE, phone.cookies.get(COOKIE) ?? '');
    expect((await broken.send('/others', POST)).status).toBe(503);
  });

  it.each<[string, SessionOptions, string]>([
    ['without a user', options(), "'id' is not set, which identifies the user."],
    ['without the option user', { keys: [NEW_KEY] }, 'session() has no option user. Pass the name'],
  ])('is an error %s', async (_, given, message) => {
    const errors: unknown[] = [];
    expect((await create(given, errors).request('/others', POST)).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'SESSION_WITHOUT_USER',
        message: expect.stringContaining(message),
      }),
    ]);
  });
});

describe('endSessions()', () => {
  it('ends all sessions of a user', async () => {
    const store = createMemoryStore();
    const ada = await serve(create({ store, user: 'id' }));
    const bob = ada.copy();
    await ada.send('/sign-in/ada', POST);
    await bob.send('/sign-in/bob', POST);
    await endSessions(store, 'ada');
    expect([await userOf(ada), await userOf(bob)]).toEqual([null, 'bob']);
  });

  it('refuses a store that does not know owners, and no user', async () => {
    const { read, write, delete: remove } = createMemoryStore();
    const store: SessionStore = { read, write, delete: remove };
    await expect(endSessions(store, 'ada')).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('it has no method deleteOwned()'),
    });
    await expect(endSessions(createMemoryStore(), undefined)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('endSessions() cannot use undefined as a user.'),
    });
  });
});
