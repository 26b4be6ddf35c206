import { createHmac } from 'node:crypto';
import { Controller, Get, Post, UseGuard } from '@fairlead/controllers';
import { createApp, errorHandler, SetupError, urlencoded } from '@fairlead/core';
import { type Session, session } from '@fairlead/session';
import { createTestApp } from '@fairlead/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  type CsrfOptions,
  type CsrfTokenOptions,
  csrf,
  csrfGuard,
  csrfTokens,
} from '../src/index.js';

const KEY = 'a key of at least thirty-two bytes ok';
const OLD_KEY = 'an old key of at least thirty-two bytes';
const PREFIXED = '__Host-Http-csrf';

describe('csrfGuard', () => {
  it('guards the methods of a class', async () => {
    @Controller('/notes')
    @UseGuard(csrfGuard())
    class NotesController {
      @Get()
      list() {
        return [];
      }

      @Post()
      create() {
        return 'created';
      }
    }
    await using app = await createTestApp({ controllers: [NotesController] });
    const headers = { 'Sec-Fetch-Site': 'cross-site', Cookie: 'session=1' };
    expect((await app.request('/notes', { headers })).status).toBe(200);
    const denied = await app.request('/notes', { method: 'POST', headers });
    expect(denied.status).toBe(403);
    expect(await denied.json()).toMatchObject({
      code: 'CROSS_ORIGIN_REQUEST',
      detail: 'Cannot accept POST from another origin. Send it from a page of this site.',
    });
    const own = { ...headers, 'Sec-Fetch-Site': 'same-origin' };
    expect((await app.request('/notes', { method: 'POST', headers: own })).status).toBe(200);
  });

  it('is refused where middleware belongs', () => {
    expect(() => createApp().use(csrfGuard())).toThrow(
      'app.use() received the guard csrfGuard, which never calls next(). Use csrf(), or list the guard in @UseGuard() of @fairlead/controllers.',
    );
  });
});

describe('csrf() with tokens', () => {
  const tokens = csrfTokens({ keys: [KEY], session: ({ state }) => (state.session as Session).id });

  it.each([
    ['before', [csrf({ tokens }), session({ keys: [KEY] })], 1],
    ['after', [session({ keys: [KEY] }), csrf({ tokens })], 0],
    ['without tokens before', [csrf(), session({ keys: [KEY] })], 0],
  ])('%s session() causes warnings: %#', (_where, middleware, count) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    createApp()
      .use(...middleware)
      .post('/', () => null)
      .seal();
    const message =
      'csrf() reads what session() provides, but runs before it. Register that first, or pass csrf() to intended().';
    const warning = [
      expect.stringContaining(message),
      { type: 'FairleadWarning', code: 'FAIRLEAD_ORDER' },
    ];
    expect(emitWarning.mock.calls).toEqual(Array.from({ length: count }, () => warning));
  });
});

describe('behind a proxy', () => {
  it('compares the origin that the proxy reports', async () => {
    const app = createApp({ proxy: 1 }).use(errorHandler(), csrf(), (ctx) => ctx.send('passed'));
    const from = (origin: string) =>
      app.request('/', {
        method: 'POST',
        headers: {
          Origin: origin,
          Host: 'internal:8080',
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Host': 'app.example.com',
        },
      });
    expect((await from('https://app.example.com')).status).toBe(200);
    expect((await from('http://app.example.com')).status).toBe(403);
    expect((await from('http://internal:8080')).status).toBe(403);
  });

  it('compares the origin of the connection if the application does not know the proxy', async () => {
    const app = createApp().use(errorHandler(), csrf(), (ctx) => ctx.send('passed'));
    const from = (Origin: string, more = {}) =>
      app.request('/', {
        method: 'POST',
        headers: { Origin, Host: 'internal:8080', 'X-Forwarded-Host': 'app.example.com', ...more },
      });
    expect((await from('http://internal:8080')).status).toBe(200);
    expect((await from('http://app.example.com')).status).toBe(403);
    expect((await from('http://app.example.com', { 'Sec-Fetch-Site': 'none' })).status).toBe(403);
  });
});

