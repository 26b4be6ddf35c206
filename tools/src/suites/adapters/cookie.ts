/** `parseCookie()` and `stringifySetCookie()` of cookie, with `readCookies()` and `setCookie()`. */
import type { Context } from '@fairlead/core';
import { CookieError, type CookieOptions, readCookies, setCookie } from '@fairlead/middleware';

export function parseCookie(header: string, options?: object): object {
  if (options !== undefined) throw new Error('readCookies() has no options.');
  return readCookies({ get: () => header } as never);
}

interface SetCookie extends CookieOptions {
  readonly name: string;
  readonly value: string;
}

/** Removes the attributes that `setCookie()` adds by default, and `cookie` does not. */
export function stringifySetCookie({ name, value, ...options }: SetCookie): string {
  let [line = '']: readonly string[] = [];
  const ctx = {
    protocol: 'http',
    responseHeaders: new Headers(),
    set: (_name: string, lines: readonly string[]) => {
      line = lines[0] ?? '';
    },
  };
  try {
    setCookie(ctx as unknown as Context, name, value, { httpOnly: false, ...options });
  } catch (error) {
    throw error instanceof CookieError ? translate(error, options) : error;
  }
  if (options.path === undefined) line = line.replace('; Path=/', '');
  if (options.sameSite === undefined) line = line.replace('; SameSite=Lax', '');
  return line;
}

/** Words an error as `cookie` does. */
function translate({ code, message }: CookieError, options: object): Error {
  const reason = message.slice(message.indexOf('": '));
  const option = Object.keys(options).find((name) => reason.includes(name));
  const subjects: Readonly<Record<string, string>> = {
    INVALID_COOKIE_NAME: 'argument name',
    INVALID_COOKIE_VALUE: 'argument val',
    INVALID_OPTION: `option ${option}`,
  };
  return new TypeError(`${subjects[code] ?? code} is invalid: ${message}`);
}
