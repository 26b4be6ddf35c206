import { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import {
  type Context,
  HttpError,
  InternalServerError,
  isHttpError,
  type Middleware,
  type Next,
} from '@fairlead/core';
import {
  after,
  createShield,
  describe,
  describeFactories,
  isPromiseLike,
  isStarted,
  reopen,
  throwTogether,
  titleOf,
} from '@fairlead/core/extend';
import {
  arrayOf,
  captureCaller,
  findOptionProblems,
  fn,
  type Kinds,
  named,
  nonEmptyString,
  reporterOf,
} from '@fairlead/options';
import { member, RESPONSE_METHODS, requestMembers } from './express-members.js';
import {
  callIt,
  explainExpress,
  findMiddlewareProblem,
  findOverride,
  INVALID,
  isFactoryResult,
  isWebResponse,
  mountIt,
  warnOfRouter,
} from './mistakes.js';
import { type ResponseWatch, watchResponses } from './own-responses.js';
import { keepBodies, noteBody, type ParsedRequest, prepareBody } from './request-body.js';

/** Middleware of Express or Connect that uses only Node's request and response. */
export type ConnectMiddleware = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => unknown;

/**
 * Middleware that is typed for Express. The compiler cannot check that it uses only what
 * {@link connect} provides.
 */
type ExpressMiddleware = (req: never, res: never, next: never) => unknown;

/** Options of {@link connect}. */
export interface ConnectOptions {
  /**
   * Properties of the request to share as members of `ctx.state`, such as `user` or `session`. Reading
   * or setting the member reads or sets the property.
   */
  readonly state?: readonly string[];
  /**
   * Called with errors that the middleware reports after it has called `next()`, such as a session
   * that cannot be saved. Default: that of the error handler.
   */
  readonly onError?: (error: unknown, ctx: Context) => void;
}

const CONNECT_OPTIONS: Kinds<ConnectOptions> = {
  state: arrayOf(nonEmptyString, 'an array of names'),
  onError: fn,
};

/**
 * Runs Express or Connect middleware.
 *
 * - The middleware sees the headers recorded so far, and those that it sets are recorded.
 * - If it calls `next(error)`, throws or rejects, the error passes to the error handler. An error with a
 *   status from 400 to 499 keeps that status.
 * - If it ends the response itself, the rest of the pipeline does not run.
 * - If it replaces `res.writeHead`, `res.setHeader`, `res.write` or `res.end`, its functions receive the response.
 * - Below the prefix of `app.use()` or of a router, `req.url` is relative to the prefix, and `req.baseUrl` has
 *   it.
 *
 * @param middleware - A function `(req, res, next)`, such as an Express application.
 * @throws {SetupError} `INVALID_OPTION`, when `middleware` is not a function of two or three parameters, or one
 *   of the first two is named like options; when an option is unknown or invalid. A function that declares no
 *   parameters may read `arguments`.
 */
export function connect(middleware: ConnectMiddleware, options?: ConnectOptions): Middleware;
export function connect(middleware: ExpressMiddleware, options?: ConnectOptions): Middleware;
export function connect(
  middleware: ConnectMiddleware | ExpressMiddleware,
  options: ConnectOptions = {},
): Middleware {
  const problems = [
    ...findMiddlewareProblem(middleware),
    ...findOptionProblems('connect()', options, CONNECT_OPTIONS),
  ];
  throwTogether(problems);
  const locate = captureCaller(connect);
  warnOfRouter(middleware, locate);
  const watch = watchResponses(middleware, locate);
  return adapt(middleware as ConnectMiddleware, options, watch, '/');
}

/** @param prefix - The prefix that `req.url` omits; may contain parameters. */
function adapt(
  middleware: ConnectMiddleware,
  options: ConnectOptions,
  watch: ResponseWatch,
  prefix: string,
): Middleware {
  const { state = [], onError = (error: unknown, ctx: Context) => ctx.report(error) } = options;
  const report = reporterOf('onError of connect()', onError);
  const enter = createEnter(prefix);
  const adapted: Middleware = (ctx, next) => {
    extendRequest(ctx, middleware);
    shareState(ctx, state);
    return new Call(ctx, next, report, enter(ctx.req), watch).run(middleware);
  };
  const below = (outer: string) => adapt(middleware, options, watch, `${outer}/${prefix}`);
  return describe(named(middleware.name || 'connect', adapted), {
    role: 'foreign',
    below,
    check: (placement) => findOverride(middleware, placement),
    enter: (surroundings) => {
      keepBodies(surroundings.before);
      watch.learn(surroundings.before);
      return createShield(surroundings);
    },
  });
}

describeFactories(connect);

/** The result of the rest of the pipeline, or the error of the middleware. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** One call of a middleware. */
class Call {
  readonly #ctx: Context;
  readonly #next: Next;
  readonly #onError: (error: unknown, ctx: Context) => void;
  readonly #leavePrefix: () => void;
  readonly #watch: ResponseWatch;
  readonly #shown: readonly string[];
  readonly #releaseVary: (() => void) | undefined;
  #name = 'connect';
  #isDone = false;
  #refused: Error | undefined = undefined;
  #endedByRefusal = false;
  /** Whether the middleware had started the response when it called `next()`. */
  #hasStarted = false;
  #outcome: Outcome | undefined = undefined;
  #settle: ((outcome: Outcome) => void) | undefined = undefined;

  constructor(
    ctx: Context,
    next: Next,
    onError: (error: unknown, ctx: Context) => void,
    leavePrefix: () => void,
    watch: ResponseWatch,
  ) {
    this.#ctx = ctx;
    this.#next = next;
    this.#onError = onError;
    this.#leavePrefix = leavePrefix;
    this.#watch = watch;
    this.#shown = showHeaders(ctx);
    this.#releaseVary = ctx.responseHeaders.has('Vary') ? keepVary(ctx) : undefined;
  }

  /**
   * Calls the middleware.
   *
   * @returns A promise, only if the middleware or the rest of the pipeline is asynchronous.
   */
  run(middleware: ConnectMiddleware): unknown {
    const { req, res } = this.#ctx;
    calls.set(res, this);
    this.#name = middleware.name || this.#name;
    prepareBody(this.#ctx, (error) => this.#refuse(error));
    const fail = (error: unknown) => this.#fail(explainExpress(error, this.#ctx, middleware));
    const next = (error?: unknown) => {
      if (error) fail(error);
      else {
        this.#hasStarted = isStarted(res);
        this.#finish(this.#next);
      }
    };
    try {
      const returned = middleware(req, res, next);
      if (isPromiseLike(returned)) {
        returned.then((value) => {
          if (!this.#isDone && isWebResponse(value)) fail(mountIt(middleware));
        }, fail);
      } else if (!this.#isDone && isWebResponse(returned)) {
        fail(mountIt(middleware));
      } else if (!this.#isDone && !res.headersSent && isFactoryResult(returned, middleware)) {
        fail(new InternalServerError(callIt(middleware), { code: INVALID }));
      }
    } catch (error) {
      fail(error);
    }
    if (this.#outcome === undefined) return this.#wait();
    if ('error' in this.#outcome) throw this.#outcome.error;
    const { result } = this.#outcome;
    if (!this.#hasStarted) return result;
    return after(
      () => result as void | Promise<void>,
      () => this.#assertEnded(),
    );
  }

  /** @throws {Error} When nothing ends the response that the middleware had started before it called `next()`. */
  #assertEnded(): void {
    const { res, takenOver, method, path } = this.#ctx;
    if (takenOver || !isStarted(res)) return;
    throw new Error(
      `The response to ${method} ${path} cannot be sent, because the middleware ${this.#name} has started it, and called next(). In the middleware, end it with res.end() instead of next(), or use only res.setHeader() before next().`,
    );
  }

  /** Fails because of a body that the middleware cannot read, then lets the middleware clean up. */
  #refuse(error: Error): void {
    const { req, res } = this.#ctx;
    this.#endedByRefusal = !this.#isDone;
    this.#fail(error);
    this.#refused = error;
    ignoreLateResponse(res);
    setImmediate(() => {
      if (req.listenerCount('error') > 0) req.emit('error', error);
    });
  }

  #fail(error: unknown): void {
    // What the middleware then fails with is a consequence.
    if (this.#isDone && (this.#endedByRefusal || error === this.#refused)) return;
    if (this.#isDone) this.#onError(error, this.#ctx);
    else {
      this.#finish(() => {
        throw toHttpError(error);
      });
    }
  }

  /** `res.redirect(url)`, `res.redirect(status, url)` or `res.redirect(url, status)`, as in Express. */
  redirect(...args: readonly (string | number)[]): void {
    const url = args.find((arg) => typeof arg === 'string') ?? '';
    const status = args.find((arg) => typeof arg === 'number');
    this.#finish(() => this.#ctx.redirect(url, status));
  }

  /** Ends the call: records headers and proceeds. Later calls have no effect. */
  #finish(proceed: () => unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#leavePrefix();
    this.#releaseVary?.();
    try {
      recordHeaders(this.#ctx, this.#shown);
      this.#outcome = { result: proceed() };
    } catch (error) {
      // An error of the rest of the pipeline must not surface in the middleware.
      this.#outcome = { error };
    }
    this.#settle?.(this.#outcome);
  }

  /** Waits until the middleware calls `next`, the response that it writes has ended, or a timeout. */
  #wait(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { res, signal } = this.#ctx;
      this.#settle = (outcome) => {
        res.off('close', onClose);
        signal.removeEventListener('abort', onAbort);
        if ('error' in outcome) reject(outcome.error);
        else if (!this.#hasStarted) resolve(outcome.result);
        else resolve(Promise.resolve(outcome.result).then(() => this.#assertEnded()));
      };
      const end = () => {
        this.#isDone = true;
        this.#leavePrefix();
        ignoreLateResponse(res);
        this.#settle?.({ result: undefined });
      };
      const onClose = () => {
        if (this.#isDone) return;
        this.#ctx.takeOver();
        end();
        if (!res.writableFinished) return;
        try {
          this.#watch.note(this.#ctx);
        } catch (error) {
          // Options of other middleware run here, such as `skip` of compression().
          this.#ctx.report(error);
        }
      };
      const onAbort = () => {
        if (this.#isDone || res.destroyed) return;
        // The headers describe the response of the middleware, which will not be sent.
        if (!res.headersSent) for (const name of res.getHeaderNames()) res.removeHeader(name);
        end();
      };
      if (res.destroyed) onClose();
      else {
        res.once('close', onClose);
        signal.addEventListener('abort', onAbort);
      }
    });
  }
}

/**
 * Sets the recorded headers on Node's response.
 *
 * @returns Their names.
 */
function showHeaders({ res, responseHeaders }: Context): readonly string[] {
  if (res.headersSent) return [];
  const names: string[] = [];
  for (const [name, value] of responseHeaders) {
    res.setHeader(name, typeof value === 'object' ? [...value] : value);
    names.push(name);
  }
  return names;
}

/**
 * Keeps what was recorded in `Vary` when the middleware sets that header, because it may send the response.
 *
 * @returns A function that ends this, unless the middleware has replaced `res.setHeader`.
 */
function keepVary(ctx: Context): () => void {
  const { res } = ctx;
  const wasOwn = Object.hasOwn(res, 'setHeader');
  const { setHeader } = res;
  const keep: typeof setHeader = (name, value) => {
    const isVary = String(name).toLowerCase() === 'vary' && !res.headersSent;
    if (isVary) ctx.append('Vary', [value].flat().map(String));
    return setHeader.call(res, name, (isVary && ctx.responseHeaders.get('Vary')) || value);
  };
  res.setHeader = keep;
  return () => {
    if (res.setHeader !== keep) return;
    if (wasOwn) res.setHeader = setHeader;
    else Reflect.deleteProperty(res, 'setHeader');
  };
}

/**
 * Moves the headers of Node's response to the recorded ones.
 *
 * @param shown - Names of the headers that {@link showHeaders} has set.
 */
function recordHeaders({ res, responseHeaders }: Context, shown: readonly string[]): void {
  if (res.headersSent) return;
  for (const name of shown) if (!res.hasHeader(name)) responseHeaders.delete(name);
  // Once a header was set, Node.js also stores the headers of writeHead(), so that `res.getHeader()` finds
  // them.
  res.setHeader('X-Placeholder', '');
  res.removeHeader('X-Placeholder');
  // Node's types declare this method only for ClientRequest.
  const { getRawHeaderNames } = res as ServerResponse & Pick<ClientRequest, 'getRawHeaderNames'>;
  for (const name of getRawHeaderNames.call(res)) {
    const value = res.getHeader(name);
    if (value !== undefined) responseHeaders.set(name, value);
    res.removeHeader(name);
  }
}

/**
 * Ignores what middleware that did not respond in time does after the response was sent. The error
 * would be uncaught in its callbacks.
 */
function ignoreLateResponse(res: ServerResponse): void {
  const { setHeader, appendHeader, removeHeader, writeHead } = res;
  const unlessSent =
    <Args extends unknown[]>(method: (...args: Args) => unknown) =>
    (...args: Args): ServerResponse => {
      if (!res.headersSent) method.apply(res, args);
      return res;
    };
  // Emitted for a body after the end.
  res.on('error', () => undefined);
  Object.assign(res, {
    setHeader: unlessSent(setHeader),
    appendHeader: unlessSent(appendHeader),
    removeHeader: unlessSent(removeHeader),
    writeHead: unlessSent(writeHead),
  });
}

/** The members of a request that Express adds, in an Express application or here. */
interface ExpressRequest extends ParsedRequest {
  originalUrl?: string;
  baseUrl?: string;
  params?: object;
}

/** The members of a response that Express adds, in an Express application or here. */
interface ExpressResponse extends ServerResponse {
  locals?: object;
}

/** The contexts of requests that have the {@link REQUEST_MEMBERS}. */
const contexts = new WeakMap<object, Context>();

/** The latest call for each response. */
const calls = new WeakMap<object, Call>();

const REQUEST_MEMBERS: PropertyDescriptorMap & ThisType<IncomingMessage> = {
  body: {
    configurable: true,
    enumerable: true,
    get() {
      return readBody(contexts.get(this));
    },
    set(body: unknown) {
      noteBody(this);
      Object.assign(contexts.get(this) ?? {}, { body });
    },
  },
  ...requestMembers((req) => contexts.get(req)),
  query: member('query', (req) => {
    const query = parse(contexts.get(req)?.searchParams.toString() ?? '');
    Reflect.set(req, 'query', query);
    return query;
  }),
  ip: member('ip', (req) => contexts.get(req)?.ip),
  protocol: member('protocol', (req) => contexts.get(req)?.protocol),
  secure: member('secure', (req) => contexts.get(req)?.protocol === 'https'),
};

const RESPONSE_MEMBERS: PropertyDescriptorMap = {
  ...RESPONSE_METHODS,
  redirect: member(
    'redirect',
    (res) =>
      (...args: readonly (string | number)[]) =>
        calls.get(res)?.redirect(...args),
  ),
};

/** Adds the members of Express that middleware needs most. */
function extendRequest(ctx: Context, middleware: ConnectMiddleware): void {
  const req: ExpressRequest = ctx.req;
  const res: ExpressResponse = ctx.res;
  if (!contexts.has(req)) {
    contexts.set(req, ctx);
    reopen(req);
    Object.defineProperties(req, REQUEST_MEMBERS);
    Object.defineProperties(res, RESPONSE_MEMBERS);
    req.originalUrl ??= req.url ?? '';
    req.baseUrl ??= '';
  }
  req.params = { ...ctx.params };
  if (res.locals === undefined) {
    Object.defineProperty(res, 'locals', {
      configurable: true,
      enumerable: true,
      get: () => ctx.state,
      set: (locals: unknown) => Object.assign(ctx.state, locals),
    });
  }
  // Express 4 keeps a query that exists. Its own parser may be another one.
  if ('settings' in middleware && Object.getOwnPropertyDescriptor(req, 'query')?.get) {
    Reflect.deleteProperty(req, 'query');
  }
}

/**
 * Creates the function that removes a prefix from `req.url` and appends it to `req.baseUrl`, as Express does
 * for a mount.
 *
 * @param prefix - May contain parameters.
 * @returns A function that returns another one, which undoes the change. Both keep what middleware does to the
 *   rest of the URL.
 */
function createEnter(prefix: string): (req: ExpressRequest) => () => void {
  const depth = prefix.split('/').filter((segment) => segment !== '').length;
  if (depth === 0) return () => () => undefined;
  const parts = new RegExp(`^([a-z]+://[^/?]*)?((?:/[^/?]*){${depth}})`, 'i');
  return (req) => {
    const { url = '', baseUrl = '', originalUrl = '' } = req;
    const [start = '', origin = '', removed = ''] = parts.exec(url) ?? [];
    // Middleware may have replaced the whole URL.
    if (removed === '' || !originalUrl.startsWith(start)) return () => undefined;
    const rest = url.slice(start.length);
    const isSlashAdded = origin === '' && !rest.startsWith('/');
    req.url = origin + (isSlashAdded ? '/' : '') + rest;
    req.baseUrl = baseUrl + removed;
    return () => {
      req.url = start + (req.url ?? '').slice(origin.length + (isSlashAdded ? 1 : 0));
      req.baseUrl = baseUrl;
    };
  };
}

/** Returns `ctx.body`, or undefined for an unread body, which Express middleware may read itself. */
function readBody(ctx: Context | undefined): unknown {
  try {
    return ctx?.body;
  } catch (error) {
    if (isHttpError(error) && error.code === 'BODY_NOT_READ') return undefined;
    throw error;
  }
}

/** Makes members of `ctx.state` read and set the properties of the request with the same names. */
function shareState({ req, state }: Context, names: readonly string[]): void {
  for (const name of names) {
    Object.defineProperty(state, name, {
      configurable: true,
      enumerable: true,
      get: (): unknown => Reflect.get(req, name),
      set: (value: unknown) => void Reflect.set(req, name, value),
    });
  }
}

/**
 * Converts an error with a `status` but without `expose`, such as passport's errors. Clients do not see its
 * message.
 */
function toHttpError(error: unknown): unknown {
  if (!(error instanceof Error) || isHttpError(error) || 'expose' in error) return error;
  const status = 'status' in error ? Number(error.status) : 0;
  if (!Number.isInteger(status) || status < 400 || status > 499) return error;
  return new HttpError(status, titleOf(status), { cause: error });
}
