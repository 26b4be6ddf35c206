import { HttpError, SetupError } from '@fairlead/core';

/** What can be wrong with a cookie that is to be set. */
export type CookieErrorCode =
  | 'INVALID_COOKIE_NAME'
  | 'INVALID_COOKIE_VALUE'
  | 'INVALID_COOKIE_ATTRIBUTE'
  | 'COOKIE_PREFIX_BROKEN'
  | 'COOKIE_TOO_LARGE';

/**
 * 500. A response cookie that clients would drop or read otherwise than it was meant. Its message
 * names the cookie, never the value.
 */
export class CookieError extends HttpError {
  /**
   * @param code - What kind of rule is broken.
   * @param name - Name of the cookie.
   * @param reason - What is wrong, and what to do.
   * @param options - The `cause`, if another error told it.
   */
  constructor(code: CookieErrorCode, name: string, reason: string, options: ErrorOptions = {}) {
    super(500, `Cannot set the cookie ${JSON.stringify(name)}: ${reason}`, { ...options, code });
  }
}

/** The keys given to `signedCookies` cannot sign. Thrown while the application is put together. */
export class CookieKeysError extends SetupError {
  /** @param reason - What is wrong, and what to do. */
  constructor(reason: string) {
    super('INVALID_COOKIE_KEYS', `signedCookies() cannot sign: ${reason}`);
  }
}
