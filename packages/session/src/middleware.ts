import type { Context, Middleware } from '@fairlead/core';
import {
  type Doubt,
  describe,
  describeFactories,
  type Placement,
  readHttpError,
  throwTogether,
} from '@fairlead/core/extend';
import { type CookieOptions, deleteCookie, readCookies, setCookie } from '@fairlead/middleware';
import {
  anything,
  boolean,
  explainSeconds,
  findOptionProblems,
  findSecretProblems,
  hasMethods,
  integer,
  type Kinds,
  kind,
  named,
  nonEmptyString,
  oneOf,
  positiveMilliseconds,
} from '@fairlead/options';
import { cookieSessions } from './cookie-sessions.js';
import { SessionError } from './errors.js';
import {
  type Backend,
  type Found,
  LONGEST,
  OpenSession,
  OutsideSession,
  type Session,
} from './session.js';
import { type SessionStore, storedSessions } from './stored-sessions.js';

/** Options of {@link session}. Pass either `keys` or `store`. */
export interface SessionOptions {
  /**
   * Keeps sessions in encrypted cookies. Secrets of at least 32 bytes each: the first encrypts, and all
   * decrypt. To rotate keys, add a new one in front and remove the old one after `lifetime`.
   */
  readonly keys?: readonly (string | Uint8Array)[];
  /** Keeps sessions in a store, and only a random ID in the cookie. */
  readonly store?: SessionStore;
  /**
   * The member that identifies the user, such as `id`. Sessions with the same value can then be ended together.
   * Needs a store that knows the owners of sessions. Sessions that were saved without this option stay.
   */
  readonly user?: string;
  /** The name of the cookie, without a prefix. Default `session`. */
  readonly name?: string;
  /** Milliseconds without a request until a session ends. Default 1,800,000: half an hour. */
  readonly idleTimeout?: number;
  /** Milliseconds until a session ends, from its start or its last `rotate()`. Default 43,200,000: 12 hours. */
  readonly lifetime?: number;
  /** Whether the cookie persists after the browser is closed. Default false. */
  readonly persistent?: boolean;
  /** Whether the cookie is sent over TLS only. Default true. Disable it only for HTTP on localhost. */
  readonly secure?: boolean;
  /** Which requests from other sites send the cookie. `none` requires `secure`. Default `lax`. */
  readonly sameSite?: 'strict' | 'lax' | 'none';
  /** The host whose subdomains also receive the cookie. Default: only the host that set it. */
  readonly domain?: string;
  /**
   * The path of requests that send the cookie, and of those below it. Other requests have no session. With
   * several `session()`, a request has the one with the longest path. Default `/`.
   */
  readonly path?: string;
  /** Milliseconds until a call of the store counts as failed. Default 2,000. */
  readonly storeTimeout?: number;
  /** The size of a session in a store, in bytes of JSON. Default 16,384: 16 KiB. */
  readonly maxBytes?: number;
}

/** What is between the dots of a `Domain` attribute. RFC 6265 §4.1.1 */
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

function isHost(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return value
    .replace(/^\./, '')
    .split('.')
    .every((label) => LABEL.test(label));
}

const IDLE_TIMEOUT = 1_800_000;
const LIFETIME = 43_200_000;

const SESSION_OPTIONS: Kinds<SessionOptions> = {
  // findSecretProblems() checks them without showing them.
  keys: anything,
  store: kind(
    'an object with the methods read, write and delete',
    hasMethods('read', 'write', 'delete'),
  ),
  user: nonEmptyString,
  name: kind(
    "letters, digits, '_' and '-', beginning with a letter",
    (value) => typeof value === 'string' && /^[a-z][\w-]*$/i.test(value),
  ),
  idleTimeout: integer(1, LONGEST, 'number of milliseconds'),
  lifetime: integer(1, LONGEST, 'number of milliseconds'),
  persistent: boolean,
  secure: boolean,
  sameSite: oneOf('strict', 'lax', 'none'),
  domain: kind('a host, such as example.com', isHost),
  path: kind(
    "a path that starts with '/', in ASCII without ';' and '<'",
    (value) => typeof value === 'string' && /^\/[ -:=-~]*$/.test(value),
  ),
  storeTimeout: positiveMilliseconds,
  maxBytes: integer(1, Number.MAX_SAFE_INTEGER, 'number of bytes'),
};

