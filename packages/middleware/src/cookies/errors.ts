import { HttpError, SetupError } from '@fairlead/core';
import { describeValue } from '@fairlead/options';

/** The reasons why a cookie cannot be set. */
export type CookieErrorCode =
  | 'INVALID_COOKIE_NAME'
  | 'INVALID_COOKIE_VALUE'
  | 'INVALID_OPTION'
  | 'COOKIE_PREFIX_BROKEN'
  | 'COOKIE_TOO_LARGE';

/**
 * 500. Clients would drop or misread a response cookie. The message contains the cookie's name
 * and never its value.
 */
export class CookieError extends HttpError {
  /**
   * @param code - The kind of problem.
   * @param name - The name of the cookie.
   * @param reason - The problem and its fix, as sentences. The first starts in lower case.
   * @param options - The `cause`, when another error reported the problem.
   */
  constructor(code: CookieErrorCode, name: string, reason: string, options: ErrorOptions = {}) {
    const shown = typeof name === 'string' ? JSON.stringify(name) : describeValue(name);
    super(500, `Cannot set the cookie ${shown}: ${reason}`, { ...options, code });
  }
}

/** The keys for `signedCookies` are invalid. Thrown while the application is set up. */
export class CookieKeysError extends SetupError {
  /** @param reason - The problem and its fix, as sentences. The first starts in lower case. */
  constructor(reason: string) {
    super('INVALID_OPTION', `Invalid keys for signedCookies(): ${reason}`);
  }
}
