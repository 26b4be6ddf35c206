import type { Context } from '../context/context.js';
import { isPromiseLike, type Next } from '../context/next.js';
import { SetupError } from '../errors/setup-error.js';
import type { Middleware } from '../pipeline/middleware.js';

/**
 * Which origins may read responses, as in the npm package cors. An origin is scheme, host and port,
 * such as `https://app.example.com`.
 *
 * - `'*'` allows every origin, without credentials.
 * - `true` allows every origin by sending back the one of the request. With `credentials` every
 *   site can then act for your users.
 * - `false` allows none: the middleware does nothing.
 * - Any other string is the one origin that is allowed, compared exactly, and is sent to every client.
 * - A RegExp allows the origins that it matches. Anchor it with `^` and `$`.
 * - An array allows the origins that one of its entries matches.
 */
export type CorsOrigin = boolean | string | RegExp | readonly (string | RegExp)[];

/** Options of {@link cors}. */
export interface CorsOptions {
  /**
   * Which origins may read responses, or a function that decides for the origin of a request and
   * may return a promise. Default `'*'`. The function is called only for requests with an `Origin`;
   * what it throws goes to the error handler.
   */
  readonly origin?:
    | CorsOrigin
    | ((origin: string, ctx: Context) => CorsOrigin | PromiseLike<CorsOrigin>);
  /** Whether requests may carry cookies and other credentials. Default false; never with `'*'`. */
  readonly credentials?: boolean;
  /**
   * Methods that a preflight allows: an array, or a string with commas. Default
   * `'GET, HEAD, PUT, PATCH, POST, DELETE'`.
   */
  readonly methods?: string | readonly string[];
  /**
   * Request headers that a preflight allows: an array, or a string with commas. Default: the ones
   * that it asks for.
   */
  readonly allowedHeaders?: string | readonly string[];
  /**
   * Response headers that a page may read, besides those that it always may: an array, or a string
   * with commas. Default: none.
   */
  readonly exposedHeaders?: string | readonly string[];
  /**
   * Seconds that a browser may cache a preflight response: an integer from 0 up. Default: the
   * browser's own choice.
   */
  readonly maxAge?: number;
  /** Whether a preflight goes on to the next middleware, which answers it. Default false. */
  readonly preflightContinue?: boolean;
  /** Status of a preflight response: an integer from 200 to 299. Default 204. */
  readonly optionsSuccessStatus?: number;
}

/** A {@link CorsOrigin} that was checked, with a RegExp as an array of one. */
type OriginRule = boolean | string | readonly (string | RegExp)[];

const ORIGINS =
  "true, false, '*', an origin such as 'https://app.example.com', a RegExp, or an array of origins and RegExps";
const DEFAULT_METHODS = 'GET, HEAD, PUT, PATCH, POST, DELETE';
const NAMES = 'an array of names, or a string of names with commas';

/** Which values each option accepts, and how a message names them. */
const ACCEPTED: Readonly<
  Record<keyof CorsOptions, readonly [(value: unknown) => boolean, string]>
