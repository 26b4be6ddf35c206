import type { IncomingMessage, ServerResponse } from 'node:http';
import { Context, internals, type RouteTable } from './context.js';
import { SealedError, SetupError } from './errors/setup-error.js';
import { logError, respondWithError } from './middleware/error-handler.js';
import { assertTarget, respondNotFound } from './middleware/not-found-handler.js';
import { after, isPromiseLike, type Next } from './next.js';
import { assertMiddleware, compose, type Middleware, type Step } from './pipeline.js';
import { writeResponse } from './response.js';
import { type Explanation, explain } from './router/explain.js';
import { assertNoConflict, createMount, type MountedRouter } from './router/mount.js';
import { parsePrefix } from './router/pattern.js';
import { type Route, Router, sealRouter } from './router/router.js';
import { endsDrain, isAwaitingContinue } from './server/connection.js';
import { InProcess } from './server/in-process.js';
import { joinPaths } from './target.js';

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
   * prefixes of mounted routers. An error stops the startup.
   *
   * @param app - The application with all registrations.
   */
  ready?(app: Application): void;
  /** Releases what `install` opened. `app.close()` closes plugins in reverse order of installation. */
  close?(): void | Promise<void>;
}

/** A middleware, or a router with its prefix, in the order of registration. */
type Entry = Middleware | MountedRouter;

/** What {@link Application.seal} builds from the registrations. */
interface SealedApplication {
  readonly pipeline: Middleware;
  /** The pipeline for requests with a malformed target. */
  readonly refusalPipeline: Middleware;
  readonly table: RouteTable;
}

/** A stack of middleware and routers that handles requests. */
export class Application {
  readonly #entries: Entry[] = [];
  readonly #plugins: Plugin[] = [];
  /** Plugins that are installing, each with a promise that resolves when `install` settles. */
  readonly #installing = new Map<Plugin, Promise<void>>();
  #sealed: SealedApplication | undefined = undefined;
  #inProcess: InProcess | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;
  #isOpen = true;

  /**
   * Adds middleware. Requests pass through middleware and routers in the order of registration.
   *
   * @param middleware - Functions `(ctx, next)`.
   * @throws {InvalidMiddlewareError} When an argument is not a function.
   * @throws {SealedError} When the application is sealed.
   */
  use(...middleware: readonly Middleware[]): this {
    this.#assertOpen('app.use()');
    assertMiddleware('app.use()', middleware);
    this.#entries.push(...middleware);
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
  route(prefix: string, router: Router): this {
    this.#assertOpen('app.route()');
    if (!(router instanceof Router)) {
      throw new SetupError(
        'INVALID_ROUTER',
        `Cannot mount a router at '${prefix}': the second argument of app.route() is not a router. Pass a router from createRouter().`,
      );
    }
    parsePrefix(prefix);
    this.#entries.push({ prefix, router });
    return this;
  }

  /**
   * Installs a plugin. Await the promise before you register anything else, so that registrations
   * keep the order of your code.
   *
   * @throws The error of the plugin's `install`.
   * @throws {SetupError} `INVALID_PLUGIN`, when `plugin` has no `install` method; `DUPLICATE_PLUGIN`,
   *   when it is already installed; `APPLICATION_CLOSED`, after {@link close}, or when `close` is
   *   called during the installation. In the latter case, `close` also closes this plugin.
   * @throws {SealedError} When the application is sealed.
   */
  async plugin(plugin: Plugin): Promise<this> {
    if (typeof plugin?.install !== 'function') {
      throw new SetupError(
        'INVALID_PLUGIN',
        'Cannot install the plugin: it has no install() method. Pass an object with install(app) to app.plugin().',
      );
    }
    const failure = `Cannot install the plugin '${plugin.name}'`;
    this.#assertNotClosed(failure);
    this.#assertOpen('app.plugin()');
    if (this.#installing.has(plugin) || this.#plugins.includes(plugin)) {
      throw new SetupError(
        'DUPLICATE_PLUGIN',
        `${failure} twice. Install each plugin object once, and create another object for a second instance.`,
      );
    }
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
    return this.#routers().flatMap(({ prefix, router }) =>
      router.routes.map((route) => ({ ...route, pattern: joinPaths(prefix, route.pattern) })),
    );
  }

  /**
   * Explains which route handles a request, and why similar routes do not match.
   *
   * @param method - Request method.
   * @param target - Path of the request, with or without a query.
   */
  explain(method: string, target: string): Explanation {
    return explain(this.#routers(), method.toUpperCase(), target);
  }

  /**
   * Builds the pipelines. Later registrations throw. `listen` and the first request call this.
   * Further calls do nothing.
   *
   * @throws {RouteConflictError} When two routers register equivalent patterns for one method.
   * @throws {InvalidPatternError} When a prefix and a route below it have a parameter of the same name.
   * @throws {SetupError} `PLUGIN_INSTALLING`, when a plugin is still installing;
   *   `APPLICATION_CLOSED`, after {@link close}.
   * @throws The error of a plugin's `ready`.
   */
  seal(): void {
    this.#assertNotClosed('The application cannot handle requests');
    this.#sealed ??= this.#build();
  }

  /**
   * Handles a node:http request. It is bound to the application, so you can pass it on as in
   * `http.createServer(app.handle)`. Call `app.seal()` first, so that you can catch its errors.
   */
  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    this.#sealed ??= this.#build();
    const { pipeline, refusalPipeline, table } = this.#sealed;
    const ctx = new Context(req, res, table);
    try {
      const run = internals.targetOf(ctx).malformed ? refusalPipeline : pipeline;
      const result = run(ctx, endOfPipeline);
      if (!isPromiseLike(result)) this.#finish(ctx);
      else
        result.then(
          () => this.#finish(ctx),
          (error: unknown) => this.#fail(ctx, error),
        );
    } catch (error) {
      this.#fail(ctx, error);
    }
  };

