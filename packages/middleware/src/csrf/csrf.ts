import { type Context, ForbiddenError, type Middleware } from '@fairlead/core';
import {
  assertOptions,
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  mediaTypesOf,
  type Placement,
  parseDeclaredBody,
} from '@fairlead/core/extend';
import {
  fn,
  hasMethods,
  type Kinds,
  kind,
  named,
  oneOf,
  originOf,
  origins,
} from '@fairlead/options';
import { allowedPages } from '../cors.js';
import { type CsrfTokens, hasHeader } from './tokens.js';

/** Options of {@link csrf} and {@link csrfGuard}. */
export interface CsrfOptions {
  /** Other origins whose pages may send requests, such as `https://admin.example.com`. Default none. */
  readonly origins?: readonly string[];
  /** Checks the tokens of browsers that send neither `Sec-Fetch-Site` nor `Origin`. Default: they get a 403. */
  readonly tokens?: CsrfTokens;
  /**
   * Whether a request without `Sec-Fetch-Site`, `Origin`, cookies and credentials may pass, such as one from
   * curl. Default `allow`.
   */
  readonly withoutCredentials?: 'allow' | 'deny';
  /** Whether to skip the check, such as for a webhook with a signature. Default: never. */
  readonly skip?: (ctx: Context) => boolean;
}

const CSRF_OPTIONS: Kinds<CsrfOptions> = {
  origins,
  tokens: kind('the result of csrfTokens()', hasMethods('isValid')),
  withoutCredentials: oneOf('allow', 'deny'),
  skip: fn,
};

/**
 * Rejects requests that pages of other origins make a browser send. It compares `Sec-Fetch-Site`, or else
 * `Origin`. GET, HEAD, OPTIONS, TRACE and QUERY pass, so they must not change anything.
 *
 * The middleware throws a ForbiddenError, 403 `CROSS_ORIGIN_REQUEST` or `INVALID_CSRF_TOKEN`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see Fetch Metadata Request Headers §2.3; RFC 6454 §7; RFC 9110 §9.2.1 (safe methods)
 */
export function csrf(options: CsrfOptions = {}): Middleware {
  const verify = createCheck('csrf()', options);
  const middleware: Middleware = named('csrf', (ctx, next) => {
    const checking = verify(ctx);
    return checking === undefined ? next() : checking.then(next);
  });
  const { after = [] } = descriptionOf(options.tokens) ?? {};
  const { tokens } = options;
  const check = (at: Placement) =>
    (tokens && findLaterParser(tokens, at)) ?? findRefusedPages('csrf()', options, at);
  return describe(middleware, { role: 'input', guard: 'csrfGuard()', after, sends: SENDS, check });
}

/** For documents. */
const SENDS = { methods: ['POST', 'PUT', 'PATCH', 'DELETE'], responses: { 403: {} } };

/**
 * Creates a guard for `@UseGuard()` that checks requests like {@link csrf}. It runs after the body was
 * parsed.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function csrfGuard(options: CsrfOptions = {}): (ctx: Context) => boolean | Promise<boolean> {
  const check = createCheck('csrfGuard()', options);
  const guard = named('csrfGuard', (ctx: Context) => {
    const checking = check(ctx);
    return checking === undefined ? true : checking.then(() => true);
  });
  const refuses = (at: Placement) => findRefusedPages('csrfGuard()', options, at);
  return describe(guard, {
    role: 'guard',
    middleware: 'csrf()',
    sends: SENDS,
    check: refuses,
  });
}

describeFactories(csrf, csrfGuard);

/** RFC 9110 §9.2.1; RFC 10008 §2 */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** Finds parsers that run later, so that the check cannot read the tokens in bodies. */
function findLaterParser(tokens: CsrfTokens, { routes }: Placement): Doubt | undefined {
  const mayContain = hasHeader(tokens) ? FORM : FORM_OR_JSON;
  for (const { method, pattern, before, after } of routes) {
    if (SAFE_METHODS.has(method) || mediaTypesOf(before).length > 0) continue;
    const parser = after.find((one) => mediaTypesOf([one]).some((type) => mayContain.test(type)));
    if (parser === undefined) continue;
    const { name } = descriptionOf(parser) ?? {};
    const message = `csrf({ tokens }) cannot read tokens in bodies, because ${name} runs after it: ${method} ${pattern}. Register ${name} before csrf(), or pass csrf() to intended() if all tokens are in headers.`;
    return { code: 'FAIRLEAD_ORDER', message };
  }
  return undefined;
}

