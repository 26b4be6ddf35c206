import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { after, type Next } from './next.js';
import {
  type HeaderValue,
  RecordedResponse,
  type ResponseBody,
  type ResponseHeaders,
} from './response.js';
import { sendContinue } from './server/connection.js';
import { decodeParameter, decodeWildcard, parseTarget, type Target } from './target.js';

/** Data that the functions of one request share. Augment this interface to declare members. */
export interface State {
  [key: string]: unknown;
}

/** The routes of an application. */
export interface RouteTable {
  /**
   * Returns the methods of the routes that match a path.
   *
   * @param path - In normal form; `*` matches all routes.
   */
  methods(path: string): ReadonlySet<string>;
}

/** The parts of a route that a context needs. */
export interface MatchedRoute {
  /** Full pattern, with its prefixes. */
  readonly pattern: string;
  /** Parameter names, in the order of the path. */
  readonly names: readonly string[];
  /** Whether the last parameter is a wildcard. */
  readonly endsInWildcard: boolean;
}

/** The route that matches a request. */
export interface RouteMatch {
  readonly value: MatchedRoute;
  /** Parameter values, still percent-encoded. */
  readonly rawParams: readonly string[];
}

/** Access to a context's private members for the other modules of core. */
export interface ContextInternals {
  /** Makes `ctx.next()` call `next`. */
  enterStep(ctx: Context, next: Next): void;
  /** Sets the route that matches the request. */
  setMatch(ctx: Context, match: RouteMatch): void;
  /** Aborts `ctx.signal`. */
  abortSignal(ctx: Context, reason: unknown): void;
  /** Returns the recorded response. */
  responseOf(ctx: Context): RecordedResponse<Context>;
  /** Returns the parsed request target. */
  targetOf(ctx: Context): Target;
  /** Returns the methods of the routes that match the path. */
  allowedMethods(ctx: Context): ReadonlySet<string>;
}

/** Access to a context's private members for the other modules of core. */
export let internals: ContextInternals;

/**
 * One request and its response. The response is recorded here and sent once the pipeline has run, so
 * middleware can still change it after `await next()`.
 */
export class Context {
  /** The node:http request. */
  readonly req: IncomingMessage;

  /** The node:http response, for reading. Call {@link takeOver} to write to it. */
  readonly res: ServerResponse;

  /** The parsed request body; undefined until a parser such as `json()` reads it. */
  body: unknown = undefined;

  readonly #target: Target;
  readonly #routes: RouteTable;
  readonly #response = new RecordedResponse<Context>();
  #next: Next = outsideMiddleware;
  #match: RouteMatch | undefined = undefined;
  #params: Readonly<Record<string, string>> | undefined = undefined;
  #searchParams: URLSearchParams | undefined = undefined;
  #query: Readonly<Record<string, string>> | undefined = undefined;
  #state: State | undefined = undefined;
  #controller: AbortController | undefined = undefined;

  static {
    internals = {
      enterStep: (ctx, next) => {
        ctx.#next = next;
      },
      setMatch: (ctx, match) => {
        ctx.#match = match;
        ctx.#params = undefined;
      },
      abortSignal: (ctx, reason) => {
        ctx.#controller ??= abortOnClose(ctx.res);
        ctx.#controller.abort(reason);
      },
      responseOf: (ctx) => ctx.#response,
      targetOf: (ctx) => ctx.#target,
      allowedMethods: (ctx) => ctx.#routes.methods(ctx.path),
    };
  }

  constructor(req: IncomingMessage, res: ServerResponse, routes: RouteTable) {
    this.req = req;
    this.res = res;
    this.#routes = routes;
    this.#target = parseTarget(this.method, req.url ?? '');
  }

  /** The request method, in upper case. */
  get method(): string {
    return this.req.method ?? '';
  }

  /**
   * The request path, percent-encoded, in the normal form that the router matches.
   *
   * @see RFC 3986 §6.2.2
   */
  get path(): string {
    return this.#target.path;
  }

  /** Full pattern of the matched route, with its prefixes; undefined before a route matches. */
  get pattern(): string | undefined {
    return this.#match?.value.pattern;
  }

  /**
   * Decoded route parameters by name, in an object without a prototype; empty before a route matches.
   * A wildcard's value keeps `%2F`, so each of its slashes is a slash of the path.
   */
  get params(): Readonly<Record<string, string>> {
    this.#params ??= paramsOf(this.#match);
    return this.#params;
  }

  /** The first value of each query parameter, in an object without a prototype. */
  get query(): Readonly<Record<string, string>> {
    this.#query ??= firstValues(this.searchParams);
    return this.#query;
  }

  /** All query parameters. */
  get searchParams(): URLSearchParams {
    this.#searchParams ??= new URLSearchParams(`?${this.#target.search}`);
    return this.#searchParams;
  }

  /** Request headers by lower-case name. */
  get headers(): IncomingHttpHeaders {
    return this.req.headers;
  }

  /**
   * Whether the request's headers announce a body.
   *
   * @see RFC 9112 §6
   */
  get hasBody(): boolean {
    const { headers } = this.req;
    if (headers['transfer-encoding'] !== undefined) return true;
    return Number(headers['content-length'] ?? 0) > 0;
  }

  /** Data that the middleware, guards and handler of this request share. */
  get state(): State {
    this.#state ??= {};
    return this.#state;
  }

  /** Aborts when the client disconnects before the response is complete. */
  get signal(): AbortSignal {
    this.#controller ??= abortOnClose(this.res);
    return this.#controller.signal;
  }

  /** The response status; 200 by default. */
  get status(): number {
    return this.#response.status ?? 200;
  }

