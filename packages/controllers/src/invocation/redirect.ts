import type { Context } from '@fairlead/core';
import { ControllerError } from '../errors/controller-error.js';
import { type Flaw, problemText } from '../errors/problem-text.js';
import type { RedirectMetadata } from '../metadata/class-metadata.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/**
 * Says what is wrong with a redirect.
 *
 * @returns Undefined when it can be sent.
 */
export function redirectFlaw({ url, statusCode }: RedirectMetadata): Flaw | undefined {
  if (typeof url !== 'string' || url === '') {
    return { problem: 'the URL of its redirect is empty.', fix: 'give the URL as a string.' };
  }
  if (CONTROL_CHARACTER.test(url)) {
    return {
      problem: 'the URL of its redirect holds a control character.',
      fix: 'percent-encode what the URL is made of.',
    };
  }
  if (!Number.isInteger(statusCode) || statusCode < 300 || statusCode > 399) {
    return {
      problem: `the status of its redirect is ${String(statusCode)}.`,
      fix: 'use an integer from 300 to 399.',
    };
  }
  return undefined;
}

/**
 * Redirects to where the decorator and the method's result say.
 *
 * @param redirect - What `@Redirect()` states.
 * @param result - A string replaces the URL; an object replaces `url`, `statusCode` or both.
 * @param handler - The method, as `UsersController.create`.
 * @throws {ControllerError} 500, when the redirect cannot be sent.
 */
export function sendRedirect(
  ctx: Context,
  redirect: RedirectMetadata,
  result: unknown,
  handler: string,
): void {
  const target = { ...redirect, ...override(result) };
  const flaw = redirectFlaw(target);
  if (flaw !== undefined) {
    const title = `Cannot answer from ${handler}: ${flaw.problem}`;
    throw new ControllerError(problemText({ title, fix: flaw.fix }), { code: 'INVALID_REDIRECT' });
  }
  ctx.redirect(target.url, target.statusCode);
}

/** What a result overrides; a member that is absent or undefined overrides nothing. */
function override(result: unknown): Partial<RedirectMetadata> {
  if (typeof result === 'string') return { url: result };
  if (typeof result !== 'object' || result === null) return {};
  return Object.fromEntries(
    Object.entries(result).filter(
      ([key, value]) => (key === 'url' || key === 'statusCode') && value !== undefined,
    ),
  );
}
