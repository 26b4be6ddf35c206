import { joinPaths } from '../context/path.js';
import { RouteConflictError, SealedError, SetupError } from '../errors/setup-error.js';
import { assertMiddleware, type Handler, type Middleware } from '../pipeline/middleware.js';
import { ALL, parseMethod } from './method.js';
import { type PathRules, parsePattern, parsePrefix, shapeOf } from './pattern.js';

/** How a router compares paths. */
export type RouterOptions = Partial<PathRules>;

/** One entry of a router: who answers a method and a pattern. */
export interface Route {
  /** In upper case; `ALL` for every method. */
  readonly method: string;
  /** Pattern with the prefixes of the routers that it was registered through. */
  readonly pattern: string;
  /** The router's own middleware, then the route's, then its handler. */
  readonly handlers: readonly Middleware[];
}

/** Closes a router and those nested in it: a later registration is an error. */
export let sealRouter: (router: Router) => void;

/** A table of routes, relative to where an application mounts it. */
export class Router {
  /** How it compares paths. */
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
   * @param method - One of `http.METHODS` but CONNECT, or `ALL`, in any case.
   * @param pattern - Static text, `:name` and a final `*name`; relative to the mount prefix.
   * @param handlers - Middleware of this route, then its handler.
   * @throws {RouteConflictError} When an equivalent pattern is registered for this method.
   * @throws {InvalidPatternError} When the pattern cannot be read.
   * @throws {InvalidMiddlewareError} When a handler is not a function, or none is given.
   */
  on(method: string, pattern: string, ...handlers: readonly Handler[]): this {
    const place = `router.${method.toLowerCase()}('${pattern}')`;
    this.#assertOpen(place);
    assertMiddleware(place, handlers.length === 0 ? [undefined] : handlers);
    const parsed = parsePattern(pattern);
    const route = { method: parseMethod(method), pattern: parsed.text, handlers };
    const key = `${route.method} ${shapeOf(parsed, this.rules)}`;
    const existing = this.#byShape.get(key);
    if (existing) throw new RouteConflictError(route.method, existing.pattern, route.pattern);
    this.#byShape.set(key, route);
    this.#entries.push(route);
    return this;
  }

  /** Registers a route for GET, and for HEAD unless that has its own. */
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

  /** Registers a route for every method that has no route of its own at this pattern. */
  all(pattern: string, ...handlers: readonly Handler[]): this {
    return this.on(ALL, pattern, ...handlers);
  }

  /**
   * Adds middleware that runs before every route of this router, wherever it stands in the order of
   * calls, and only when a route has matched.
   *
   * @throws {InvalidMiddlewareError} When one is not a function.
   */
  use(...middleware: readonly Middleware[]): this {
    this.#assertOpen('router.use()');
    assertMiddleware('router.use()', middleware);
    this.#middleware.push(...middleware);
    return this;
  }

  /**
   * Nests a router: its routes are this router's, under a prefix.
   *
   * @param prefix - May hold parameters.
   * @param router - Has the same options as this one.
   * @throws {SetupError} `ROUTER_OPTIONS_DIFFER`, when it has not; `ROUTER_CYCLE`, when it holds this one.
   */
  route(prefix: string, router: Router): this {
    this.#assertOpen('router.route()');
    if (router.#holds(this)) {
      throw new SetupError('ROUTER_CYCLE', `The router nested at '${prefix}' holds itself.`);
    }
    const { caseSensitive, strict } = this.rules;
    if (router.rules.caseSensitive !== caseSensitive || router.rules.strict !== strict) {
      throw new SetupError(
        'ROUTER_OPTIONS_DIFFER',
        `The router nested at '${prefix}' compares paths otherwise than its parent. Create both with the same caseSensitive and strict.`,
      );
    }
    parsePrefix(prefix);
    this.#entries.push({ prefix, router });
    return this;
  }

  /** Every route, with those of nested routers, in the order of registration. */
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

  #holds(router: Router): boolean {
    return router === this || this.#nested().some((nested) => nested.router.#holds(router));
  }

  #assertOpen(place: string): void {
    if (this.#sealed) throw new SealedError(place);
  }
}

/**
 * Creates a router.
 *
 * @param options - `caseSensitive` (default true) and `strict` trailing slashes (default false).
 */
export function createRouter(options?: RouterOptions): Router {
  return new Router(options);
}
