import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { captureCaller, setLocation } from '@fairlead/options';
import { placeBelow } from '../annotations/description.js';
import { REGISTRATIONS, type Registrations } from '../annotations/registrations.js';
import { respondersOf } from '../checks/access.js';
import { createLayout, type Layout, type Place, prefixesIn } from '../checks/layout.js';
import { findErrors } from '../checks/rules.js';
import { Context } from '../context/context.js';
import { assertResponse, droppedResponse, isDropped } from '../context/context-errors.js';
import type { ValidationStatus } from '../errors/http-error.js';
import type { Next } from '../exchange/after-next.js';
import {
  createExchange,
  type Exchange,
  type State,
  type WritableBody,
} from '../exchange/exchange.js';
import {
  type ErrorPolicy,
  logError,
  replacesProblems,
  respondWithError,
} from '../middleware/error-handler.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isPromiseLike } from '../promise.js';
import { takeFailures } from '../response/failures.js';
import { rewriteJson } from '../response/rewrite-json.js';
import { startOf, write, writeText } from '../response/write.js';
import type { FetchHandler, MountOptions } from '../router/fetch-handler.js';
import {
  assertMiddleware,
  assertPath,
  InvalidMiddlewareError,
} from '../router/invalid-argument.js';
import type { Entry } from '../router/mount.js';
import { type PrefixFor, parsePrefix } from '../router/pattern.js';
import {
  ADD_ROUTE,
  type Callee,
  type List,
  nameCall,
  RouteMethods,
} from '../router/route-methods.js';
import type {
  MiddlewareArguments,
  MiddlewareList,
  PrefixOrMiddleware,
  RouteParams,
  SetByAll,
} from '../router/route-options.js';
import {
  ADD_MOUNT,
  type AnyRouter,
  assertRouter,
  attempt,
  countMount,
  createRouter,
  located,
  problemsIn,
  type Route,
  Router,
  sealRouter,
} from '../router/router.js';
import type { VersionSource } from '../router/version-source.js';
import { closeWithSocket } from '../server/connection.js';
import { type Caller, createRequest, type FetchOptions, InProcess } from '../server/in-process.js';
import { OPENS } from '../server/upgrade.js';
import { markCopy } from '../setup/package-copies.js';
import {
  InvalidApplicationError,
  problemsOf,
  SealedError,
  SetupError,
  throwProblems,
} from '../setup/setup-error.js';
import { type ApplicationOptions, readOptions, type Settings } from './options.js';
import { assertPlugin, callReady, closePlugins, stillInstalling } from './plugins.js';
import { type SealedApplication, seal } from './seal.js';

/** An extension that an application installs once, at startup. */
export interface Plugin {
  /** The plugin's name in error messages. */
  readonly name: string;
  /**
   * Registers middleware and routes. If it throws, the start fails without calling `close`, so release
   * what you opened before you throw.
   *
   * @param app - The application, still open to registrations.
   */
  install(app: Application): void | Promise<void>;
  /**
   * Called when the application is sealed. Check here what depends on all registrations, such as the
   * prefixes of mounted routers. If it throws, the start fails. The checks of the application and of the
   * other plugins still run, so that one error reports all problems. To report several, throw an error
   * with an array of errors as `problems`.
   *
   * @param app - The application with all registrations.
   */
  ready?(app: Application): void;
  /** Releases what `install` opened. `app.close()` closes plugins in reverse order of installation. */
  close?(): void | Promise<void>;
}

/**
 * A stack of middleware and routers that handles requests.
 *
 * @typeParam S - Members of `ctx.state` that middleware has set.
 */
export class Application<S extends State = State> extends RouteMethods<unknown, S> {
  /** The option `proxy`. */
  readonly proxy: ApplicationOptions['proxy'] | undefined;
  #settings: Settings;
  readonly #entries: Entry[] = [];
  /** Those of middleware, routers and plugins. A router has those of its routes. */
  readonly #problems: SetupError[] = [];
  readonly #plugins: Plugin[] = [];
  /** Plugins that are installing, each with a promise that resolves when `install` settles. */
  readonly #installing = new Map<Plugin, Promise<void>>();
  /** The router of the routes registered last, until something else is registered. */
  #router: Router | undefined = undefined;
  /** Set while the application is being sealed, because plugins may read its routes several times. */
  #layout: Layout | undefined = undefined;
  #sealed: SealedApplication | undefined = undefined;
  #inProcess: InProcess | undefined = undefined;
  #isOpen = true;
  #isClosing = false;
  #closing: AbortController | undefined = undefined;
  #closed: Promise<void> | undefined = undefined;