/** Finds origins that `cors()` allows, although every request that changes something is rejected. */
function findRefusedPages(
  call: string,
  { origins = [], skip }: CsrfOptions,
  { routes }: Placement,
): Doubt | undefined {
  if (skip !== undefined) return undefined;
  for (const { method, pattern, before, after } of routes) {
    if (SAFE_METHODS.has(method)) continue;
    const pages = [...before, ...after].flatMap((one) => allowedPages(one, method));
    const [refused] = pages.filter((page) => !origins.includes(page));
    if (refused === undefined) continue;
    const message = `${call} rejects requests from pages of ${refused}, which cors() allows, for example ${method} ${pattern}. Pass origins: ['${refused}'] to ${call}, too. If these pages only read, pass ${call} to intended().`;
    return { code: 'FAIRLEAD_OPTION', message };
  }
  return undefined;
}

/** The media types of bodies that may contain tokens. Only scripts can send a header or JSON. */
const FORM = /^application\/x-www-form-urlencoded$|^multipart\//;
const FORM_OR_JSON = new RegExp(`${FORM.source}|[/+]json$`);

/** Creates the check. docs/contributing/csrf.md has it as a table. */
function createCheck(
  call: string,
  options: CsrfOptions,
): (ctx: Context) => Promise<void> | undefined {
  assertOptions(call, options, CSRF_OPTIONS);
  const { tokens, withoutCredentials = 'allow', skip = () => false } = options;
  const origins: ReadonlySet<string> = new Set(options.origins);

  return (ctx) => {
    if (SAFE_METHODS.has(ctx.method) || skip(ctx)) return undefined;
    const site = ctx.get('Sec-Fetch-Site');
    const origin = ctx.get('Origin');
    if (site === 'same-origin') return undefined;
    if (origin !== undefined && origins.has(origin)) return undefined;
    if (site !== undefined || origin !== undefined) {
      const isUserInitiated = site === undefined || site === 'none';
      if (isUserInitiated && origin !== undefined && origin === originOf(ctx.protocol, ctx.host))
        return undefined;
      throw crossOrigin(ctx, origin);
    }
    if (withoutCredentials === 'allow' && !hasCredentials(ctx)) return undefined;
    if (tokens === undefined) throw unknownOrigin();
    const verify = (): void => {
      if (!tokens.isValid(ctx)) throw invalidToken();
    };
    // The token may be a member of the body.
    const parsing = parseDeclaredBody(ctx);
    if (parsing !== undefined) return parsing.then(verify);
    verify();
    return undefined;
  };
}

/** Whether a request has credentials that browsers add automatically. They never add a bearer token. */
function hasCredentials(ctx: Context): boolean {
  const authorization = ctx.get('Authorization');
  if (authorization !== undefined && !/^Bearer /i.test(authorization)) return true;
  return ctx.get('Cookie') !== undefined;
}

function crossOrigin(ctx: Context, origin: string | undefined): ForbiddenError {
  // Forms of such pages send it to their own origin, too. Fetch Standard §3.2
  const fix =
    origin === 'null'
      ? "let it send its origin, such as with secureHeaders({ 'Referrer-Policy': 'same-origin' })"
      : 'add its origin to origins, or set createApp({ proxy }) behind a proxy';
  return rejection(
    'CROSS_ORIGIN_REQUEST',
    `Cannot accept ${ctx.method} from another origin. Send it from a page of this site.`,
    `The origin of the request is ${origin ?? 'unknown'}, and that of the application is ${originOf(ctx.protocol, ctx.host)}. If the page is yours, ${fix}.`,
  );
}

function unknownOrigin(): ForbiddenError {
  return rejection(
    'CROSS_ORIGIN_REQUEST',
    'Cannot tell where the request comes from: it has neither Sec-Fetch-Site nor Origin. Send Sec-Fetch-Site: same-origin, or Origin.',
    'To accept browsers that send neither header, pass csrf({ tokens: csrfTokens(…) }).',
  );
}

function invalidToken(): ForbiddenError {
  return rejection(
    'INVALID_CSRF_TOKEN',
    'The CSRF token is missing, or belongs to another session. Load the page again, and send its token.',
    'The request has neither Sec-Fetch-Site nor Origin, so it needs a token.',
  );
}

/** @param hint - For the developer; clients do not receive it. */
function rejection(code: string, message: string, hint: string): ForbiddenError {
  return new ForbiddenError(message, { code, cause: new Error(hint) });
}
