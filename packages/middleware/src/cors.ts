import { type Context, type Middleware, type Next, type Security } from '@fairlead/core';
import {
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  type Placement,
  type RoutePlacement,
  throwTogether,
} from '@fairlead/core/extend';
import {
  anything,
  boolean,
  captureCaller,
  describeValue,
  findOptionProblems,
  formatLocation,
  integer,
  isIntended,
  isOrigin,
  type Kinds,
  kind,
  type Locate,
  named,
  warn,
} from '@fairlead/options';

/**
 * The origins that may read responses, as in the npm package cors. An origin is a scheme, host and
 * port, such as `https://app.example.com`.
 *
 * - `'*'` allows every origin, without credentials.
 * - `true` allows every origin by echoing the request's origin. With `credentials`, every site can then
 *   act for your users.
 * - `false` allows no origin and disables the middleware.
 * - Any other string allows exactly that origin and is sent to every client.
 * - A RegExp allows the origins that it matches. Anchor it with `^` and `$`.
 * - An array allows the origins that an entry matches.
 */
export type CorsOrigin = boolean | string | RegExp | readonly (string | RegExp)[];

/** Options of {@link cors}. */
export interface CorsOptions {
  /**
   * The origins that may read responses; `'*'` by default. A function receives the origin of each
   * request that has one, and returns the allowed origins or a promise for them. The error handler
   * handles its errors.
   */
  readonly origin?:
    | CorsOrigin
    | ((origin: string, ctx: Context) => CorsOrigin | PromiseLike<CorsOrigin>);
  /** Whether requests may carry credentials such as cookies; false by default. Not valid with `'*'`. */
  readonly credentials?: boolean;
  /**
   * Methods that a preflight allows: an array or a comma-separated string;
   * `'GET, HEAD, PUT, PATCH, POST, DELETE, QUERY'` by default.
   */
  readonly methods?: string | readonly string[];
  /**
   * Request headers that a preflight allows: an array or a comma-separated string; by default the
   * headers that it requests.
   */
  readonly allowedHeaders?: string | readonly string[];
  /**
   * Response headers that pages may read in addition to the safelisted ones: an array or a
   * comma-separated string; none by default.
   */
  readonly exposedHeaders?: string | readonly string[];
  /**
   * Seconds that a browser may cache a preflight response, as a non-negative integer; the browser's
   * default if omitted.
   */
  readonly maxAge?: number;
  /** Whether the next middleware responds to preflights; false by default. */
  readonly preflightContinue?: boolean;
  /** Status of a preflight response, an integer from 200 to 299; 204 by default. */
  readonly optionsSuccessStatus?: number;
}

/** A validated {@link CorsOrigin}. A single RegExp becomes an array. */
type OriginRule = boolean | string | readonly (string | RegExp)[];

const ORIGINS =
  "true, false, '*', an origin such as 'https://app.example.com', a RegExp, or an array of origins and RegExps";
const DEFAULT_METHODS = 'GET, HEAD, PUT, PATCH, POST, DELETE, QUERY';

const NAMES = kind('an array of names or a comma-separated string', isNames);

const CORS_OPTIONS: Kinds<CorsOptions> = {
  // invalidOrigins() checks it.
  origin: anything,
  credentials: boolean,
  methods: NAMES,
  allowedHeaders: NAMES,
  exposedHeaders: NAMES,
  maxAge: integer(0, undefined, 'number of seconds'),
  preflightContinue: boolean,
  optionsSuccessStatus: integer(200, 299),
};

/**
 * Allows pages of other origins to read responses, including errors, and responds to preflights: OPTIONS
 * requests with `Access-Control-Request-Method`. Accepts the options of the npm package cors.
 *
 * A response that depends on the request's origin has `Vary: Origin`, even if the request has no origin.
 *
 * Works on an application, a router, a route or a controller. A preflight runs no route. Unless `cors()` is
 * on the application, the last `cors()` of the requested route responds to the preflight. That of one version
 * of a path responds for all versions, because a preflight names none.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid, or when `credentials` is true
 *   for the origin `'*'`.
 * @see Fetch Standard §3.3 (CORS protocol)
 */
