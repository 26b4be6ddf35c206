import { Controller, Get, Post, UseGuard } from '@fairlead/controllers';
import { createApp, errorHandler, SetupError, urlencoded } from '@fairlead/core';
import { createTestApp } from '@fairlead/testing';
import { describe, expect, it } from 'vitest';
import {
  type CsrfOptions,
  type CsrfTokenOptions,
  csrf,
  csrfGuard,
  csrfTokens,
} from '../src/index.js';

const KEY = 'a key of at least thirty-two bytes ok';

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
    expect(() => createApp().use(csrfGuard()).seal()).toThrow(
      'app.use() received the guard csrfGuard, which never calls next(). Use csrf(), or list the guard in @UseGuard() of @fairlead/controllers.',
    );
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
  it.each<[string, Record<string, string>, string]>([
    [
      'another origin',
      { Origin: 'https://evil.example' },
      'The origin of the request is https://evil.example, and that of the application is http://app.example.com. If the page is yours, add its origin to origins, or set createApp({ proxy }) behind a proxy.',
    ],
    [
      'an origin that the page hides',
      { Origin: 'null' },
      "The origin of the request is null, and that of the application is http://app.example.com. If the page is yours, let it send its origin, such as with secureHeaders({ 'Referrer-Policy': 'same-origin' }).",
    ],
    [
      'no origin',
      { 'Sec-Fetch-Site': 'cross-site' },
      'The origin of the request is unknown, and that of the application is http://app.example.com. If the page is yours, add its origin to origins, or set createApp({ proxy }) behind a proxy.',
    ],
  ])('for %s explains it in its cause, which clients do not receive', async (_, given, message) => {
    const errors: unknown[] = [];
    const app = createApp()
      .use((ctx, next) => {
        ctx.onFinish(({ error }) => void errors.push(error));
        return next();
      })
      .use(errorHandler(), csrf());
    const headers = { ...given, Host: 'app.example.com' };
    const response = await app.request('/', { method: 'POST', headers });
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain('If the page is yours');
    expect(errors).toEqual([
      expect.objectContaining({ code: 'CROSS_ORIGIN_REQUEST', cause: new Error(message) }),
    ]);
  });
});

/** Validates nothing. */
const accept = (value: unknown) => ({ value });

describe('csrfTokens', () => {
  it('sends a cookie of any name over TLS only, with the strictest prefix', async () => {
    const tokens = csrfTokens({ keys: [KEY], session: () => undefined, name: 'Form-1' });
    const app = createApp()
      .get('/', (ctx) => tokens.issue(ctx))
      .post('/', (ctx) => tokens.isValid(ctx));
    const issued = await app.request('/');
    const token = String(await issued.json());
    const cookie = `__Host-Http-Form-1=${token}`;
    expect(issued.headers.getSetCookie()).toEqual([
      `${cookie}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
    const headers = { Cookie: cookie, 'X-CSRF-Token': token };
    expect(await (await app.request('/', { method: 'POST', headers })).json()).toBe(true);
  });

  it('finds the field of a body that only the route declares', async () => {
    const tokens = csrfTokens({ keys: [KEY], session: () => undefined, secure: false });
    const body = { '~standard': { version: 1, vendor: 'test', validate: accept } } as const;
    const app = createApp()
      .get('/', (ctx) => tokens.issue(ctx))
      .post('/', { body }, csrf({ tokens }), (ctx) => ctx.body);
    const token = String(await (await app.request('/')).json());
    const send = async (_csrf: string) => {
      const headers = { Cookie: `csrf=${token}`, 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify({ _csrf }) };
      return (await app.request('/', init)).status;
    };
    expect([await send(token), await send('other')]).toEqual([200, 403]);
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
});

describe('the options', () => {
  const valid: CsrfTokenOptions = { keys: [KEY], session: () => undefined };
  const create: [string, () => unknown, string][] = [
    ['an unknown one', () => csrf({ origin: [] } as CsrfOptions), "Did you mean 'origins'?"],
    [
      'an origin with a slash',
      () => csrf({ origins: ['https://a.example/'] }),
      "origins of csrf() must be an array of origins, such as 'https://app.example.com', without a path or a trailing slash: got ['https://a.example/'].",
    ],
    ['every origin', () => csrf({ origins: ['*'] }), ": got ['*']."],
    ['the origin null', () => csrf({ origins: ['null'] }), ": got ['null']."],
    [
      'a default port',
      () => csrf({ origins: ['https://a.example:443'] }),
      'origins of csrf() must be ',
    ],
    [
      'the scheme of a socket',
      () => csrf({ origins: ['wss://a.example'] }),
      "got ['wss://a.example'].",
    ],
    ['upper case', () => csrf({ origins: ['https://A.example'] }), 'origins of csrf() must be '],
    [
      'another policy',
      () => csrfGuard({ withoutCredentials: 'block' } as object),
      "withoutCredentials of csrfGuard() must be 'allow' or 'deny': got 'block'.",
    ],
    [
      'tokens that are keys',
      () => csrf({ tokens: [KEY] } as object),
      'tokens of csrf() must be the result of csrfTokens(): got ',
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
    ['a header with a space', () => csrfTokens({ ...valid, header: 'a b' }), ": got 'a b'."],
  ];

  it.each(create)('reject %s', (_, call, message) => {
    expect(call).toThrow(SetupError);
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  it('accept origins of apps and extensions', () => {
    expect(csrf({ origins: ['capacitor://localhost', 'http://localhost:3000'] })).toBeTypeOf(
      'function',
    );
  });
});
