import { Readable } from 'node:stream';
import {
  type Context,
  createApp,
  errorHandler,
  NotFoundError,
  UnauthorizedError,
} from '@fairlead/core';
import { compression, sendEvents } from '@fairlead/middleware';
import { exchange } from '@fairlead/test-support/raw-connection';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore, type Session, type SessionOptions, session } from '../src/index.js';
import { type Account, COOKIE, createAccounts } from './support/accounts.js';
import { serve } from './support/client.js';
import { NEW_KEY } from './support/keys.js';

const backends: [string, () => SessionOptions][] = [
  ['in a cookie', () => ({ keys: [NEW_KEY] })],
  ['in a store', () => ({ store: createMemoryStore() })],
];

const POST = { method: 'POST' };
const NOBODY = { user: null, visits: null, cart: null };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

class Point {
  x = 1;
}
const cycle: { list: unknown[] } = { list: [] };
cycle.list.push(cycle);
const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);

/** A value, the path of its part that JSON cannot represent, and what that part is. */
const invalid: [string, unknown, string, string][] = [
  ['a Map', new Map([[1, 2]]), 'a', 'an instance of Map'],
  ['a Set', new Set(), 'a', 'an instance of Set'],
  ['a promise', Promise.resolve(1), 'a', 'an instance of Promise'],
  ['an error', new TypeError('a'), 'a', 'an instance of TypeError'],
  ['a regular expression', /a/, 'a', 'an instance of RegExp'],
  ['bytes', Buffer.from('a'), 'a', 'an instance of Buffer'],
  ['a URL', new URL('http://a'), 'a', 'an instance of URL'],
  ['a boxed string', Object('a'), 'a', 'an instance of String'],
  ['an instance of a class', new Point(), 'a', 'an instance of Point'],
  ['an invalid Date', new Date('a'), 'a', 'an invalid Date'],
  ['a bigint', 1n, 'a', 'a value of type bigint'],
  ['a symbol', Symbol('a'), 'a', 'a value of type symbol'],
  ['a function', () => 1, 'a', 'a value of type function'],
  ['NaN', Number.NaN, 'a', 'NaN'],
  ['Infinity', Number.POSITIVE_INFINITY, 'a', 'Infinity'],
  ['a nested Map', { users: [{ roles: new Map() }] }, 'a.users[0].roles', 'an instance of Map'],
  ['a nested NaN', { price: [1, -Infinity] }, 'a.price[1]', '-Infinity'],
  ['a nested function', { toJSON: () => 1 }, 'a.toJSON', 'a value of type function'],
  ['undefined in an array', [1, undefined], 'a[1]', 'a value of type undefined'],
  ['an array with a hole', Object.assign(Array(2), { 1: 1 }), 'a[0]', 'a value of type undefined'],
  ['a cycle', cycle, 'a.list[0]', 'an object that contains itself'],
  ['many levels', nest(1_001), `a${'[0]'.repeat(1_000)}`, 'nested more than 1000 levels deep'],
];

/** A value, and what JSON restores. */
const valid: [string, unknown, unknown][] = [
  ['null', null, null],
  [
    'nested values',
    { b: [{ c: [] }, {}, -1.5, '', true, null] },
    { b: [{ c: [] }, {}, -1.5, '', true, null] },
  ],
  ['an object twice', Array(2).fill({ b: 1 }), [{ b: 1 }, { b: 1 }]],
  ['an object without a prototype', Object.assign(Object.create(null), { b: 1 }), { b: 1 }],
  ['a Date, as a string', [new Date(0)], ['1970-01-01T00:00:00.000Z']],
  ['an object without the members that are undefined', { b: undefined, c: 1 }, { c: 1 }],
  ['text that is not ASCII', 'Zoë 🚢 \u0000 \ud800', 'Zoë 🚢 \u0000 \ud800'],
  ['1,000 levels', nest(1_000), nest(1_000)],
];

/** Moves the clock. */
function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1_000);
}

