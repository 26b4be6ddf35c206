import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  anything,
  atLine,
  boolean,
  captureCaller,
  describeValue,
  fn,
  isClass,
  isIntended,
  type Kinds,
  oneOf,
  setLocation,
  warn,
} from '@fairlead/options';
import { Context, type ErrorPolicy } from '../exchange/context.js';
import { markCopy } from '../copies.js';
import { placeBelow, roleOf } from '../description.js';
import { InternalServerError, type ValidationStatus } from '../errors/http-error.js';
import {
  assertMiddleware,
  assertPath,
  describeArgument,
  InvalidMiddlewareError,
} from '../errors/invalid-argument.js';
import { SealedError, SetupError, throwProblems } from '../errors/setup-error.js';
import { requestOf } from '../exchange/context-errors.js';
import {
  createExchange,
  type Environment,
  EXCHANGE,
  type Exchange,
  isFilled,
  type RouteTable,
  type State,
} from '../exchange/exchange.js';
import {
  createErrorPolicy,
  DEFAULT_ERROR_POLICY,
  describeStacks,
  ERROR_HANDLER_OPTIONS,
  type ErrorHandlerOptions,
  logError,
  respondWithError,
} from '../middleware/error-handler.js';
import { assertTarget, createLastMiddleware } from '../middleware/not-found-handler.js';
import { after, isPromiseLike, type Next } from '../next.js';
import { findOptionErrors, throwTogether } from '../options.js';
import {
  type AnyHandler,
  compose,
  type Handler,
  type Middleware,
  Sample,
  type Step,
} from '../pipeline/pipeline.js';
import { startOf, write, writeText } from '../response/write.js';
import { type CheckedMounts, checkMounts } from '../router/check-mounts.js';
import {
  checkOrder,
  checkUpstream,
  type Entry,
  type OrderFindings,
} from '../router/check-order.js';
import { checkRoutes } from '../router/check-routes.js';
import { type Explanation, explain } from '../router/explain.js';
import { createShield, hasForeignBehindPrefix } from '../router/foreign.js';
import {
  createMount,
  createPrefixStep,
  type ListUpstream,
  type MountedRouter,
} from '../router/mount.js';
import {
  createIsBelow,
  type IsBelow,
  type PathRules,
  parsePrefix,
  parseSegments,
} from '../router/pattern.js';
import type { RouteOptions } from '../router/route-options.js';
import {
  type CompileResponse,
  createSchemaPolicy,
  describeUnknown,
  type ResponsePolicy,
  type SchemaPolicy,
} from '../schema/route-schemas.js';
import {
  type AnyRouter,
  addOwnRoute,
  addPrefix,
  assertRouter,
  completeRules,
  createRouter,
  nameCall,
  type PrefixFor,
  prefixesTo,
  ROUTER_OPTIONS,
  type Route,
  type RouteFunction,
  RouteMethods,
  type RouteParams,
  type Router,
  type RouterOptions,
  sealRouter,
  type ValidatedHandlers,
} from '../router/router.js';
import { closeWithSocket } from '../server/connection.js';
import { type Caller, type FetchOptions, InProcess } from '../server/in-process.js';
import {
  type ClientReader,
  createClientReader,
  findProxyErrors,
  type ProxyOptions,
  type TrustedProxies,
} from '../server/proxy.js';
import { mistakeOf } from '../pipeline/observe.js';
import { joinPaths } from '../target.js';

/** An extension that an application installs once, at startup. */
export interface Plugin {
  /** The plugin's name in error messages. */
  readonly name: string;
  /**
   * Registers middleware and routes. An error stops the startup without calling `close`, so release
   * what you opened before you throw.
   *
   * @param app - The application, still open to registrations.
   */
  install(app: Application): void | Promise<void>;
  /**
   * Called when the application is sealed. Check here what depends on all registrations, such as the
   * prefixes of mounted routers. An error stops the startup. The checks of the application and of the
   * other plugins still run, so that one error reports all problems. To report several, throw an error
   * with an array of errors as `problems`.
   *
   * @param app - The application with all registrations.
   */
  ready?(app: Application): void;
  /** Releases what `install` opened. `app.close()` closes plugins in reverse order of installation. */
  close?(): void | Promise<void>;
}

