import type { Context } from '@fairlead/core';
import { ControllerError, type Diagnostic, errorText } from '../errors/controller-error.js';
import type { HeaderMetadata, RedirectMetadata } from '../metadata/class-metadata.js';

/** The parts of a route's response that are known at registration. */
export interface ResponsePlan {
  /** The method, such as `UsersController.create`. */
  readonly handler: string;
  readonly status: number | undefined;
  readonly headers: readonly HeaderMetadata[];
  readonly redirect: RedirectMetadata | undefined;
  /** Whether the method has a `@Res()` parameter. */
  readonly takesResponse: boolean;
  /** Whether the response schemas of the route allow the method to return nothing. */
  readonly mayBeEmpty: () => boolean;
}

/**
 * Creates the function that sets a route's status and headers. It runs before the method, which can
 * change them. If the method throws, the error's response replaces the status.
 */
export function createPrepareResponse(plan: ResponsePlan): (ctx: Context) => void {
  const { status, takesResponse } = plan;
  const headers = [...groupByName(plan.headers).values()];
  return (ctx) => {
    if (status !== undefined) ctx.status = status;
    for (const { name, value } of headers) ctx.set(name, value);
    if (!takesResponse) return;
    // The method may write to the raw response, which bypasses the context.
    if (status !== undefined) ctx.res.statusCode = status;
    for (const { name, value } of headers) ctx.res.setHeader(name, value);
  };
}

/**
 * Creates the function that records the response for a method's result, as `ctx.respond` does, and 204 for
 * undefined, unless the route's schemas require a body. A body that the method set through the context takes
 * precedence.
 */
export function createRecordResponse(plan: ResponsePlan): (ctx: Context, result: unknown) => void {
  const { handler, status, takesResponse, mayBeEmpty } = plan;
  const redirect = plan.redirect && createRedirect(plan.redirect, handler);
  return (ctx, result) => {
    if (ctx.res.headersSent) {
      ctx.takeOver();
    } else if (ctx.responseBody !== undefined) {
      return;
    } else if (redirect !== undefined) {
      redirect(ctx, result);
    } else if (result !== undefined) {
      ctx.respond(result);
    } else if (takesResponse) {
      if (status !== undefined || !ctx.answered) ctx.takeOver();
    } else if (!ctx.answered && mayBeEmpty()) {
      ctx.status = 204;
    }
  };
}

/** A header with all of its values. */
interface HeaderGroup {
  readonly name: string;
  readonly value: string | string[];
}

/** Groups headers by lower-case name. */
function groupByName(headers: readonly HeaderMetadata[]): Map<string, HeaderGroup> {
  const groups = new Map<string, HeaderGroup>();
  for (const { name, value } of headers) {
    const present = groups.get(name.toLowerCase());
    const group =
      present === undefined
        ? { name, value }
        : { name: present.name, value: [present.value, value].flat() };
    groups.set(name.toLowerCase(), group);
  }
  return groups;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/** Returns the first problem of a `@Redirect()`; an empty list if it has none. */
export function checkRedirect(redirect: RedirectMetadata): Diagnostic[] {
  const problems = checkTarget(redirect);
  if (problems.length > 0) return problems;
  const reserved = placeholdersIn(redirect.url).find((name) => REDIRECT_MEMBERS.has(name));
  if (reserved === undefined) return [];
  const problem = `the URL of its redirect has the placeholder ':${reserved}', but '${reserved}' of the returned object overrides the redirect.`;
  return [{ problem, fix: 'rename the placeholder.' }];
}

/** Returns the first problem of the target of a redirect; an empty list if it has none. */
function checkTarget({ url, statusCode }: RedirectMetadata): Diagnostic[] {
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

/** Members of a method's result that override `@Redirect()`. */
const REDIRECT_MEMBERS: ReadonlySet<string> = new Set(['url', 'statusCode']);

/** Matches a colon and a name, unless the colon follows a scheme, a host or a user name. */
const PLACEHOLDER = /(?<![A-Za-z0-9%:]|\/\/):([A-Za-z_]\w*)/g;

function placeholdersIn(url: string): string[] {
  return [...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/**
 * Creates the function that records a redirect for a method's result. A string replaces the URL. The
 * members `url` and `statusCode` of an object replace those of the redirect, and its other members replace
 * the placeholders of the URL.
 *
 * @param redirect - The redirect of `@Redirect()`.
 * @param handler - The method, such as `UsersController.create`.
 * @throws {ControllerError} 500 `INVALID_REDIRECT`, from that function, when the redirect cannot be sent.
 */
function createRedirect(
  redirect: RedirectMetadata,
  handler: string,
): (ctx: Context, result: unknown) => void {
  const refuse = ({ problem, fix }: Diagnostic): never => {
    const title = `Cannot send the response of ${handler}: ${problem}`;
    throw new ControllerError(errorText({ title, fix }), { code: 'INVALID_REDIRECT' });
  };
  const hasPlaceholders = placeholdersIn(redirect.url).length > 0;
  return (ctx, result) => {
    const { url, statusCode = redirect.statusCode } = redirectOverride(result);
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
    const text = typeof value === 'number' ? String(value) : value;
    // Clients remove dot segments from a path, encoded or not.
    if (typeof text === 'string' && !/^\.{0,2}$/.test(text)) {
      // encodeURIComponent() throws for lone surrogates.
      return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'));
    }
    const problem = `the method returned no value for ':${name}' in the URL of its redirect.`;
    const fix = `return an object whose ${name} is a number or a string other than '.' and '..', or return a URL.`;
    return refuse({ problem, fix });
  });
}

/** Ignores properties that are absent or undefined. */
function redirectOverride(result: unknown): Partial<RedirectMetadata> {
  if (typeof result === 'string') return { url: result };
  if (typeof result !== 'object' || result === null) return {};
  return Object.fromEntries(
    Object.entries(result).filter(
      ([key, value]) => REDIRECT_MEMBERS.has(key) && value !== undefined,
    ),
  );
}
