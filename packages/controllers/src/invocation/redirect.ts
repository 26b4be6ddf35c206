import type { Context } from '@fairlead/core';
import { encodePathValue } from '@fairlead/options';
import { ControllerError, type Diagnostic, errorText } from '../errors.js';
import type { RedirectMetadata } from '../metadata/class-metadata.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/** Returns the first problem of the target of a redirect; an empty list if it has none. */
export function checkTarget({ url, statusCode = 302 }: RedirectMetadata): Diagnostic[] {
  if (typeof url !== 'string' || url === '') {
    return [{ problem: 'the URL of its redirect is empty.', fix: 'pass the URL as a string.' }];
  }
  if (CONTROL_CHARACTER.test(url)) {
    const problem = 'the URL of its redirect contains a control character.';
    return [{ problem, fix: 'percent-encode the parts of the URL.' }];
  }
  if (!Number.isInteger(statusCode) || statusCode < 300 || statusCode > 399) {
    const problem = `the status of its redirect is ${String(statusCode)}.`;
    return [{ problem, fix: 'use an integer from 300 to 399.' }];
  }
  return [];
}

/** The members of the object that a method may return, which are no placeholders. */
export const REDIRECT_MEMBERS: ReadonlySet<string> = new Set(['url', 'statusCode']);

/** Matches a colon and a name, unless the colon follows a scheme, a host or a user name. */
const PLACEHOLDER = /(?<![A-Za-z0-9%:]|\/\/):([A-Za-z_]\w*)/g;

/** Lists the names of the placeholders in the URL of a redirect. */
export function placeholdersIn(url: string): string[] {
  return [...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/**
 * Creates the function that records a redirect for a method's result. A string replaces the URL. The
 * members `url` and `statusCode` of an object replace those of the redirect, and its other members replace
 * the placeholders of the URL. The function throws `INVALID_REDIRECT` if it cannot be sent.
 */
export function createRedirect(
  redirect: RedirectMetadata,
  handler: string,
): (ctx: Context, result: unknown) => void {
  const refuse = ({ problem, fix }: Diagnostic): never => {
    const title = `Cannot send the response of ${handler}: ${problem}`;
    throw new ControllerError(errorText(title, fix), { code: 'INVALID_REDIRECT' });
  };
  const hasPlaceholders = placeholdersIn(redirect.url).length > 0;
  return (ctx, result) => {
    const given: Partial<RedirectMetadata> =
      typeof result === 'string' ? { url: result } : { ...Object(result) };
    const { url, statusCode = redirect.statusCode } = given;
    const filled = (): string =>
      hasPlaceholders ? fillPlaceholders(redirect.url, result, refuse) : redirect.url;
    const target = { url: url ?? filled(), statusCode };
    checkTarget(target).forEach(refuse);
    ctx.redirect(target.url, target.statusCode);
  };
}

function fillPlaceholders(
  url: string,
  result: unknown,
  refuse: (diagnostic: Diagnostic) => never,
): string {
  return url.replace(PLACEHOLDER, (_placeholder, name: string) => {
    const isObject = typeof result === 'object' && result !== null;
    const value = isObject ? (result as Record<string, unknown>)[name] : undefined;
    const encoded = encodePathValue(typeof value === 'string' ? value.toWellFormed() : value);
    if (encoded !== undefined) return encoded;
    const problem = `the method returned no value for ':${name}' in the URL of its redirect.`;
    const fix = `return an object whose ${name} is a number or a string other than '.' and '..', or return a URL.`;
    return refuse({ problem, fix });
  });
}
