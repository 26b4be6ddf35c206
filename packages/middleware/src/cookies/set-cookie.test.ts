import { type Context, intended } from '@fairlead/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHandler } from '../../test/support/run-handler.js';
import { type CookieOptions, deleteCookie, setCookie } from './set-cookie.js';
import { signedCookies } from './signed-cookies.js';

const lines = async (handler: (ctx: Context) => void) => (await runHandler(handler)).setCookie;

describe('setCookie', () => {
  it('uses safe defaults', async () => {
    expect(await lines((ctx) => setCookie(ctx, 'a', '1'))).toEqual([
      'a=1; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });

  it.each<[CookieOptions, string]>([
    [{ maxAge: 60 }, 'a=1; Max-Age=60; Path=/; HttpOnly; SameSite=Lax'],
    [
      { expires: new Date(0) },
      'a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    ],
    [{ domain: 'example.com' }, 'a=1; Domain=example.com; Path=/; HttpOnly; SameSite=Lax'],
    [{ path: '/admin' }, 'a=1; Path=/admin; HttpOnly; SameSite=Lax'],
    [{ httpOnly: false }, 'a=1; Path=/; SameSite=Lax'],
    [{ secure: true }, 'a=1; Path=/; HttpOnly; Secure; SameSite=Lax'],
    [{ sameSite: 'strict' }, 'a=1; Path=/; HttpOnly; SameSite=Strict'],
    [{ sameSite: 'none', secure: true }, 'a=1; Path=/; HttpOnly; Secure; SameSite=None'],
    [
      { partitioned: true, secure: true },
      'a=1; Path=/; HttpOnly; Secure; Partitioned; SameSite=Lax',
    ],
  ])('applies %j', async (options, line) => {
    expect(await lines((ctx) => setCookie(ctx, 'a', '1', options))).toEqual([line]);
  });

  it('keeps only the last line of a cookie that is set twice', async () => {
    const set = await lines((ctx) => {
      setCookie(ctx, 'a', '1', { maxAge: 60 });
      setCookie(ctx, 'b', '2');
      setCookie(ctx, 'a', '3');
    });
    expect(set).toEqual([
      'b=2; Path=/; HttpOnly; SameSite=Lax',
      'a=3; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });

  it('ignores the case and a leading dot when it compares domains', async () => {
    const set = await lines((ctx) => {
      setCookie(ctx, 'a', '1', { domain: '.Example.com' });
      setCookie(ctx, 'a', '2', { domain: 'example.com' });
    });
    expect(set).toEqual(['a=2; Domain=example.com; Path=/; HttpOnly; SameSite=Lax']);
  });

  it.each<CookieOptions>([
    { path: '/admin' },
    { domain: 'example.com' },
    { partitioned: true, secure: true },
  ])('adds a cookie of the same name with %j', async (options) => {
    const set = await lines((ctx) => {
      setCookie(ctx, 'a', '1');
      setCookie(ctx, 'a', '2', options);
    });
    expect(set).toHaveLength(2);
  });

  it('keeps lines that were appended by hand', async () => {
    const set = await lines((ctx) => {
      ctx.append('Set-Cookie', 'b=1; Max-Age=5');
      setCookie(ctx, 'a', '1');
    });
    expect(set).toEqual(['b=1; Max-Age=5', 'a=1; Path=/; HttpOnly; SameSite=Lax']);
  });

  it('sets the cookie on an error response', async () => {
    const { status, setCookie: set } = await runHandler((ctx) => {
      setCookie(ctx, 'a', '1');
      throw new Error('late');
    });
    expect(status).toBe(500);
    expect(set).toHaveLength(1);
  });
});

it.each([[Symbol('a')], [5n], [{}]])('refuses %o as a name', async (name) => {
  await lines((ctx) => {
    expect(() => Reflect.apply(setCookie, undefined, [ctx, name, '1'])).toThrow(
      expect.objectContaining({ code: 'INVALID_COOKIE_NAME' }),
    );
  });
});

describe('options', () => {
  it.each<[unknown, ...string[]]>([
    [
      { samesite: 'strict', http_only: true, path: '/' },
      "setCookie() has no option 'samesite'. Did you mean 'sameSite'?",
      "setCookie() has no option 'http_only'. Did you mean 'httpOnly'?",
    ],
    [{ path: 5 }, 'its path is 5. Use a string.'],
    [60, 'options of setCookie() must be an object: got 60.'],
    [null, 'options of setCookie() must be an object: got null.'],
  ])('cannot be %j', async (options, ...problems) => {
    await lines((ctx) => {
      for (const set of [setCookie, signedCookies(['x'.repeat(32)]).set]) {
        expect(() => Reflect.apply(set, undefined, [ctx, 'a', '1', options])).toThrow(
          expect.objectContaining({
            code: 'INVALID_OPTION',
            message: `Cannot set the cookie "a": ${problems.join('\n')}`,
          }),
        );
      }
    });
  });
});

describe('a lifetime of more than 400 days', () => {
  it('causes one warning per process, unless it is intended', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emitWarning.mockRestore());
    const day = 86_400;
    await lines((ctx) => setCookie(ctx, 'a', '1', { maxAge: 400 * day }));
    await lines((ctx) => setCookie(ctx, 'a', '1', intended({ maxAge: 1_000 * day })));
    expect(emitWarning).not.toHaveBeenCalled();
    await lines((ctx) => setCookie(ctx, 'a', '1', { maxAge: 1_000 * day }));
    expect(await lines((ctx) => setCookie(ctx, 'b', '1', { maxAge: 1_000 * day }))).toEqual([
      'b=1; Max-Age=86400000; Path=/; HttpOnly; SameSite=Lax',
    ]);
    expect(emitWarning.mock.calls).toEqual([
      [
        expect.stringContaining(
          "The cookie 'a' has a maxAge of 86400000 seconds, but clients keep cookies for at most 400 days. If you mean milliseconds, divide by 1,000; otherwise pass the options to intended().\n  At: src/cookies/set-cookie.test.ts:",
        ),
        { type: 'FairleadWarning', code: 'FAIRLEAD_OPTION' },
      ],
    ]);
  });
});

describe('deleteCookie', () => {
  it('sends an empty, expired value', async () => {
    expect(await lines((ctx) => deleteCookie(ctx, 'a'))).toEqual([
      'a=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    ]);
  });

  it('sends the domain and path of the cookie', async () => {
    const [line] = await lines((ctx) => {
      deleteCookie(ctx, 'a', { domain: 'example.com', path: '/admin' });
    });
    expect(line).toMatch(/; Domain=example\.com; Path=\/admin; /);
  });

  it('replaces a cookie that was set before', async () => {
    const set = await lines((ctx) => {
      setCookie(ctx, 'a', '1');
      deleteCookie(ctx, 'a');
    });
    expect(set).toEqual([expect.stringMatching(/^a=; Max-Age=0/)]);
  });
});
