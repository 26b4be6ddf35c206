import {
  atLine,
  boolean,
  captureCaller,
  describeValue,
  isIntended,
  isPlainObject,
  type Kinds,
  type Locate,
  locatorOf,
  setLocation,
} from '@fairlead/options';
import { mountBelow } from '../annotations/description.js';
import type { State } from '../exchange/exchange.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isPromiseLike } from '../promise.js';
import { assertOptions } from '../setup/options.js';
import { explainOtherCopy, markCopy } from '../setup/package-copies.js';
import {
  conflictOf,
  mountedTwice,
  problemsOf,
  SealedError,
  SetupError,
  throwProblems,
} from '../setup/setup-error.js';
import type { DefinedRoute, RouteBuilders } from './client-contract.js';
import { createFetchRoute, type FetchHandler, type MountOptions } from './fetch-handler.js';
import {
  assertMiddleware,
  assertPath,
  describeArgument,
  InvalidMiddlewareError,
  isApplication,
  isRouter,
  NESTED_APPLICATION,
} from './invalid-argument.js';
import {
  expandPath,
  joinPaths,
  type PathParams,
  type PathRules,
  type PrefixFor,
  parsePattern,
  parsePrefix,
  shapeOf,
} from './pattern.js';
import {
  ADD_ROUTE,
  ALL,
  type Callee,
  type List,
  nameCall,
  parseMethod,
  RouteMethods,
} from './route-methods.js';
import {
  checkRouteOptions,
  isRouteOptions,
  type MiddlewareArguments,
  type RouteOptions,
  type RouteParams,
  type SetByAll,
} from './route-options.js';
import { sharesVersion } from './version-source.js';
import { pathParts } from './written.js';

/** How a router compares paths. */
export type RouterOptions = Partial<PathRules>;

/** The options of a router, and what they accept. */
export const ROUTER_OPTIONS: Kinds<RouterOptions> = { caseSensitive: boolean, strict: boolean };

export function completeRules({
  caseSensitive = true,
  strict = false,
}: RouterOptions): Readonly<PathRules> {
  return Object.freeze({ caseSensitive, strict });
}

/** One route of a router: a method, a pattern and its handlers. */
export interface Route {
  /** Upper-case method, or `ALL` for every method. */
  readonly method: string;
  /** Pattern, with the prefixes of nested routers. */
  readonly pattern: string;
  /** Names of the pattern's parameters, in the order of the path. */
  readonly params: readonly string[];
  /** Schemas and documentation of the route. */
  readonly options: RouteOptions;
  /** The router's middleware, then the route's, then its handler. */
  readonly handlers: readonly Middleware[];
  /** Middleware of the application that runs before the router; only in `app.routes()`. */
  readonly upstream?: readonly Middleware[];
  /**
   * Middleware of the application that runs before the router, but not for all requests of the route: the pattern also
   * matches paths outside of its prefix. Only in `app.routes()`; absent if no middleware is like this.
   */
  readonly partial?: readonly PartialMiddleware[];
  /** The mounted router, which compares the path; only in `app.routes()`. */
  readonly router?: Router<unknown>;
}

/** Middleware that runs for some requests of a route. */
export interface PartialMiddleware {
  /** What the paths of these requests are below. */
  readonly prefix: string;
  readonly middleware: Middleware;
  /** How many functions of {@link Route.upstream} run before it. */
  readonly index: number;
  /** @param path - In normal form, as {@link Context.path}. */
  readonly matches: (path: string) => boolean;
}

export type AnyRouter = Router<unknown, State>;

/** Mounts a handler of web requests on a router. */
export const ADD_MOUNT: unique symbol = Symbol('addMount');

/**
 * Adds a route to those with the same method and shape.
 *
 * @returns Another route that handles the same requests already; undefined if none does.
 */
export function addRoute<One extends Pick<Route, 'options'>>(
  byShape: Map<string, One[]>,
  key: string,
  route: One,
): One | undefined {
  const same = byShape.get(key) ?? [];
  const { version } = route.options;
  const existing = same.find(({ options }) => sharesVersion(options.version, version));
  if (existing === undefined) byShape.set(key, [...same, route]);
  return existing;
}

/** Where a router has its {@link Table}. */
const TABLE: unique symbol = Symbol('table');

interface Table {
  readonly entries: (Route | { readonly prefix: string; readonly router: AnyRouter })[];
  readonly middleware: Middleware[];
  /** By method and shape. */
  readonly byShape: Map<string, Route[]>;
  readonly problems: SetupError[];
  /** The number of applications and routers that it has been mounted on. */
  mounts: number;
  /** Describes the routes that the callback of `router.define()` created, but did not return. */
  unreturned?: string;
  isSealed: boolean;
}

