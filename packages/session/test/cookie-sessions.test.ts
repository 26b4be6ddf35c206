import { createDecipheriv, hkdfSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveStatic } from '@fairlead/static';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { COOKIE, createAccounts } from './support/accounts.js';
import { type Client, serve } from './support/client.js';
import { NEW_KEY, OLD_KEY } from './support/keys.js';

const POST = { method: 'POST' };
const NOBODY = { user: null, visits: null, cart: null };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns a client that has signed in. */
async function signIn(...keys: readonly string[]): Promise<Client> {
  const client = await serve(createAccounts({ keys }));
  await client.send('/sign-in/ada', POST);
  return client;
}

const cookieOf = (client: Client): string => client.cookies.get(COOKIE) ?? '';

describe('an encrypted cookie', () => {
  it('hides the members and differs each time', async () => {
    const client = await signIn(NEW_KEY);
    const first = cookieOf(client);
    await client.send('/sign-in/ada', POST);
    expect(cookieOf(client)).not.toBe(first);
    expect(Buffer.from(first, 'base64url').toString('latin1')).not.toMatch(/ada|user/);
  });

  it('is rejected after any change', async () => {
    const client = await signIn(NEW_KEY);
    const genuine = cookieOf(client);
    const change = fc.record({
      at: fc.nat(genuine.length - 1),
      removed: fc.nat(3),
      added: fc.stringMatching(/^[\w-]{0,3}$/),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, removed, added }) => {
        const forged = genuine.slice(0, at) + added + genuine.slice(at + removed);
        fc.pre(forged !== genuine);
        const attacker = client.copy();
        attacker.cookies.set(COOKIE, forged);
        expect(await (await attacker.send('/')).json()).toEqual(NOBODY);
      }),
      { numRuns: 100 },
    );
  });

  it('is rejected in another encoding of the same bytes', async () => {
    const client = await signIn(NEW_KEY);
    client.cookies.set(COOKIE, `${cookieOf(client)}=`);
    expect(await (await client.send('/')).json()).toEqual(NOBODY);
  });

  it('is rejected in every truncated form', async () => {
    const client = await signIn(NEW_KEY);
    const attacker = client.copy();
    for (let length = 0; length < cookieOf(client).length; length += 1) {
      attacker.cookies.set(COOKIE, cookieOf(client).slice(0, length));
      expect(await (await attacker.send('/')).json()).toEqual(NOBODY);
    }
  });

  it('is rejected with the beginning or the end of another one', async () => {
    const [one, other] = [await signIn(NEW_KEY), await signIn(NEW_KEY)];
    const bytes = [one, other].map((client) => Buffer.from(cookieOf(client), 'base64url'));
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = bytes;
    for (const at of [16, 32, first.length - 16]) {
      const mixed = Buffer.concat([first.subarray(0, at), second.subarray(at)]);
      one.cookies.set(COOKIE, mixed.toString('base64url'));
      expect(await (await one.send('/')).json()).toEqual(NOBODY);
    }
  });

  it('is rejected under another name, and by an application with another key', async () => {
    const client = await signIn(NEW_KEY);
    const renamed = await serve(createAccounts({ keys: [NEW_KEY], name: 'admin' }));
    renamed.cookies.set('__Host-Http-admin', cookieOf(client));
    expect(await (await renamed.send('/')).json()).toEqual(NOBODY);
    const other = await serve(createAccounts({ keys: [OLD_KEY] }));
    other.cookies.set(COOKIE, cookieOf(client));
    expect(await (await other.send('/')).json()).toEqual(NOBODY);
  });

  it('of an old key is accepted, and encrypted again with the first key', async () => {
    const client = await signIn(OLD_KEY);
    const rotated = await serve(createAccounts({ keys: [NEW_KEY, OLD_KEY] }));
    rotated.cookies.set(COOKIE, cookieOf(client));
    const response = await rotated.send('/');
    expect(await response.json()).toMatchObject({ user: 'ada' });
    expect(response.headers.getSetCookie()).toHaveLength(1);
    const later = await serve(createAccounts({ keys: [NEW_KEY] }));
    later.cookies.set(COOKIE, cookieOf(client));
    expect(await (await later.send('/')).json()).toEqual(NOBODY);
    later.cookies.set(COOKIE, cookieOf(rotated));
    expect(await (await later.send('/')).json()).toMatchObject({ user: 'ada' });
  });

  it('is set again after a tenth of the idle timeout, with the same id', async () => {
    const client = await signIn(NEW_KEY);
    const { id } = (await (await client.send('/id')).json()) as { id: string };
    vi.setSystemTime(Date.now() + 179_999);
    expect((await client.send('/none')).headers.getSetCookie()).toEqual([]);
    vi.setSystemTime(Date.now() + 1);
    expect((await client.send('/none')).headers.getSetCookie()).toHaveLength(1);
    expect(await (await client.send('/id')).json()).toEqual({ id });
  });

  it('persists for the rest of the lifetime of the session, in whole seconds', async () => {
    const app = createAccounts({ keys: [NEW_KEY], lifetime: 100_001, persistent: true });
    const client = await serve(app);
    const ages: unknown[] = [];
    for (const wait of [0, 40_000, 59_501, 499]) {
      vi.setSystemTime(Date.now() + wait);
      const [line] = (await client.send('/visit', POST)).headers.getSetCookie();
      ages.push(/; Max-Age=(\d+)/.exec(line ?? '')?.[1]);
    }
    expect(ages).toEqual(['101', '61', '1', '1']);
  });

  it('does not fail a response that the handler writes when it would be set again', async () => {
    const app = createAccounts({ keys: [NEW_KEY] }).get('/raw', (ctx) => {
      ctx.takeOver().end('raw');
    });
    const client = await serve(app);
    await client.send('/visit', POST);
    vi.setSystemTime(Date.now() + 600_000);
    expect(await (await client.send('/raw')).text()).toBe('raw');
  });

  it('cannot change when the handler writes the response itself', async () => {
    const errors: unknown[] = [];
    const app = createAccounts({ keys: [NEW_KEY] }, errors).post('/taken', (ctx) => {
      ctx.state.session.set('visits', 7);
      ctx.takeOver();
    });
    const client = await serve(app);
    await client.send('/visit', { method: 'POST' });
    expect((await client.send('/taken', { method: 'POST' })).status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ code: 'SESSION_CLOSED' })]);
  });

  it('copies own keys, so that later changes have no effect', async () => {
    const key = Buffer.from(NEW_KEY);
    const app = createAccounts({ keys: [key] });
    key.fill(0);
    const client = await serve(app);
    client.cookies.set(COOKIE, cookieOf(await signIn(NEW_KEY)));
    expect(await (await client.send('/')).json()).toMatchObject({ user: 'ada' });
  });

  it('is accepted again by another process after a sign-out, until it expires', async () => {
    const client = await signIn(NEW_KEY);
    const thief = await serve(createAccounts({ keys: [NEW_KEY] }));
    thief.cookies.set(COOKIE, cookieOf(client));
    await client.send('/sign-out', POST);
    expect(await (await thief.send('/')).json()).toMatchObject({ user: 'ada' });
    vi.setSystemTime(Date.now() + 1_800_000);
    expect(await (await thief.send('/')).json()).toEqual(NOBODY);
  });

  it.each(['/sign-out', '/sign-in/bob'])(
    'is not accepted by the process that ended it in %s',
    async (path) => {
      const client = await signIn(NEW_KEY);
      const thief = client.copy();
      await client.send(path, POST);
      expect(await (await thief.send('/')).json()).toEqual(NOBODY);
      expect((await thief.send('/sign-in/eve', POST)).status).toBe(200);
    },
  );

  it('stays accepted if a rotation fails because the new one is too large', async () => {
    const app = createAccounts({ keys: [NEW_KEY] }).post('/fill', ({ state }) => {
      state.session.rotate();
      state.session.set('user', 'x'.repeat(4_000));
    });
    const client = await serve(app);
    await client.send('/sign-in/ada', POST);
    expect((await client.send('/fill', POST)).status).toBe(500);
    expect(await (await client.send('/')).json()).toMatchObject({ user: 'ada' });
  });

  it.each([
    ['that reads', '/slow', 200, 0],
    ['that changes a member', '/slow?visits=1', 409, 0],
    ['that rotates', '/slow?rotate', 409, 0],
    ['that signs out, too', '/slow?destroy', 200, 1],
  ])(
    'does not come back with a slow request %s after a sign-out',
    async (_, path, status, lines) => {
      const gate = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const app = createAccounts({ keys: [NEW_KEY] }).get('/slow', async ({ state, query }) => {
        started.resolve();
        await gate.promise;
        if (query.visits !== undefined) state.session.set('visits', 1);
        if (query.rotate !== undefined) state.session.rotate();
        if (query.destroy !== undefined) state.session.destroy();
        return 1;
      });
      const client = await serve(app);
      await client.send('/sign-in/ada', POST);
      vi.setSystemTime(Date.now() + 600_000);
      const slow = client.copy().send(path);
      await started.promise;
      await client.send('/sign-out', POST);
      gate.resolve();
      const late = await slow;
      expect(late.status).toBe(status);
      expect(late.headers.getSetCookie()).toHaveLength(lines);
      expect(late.headers.getSetCookie().filter((line) => !/; Max-Age=0;/.test(line))).toEqual([]);
    },
  );

  it.each<[number, Record<string, string>]>([
    [1, {}],
    [1, { 'Cache-Control': 'private, max-age=60' }],
    [1, { 'Cache-Control': 'max-age=60,PRIVATE' }],
    [1, { 'Cache-Control': 'no-store' }],
    [1, { 'Cache-Control': 'private', 'CDN-Cache-Control': 'no-store' }],
    [0, { 'Cache-Control': 'public, max-age=0' }],
    [0, { 'Cache-Control': 'public' }],
    [0, { 'Cache-Control': 'max-age=60' }],
    [0, { 'Cache-Control': 's-maxage=60' }],
    [0, { 'Cache-Control': 'no-cache' }],
    [0, { 'Cache-Control': 'must-revalidate' }],
    [0, { 'Cache-Control': 'private="set-cookie", max-age=60' }],
    [0, { 'Cache-Control': 'ext="a, private, b", max-age=60' }],
    [0, { 'Cache-Control': 'no-store, must-understand' }],
    [0, { 'Cache-Control': 'private', 'CDN-Cache-Control': 'max-age=60' }],
    [0, { 'Cache-Control': 'no-store', 'Surrogate-Control': 'max-age=60' }],
    [0, { 'CDN-Cache-Control': 'max-age=60' }],
  ])('is set again %i times on a response with %j', async (times, headers) => {
    const app = createAccounts({ keys: [NEW_KEY] }).get('/page', (ctx) => {
      for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
      return 'page';
    });
    const client = await serve(app);
    await client.send('/sign-in/ada', POST);
    vi.setSystemTime(Date.now() + 600_000);
    const response = await client.send('/page');
    expect(response.headers.getSetCookie()).toHaveLength(times);
    expect(Object.fromEntries(response.headers)).toMatchObject(
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    );
  });

  it('is not set again on a public file', async () => {
    const root = await mkdtemp(join(tmpdir(), 'fairlead-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await writeFile(join(root, 'logo.svg'), '<svg/>');
    const client = await serve(createAccounts({ keys: [NEW_KEY] }).use(serveStatic(root)));
    await client.send('/sign-in/ada', POST);
    vi.setSystemTime(Date.now() + 600_000);
    const response = await client.send('/logo.svg');
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('that is received again has what it had, whatever another request changed', async () => {
    const client = await signIn(NEW_KEY);
    const other = client.copy();
    for (const visits of [1, 1]) {
      expect(await (await client.copy().send('/visit', POST)).json()).toBe(visits);
    }
    expect(await (await other.send('/')).json()).toEqual({ user: 'ada', visits: null, cart: null });
  });

  it('is accepted among more cookies than are remembered', async () => {
    const client = await signIn(NEW_KEY);
    const first = client.copy();
    for (let count = 0; count < 1_002; count += 1) await client.send('/visit', POST);
    expect(await (await client.send('/')).json()).toMatchObject({ visits: 1_002 });
    expect(await (await first.send('/')).json()).toMatchObject({ user: 'ada', visits: null });
  });

  it('keeps the change of the response that arrives last', async () => {
    const client = await signIn(NEW_KEY);
    const other = client.copy();
    await client.send('/cart/rope', POST);
    await other.send('/visit', POST);
    expect(await (await other.send('/')).json()).toEqual({ user: 'ada', visits: 1, cart: null });
  });

  it('is AES-256-GCM with a key that HKDF derives from the secret, a salt and the name', async () => {
    const client = await signIn(NEW_KEY);
    const cookie = cookieOf(client);
    const bytes = Buffer.from(cookie.slice(32), 'base64url');
    const context = `fairlead-session 1 ${COOKIE}`;
    const key = Buffer.from(hkdfSync('sha256', NEW_KEY, cookie.slice(0, 32), context, 32));
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    const text =
      decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
    expect(JSON.parse(text)).toEqual([expect.any(String), Date.now(), Date.now(), { user: 'ada' }]);
  });

  it('keeps 2,800 bytes of JSON', async () => {
    const app = createAccounts({ keys: [NEW_KEY] }).post('/fill', ({ state }) => {
      state.session.set('user', 'x'.repeat(2_800 - '{"user":""}'.length));
    });
    const client = await serve(app);
    expect((await client.send('/fill', POST)).headers.getSetCookie()).toHaveLength(1);
  });

  it('fails with a clear error if it has more than 4,096 bytes', async () => {
    const errors: unknown[] = [];
    const app = createAccounts({ keys: [NEW_KEY] }, errors).post('/fill', ({ state }) => {
      state.session.set('user', 'x'.repeat(4_000));
    });
    const client = await serve(app);
    const response = await client.send('/fill', POST);
    expect(response.status).toBe(500);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(errors).toEqual([expect.objectContaining({ code: 'COOKIE_TOO_LARGE' })]);
    expect(String(errors[0])).toMatch(/keep at most 4096\. Store the data on the server/);
  });
});
