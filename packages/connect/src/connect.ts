import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { parse } from 'node:querystring';
import {
  type Context,
  HttpError,
  InternalServerError,
  isHttpError,
  type Middleware,
  type Next,
  SetupError,
} from '@fairlead/core';
import {
  arrayOf,
  describeValue,
  findOptionProblems,
  fn,
  type Kinds,
  markFactories,
  nonEmptyString,
} from '@fairlead/options';

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
   * that cannot be saved; `console.error` by default.
   */
  readonly onError?: (error: unknown, ctx: Context) => void;
}

const CONNECT_OPTIONS: Kinds<ConnectOptions> = {
  state: arrayOf(nonEmptyString, 'an array of names'),
  onError: fn,
};

/**
 * Runs middleware of Express or Connect.
 *
 * - The middleware sees the headers recorded so far, and those that it sets are recorded.
 * - If it calls `next(error)`, throws or rejects, the error passes to the error handler. An error with a
 *   status from 400 to 499 keeps that status.
 * - If it ends the response itself, the rest of the pipeline does not run.
 * - If it replaces `res.writeHead`, `res.setHeader`, `res.write` or `res.end`, its functions receive the response.
 *
 * @param middleware - A function `(req, res, next)`.
 * @throws {SetupError} `INVALID_CONNECT_MIDDLEWARE`, when `middleware` is not a function of two or three
 *   parameters, or an option is unknown or invalid. A function that declares none may read
 *   `arguments`.
 */
export function connect(middleware: ConnectMiddleware, options?: ConnectOptions): Middleware;
export function connect(middleware: ExpressMiddleware, options?: ConnectOptions): Middleware;
export function connect(
  middleware: ConnectMiddleware | ExpressMiddleware,
  options: ConnectOptions = {},
): Middleware {
  assertArguments(middleware, options);
  const run = middleware as ConnectMiddleware;
  const { state = [], onError = logError } = options;
  const adapted: Middleware = (ctx, next) => {
    extendRequest(ctx);
    shareState(ctx, state);
    return new Call(ctx, next, onError).run(run);
  };
  return Object.defineProperty(adapted, 'name', { value: middleware.name || 'connect' });
}

markFactories(connect);

/** The result of the rest of the pipeline, or the error of the middleware. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** One call of a middleware. */
class Call {
  readonly #ctx: Context;
  readonly #next: Next;
  readonly #onError: (error: unknown, ctx: Context) => void;
  readonly #shown: readonly string[];
  #isDone = false;
  #outcome: Outcome | undefined = undefined;
  #settle: ((outcome: Outcome) => void) | undefined = undefined;

  constructor(ctx: Context, next: Next, onError: (error: unknown, ctx: Context) => void) {
    this.#ctx = ctx;
    this.#next = next;
    this.#onError = onError;
    this.#shown = showHeaders(ctx);
  }