describe('a rejection', () => {
  it('names the origins in its cause, which listeners of onFinish receive and clients do not', async () => {
    const errors: unknown[] = [];
    const app = createApp()
      .use((ctx, next) => {
        ctx.onFinish(({ error }) => void errors.push(error));
        return next();
      })
      .use(errorHandler(), csrf());
    const headers = { Origin: 'https://evil.example', Host: 'app.example.com' };
    const response = await app.request('/', { method: 'POST', headers });
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain('evil.example');
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'CROSS_ORIGIN_REQUEST',
        cause: new Error(
          'The origin of the request is https://evil.example, and that of the application is http://app.example.com. If the page is yours, add its origin to origins, or set createApp({ proxy }) behind a proxy.',
        ),
      }),
    ]);
  });
});

describe('csrfTokens', () => {
  /** Creates an application with a form, a sign-in and a token for each session. */
  function createForms(keys: readonly string[] = [KEY]) {
    const tokens = csrfTokens({
      keys,
      session: (ctx) => (ctx.state.session as Session).id,
    });
    return createApp()
      .use(errorHandler(), urlencoded(), session<{ user: string }>({ keys: [KEY] }))
      .use(csrf({ tokens }))
      .get('/form', (ctx) => [tokens.issue(ctx), tokens.issue(ctx)])
      .get('/id', ({ state }) => state.session.id)
      .post('/form', (ctx) => ctx.body)
      .post('/sign-in', (ctx) => {
        ctx.state.session.rotate();
        ctx.state.session.set('user', 'ada');
        return tokens.issue(ctx);
      });
  }

  /** Keeps the cookies of responses, like an old browser. */
  function createBrowser(app: ReturnType<typeof createForms>) {
    const cookies = new Map<string, string>();
    return {
      cookies,
      async send(path: string, form?: Readonly<Record<string, string>>) {
        const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
        const post = form && { method: 'POST', body: new URLSearchParams(form) };
        const response = await app.request(path, { headers: { Cookie }, ...post });
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          cookies.set(name, value);
        }
        return response;
      },
    };
  }

  it('issues one token for a session, in a cookie that scripts cannot read', async () => {
    const browser = createBrowser(createForms());
    const response = await browser.send('/form');
    const [token, again] = (await response.json()) as string[];
    expect(again).toBe(token);
    expect(response.headers.getSetCookie()).toEqual([
      `${PREFIXED}=${token}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
    const later = await browser.send('/form');
    expect(await later.json()).toEqual([token, token]);
    expect(later.headers.getSetCookie()).toEqual([]);
  });

  it('accepts the token in a form, until the session changes', async () => {
    const browser = createBrowser(createForms());
    const [token = ''] = (await (await browser.send('/form')).json()) as string[];
    const sent = await browser.send('/form', { _csrf: token, text: 'hi' });
    expect(await sent.json()).toEqual({ _csrf: token, text: 'hi' });
    expect((await browser.send('/form', { text: 'hi' })).status).toBe(403);

    const fresh = await (await browser.send('/sign-in', { _csrf: token })).json();
    expect(fresh).not.toBe(token);
    expect((await browser.send('/form', { _csrf: token })).status).toBe(403);
    expect((await browser.send('/form', { _csrf: String(fresh) })).status).toBe(200);
    // An attacker who plants the cookie cannot bring a token for the session.
    browser.cookies.set(PREFIXED, token);
    const planted = await browser.send('/form', { _csrf: token });
    expect(await planted.json()).toMatchObject({ code: 'INVALID_CSRF_TOKEN' });
  });

  it('signs the session and a random part with HMAC-SHA256', async () => {
    const browser = createBrowser(createForms());
    const [first = ''] = (await (await browser.send('/form')).json()) as string[];
    const token = String(await (await browser.send('/sign-in', { _csrf: first })).json());
    const [random = '', signature] = token.split('.');
    const id = await (await browser.send('/id')).json();
    const text = JSON.stringify([id, random]);
    expect(signature).toBe(createHmac('sha256', KEY).update(text).digest('base64url'));
    expect(Buffer.from(random, 'base64url')).toHaveLength(32);
  });

  it('uses the header, the field and the cookie of its options, also in your own code', async () => {
    const tokens = csrfTokens({
      keys: [KEY],
      session: () => undefined,
      header: 'X-Token',
      field: 'token',
      name: 'form',
      secure: false,
    });
    const app = createApp()
      .use(errorHandler(), urlencoded())
      .get('/', (ctx) => tokens.issue(ctx))
      .post('/', (ctx) => tokens.isValid(ctx));
    const issued = await app.request('/');
    const token = String(await issued.json());
    expect(issued.headers.getSetCookie()).toEqual([
      `form=${token}; Path=/; HttpOnly; SameSite=Lax`,
    ]);
    const isValid = async (headers: Record<string, string>, form: Record<string, string>) => {
      const body = new URLSearchParams(form);
      const init = { method: 'POST', headers: { Cookie: `form=${token}`, ...headers }, body };
      return (await app.request('/', init)).json();
    };
    expect(await isValid({ 'X-Token': token }, {})).toBe(true);
    expect(await isValid({}, { token })).toBe(true);
    expect(await isValid({ 'X-CSRF-Token': token }, { _csrf: token })).toBe(false);
    expect(await isValid({ 'X-Token': token, Cookie: 'csrf=1' }, {})).toBe(false);
  });

  it('accepts tokens of every key', async () => {
    const old = createBrowser(createForms([OLD_KEY]));
    const [token = ''] = (await (await old.send('/form')).json()) as string[];
    const rotated = createBrowser(createForms([KEY, OLD_KEY]));
    rotated.cookies.set(PREFIXED, token);
    expect((await rotated.send('/form', { _csrf: token })).status).toBe(200);
    const fresh = createBrowser(createForms([KEY]));
    fresh.cookies.set(PREFIXED, token);
    expect((await fresh.send('/form', { _csrf: token })).status).toBe(403);
  });
});

describe('the options', () => {
  const valid: CsrfTokenOptions = { keys: [KEY], session: () => undefined };
  const create: [string, () => unknown, string][] = [
    ['an unknown one', () => csrf({ origin: [] } as CsrfOptions), "Did you mean 'origins'?"],
    [
      'an origin with a slash',
      () => csrf({ origins: ['https://a.example/'] }),
      "csrf() cannot use ['https://a.example/'] as origins. Use an array of origins, such as 'https://admin.example.com', without a path or a trailing slash.",
    ],
    ['every origin', () => csrf({ origins: ['*'] }), "cannot use ['*'] as origins."],
    ['the origin null', () => csrf({ origins: ['null'] }), "cannot use ['null'] as origins."],
    ['a default port', () => csrf({ origins: ['https://a.example:443'] }), 'as origins.'],
    ['upper case', () => csrf({ origins: ['https://A.example'] }), 'as origins.'],
    [
      'another policy',
      () => csrfGuard({ withoutCredentials: 'block' } as object),
      "csrfGuard() cannot use 'block' as withoutCredentials. Use 'allow' or 'deny'.",
    ],
    [
      'tokens that are keys',
      () => csrf({ tokens: [KEY] } as object),
      'as tokens. Use the result of csrfTokens().',
    ],
    [
      'no key',
      () => csrfTokens({ ...valid, keys: [] }),
      'csrfTokens() needs at least one key. Pass an array of secrets as keys.',
    ],
    [
      'a short key',
      () => csrfTokens({ ...valid, keys: ['hunter2'] }),
      'csrfTokens() cannot use a key of 7 bytes as keys[0]. Use at least 32',
    ],
    [
      'no session',
      () => csrfTokens({ keys: [KEY] } as object as CsrfTokenOptions),
      'csrfTokens() needs session. Pass a function such as',
    ],
    [
      'a header with a space',
      () => csrfTokens({ ...valid, header: 'a b' }),
      "cannot use 'a b' as header.",
    ],
  ];

  it.each(create)('reject %s', (_, call, message) => {
    expect(call).toThrow(SetupError);
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_CSRF_OPTION' }));
  });

  it('accept origins of apps and extensions', () => {
    expect(csrf({ origins: ['capacitor://localhost', 'http://localhost:3000'] })).toBeTypeOf(
      'function',
    );
  });
});