/**
 * Gives each request a session, in `ctx.state.session`. It is in an encrypted cookie, or in a store with
 * only a random ID in the cookie. A client receives a cookie when its session has its first member.
 *
 * The cookie has `HttpOnly`, `Secure`, `SameSite=Lax` and the strictest prefix that its options allow:
 * `__Host-Http-session` by default. A response that sets it also has `Cache-Control: no-store`, unless the
 * handler sets another value that keeps the response out of shared caches. `no-transform` is kept.
 *
 * The middleware throws a ServiceUnavailableError, 503 `SESSION_STORE_UNAVAILABLE`, when the store fails,
 * and a ConflictError, 409 `SESSION_CONFLICT`, when another request has changed the same member of a stored
 * session, or has ended the session. It throws a CookieError, 500 `COOKIE_TOO_LARGE`, when an encrypted
 * session does not fit into a cookie of 4,096 bytes, and a SessionError, 500 `SESSION_TOO_LARGE`, when a
 * stored session exceeds `maxBytes`.
 *
 * @typeParam Data - The members of the session by name.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid, or when there is not
 *   exactly one of `keys` and `store`.
 * @see RFC 6265bis; OWASP Session Management Cheat Sheet
 */
export function session<Data extends object = Record<string, unknown>>(
  options: SessionOptions,
): Middleware<{ session: Session<Data> }> {
  assertOptions(options);
  const { keys = [], store, user, storeTimeout = 2_000, maxBytes = 16_384 } = options;
  const { lifetime = LIFETIME, path = '/' } = options;
  const idleTimeout = Math.min(options.idleTimeout ?? IDLE_TIMEOUT, lifetime);
  const lifetimes = { idleTimeout, lifetime };
  const cookie = describeCookie(options);
  const scope = path === '/' ? cookie.name : `${cookie.name} ${path}`;
  const run: Middleware<{ session: Session<Data> }> =
    store === undefined
      ? createMiddleware(cookieSessions(keys, scope, lifetimes), cookie)
      : createMiddleware(
          storedSessions(store, storeTimeout, maxBytes, lifetimes, scope, user),
          cookie,
          user,
        );
  const middleware = path === '/' ? run : limitTo(path, run);
  cookies.set(middleware, [cookie.name, path, options.domain].join());
  return describe(middleware, {
    name: 'session()',
    role: 'middleware',
    crossSite: options.sameSite === 'none',
    warning: () => describeTimes(options) ?? describeUnused(options),
    check: (placement) => findUnusedPath(path, placement) ?? findSameCookie(middleware, placement),
  });
}

/** The cookie of each middleware: its name, path and domain, as text. */
const cookies = new WeakMap<object, string>();

/** Finds another session before this one with the same cookie, so that each of them overwrites it. */
function findSameCookie(middleware: object, { routes, before }: Placement): Doubt | undefined {
  const cookie = cookies.get(middleware);
  const isSame = (other: object) => other !== middleware && cookies.get(other) === cookie;
  const all = [{ method: '', pattern: '', before }, ...routes];
  const found = all.find((one) => one.before.some(isSame));
  if (found === undefined) return undefined;
  const where = found.pattern === '' ? '' : `, for example for ${found.method} ${found.pattern}`;
  const message = `session() replaces the session of another session() before it, which has the same cookie${where}. Remove one of them, pass another name, or pass the middleware to intended().`;
  return { code: 'FAIRLEAD_OPTION', message };
}

/** Finds a path at which the middleware never runs. */
function findUnusedPath(path: string, { mayServe }: Placement): Doubt | undefined {
  if (path === '/' || mayServe(path)) return undefined;
  const message = `session() gives no request a session, because none of its routes is at its path '${path}' or below. Correct the option path, or pass the middleware to intended().`;
  return { code: 'FAIRLEAD_OPTION', message };
}

describeFactories(session);

/** Warns about times that were probably meant in seconds. */
function describeTimes({
  idleTimeout = IDLE_TIMEOUT,
  lifetime = LIFETIME,
}: SessionOptions): string | undefined {
  const explain = (name: string, time: number, least: number) =>
    explainSeconds(`The ${name} of session() ends sessions after`, time, least, 'the middleware');
  return explain('idleTimeout', idleTimeout, 60_000) ?? explain('lifetime', lifetime, 600_000);
}

