import { type SetCookie, stringifySetCookie } from 'cookie';
import { CookieError } from './errors.js';

/** Largest cookie in bytes that every client keeps: name, value and attributes. RFC 6265 §6.1 */
const MAX_BYTES = 4_096;

/** RFC 6265 §4.1.1, RFC 9110 §5.6.2 */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;

/** Control characters, and halves of surrogate pairs, which UTF-8 cannot write. */
const UNSENDABLE = /[\p{Cc}\p{Cs}]/u;

/** A cookie with every attribute settled that has a default. */
export type SettledCookie = SetCookie & {
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
};

/**
 * Writes a `Set-Cookie` line.
 *
 * @throws {CookieError} 500, when clients would drop the cookie or read it otherwise.
 */
export function formatCookie(cookie: SettledCookie): string {
  const { name, value } = cookie;
  if (!TOKEN.test(name)) {
    throw new CookieError(
      'INVALID_COOKIE_NAME',
      name,
      "a name takes letters, digits and !#$%&'*+-.^_`|~ only.",
    );
  }
  if (typeof value !== 'string' || UNSENDABLE.test(value)) {
    throw new CookieError(
      'INVALID_COOKIE_VALUE',
      name,
      'a value is a string without control characters and lone surrogates. Encode others first, for instance as base64url.',
    );
  }
  checkAttributes(cookie);
  checkPrefix(cookie);
  const line = stringify(cookie);
  const size = Buffer.byteLength(line);
  if (size > MAX_BYTES) {
    throw new CookieError(
      'COOKIE_TOO_LARGE',
      name,
      `with its attributes it has ${size} bytes, and clients keep no more than ${MAX_BYTES}. Store the data on the server and send its id.`,
    );
  }
  return line;
}

function checkAttributes({ name, path, secure, sameSite, partitioned }: SettledCookie): void {
  const refuse = (reason: string): never => {
    throw new CookieError('INVALID_COOKIE_ATTRIBUTE', name, reason);
  };
  if (!path.startsWith('/')) refuse(`its path must begin with '/', and is '${path}'.`);
  if (secure) return;
  if (sameSite === 'none') refuse("sameSite: 'none' needs secure: true.");
  if (partitioned) refuse('partitioned: true needs secure: true.');
}

/** Clients compare the prefixes without regard to case. RFC 6265bis §4.1.3, §5.7 */
function checkPrefix({ name, path, domain, secure }: SettledCookie): void {
  const isHost = /^__host-/i.test(name);
  if (!isHost && !/^__secure-/i.test(name)) return;
  const refuse = (reason: string): never => {
    throw new CookieError('COOKIE_PREFIX_BROKEN', name, reason);
  };
  if (!secure) refuse('its prefix needs Secure. Where TLS ends at a proxy, pass secure: true.');
  if (isHost && path !== '/') refuse("the prefix __Host- needs path: '/'.");
  if (isHost && domain) refuse('the prefix __Host- allows no domain.');
}

function stringify(cookie: SettledCookie): string {
  try {
    return stringifySetCookie(cookie);
  } catch (cause) {
    const { message } = cause as Error;
    throw new CookieError('INVALID_COOKIE_ATTRIBUTE', cookie.name, `${message}.`, { cause });
  }
}
