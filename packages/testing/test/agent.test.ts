import { Controller, Ctx, Get } from '@fairlead/controllers';
import { type Context, createApp, SetupError } from '@fairlead/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AgentOptions, createTestApp, type TestRequestInit } from '../src/index.js';

/** Sets the cookies of the query, and responds with those of the request. */
const cookies = (ctx: Context) => {
  ctx.append('Set-Cookie', ctx.searchParams.getAll('set'));
  return ctx.get('Cookie') ?? '';
};

const createCookieApp = () => createTestApp({ app: () => createApp().get('/*path', cookies) });

/** Creates an agent, and returns a function that sets cookies and one that reads those of a request. */
async function createClient(options?: AgentOptions) {
  const app = await createCookieApp();
  const agent = app.agent(options);
  return {
    agent,
    set: (path: string, ...set: string[]) => agent.request(path, { query: { set } }),
    read: async (path = '/', init?: TestRequestInit) => (await agent.request(path, init)).json(),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('an agent', () => {
  it('sends the cookies of earlier responses', async () => {
    const { set, read, agent } = await createClient();
    expect(await read()).toBe('');
    await set('/', 'a=1', 'b=2; HttpOnly');
    await set('/', 'a=3');
    expect(await read()).toBe('a=3; b=2');
    expect(agent.cookies()).toEqual({ a: '3', b: '2' });
  });

  it('shares no cookies with another', async () => {
    await using app = await createCookieApp();
    const [ada, grace] = [app.agent(), app.agent()];
    await ada.request('/', { query: { set: 'session=ada' } });
    expect(await (await grace.request('/')).json()).toBe('');
    expect(await (await app.request('/')).json()).toBe('');
    expect(await (await ada.request('/')).json()).toBe('session=ada');
  });

  it('sends a cookie to its path and below', async () => {
    const { set, read, agent } = await createClient();
    await set('/', 'a=1; Path=/admin');
    await set('/shop/basket', 'b=2');
    expect(
      await Promise.all(
        ['/admin', '/admin/users', '/administrators', '/'].map((path) => read(path)),
      ),
    ).toEqual(['a=1', 'a=1', '', '']);
    expect(await Promise.all(['/shop', '/shop/basket/1', '/'].map((path) => read(path)))).toEqual([
      'b=2',
      'b=2',
      '',
    ]);
    expect(agent.cookies('/admin')).toEqual({ a: '1' });
    await set('/', 'a=2; Path=/');
    expect(await read('/admin')).toBe('a=1; a=2');
    expect([agent.cookies('/admin'), agent.cookies()]).toEqual([{ a: '1' }, { a: '2' }]);
  });

  it('forgets cookies that have expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T00:00:00Z') });
    const { set, read } = await createClient();
    await set(
      '/',
      'age=1; Max-Age=60',
      'date=2; Expires=Thu, 01 Jan 2026 00:02:00 GMT',
      'session=3',
    );
    expect(await read()).toBe('age=1; date=2; session=3');
    vi.setSystemTime(new Date('2026-01-01T00:01:00Z'));
    expect(await read()).toBe('date=2; session=3');
    vi.setSystemTime(new Date('2026-01-01T00:02:00Z'));
    expect(await read()).toBe('session=3');
  });

  it.each(['Max-Age=0', 'Max-Age=-1', 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
    'forgets a deleted cookie: %s',
    async (attribute) => {
      const { set, read } = await createClient();
      await set('/', 'a=1', 'b=2');
      await set('/', `a=; ${attribute}`);
      expect(await read()).toBe('b=2');
    },
  );

  it.each([
    ['https://example.com', 'a=1'],
    ['http://localhost', 'a=1'],
    ['http://example.com', ''],
  ])('sends Secure cookies as a browser at %s', async (origin, expected) => {
    const { set, read } = await createClient({ origin });
    await set('/', 'a=1; Secure');
    expect(await read()).toBe(expected);
  });

  it.each(['Strict', 'Lax', 'None; Secure'])(
    'sends a cookie with SameSite=%s',
    async (sameSite) => {
      const { set, read } = await createClient();
      await set('/', `a=1; SameSite=${sameSite}`);
      expect(await read()).toBe('a=1');
    },
  );

  it('sends a Secure cookie only to secure URLs', async () => {
    const { set, read } = await createClient({ origin: 'https://example.com' });
    await set('/', 'a=1; Secure', 'b=2');
    expect(await read('http://example.com/')).toBe('b=2');
  });

  it('honors prefixes and domains', async () => {
    const { set, agent } = await createClient({ origin: 'https://app.example.com' });
    await set(
      '/',
      '__Host-a=1; Secure; Path=/',
      '__Host-b=1; Secure; Path=/; Domain=example.com',
      'c=1; Domain=example.com',
      'd=1; Domain=other.example',
    );
    expect(agent.cookies()).toEqual({ '__Host-a': '1', c: '1' });
    expect(agent.cookies('https://example.com/')).toEqual({ c: '1' });
  });

  it('sends a Cookie header instead of its cookies', async () => {
    const { set, read } = await createClient();
    await set('/', 'a=1');
    expect(await read('/', { headers: { Cookie: 'b=2' } })).toBe('b=2');
  });

  it('keeps the cookies of an error and of a redirect', async () => {
    await using app = await createTestApp({
      app: () =>
        createApp()
          .get('/redirect', (ctx) => {
            ctx.append('Set-Cookie', 'a=1');
            ctx.redirect('/');
          })
          .get('/error', (ctx) => {
            ctx.append('Set-Cookie', 'b=2');
            ctx.status = 401;
          }),
    });
    const agent = app.agent();
    expect((await agent.request('/redirect')).status).toBe(302);
    expect((await agent.request('/error')).status).toBe(401);
    expect(agent.cookies()).toEqual({ a: '1', b: '2' });
  });

  it('requests its origin with its address', async () => {
    const app = createApp().get('/', ({ ip, protocol, host }) => ({ ip, protocol, host }));
    await using test = await createTestApp({ app: () => app });
    const agent = test.agent({ origin: 'https://example.com:8443', ip: '192.0.2.7' });
    expect(await (await agent.request('/')).json()).toEqual({
      ip: '192.0.2.7',
      protocol: 'https',
      host: 'example.com:8443',
    });
    const other = await agent.request('/', { ip: '::1' });
    expect(await other.json()).toMatchObject({ ip: '::1' });
  });

  it('rejects with the error behind a hidden one', async () => {
    const app = createApp({ onError: () => undefined }).get('/', () => {
      throw new RangeError('broken');
    });
    await using test = await createTestApp({ app: () => app });
    await expect(test.agent().request('/')).rejects.toThrow(new RangeError('broken'));
  });

  it.each([
    [{ orgin: 'x' }, "app.agent() has no option 'orgin'. Did you mean 'origin'?"],
    [
      { origin: 7 },
      "origin of app.agent() must be an origin such as 'https://example.com': got 7.",
    ],
    ...['example.com', 'https://example.com/', 'ftp://example.com'].map(
      (origin) =>
        [
          { origin },
          `origin of app.agent() must be an origin such as 'https://example.com': got '${origin}'.`,
        ] as const,
    ),
  ] as const)('refuses the options %j', async (options, message) => {
    await using app = await createCookieApp();
    expect(() => app.agent(options as AgentOptions)).toThrow(
      new SetupError('INVALID_OPTION', message),
    );
  });
});

