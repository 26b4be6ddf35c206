import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { answer, readWith, toCookieHeader } from '../test/support/answer.js';
import { CookieKeysError } from './errors.js';
import { type SignedCookies, signedCookies } from './signed-cookies.js';

const OLD = 'old key, thirty-two bytes or more';
const NEW = 'new key, thirty-two bytes or more';
const cookies = signedCookies([OLD]);

/** The `Cookie` header that a client sends after a cookie was set. */
async function sent(signed: SignedCookies, name: string, value: string): Promise<string> {
  return toCookieHeader((await answer((ctx) => signed.set(ctx, name, value))).setCookie);
}
const read = (signed: SignedCookies, name: string, header: string) =>
  readWith(header, (ctx) => signed.read(ctx, name));

describe('signedCookies', () => {
  it('appends the HMAC-SHA256 of name and value', async () => {
    const hmac = createHmac('sha256', OLD).update('user=7').digest('base64url');
    expect(await sent(cookies, 'user', '7')).toBe(`user=7.${hmac}`);
  });

  it('sets the attributes that it is given', async () => {
    const { setCookie } = await answer((ctx) => cookies.set(ctx, 'user', '7', { maxAge: 60 }));
    expect(setCookie).toEqual([expect.stringMatching(/; Max-Age=60; Path=\/; HttpOnly; Same/)]);
  });

  it.each(['7', '', 'a.b.c', 'é;=, "'])('reads back %j', async (value) => {
    expect(await read(cookies, 'user', await sent(cookies, 'user', value))).toBe(value);
  });

  it.each([
    ['absent', () => ''],
    ['without a signature', () => 'user=7'],
    ['with an empty signature', () => 'user=7.'],
    ['with nothing but a dot', () => 'user=.'],
    ['with a shorter signature', (header: string) => header.slice(0, -1)],
    ['with a longer signature', (header: string) => `${header}A`],
    ['with a padded signature', (header: string) => `${header}=`],
    ['with a signature of as many characters but more bytes', () => `user=7.${'é'.repeat(43)}`],
    ['with another value', (header: string) => header.replace('=7', '=8')],
    ['with a malformed escape', (header: string) => header.replace('=7', '=%zz')],
    ['under another name', (header: string) => header.replace('user', 'admin')],
  ])('reads a cookie %s as absent', async (_, change) => {
    const header = change(await sent(cookies, 'user', '7'));
    expect(await read(cookies, 'user', header)).toBeUndefined();
    expect(await read(cookies, 'admin', header)).toBeUndefined();
  });

  it('reads another spelling of the same signature as absent', async () => {
    // 43 characters hold two bits more than 32 bytes, which decoders ignore.
    const header = await sent(cookies, 'user', '7');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(header.at(-1) ?? '') + 1] ?? '';
    const respelled = header.slice(0, -1) + last;
    const bytesOf = (text: string) => Buffer.from(text.slice(text.indexOf('.') + 1), 'base64url');
    expect(bytesOf(respelled)).toEqual(bytesOf(header));
    expect(await read(cookies, 'user', respelled)).toBeUndefined();
  });

  it('signs with the first key and verifies with all', async () => {
    const rotated = signedCookies([NEW, OLD]);
    const before = await sent(cookies, 'user', '7');
    const after = await sent(rotated, 'user', '7');
    expect(await read(rotated, 'user', before)).toBe('7');
    expect(await read(rotated, 'user', after)).toBe('7');
    expect(await read(signedCookies([NEW]), 'user', after)).toBe('7');
    expect(await read(signedCookies([NEW]), 'user', before)).toBeUndefined();
  });

  it('takes keys of bytes, which later changes do not reach', async () => {
    const key = Buffer.from(OLD);
    const signed = signedCookies([key]);
    key.fill(0);
    expect(await read(signed, 'user', await sent(cookies, 'user', '7'))).toBe('7');
  });

  it.each([
    ['no key', [], /an array of one key or more/],
    ['a short key', [NEW, 'x'.repeat(31)], /key 1 has 31 bytes and needs 32/],
    ['a key in place of an array', OLD as unknown as string[], /an array of one key or more/],
  ])('refuses %s', (_, keys, message) => {
    expect(() => signedCookies(keys)).toThrow(CookieKeysError);
    expect(() => signedCookies(keys)).toThrow(message);
    expect(() => signedCookies(keys)).toThrow(
      expect.objectContaining({ code: 'INVALID_COOKIE_KEYS' }),
    );
  });
});