export function cors(options: CorsOptions = {}): Middleware {
  assertOptions(options);
  warnOfUnanchored(options, captureCaller(cors));
  const { credentials = false, preflightContinue = false, optionsSuccessStatus = 204 } = options;
  const { origin = '*', allowedHeaders } = options;
  const exposed = joinNames(options.exposedHeaders ?? '');
  const description = {
    role: 'cors',
    check: (placement: Placement) =>
      findOpenCookies(options, placement) ??
      findRefusedRoutes(options, placement) ??
      findRefusedHeaders(options, placement),
  } as const;
  const preflight: [string, string][] = [
    ['Access-Control-Allow-Methods', joinNames(options.methods ?? DEFAULT_METHODS)],
    ['Access-Control-Allow-Headers', joinNames(allowedHeaders ?? '')],
    ['Access-Control-Max-Age', String(options.maxAge ?? '')],
  ];

  const respond = (ctx: Context, next: Next, rule: OriginRule): unknown => {
    if (rule === false) return next();
    const allowed = typeof rule === 'string' ? rule : matchOrigin(rule, ctx.get('Origin'));
    if (allowed !== undefined) {
      ctx.set('Access-Control-Allow-Origin', allowed);
      if (credentials) ctx.set('Access-Control-Allow-Credentials', 'true');
    }
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === undefined) {
      if (exposed !== '') ctx.set('Access-Control-Expose-Headers', exposed);
      return next();
    }
    for (const [name, value] of preflight) if (value !== '') ctx.set(name, value);
    if (allowedHeaders === undefined) {
      const requested = ctx.get('Access-Control-Request-Headers');
      if (requested) ctx.set('Access-Control-Allow-Headers', requested);
      ctx.append('Vary', 'Access-Control-Request-Headers');
    }
    if (preflightContinue) return next();
    ctx.status = optionsSuccessStatus;
  };

  if (typeof origin !== 'function') {
    const rule = readOrigin(origin) ?? false;
    const middleware: Middleware = named('cors', (ctx, next) => {
      if (rule !== '*' && rule !== false) ctx.append('Vary', 'Origin');
      return respond(ctx, next, rule);
    });
    allowing.set(middleware, options);
    return describe(middleware, description);
  }
  return describe<Middleware>(
    named('cors', (ctx, next) => {
      ctx.append('Vary', 'Origin');
      const requested = ctx.get('Origin');
      if (!requested) return next();
      const result = origin(requested, ctx);
      const { then }: { then?: unknown } = Object(result);
      if (typeof then !== 'function') return respond(ctx, next, checkResult(result, credentials));
      return Promise.resolve(result).then((value) =>
        respond(ctx, next, checkResult(value, credentials)),
      );
    }),
    description,
  );
}

describeFactories(cors);

/** The options of each `cors()` that allows the same origins for every request. */
const allowing = new WeakMap<object, CorsOptions>();

/**
 * Lists the origins by name whose pages may send requests with a method.
 *
 * @param target - Any function. One that is no `cors()` allows none.
 */
export function allowedPages(target: object, method: string): readonly string[] {
  const options = allowing.get(descriptionOf(target)?.wraps ?? target);
  if (options === undefined) return [];
  const isAllowed = SAFELISTED.has(method) || methodsOf(options).includes(method);
  const origins = isAllowed ? [options.origin].flat() : [];
  return origins.filter((one) => typeof one === 'string' && one.includes('://')) as string[];
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertOptions(options: CorsOptions): void {
  const problems = findOptionProblems('cors()', options, CORS_OPTIONS);
  // An explicit `origin: undefined`, such as a missing environment variable, must not allow all origins.
  const { origin, credentials } = { origin: '*', ...options };
  for (const entry of invalidOrigins(origin)) {
    problems.push(`cors() cannot use ${describeValue(entry)} as origin. ${originAdvice(entry)}`);
  }
  if (credentials === true && origin === '*') {
    problems.push(
      "cors() cannot allow credentials when origin is '*', the default. Set origin to the origins that may send credentials.",
    );
  }
  throwTogether(problems);
}

/** Warns about origins with credentials that match part of an origin, such as `/example\.com/`. */
function warnOfUnanchored({ origin, credentials }: CorsOptions, locate: Locate): void {
  for (const entry of credentials ? [origin].flat() : []) {
    if (!(entry instanceof RegExp) || isIntended(entry)) continue;
    // A dot or the scheme cannot follow the name of another host.
    if (/^(?:\^|\\\.|http).*(?<!\\)\$$/s.test(entry.source)) continue;
    warn(
      'FAIRLEAD_OPTION',
      `cors() with credentials allows every origin that contains a match for ${entry}, which may belong to others. Begin the RegExp with ^ and end it with $, or pass it to intended().${formatLocation(locate)}`,
    );
  }
}

/** Methods that the option `methods` need not list. Fetch Standard §2.2.1 */
const SAFELISTED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'ALL']);

/** The methods that a preflight allows. */
function methodsOf({ methods = DEFAULT_METHODS }: CorsOptions): readonly string[] {
  return joinNames(methods).split(', ');
}

