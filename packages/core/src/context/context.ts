import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { after } from './after.js';
import { Answer, type ResponseBody } from './answer.js';
import { assertStatus } from './assert-status.js';
import { sendContinue } from './expectation.js';
import { hasBody } from './has-body.js';
import type { ContextInternals } from './internals.js';
import { type Next, outsideOfPipeline } from './next.js';
import { paramsOf } from './params.js';
import { firstValues } from './query.js';
import { readHeader } from './read-header.js';
import type { HeaderValue, ResponseHeaders } from './response-headers.js';
import type { RouteMatch, RouteTable } from './route-match.js';
import { abortOnClose } from './signal.js';
import type { State } from './state.js';
import { parseTarget, type Target } from './target.js';
import { toJson } from './to-json.js';

/** What core's own modules do with a context beside its public members. */
export let internals: ContextInternals;

/**
 * One request and its answer. The answer is recorded here and written once, after the pipeline has
 * run, so that middleware can still change it after `await next()`.
 */
export class Context {
  /** The request as node:http gives it. */
  readonly req: IncomingMessage;

  /** The response as node:http gives it, for reading. To write to it, call {@link takeOver}. */
  readonly res: ServerResponse;

  /** Body of the request once a parser such as `json()` has read it; undefined when there is none. */
  body: unknown = undefined;

  readonly #target: Target;
  readonly #routes: RouteTable;
  readonly #answer = new Answer();
  #next: Next = outsideOfPipeline;
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
      answerOf: (ctx) => ctx.#answer,
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

  /** Request method, in upper case. */
  get method(): string {
    return this.req.method ?? '';
  }

  /**
   * Path of the request, percent-encoded, in the one form that the router matches.
   *
   * @see RFC 3986 §6.2.2
   */
  get path(): string {
    return this.#target.path;
  }

  /** Full pattern of the route that matched, with its prefixes; undefined before one has. */
  get pattern(): string | undefined {
    return this.#match?.value.pattern;
  }

  /**
   * Decoded route parameters by name: an object without prototype, empty before a route has matched.
   * A wildcard's value keeps `%2F`: each of its slashes is a slash of the path.
   */
  get params(): Readonly<Record<string, string>> {
    this.#params ??= paramsOf(this.#match);
    return this.#params;
  }

  /** The first value of each query parameter: an object without prototype. */
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

  /** Whether the request carries a body, by its framing. */
  get hasBody(): boolean {
    return hasBody(this.req);
  }

  /** Data that the middleware, guards and handler of this request share. */
  get state(): State {
    this.#state ??= {};
    return this.#state;
  }

  /** Aborts when the client goes away before the response is complete. */
  get signal(): AbortSignal {
    this.#controller ??= abortOnClose(this.res);
    return this.#controller.signal;
  }

  /** Status of the response: 200 until it is set. */
  get status(): number {
    return this.#answer.status ?? 200;
  }

  /** @throws {RangeError} When it is not an integer from 200 to 599. */
  set status(status: number) {
    assertStatus('ctx.status', status, 200, 599);
    this.#answer.status = status;
  }

  /** Headers of the response. */
  get responseHeaders(): ResponseHeaders {
    return this.#answer.headers;
  }

  /** Body recorded for the response, a web stream as a `Readable`; undefined until there is one. */
  get responseBody(): ResponseBody | undefined {
    return this.#answer.body;
  }

  /** Whether a body or a status was set, or the raw response was taken over or written to. */
  get answered(): boolean {
    return this.#answer.given || this.res.headersSent;
  }

  /**
   * Reads a request header.
   *
   * @param name - In any case.
   * @returns Its value; several lines of one header are joined by `, `.
   */
  get(name: string): string | undefined {
    return readHeader(this.req.headers, name);
  }

  /**
   * The request's body as it comes over the wire, for a parser of its own; nobody else may have read
   * it. A client that asked for `100 Continue` is sent it now.
   */
  bodyStream(): IncomingMessage {
    sendContinue(this.req, this.res);
    return this.req;
  }

  /**
   * Sets a response header in place of any earlier value.
   *
   * @throws {TypeError} When the name is not a token or the value holds a control character.
   */
  set(name: string, value: HeaderValue): void {
    this.#answer.headers.set(name, value);
  }

  /** Adds a value to a response header. @throws {TypeError} As {@link set}. */
  append(name: string, value: string | readonly string[]): void {
    this.#answer.headers.append(name, value);
  }

  /**
   * Answers with JSON. The value is written out now: later changes to it are not seen.
   *
   * @param stringify - Writes the value, as the compiled writer of a JSON Schema does;
   *   `JSON.stringify` by default.
   * @throws {TypeError} When JSON cannot write it: a cycle, a BigInt, undefined, a function.
   */
  json<T>(value: T, stringify: (value: T) => string = toJson): void {
    this.#answer.record(stringify(value), 'application/json; charset=utf-8');
  }

  /** Answers with an HTML document. Escape what users typed before it gets here. */
  html(text: string): void {
    this.#answer.record(text, 'text/html; charset=utf-8');
  }

  /**
   * Answers with text, bytes or a stream: as `text/plain` or `application/octet-stream`, unless a
   * `Content-Type` was set before.
   */
  send(body: ResponseBody): void {
    const isText = typeof body === 'string';
    this.#answer.record(body, isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  }

  /**
   * Answers with a redirect and an empty body.
   *
   * @param url - Value of `Location`: absolute or relative, percent-encoded.
   * @param status - An integer from 300 to 399.
   * @throws {TypeError} When `url` holds a control character.
   * @throws {RangeError} When `status` is not a redirect's.
   */
  redirect(url: string, status = 302): void {
    assertStatus('ctx.redirect()', status, 300, 399);
    this.set('Location', url);
    this.#answer.record('', undefined);
    this.status = status;
  }

  /**
   * Runs what comes after the current middleware; the same as its `next` argument. Await it: until
   * it has settled, a further call belongs to the middleware below.
   *
   * @throws {NextCalledTwiceError} 500, when the middleware has called it already.
   */
  next(): void | Promise<void> {
    const step = this.#next;
    const restore = () => {
      this.#next = step;
    };
    return after(step, restore, restore);
  }

  /** Takes the raw response over (`hijack` in Fastify): the caller writes and ends it. */
  takeOver(): ServerResponse {
    this.#answer.takenOver = true;
    return this.res;
  }
}