/** Returns, for each router among the entries, what runs before its routes. */
function upstreamsOf(
  entries: readonly Entry[],
  rules: PathRules,
): ReadonlyMap<MountedRouter, ListUpstream> {
  const before: { readonly middleware: readonly Middleware[]; covers: IsBelow }[] = [];
  const upstreams = new Map<MountedRouter, ListUpstream>();
  for (const entry of entries) {
    if (typeof entry === 'function') before.push({ middleware: [entry], covers: () => true });
    else if ('middleware' in entry) {
      before.push({ middleware: entry.middleware, covers: createIsBelow(entry.prefix, rules) });
    } else {
      const above = [...before];
      upstreams.set(entry, (segments) =>
        above.flatMap(({ middleware, covers }) => (covers(segments) ? middleware : [])),
      );
    }
  }
  return upstreams;
}

/** Options of {@link createApp}. */
export interface ApplicationOptions extends ErrorHandlerOptions, RouterOptions {
  /**
   * Responds to requests that no middleware or route has handled, unless the path has routes for other
   * methods. The status is 404 unless the function sets another one. If it does not respond, or is omitted,
   * the body has the format of other errors.
   */
  readonly notFound?: Handler;
  /**
   * The proxies whose headers determine `ctx.ip`, `ctx.protocol` and `ctx.host`; none by default. Pass the
   * number of proxies or a list of their addresses to trust `X-Forwarded-For`, `-Proto` and `-Host`. Pass
   * an object to trust other headers.
   */
  readonly proxy?: TrustedProxies | ProxyOptions;
  /** Status of requests that the schemas of a route reject: 400 by default, or 422. */
  readonly validationStatus?: ValidationStatus;
  /**
   * What happens to members of a response that its schema does not describe: `'remove'` by default. With
   * `'trust'`, responses are sent as they are, and `checkResponses` still refuses such members.
   */
  readonly responses?: ResponsePolicy;
  /**
   * Compiles the response schemas of routes, like the default export of `fast-json-stringify`. By default,
   * `JSON.stringify` writes responses.
   */
  readonly compileResponse?: CompileResponse;
  /**
   * Whether a response that does not match its schema, or has members that the schema does not describe,
   * becomes a 500 that names their paths; false by default. For development and tests: it serializes and
   * validates every response. Use it with schemas without transforms.
   */
  readonly checkResponses?: boolean;
}

/** The options of {@link createApp}, and what they accept. */
const APPLICATION_OPTIONS: Kinds<ApplicationOptions> = {
  ...ERROR_HANDLER_OPTIONS,
  ...ROUTER_OPTIONS,
  notFound: fn,
  // findProxyErrors() checks it.
  proxy: anything,
  validationStatus: oneOf(400, 422),
  responses: oneOf('remove', 'trust'),
  compileResponse: fn,
  checkResponses: boolean,
};

/** What {@link Application.seal} builds from the registrations. */
interface SealedApplication {
  readonly pipeline: Middleware;
  /** The pipeline for requests with a malformed target. */
  readonly refusalPipeline: Middleware;
  readonly environment: Environment<Context>;
}

/**
 * A stack of middleware and routers that handles requests.
 *
 * @typeParam S - Members of `ctx.state` that middleware has set.
 */
export class Application<S extends State = State> extends RouteMethods<unknown, S> {
  /** The option `proxy`. */
  readonly proxy: ApplicationOptions['proxy'] | undefined;
  readonly #rules: PathRules;
  readonly #errors: ErrorPolicy;
  readonly #notFound: Handler | undefined;
  readonly #readClient: ClientReader;
  #schemas: SchemaPolicy;
  readonly #entries: Entry[] = [];
  readonly #plugins: Plugin[] = [];
  /** Plugins that are installing, each with a promise that resolves when `install` settles. */
  readonly #installing = new Map<Plugin, Promise<void>>();
  /** The router of the routes registered last, until something else is registered. */
  #router: Router | undefined = undefined;
  #sealed: SealedApplication | undefined = undefined;
  #inProcess: InProcess | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;
  #isOpen = true;
  #closingController: AbortController | undefined = undefined;

  static {
    markCopy(Application.prototype);
  }