  /** @throws {RangeError} When the value is not an integer from 200 to 599. */
  set status(status: number) {
    assertStatus('ctx.status', status, 200, 599);
    this.#response.status = status;
  }

  /** The response headers. */
  get responseHeaders(): ResponseHeaders {
    return this.#response.headers;
  }

  /** The recorded response body, with a web stream as a `Readable`; undefined until one is recorded. */
  get responseBody(): ResponseBody | undefined {
    return this.#response.body;
  }

  /** Whether a body or a status was set, or the raw response was taken over or written to. */
  get answered(): boolean {
    return this.#response.isRecorded || this.res.headersSent;
  }

  /**
   * Returns a request header, or undefined. Joins repeated headers with `, `.
   *
   * @param name - Case-insensitive.
   */
  get(name: string): string | undefined {
    const { headers } = this.req;
    const key = name.toLowerCase();
    if (!Object.hasOwn(headers, key)) return undefined;
    const value = headers[key];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /**
   * Returns the request body as a stream of raw bytes, for a custom parser. Call it only if nothing
   * else has read the body. Sends `100 Continue` to a client that waits for it.
   */
  bodyStream(): IncomingMessage {
    sendContinue(this.req, this.res);
    return this.req;
  }

  /**
   * Sets a response header and replaces earlier values.
   *
   * @throws {TypeError} When the name is not a token or the value contains a control character.
   */
  set(name: string, value: HeaderValue): void {
    this.#response.headers.set(name, value);
  }

  /**
   * Adds a value to a response header.
   *
   * @throws {TypeError} As {@link set}.
   */
  append(name: string, value: string | readonly string[]): void {
    this.#response.headers.append(name, value);
  }

  /**
   * Responds with JSON. Serializes the value immediately, so later changes to it have no effect.
   *
   * @param stringify - Serializes the value, such as a serializer compiled from a JSON Schema;
   *   `JSON.stringify` by default.
   * @throws {TypeError} When JSON cannot represent the value, such as a cycle, a BigInt or undefined.
   */
  json<T>(value: T, stringify: (value: T) => string = toJson): void {
    this.#response.record(stringify(value), 'application/json; charset=utf-8');
  }

  /** Responds with an HTML document. Escape user input before you pass it. */
  html(text: string): void {
    this.#response.record(text, 'text/html; charset=utf-8');
  }

  /**
   * Responds with text, bytes or a stream. `Content-Type` defaults to `text/plain` for text and to
   * `application/octet-stream` for bytes and streams.
   */
  send(body: ResponseBody): void {
    const isText = typeof body === 'string';
    this.#response.record(body, isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  }

  /**
   * Responds with a redirect and an empty body.
   *
   * @param url - Value of `Location`: absolute or relative, percent-encoded.
   * @param status - An integer from 300 to 399.
   * @throws {TypeError} When `url` contains a control character.
   * @throws {RangeError} When `status` is out of range.
   */
  redirect(url: string, status = 302): void {
    assertStatus('redirect status', status, 300, 399);
    this.set('Location', url);
    this.#response.record('', undefined);
    this.status = status;
  }

  /**
   * Runs the rest of the pipeline, like the middleware's `next` argument. Await it: until it settles,
   * `ctx.next()` acts as the `next` of the middleware downstream.
   *
   * @throws {NextCalledTwiceError} 500, when the middleware has already called it.
   */
  next(): void | Promise<void> {
    const step = this.#next;
    const restore = () => {
      this.#next = step;
    };
    return after(step, restore, restore);
  }

  /** Returns the raw response, which the caller must write and end (`hijack` in Fastify). */
  takeOver(): ServerResponse {
    this.#response.takenOver = true;
    return this.res;
  }
}

function outsideMiddleware(): never {
  throw new TypeError(
    'ctx.next() was called outside middleware. Call it while a middleware handles the request.',
  );
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

function paramsOf(match: RouteMatch | undefined): Readonly<Record<string, string>> {
  return match === undefined ? NO_PARAMS : decodeParams(match.value, match.rawParams);
}

/**
 * Decodes the parameters of a matched route.
 *
 * @param raw - Parameter values, still percent-encoded.
 * @returns An object without a prototype, so `__proto__` is an ordinary name.
 */
export function decodeParams(
  { names, endsInWildcard }: Pick<MatchedRoute, 'names' | 'endsInWildcard'>,
  raw: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  const wildcard = endsInWildcard ? names.length - 1 : -1;
  for (let index = 0; index < names.length; index += 1) {
    const decode = index === wildcard ? decodeWildcard : decodeParameter;
    params[names[index] ?? ''] = decode(raw[index] ?? '');
  }
  return params;
}

/**
 * Returns the first value of each query parameter.
 *
 * @returns An object without a prototype, so `__proto__` is an ordinary name.
 */
export function firstValues(searchParams: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of searchParams) query[name] ??= value;
  return query;
}

/** Creates a controller that aborts when the connection closes before the response is complete. */
function abortOnClose(res: ServerResponse): AbortController {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.destroyed) abort();
  else res.once('close', abort);
  return controller;
}

function assertStatus(name: string, status: number, min: number, max: number): void {
  if (Number.isInteger(status) && status >= min && status <= max) return;
  throw new RangeError(`Invalid ${name}: ${String(status)}. Use an integer from ${min} to ${max}.`);
}

/** Serializes a value, and throws a TypeError where `JSON.stringify` returns undefined. */
function toJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text !== undefined) return text;
  throw new TypeError(
    `Cannot serialize ${typeof value} as JSON. Pass a value that JSON can represent.`,
  );
}
