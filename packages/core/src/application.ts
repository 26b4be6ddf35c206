import type { IncomingMessage, ServerResponse } from 'node:http';
import { after } from './context/after.js';
import { Context, internals } from './context/context.js';
import { isWaiting } from './context/expectation.js';
import { isPromiseLike, type Next } from './context/next.js';
import { joinPaths } from './context/path.js';
import type { RouteTable } from './context/route-match.js';
import { SealedError, SetupError } from './errors/setup-error.js';
import { InProcess } from './fetch.js';
import { answerError, logError } from './handlers/error-handler.js';
import { answerNotFound, assertTarget } from './handlers/not-found-handler.js';
import { compose, type Step } from './pipeline/compose.js';
import { assertMiddleware, type Middleware } from './pipeline/middleware.js';
import { assertInstalled, closePlugins, type Plugin } from './plugin.js';
import { endsDrain } from './response/connection.js';
import { writeResponse } from './response/write-response.js';
import { assertNoConflict } from './router/assert-no-conflict.js';
import { type Explanation, explain } from './router/explain.js';
import { createMount } from './router/mount.js';
import type { MountedRouter } from './router/mounted-routes.js';
import { parsePrefix } from './router/pattern.js';
import { type Route, Router, sealRouter } from './router/router.js';

/** A middleware, or a router at its prefix, in the order of registration. */
type Entry = Middleware | MountedRouter;

/** What an application has become once nothing can be registered any more. */
interface Sealed {
  readonly pipeline: Middleware;
  /** The pipeline for requests whose target is malformed. */
  readonly refusing: Middleware;
  readonly table: RouteTable;
}

/** A stack of middleware and routers that answers requests. */
export class Application {
  readonly #entries: Entry[] = [];
  readonly #plugins: Plugin[] = [];
  /** Plugins that are installing, each with a promise that resolves once `install` has settled. */
  readonly #installing = new Map<Plugin, Promise<void>>();
  #sealed: Sealed | undefined = undefined;
  #inProcess: InProcess | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;
  #isOpen = true;

  /**
   * Adds middleware. A request meets middleware and routers in the order in which they were added.
   *
   * @param middleware - Functions `(ctx, next)`.
   * @throws {InvalidMiddlewareError} When one is not a function.
   * @throws {SealedError} After the application began to answer.
   */
  use(...middleware: readonly Middleware[]): this {
    this.#assertOpen('app.use()');
    assertMiddleware('app.use()', middleware);
    this.#entries.push(...middleware);
    return this;
  }

  /**
   * Mounts a router: a route `/:id` of a router at `/users` answers `/users/:id`. The router may gain
   * routes until the application begins to answer.
   *
   * @param prefix - Ends at a segment boundary; may hold parameters.
   * @param router - Of `createRouter()`.
   * @throws {InvalidPatternError} When the prefix cannot be read, or holds a wildcard.
   * @throws {SetupError} `INVALID_ROUTER`, when it is no router.
   * @throws {SealedError} After the application began to answer.
   */
  route(prefix: string, router: Router): this {
    this.#assertOpen('app.route()');
    if (!(router instanceof Router)) {
      throw new SetupError(
        'INVALID_ROUTER',
        `app.route('${prefix}') takes a router of createRouter().`,
      );
    }
    parsePrefix(prefix);
    this.#entries.push({ prefix, router });
    return this;
  }