/** Lists the routes whose preflights only this middleware answers. */
function preflighted(
  { origin, preflightContinue }: CorsOptions,
  { routes }: Placement,
): readonly RoutePlacement[] {
  if (origin === false || preflightContinue) return [];
  const isCors = (other: object) => descriptionOf(other)?.role === 'cors';
  return routes.filter(({ isOwn, before, after }) => {
    const others = isOwn ? [...before, ...after] : before;
    return !others.some(isCors);
  });
}

/** Lists at most three of some routes. */
function listRoutes(routes: readonly RoutePlacement[]): string {
  const names = routes.slice(0, 3).map(({ method, pattern }) => `${method} ${pattern}`);
  return names.join(', ') + (routes.length > 3 ? ` and ${routes.length - 3} more` : '');
}

/** An origin that no list contains. */
const STRANGER = 'https://stranger.invalid';

/** Finds cookies with which every site can read responses. */
function findOpenCookies(
  { origin, credentials }: CorsOptions,
  { routes }: Placement,
): Doubt | undefined {
  if (!credentials || typeof origin === 'function') return undefined;
  const rule = readOrigin(origin) ?? false;
  if (typeof rule === 'string' || rule === false || matchOrigin(rule, STRANGER) === undefined)
    return undefined;
  const found = routes
    .flatMap(({ before, after }) => [...before, ...after])
    .find((one) => descriptionOf(one)?.crossSite);
  if (found === undefined) return undefined;
  const message = `cors() lets every site act for your users, because it allows all origins with credentials, and browsers send the cookie of ${descriptionOf(found)?.name} to requests from other sites. Set origin to the origins of your pages, set sameSite of the cookie to 'lax', or pass cors() to intended().`;
  return { code: 'FAIRLEAD_OPTION', message };
}

/** Finds routes that pages of other origins cannot call, because a preflight does not allow their methods. */
function findRefusedRoutes(options: CorsOptions, placement: Placement): Doubt | undefined {
  if (options.methods === undefined) return undefined;
  const allowed = methodsOf(options);
  if (allowed.includes('*') && !options.credentials) return undefined;
  const refused = preflighted(options, placement).filter(
    ({ method }) => !SAFELISTED.has(method) && !allowed.includes(method),
  );
  if (refused.length === 0) return undefined;
  const missing = [...new Set(refused.map(({ method }) => method))].join(', ');
  const isLower = refused.every(({ method }) => allowed.includes(method.toLowerCase()));
  const add = isLower ? `Write ${missing} in upper case` : `Add ${missing} to methods`;
  const fix = `${add}, or pass cors() to intended() if only pages of this origin call them.`;
  const message = `Pages of other origins cannot call routes whose methods cors({ methods }) does not list: ${listRoutes(refused)}. ${fix}`;
  return { code: 'FAIRLEAD_OPTION', message };
}

/** Finds routes that pages of other origins cannot call, because a preflight does not allow their headers. */
function findRefusedHeaders(options: CorsOptions, placement: Placement): Doubt | undefined {
  const { allowedHeaders, credentials } = options;
  if (allowedHeaders === undefined) return undefined;
  const names = joinNames(allowedHeaders).toLowerCase().split(', ');
  const isAny = names.includes('*') && !credentials;
  // The wildcard does not include Authorization. Fetch Standard §4.9
  const allows = (name: string) => names.includes(name) || (isAny && name !== 'authorization');
  const methods = methodsOf(options);
  const missing = new Set<string>();
  const refused = preflighted(options, placement).filter((route) => {
    const { method, security, mediaTypes, before, after } = route;
    if (!SAFELISTED.has(method) && !methods.includes(method)) return false;
    const needed = [
      ...security.flatMap((one) => neededHeaders(one, allows)),
      ...[...before, ...after].flatMap(demandedHeaders),
    ];
    if (mediaTypes.length > 0 && !mediaTypes.some(isSafelistedType)) needed.push('Content-Type');
    const lacking = needed.filter((name) => !allows(name.toLowerCase()));
    for (const name of lacking) missing.add(name);
    return lacking.length > 0;
  });
  if (refused.length === 0) return undefined;
  const list = [...missing].join(', ');
  const message = `Pages of other origins cannot call routes that need headers which cors({ allowedHeaders }) does not list: ${listRoutes(refused)}. Add ${list} to allowedHeaders, or pass cors() to intended() if only pages of this origin call them.`;
  return { code: 'FAIRLEAD_OPTION', message };
}

/** Lists the headers without which a function rejects requests. */
function demandedHeaders(one: object): readonly string[] {
  const headers = Object.entries(descriptionOf(one)?.takes ?? {});
  return headers.flatMap(([name, header]) =>
    typeof header !== 'string' && header.required ? [name] : [],
  );
}