/** Routers with problems that no application has reported yet. */
const faulty = new Set<AnyRouter>();

/**
 * Runs a registration. Records its error with its location instead of throwing it, so that the start reports all of
 * them together.
 *
 * @param locate - Where the application calls the registration.
 * @param router - The router that it mounts, whose problems are added if that fails.
 * @returns Whether it succeeded.
 */
export function attempt(
  problems: SetupError[],
  locate: Locate,
  register: () => void,
  router?: unknown,
): boolean {
  try {
    register();
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const found = problemsOf(error).filter((one) => one instanceof SetupError);
    for (const problem of found) setLocation(problem, locate);
    problems.push(...found);
    if (router instanceof Router) problems.push(...problemsIn(router));
    return false;
  }
}

/** Returns the errors of registrations, whose messages end with a location from now on. */
export function located(problems: readonly SetupError[]): readonly SetupError[] {
  for (const problem of problems) {
    if (!problem.message.includes(AT)) problem.message += atLine(problem);
  }
  return problems;
}

const AT = '\n  At: ';

/** Lists the errors of registrations on a router and those nested in it. */
export function problemsIn(router: AnyRouter): readonly SetupError[] {
  const nested = nestedIn(router).flatMap((one) => problemsIn(one.router));
  return [...located(router[TABLE].problems), ...nested];
}

/**
 * Runs a registration on a router for a caller that reports its problem itself.
 *
 * @returns The problem, which the router forgets.
 */
export function takeProblem(router: AnyRouter, register: () => unknown): SetupError | undefined {
  const { problems } = router[TABLE];
  const { length } = problems;
  register();
  const [problem] = problems.splice(length);
  if (length === 0) faulty.delete(router);
  return problem;
}

/** Returns the errors of routers that no application reports, once. */
export function takeUnreported(reported: readonly Error[]): readonly SetupError[] {
  const problems = [...faulty].flatMap((router) => located(router[TABLE].problems));
  faulty.clear();
  return problems.filter((problem) => !reported.includes(problem));
}

/**
 * A table of routes, relative to the prefix at which it is mounted.
 *
 * @typeParam PrefixParams - Parameters of the prefix at which the router is mounted.
 * @typeParam S - Members of `ctx.state` that middleware has set.
 */
export class Router<PrefixParams = PathParams<''>, S extends State = State> extends RouteMethods<
  PrefixParams,
  S
