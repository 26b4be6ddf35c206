import { describeValue, isToken } from '@fairlead/options';
import { type SetCookie, stringifySetCookie } from 'cookie';
import { CookieError } from './errors.js';

/** The largest cookie that every client keeps, in bytes: name, value and attributes. RFC 6265 §6.1 */
const MAX_BYTES = 4_096;

/** The longest attribute, in bytes. Clients ignore a longer one. RFC 6265bis §5.6 */
const MAX_ATTRIBUTE_BYTES = 1_024;

/** Control characters, and lone surrogates, which UTF-8 cannot encode. */
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;

/** A cookie with all defaults filled in. */
export type ResolvedCookie = SetCookie & {
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
};

/**
 * Formats the value of a `Set-Cookie` header.
 *
 * @throws {CookieError} 500, when clients would drop or misread the cookie.
 */
export function formatCookie(cookie: ResolvedCookie): string {
  const { name, value } = cookie;
  if (!isToken(name)) {
    throw new CookieError(
      'INVALID_COOKIE_NAME',
      name,
      "its name is empty or contains a forbidden character. Use only letters, digits and !#$%&'*+-.^_`|~.",
    );
  }
  if (typeof value !== 'string' || FORBIDDEN.test(value)) {
    throw new CookieError(
      'INVALID_COOKIE_VALUE',
      name,
      'its value is not a string, or contains a control character or a lone surrogate. Encode it first, for example as base64url.',
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
      `it has ${size} bytes with its attributes, but clients keep at most ${MAX_BYTES}. Store the data on the server and send its id.`,
    );
  }
  return line;
}

function checkAttributes({ name, path, secure, sameSite, partitioned }: ResolvedCookie): void {
  const reject = (reason: string): never => {
    throw new CookieError('INVALID_OPTION', name, reason);
  };
  if (typeof path !== 'string') reject(`its path is ${describeValue(path)}. Use a string.`);
  if (!path.startsWith('/')) reject(`its path '${path}' is relative. Start it with '/'.`);
  const size = Buffer.byteLength(path);
  if (size > MAX_ATTRIBUTE_BYTES) {
    reject(
      `its path has ${size} bytes, but clients ignore one of more than ${MAX_ATTRIBUTE_BYTES}. Use a shorter prefix of it.`,
    );
  }
  if (secure) return;
  if (sameSite === 'none') reject("sameSite: 'none' requires Secure. Pass secure: true.");
  if (partitioned) reject('partitioned: true requires Secure. Pass secure: true.');
}

/** A prefix of names, and what clients require of the cookies that have it. */
interface Prefix {
  readonly text: string;
  readonly isHost: boolean;
  readonly isHttp: boolean;
}

/** The prefixes that clients enforce. All require Secure. `__Host-Http-` must come before `__Host-`. */
const PREFIXES: readonly Prefix[] = [
  { text: '__Host-Http-', isHost: true, isHttp: true },
  { text: '__Secure-', isHost: false, isHttp: false },
  { text: '__Host-', isHost: true, isHttp: false },
  { text: '__Http-', isHost: false, isHttp: true },
];

/** Clients ignore the case of the prefixes. RFC 6265bis §4.1.3, §5.7 */
function checkPrefix({ name, path, domain, secure, httpOnly }: ResolvedCookie): void {
  const prefix = PREFIXES.find(({ text }) => name.toLowerCase().startsWith(text.toLowerCase()));
  if (prefix === undefined) return;
  const { text, isHost, isHttp } = prefix;
  const reject = (reason: string): never => {
    throw new CookieError('COOKIE_PREFIX_BROKEN', name, reason);
  };
  if (!secure) {
    reject(
      'its prefix requires Secure. Use TLS, set createApp({ proxy }) if a proxy terminates TLS, or pass secure: true.',
    );
  }
  if (isHttp && !httpOnly) reject(`the prefix ${text} requires HttpOnly. Pass httpOnly: true.`);
  if (isHost && path !== '/') reject(`the prefix ${text} requires the path '/'. Pass path: '/'.`);
  if (isHost && domain) reject(`the prefix ${text} does not allow a domain. Remove the domain.`);
}

function stringify(cookie: ResolvedCookie): string {
  try {
    return stringifySetCookie(cookie);
  } catch (cause) {
    const { message } = cause as Error;
    const reason = `${message}. Pass a valid value.`;
    throw new CookieError('INVALID_OPTION', cookie.name, reason, { cause });
  }
}
