import { RouteConflictError, SealedError, SetupError } from '../errors/setup-error.js';
import { METHODS } from '../node-http.js';
import { assertMiddleware, type Handler, type Middleware } from '../pipeline.js';
import { joinPaths } from '../target.js';
import { type PathRules, parsePattern, parsePrefix, shapeOf } from './pattern.js';

/** The method of a route that handles every method. */
export const ALL = 'ALL';

/** How a router compares paths. */
export type RouterOptions = Partial<PathRules>;

/** One route of a router: a method, a pattern and its handlers. */
export interface Route {
  /** Upper-case method, or `ALL` for every method. */
  readonly method: string;
  /** Pattern, with the prefixes of nested routers. */
  readonly pattern: string;
  /** The router's middleware, then the route's, then its handler. */
  readonly handlers: readonly Middleware[];
}

/** Seals a router and its nested routers. Registering a route afterwards throws. */
export let sealRouter: (router: Router) => void;

/** A table of routes, relative to the prefix at which it is mounted. */
export class Router {
  /** How the router compares paths. */
  readonly rules: Readonly<PathRules>;
  readonly #entries: (Route | { readonly prefix: string; readonly router: Router })[] = [];
  readonly #middleware: Middleware[] = [];
  readonly #byShape = new Map<string, Route>();
  #sealed = false;

  static {
    sealRouter = (router) => {
      router.#sealed = true;
      for (const { router: nested } of router.#nested()) sealRouter(nested);
    };
  }

  constructor({ caseSensitive = true, strict = false }: RouterOptions = {}) {
    this.rules = Object.freeze({ caseSensitive, strict });
  }

  /**
   * Registers a route.
   *
   * @param method - `ALL` or a method from `http.METHODS` except CONNECT, in any case.
   * @param pattern - Static text, `:name` and a final `*name`; relative to the mount prefix.
   * @param handlers - Middleware of this route, then its handler.
   * @throws {RouteConflictError} When an equivalent pattern is already registered for this method.
   * @throws {InvalidPatternError} When the pattern is invalid.
   * @throws {InvalidMiddlewareError} When a handler is missing or not a function.
   * @throws {SetupError} `INVALID_METHOD`, when no request can have the method.
   * @throws {SealedError} When the router is sealed.
   */
  on(method: string, pattern: string, ...handlers: readonly Handler[]): this {
    const call = `router.${method.toLowerCase()}('${pattern}')`;
    this.#assertOpen(call);
    assertMiddleware(call, handlers.length === 0 ? [undefined] : handlers);
    const parsed = parsePattern(pattern);
    const route = { method: parseMethod(method), pattern: parsed.text, handlers };
    const key = `${route.method} ${shapeOf(parsed, this.rules)}`;
    const existing = this.#byShape.get(key);
    if (existing) throw new RouteConflictError(route.method, existing.pattern, route.pattern);
    this.#byShape.set(key, route);
    this.#entries.push(route);
    return this;
  }

  /** Registers a route for GET, and for HEAD unless the pattern has a HEAD route. */
  get(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on('GET', pattern, ...handlers);
  }

  /** Registers a route for POST. */
  post(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on('POST', pattern, ...handlers);
  }

  /** Registers a route for PUT. */
  put(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on('PUT', pattern, ...handlers);
  }

  /** Registers a route for PATCH. */
  patch(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on('PATCH', pattern, ...handlers);
  }

  /** Registers a route for DELETE. */
  delete(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on('DELETE', pattern, ...handlers);
  }

  /** Registers a route for HEAD. */
  head(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on('HEAD', pattern, ...handlers);
  }

  /** Registers a route for OPTIONS. */
  options(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on('OPTIONS', pattern, ...handlers);
  }

  /** Registers a route for every method that has no other route with this pattern. */
  all(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on(ALL, pattern, ...handlers);
  }

  /**
   * Adds middleware that runs before every route of this router, including routes registered earlier.
   * It runs only when a route matches.
   *
   * @throws {InvalidMiddlewareError} When an argument is not a function.
   * @throws {SealedError} When the router is sealed.
   */
  use(...middleware: readonly Middleware[]): this {
    this.#assertOpen('router.use()');
    assertMiddleware('router.use()', middleware);
    this.#middleware.push(...middleware);
    return this;
  }

  /**
   * Nests a router under a prefix.
   *
   * @param prefix - May contain parameters.
   * @param router - A router with the same options as this one.
   * @throws {SetupError} `ROUTER_OPTIONS_DIFFER`, when the options differ; `ROUTER_CYCLE`, when
   *   `router` contains this router.
   * @throws {InvalidPatternError} When the prefix is invalid or contains a wildcard.
   * @throws {SealedError} When the router is sealed.
   */
  route(prefix: string, router: Router): this {
    this.#assertOpen('router.route()');
    if (router.#contains(this)) {
      throw new SetupError(
        'ROUTER_CYCLE',
        `Cannot nest the router at '${prefix}': its parent would be nested in itself. Create a separate router.`,
      );
    }
    const { caseSensitive, strict } = this.rules;
    if (router.rules.caseSensitive !== caseSensitive || router.rules.strict !== strict) {
      throw new SetupError(
        'ROUTER_OPTIONS_DIFFER',
        `Cannot nest the router at '${prefix}': it compares paths differently from its parent. Create both with the same caseSensitive and strict options.`,
      );
    }
    parsePrefix(prefix);
    this.#entries.push({ prefix, router });
    return this;
  }

  /** All routes, including those of nested routers, in order of registration. */
  get routes(): readonly Route[] {
    const routes = this.#entries.flatMap((entry) =>
      'method' in entry
        ? [entry]
        : entry.router.routes.map((route) => ({
            ...route,
            pattern: joinPaths(entry.prefix, route.pattern),
          })),
    );
    return routes.map((route) => ({
      ...route,
      handlers: [...this.#middleware, ...route.handlers],
    }));
  }

  #nested() {
    return this.#entries.filter((entry) => 'router' in entry);
  }

  #contains(router: Router): boolean {
    return router === this || this.#nested().some((nested) => nested.router.#contains(router));
  }

  #assertOpen(call: string): void {
    if (this.#sealed) throw new SealedError(call);
  }
}

/**
 * Validates the method of a route.
 *
 * @param method - `ALL` or a method that node:http supports, in any case.
 * @returns The method in upper case.
 * @throws {SetupError} `INVALID_METHOD`, when no request can have the method.
 */
export function parseMethod(method: string): string {
  const upper = method.toUpperCase();
  // node:http closes the connection of a CONNECT request.
  if (upper === ALL || (METHODS.includes(upper) && upper !== 'CONNECT')) return upper;
  throw new SetupError(
    'INVALID_METHOD',
    `A route cannot handle the method '${method}'. Use 'ALL', or a method from http.METHODS except CONNECT.`,
  );
}

/**
 * Creates a router.
 *
 * @param options - `caseSensitive` (default true) and `strict` trailing slashes (default false).
 */
export function createRouter(options?: RouterOptions): Router {
  return new Router(options);
}