> {
  /** How the router compares paths. */
  readonly rules: Readonly<PathRules>;
  /** @internal */
  readonly [TABLE]: Table = {
    entries: [],
    middleware: [],
    byShape: new Map(),
    problems: [],
    mounts: 0,
    isSealed: false,
  };

  static {
    markCopy(Router.prototype);
  }

  /** @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid. */
  constructor(options: RouterOptions = {}) {
    super();
    assertOptions('createRouter()', options, ROUTER_OPTIONS);
    this.rules = completeRules(options);
  }

  /**
   * @internal
   * @param owner - The object of the call, in messages.
   */
  override [ADD_ROUTE](
    method: List,
    pattern: List,
    rest: readonly unknown[],
    callee: Callee,
    owner = 'router',
  ): this {
    const call = nameCall(owner, method, pattern);
    this.#assertOpen(call);
    const [first, ...others] = rest;
    const hasOptions = isRouteOptions(first);
    // An object for each call, which has a location. That of a controller has one already.
    const present = hasOptions ? locatorOf(first) : undefined;
    const locate = present ?? captureCaller(callee);
    return this.#attempt(locate, () => {
      const options = present
        ? (first as RouteOptions)
        : Object.freeze({ ...(hasOptions && first) });
      const handlers = hasOptions ? others : rest;
      if (!present) setLocation(options, locate);
      this.#add(call, method, pattern, options, handlers);
      // That of app.use() is more likely to be what a message is about.
      for (const one of handlers as object[]) if (!locatorOf(one)) setLocation(one, locate);
    });
  }

  #add(
    call: string,
    method: List,
    pattern: List,
    options: RouteOptions,
    handlers: readonly unknown[],
  ): void {
    const { byShape, entries } = this[TABLE];
    const methods = [method].flat().map(parseMethod);
    if (methods.length === 0)
      throw new SetupError('INVALID_METHOD', `${call} has no method. Pass at least one.`);
    const paths = [pattern].flat();
    for (const path of paths) assertPath(call, 'pattern', path);
    if (paths.length === 0)
      throw new SetupError('INVALID_PATTERN', `${call} has no pattern. Pass at least one.`);
    if (handlers.length === 0) throw new InvalidMiddlewareError(call);
    assertMiddleware(call, handlers, locatorOf(options));
    const patterns = paths.flatMap(expandPath).map((path) => parsePattern(path));
    const found: SetupError[] = [];
    try {
      checkRouteOptions(call, options);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      found.push(error);
    }
    const added: Route[] = [];
    for (const one of methods) {
      for (const parsed of patterns) {
        const route = {
          method: one,
          pattern: parsed.text,
          params: parsed.names,
          options,
          // The pattern provides the parameters, and the middleware before the handler the state.
          handlers: handlers as readonly Middleware[],
        };
        // A later route may conflict with one whose options are wrong.
        const existing = addRoute(byShape, `${one} ${shapeOf(parsed, this.rules)}`, route);
        if (existing) found.push(conflictOf(one, existing, route));
        else added.push(route);
      }
    }
    throwProblems(found);
    entries.push(...added);
  }

  #attempt(locate: Locate, register: () => void, nested?: unknown): this {
    if (!attempt(this[TABLE].problems, locate, register, nested)) faulty.add(this);
    return this;
  }

  /**
   * Adds middleware that runs before every route of this router, including routes registered earlier.
   * It runs only when a route matches.
   *
   * @returns This router. Its type includes the state that the middleware sets.
   * @throws {SealedError} When the router is sealed. The start reports an argument that is not a function.
   */
  use<A extends object = State, B extends object = State>(
    first: Middleware<S & A>,
    second?: Middleware<NoInfer<S & A> & B>,
  ): Router<PrefixParams, S & A & B>;
  use<Sets extends readonly unknown[], A extends object = State>(
    ...middleware: MiddlewareArguments<S, Sets, A>
  ): Router<PrefixParams, S & SetByAll<Sets> & A>;
  use<A extends object = State>(
    ...middleware: readonly Middleware<S & A>[]
  ): Router<PrefixParams, S & A>;
  use(...middleware: readonly unknown[]): this {
    this.#assertOpen('router.use()');
    const locate = captureCaller(this.use);
    return this.#attempt(locate, () => {
      assertMiddleware('router.use()', middleware, locate);
      const functions = middleware as readonly Middleware[];
      for (const one of functions) setLocation(one, locate);
      this[TABLE].middleware.push(...functions);
    });
  }

  /**
   * Nests a router under a prefix.
   *
   * @param prefix - May contain parameters.
   * @param router - A router with the same options as this one.
   * @throws {SealedError} When the router is sealed. The start reports an invalid prefix, a value that is not a router,
   *   other options, a router that contains this one, and one that is already nested at this prefix.
   */
  route<Prefix extends string, NestedParams>(
    prefix: PrefixFor<Prefix, NestedParams, PrefixParams>,
    router: Router<NestedParams, State>,
  ): this {
    this.#assertOpen('router.route()');
    const nest = () => {
      assertPath('router.route()', 'prefix', prefix);
      assertRouter(`router.route('${prefix}')`, router);
      this.#assertNestable(prefix, router);
      countMount(router);
      this[TABLE].entries.push({ prefix, router });
    };
    return this.#attempt(captureCaller(this.route), nest, router);
  }

  #assertNestable(prefix: string, router: AnyRouter): void {
    if (prefixesTo(router, this).length > 0) {
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
    const shape = shapeOf(parsePrefix(prefix), this.rules);
    const isSame = (other: string) => shapeOf(parsePrefix(other), this.rules) === shape;
    if (nestedIn(this).some((nested) => nested.router === router && isSame(nested.prefix)))
      throw mountedTwice('router', prefix);
  }

  /**
   * Registers routes below a prefix as a record, whose types a client of `@fairlead/client` infers without the cost
   * of a chain of calls.
   *
   * @param prefix - May contain parameters; `/` for none.
   * @param routes - Called at once. Returns the routes by name, each created by one of the functions that it
   *   receives.
   * @returns This router, with the types of these routes.
   * @throws {SealedError} When the router is sealed. The start reports an invalid prefix, and a callback that returns
   *   anything else.
   */
  define<Prefix extends string, Routes extends Readonly<Record<string, DefinedRoute>>>(
    prefix: Prefix,
    routes: (builders: RouteBuilders<PrefixParams & PathParams<Prefix>, S>) => Routes,
  ): DefinedRouter<
    PrefixParams,
    S,
    {
      readonly version: '';
      readonly prefix: Prefix;
      readonly routes: { readonly [Name in keyof Routes]: Routes[Name]['~contract'] };
    }
  >;
  define(prefix: string, routes: (builders: never) => unknown): this {
    this.#assertOpen('router.define()');
    const router = new Router(this.rules);
    const define = () => {
      assertPath('router.define()', 'prefix', prefix);
      fillRouter(router, `router.define('${prefix}')`, routes);
      parsePrefix(prefix);
      this[TABLE].entries.push({ prefix, router });
    };
    const locate = captureCaller(this.define);
    setLocation(router, locate);
    return this.#attempt(locate, define, router);
  }

  /**
   * Mounts a handler of web requests below a prefix, such as that of an authentication library, a GraphQL server or an
   * application of another framework. It gets all methods and paths, and bodies that no parser has read. Its signal
   * aborts when the client disconnects, and once it has responded with a stream, when the server closes.
   *
   * @param prefix - May contain parameters.
   * @throws {SealedError} When the router is sealed. The start reports an invalid prefix, option or handler.
   */
  mount<Prefix extends string, Sets extends readonly unknown[] = readonly unknown[]>(
    prefix: Prefix,
    handler: FetchHandler,
    options: MountOptions<RouteParams<PrefixParams, Prefix>, S, Sets> = {},
  ): this {
    return this[ADD_MOUNT]('router', prefix, handler, options, captureCaller(this.mount));
  }

  /**
   * @internal
   * @param owner - The object of the call, in messages.
   */
  [ADD_MOUNT](
    owner: string,
    prefix: unknown,
    handler: unknown,
    options: object,
    locate: Locate,
  ): this {
    this.#assertOpen(`${owner}.mount()`);
    return this.#attempt(locate, () => {
      assertPath(`${owner}.mount()`, 'prefix', prefix);
      parsePrefix(prefix);
      const call = `${owner}.mount('${prefix}')`;
      const { options: routeOptions, handlers } = createFetchRoute(call, handler, options);
      assertMiddleware(call, handlers, locate);
      setLocation(routeOptions, locate);
      const router = new Router(this.rules);
      // The options have a location, so they stay the same object.
      router[ADD_ROUTE](ALL, '/*path', [routeOptions, ...handlers], this.mount, owner);
      this[TABLE].entries.push({ prefix, router });
    });
  }

  /** All routes, including those of nested routers, in order of registration. */
  get routes(): readonly Route[] {
    const { entries, middleware } = this[TABLE];
    const routes = entries.flatMap((entry) =>
      'method' in entry ? [entry] : addPrefix(entry.prefix, entry.router.routes),
    );
    return routes.map((route) => ({ ...route, handlers: [...middleware, ...route.handlers] }));
  }

  #assertOpen(call: string): void {
    if (this[TABLE].isSealed) throw new SealedError(call);
  }
}

