import type { KeyObject } from 'node:crypto';
import type { AnyContext } from '@fairlead/core';
import { createKeys, hmac, isEqual } from '../signature.js';
import { CookieKeysError } from './errors.js';
import { readCookies } from './read-cookies.js';
import { type CookieOptions, setCookie } from './set-cookie.js';

/** The shortest key, in bytes: the output length of SHA-256. RFC 2104 §3 */
const MIN_KEY_BYTES = 32;

/** Cookies whose values clients can read but not change. */
export interface SignedCookies {
  /**
   * Returns the value of a signed cookie of the request.
   *
   * @returns Undefined when the cookie is missing, or was not signed under this name with a known key.
   */
  read(ctx: AnyContext, name: string): string | undefined;
  /**
   * Whether the request's cookie is signed with a known key other than the first. Set the cookie again, so
   * that it outlives the old key. False for a cookie that `read` returns undefined for.
   */
  isOutdated(ctx: AnyContext, name: string): boolean;
  /**
   * Sets a cookie on the response, signed with the first key.
   *
   * @throws {CookieError} 500, under the same conditions as `setCookie`.
   */
  set(ctx: AnyContext, name: string, value: string, options?: CookieOptions): void;
}

/**
 * Creates functions for cookies that are signed with HMAC-SHA256 over name and value.
 *
 * @param keys - Secrets of at least 32 bytes each. The first key signs and every key verifies. To
 *   rotate keys, add a new one in front and remove the old one once its cookies have expired.
 * @throws {CookieKeysError} When there is no key, or a key is too short or not a secret.
 * @see RFC 2104
 */
export function signedCookies(keys: readonly (string | Uint8Array)[]): SignedCookies {
  const problems = findKeyProblems(keys);
  const secrets = problems.length > 0 ? [] : createKeys(keys);
  const [first] = secrets;
  if (first === undefined) throw new CookieKeysError(problems.join('\n'));
  const verify = (ctx: AnyContext, name: string): VerifiedCookie | undefined => {
    const text = readCookies(ctx)[name] ?? '';
    const dot = text.lastIndexOf('.');
    if (dot === -1) return undefined;
    const value = text.slice(0, dot);
    const received = text.slice(dot + 1);
    const index = secrets.findIndex((secret) => isEqual(received, sign(secret, name, value)));
    return index === -1 ? undefined : { value, isOutdated: index > 0 };
  };
  return Object.freeze<SignedCookies>({
    read: (ctx, name) => verify(ctx, name)?.value,
    isOutdated: (ctx, name) => verify(ctx, name)?.isOutdated ?? false,
    set(ctx, name, value, options) {
      setCookie(ctx, name, `${value}.${sign(first, name, value)}`, options);
    },
  });
}

interface VerifiedCookie {
  readonly value: string;
  /** Whether a key other than the first has signed it. */
  readonly isOutdated: boolean;
}

/** Does not show the keys, which are secret. */
function findKeyProblems(keys: unknown): readonly string[] {
  if (!Array.isArray(keys) || keys.length === 0) {
    return ['there is no key. Pass an array with at least one key.'];
  }
  return keys.flatMap((key: unknown, index) => {
    if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
      return `key ${index} is of type ${typeof key}. Use a string or bytes.`;
    }
    const size = Buffer.byteLength(key);
    return size < MIN_KEY_BYTES
      ? `key ${index} has ${size} bytes. Use at least ${MIN_KEY_BYTES}, for example from randomBytes(32).`
      : [];
  });
}

/** Names contain no `=`, so different pairs of name and value have different signatures. */
function sign(key: KeyObject, name: string, value: string): string {
  return hmac(key, `${name}=${value}`);
}