  /** @throws {SetupError} Same as {@link createApp}. */
  constructor(options: ApplicationOptions = {}) {
    super();
    throwTogether([
      ...findOptionErrors('createApp()', options, APPLICATION_OPTIONS),
      ...findProxyErrors(options?.proxy),
    ]);
    this.#rules = completeRules(options);
    this.#errors = createErrorPolicy(options, DEFAULT_ERROR_POLICY);
    this.#notFound = options.notFound;
    this.#readClient = createClientReader(options.proxy);
    this.proxy = options.proxy;
    const { compileResponse, checkResponses = false, responses = 'remove' } = options;
    const { validationStatus = 400 } = options;
    this.#schemas = createSchemaPolicy(
      compileResponse,
      checkResponses,
      responses,
      validationStatus,
    );
  }

  /** Status of requests that the schemas of a route reject. */
  get validationStatus(): ValidationStatus {
    return this.#schemas.status;
  }

  /**
   * Validates responses from now on, as with the option `checkResponses` of {@link createApp}.
   *
   * @throws {SealedError} When the application is sealed.
   */
  checkResponses(): this {
    this.#assertOpen('app.checkResponses()');
    this.#schemas = Object.freeze({ ...this.#schemas, check: true });
    return this;
  }

  /**
   * Adds middleware. Requests pass through middleware, routes and routers in the order of registration.
   *
   * @param prefix - Restricts the middleware to this path and the paths below it: `/admin` covers `/admin`
   *   and `/admin/users`. May contain parameters. Ignores case if the application or one of its routers does,
   *   or if Express middleware follows. By default, all paths.
   * @param middleware - Functions `(ctx, next)`.
   * @returns This application. Its type includes the state that the middleware sets for all paths.
   * @throws {InvalidMiddlewareError} When an argument is not a function.
   * @throws {InvalidPatternError} When the prefix is invalid or contains a wildcard.
   * @throws {SealedError} When the application is sealed.
   */
  use<A extends object = State>(middleware: Middleware<S & A>): Application<S & A>;
  use<A extends object = State, B extends object = State>(
    first: Middleware<S & A>,
    second: Middleware<NoInfer<S & A> & B>,
  ): Application<S & A & B>;
  use<A extends object = State, B extends object = State, C extends object = State>(
    first: Middleware<S & A>,
    second: Middleware<NoInfer<S & A> & B>,
    third: Middleware<NoInfer<S & A & B> & C>,
  ): Application<S & A & B & C>;
  use<A extends object = State>(...middleware: readonly Middleware<S & A>[]): Application<S & A>;
  use<Prefix extends string, A extends object = State>(
    prefix: Prefix,
    ...middleware: readonly RouteFunction<RouteParams<unknown, Prefix>, S & A>[]
  ): this;
  use(...candidates: readonly (string | AnyHandler)[]): this {
    this.#assertOpen('app.use()');
    const [first, ...others] = candidates;
    const prefix = typeof first === 'string' ? first : undefined;
    const middleware = (prefix === undefined ? candidates : others) as readonly Middleware[];
    const call = prefix === undefined ? 'app.use()' : `app.use('${prefix}')`;
    // A list that is spread may be empty. A single name is not a prefix.
    if (middleware.length === 0 && prefix?.startsWith('/') === false)
      throw new InvalidMiddlewareError(call);
    assertMiddleware(call, middleware);
    const locate = captureCaller(this.use);
    const place = (one: Middleware): Middleware => {
      const placed = prefix === undefined ? one : placeBelow(prefix, one);
      setLocation(placed, locate);
      return placed;
    };
    if (prefix === undefined) this.#add(...middleware.map(place));
    else {
      parsePrefix(prefix);
      this.#add({ prefix, middleware: middleware.map(place) });
    }
    return this;
  }

  /**
   * Mounts a router. The route `/:id` of a router mounted at `/users` handles `/users/:id`. You may add
   * routes to the router until the application is sealed.
   *
   * @param prefix - Path prefix that ends at a segment boundary; may contain parameters.
   * @param router - A router from `createRouter()`.
   * @throws {InvalidPatternError} When the prefix is invalid or contains a wildcard.
   * @throws {SetupError} `INVALID_ROUTER`, when `router` is not a router.
   * @throws {SealedError} When the application is sealed.
   */
  route<Prefix extends string, PrefixParams>(
    prefix: PrefixFor<Prefix, PrefixParams>,
    router: Router<PrefixParams, State>,
  ): this {
    this.#assertOpen('app.route()');
    assertPath('app.route()', 'prefix', prefix);
    assertRouter(`app.route('${prefix}')`, router);
    parsePrefix(prefix);
    const mount = { prefix, router };
    setLocation(mount, captureCaller(this.route));
    this.#add(mount);
    return this;
  }

  /**
   * Registers a route of the application. Consecutive routes share a router, so their patterns take
   * precedence as in a router. Middleware runs before the routes that are registered after it.
   *
   * @param method - `ALL` or a method from `http.METHODS` except CONNECT, in any case.
   * @param pattern - Static text, parameters such as `:name`, and a final `*name`.
   * @param handlers - Middleware of this route, then its handler.
   * @throws {SetupError} Same as `router.on()`.
   * @throws {SealedError} When the application is sealed.
   */
  override on<Path extends string, A extends object = State>(
    method: string,
    pattern: Path,
    ...handlers: readonly RouteFunction<RouteParams<unknown, Path>, S & A>[]
  ): this;
  override on<Path extends string, const Options extends RouteOptions, A extends object = State>(
    method: string,
    pattern: Path,
    options: Options,
    ...handlers: ValidatedHandlers<Options, RouteParams<unknown, Path>, S & A>
  ): this;
  override on(method: string, pattern: string, ...rest: readonly unknown[]): this {
    this.#assertOpen(nameCall('app', method, pattern));
    const router = this.#router ?? createRouter(this.#rules);
    addOwnRoute(router, method, pattern, rest, this.on);
    if (this.#router === undefined) this.#add({ prefix: '/', router, isOwn: true });
    this.#router = router;
    return this;
  }

  #add(...entries: readonly Entry[]): void {
    this.#router = undefined;
    this.#entries.push(...entries);
  }

  /**
   * Installs a plugin. Await the promise before you register anything else, so that registrations
   * keep the order of your code.
   *
   * @throws The error of the plugin's `install`.
   * @throws {SetupError} `INVALID_PLUGIN`, when `plugin` is not a plugin; `DUPLICATE_PLUGIN`, when it is
   *   already installed; `APPLICATION_CLOSED`, after {@link close}, or when `close` is
   *   called during the installation. In the latter case, `close` also closes this plugin.
   * @throws {SealedError} When the application is sealed.
   */
  async plugin(plugin: Plugin): Promise<this> {
    assertPlugin(plugin);
    const failure = `Cannot install the plugin '${plugin.name}'`;
    this.#assertNotClosed(failure);
    this.#assertOpen('app.plugin()');
    if (this.#installing.has(plugin) || this.#plugins.includes(plugin)) {
      throw new SetupError(
        'DUPLICATE_PLUGIN',
        `${failure} twice. Install each plugin object once, and create another object for a second instance.`,
      );
    }
    setLocation(plugin, captureCaller(this.plugin));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#installing.set(plugin, promise);
    try {
      await plugin.install(this);
      this.#plugins.push(plugin);
    } finally {
      this.#installing.delete(plugin);
      resolve();
    }
    this.#assertNotClosed(failure);
    return this;
  }

  /** Returns every route of every mounted router, with its full pattern, in order of registration. */
  routes(): readonly Route[] {
    const upstreams = upstreamsOf(this.#entries, this.#prefixRules());
    return [...upstreams].flatMap(([{ prefix, router }, listUpstream]) =>
      addPrefix(prefix, router.routes).map((route) => ({
        ...route,
        // A name that the prefix and the route share is an error of seal().
        upstream: listUpstream(parseSegments(route.pattern)),
      })),
    );
  }

  /**
   * Returns the prefixes at which a router is mounted, including within other routers; none if it is not
   * mounted.
   */
  prefixesOf(router: AnyRouter): readonly string[] {
    return this.#routers().flatMap((mounted) =>
      prefixesTo(mounted.router, router).map((prefix) => joinPaths(mounted.prefix, prefix)),
    );
  }

  /**
   * Explains which route handles a request, and why similar routes do not match.
   *
   * @param method - Request method.
   * @param target - Path of the request, with or without a query.
   * @throws {TypeError} When either argument is not a string.
   */
  explain(method: string, target: string): Explanation {
    if (typeof method !== 'string' || typeof target !== 'string') {
      throw new TypeError("app.explain() needs a method and a path: app.explain('GET', '/users').");
    }
    return explain(this.#routers(), method.toUpperCase(), target);
  }

  /**
   * Returns the problems in the registrations so far, in order of registration. {@link seal} throws them.
   * A plugin that fails to install can report it together with its own problems. Middleware that no route is
   * registered after becomes a problem when the application is sealed.
   *
   * @param unfilled - A router to which routes will be added, whether or not it is mounted yet.
   */
  problems(unfilled?: AnyRouter): readonly Error[] {
    return this.#check(unfilled).problems;
  }

  /**
   * Checks the registrations and builds the pipelines. Later registrations throw. `listen` and the first
   * request call this. Further calls do nothing.
   *
   * @throws {InvalidApplicationError} When there are several problems. A single problem is thrown as is.
   * @throws {RouteConflictError} When two routers register equivalent patterns for one method.
   * @throws {InvalidPatternError} When a prefix and a route below it have a parameter of the same name.
   * @throws {SetupError} `ROUTER_MOUNTED_TWICE`, when a router is mounted twice at one prefix;
   *   `INVALID_RESPONSE_SCHEMA`, when a response schema cannot be compiled; `INVALID_ORDER`, when an error
   *   handler, a not-found handler or other middleware is registered where it cannot work;
   *   `PLUGIN_INSTALLING`, when a plugin is still installing; `INVALID_PLUGIN`, when `ready` of a plugin is
   *   asynchronous; `APPLICATION_CLOSED`, after {@link close}.
   * @throws The error of a plugin's `ready`.
   */
  seal(): void {
    this.#assertNotClosed('The application cannot handle requests');
    this.#sealed ??= this.#build();
  }

  /**
   * Handles a node:http request. The function is bound to the application, so you can pass it directly, as in
   * `http.createServer(app.handle)`. Call `app.seal()` first to catch setup errors.
   */
  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    this.#sealed ??= this.#build();
    const { pipeline, refusalPipeline, environment } = this.#sealed;
    if (res.socket === null) closeWithSocket(res);
    const exchange = createExchange(req, res, environment);
    const ctx = new Context(exchange);
    if (environment.sample.next()) exchange.isObserved = true;
    try {
      const run = exchange.target.malformed ? refusalPipeline : pipeline;
      const result = run(ctx, endOfPipeline);
      if (result === undefined || !isPromiseLike(result)) this.#finish(exchange, ctx);
      else
        result.then(
          () => this.#finish(exchange, ctx),
          (error: unknown) => this.#fail(exchange, ctx, error),
        );
    } catch (error) {
      this.#fail(exchange, ctx, error);
    }
  };

  /**
   * Handles a request without a socket. The request and the response pass through Node's HTTP parser and
   * writer in memory, so the response is the same as over a socket. The function is bound to the application.
   *
   * To the application, the client disconnects when the response body is canceled, when the response is
   * garbage-collected before its body is read, and when the application closes.
   *
   * @param request - Its body is read completely before it is sent. A URL with `https:` makes
   *   `ctx.protocol` `'https'`.
   * @param options - Who makes the request; `127.0.0.1` by default. The target, for adapters.
   * @throws The errors of {@link seal}; the abort reason of the request's signal, also while the response is
   *   read; the connection's error.
   * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid; `APPLICATION_CLOSED`, when the
   *   application closes before it responds.
   */
  readonly fetch = async (request: Request, options: FetchOptions = {}): Promise<Response> => {
    this.seal();
    this.#inProcess ??= new InProcess(this.handle);
    return this.#inProcess.fetch(request, options);
  };

  /**
   * Calls {@link fetch} with a path. The function is bound to the application.
   *
   * @param path - Path and query.
   * @param init - Same as for `new Request()`, which ignores members that it does not know.
   * @param caller - Who makes the request.
   * @throws Same as {@link fetch}.
   */
  readonly request = async (
    path: string,
    init?: RequestInit,
    caller?: Caller,
  ): Promise<Response> => {
    if (typeof path !== 'string') {
      throw new SetupError(
        'INVALID_OPTION',
        `app.request() cannot use ${describeValue(path)} as path. Pass a path such as '/users', or call app.fetch() with a Request.`,
      );
    }
    if (typeof (init ?? {}) !== 'object') {
      throw new SetupError(
        'INVALID_OPTION',
        `app.request() cannot use ${describeValue(init)} as options. Pass an object.`,
      );
    }
    // `new URL('//users', base)` would read 'users' as the host.
    const url = path.startsWith('/') ? `http://localhost${path}` : path;
    return this.fetch(new Request(new URL(url, 'http://localhost'), init), caller);
  };

  /**
   * Opens a connection in memory, for a client that writes its own HTTP request, such as a WebSocket library.
   *
   * @param caller - Who makes the request.
   * @returns The client's side. The application receives the bytes that you write to it as if they came over
   *   a socket.
   * @throws Same as {@link fetch}.
   */
  connect(caller: Caller = {}): Duplex {
    this.seal();
    this.#inProcess ??= new InProcess(this.handle);
    return this.#inProcess.connect(caller);
  }

  /**
   * Closes the plugins, last installed first. Close the server before you call this.
   *
   * Aborts `ctx.closing` of open {@link fetch} and {@link request} calls. Waits for plugins that are still
   * installing, so do not await it inside `install`. Then destroys the connections of the open calls, and
   * closes the plugins. Further calls return the same promise.
   *
   * @throws {AggregateError} When plugins fail to close. The other plugins are still closed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    this.#closingController?.abort();
    return this.#closing;
  }

  /** Returns the signal that {@link close} aborts. Creates it when it is first needed. */
  #closingSignal(): AbortSignal {
    this.#closingController ??= new AbortController();
    if (this.#closing !== undefined) this.#closingController.abort();
    return this.#closingController.signal;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#installing.values());
    await this.#inProcess?.close(closedError('The request got no response'));
    await closePlugins(this.#plugins);
  }

  #build(): SealedApplication {
    if (this.#installing.size > 0) {
      // The plugin may still register something, so the other plugins are not ready either.
      throwProblems([...[...this.#installing.keys()].map(stillInstalling), ...this.problems()]);
    }
    this.#isOpen = false;
    for (const { router } of this.#routers()) sealRouter(router);
    const { routes, problems, warnings } = this.#check();
    const schemaProblems: Error[] = [];
    const unknown = new Map<string, Set<string>>();
    const mounts: RouteTable[] = [];
    const prefixRules = this.#prefixRules();
    const upstreams = upstreamsOf(this.#entries, prefixRules);
    const steps: Step[] = this.#entries.map((entry, index) => {
      const shield = createShield(this.#entries.slice(0, index), prefixRules);
      if (typeof entry === 'function') return shield(entry);
      if ('middleware' in entry) {
        return createPrefixStep(
          { ...entry, middleware: entry.middleware.map(shield) },
          prefixRules,
        );
      }
      const mounted = routes.get(entry) ?? [];
      const mount = createMount(
        entry.router.rules,
        mounted.map((route) => ({ ...route, handlers: route.handlers.map(shield) })),
        upstreams.get(entry) ?? (() => []),
        this.#schemas,
        schemaProblems,
        unknown,
      );
      mounts.push(mount);
      return mount;
    });
    throwProblems([
      ...problems,
      ...schemaProblems,
      ...this.#plugins.flatMap((plugin) => callReady(plugin, this)),
    ]);
    for (const message of warnings) warn('FAIRLEAD_ORDER', message);
    const doubts = checkRoutes(this.#entries, routes, upstreams, prefixRules);
    for (const [code, message] of doubts) warn(code, message);
    const stacks = describeStacks('createApp()', this.#errors);
    if (stacks !== undefined && !isIntended(this)) warn('FAIRLEAD_OPTION', stacks);
    for (const message of describeUnknown(unknown)) warn('FAIRLEAD_UNKNOWN_RESPONSE', message);
    const notFound = this.#notFound && createShield(this.#entries, prefixRules)(this.#notFound);
    steps.push(createLastMiddleware(notFound));
    const table: RouteTable = {
      methods: (path) => new Set(mounts.flatMap((mount) => [...mount.methods(path)])),
    };
    return Object.freeze({
      pipeline: compose(steps),
      refusalPipeline: compose(steps.map(refuseTarget)),
      environment: Object.freeze({
        app: this,
        routes: table,
        errors: this.#errors,
        readClient: this.#readClient,
        sample: new Sample(),
        closing: () => this.#closingSignal(),
        validationStatus: this.#schemas.status,
      }),
    });
  }

  #check(unfilled?: AnyRouter): CheckedMounts & Pick<OrderFindings, 'warnings'> {
    const { routes, problems } = checkMounts(this.#routers());
    const rules = this.#prefixRules();
    const misplaced = checkOrder(this.#entries, routes, rules, unfilled);
    // Until then, more routes may be registered.
    const late = checkUpstream(this.#isOpen ? [] : this.#entries, routes, rules);
    return {
      routes,
      problems: [...problems, ...misplaced, ...late.problems],
      warnings: late.warnings,
    };
  }

  /** Returns rules by which a prefix matches every path that a route below it may match. */
  #prefixRules(): PathRules {
    const rules = [this.#rules, ...this.#routers().map(({ router }) => router.rules)];
    const isSensitive = rules.every(({ caseSensitive }) => caseSensitive);
    // Express ignores case.
    const last = this.#notFound === undefined ? [] : [this.#notFound];
    const caseSensitive = isSensitive && !hasForeignBehindPrefix([...this.#entries, ...last]);
    return { ...this.#rules, caseSensitive };
  }

  #routers(): MountedRouter[] {
    return this.#entries.filter((entry) => 'router' in entry);
  }

  #finish(exchange: Exchange<Context>, ctx: Context): void {
    try {
      if (writeText(exchange)) return;
    } catch (error) {
      this.#fail(exchange, ctx, error, exchange.errors);
      return;
    }
    const start = startOf(exchange);
    if (start === undefined) this.#respond(exchange, ctx);
    else start.then(() => this.#respond(exchange, ctx));
  }

  #respond(exchange: Exchange<Context>, ctx: Context): void {
    try {
      if (isUnanswered(exchange)) throw noResponse(ctx);
      write(exchange, ctx);
    } catch (error) {
      this.#fail(exchange, ctx, error, exchange.errors);
    }
  }

  /** Sends an error response, or closes the connection if that fails. */
  #fail(
    exchange: Exchange<Context>,
    ctx: Context,
    error: unknown,
    policy: ErrorPolicy = this.#errors,
  ): void {
    try {
      respondWithError(ctx, error, policy);
      write(exchange, ctx);
    } catch (failure) {
      logError(failure);
      exchange.res.destroy();
    }
  }

  #assertOpen(call: string): void {
    if (!this.#isOpen) throw new SealedError(call);
  }

  #assertNotClosed(failure: string): void {
    if (this.#closing !== undefined) throw closedError(failure);
  }
}

function closedError(failure: string): SetupError {
  return new SetupError(
    'APPLICATION_CLOSED',
    `${failure}: app.close() was called. Create a new application with createApp().`,
  );
}

/** @throws {SetupError} `INVALID_PLUGIN` */
function assertPlugin(value: unknown): asserts value is Plugin {
  const plugin: { readonly [Member in keyof Plugin]?: unknown } = Object(value);
  const received = `app.plugin() received ${describeArgument(value)}`;
  const fail = (problem: string): SetupError => new SetupError('INVALID_PLUGIN', problem);
  if (typeof value === 'function') throw fail(`${received}. ${pluginFix(value)}`);
  if (isPromiseLike(value)) throw fail(`${received}. Await it first.`);
  if (typeof plugin.install !== 'function') {
    throw fail(`${received} without install(). Pass an object with name and install(app).`);
  }
  if (typeof plugin.name !== 'string' || plugin.name === '') {
    throw fail(`${received} without a name. Set name to a string that identifies the plugin.`);
  }
  for (const member of ['ready', 'close'] as const) {
    const hook = plugin[member];
    if (hook === undefined || typeof hook === 'function') continue;
    const problem = `The plugin '${plugin.name}' has ${describeArgument(hook)} as ${member}`;
    throw fail(`${problem}. Use a function, or omit it.`);
  }
}

function pluginFix(value: { readonly name: string }): string {
  const name = value.name || 'create';
  if (isClass(value)) return `Pass an instance: app.plugin(new ${name}()).`;
  const call = `all it: app.plugin(${name}()).`;
  return roleOf(value) === 'factory' ? `C${call}` : `If it creates a plugin, c${call}`;
}

function stillInstalling(plugin: Plugin): SetupError {
  return new SetupError(
    'PLUGIN_INSTALLING',
    `The plugin '${plugin.name}' is still installing. Await app.plugin() before the application handles requests.${atLine(plugin)}`,
  );
}

/** Calls `ready` of a plugin, and returns its error, if any. */
function callReady(plugin: Plugin, app: Application): readonly Error[] {
  const failure = `ready() of the plugin '${plugin.name}'`;
  let result: unknown;
  try {
    result = plugin.ready?.(app);
  } catch (error) {
    if (error instanceof Error) return [error];
    return [new Error(`${failure} threw ${String(error)}. Throw an Error.`, { cause: error })];
  }
  if (!isPromiseLike(result)) return [];
  // The message replaces a later rejection.
  Promise.resolve(result).catch(() => undefined);
  const fix = 'Check synchronously, and do asynchronous work in install().';
  return [new SetupError('INVALID_PLUGIN', `${failure} returned a promise. ${fix}`)];
}

/** Closes all plugins, last installed first, then throws the errors of those that failed. */
async function closePlugins(plugins: readonly Plugin[]): Promise<void> {
  const errors: unknown[] = [];
  for (const plugin of plugins.toReversed()) {
    try {
      await plugin.close?.();
    } catch (error) {
      errors.push(new Error(`The plugin '${plugin.name}' failed to close.`, { cause: error }));
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Plugins failed to close.');
}

const endOfPipeline: Next = () => undefined;

/** Creates the error for a request without a response whose pipeline has settled before its end. */
function noResponse(ctx: Context): InternalServerError {
  return new InternalServerError(mistakeOf(ctx) ?? describeNoResponse(ctx), {
    code: 'NO_RESPONSE',
  });
}

/** Whether nothing has responded, or the response lacks a body that it requires. */
function isUnanswered(exchange: Exchange): boolean {
  const { res, status } = exchange;
  if (isFilled(exchange) || res.headersSent || res.destroyed) return false;
  return status === undefined || lacksBody(exchange);
}

/** Whether the schema of the matched route requires the body that the response lacks. */
function lacksBody(exchange: Exchange): boolean {
  const { res, method, route, status = 200 } = exchange;
  if (isFilled(exchange) || res.headersSent || method === 'HEAD') return false;
  return route?.mayBeEmpty?.(status) === false;
}

function describeNoResponse(ctx: Context): string {
  const { method, pattern, path } = ctx;
  const request = requestOf(ctx);
  if (ctx.res.listenerCount('unpipe') > 0)
    return `A stream is piped into ctx.res, which does not respond to ${request}. Return the stream, or pipe it into ctx.takeOver().`;
  if (!ctx.hasBody && ctx[EXCHANGE].requestBody !== undefined)
    return `Setting ctx.body does not respond to ${request}: it is the body of the request. Return a value, or pass it to ctx.json().`;
  if (lacksBody(ctx[EXCHANGE])) {
    return `The route ${method} ${pattern} sent no body, but its response schema requires one. Return a value from its handler, respond through ctx, or describe 204 in response.`;
  }
  return pattern === undefined
    ? `No middleware responded to ${method} ${path}. Make sure that every middleware responds, or awaits or returns next().`
    : `The route ${method} ${pattern} sent no response. Return a value from its handler or respond through ctx, and make sure that every middleware awaits or returns next().`;
}

/** Contexts whose refusal pipeline has failed once. Middleware may have handled the error since. */
const failed = new WeakSet<Context>();

/**
 * Wraps a step for the refusal pipeline. Middleware still runs, so that loggers and error handlers see the
 * request. The first middleware to return without an error then fails with 400. A router fails with 400
 * without running. A response that was taken over or sent stays as is.
 */
function refuseTarget(step: Step): Middleware {
  const middleware = typeof step === 'function' ? step : assertTarget;
  return (ctx, next) =>
    after(
      () => middleware(ctx, next) as void | Promise<void>,
      () => {
        if (failed.has(ctx) || ctx.takenOver || ctx.res.headersSent) return;
        failed.add(ctx);
        assertTarget(ctx);
      },
      () => failed.add(ctx),
    );
}

/**
 * Creates an application without middleware or routes.
 *
 * @param options - How errors and unhandled requests become responses, how paths are compared, and which
 *   proxies are trusted.
 * @throws {SetupError} `INVALID_PROXY`, when the option `proxy` is invalid; `INVALID_OPTION`, when another
 *   option is unknown or invalid.
 */
export function createApp(options?: ApplicationOptions): Application {
  return new Application(options);
}