> = {
  origin: [
    (value) => typeof value === 'function' || readOrigin(value) !== undefined,
    `${ORIGINS}, or a function`,
  ],
  credentials: [isBoolean, 'true or false'],
  methods: [isNames, NAMES],
  allowedHeaders: [isNames, NAMES],
  exposedHeaders: [isNames, NAMES],
  maxAge: [
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    'seconds as an integer from 0 up',
  ],
  preflightContinue: [isBoolean, 'true or false'],
  optionsSuccessStatus: [
    (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    'an integer from 200 to 299',
  ],
};

/**
 * Lets pages of other origins read responses, errors included, and answers preflights: OPTIONS
 * requests with `Access-Control-Request-Method`. Takes the options of the npm package cors.
 *
 * A response that depends on the request's origin has `Vary: Origin`, also when the request has none.
 *
 * @throws {SetupError} `INVALID_CORS`, when an option is unknown or has a value that it does not
 *   accept, or when `credentials` is true for the origin `'*'`.
 * @see Fetch Standard §3.3 (CORS protocol)
 */
export function cors(options: CorsOptions = {}): Middleware {
  assertOptions(options);
  const { credentials = false, preflightContinue = false, optionsSuccessStatus = 204 } = options;
  const { origin = '*', allowedHeaders } = options;
  const exposed = joinNames(options.exposedHeaders ?? '');
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
    return function cors(ctx, next) {
      if (rule !== '*' && rule !== false) ctx.append('Vary', 'Origin');
      return respond(ctx, next, rule);
    };
  }
  return function cors(ctx, next) {
    ctx.append('Vary', 'Origin');
    const requested = ctx.get('Origin');
    if (!requested) return next();
    const result = origin(requested, ctx);
    if (!isPromiseLike(result)) return respond(ctx, next, checkResult(result, credentials));
    return Promise.resolve(result).then((value) =>
      respond(ctx, next, checkResult(value, credentials)),
    );
  };
}

function assertOptions(options: CorsOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new SetupError(
      'INVALID_CORS',
      `cors() takes an object of options, not ${show(options)}.`,
    );
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(ACCEPTED, name)) continue;
    const known = Object.keys(ACCEPTED).join(', ');
    throw new SetupError(
      'INVALID_CORS',
      `cors() has no option '${name}'. Remove it, or use one of ${known}.`,
    );
  }
  for (const [name, [accepts, description]] of Object.entries(ACCEPTED)) {
    const value = options[name as keyof CorsOptions];
    // An origin that is undefined, such as a missing environment variable, must not allow every origin.
    const isLeftOut = value === undefined && !(name === 'origin' && name in options);
    if (isLeftOut || accepts(value)) continue;
    throw new SetupError(
      'INVALID_CORS',
      `cors() cannot use ${show(value)} as ${name}. Use ${description}.`,
    );
  }
  if (options.credentials === true && (options.origin ?? '*') === '*') {
    throw new SetupError(
      'INVALID_CORS',
      "cors() cannot use true as credentials when origin is '*', its default. Set origin to the origins that may send credentials.",
    );
  }
}

/**
 * Reads what an origin function has returned; a falsy value allows no origin.
 *
 * @throws {TypeError} When it is not a {@link CorsOrigin}, or is `'*'` with credentials.
 */
function checkResult(result: unknown, credentials: boolean): OriginRule {
  const rule = readOrigin(result || false);
  if (rule !== undefined && !(credentials && rule === '*')) return rule;
  const place = credentials ? 'result of origin() with credentials' : 'result of origin()';
  throw new TypeError(`cors() cannot use ${show(result)} as ${place}. Return ${ORIGINS}.`);
}

/** Reads a {@link CorsOrigin}; undefined when the value is something else. */
function readOrigin(value: unknown): OriginRule | undefined {
  if (typeof value === 'boolean') return value;
  const entries: unknown[] = [value].flat();
  if (!entries.every(isOriginEntry)) return undefined;
  return typeof value === 'string' ? value : entries;
}

function isOriginEntry(entry: unknown): entry is string | RegExp {
  // An origin has neither spaces nor commas, unlike a list, which the header cannot hold.
  return typeof entry === 'string' ? /^(?!.*,)[!-~]+$/.test(entry) : entry instanceof RegExp;
}

/** The origin of a request when a rule allows it. */
function matchOrigin(
  rule: true | readonly (string | RegExp)[],
  origin: string | undefined,
): string | undefined {
  if (!origin || rule === true) return origin || undefined;
  const isAllowed = rule.some((entry) =>
    // Unlike test(), search() does not depend on where a global RegExp has matched before.
    typeof entry === 'string' ? entry === origin : origin.search(entry) !== -1,
  );
  return isAllowed ? origin : undefined;
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
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

/** Writes a value for a message. */
function show(value: unknown): string {
  // An import statement would load node:util with this package.
  return process.getBuiltinModule('node:util').inspect(value);
}
