import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readWith, runHandler, toCookieHeader } from '../../test/support/run-handler.js';
import { CookieKeysError } from './errors.js';
import { type SignedCookies, signedCookies } from './signed-cookies.js';

const OLD = 'old key, thirty-two bytes or more';
const NEW = 'new key, thirty-two bytes or more';
const cookies = signedCookies([OLD]);

/** Returns the `Cookie` header that a client sends after a cookie is set. */
async function sent(signed: SignedCookies, name: string, value: string): Promise<string> {
  return toCookieHeader((await runHandler((ctx) => signed.set(ctx, name, value))).setCookie);
}
const read = (signed: SignedCookies, name: string, header: string) =>
  readWith(header, (ctx) => signed.read(ctx, name));

describe('signedCookies', () => {
  it('appends the HMAC-SHA256 of name and value', async () => {
    const hmac = createHmac('sha256', OLD).update('user=7').digest('base64url');
    expect(await sent(cookies, 'user', '7')).toBe(`user=7.${hmac}`);
  });

  it('sets the attributes in its options', async () => {
    const { setCookie } = await runHandler((ctx) => cookies.set(ctx, 'user', '7', { maxAge: 60 }));
    expect(setCookie).toEqual([expect.stringMatching(/; Max-Age=60; Path=\/; HttpOnly; Same/)]);
  });

  it.each(['7', '', 'a.b.c', 'é;=, "'])('reads back %j', async (value) => {
    expect(await read(cookies, 'user', await sent(cookies, 'user', value))).toBe(value);
  });

  it.each([
    ['that is missing', () => ''],
    ['without a signature', () => 'user=7'],
    ['with an empty signature', () => 'user=7.'],
    ['with only a dot', () => 'user=.'],
    ['with a shorter signature', (header: string) => header.slice(0, -1)],
    ['with a longer signature', (header: string) => `${header}A`],
    ['with a padded signature', (header: string) => `${header}=`],
    ['with a signature of 43 characters but more bytes', () => `user=7.${'é'.repeat(43)}`],
    ['with a changed value', (header: string) => header.replace('=7', '=8')],
    ['with a malformed escape', (header: string) => header.replace('=7', '=%zz')],
    ['under another name', (header: string) => header.replace('user', 'admin')],
  ])('returns undefined for a cookie %s', async (_, change) => {
    const header = change(await sent(cookies, 'user', '7'));
    expect(await read(cookies, 'user', header)).toBeUndefined();
    expect(await read(cookies, 'admin', header)).toBeUndefined();
  });

  it('returns undefined for another encoding of the same signature', async () => {
    // 43 characters encode two more bits than 32 bytes have. Decoders ignore those.
    const header = await sent(cookies, 'user', '7');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(header.at(-1) ?? '') + 1] ?? '';
    const reencoded = header.slice(0, -1) + last;
    const bytesOf = (text: string) => Buffer.from(text.slice(text.indexOf('.') + 1), 'base64url');
    expect(bytesOf(reencoded)).toEqual(bytesOf(header));
    expect(await read(cookies, 'user', reencoded)).toBeUndefined();
  });

  it('signs with the first key and verifies with every key', async () => {
    const rotated = signedCookies([NEW, OLD]);
    const before = await sent(cookies, 'user', '7');
    const after = await sent(rotated, 'user', '7');
    expect(await read(rotated, 'user', before)).toBe('7');
    expect(await read(rotated, 'user', after)).toBe('7');
    expect(await read(signedCookies([NEW]), 'user', after)).toBe('7');
    expect(await read(signedCookies([NEW]), 'user', before)).toBeUndefined();
  });

  it('reports a cookie that an old key has signed as outdated', async () => {
    const rotated = signedCookies([NEW, OLD]);
    const isOutdated = (header: string) =>
      readWith(header, (ctx) => rotated.isOutdated(ctx, 'user'));
    const old = await sent(cookies, 'user', '7');
    expect(await isOutdated(old)).toBe(true);
    expect(await isOutdated(await sent(rotated, 'user', '7'))).toBe(false);
    expect(await isOutdated(old.replace('=7', '=8'))).toBe(false);
    expect(await isOutdated('')).toBe(false);
  });

  it('copies binary keys, so that later changes have no effect', async () => {
    const key = Buffer.from(OLD);
    const signed = signedCookies([key]);
    key.fill(0);
    expect(await read(signed, 'user', await sent(cookies, 'user', '7'))).toBe('7');
  });

  it.each([
    ['no key', [], /Pass an array with at least one key/],
    ['a short key', [NEW, 'x'.repeat(31)], /key 1 has 31 bytes\. Use at least 32/],
    ['a string instead of an array', OLD as unknown as string[], /array with at least one key/],
    [
      'a key that is missing from the environment',
      [undefined, 'x', NEW] as string[],
      /key 0 is of type undefined\. Use a string or bytes\.\nkey 1 has 1 bytes\./,
    ],
  ])('rejects %s', (_, keys, message) => {
    expect(() => signedCookies(keys)).toThrow(CookieKeysError);
    expect(() => signedCookies(keys)).toThrow(message);
    expect(() => signedCookies(keys)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });
});
