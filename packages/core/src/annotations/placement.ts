import type { Security } from './documentation.js';

/**
 * What a described value is. The startup checks that it is where it can work. It never suspects middleware
 * without a role, which may do anything.
 *
 * - `middleware` passes requests on. It affects what is registered after it, and responses to unknown paths.
 * - `cors` is such middleware, and also responds to the preflights of the routes that it is on.
 * - `input` passes requests on, and affects only the handlers after it: body parsers, for example.
 * - `responder` may respond, also to paths without a route.
 * - `foreign` belongs to another framework, which reads paths in its own way. It may do anything.
 * - `websocket` opens WebSocket connections, so its route has to be a GET route. A handler or an interceptor.
 * - `guard` returns a boolean, and never calls `next()`.
 * - `errorHandler` catches the errors of what is registered after it.
 * - `notFoundHandler` responds to every request that reaches it.
 * - `factory` is a function that returns one of these, so it has to be called.
 * - `decorator` decorates a class, a method or a parameter, so it never handles requests.
 * - `decoratorFactory` is a function that returns such a decorator. Its `name` is how to write it: `@Roles('admin')`.
 * - `error` is an error with the members of `HttpError`, which become the response, or the prototype of such errors.
 * - `response` is a value that a handler may return, with functions that respond.
 */
export type Role = (typeof ROLES)[number];

export const ROLES = [
  ...(['middleware', 'cors', 'input', 'responder', 'foreign', 'websocket', 'guard'] as const),
  ...(['errorHandler', 'notFoundHandler', 'factory', 'error', 'response'] as const),
  ...(['decorator', 'decoratorFactory'] as const),
];

/** Where a described function runs, for its {@link Description.check}. */
export interface Placement {
  /** The routes that it runs for. */
  readonly routes: readonly RoutePlacement[];
  /**
   * What the application registered before it for paths that both may handle, in order: middleware, and the
   * functions of routes.
   */
  readonly before: readonly object[];
  /**
   * Whether a route that it runs for, or middleware after it, may handle a path or one below it. True in doubt.
   *
   * @param path - Without parameters.
   */
  mayServe(path: string): boolean;
}

/** A route that a described function runs for. */
export interface RoutePlacement {
  /** Upper-case method, or `ALL`. */
  readonly method: string;
  /** With the prefixes of routers. */
  readonly pattern: string;
  /** Whether the function belongs to the route or its router, and not to the application. */
  readonly isOwn: boolean;
  /** The functions that run before it for the route, in order, with those that they {@link Description.runs}. */
  readonly before: readonly object[];
  /** The functions that run after it for the route, in order, with those that they {@link Description.runs}. */
  readonly after: readonly object[];
  /** How requests authenticate, as far as the options and the functions of the route tell. */
  readonly security: readonly Security[];
  /** The media types of the bodies that the options of the route describe; none without a schema. */
  readonly mediaTypes: readonly string[];
}

/** What runs before a function, for its {@link Placed.enter}. */
export interface Surroundings {
  /** The prefix that the function was passed to `app.use()` or `mount()` with; `/` or empty without one. */
  readonly prefix: string;
  /** The prefixes of the middleware before it, in order. */
  readonly prefixes: readonly EarlierPrefix[];
  /** The functions that may run before it, in order. */
  readonly before: readonly object[];
}

/** The prefix of middleware that runs before a function. */
export interface EarlierPrefix {
  /**
   * Its segments, each as the texts between its parameters, in normal form: one text without a parameter, and two that
   * are empty for `:name`.
   */
  readonly segments: readonly (readonly string[])[];
  /** Whether the middleware has run for a request. */
  matches(request: { readonly method: string; readonly path: string }): boolean;
}

/** What is probably a mistake. */
export interface Doubt {
  /** The code of the warning. */
  readonly code: 'FAIRLEAD_OPTION' | 'FAIRLEAD_ORDER' | 'FAIRLEAD_ROUTE';
  /** What is wrong, and how to correct or silence it. */
  readonly message: string;
}

/** What startup checks need to know about a function or a class, to tell whether it is where it can work. */
export interface Placed {
  /** What it is. By default, it may do anything. */
  readonly role?: Role;
  /** The names of middleware or guards, one of which has to run before it, because it reads what they provide. */
  readonly after?: string | readonly string[];
  /** What a handler calls before it handles a request, in order, such as guards and classes of guards. */
  readonly runs?: readonly object[];
  /**
   * The database in whose transactions middleware runs what is after it, or which services use that depend on this
   * value. Controllers warn about writes outside.
   */
  readonly unitOf?: object;
  /** Whether controllers run the guards of a route before it, although it is middleware. */
  readonly afterGuards?: boolean;
  /** The middleware that does the same as a guard, such as `csrf()`, for messages. */
  readonly middleware?: string;
  /** The guard that does the same as middleware, such as `csrfGuard()`, for messages. */
  readonly guard?: string;
  /** Identifies what a guard or an interceptor does. That of a method replaces one of its class with the same slot. */
  readonly slot?: string;
  /** Whether browsers that open a path get a page of this responder, even if there is a route after it. */
  readonly hides?: (path: string) => boolean;
  /** Whether pages of other sites can send its credentials, such as a cookie with `SameSite=None`. */
  readonly crossSite?: boolean;
  /** Whether it lets agents call the routes with the option `tool`. */
  readonly servesTools?: boolean;
  /** Who else calls its route, whom limits should let pass: those who watch whether a process works, or measure it. */
  readonly forOperators?: 'probes' | 'metrics';
  /** The audiences of tokens, one of which a token must have to pass it. */
  readonly audiences?: readonly string[];
  /** The `Content-Security-Policy` that it sets on responses after it. */
  readonly policy?: string;
  /**
   * Called once at startup, when it is used. Returns what is probably wrong with the place where it is used, unless
   * it is passed to `intended()`; undefined for nothing.
   */
  readonly check?: (placement: Placement) => Doubt | undefined;
  /**
   * Called at startup, when it is used. Returns the message of the error `INVALID_ORDER` if it cannot be where it is
   * used; undefined if it can.
   */
  readonly refuses?: (placement: Placement) => string | undefined;
  /**
   * Called with the context when middleware after it, of another framework, has sent a response itself. Returns what
   * it would have done to that response; undefined for nothing.
   */
  readonly misses?: (ctx: never) => string | undefined;
  /**
   * Called once when the application is sealed. Returns what to call with the context of each request before the
   * function runs, which may throw to reject the request; undefined for nothing.
   */
  readonly enter?: (surroundings: Surroundings) => ((ctx: never) => void) | undefined;
}