  /**
   * Handles a request without a socket. The request and the response pass through node's HTTP parser
   * and writer in memory, so the response equals one sent over a socket.
   *
   * The application sees the client disconnect when the response body is canceled, when the response
   * is garbage-collected before its body was read, and when the application closes.
   *
   * @param request - Its body is read completely before it is sent.
   * @throws The errors of {@link seal}; the abort reason of the request's signal; the connection's
   *   error.
   * @throws {SetupError} `APPLICATION_CLOSED`, when the application closes before it responds.
   */
  async fetch(request: Request): Promise<Response> {
    this.seal();
    this.#inProcess ??= new InProcess(this.handle);
    return this.#inProcess.fetch(request);
  }

  /**
   * Calls {@link fetch} with a path.
   *
   * @param path - Path and query.
   * @param init - As for `new Request()`.
   */
  async request(path: string, init?: RequestInit): Promise<Response> {
    // `new URL('//users', base)` would read 'users' as the host.
    const url = path.startsWith('/') ? `http://localhost${path}` : path;
    return this.fetch(new Request(new URL(url, 'http://localhost'), init));
  }

  /**
   * Closes the plugins, last installed first. Close the server before you call this.
   *
   * First waits for plugins that are still installing, so do not await it inside `install`. Then
   * destroys the open connections of {@link fetch} and {@link request}, and closes the plugins.
   * Further calls return the same promise.
   *
   * @throws {AggregateError} When plugins fail to close. The other plugins are still closed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#installing.values());
    await this.#inProcess?.close(closedError('The request got no response'));
    await closePlugins(this.#plugins);
  }

  #build(): SealedApplication {
    assertInstalled(this.#installing.keys());
    this.#isOpen = false;
    for (const { router } of this.#routers()) sealRouter(router);
    assertNoConflict(this.#routers());
    for (const plugin of this.#plugins) plugin.ready?.(this);
    const mounts: RouteTable[] = [];
    const steps = this.#entries.map((entry) => {
      if (typeof entry === 'function') return entry;
      const mount = createMount(entry);
      mounts.push(mount);
      return mount;
    });
    const table: RouteTable = {
      methods: (path) => new Set(mounts.flatMap((mount) => [...mount.methods(path)])),
    };
    const refusalPipeline = compose(steps.map(refuseTarget));
    return Object.freeze({ pipeline: compose(steps), refusalPipeline, table });
  }

  #routers(): MountedRouter[] {
    return this.#entries.filter((entry) => typeof entry !== 'function');
  }

  #finish(ctx: Context): void {
    try {
      if (!ctx.answered) respondNotFound(ctx);
      this.#write(ctx);
    } catch (error) {
      this.#fail(ctx, error);
    }
  }

  /** Sends an error response, or closes the connection if that fails. */
  #fail(ctx: Context, error: unknown): void {
    try {
      respondWithError(ctx, error, false, logError);
      this.#write(ctx);
    } catch (failure) {
      logError(failure);
      ctx.res.destroy();
    }
  }

  #write(ctx: Context): void {
    // A client that never got `100 Continue` may or may not send its body, so end the connection.
    const close = isAwaitingContinue(ctx.req) || endsDrain(ctx.res);
    writeResponse(internals.responseOf(ctx), ctx, close, logError);
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

function assertInstalled(installing: Iterable<Plugin>): void {
  for (const { name } of installing) {
    throw new SetupError(
      'PLUGIN_INSTALLING',
      `The plugin '${name}' is still installing. Await app.plugin() before the application handles requests.`,
    );
  }
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

/** Contexts whose refusal pipeline has failed once. Middleware may have handled the error since. */
const failed = new WeakSet<Context>();

/**
 * Wraps a step for the refusal pipeline. Middleware still runs, so that loggers and error handlers
 * see the request. The first middleware to return without an error then fails with 400. A router fails
 * with 400 without running. A response that was taken over or sent stays as it is.
 */
function refuseTarget(step: Step): Middleware {
  const middleware = typeof step === 'function' ? step : assertTarget;
  return (ctx, next) =>
    after(
      () => middleware(ctx, next) as void | Promise<void>,
      () => {
        if (failed.has(ctx) || internals.responseOf(ctx).takenOver || ctx.res.headersSent) return;
        failed.add(ctx);
        assertTarget(ctx);
      },
      () => failed.add(ctx),
    );
}

/** Creates an application without middleware or routes. */
export function createApp(): Application {
  return new Application();
}