/** Lists the headers with credentials that requests need, unless they can use others. */
function neededHeaders(security: Security, allows: (name: string) => boolean): readonly string[] {
  const needed = (one: Security) => neededHeaders(one, allows);
  if ('anyOf' in security) {
    const ways = security.anyOf.map(needed);
    const isPossible = ways.some((all) => all.every((name) => allows(name.toLowerCase())));
    return isPossible ? [] : (ways[0] ?? []);
  }
  if (!('name' in security)) return security.flatMap(needed);
  const { scheme } = security;
  if (!('type' in scheme) || scheme.type === 'mutualTLS') return [];
  if (scheme.type !== 'apiKey') return ['Authorization'];
  return scheme.in === 'header' ? [scheme.name] : [];
}

/** Whether a page of another origin can send bodies of a media type without a preflight. Fetch Standard §2.2.2 */
function isSafelistedType(type: string): boolean {
  return /^(?:\*\/\*|text\/(?:plain|\*)|application\/(?:x-www-form-urlencoded|\*)|multipart\/(?:form-data|\*))(?:;|$)/i.test(
    type,
  );
}

/** Returns what the option `origin` contains besides origins. */
function invalidOrigins(origin: unknown): readonly unknown[] {
  if (typeof origin === 'function' || readOrigin(origin) !== undefined) return [];
  const entries: readonly unknown[] = [origin].flat();
  return entries.filter((entry) => !isOriginEntry(entry));
}

function originAdvice(entry: unknown): string {
  if (entry === '*') return "Use it without an array, as origin: '*'.";
  const suggestion = typeof entry === 'string' ? suggestOrigin(entry) : undefined;
  if (suggestion !== undefined) return `Use '${suggestion}', which is what browsers send.`;
  return typeof entry === 'string' && entry.includes('*')
    ? 'Use a RegExp, such as /^https:\\/\\/[\\w-]+\\.example\\.com$/.'
    : `Use ${ORIGINS}, or a function.`;
}

/** Returns the origin of a URL or host; undefined for other text. */
function suggestOrigin(text: string): string | undefined {
  // Pages open sockets, but are not loaded from them.
  if (/^wss?:/i.test(text)) return suggestOrigin(text.replace(/^ws/i, 'http'));
  const isLocal = /^(?:localhost|127\.|\[)/.test(text);
  if (!isLocal && !/[.:]/.test(text)) return undefined;
  const scheme = isLocal ? 'http://' : 'https://';
  const { origin = '' } = URL.parse(text.includes('://') ? text : scheme + text) ?? {};
  return isOriginEntry(origin) ? origin : undefined;
}

/**
 * Validates the result of an origin function. A falsy value allows no origin.
 *
 * @throws {TypeError} When the result is not a {@link CorsOrigin}, or is `'*'` with credentials.
 */
function checkResult(result: unknown, credentials: boolean): OriginRule {
  const rule = readOrigin(result || false);
  if (rule !== undefined && !(credentials && rule === '*')) return rule;
  const source = credentials ? 'result of origin() with credentials' : 'result of origin()';
  throw new TypeError(
    `cors() cannot use ${describeValue(result)} as ${source}. Return ${ORIGINS}.`,
  );
}

/** Converts a {@link CorsOrigin} to a rule. Returns undefined for other values. */
function readOrigin(value: unknown): OriginRule | undefined {
  if (typeof value === 'boolean' || value === '*') return value;
  const entries: unknown[] = [value].flat();
  if (!entries.every(isOriginEntry)) return undefined;
  return typeof value === 'string' ? value : entries;
}

/** Whether a value can match what browsers send: `null` for a page without an origin, such as one in a sandbox. */
function isOriginEntry(entry: unknown): entry is string | RegExp {
  return entry === 'null' || isOrigin(entry) || entry instanceof RegExp;
}

/** Returns the origin of a request if the rule allows it. */
function matchOrigin(
  rule: true | readonly (string | RegExp)[],
  origin: string | undefined,
): string | undefined {
  if (!origin || rule === true) return origin || undefined;
  const isAllowed = rule.some((entry) =>
    // Unlike test(), search() ignores the lastIndex of a global RegExp.
    typeof entry === 'string' ? entry === origin : origin.search(entry) !== -1,
  );
  return isAllowed ? origin : undefined;
}

function isNames(value: unknown): boolean {
  const names = [value].flat();
  if (!names.every((name) => typeof name === 'string')) return false;
  return /^[\w!#$%&'*+.^`|~-]*$/.test(joinNames(names).replaceAll(', ', ''));
}

function joinNames(names: string | readonly string[]): string {
  return [names]
    .flat()
    .flatMap((name) => name.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .join(', ');
}