/** Adds the routes that the callback of `router.define()` creates. */
function fillRouter(router: Router, call: string, routes: unknown): void {
  const fix = 'Return { name: get(…) }, with the functions that the callback receives.';
  const refuse = (value: unknown, place: string): SetupError =>
    new SetupError(
      'INVALID_OPTION',
      `${call} cannot use ${describeValue(value)} as ${place}. ${fix}`,
    );
  if (typeof routes !== 'function') throw refuse(routes, 'routes');
  const created: unknown = routes({ ...router, on: router.on.bind(router) });
  if (!isPlainObject(created)) throw refuse(created, 'the result of routes');
  // The functions for each method return the router that they belong to.
  for (const [name, route] of Object.entries(created)) {
    if (route !== router) throw refuse(route, name);
  }
  const table = router[TABLE];
  // Each call has options of its own.
  const calls = new Set(table.entries.map((entry) => 'options' in entry && entry.options)).size;
  const { length } = Object.keys(created);
  if (length < calls)
    table.unreturned = `The routes of ${call} create ${calls} routes, but return ${length}, so clients do not know the others. Return all of them by name, or pass the router to intended().`;
}

/** Describes the routes that definitions of a router and those nested in it did not return, with the router of each. */
export function unreturnedIn(router: AnyRouter): readonly (readonly [string, AnyRouter])[] {
  if (isIntended(router)) return [];
  const { unreturned } = router[TABLE];
  const own = unreturned === undefined ? [] : [[unreturned, router] as const];
  return [...own, ...nestedIn(router).flatMap((one) => unreturnedIn(one.router))];
}