  /**
   * Calls the middleware.
   *
   * @returns A promise, only if the middleware or the rest of the pipeline is asynchronous.
   */
  run(middleware: ConnectMiddleware): unknown {
    const { req, res } = this.#ctx;
    Object.assign(res, { redirect: this.#redirect });
    try {
      const returned = middleware(req, res, this.#proceed);
      if (isPromiseLike(returned)) returned.then(undefined, this.#fail);
      else if (typeof returned === 'function' && middleware.length < 2 && !this.#isDone) {
        this.#fail(new InternalServerError(callIt(middleware), { code: INVALID }));
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#outcome === undefined) return this.#wait();
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.result;
  }

  /** The `next` of the middleware. */
  readonly #proceed = (error?: unknown): void => {
    if (error) this.#fail(error);
    else this.#finish(this.#next);
  };

  readonly #fail = (error: unknown): void => {
    if (this.#isDone) this.#onError(error, this.#ctx);
    else {
      this.#finish(() => {
        throw toHttpError(error);
      });
    }
  };

  /** `res.redirect(url)`, `res.redirect(status, url)` or `res.redirect(url, status)`, as in Express. */
  readonly #redirect = (...args: readonly (string | number)[]): void => {
    const url = args.find((arg) => typeof arg === 'string') ?? '';
    const status = args.find((arg) => typeof arg === 'number');
    this.#finish(() => this.#ctx.redirect(url, status));
  };

  /** Ends the call: records headers and proceeds. Later calls have no effect. */
  #finish(proceed: () => unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
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
        signal.removeEventListener('abort', onAbort);
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.result);
      };
      const end = () => {
        this.#isDone = true;
        ignoreLateResponse(res);
        this.#settle?.({ result: undefined });
      };
      const onClose = () => {
        if (this.#isDone) return;
        this.#ctx.takeOver();
        end();
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

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
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

const extended = new WeakSet<IncomingMessage>();

/**
 * Adds `req.body`, which is `ctx.body`; `req.query`, parsed like the simple parser of Express; and the
 * client as the application knows it.
 */
function extendRequest(ctx: Context): void {
  const { req } = ctx;
  if (extended.has(req)) return;
  extended.add(req);
  let query: unknown;
  Object.defineProperties(req, {
    body: {
      configurable: true,
      enumerable: true,
      get: () => readBody(ctx),
      set: (body: unknown) => {
        ctx.body = body;
      },
    },
    query: {
      configurable: true,
      enumerable: true,
      get: () => {
        query ??= parse(ctx.searchParams.toString());
        return query;
      },
      set: (value: unknown) => {
        query = value;
      },
    },
    ip: clientProperty(req, 'ip', () => ctx.ip),
    protocol: clientProperty(req, 'protocol', () => ctx.protocol),
    secure: clientProperty(req, 'secure', () => ctx.protocol === 'https'),
  });
}

/** Returns `ctx.body`, or undefined for an unread body, which middleware of Express may read itself. */
function readBody(ctx: Context): unknown {
  try {
    return ctx.body;
  } catch (error) {
    if (isHttpError(error) && error.code === 'BODY_NOT_READ') return undefined;
    throw error;
  }
}

/** Describes a property of the request. Within an Express application, it is that of Express. */
function clientProperty(
  req: IncomingMessage,
  name: string,
  read: () => unknown,
): PropertyDescriptor {
  return {
    configurable: true,
    enumerable: true,
    get: () => {
      const prototype: object = Object.getPrototypeOf(req);
      return name in prototype ? Reflect.get(prototype, name, req) : read();
    },
    set: (value: unknown) => {
      Object.defineProperty(req, name, { value, writable: true, enumerable: true });
    },
  };
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
  return new HttpError(status, STATUS_CODES[status] ?? 'Client error', { cause: error });
}

function logError(error: unknown): void {
  console.error(error);
}

const INVALID = 'INVALID_CONNECT_MIDDLEWARE';

/** @throws {SetupError} `INVALID_CONNECT_MIDDLEWARE` */
function assertArguments(middleware: unknown, options: ConnectOptions): void {
  const problems = [
    ...findMiddlewareProblem(middleware),
    ...findOptionProblems('connect()', options, CONNECT_OPTIONS),
  ];
  if (problems.length > 0) throw new SetupError(INVALID, problems.join('\n'));
}

function findMiddlewareProblem(middleware: unknown): readonly string[] {
  if (typeof middleware !== 'function') {
    return [`connect() received ${describeValue(middleware)}. Pass a function (req, res, next).`];
  }
  // Such a function can neither respond nor call next().
  if (middleware.length === 1 && !hasMoreParameters(middleware)) return [callIt(middleware)];
  if (middleware.length <= 3) return [];
  return [
    `connect() cannot run ${describeValue(middleware)} with ${middleware.length} parameters, which handles errors. Use the onError option of errorHandler(), or middleware with try/catch.`,
  ];
}

/** Matches a function whose second parameter has a default or is a rest parameter. */
const UNCOUNTED = /^[^(=]*\(\s*[\w$]+\s*,\s*(?:\.\.\.|[\w$]+\s*=)/;

/** Whether a function of length 1 has another parameter, such as `(req, ...others) => run(req, ...others)`. */
function hasMoreParameters(middleware: object): boolean {
  return UNCOUNTED.test(Function.prototype.toString.call(middleware));
}

function callIt(factory: { readonly name: string }): string {
  const name = factory.name || 'factory';
  return `connect() received ${describeValue(factory)}, which is not middleware (req, res, next). If it returns middleware, call it: connect(${name}()).`;
}
