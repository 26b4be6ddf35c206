import { createHmac } from 'node:crypto';
import { createApp, errorHandler, urlencoded } from '@fairlead/core';
import { csrf, csrfTokens } from '@fairlead/middleware';
import { describe, expect, it, vi } from 'vitest';
import { type Session, session } from '../src/index.js';

const KEY = 'a key of at least thirty-two bytes ok';
const OLD_KEY = 'an old key of at least thirty-two bytes';
const PREFIXED = '__Host-Http-csrf';

describe('csrf() with tokens', () => {
  const tokens = csrfTokens({ keys: [KEY], session: ({ state }) => (state.session as Session).id });

  it('without session() causes a warning, unless its session has another source', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const other = csrfTokens({ keys: [KEY], session: (ctx) => ctx.get('X-Session') });
    for (const one of [tokens, other]) {
      createApp()
        .use(csrf({ tokens: one }))
        .post('/', () => null)
        .seal();
    }
    expect(emitWarning.mock.calls).toEqual([
      [
        expect.stringContaining('csrf() reads what session() provides, but nothing before it'),
        { type: 'FairleadWarning', code: 'FAIRLEAD_ORDER' },
      ],
    ]);
  });

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
