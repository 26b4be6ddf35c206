import { createApp, errorHandler } from '@fairlead/core';
import { exchange } from '@fairlead/test-support/raw-connection';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore, type SessionOptions, session } from '../src/index.js';
import { COOKIE, createAccounts } from './support/accounts.js';
import { serve } from './support/client.js';
import { NEW_KEY } from './support/keys.js';

const backends: [string, () => SessionOptions][] = [
  ['in a cookie', () => ({ keys: [NEW_KEY] })],
  ['in a store', () => ({ store: memoryStore() })],
];

const POST = { method: 'POST' };
const NOBODY = { user: null, visits: null, cart: null };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

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
    const client = await serve(createAccounts({ ...createOptions(), idleTimeout: 60 }));
    await client.send('/visit', POST);
    for (const _ of [1, 2, 3]) {
      pass(59);
      expect(await (await client.send('/')).json()).toMatchObject({ visits: 1 });
    }
    pass(60);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('ends after its lifetime, however often it is used', async () => {
    const options = { ...createOptions(), idleTimeout: 60, lifetime: 100 };
    const client = await serve(createAccounts(options));
    await client.send('/visit', POST);
    pass(50);
    await client.send('/visit', POST);
    pass(49);
    expect(await (await client.send('/')).json()).toMatchObject({ visits: 2 });
    pass(1);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('has a new lifetime after rotate()', async () => {
    const client = await serve(createAccounts({ ...createOptions(), lifetime: 100 }));
    await client.send('/visit', POST);
    pass(99);
    await client.send('/sign-in/ada', POST);
    pass(99);
    expect(await (await client.send('/')).json()).toMatchObject({ user: 'ada', visits: 1 });
  });

  it('has a cookie with the rest of its lifetime if it is persistent', async () => {
    const options = { ...createOptions(), lifetime: 100, persistent: true };
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

  it('rejects values that JSON cannot represent, and returns copies of others', async () => {
    const errors: unknown[] = [];
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const app = createApp()
      .use(errorHandler(), session<Record<string, unknown>>(createOptions()))
      .post('/', ({ state: { session } }) => {
        for (const value of [cycle, 1n, () => 1]) {
          try {
            session.set('a', value);
          } catch (error) {
            errors.push(error);
          }
        }
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
    expect(errors).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ code: 'INVALID_SESSION_VALUE', status: 500 }),
      ),
    );
    expect(String(errors[1])).toContain(
      "Cannot keep 1n as 'a' in the session: JSON cannot represent it. Use JSON values.",
    );
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
    const client = await serve(createAccounts({ keys: [NEW_KEY], ...options }));
    const response = await client.send('/visit', POST);
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(line)]);
    expect(await (await client.send('/')).json()).toMatchObject({ visits: 1 });
    const ended = await client.send('/sign-out', POST);
    const scopeOf = (text = '') => /; Path=[^;]*/.exec(text)?.[0];
    expect(scopeOf(ended.headers.getSetCookie()[0])).toBe(
      scopeOf(response.headers.getSetCookie()[0]),
    );
  });

  it("leaves the handler's Cache-Control", async () => {
    const app = createAccounts({ keys: [NEW_KEY] }).post('/private', (ctx) => {
      ctx.set('Cache-Control', 'private');
      ctx.state.session.set('visits', 1);
      return 1;
    });
    const response = await (await serve(app)).send('/private', POST);
    expect(response.headers.get('Cache-Control')).toBe('private');
  });
});