describe.each(backends)('a session %s', (_, createOptions) => {
  it.each(['/', '/none', '/id'])('does not exist for a client that only reads %s', async (path) => {
    const client = await serve(createAccounts(createOptions()));
    const response = await client.send(path);
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('does not exist after a sign-out without a session', async () => {
    const client = await serve(createAccounts(createOptions()));
    const response = await client.send('/sign-out', POST);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('begins with the first member, and sets a cookie with safe attributes', async () => {
    const client = await serve(createAccounts(createOptions()));
    const response = await client.send('/visit', POST);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-Http-session=[\w-]{43,}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  it('keeps its members, and sets no cookie again for a request that only reads', async () => {
    const client = await serve(createAccounts(createOptions()));
    for (const path of ['/visit', '/visit', '/cart/rope']) await client.send(path, POST);
    const response = await client.send('/');
    expect(await response.json()).toEqual({ user: null, visits: 2, cart: ['rope'] });
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.has('Cache-Control')).toBe(false);
  });

  it('has an id, which rotate() changes and which no cookie contains', async () => {
    const client = await serve(createAccounts(createOptions()));
    expect(await (await client.send('/id')).json()).toEqual({ id: null });
    const first = await (await client.send('/sign-in/ada', POST)).json();
    expect(await (await client.send('/id')).json()).toEqual(first);
    const second = await (await client.send('/sign-in/bob', POST)).json();
    expect(await (await client.send('/id')).json()).toEqual(second);
    expect(second).not.toEqual(first);
    expect(client.cookies.get(COOKIE)).not.toContain((second as { id: string }).id);
  });

  it('has another id after each rotate() of a request', async () => {
    const app = createAccounts(createOptions()).post('/ids', ({ state: { session } }) => {
      const ids: unknown[] = [session.id ?? null];
      session.set('visits', 1);
      ids.push(session.id);
      session.rotate();
      ids.push(session.id);
      return ids;
    });
    const client = await serve(app);
    const [before, first, second] = (await (await client.send('/ids', POST)).json()) as string[];
    expect(before).toBeNull();
    expect(second).not.toBe(first);
    expect(await (await client.send('/id')).json()).toEqual({ id: second });
  });

  it('keeps its members when it rotates', async () => {
    const client = await serve(createAccounts(createOptions()));
    await client.send('/cart/rope', POST);
    await client.send('/sign-in/ada', POST);
    expect(await (await client.send('/')).json()).toEqual({
      user: 'ada',
      visits: null,
      cart: ['rope'],
    });
  });

  it('never takes over a value that the client has chosen', async () => {
    const client = await serve(createAccounts(createOptions()));
    const planted = 'x'.repeat(43);
    client.cookies.set(COOKIE, planted);
    await client.send('/sign-in/ada', POST);
    expect(client.cookies.get(COOKIE)).not.toBe(planted);
    const attacker = client.copy();
    attacker.cookies.set(COOKIE, planted);
    expect(await (await attacker.send('/')).json()).toEqual(NOBODY);
  });

  it('does not give a sign-in to a client that shares the cookie from before', async () => {
    const attacker = await serve(createAccounts(createOptions()));
    await attacker.send('/visit', POST);
    const victim = attacker.copy();
    await victim.send('/sign-in/ada', POST);
    expect(await (await victim.send('/')).json()).toMatchObject({ user: 'ada' });
    expect(await (await attacker.send('/')).json()).toMatchObject({ user: null });
  });

  it('ends with destroy(), which deletes the cookie', async () => {
    const client = await serve(createAccounts(createOptions()));
    await client.send('/sign-in/ada', POST);
    const response = await client.send('/sign-out', POST);
    expect(response.headers.getSetCookie()).toEqual([
      '__Host-Http-session=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
    ]);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(client.cookies.size).toBe(0);
  });

  it('begins anew with a member that is set after destroy()', async () => {
    const app = createAccounts(createOptions()).post('/restart', ({ state }) => {
      state.session.destroy();
      state.session.set('visits', 1);
      return state.session.id;
    });
    const client = await serve(app);
    const first = await (await client.send('/sign-in/ada', POST)).json();
    const second = await (await client.send('/restart', POST)).json();
    expect(second).not.toEqual((first as { id: string }).id);
    expect(await (await client.send('/')).json()).toEqual({ ...NOBODY, visits: 1 });
  });

  it('ends without a request for the idle timeout, which each request extends', async () => {
    const client = await serve(createAccounts({ ...createOptions(), idleTimeout: 60_000 }));
    await client.send('/visit', POST);
    for (const _ of [1, 2, 3]) {
      pass(59);
      expect(await (await client.send('/')).json()).toMatchObject({ visits: 1 });
    }
    pass(60);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('ends after its lifetime, however often it is used', async () => {
    const options = { ...createOptions(), idleTimeout: 60_000, lifetime: 100_000 };
    const client = await serve(createAccounts(options));
    await client.send('/visit', POST);
    pass(50);
    await client.send('/visit', POST);
    pass(49);
    expect(await (await client.send('/')).json()).toMatchObject({ visits: 2 });
    pass(1);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('lasts 30 minutes without a request and 12 hours by default', async () => {
    const client = await serve(createAccounts(createOptions()));
    await client.send('/visit', POST);
    for (let minutes = 29; minutes < 720; minutes += 29) {
      pass(29 * 60);
      expect(await (await client.send('/')).json()).toMatchObject({ visits: 1 });
    }
    pass(23 * 60 + 59);
    expect(await (await client.send('/')).json()).toMatchObject({ visits: 1 });
    pass(1);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
    await client.send('/visit', POST);
    pass(30 * 60);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('has a new lifetime after rotate()', async () => {
    const client = await serve(createAccounts({ ...createOptions(), lifetime: 100_000 }));
    await client.send('/visit', POST);
    pass(99);
    await client.send('/sign-in/ada', POST);
    pass(99);
    expect(await (await client.send('/')).json()).toMatchObject({ user: 'ada', visits: 1 });
  });

  it('has a cookie with the rest of its lifetime if it is persistent', async () => {
    const options = { ...createOptions(), lifetime: 100_000, persistent: true };
    const client = await serve(createAccounts(options));
    const response = await client.send('/visit', POST);
    expect(response.headers.getSetCookie()).toEqual([expect.stringContaining('; Max-Age=100; ')]);
  });

  it('is saved when the handler throws, and the cookie is on the error response', async () => {
    const app = createAccounts(createOptions()).post('/fail', ({ state }) => {
      state.session.set('visits', 7);
      throw new Error('late');
    });
    const client = await serve(app);
    expect((await client.send('/fail', POST)).status).toBe(500);
    expect(await (await client.send('/')).json()).toMatchObject({ visits: 7 });
  });

  it('rejects changes after it was saved', async () => {
    const failures: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const app = createAccounts(createOptions()).post('/late', ({ state: { session } }) => {
      void promise.then(() => {
        for (const change of [
          () => session.set('visits', 1),
          () => session.rotate(),
          () => session.destroy(),
        ]) {
          try {
            change();
          } catch (error) {
            failures.push(error);
          }
        }
      });
      return 'early';
    });
    const client = await serve(app);
    await client.send('/late', POST);
    resolve();
    await promise;
    expect(failures).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ name: 'SessionError', code: 'SESSION_CLOSED', status: 500 }),
      ),
    );
    expect(String(failures[0])).toContain(
      "Cannot change the session (set 'visits'): it was already saved. Change it before",
    );
  });

  it('rejects changes after the response was sent', async () => {
    const errors: unknown[] = [];
    const app = createAccounts(createOptions(), errors).post('/sent', (ctx) => {
      ctx.takeOver().writeHead(200).flushHeaders();
      ctx.state.session.set('visits', 1);
    });
    const client = await serve(app);
    const ended = client.send('/sent', POST).then((response) => response.text());
    await expect(ended).rejects.toThrow();
    expect(String(errors[0])).toContain('the response was already sent');
  });

  it('fails when the handler sends a response that cannot have the cookie', async () => {
    const errors: unknown[] = [];
    const app = createAccounts(createOptions(), errors)
      .post('/taken', (ctx) => {
        ctx.state.session.set('visits', 1);
        ctx.takeOver();
      })
      .post('/ended', (ctx) => {
        ctx.state.session.set('visits', 1);
        ctx.takeOver().write('half');
      });
    const client = await serve(app);
    expect((await client.send('/taken', POST)).status).toBe(500);
    await expect(client.send('/ended', POST).then((one) => one.text())).rejects.toThrow();
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'SESSION_CLOSED',
        message: expect.stringContaining('the handler has written the response itself'),
      }),
      expect.objectContaining({ code: 'SESSION_CLOSED' }),
    ]);
  });

  it('cannot end when the handler sends a response that cannot delete the cookie', async () => {
    const errors: unknown[] = [];
    const app = createAccounts(createOptions(), errors).post('/taken', (ctx) => {
      ctx.state.session.destroy();
      ctx.takeOver();
    });
    const client = await serve(app);
    await client.send('/visit', POST);
    expect((await client.send('/taken', POST)).status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ code: 'SESSION_CLOSED' })]);
    expect(await (await client.send('/')).json()).toMatchObject({ visits: 1 });
  });

  it('returns copies of values', async () => {
    const app = createApp()
      .use(errorHandler(), session<Record<string, unknown>>(createOptions()))
      .post('/', ({ state: { session } }) => {
        const list = [1];
        session.set('list', list);
        list.push(2);
        (session.get('list') as number[]).push(3);
        session.set('gone', 1);
        session.set('gone', undefined);
        session.set('__proto__', { polluted: true });
        return [session.get('list'), session.get('gone') ?? null, session.get('toString') ?? null];
      })
      .get('/', ({ state }) => [state.session.get('list'), state.session.get('__proto__')]);
    const client = await serve(app);
    expect(await (await client.send('/', POST)).json()).toEqual([[1], null, null]);
    expect(await (await client.send('/')).json()).toEqual([[1], { polluted: true }]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each(invalid)('rejects %s', async (_, value, path, found) => {
    const errors: unknown[] = [];
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }))
      .use(session<Record<string, unknown>>(createOptions()))
      .post('/', ({ state }) => state.session.set('a', value));
    const client = await serve(app);
    expect((await client.send('/', POST)).status).toBe(500);
    expect(client.cookies.size).toBe(0);
    expect(errors).toEqual([
      expect.objectContaining({
        name: 'SessionError',
        code: 'INVALID_SESSION_VALUE',
        message: `Cannot keep '${path}' in the session: it is ${found}. Use JSON values: plain objects, arrays, strings, finite numbers, booleans and null.`,
      }),
    ]);
  });

  it.each(valid)('keeps %s', async (_, value, read) => {
    const app = createApp()
      .use(errorHandler(), session<Record<string, unknown>>(createOptions()))
      .post('/', ({ state }) => {
        state.session.set('a', value);
        return 1;
      })
      .get('/', ({ state }) => ({ value: state.session.get('a') }));
    const client = await serve(app);
    expect((await client.send('/', POST)).status).toBe(200);
    expect(await (await client.send('/')).json()).toEqual({ value: read });
  });

  it.each([
    ['', ''],
    ['a long value', 'x'.repeat(10_000)],
    ['an encoded one', '%00%ff'],
    ['JSON', '{"user":"admin"}'],
    ['an unknown id', 'A'.repeat(43)],
    ['bytes without a tag', 'A'.repeat(63)],
  ])('ignores a cookie with %s', async (_name, value) => {
    const client = await serve(createAccounts(createOptions()));
    client.cookies.set(COOKIE, value);
    const response = await client.send('/');
    expect(await response.json()).toEqual(NOBODY);
    // Another response may have replaced the cookie in the meantime.
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('refuses a request with 10 MB of cookies', async () => {
    const app = createAccounts(createOptions());
    const client = await serve(app);
    const { url } = await client.send('/none');
    const cookies = `a=${'x'.repeat(10_000_000)}`;
    const head = `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${cookies}\r\n\r\n`;
    expect(await exchange(Number(new URL(url).port), head)).toMatch(/^HTTP\/1\.1 431 /);
    expect((await client.send('/')).status).toBe(200);
  });
});

describe('the cookie', () => {
  it.each<[SessionOptions, RegExp]>([
    [{ secure: false }, /^session=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/],
    [{ name: 'sid' }, /^__Host-Http-sid=/],
    [{ path: '/admin' }, /^__Http-session=[^;]+; Path=\/admin; HttpOnly; Secure; SameSite=Lax$/],
    [
      { domain: 'example.com', sameSite: 'none' },
      /^__Http-session=[^;]+; Domain=example\.com; Path=\/; HttpOnly; Secure; SameSite=None$/,
    ],
    [{ sameSite: 'strict' }, /; SameSite=Strict$/],
  ])('applies %j', async (options, line) => {
    const app = createApp()
      .use(errorHandler(), session<Account>({ keys: [NEW_KEY], ...options }))
      .get('/admin', ({ state }) => state.session.get('visits'))
      .put('/admin', ({ state }) => {
        state.session.set('visits', 1);
        return 1;
      })
      .delete('/admin', ({ state }) => {
        state.session.destroy();
        return 1;
      });
    const client = await serve(app);
    const response = await client.send('/admin', { method: 'PUT' });
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(line)]);
    expect(await (await client.send('/admin')).json()).toBe(1);
    const ended = await client.send('/admin', { method: 'DELETE' });
    const scopeOf = (text = '') => /; Path=[^;]*/.exec(text)?.[0];
    expect(scopeOf(ended.headers.getSetCookie()[0])).toBe(
      scopeOf(response.headers.getSetCookie()[0]),
    );
  });

  it.each([
    [{ 'Cache-Control': 'private' }, 'private'],
    [{ 'Cache-Control': 'no-store, no-transform' }, 'no-store, no-transform'],
    [{ 'Cache-Control': 'public, max-age=60' }, 'no-store'],
    [{ 'Cache-Control': 'no-cache' }, 'no-store'],
    [{ 'Cache-Control': 'no-cache, no-transform' }, 'no-store, no-transform'],
    [{ 'Cache-Control': 'max-age=60,No-Transform' }, 'no-store, no-transform'],
    [{ 'Cache-Control': 'ext="a, no-transform"' }, 'no-store'],
    [{ 'CDN-Cache-Control': 'max-age=60' }, 'no-store'],
    [{ 'Cache-Control': 'private', 'Surrogate-Control': 'max-age=60' }, 'private'],
  ])('keeps shared caches away from a response with %j', async (headers, expected) => {
    const app = createAccounts({ keys: [NEW_KEY] }).post('/begin', (ctx) => {
      for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
      ctx.state.session.set('visits', 1);
      return 1;
    });
    const response = await (await serve(app)).send('/begin', POST);
    const cacheHeaders = [...response.headers].filter(([name]) => /cache|surrogate/.test(name));
    expect(cacheHeaders).toEqual([['cache-control', expected]]);
  });

  it('does not let compression() encode a stream of events', async () => {
    const app = createApp()
      .use(compression(), session<Account>({ keys: [NEW_KEY] }))
      .get('/events', (ctx) => {
        ctx.state.session.set('visits', 1);
        sendEvents(ctx, Readable.from([{ data: 'hello' }]));
      });
    const response = await app.request('/events', { headers: { 'Accept-Encoding': 'br' } });
    expect(response.headers.getSetCookie()).toHaveLength(1);
    expect(response.headers.get('Content-Encoding')).toBeNull();
    expect(await response.text()).toContain('data: hello');
  });

  it('keeps shared caches away from a response that middleware made public before', async () => {
    const app = createApp()
      .use(errorHandler())
      .use((ctx, next) => {
        ctx.set('Cache-Control', 'public, max-age=60');
        return next();
      })
      .use(session<Account>({ keys: [NEW_KEY] }))
      .get('/begin', ({ state }) => {
        state.session.set('visits', 1);
        return 1;
      });
    const response = await (await serve(app)).send('/begin');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  it('keeps shared caches away from errors that set it', async () => {
    const app = createAccounts({ keys: [NEW_KEY] }).get('/gone', (ctx) => {
      ctx.set('Cache-Control', 'public');
      ctx.state.session.set('visits', 1);
      throw new NotFoundError();
    });
    const response = await (await serve(app)).send('/gone');
    expect(response.status).toBe(404);
    expect(response.headers.getSetCookie()).toHaveLength(1);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });
});

describe.each(backends)('a session %s with a path', (_, createOptions) => {
  it.each([
    ['/admin', ['/admin', '/admin/', '/admin/users'], ['/', '/administer', '/ADMIN', '/a/admin']],
    ['/admin/', ['/admin/', '/admin/users'], ['/admin', '/administer']],
  ])('of %s exists only for requests that receive its cookie', async (path, inside, outside) => {
    const errors: unknown[] = [];
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }))
      .use(session<Account>({ ...createOptions(), path }), (ctx) => {
        const { session } = ctx.state;
        if (ctx.method === 'POST') session.set('visits', (session.get('visits') ?? 0) + 1);
        ctx.json([session.get('visits') ?? null, session.id === undefined]);
      });
    const client = await serve(app);
    for (const [index, url] of inside.entries()) {
      expect(await (await client.send(url, POST)).json()).toEqual([index + 1, false]);
    }
    for (const url of outside) {
      expect(await (await client.send(url)).json()).toEqual([null, true]);
      const response = await client.send(url, POST);
      expect(response.status).toBe(500);
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect(errors).toEqual(
      outside.map((url) =>
        expect.objectContaining({
          code: 'OUTSIDE_SESSION_PATH',
          message: `Cannot change the session (set 'visits') in a request to '${url}': clients send its cookie only to '${path}' and below. Move the route there, or change the option path of session().`,
        }),
      ),
    );
  });

  it('cannot be rotated or destroyed in a request to another path', async () => {
    const errors: unknown[] = [];
    const app = createAccounts({ ...createOptions(), path: '/admin' }, errors);
    const client = await serve(app);
    expect((await client.send('/sign-in/ada', POST)).status).toBe(500);
    expect((await client.send('/sign-out', POST)).status).toBe(500);
    expect(errors.map(String)).toEqual([
      expect.stringContaining('(rotate it)'),
      expect.stringContaining('(destroy it)'),
    ]);
  });

  it.each([
    ['/shop', '/blog'],
    ['/blog', '/shop'],
  ])('of %s may be next to one of %s', async (first, second) => {
    const one = session<Account>({ ...createOptions(), path: first, name: 'one' });
    const other = session<Account>({ ...createOptions(), path: second, name: 'other' });
    const app = createApp().use(errorHandler(), one, other, (ctx) => {
      ctx.state.session.set('visits', (ctx.state.session.get('visits') ?? 0) + 1);
      ctx.json(ctx.state.session.get('visits'));
    });
    const client = await serve(app);
    const visits = [];
    for (const path of ['/shop', '/blog', '/shop']) {
      visits.push(await (await client.send(path)).json());
    }
    expect(visits).toEqual([1, 1, 2]);
    expect([...client.cookies.keys()].toSorted()).toEqual(['__Http-one', '__Http-other']);
  });

  it.each([
    ['/admin', '/'],
    ['/', '/admin'],
  ])('is the one with the longest path, with one of %s before one of %s', async (first, second) => {
    const one = session<Account>({ ...createOptions(), path: first, name: 'one' });
    const other = session<Account>({ ...createOptions(), path: second, name: 'other' });
    const signIn = ({ state }: { readonly state: { readonly session: Session<Account> } }) => {
      state.session.set('user', 'ada');
      return null;
    };
    const app = createApp()
      .use(errorHandler(), one, other)
      .post('/sign-in', signIn)
      .post('/admin/sign-in', signIn)
      .get('/admin/users', ({ state }) => {
        if (state.session.get('user') === undefined) throw new UnauthorizedError();
        return [];
      });
    const client = await serve(app);
    await client.send('/sign-in', POST);
    expect((await client.send('/admin/users')).status).toBe(401);
    await client.send('/admin/sign-in', POST);
    expect((await client.send('/admin/users')).status).toBe(200);
    expect(client.cookies.size).toBe(2);
  });

  it.each([
    ['/ADMIN/users', '/admin', '/'],
    ['/Admin', '/admin', '/'],
    ['/admin', '/admin/', '/'],
    ['/shop/STAFF/', '/shop/staff/', '/shop'],
  ])(
    'leaves %s, which a router may find below %s, to no session of %s',
    async (url, path, broad) => {
      const one = session<Account>({ ...createOptions(), path, name: 'one' });
      const other = session<Account>({ ...createOptions(), path: broad, name: 'other' });
      const user = async (ctx: Context<object, { session: Session<Account> }>) => {
        if (ctx.method === 'POST') ctx.state.session.set('user', 'ada');
        ctx.json(ctx.state.session.get('user') ?? null);
      };
      for (const app of [createApp().use(one, other, user), createApp().use(other, one, user)]) {
        const client = await serve(app);
        expect(await (await client.send('/shop/sign-in', POST)).json()).toBe('ada');
        expect(await (await client.send(url)).json()).toBeNull();
      }
    },
  );

  it('may be next to one of a path in another case', async () => {
    const create = (path: string) => session<Account>({ ...createOptions(), path });
    const app = createApp().use(create('/Shop'), create('/shop'), create('/SHOP'), (ctx) => {
      ctx.state.session.set('visits', (ctx.state.session.get('visits') ?? 0) + 1);
      ctx.json(ctx.state.session.get('visits'));
    });
    for (const path of ['/Shop', '/shop', '/SHOP']) {
      const client = await serve(app);
      expect(await (await client.send(path)).json()).toBe(1);
      expect(await (await client.send(path)).json()).toBe(2);
    }
  });

  it.each([
    ['another path', { path: '/shop', secure: false }, { path: '/shop/staff', secure: false }],
    ['another name', { name: 'one' }, { name: 'other' }],
    ['both', { path: '/', secure: false }, { path: '/shop', name: 'other', secure: false }],
  ])('accepts no cookie of one with %s', async (_, one, other) => {
    const options = createOptions();
    const create = (own: SessionOptions) =>
      createApp()
        .use(errorHandler(), session<Account>({ ...options, ...own }))
        .all('/shop/staff', ({ method, state }) => {
          if (method === 'POST') state.session.set('user', 'ada');
          return state.session.get('user') ?? null;
        });
    const [app, otherApp] = [create(one), create(other)];
    const signedIn = await app.request('/shop/staff', POST);
    const value = /=([^;]+)/.exec(signedIn.headers.getSetCookie()[0] ?? '')?.[1];
    const otherSignedIn = await otherApp.request('/shop/staff', POST);
    const name = /^[^=]+/.exec(otherSignedIn.headers.getSetCookie()[0] ?? '')?.[0];
    const read = async (Cookie: string) =>
      (await otherApp.request('/shop/staff', { headers: { Cookie } })).json();
    expect(await read(otherSignedIn.headers.getSetCookie()[0] ?? '')).toBe('ada');
    expect(await read(`${name}=${value}`)).toBeNull();
  });
});