/** A router whose routes a client can call with their types: see {@link Router.define}. */
export interface DefinedRouter<PrefixParams, S extends State, Contract>
  extends Router<PrefixParams, S> {
  /** Exists only in types. */
  readonly '~contract'?: Contract;
}

function nestedIn(router: AnyRouter) {
  return router[TABLE].entries.filter((entry) => 'prefix' in entry);
}

/** Returns the strings that the patterns below a router consist of, as the application wrote them. */
export function writtenIn(router: AnyRouter): readonly string[] {
  return router[TABLE].entries.flatMap((entry) =>
    'method' in entry
      ? pathParts(entry.options, entry.pattern)
      : [entry.prefix, ...writtenIn(entry.router)],
  );
}

/** Whether a router has its own middleware, apart from that of its routes. */
export function hasMiddleware(router: AnyRouter): boolean {
  return router[TABLE].middleware.length > 0;
}

/** Counts where a router is mounted. */
export function countMount(router: AnyRouter): void {
  router[TABLE].mounts += 1;
}

/** Whether a router with a route is mounted several times, such as on two applications. */
export function isShared(router: AnyRouter, route: RouteOptions, isOuter = false): boolean {
  const { entries, mounts } = router[TABLE];
  const is = isOuter || mounts > 1;
  return entries.some((entry) =>
    'method' in entry ? is && entry.options === route : isShared(entry.router, route, is),
  );
}

/** Lists the options of the routes in a router that is intended, or is nested in one. */
export function intendedIn(router: AnyRouter, isOuter = false): readonly RouteOptions[] {
  const is = isOuter || isIntended(router);
  return router[TABLE].entries.flatMap((entry) =>
    'method' in entry ? (is ? entry.options : []) : intendedIn(entry.router, is),
  );
}

/** Seals a router and its nested routers. Registering a route afterwards throws. */
export function sealRouter(router: AnyRouter): void {
  router[TABLE].isSealed = true;
  for (const { router: nested } of nestedIn(router)) sealRouter(nested);
}

/** Returns the prefixes that lead from a router to another one: `/` for itself, none if it is not nested. */
export function prefixesTo(router: AnyRouter, other: AnyRouter): readonly string[] {
  if (router === other) return ['/'];
  return nestedIn(router).flatMap((nested) =>
    prefixesTo(nested.router, other).map((prefix) => joinPaths(nested.prefix, prefix)),
  );
}

/** Returns routes with a prefix before their patterns. */
export function addPrefix(prefix: string, routes: readonly Route[]): readonly Route[] {
  const { names } = parsePrefix(prefix);
  return routes.map((route) => ({
    ...route,
    pattern: joinPaths(prefix, route.pattern),
    params: [...names, ...route.params],
    handlers: route.handlers.map((handler) => mountBelow(prefix, handler)),
  }));
}

/**
 * Checks that a value is a router.
 *
 * @throws {SetupError} `INVALID_ROUTER`
 */
export function assertRouter(call: string, value: unknown): asserts value is AnyRouter {
  if (value instanceof Router) return;
  const otherCopy = isRouter(value) ? explainOtherCopy(value) : undefined;
  const problem =
    otherCopy === undefined
      ? `received ${describeArgument(value)} instead of a router. ${routerFix(call, value)}`
      : `cannot mount the router. ${otherCopy}`;
  throw new SetupError('INVALID_ROUTER', `${call} ${problem}`);
}

function routerFix(call: string, value: unknown): string {
  if (isPromiseLike(value)) return 'Await it first.';
  if (isApplication(value)) return NESTED_APPLICATION;
  const fix = 'Pass a router from createRouter().';
  if (typeof value !== 'function') return fix;
  const factory = value.name || 'create';
  return `If the function creates a router, call it: ${call.replace(/\)$/, `, ${factory}())`)}. ${fix}`;
}

/**
 * Creates a router.
 *
 * @typeParam Prefix - The prefix at which you will mount the router, if it has parameters:
 *   `createRouter<'/users/:user/posts'>()`. Handlers then have its parameters in `ctx.params`.
 * @typeParam S - Members of `ctx.state` that middleware of the application sets.
 * @param options - `caseSensitive` (default true) and `strict` trailing slashes (default false).
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function createRouter<Prefix extends string = '', S extends object = State>(
  options?: RouterOptions,
): Router<PathParams<Prefix>, State & S> {
  return new Router(options);
}
