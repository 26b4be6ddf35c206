import { type Application, createApp, createRouter, intended, SetupError } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryStore, type SessionOptions, session } from '../src/index.js';
import { createRedisStore, type RedisClient } from '../src/redis.js';
import { NEW_KEY } from './support/keys.js';

const keys = [NEW_KEY];

describe('session', () => {
  it.each<[string, unknown, string]>([
    ['no options', undefined, 'session() needs keys or a store. Pass keys'],
    ['neither keys nor a store', {}, 'session() needs keys or a store. Pass keys'],
    [
      'both',
      { keys, store: createMemoryStore() },
      'session() cannot use both keys and store. Remove',
    ],
    ['no key', { keys: [] }, 'session() needs at least one key. Pass an array of secrets'],
    ['a key without an array', { keys: NEW_KEY }, 'session() needs at least one key.'],
    [
      'a key that is missing from the environment',
      { keys: [undefined] },
      'session() cannot use a value of type undefined as keys[0]. Use a string or bytes.',
    ],
    [
      'a short key',
      { keys: [NEW_KEY, 'secret'] },
      'session() cannot use a key of 6 bytes as keys[1]. Use at least 32, for example from randomBytes(32).',
    ],
    ['an unknown option', { keys, secret: 'x' }, "session() has no option 'secret'."],
    ['a store without methods', { store: {} }, 'store of session() must be an'],
    ['null as a store', { store: null }, 'store of session() must be an'],
    ['a name with a prefix', { keys, name: '__Host-a' }, 'must be let'],
    ['a timeout of 0', { keys, idleTimeout: 0 }, 'must be an integer'],
    [
      'a lifetime of more than 400 days',
      { keys, lifetime: 34_560_000_001 },
      'must be an integer number of milliseconds from 1 to 34560000000: got 34560000001.',
    ],
    ['no bytes', { keys, maxBytes: 0 }, 'must be an integer number of bytes of at least 1: got 0.'],
    ['no time for the store', { keys, storeTimeout: 0 }, 'must be an'],
    [
      'an idle timeout above the lifetime',
      { keys, idleTimeout: 60_000, lifetime: 59_000 },
      'session() cannot use an idleTimeout of 60000 ms with a lifetime of 59000 ms. Set idleTimeout to at most lifetime.',
    ],
    [
      'a user of sessions in cookies',
      { keys, user: 'id' },
      'session() cannot use user with sessions in cookies, which nobody can list. Pass a store',
    ],
    [
      'a user with a store that cannot list sessions',
      { store: { ...createMemoryStore(), deleteOwned: undefined }, user: 'id' },
      'session() cannot use user with this store, because it has no method deleteOwned().',
    ],
    ['an empty user', { store: createMemoryStore(), user: '' }, 'user of session() must be a non'],
    ['a relative path', { keys, path: 'a' }, 'must be a path that starts'],
    ['a path with an attribute', { keys, path: '/;Domain=a' }, ": got '/;Domain=a'."],
    ['a list of paths', { keys, path: ['/a'] }, 'must be a path that starts'],
    ['a list of names', { keys, name: ['a'] }, 'must be let'],
    ['a list of hosts', { keys, domain: ['a.example'] }, 'must be a host'],
    ['a function as a store', { store: () => undefined }, 'store of session() must be an'],
    [
      'a store without one of the methods',
      { store: { ...createMemoryStore(), delete: undefined } },
      'store of session() must be an',
    ],
    [
      'a URL as the domain',
      { keys, domain: 'https://example.com' },
      "must be a host, such as example.com: got 'https://example.com'.",
    ],
    [
      'sameSite none without Secure',
      { keys, sameSite: 'none', secure: false },
      "session() cannot use sameSite: 'none' without Secure. Remove secure: false.",
    ],
  ])('rejects %s', (_, options, message) => {
    const create = () => session(options as SessionOptions);
    expect(create).toThrow(SetupError);
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  it.each([
    { lifetime: 1 },
    { idleTimeout: 1 },
    { idleTimeout: 60_000, lifetime: 60_000 },
    { lifetime: 34_560_000_000 },
    { name: 'SID' },
    { domain: 'Example.COM' },
    { domain: '.example.com' },
    { path: '/~ada/a b' },
  ])('accepts %o', (options) => {
    expect(session({ keys, ...options })).toBeTypeOf('function');
  });

  it('is a factory, like those of middleware', () => {
    expect(descriptionOf(session)?.role).toBe('factory');
  });

  it('does not show keys', () => {
    expect(() => session({ keys: ['hunter2'] })).toThrow(/^(?!.*hunter2)/s);
  });
});

describe('a short session', () => {
  const warningsOf = (options: object) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const middleware = session({ keys, ...options });
    createApp()
      .use(middleware)
      .get('/', () => 1)
      .seal();
    const warnings = emitWarning.mock.calls.map(([warning]) => String(warning));
    intended(middleware);
    createApp()
      .use(middleware)
      .get('/', () => 1)
      .seal();
    expect(emitWarning.mock.calls).toHaveLength(warnings.length);
    emitWarning.mockRestore();
    return warnings;
  };

  it.each([
    [
      { idleTimeout: 1_800 },
      'idleTimeout of session() ends sessions after 1800 milliseconds. If you mean seconds, multiply',
    ],
    [
      { lifetime: 86_400 },
      'lifetime of session() ends sessions after 86400 milliseconds. If you mean seconds, multiply',
    ],
    [
      { idleTimeout: 60_000, lifetime: 86_400 },
      'lifetime of session() ends sessions after 86400 milliseconds. If you mean seconds, multiply',
    ],
  ])('causes a warning, unless it is intended: %o', (options, message) => {
    expect(warningsOf(options)).toEqual([
      expect.stringContaining(
        `The ${message} by 1,000; otherwise pass the middleware to intended().`,
      ),
    ]);
  });

  it('causes a warning about options that only a store has', () => {
    expect(warningsOf({ storeTimeout: 500, maxBytes: 1_000 })).toEqual([
      expect.stringContaining(
        'session() ignores storeTimeout and maxBytes, because its sessions are in cookies. Pass a store, remove storeTimeout and maxBytes, or pass the middleware to intended().',
      ),
    ]);
  });

  it('may last for a minute without a request', () => {
    expect(warningsOf({ idleTimeout: 60_000, lifetime: 600_000 })).toEqual([]);
  });
});

describe('the stores', () => {
  it.each<[string, () => unknown, string]>([
    [
      'createMemoryStore()',
      () => createMemoryStore({ maxSessions: 0 }),
      'maxSessions of createMemoryStore() must be an integer of at least 1: got 0.',
    ],
    [
      'createMemoryStore() without bytes',
      () => createMemoryStore({ maxBytes: '1mb' as unknown as number }),
      "maxBytes of createMemoryStore() must be an integer number of bytes of at least 1: got '1mb'.",
    ],
    [
      'createRedisStore() without a client',
      () => createRedisStore(undefined as unknown as RedisClient),
      'createRedisStore() cannot use undefined as a client. Pass the result of createClient() from the npm package redis.',
    ],
    [
      'createRedisStore() with a client that has no scripts',
      () => createRedisStore({ getEx: async () => null } as unknown as RedisClient),
      'createRedisStore() cannot use an object as a client.',
    ],
    [
      'createRedisStore() with a client that only has scripts',
      () => createRedisStore({ eval: async () => 0 } as unknown as RedisClient),
      'createRedisStore() cannot use an object as a client.',
    ],
    [
      'createRedisStore() with an unknown option',
      () =>
        createRedisStore({ getEx: async () => null, eval: async () => 0 }, { prefx: '' } as object),
      "createRedisStore() has no option 'prefx'. Did you mean 'prefix'?",
    ],
  ])('rejects %s', (_, create, message) => {
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });
});

describe('createRedisStore()', () => {
  /** A client that records its commands, and responds to them in turn. */
  function createClient(...responses: readonly unknown[]) {
    const commands: unknown[] = [];
    const respond = async (command: unknown) => {
      commands.push(command);
      return responses[commands.length - 1];
    };
    const client: RedisClient = {
      getEx: (key, options) => respond([key, options]),
      eval: (_, { keys, arguments: values }) => respond([...keys, ...values]),
    };
    return { client, commands };
  }

  it('reads a text, and extends the life of its key', async () => {
    const { client, commands } = createClient('1', null);
    const store = createRedisStore(client);
    expect(await store.read('a', 60_000)).toBe('1');
    expect(await store.read('b', 60_000)).toBeUndefined();
    const options = { type: 'PX', value: 60_000 };
    expect(commands).toEqual([
      ['session:a', options],
      ['session:b', options],
    ]);
  });

  it('passes an expected text with a mark, and none as an empty one', async () => {
    const { client, commands } = createClient(1, '1', 0, 1, 2);
    const store = createRedisStore(client, { prefix: '' });
    expect(await store.write('a', '1', 60_000, undefined)).toBe(true);
    expect(await store.write('a', '2', 60_000, '')).toBe(true);
    expect(await store.write('a', '3', 60_000, '2')).toBe(false);
    expect(await store.delete('a', '3')).toBe(true);
    expect(await store.delete('a', undefined)).toBe(false);
    expect(commands).toEqual([
      ['a', '', '1', '60000'],
      ['a', '=', '2', '60000'],
      ['a', '=2', '3', '60000'],
      ['a', '=3'],
      ['a', ''],
    ]);
  });
});

describe('a path', () => {
  const shop = () => session({ keys, path: '/shop' });
  const handler = () => 1;

  it.each<[string, () => Application]>([
    ['at all', () => createApp().use(shop()).get('/', handler).get('/shops', handler)],
    [
      'below its prefix',
      () => createApp().use('/api', shop()).get('/api', handler).get('/shop', handler),
    ],
    [
      'of its router',
      () => createApp().route('/api', createRouter().use(shop()).get('/', handler)),
    ],
  ])('that covers no route %s causes a warning', (_name, start) => {
    expect(warningsOf(start())).toEqual([
      expect.stringContaining(
        "session() gives no request a session, because none of its routes is at its path '/shop' or below. Correct the option path, or pass the middleware to intended().",
      ),
    ]);
  });

  it.each<[string, () => Application]>([
    ['a route is below it', () => createApp().use(shop()).get('/shop/:id', handler)],
    ['a route may be below it', () => createApp().use(shop()).get('/:section', handler)],
    [
      'other middleware may respond',
      () =>
        createApp()
          .use(shop())
          .use('/shop', (ctx) => ctx.send(''))
          .get('/', handler),
    ],
    ['there are no routes', () => createApp().use(shop())],
    ['it is intended', () => createApp().use(intended(shop())).get('/', handler)],
  ])('causes none if %s', (_name, start) => {
    expect(warningsOf(start())).toEqual([]);
  });
});

describe('two sessions with the same cookie', () => {
  const create = (options: Partial<SessionOptions> = {}) => session({ keys, ...options });
  const handler = () => 1;

  it('cause a warning of the application, and of a router', () => {
    const admin = createRouter().use(create()).get('/', handler);
    expect(warningsOf(createApp().use(create()).route('/admin', admin))).toEqual([
      expect.stringContaining(
        'session() replaces the session of another session() before it, which has the same cookie, for example for GET /admin. Remove one of them, pass another name, or pass the middleware to intended().',
      ),
    ]);
    expect(warningsOf(createApp().use(create()).use(create()))).toEqual([
      expect.stringContaining('which has the same cookie. Remove one of them'),
    ]);
  });

  it.each<[string, () => Application]>([
    [
      'their names differ',
      () =>
        createApp()
          .use(create())
          .use(create({ name: 'admin' })),
    ],
    [
      'they have different paths',
      () =>
        createApp()
          .use(create(), create({ path: '/admin' }))
          .get('/admin', handler),
    ],
    [
      'they are for different prefixes',
      () =>
        createApp().use('/a', create()).use('/b', create()).get('/a', handler).get('/b', handler),
    ],
    ['one is intended', () => createApp().use(create()).use(intended(create()))],
    [
      'it is one for two routers',
      () => {
        const one = create();
        const router = () => createRouter().use(one).get('/', handler);
        return createApp().route('/a', router()).route('/b', router());
      },
    ],
  ])('cause none if %s', (_, start) => {
    expect(warningsOf(start())).toEqual([]);
  });
});