/** Warns about options of stored sessions for sessions in cookies. */
function describeUnused({ store, storeTimeout, maxBytes }: SessionOptions): string | undefined {
  const unused = Object.entries({ storeTimeout, maxBytes }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  if (store !== undefined || unused.length === 0) return undefined;
  return `session() ignores ${unused.join(' and ')}, because its sessions are in cookies. Pass a store, remove ${unused.join(' and ')}, or pass the middleware to intended().`;
}

function createMiddleware<Data extends object, Kept extends Found>(
  backend: Backend<Kept>,
  { name, attributes, maxAgeOf }: SessionCookie,
  user?: string,
): Middleware<{ session: Session<Data> }> {
  const save = async (ctx: Context, current: OpenSession<Kept>): Promise<void> => {
    current.close();
    const deletes = current.isDestroyed && readCookies(ctx)[name] !== undefined;
    const needsCookie = current.isNew || deletes || (backend.isInCookie && current.isChanged);
    const isFixed = ctx.takenOver || ctx.res.headersSent;
    if (needsCookie && isFixed) throw cookieNotSent();
    // Set again, the cookie would reach every client of a shared cache.
    if (backend.isInCookie && !needsCookie && (isFixed || sharingHeaders(ctx).length > 0)) return;
    const saved = backend.save(current);
    const value = saved instanceof Promise ? await saved : saved;
    if (value === undefined && !deletes) return;
    if (value === undefined) deleteCookie(ctx, name, attributes);
    else setCookie(ctx, name, value, { ...attributes, ...maxAgeOf(current) });
    backend.onCookie?.(current);
    const directives = directivesOf(ctx.responseHeaders.get('Cache-Control'));
    for (const header of sharingHeaders(ctx)) ctx.responseHeaders.delete(header);
    if (ctx.responseHeaders.has('Cache-Control')) return;
    // The bytes of the response may still not change, for example in compression().
    const mustKeepBytes = directives.includes('no-transform');
    ctx.set('Cache-Control', mustKeepBytes ? 'no-store, no-transform' : 'no-store');
  };

  return named('session', async (ctx, next) => {
    const received = readCookies(ctx)[name];
    const found = received === undefined ? undefined : await backend.find(received);
    const current = new OpenSession(ctx, found, user, attributes.path);
    if (pathLengthOf(ctx.state.session) <= pathLengthOf(current))
      ctx.state.session = current as Session<Data>;
    try {
      await next();
    } catch (error) {
      await save(ctx, current).catch((failure: unknown) => {
        // The client must not receive, for example, a 401 that relies on a session that was not saved.
        if (readHttpError(error)?.report === false) throw failure;
        throw new AggregateError([error, failure], 'The session was not saved after an error.');
      });
      throw error;
    }
    await save(ctx, current);
  });
}

/**
 * Returns the length of a session's path. Of several, the session with the longest one stays, so that what checks it,
 * such as a guard of that path, never receives the session of more requests.
 */
function pathLengthOf(session: unknown): number {
  const stays =
    session instanceof OpenSession ||
    (session instanceof OutsideSession && session.excludesShorter);
  return stays ? session.path.length : 0;
}

/**
 * Runs middleware only for requests to which clients send a cookie with a path.
 *
 * @see RFC 6265 §5.1.4
 */
function limitTo<Data extends object>(
  path: string,
  run: Middleware<{ session: Session<Data> }>,
): Middleware<{ session: Session<Data> }> {
  const below = path.endsWith('/') ? path : `${path}/`;
  const similar = below.toLowerCase();
  return named('session', (ctx, next) => {
    if (ctx.path === path || ctx.path.startsWith(below)) return run(ctx, next);
    // A router may ignore case and the slash at the end, which clients do not.
    const isSimilar = `${ctx.path}/`.toLowerCase().startsWith(similar);
    const { session } = ctx.state;
    // Another session() may have set it.
    if (session === undefined || (isSimilar && pathLengthOf(session) < path.length))
      ctx.state.session = new OutsideSession(ctx.path, path, isSimilar) as Session<Data>;
    return next();
  });
}

/**
 * Returns the names of the headers that let shared caches store the response.
 *
 * @see RFC 9111 §3, §5.2.2; RFC 9213 §2
 */
function sharingHeaders({ responseHeaders }: Context): readonly string[] {
  return [...responseHeaders].flatMap(([name, value]) =>
    CACHE_HEADER.test(name) && !isUnshared(directivesOf(value)) ? name : [],
  );
}

/** `Cache-Control`, and the headers that take precedence over it in some caches. */
const CACHE_HEADER = /^(?:(?:[\w-]+-)?cache-control|surrogate-control)$/i;

/**
 * Returns the directives of a header that controls caches, in lower case and without quoted text.
 *
 * @see RFC 9111 §5.2
 */
function directivesOf(value: unknown): readonly string[] {
  return String(value)
    .replace(/"(?:[^"\\]|\\.)*"?/g, '""')
    .split(',')
    .map((directive) => directive.trim().toLowerCase());
}