  static {
    markCopy(Application.prototype);
  }

  /** @throws {SetupError} Same as {@link createApp}. */
  constructor(options: ApplicationOptions = {}) {
    super();
    this.#settings = readOptions(options);
    this.proxy = options.proxy;
  }

  /** Status of requests that the schemas of a route reject. */
  get validationStatus(): ValidationStatus {
    return this.#settings.validationStatus;
  }

  /** Where requests name the version of a route; undefined without the option. */
  get versions(): VersionSource | undefined {
    return this.#settings.versions;
  }

  /**
   * Validates responses from now on, as with the option `checkResponses` of {@link createApp}.
   *
   * @throws {SealedError} When the application is sealed.
   */
  checkResponses(): this {
    this.#assertOpen('app.checkResponses()');
    const schemas = Object.freeze({ ...this.#settings.schemas, check: true });
    this.#settings = { ...this.#settings, schemas };
    return this;
  }

  /**
   * Adds middleware: functions `(ctx, next)`. Requests pass through middleware, routes and routers in the order of
   * registration.
   *
   * A path before the functions restricts them to it and to the paths below it: `/admin` covers `/admin` and
   * `/admin/users`. It may contain parameters. It ignores case if the application or one of its routers does, or if
   * Express middleware follows.
   *
   * @returns This application. Its type includes the state that the middleware sets for all paths.
   * @throws {SealedError} When the application is sealed. The start reports an invalid prefix, and an argument that is
   *   not a function.
   */
  use<A extends object = State, B extends object = State>(
    first: Middleware<S & A>,
    second?: Middleware<NoInfer<S & A> & B>,
  ): Application<S & A & B>;
  use<Sets extends readonly unknown[], A extends object = State>(
    ...middleware: MiddlewareArguments<S, Sets, A>
  ): Application<S & SetByAll<Sets> & A>;
  use<A extends object = State>(...middleware: readonly Middleware<S & A>[]): Application<S & A>;
  use<Prefix extends string, Sets extends readonly unknown[]>(
    prefix: Prefix,
    ...middleware: MiddlewareList<RouteParams<unknown, Prefix>, S, Sets>
  ): this;
  // When more than three overloads reject a call, TypeScript explains only why the last one does.
  use<First, A extends object = State>(
    first: PrefixOrMiddleware<First, S & A>,
    ...middleware: readonly Middleware<S & A>[]
  ): this;
  use(...candidates: readonly unknown[]): this {
    this.#assertOpen('app.use()');
    const locate = captureCaller(this.use);
    attempt(this.#problems, locate, () => {
      const [first, ...others] = candidates;
      const prefix = typeof first === 'string' ? first : undefined;
      const middleware = (prefix === undefined ? candidates : others) as readonly Middleware[];
      const call = prefix === undefined ? 'app.use()' : `app.use('${prefix}')`;
      // A list that is spread may be empty. A single name is not a prefix.
      if (middleware.length === 0 && prefix?.startsWith('/') === false)
        throw new InvalidMiddlewareError(call);
      assertMiddleware(call, middleware, locate);
      const placed =
        prefix === undefined ? middleware : middleware.map((one) => placeBelow(prefix, one));
      for (const one of placed) setLocation(one, locate);
      parsePrefix(prefix ?? '/');
      this.#add({ prefix: prefix || '/', middleware: placed });
    });
    return this;
  }

  /**
   * Mounts a router. The route `/:id` of a router mounted at `/users` handles `/users/:id`. You may add
   * routes to the router until the application is sealed.
   *
   * @param prefix - Path prefix that ends at a segment boundary; may contain parameters.
   * @param router - A router from `createRouter()`.
   * @throws {SealedError} When the application is sealed. The start reports an invalid prefix, and a value that is not a
   *   router.
   */
  route<Prefix extends string, PrefixParams>(
    prefix: PrefixFor<Prefix, PrefixParams>,
    router: Router<PrefixParams, State>,
  ): this {
    this.#assertOpen('app.route()');
    const locate = captureCaller(this.route);
    const mount = () => {
      assertPath('app.route()', 'prefix', prefix);
      assertRouter(`app.route('${prefix}')`, router);
      parsePrefix(prefix);
      const entry = { prefix, router };
      setLocation(entry, locate);
      countMount(router);
      this.#add(entry);
    };
    attempt(this.#problems, locate, mount, router);
    return this;
  }

  /** @internal */
  override [ADD_ROUTE](
    method: List,
    pattern: List,
    rest: readonly unknown[],
    callee: Callee,
  ): this {
    this.#assertOpen(nameCall('app', method, pattern));
    this.#ownRouter()[ADD_ROUTE](method, pattern, rest, callee, 'app');
    return this;
  }

  /** Returns the router of consecutive routes of the application. */
  #ownRouter(): AnyRouter {
    const router = this.#router ?? createRouter(this.#settings.rules);
    if (this.#router === undefined) this.#add({ prefix: '/', router, isOwn: true });
    this.#router = router;
    return router;
  }

  /**
   * Mounts a handler of web requests below a prefix, such as that of an authentication library, a GraphQL server or an
   * application of another framework. It gets all methods and paths, and bodies that no parser has read. Its signal
   * aborts when the client disconnects, and once it has responded with a stream, when the server closes. The `X-Forwarded-*`
   * headers of its request state `ctx.ip`, `ctx.protocol` and `ctx.host`.
   *
   * @param prefix - May contain parameters.
   * @throws {SealedError} When the application is sealed. The start reports an invalid prefix, option or handler.
   */
  mount<Prefix extends string, Sets extends readonly unknown[] = readonly unknown[]>(
    prefix: Prefix,
    handler: FetchHandler,
    options: MountOptions<RouteParams<unknown, Prefix>, S, Sets> = {},
  ): this {
    this.#assertOpen('app.mount()');
    this.#ownRouter()[ADD_MOUNT]('app', prefix, handler, options, captureCaller(this.mount));
    return this;
  }

  #add(entry: Entry): void {
    this.#router = undefined;
    this.#entries.push(entry);
  }

  /**
   * Installs a plugin. Await the promise before you register anything else, so that registrations
   * keep the order of your code.
   *
   * @throws The error of the plugin's `install`, together with all problems of registrations so far.
   * @throws {SetupError} `APPLICATION_CLOSED`, after {@link close}, or when `close` is called during the
   *   installation. In the latter case, `close` also closes this plugin.
   * @throws {SealedError} When the application is sealed. The start reports a value that is not a plugin, and a plugin
   *   that is already installed.
   */
  async plugin(plugin: Plugin): Promise<this> {
    const failure = `Cannot install the plugin '${Object(plugin).name}'`;
    this.#assertNotClosed(failure);
    this.#assertOpen('app.plugin()');
    const locate = captureCaller(this.plugin);
    const isPlugin = attempt(this.#problems, locate, () => {
      assertPlugin(plugin, [...this.#installing.keys(), ...this.#plugins]);
      setLocation(plugin, locate);
    });
    if (!isPlugin) return this;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#installing.set(plugin, promise);
    try {
      await plugin.install(this);
      this.#plugins.push(plugin);
    } catch (error) {
      throw this.#joinProblems(error);
    } finally {
      this.#installing.delete(plugin);
      resolve();
    }
    this.#assertNotClosed(failure);
    return this;
  }

  /** Adds the problems of registrations to the error of a plugin, unless it lists them. */
  #joinProblems(error: unknown): unknown {
    if (!(error instanceof Error) || !this.#isOpen) return error;
    const own = problemsOf(error);
    const isListed = ({ message }: Error) => own.some((one) => one.message.includes(message));
    const others = this.#findErrors(this.#layOut()).filter((one) => !isListed(one));
    return others.length === 0 ? error : new InvalidApplicationError([...own, ...others]);
  }

  /** @param other - A router that may be mounted later. */
  #findErrors(layout: Layout, other?: AnyRouter): readonly Error[] {
    const mounted = this.#entries.flatMap((entry) => ('router' in entry ? entry.router : []));
    const routers = other instanceof Router ? [...mounted, other] : mounted;
    const registrations = new Set([...located(this.#problems), ...routers.flatMap(problemsIn)]);
    return [...registrations, ...findErrors(layout, !this.#isOpen)];
  }

  /** Returns every route of every mounted router, with its full pattern, in order of registration. */
  routes(): readonly Route[] {
    return this.#layOut().listed;
  }

  /** @internal */
  [REGISTRATIONS](router?: AnyRouter): Registrations {
    const layout = this.#layOut(router);
    const isFormatting = ({ prefix, middleware }: Place) =>
      prefix === '/' && middleware !== undefined && replacesProblems(middleware);
    return {
      prefixes: prefixesIn(layout, router),
      problems: this.#findErrors(layout, router),
      replacesProblems: replacesProblems(this.#settings.errors) || layout.places.some(isFormatting),
      responders: respondersOf(layout),
    };
  }

  /**
   * Checks the registrations and builds the pipelines. Later registrations throw. `listen` and the first
   * request call this. Further calls do nothing.
   *
   * @throws {InvalidApplicationError} When there are several problems, of registrations as well. A single problem is
   *   thrown as is.
   * @throws {RouteConflictError} When two routes have equivalent patterns for one method.
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
      else this.#finishAfter(result, exchange, ctx);
    } catch (error) {
      this.#recover(exchange, ctx, error);
    }
  };

  /** Responds once a promise has settled. In {@link handle}, each request would allocate its functions. */
  #finishAfter(result: PromiseLike<unknown>, exchange: Exchange<Context>, ctx: Context): void {
    result.then(
      () => this.#finish(exchange, ctx),
      (error: unknown) => this.#recover(exchange, ctx, error),
    );
  }

  /** @internal */
  [OPENS](path: string): boolean {
    return this.#sealed?.environment.routes.opens?.(path) ?? false;
  }

  /**
   * Handles a request without a socket. The request and the response pass through Node's HTTP parser and
   * writer in memory, so the response is the same as over a socket. The function is bound to the application.
   *
   * To the application, the client disconnects when the response body is canceled, when the response is
   * garbage-collected before its body is read, and when the application closes.
   *
   * @param request - Its body is sent while it is read, and canceled when the request ends before it. A URL with
   *   `https:` makes `ctx.protocol` `'https'`.
   * @param options - Who makes the request; `127.0.0.1` by default, with a warning when the application reads the
   *   address. The target, for adapters.
   * @throws The errors of {@link seal}; the abort reason of the request's signal, or the error of the request's body,
   *   also while the response is read; the connection's error.
   * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid; `APPLICATION_CLOSED`, when the
   *   application closes before it responds.
   */
  readonly fetch = async (request: Request, options: FetchOptions = {}): Promise<Response> => {
    return this.#connections().fetch(request, options, false);
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
    caller: Caller = {},
  ): Promise<Response> => {
    return this.#connections().fetch(createRequest(path, init), caller, true);
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
    return this.#connections().connect(caller);
  }

  #connections(): InProcess {
    this.seal();
    this.#inProcess ??= new InProcess(this.handle);
    return this.#inProcess;
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
    this.#isClosing = true;
    this.#closing?.abort();
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#installing.values());
    await this.#inProcess?.close(closedError('The request got no response'));
    await closePlugins(this.#plugins);
  }

  #layOut(unfilled?: AnyRouter): Layout {
    return this.#layout ?? createLayout(this.#entries, this.#settings, unfilled);
  }

  #build(): SealedApplication {
    if (this.#installing.size > 0) {
      // The plugin may still register something, so the other plugins are not ready either.
      const problems = [...this.#installing.keys()].map(stillInstalling);
      throwProblems([...problems, ...this.#findErrors(this.#layOut())]);
    }
    this.#isOpen = false;
    const ready = (): readonly Error[] =>
      this.#plugins.flatMap((plugin) => callReady(plugin.name, () => plugin.ready?.(this)));
    for (const entry of this.#entries) if ('router' in entry) sealRouter(entry.router);
    this.#layout = this.#layOut();
    try {
      const problems = this.#findErrors(this.#layout);
      const closing = () => this.#createClosing();
      return seal(this.#entries, this.#layout, this.#settings, this, problems, ready, closing);
    } finally {
      this.#layout = undefined;
    }
  }

  /** Returns a signal that aborts when the application closes. Called while a request is handled. */
  #createClosing(): AbortSignal {
    // Workers create no signal outside a request, and no request can use that of another one.
    const isWorker = globalThis.navigator?.userAgent === 'Cloudflare-Workers';
    if (!isWorker) this.#closing ??= new AbortController();
    const controller = this.#closing ?? new AbortController();
    if (this.#isClosing) controller.abort();
    return controller.signal;
  }

  /** Responds with an error of the pipeline, as its outermost error handler would. */
  #recover(exchange: Exchange<Context>, ctx: Context, error: unknown): void {
    const { errors, outermost } = exchange.environment;
    if (outermost === errors) {
      this.#fail(exchange, ctx, error, errors);
      return;
    }
    try {
      respondWithError(ctx, error, outermost);
    } catch (failure) {
      this.#fail(exchange, ctx, failure, errors);
      return;
    }
    this.#finish(exchange, ctx);
  }

  #finish(exchange: Exchange<Context>, ctx: Context): void {
    try {
      if (exchange.writer !== undefined) rewriteJson(exchange, exchange.writer);
      if (!writeText(exchange)) this.#start(exchange, ctx);
    } catch (error) {
      this.#fail(exchange, ctx, error, exchange.errors);
    }
  }

  /** Sends a response that may have to wait for a stream. */
  #start(exchange: Exchange<Context>, ctx: Context): void {
    const start = startOf(exchange);
    if (start === undefined) this.#respond(exchange, ctx);
    else {
      const { body } = exchange;
      start.then(() => this.#continue(exchange, ctx, body));
    }
  }

  /** Responds when a stream has started, unless it has recorded another response. Then its failure is the response. */
  #continue(exchange: Exchange<Context>, ctx: Context, started: WritableBody | undefined): void {
    if (exchange.body === started) {
      this.#respond(exchange, ctx);
      return;
    }
    const [failure, ...others] = takeFailures(exchange);
    for (const other of others) exchange.errors.onError(other, ctx);
    if (failure === undefined) this.#finish(exchange, ctx);
    else this.#fail(exchange, ctx, failure, exchange.errors);
  }

  #respond(exchange: Exchange<Context>, ctx: Context): void {
    try {
      assertResponse(exchange, ctx);
      if (isDropped(exchange)) throw droppedResponse(exchange);
      write(exchange, ctx);
    } catch (error) {
      this.#fail(exchange, ctx, error, exchange.errors);
    }
  }

  /** Sends an error response, or closes the connection if that fails. */
  #fail(exchange: Exchange<Context>, ctx: Context, error: unknown, policy: ErrorPolicy): void {
    const close = (failure: unknown): void => {
      logError(failure);
      exchange.res.destroy();
    };
    try {
      respondWithError(ctx, error, policy);
      const start = startOf(exchange);
      if (start === undefined) write(exchange, ctx);
      else start.then(() => write(exchange, ctx)).catch(close);
    } catch (failure) {
      close(failure);
    }
  }

  #assertOpen(call: string): void {
    if (!this.#isOpen) throw new SealedError(call);
  }

  #assertNotClosed(failure: string): void {
    if (this.#isClosing) throw closedError(failure);
  }
}

function closedError(failure: string): SetupError {
  return new SetupError(
    'APPLICATION_CLOSED',
    `${failure}: app.close() was called. Create a new application with createApp().`,
  );
}

const endOfPipeline: Next = () => undefined;

/**
 * Creates an application without middleware or routes.
 *
 * @param options - How errors and unhandled requests become responses, how paths are compared, and which
 *   proxies are trusted.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function createApp(options?: ApplicationOptions): Application {
  const app = new Application(options);
  const locate = captureCaller(createApp);
  setLocation(app, locate);
  if (app.versions) setLocation(app.versions, locate);
  return app;
}
