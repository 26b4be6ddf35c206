import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Context } from '@fairlead/core';
import { CookieKeysError } from './errors.js';
import { readCookies } from './read-cookies.js';
import { type CookieOptions, setCookie } from './set-cookie.js';

/** Shortest key in bytes: as long as what SHA-256 makes. RFC 2104 §3 */
const MIN_KEY_BYTES = 32;

/** Cookies whose values a client can read, but not change. */
export interface SignedCookies {
  /**
   * Reads a signed cookie of the request.
   *
   * @returns Its value; undefined when it is absent, or no key has signed it under this name.
   */
  read(ctx: Context, name: string): string | undefined;
  /**
   * Sets a cookie on the response, signed with the first key.
   *
   * @throws {CookieError} 500, as `setCookie`.
   */
  set(ctx: Context, name: string, value: string, options?: CookieOptions): void;
}

/**
 * Makes cookies that are signed with HMAC-SHA256 over name and value.
 *
 * @param keys - Secrets of 32 bytes or more. The first signs, all verify: to change keys, put a new
 *   one first, and drop the old one when its cookies have run out.
 * @throws {CookieKeysError} When there is no key, or one is too short.
 * @see RFC 2104
 */
export function signedCookies(keys: readonly (string | Uint8Array)[]): SignedCookies {
  const secrets = Object.freeze(Array.isArray(keys) ? keys.map(toSecret) : []);
  const [first] = secrets;
  if (first === undefined) throw new CookieKeysError('it takes an array of one key or more.');
  return Object.freeze<SignedCookies>({
    read(ctx, name) {
      const text = readCookies(ctx)[name] ?? '';
      const dot = text.lastIndexOf('.');
      if (dot === -1) return undefined;
      const value = text.slice(0, dot);
      const given = Buffer.from(text.slice(dot + 1));
      const isGenuine = secrets.some((secret) => isEqual(given, sign(secret, name, value)));
      return isGenuine ? value : undefined;
    },
    set(ctx, name, value, options) {
      setCookie(ctx, name, `${value}.${sign(first, name, value)}`, options);
    },
  });
}

function toSecret(key: string | Uint8Array, index: number): KeyObject {
  const bytes = Buffer.from(key);
  if (bytes.length < MIN_KEY_BYTES) {
    throw new CookieKeysError(
      `key ${index} has ${bytes.length} bytes and needs ${MIN_KEY_BYTES}. Make one with randomBytes(32).`,
    );
  }
  return createSecretKey(bytes);
}

/** A name holds no `=`, so that no two pairs of name and value are signed alike. */
function sign(secret: KeyObject, name: string, value: string): string {
  return createHmac('sha256', secret).update(`${name}=${value}`).digest('base64url');
}

/** Compares the text, not the bytes it stands for, of which base64url has several spellings. */
function isEqual(given: Buffer, signature: string): boolean {
  const expected = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
