import type { KeyObject } from 'node:crypto';
import { type AnyContext } from '@fairlead/core';
import { describe, throwTogether } from '@fairlead/core/extend';
import {
  anything,
  boolean,
  findOptionProblems,
  findSecretProblems,
  fn,
  type Kinds,
  kind,
  nonEmptyString,
} from '@fairlead/options';
import { readCookies } from '../cookies/read-cookies.js';
import { setCookie } from '../cookies/set-cookie.js';
import { createKeys, hmac, isEqual, loadCrypto } from '../signature.js';

/** Options of {@link csrfTokens}. */
export interface CsrfTokenOptions {
  /** Secrets of at least 32 bytes each. The first signs, and all verify. */
  readonly keys: readonly (string | Uint8Array)[];
  /**
   * Returns what identifies the session of a request, such as `ctx.state.session.id`; undefined without a
   * session. A token is valid only for the session it was issued for.
   */
  readonly session: (ctx: AnyContext) => string | undefined;
  /** The request header with the token. Default `X-CSRF-Token`. */
  readonly header?: string;
  /** The member of a parsed body with the token, for HTML forms. Default `_csrf`. */
  readonly field?: string;
  /** The name of the cookie, without a prefix. Default `csrf`. */
  readonly name?: string;
  /** Whether the cookie is sent over TLS only. Default true. Disable it only for HTTP on localhost. */
  readonly secure?: boolean;
}

/** Issues and checks tokens. */
export interface CsrfTokens {
  /**
   * Returns the token for a form or a script, and sets the cookie that belongs to it. Returns the same token
   * again while the session lasts. Call it after a sign-in, so that the token belongs to the new session.
   */
  issue(ctx: AnyContext): string;
  /** Whether a request has a token that was issued for its session, and the cookie that belongs to it. */
  isValid(ctx: AnyContext): boolean;
}

const TOKEN_OPTIONS: Kinds<CsrfTokenOptions> = {
  // findSecretProblems() checks them without showing them.
  keys: anything,
  session: fn,
  header: kind(
    "the name of a header, such as 'X-CSRF-Token'",
    (value) => typeof value === 'string' && /^[\w-]+$/.test(value),
  ),
  field: nonEmptyString,
  name: kind(
    "letters, digits, '_' and '-', beginning with a letter",
    (value) => typeof value === 'string' && /^[a-z][\w-]*$/i.test(value),
  ),
  secure: boolean,
};

/**
 * Creates tokens for browsers that send neither `Sec-Fetch-Site` nor `Origin`: the signed double-submit
 * cookie of OWASP. A token is random, and signed together with the session with HMAC-SHA256.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid.
 * @see OWASP Cross-Site Request Forgery Prevention Cheat Sheet, Signed Double-Submit Cookie
 */
export function csrfTokens(options: CsrfTokenOptions): CsrfTokens {
  assertOptions(options);
  const { session, header = 'X-CSRF-Token', field = '_csrf', name = 'csrf' } = options;
  const { secure = true } = options;
  const secrets = createKeys(options.keys);
  const cookie = secure ? `__Host-Http-${name}` : name;

  /** Tokens whose cookie has not reached the client yet. */
  const issued = new WeakMap<AnyContext, string>();

  /** Whether a token was issued for the session of a request. */
  const isIssued = (ctx: AnyContext, token: string): boolean => {
    const [random = ''] = token.split('.');
    return secrets.some((secret) => isEqual(token, sign(secret, session(ctx), random)));
  };

  const tokens: CsrfTokens = {
    issue(ctx) {
      const current = issued.get(ctx) ?? readCookies(ctx)[cookie];
      if (current !== undefined && isIssued(ctx, current)) return current;
      const token = sign(
        secrets[0] as KeyObject,
        session(ctx),
        loadCrypto().randomBytes(32).toString('base64url'),
      );
      setCookie(ctx, cookie, token, { secure, sameSite: 'lax', httpOnly: true, path: '/' });
      issued.set(ctx, token);
      return token;
    },
    isValid(ctx) {
      const expected = readCookies(ctx)[cookie];
      const received = ctx.get(header) ?? fieldOf(ctx.body, field);
      if (expected === undefined || typeof received !== 'string') return false;
      return isEqual(received, expected) && isIssued(ctx, expected);
    },
  };
  // The session may also come from other middleware, or from a cookie.
  const after = /\bstate\b.*\bsession\b/s.test(`${session}`) ? 'session()' : [];
  if (options.header !== undefined) withHeader.add(tokens);
  return Object.freeze(describe(tokens, { after }));
}

const withHeader = new WeakSet<object>();

/** Whether the application has chosen the header of the tokens, so that its scripts use that. */
export function hasHeader(tokens: CsrfTokens): boolean {
  return withHeader.has(tokens);
}

/** Returns a token. JSON separates the session from the random part. */
function sign(secret: KeyObject, session: string | undefined, random: string): string {
  const text = JSON.stringify([session ?? null, random]);
  return `${random}.${hmac(secret, text)}`;
}

function fieldOf(body: unknown, field: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  return Reflect.get(body, field);
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertOptions(options: CsrfTokenOptions): void {
  const problems = findOptionProblems('csrfTokens()', options, TOKEN_OPTIONS);
  if (problems.length === 0) {
    problems.push(...findSecretProblems('csrfTokens()', options?.keys));
    if (options?.session === undefined) {
      problems.push(
        'csrfTokens() needs session. Pass a function such as (ctx) => ctx.state.session.id.',
      );
    }
  }
  throwTogether(problems);
}