  /**
   * Installs a plugin. Await it before the next registration, so that the order stays as written.
   *
   * @throws Whatever the plugin's `install` throws.
   * @throws {SetupError} `INVALID_PLUGIN`, when it has no `install`; `DUPLICATE_PLUGIN`, when this
   *   application has it already; `APPLICATION_CLOSED`, after {@link close}, and when `close` is called
   *   while the plugin installs, which closes the plugin.
   * @throws {SealedError} After the application began to answer.
   */
  async plugin(plugin: Plugin): Promise<this> {
    if (typeof plugin?.install !== 'function') {
      throw new SetupError('INVALID_PLUGIN', 'app.plugin() takes an object with install(app).');
    }
    const failure = `Cannot install the plugin '${plugin.name}'`;
    this.#assertNotClosed(failure);
    this.#assertOpen('app.plugin()');
    if (this.#installing.has(plugin) || this.#plugins.includes(plugin)) {
      throw new SetupError(
        'DUPLICATE_PLUGIN',
        `${failure} twice. Install each plugin object once; create another object for a second instance.`,
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

  /** Every route of every mounted router, with its full pattern, in the order of registration. */
  routes(): readonly Route[] {
    return this.#routers().flatMap(({ prefix, router }) =>
      router.routes.map((route) => ({ ...route, pattern: joinPaths(prefix, route.pattern) })),
    );
  }

  /**
   * Says which route answers a request, and why the routes nearest to it do not.
   *
   * @param method - Request method.
   * @param target - Path of the request, with or without a query.
   */
  explain(method: string, target: string): Explanation {
    return explain(this.#routers(), method.toUpperCase(), target);
  }

  /**
   * Builds the pipelines and closes the application to registrations. `listen` and the first request
   * do this; calling it again does nothing.
   *
   * @throws {RouteConflictError} When two routers register equivalent patterns for one method.
   * @throws {InvalidPatternError} When a parameter stands in a prefix and in a route below it.
   * @throws {SetupError} `PLUGIN_INSTALLING`, when a plugin is not installed yet;
   *   `APPLICATION_CLOSED`, after {@link close}.
   * @throws Whatever a plugin's `ready` throws.
   */
  seal(): void {
    this.#assertNotClosed('The application cannot begin to answer requests');
    this.#sealed ??= this.#build();
  }

  /**
   * Answers a request of node:http. Needs no `this`: `http.createServer(app.handle)`, after `app.seal()`,
   * which throws what is wrong with the application where it can be caught.
   */
  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    this.#sealed ??= this.#build();
    const { pipeline, refusing, table } = this.#sealed;
    const ctx = new Context(req, res, table);
    try {
      const run = internals.targetOf(ctx).malformed ? refusing : pipeline;
      const result = run(ctx, reachEnd);
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
   * Answers a request without a socket: it passes through node's HTTP parser and writer in memory, so
   * that the response equals that of a socket.
   *
   * The server sees the client leave when the response's body is canceled, when the response is
   * collected as garbage before its body was read, and when the application closes.
   *
   * @param request - Its body is read whole before it is sent.
   * @throws As {@link seal}; the reason of the request's signal; the connection's error; a
   *   {@link SetupError} `APPLICATION_CLOSED`, when the application closes before it answers.
   */
  async fetch(request: Request): Promise<Response> {
    this.seal();
    this.#inProcess ??= new InProcess(this.handle);
    return this.#inProcess.fetch(request);
  }

  /**
   * Shorthand for {@link fetch}.
   *
   * @param path - Path and query.
   * @param init - As of `new Request()`.
   */
  async request(path: string, init?: RequestInit): Promise<Response> {
    // A path that begins with two slashes names no host.
    const url = path.startsWith('/') ? `http://localhost${path}` : path;
    return this.fetch(new Request(new URL(url, 'http://localhost'), init));
  }

  /**
   * Closes the plugins, last installed first. Call it after the server is closed. It first waits for
   * plugins that are still installing, so do not await it inside `install`; then it destroys the open
   * connections of {@link fetch} and {@link request}. Calling it again returns the same promise.
   *
   * @throws {AggregateError} When plugins failed to close. The other plugins are closed nevertheless.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#installing.values());
    await this.#inProcess?.close(closedError('The request was not answered'));
    await closePlugins(this.#plugins);
  }

  #build(): Sealed {
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
    const refusing = compose(steps.map(refuseTarget));
    return Object.freeze({ pipeline: compose(steps), refusing, table });
  }

  #routers(): MountedRouter[] {
    return this.#entries.filter((entry) => typeof entry !== 'function');
  }

  #finish(ctx: Context): void {
    try {
      if (!ctx.answered) answerNotFound(ctx);
      this.#write(ctx);
    } catch (error) {
      this.#fail(ctx, error);
    }
  }

  /** Answers with an error. A response that cannot be written even so is cut off. */
  #fail(ctx: Context, error: unknown): void {
    try {
      answerError(ctx, error, false, logError);
      this.#write(ctx);
    } catch (failure) {
      logError(failure);
      ctx.res.destroy();
    }
  }

  #write(ctx: Context): void {
    // A client that was never told to send its body may send it or not: the connection is over.
    const close = isWaiting(ctx.req) || endsDrain(ctx.res);
    writeResponse(ctx, close, logError);
  }

  #assertOpen(place: string): void {
    if (!this.#isOpen) throw new SealedError(place);
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

const reachEnd: Next = () => undefined;

/** Contexts with a malformed target for which a step has failed, even if another step handled it. */
const failed = new WeakSet<Context>();

/**
 * Makes a step of the pipeline for malformed targets. Middleware runs, so that loggers and error
 * handlers see the request. The first one that ends without an error fails with 400 instead. A raw
 * response that was taken over stays as it is.
 */
function refuseTarget(step: Step): Middleware {
  const middleware = typeof step === 'function' ? step : assertTarget;
  return (ctx, next) =>
    after(
      () => middleware(ctx, next) as void | Promise<void>,
      () => {
        if (failed.has(ctx) || internals.answerOf(ctx).takenOver || ctx.res.headersSent) return;
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