/**
 * Whether directives keep a response out of shared caches. With a list of headers, `private` concerns only
 * these. With `must-understand`, caches may ignore `no-store`.
 */
function isUnshared(directives: readonly string[]): boolean {
  if (directives.includes('private')) return true;
  return directives.includes('no-store') && !directives.includes('must-understand');
}

function cookieNotSent(): SessionError {
  return new SessionError(
    'SESSION_CLOSED',
    'Cannot set the cookie of the session: the handler has written the response itself. Let Fairlead send the response, or change the session in an earlier request.',
  );
}

/** The cookie of the sessions. */
interface SessionCookie {
  /** With its prefix. */
  readonly name: string;
  readonly attributes: CookieOptions;
  readonly maxAgeOf: (session: OpenSession<Found>) => Pick<CookieOptions, 'maxAge'>;
}

function describeCookie(options: SessionOptions): SessionCookie {
  const { name = 'session', secure = true, sameSite = 'lax', path = '/', domain } = options;
  const { persistent = false, lifetime = LIFETIME } = options;
  const isHost = path === '/' && domain === undefined;
  const prefix = isHost ? '__Host-Http-' : '__Http-';
  const scope = domain === undefined ? { path } : { path, domain };
  return {
    name: secure ? prefix + name : name,
    attributes: { ...scope, secure, sameSite, httpOnly: true },
    maxAgeOf({ kept, remember }) {
      if (!persistent && remember === undefined) return {};
      const age = kept === undefined ? 0 : Date.now() - kept.created;
      return { maxAge: Math.max(1, Math.ceil(((remember ?? lifetime) - age) / 1_000)) };
    },
  };
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertOptions(options: SessionOptions): void {
  const problems = findOptionProblems('session()', options, SESSION_OPTIONS);
  if (problems.length === 0) problems.push(...findContradictions(options ?? {}));
  throwTogether(problems);
}

function findContradictions(options: SessionOptions): readonly string[] {
  const { keys, store, user, sameSite, secure, idleTimeout = 1, lifetime = LIFETIME } = options;
  const problems: string[] = [];
  if (keys === undefined && store === undefined) {
    problems.push(
      'session() needs keys or a store. Pass keys to keep sessions in encrypted cookies, such as keys: [process.env.SESSION_KEY], or a store.',
    );
  } else if (store === undefined) problems.push(...findSecretProblems('session()', keys));
  else if (keys !== undefined) {
    problems.push('session() cannot use both keys and store. Remove one of them.');
  }
  if (user !== undefined && store?.deleteOwned === undefined) {
    const where =
      store === undefined
        ? 'with sessions in cookies, which nobody can list. Pass a store such as createRedisStore(client) instead of keys'
        : 'with this store, because it has no method deleteOwned(). Use createRedisStore() or createMemoryStore(), or implement it';
    problems.push(`session() cannot use user ${where}, or remove user.`);
  }
  if (idleTimeout > lifetime) {
    problems.push(
      `session() cannot use an idleTimeout of ${idleTimeout} ms with a lifetime of ${lifetime} ms. Set idleTimeout to at most lifetime.`,
    );
  }
  if (sameSite === 'none' && secure === false) {
    problems.push("session() cannot use sameSite: 'none' without Secure. Remove secure: false.");
  }
  return problems;
}