describe('a request', () => {
  @Controller('/echo')
  class EchoController {
    @Get()
    read(@Ctx() ctx: Context) {
      return { query: [...ctx.searchParams], ip: ctx.ip };
    }
  }

  it('has a query', async () => {
    await using app = await createTestApp({ controllers: [EchoController] });
    const query = {
      text: 'a&b=ä',
      page: 2,
      all: true,
      none: undefined,
      tag: ['x', 'y', undefined],
    };
    const expected = [
      ['text', 'a&b=ä'],
      ['page', '2'],
      ['all', 'true'],
      ['tag', 'x'],
      ['tag', 'y'],
    ];
    expect(await (await app.request('/echo', { query })).json()).toMatchObject({ query: expected });
    const appended = await app.request('/echo?first=1', { query });
    expect(await appended.json()).toMatchObject({ query: [['first', '1'], ...expected] });
    const empty = await app.request('/echo', { query: {} });
    expect(await empty.json()).toMatchObject({ query: [] });
  });

  it('has the address of its client', async () => {
    await using app = await createTestApp({ controllers: [EchoController] });
    expect(await (await app.request('/echo')).json()).toMatchObject({ ip: '127.0.0.1' });
    const response = await app.request('/echo', { ip: '2001:db8::7' });
    expect(await response.json()).toMatchObject({ ip: '2001:db8::7' });
    await expect(app.request('/echo', { ip: 'localhost' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
  });
});
