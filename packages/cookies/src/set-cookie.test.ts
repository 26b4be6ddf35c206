import type { Context } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { answer } from '../test/support/answer.js';
import { type CookieOptions, deleteCookie, setCookie } from './set-cookie.js';

const lines = async (handler: (ctx: Context) => void) => (await answer(handler)).setCookie;

describe('setCookie', () => {
  it('is safe by default', async () => {
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
  ])('takes %j', async (options, line) => {
    expect(await lines((ctx) => setCookie(ctx, 'a', '1', options))).toEqual([line]);
  });

  it('keeps one line of a cookie that is set twice, the last one', async () => {
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

  it('takes a domain in any case, with or without a leading dot, for the same', async () => {
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
  ])('sets another cookie of that name with %j', async (options) => {
    const set = await lines((ctx) => {
      setCookie(ctx, 'a', '1');
      setCookie(ctx, 'a', '2', options);
    });
    expect(set).toHaveLength(2);
  });

  it('leaves lines alone that were appended by hand', async () => {
    const set = await lines((ctx) => {
      ctx.append('Set-Cookie', 'b=1; Max-Age=5');
      setCookie(ctx, 'a', '1');
    });
    expect(set).toEqual(['b=1; Max-Age=5', 'a=1; Path=/; HttpOnly; SameSite=Lax']);
  });

  it('lasts when the answer is an error', async () => {
    const { status, setCookie: set } = await answer((ctx) => {
      setCookie(ctx, 'a', '1');
      throw new Error('late');
    });
    expect(status).toBe(500);
    expect(set).toHaveLength(1);
  });
});

describe('deleteCookie', () => {
  it('sends an empty value that has run out', async () => {
    expect(await lines((ctx) => deleteCookie(ctx, 'a'))).toEqual([
      'a=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
    ]);
  });

  it('names the domain and path of the cookie', async () => {
    const [line] = await lines((ctx) => {
      deleteCookie(ctx, 'a', { domain: 'example.com', path: '/admin' });
    });
    expect(line).toMatch(/; Domain=example\.com; Path=\/admin; /);
  });

  it('takes back a cookie that was set before', async () => {
    const set = await lines((ctx) => {
      setCookie(ctx, 'a', '1');
      deleteCookie(ctx, 'a');
    });
    expect(set).toEqual([expect.stringMatching(/^a=; Max-Age=0/)]);
  });
});
