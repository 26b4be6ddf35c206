import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { describeValue, setWithin } from '@fairlead/options';
import { explainOtherCopy, markCopy } from './copies.js';
import {
  HttpError,
  InternalServerError,
  isHttpError,
  UnsupportedMediaTypeError,
  type ValidationStatus,
} from './errors/http-error.js';
import type { Problem } from './errors/problem.js';
import { after, isPromiseLike, type Next } from './next.js';
import {
  assertOpen,
  discard,
  type FinishListener,
  type HeaderValue,
  isBody,
  isComplete,
  isResponder,
  isResponse,
  outcomeOf,
  RESPONDER,
  RecordedResponse,
  type ResponseBody,
  type ResponseHeaders,
  recordResponse,
} from './response.js';
import { serialize } from './serialize.js';
import { connectionOf, onClose, sendContinue } from './server/connection.js';
import type { ClientReader } from './server/proxy.js';
import { takeUpgrade, type UpgradedConnection } from './server/upgrade.js';
import {
  decodeParameter,
  decodeWildcard,
  encodeLocation,
  parseTarget,
  type Target,
} from './target.js';

/** Data that the functions of one request share. Augment this interface to declare members. */
export interface State {
  [key: string]: unknown;
}

/** Decoded route parameters by name. */
export type Params = Readonly<Record<string, string>>;

/** The types of the inputs that the functions of a route read, and of the response that they send. */
export interface RequestInputs {
  /** Type of `ctx.query`. */
  readonly query: unknown;
  /** Type of `ctx.headers`. */
  readonly headers: unknown;
  /** Type of `ctx.body`. */
  readonly body: unknown;
  /** Type of the values that `ctx.json()` accepts. */
  readonly response: unknown;
}

/** The {@link RequestInputs} of a request that no schema has validated. */
export interface RawInputs {
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly response: unknown;
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
  /** What the parsers before a handler that reads the body accept; empty if unknown. */
  readonly mediaTypes: readonly string[];
  /** Serializes responses of the route as JSON; undefined for routes without a response schema. */
  readonly write?: RouteWriter | undefined;
  /** Whether a response with a status may have no body. Undefined for routes without a response schema. */
  readonly mayBeEmpty?: ((status: number) => boolean) | undefined;
}

/**
 * Serializes a response of a route as JSON.
 *
 * @param status - The status of the response.
 * @param stringify - What the caller passed to `ctx.json()`.
 */
export type RouteWriter = (
  value: unknown,
  status: number,
  stringify: ((value: unknown) => string) | undefined,
) => string;

/** The route that matches a request. */
export interface RouteMatch {
  readonly value: MatchedRoute;
  /** Parameter values, still percent-encoded. */
  readonly rawParams: readonly string[];
}

/** Access to a context's private members for the other modules of core. */
export interface ContextInternals {
  /**
   * Checks that a context belongs to this copy of core.
   *
   * @param user - The call that needs the context's private members, for the message.
   * @throws {InternalServerError} 500 `MIXED_COPIES`, when another copy has created the context.
   * @throws {TypeError} When the value is not a context.
   */
  assertOwn(user: string, ctx: Context): void;
  /** Makes `ctx.next()` call `next`. */
  enterStep(ctx: Context, next: Next): void;
  /** Sets the route that matches the request. */
  setMatch(ctx: Context, match: RouteMatch): void;
  /** Adds the parameters of a matching prefix of middleware. */
  addPrefixParams(ctx: Context, params: Params): void;
  /** Replaces the parameters, the query or the headers with the output of a schema. */
  setInput(ctx: Context, source: 'param' | 'query' | 'header', value: unknown): void;
  /** Returns the parsed body without checking that it was read. */
  bodyOf(ctx: Context): unknown;
  /** Returns the media types that the parsers before the matched route accept; empty if unknown. */
  mediaTypesOf(ctx: Context): readonly string[];
  /** Returns how errors become responses: the policy of the outermost error handler or the application. */
  errorPolicyOf(ctx: Context): ErrorPolicy;
  /** Replaces the application's policy, unless an outer error handler already has. */
  setErrorPolicy(ctx: Context, policy: ErrorPolicy): void;
  /** Sets `ctx.rawBody`. */
  setRawBody(ctx: Context, bytes: Buffer): void;
  /** Aborts `ctx.signal`. */
  abortSignal(ctx: Context, reason: unknown): void;
  /** Returns the recorded response. */
  responseOf(ctx: Context): RecordedResponse;
  /** Whether nothing has responded, or the response lacks a body that it requires. */
  isUnanswered(ctx: Context): boolean;
  /** Whether the schema of the matched route requires the body that the response lacks. */
  lacksBody(ctx: Context): boolean;
  /** Returns the parsed request target. */
  targetOf(ctx: Context): Target;
  /** Returns the methods of the routes that match the path. */
  allowedMethods(ctx: Context): ReadonlySet<string>;
}

/** Bodies that a parser with `rawBody` has read. A private field would cost every request. */
const rawBodies = new WeakMap<Context, Buffer>();

/** Access to a context's private members for the other modules of core. */
export let internals: ContextInternals;

/**
 * Returns the body for an error, in a format that you choose. The status and the headers of the error are
 * already set. The body is sent as `application/json`, unless the function sets another `Content-Type` or
 * responds through `ctx`.
 *
 * @param problem - The standard body, without hidden messages.
 * @param error - The thrown value. Do not send parts of it to clients unless `problem` has them.
 * @returns A JSON value; undefined for `problem` itself.
 */
export type ErrorFormatter = (problem: Problem, error: unknown, ctx: Context) => unknown;

/** How the errors of a request become responses. */
export interface ErrorPolicy {
  /** Whether error bodies include stacks. */
  readonly includeStack: boolean;
  /** Called with errors whose message is hidden from the client. */
  readonly onError: (error: unknown, ctx: Context) => void;
  /** Returns the body for an error; undefined for the problem itself. */
  readonly format: ErrorFormatter | undefined;
}

/** A value that determines how it is sent when a handler returns it. */
export interface Responder {
  readonly [RESPONDER]: {
    /** Records the response. */
    respond(ctx: Context): void;
    /** Frees what the value holds open. Called when another response is sent. */
    discard(): void;
  };
}

/** What all requests of an application share. */
export interface ContextEnvironment {
  readonly app: object;
  readonly routes: RouteTable;
  readonly errors: ErrorPolicy;
  readonly readClient: ClientReader;
  /** Returns a signal that aborts when the application closes. */
  closing(): AbortSignal;
  /** Status of requests that schemas reject. */
  readonly validationStatus: ValidationStatus;
}

/**
 * One request and its response. The response is recorded here and sent once the pipeline has run, so
 * middleware can still change it after `await next()`.
 *
 * @typeParam P - Type of `ctx.params`.
 * @typeParam S - Members of `ctx.state` that middleware has set.
 * @typeParam I - Types of the other inputs and of the response, which schemas of the route determine.
 */
export class Context<
  P extends object = Params,
  S extends State = State,
  I extends RequestInputs = RawInputs,
> {
  /** The node:http request. */
  readonly req: IncomingMessage;

  /** The node:http response, for reading. Call {@link takeOver} to write to it. */
  readonly res: ServerResponse;

  readonly #target: Target;
  readonly #environment: ContextEnvironment;
  readonly #response = new RecordedResponse();
  #errors: ErrorPolicy;
  #body: unknown = undefined;
  #next: Next = outsideMiddleware;
  #match: RouteMatch | undefined = undefined;
  #params: object | undefined = undefined;
  #prefixParams: Params | undefined = undefined;
  #searchParams: URLSearchParams | undefined = undefined;
  #query: unknown = undefined;
  #headers: unknown = undefined;
  #state: State | undefined = undefined;
  #controller: AbortController | undefined = undefined;

  static {
    markCopy(Context.prototype);
    internals = {
      assertOwn: (user, ctx) => {
        if (!(#response in ctx)) throw foreignContext(user, ctx);
      },
      enterStep: (ctx, next) => {
        ctx.#next = next;
      },
      setMatch: (ctx, match) => {
        ctx.#match = match;
        ctx.#params = undefined;
      },
      addPrefixParams: (ctx, params) => {
        ctx.#prefixParams = { ...ctx.#prefixParams, ...params };
        ctx.#params = undefined;
      },
      setInput: (ctx, source, value) => {
        if (source === 'param') ctx.#params = value as object;
        else if (source === 'query') ctx.#query = value;
        else ctx.#headers = value;
      },
      setRawBody: (ctx, bytes) => {
        rawBodies.set(ctx, bytes);
      },
      abortSignal: (ctx, reason) => {
        ctx.#controller ??= abortOnClose(ctx.res);
        ctx.#controller.abort(reason);
      },
      responseOf: (ctx) => ctx.#response,
      // Most responses have a body, so that is first.
      isUnanswered: (ctx) =>
        !ctx.#response.isFilled &&
        !ctx.res.headersSent &&
        (!ctx.#response.isRecorded || internals.lacksBody(ctx)),
      lacksBody: (ctx) =>
        !ctx.#response.isFilled &&
        !ctx.res.headersSent &&
        ctx.method !== 'HEAD' &&
        ctx.#match?.value.mayBeEmpty?.(ctx.status) === false,
      targetOf: (ctx) => ctx.#target,
      allowedMethods: (ctx) => ctx.#environment.routes.methods(ctx.path),
      bodyOf: (ctx) => ctx.#body,
      mediaTypesOf: (ctx) => ctx.#match?.value.mediaTypes ?? [],
      errorPolicyOf: (ctx) => ctx.#errors,
      setErrorPolicy: (ctx, policy) => {
        if (ctx.#errors === ctx.#environment.errors) ctx.#errors = policy;
      },
    };
  }

  constructor(req: IncomingMessage, res: ServerResponse, environment: ContextEnvironment) {
    this.req = req;
    this.res = res;
    this.#environment = environment;
    this.#errors = environment.errors;
    this.#target = parseTarget(this.method, req.url ?? '');
  }

  /** The application that handles the request. Use it, for example, as the key of a `WeakMap`. */
  get app(): object {
    return this.#environment.app;
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
   * Decoded parameters of the route and of middleware prefixes, by name, in an object without a prototype.
   * Before a route matches, only those of the prefixes. A wildcard's value keeps `%2F`, so each of its
   * slashes is a slash of the path. In a handler whose route has a schema for them, what the schema produced.
   */
  get params(): P {
    this.#params ??= paramsOf(this.#match, this.#prefixParams);
    // The pattern of the route determines both the names and P.
    return this.#params as P;
  }

  /**
   * The first value of each query parameter, in an object without a prototype. In a handler whose route
   * has a schema for the query, what the schema produced.
   */
  get query(): I['query'] {
    this.#query ??= firstValues(this.searchParams);
    return this.#query;
  }

  /** All query parameters. */
  get searchParams(): URLSearchParams {
    this.#searchParams ??= new URLSearchParams(`?${this.#target.search}`);
    return this.#searchParams;
  }

  /**
   * Request headers by lower-case name. In a handler whose route has a schema for the headers, what the
   * schema produced.
   */
  get headers(): I['headers'] {
    return this.#headers ?? this.req.headers;
  }

  /**
   * The client's IP address: the peer address of the connection, or the address that a trusted `proxy`
   * reports. An IPv4-mapped IPv6 address is converted to IPv4. Empty when the connection has no address, as
   * on a Unix socket or after the client has disconnected.
   */
  get ip(): string {
    return this.#environment.readClient(this.req).ip;
  }

  /**
   * The protocol that the client uses: the protocol of the connection, or the one that a trusted `proxy`
   * reports.
   */
  get protocol(): 'http' | 'https' {
    return this.#environment.readClient(this.req).protocol;
  }

  /**
   * The host that the client requests, with the port if the client names one. It comes from a trusted
   * `proxy`, an absolute request target or the `Host` header. Empty if none of them has a host. A client can
   * send any host.
   */
  get host(): string {
    return this.#environment.readClient(this.req).host;
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

  /**
   * The bytes of the request body, after content decoding. Undefined unless a body parser with the option
   * `rawBody` has read a body.
   */
  get rawBody(): Buffer | undefined {
    return rawBodies.get(asContext(this));
  }

  /** Data that the middleware, guards and handler of this request share. */
  get state(): S {
    this.#state ??= {};
    // S lists what the middleware before this function has set.
    return this.#state as S;
  }

  /**
   * The parsed request body; undefined without a body. Before a route matches, it is also undefined
   * for a body that no parser has read. In a handler whose route has a schema for the body, what the
   * schema produced.
   *
   * @throws {UnsupportedMediaTypeError} 415 `BODY_NOT_READ`, within a route, when the client sent a body
   *   that no parser has read. To write a parser, check `ctx.hasBody` instead.
   */
  get body(): I['body'] {
    if (this.#body === undefined && this.pattern !== undefined) this.#assertBodyRead();
    return this.#body;
  }

  set body(body: unknown) {
    this.#body = body;
  }

  #assertBodyRead(): void {
    const { res } = this;
    // Error handlers and loggers may read the body after the response was recorded.
    if (this.#response.body !== undefined || res.headersSent || !hasUnreadBody(this)) return;
    const type = this.get('Content-Type');
    if (type !== undefined && JSON_TYPE.test(type)) throw noParser(type);
    const body =
      type === undefined ? 'a body without a Content-Type' : `the body of type '${type}'`;
    throw new UnsupportedMediaTypeError(
      `Cannot read ${body}. Send a supported media type, such as application/json.`,
      { code: 'BODY_NOT_READ' },
    );
  }

  /** Aborts when the client disconnects before the response is complete. */
  get signal(): AbortSignal {
    this.#controller ??= abortOnClose(this.res);
    return this.#controller.signal;
  }

  /**
   * Calls a function once, when the whole response has been handed to the operating system or its connection
   * has closed. If that has already happened, calls it immediately. Listeners run in the order in which they
   * were added. An error that a listener throws goes to `onError`, and does not affect the other listeners.
   *
   * @param listener - Receives the status, whether the response was aborted, and the error that caused it.
   */
  onFinish(listener: FinishListener): void {
    const { res } = this;
    if (res.closed) this.#finish([listener]);
    else if (this.#response.finishListeners === undefined) {
      const listeners = [listener];
      this.#response.finishListeners = listeners;
      onClose(res, () => this.#finish(listeners));
    } else this.#response.finishListeners.push(listener);
  }

  #finish(listeners: readonly FinishListener[]): void {
    const outcome = outcomeOf(this.#response, this.res);
    const report = (error: unknown): void => this.#errors.onError(error, asContext(this));
    for (const listener of listeners) {
      try {
        const result: unknown = listener(outcome);
        if (isPromiseLike(result)) Promise.resolve(result).catch(report);
      } catch (error) {
        report(error);
      }
    }
  }

  /**
   * Aborts when the server starts closing or, for a call without a socket, when the application closes.
   * End long-lived responses then, so that the shutdown does not wait for its deadline.
   */
  get closing(): AbortSignal {
    return connectionOf(this.req.socket)?.closing ?? this.#environment.closing();
  }

  /** The response status; 200 by default. */
  get status(): number {
    return this.#response.status ?? 200;
  }

  /**
   * @throws {RangeError} When the value is not an integer from 200 to 599.
   * @throws {TypeError} When the headers of a streamed response were sent.
   */
  set status(status: number) {
    assertStatus('ctx.status', status, 200, 599);
    assertOpen(this.#response.headers, 'the status');
    this.#response.status = status;
  }

  /** Status for a request that a schema rejects. @see The option `validationStatus` of `createApp()`. */
  get validationStatus(): ValidationStatus {
    return this.#environment.validationStatus;
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
   * Whether {@link takeOver} was called, and no body has been recorded since. If so, response headers that
   * are set on the context are not sent.
   */
  get takenOver(): boolean {
    return this.#response.takenOver;
  }

  /**
   * Returns a request header, or undefined. Joins repeated headers with `, `.
   *
   * @param name - Case-insensitive.
   */
  get(name: string): string | undefined {
    // Inherited members, such as `constructor`, are not strings.
    const value: unknown = this.req.headers[lowerCaseOf(name)];
    if (typeof value === 'string') return value;
    return Array.isArray(value) ? value.join(', ') : undefined;
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
   * @throws {TypeError} When the name is not a token, the value contains a control character, or it has
   *   another type, such as undefined; or when the headers of a streamed response were sent.
   */
  set(name: string, value: HeaderValue): void {
    this.#response.headers.set(name, value);
  }

  /**
   * Adds a value to a response header.
   *
   * @throws {TypeError} Same as {@link set}.
   */
  append(name: string, value: string | readonly string[]): void {
    this.#response.headers.append(name, value);
  }

  /**
   * Responds with JSON. Serializes the value immediately, so later changes to it have no effect. Removes what
   * the response schema of the route does not describe, according to the current status.
   *
   * @param value - What the response schema of the route produces, if it has one.
   * @param stringify - Serializes the value, such as a serializer compiled from a JSON Schema. By default,
   *   the compiled serializer of the route's response schema, or else `JSON.stringify`.
   * @throws {TypeError} When JSON cannot represent the value, such as a cycle, a BigInt or undefined, or
   *   would write an object as `{}`, such as a Map, an Error or a promise.
   */
  json<T extends I['response']>(value: T, stringify?: (value: T) => string): void {
    const write = this.#match?.value.write;
    let text: string;
    try {
      text =
        write === undefined
          ? serialize(value, stringify)
          : write(value, this.status, stringify as ((value: unknown) => string) | undefined);
    } catch (cause) {
      throw isHttpError(cause) ? cause : notJson(asContext(this), cause);
    }
    this.#record(text, 'application/json; charset=utf-8');
  }

  /** Responds with an HTML document. Escape user input before you pass it. */
  html(text: string): void {
    this.#record(text, 'text/html; charset=utf-8');
  }

  /**
   * Responds with text, bytes or a stream. `Content-Type` defaults to `text/plain` for text, to the type
   * of a `Blob`, and to `application/octet-stream` otherwise.
   *
   * If a stream fails before its first bytes, an error response is sent, after middleware has finished. If a
   * stream fails later, the connection is closed.
   *
   * @throws {TypeError} When `body` has another type.
   */
  send(body: ResponseBody): void {
    if (typeof body !== 'string' && !isBody(body)) {
      const received = `ctx.send() received ${describeValue(body)}`;
      throw new TypeError(`${received}. Pass text, bytes or a stream, or call ctx.json(value).`);
    }
    this.#record(body, typeof body === 'string' ? 'text/plain; charset=utf-8' : OCTET_STREAM);
  }

  /**
   * Responds with a value as if a handler had returned it. If a body is already recorded, it stays, and a
   * stream passed here is destroyed.
   *
   * - Undefined does nothing.
   * - Bytes, Node.js and web streams, a `Blob` and async iterables become the body, as with {@link send}.
   * - A web `Response` replaces the status, and adds its headers and body.
   * - The result of `eventStream()` is sent as with `sendEvents()`.
   * - Every other value, strings included, becomes JSON, as with {@link json}.
   *
   * @param stringify - Serializes JSON values, as for {@link json}.
   * @throws {TypeError} When JSON cannot represent the value, `Content-Type` was set to a type that is not
   *   JSON, or the body of a `Response` was read.
   */
  respond<T>(value: T, stringify?: (value: T) => string): void {
    if (value === undefined) return;
    if (this.#response.isFilled || this.#response.isSent || this.res.headersSent) {
      const { isSent, isFinal } = this.#response;
      // Interceptors may wrap the absent result of a method that has upgraded the connection.
      if (isSent && !isFinal) reportLate(asContext(this), this.#errors);
      if (isResponder(value)) (value as Responder)[RESPONDER].discard();
      else if (value !== this.#response.body) discard(value);
      return;
    }
    if (isResponder(value)) (value as Responder)[RESPONDER].respond(asContext(this));
    else if (isBody(value)) this.send(value);
    else if (isResponse(value)) recordResponse(this.#response, value);
    else {
      this.json(value, stringify);
      if (this.#response.defaultType === undefined) this.#assertJsonType(value);
    }
  }

  /** Discards a response whose type contradicts its body. */
  #assertJsonType(value: unknown): void {
    const type = String(this.responseHeaders.get('Content-Type'));
    if (JSON_RESPONSE_TYPE.test(type)) return;
    this.#response.reset();
    throw notOfType(asContext(this), type, value);
  }

  /**
   * Replaces the recorded body with another form of it, such as a compressed one. Keeps the status and the
   * headers, except `Content-Length`, which becomes that of the new body. Set the headers that describe the
   * new form, such as `Content-Encoding`, afterwards. The new body may be a stream that reads the old one.
   *
   * Destroys the new body if no body was recorded, or the response was taken over, timed out or sent.
   *
   * @returns Whether the new body replaces the old one.
   * @throws {TypeError} When `body` is not text, bytes or a stream.
   */
  replaceBody(body: ResponseBody): boolean {
    if (typeof body !== 'string' && !isBody(body)) {
      const received = `ctx.replaceBody() received ${describeValue(body)}`;
      throw new TypeError(`${received}. Pass text, bytes or a stream.`);
    }
    if (!this.res.headersSent) return this.#response.replace(body);
    if (body !== this.#response.body) discard(body);
    return false;
  }

  /**
   * Responds with a redirect and an empty body.
   *
   * @param url - Value of `Location`: absolute or relative. Characters that the header cannot carry are
   *   percent-encoded. Existing escapes stay as they are, so encode user input before you add it.
   * @param status - An integer from 300 to 399.
   * @throws {TypeError} When `url` contains a control character.
   * @throws {RangeError} When `status` is out of range.
   */
  redirect(url: string, status = 302): void {
    assertStatus('redirect status', status, 300, 399);
    this.set('Location', encodeLocation(url));
    this.#record('', undefined);
    this.status = status;
  }

  #record(body: ResponseBody, type: string | undefined): void {
    if (this.#response.isSent) reportLate(asContext(this), this.#errors);
    this.#response.record(body, type);
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

  /**
   * Takes over the connection of a WebSocket handshake, for a library that implements the protocol. The
   * library sends `101 Switching Protocols`. The request lasts until the connection closes: `ctx.signal`
   * aborts and listeners of `onFinish` run at that point, with status 101.
   *
   * @throws {HttpError} 426 `UPGRADE_REQUIRED`, when the request is not a WebSocket handshake.
   * @throws {TypeError} When a response was sent, or the connection has already been taken over.
   * @see RFC 6455 §4.2, RFC 9110 §15.5.22
   */
  upgrade(): UpgradedConnection {
    if (this.#response.isFinal || this.#response.isSent || this.res.headersSent) {
      throw new TypeError(
        `Cannot upgrade the connection of ${this.method} ${this.path}: its response was sent. Call ctx.upgrade() once, before the response.`,
      );
    }
    const upgraded = takeUpgrade(this.res);
    if (upgraded === undefined) {
      throw new HttpError(426, 'This resource needs a WebSocket connection.', {
        code: 'UPGRADE_REQUIRED',
        headers: { Upgrade: 'websocket', Connection: 'close, Upgrade' },
      });
    }
    this.#response.upgrade();
    return upgraded;
  }

  /**
   * Passes an error to `onError` of the error handler. Use it for work that continues after the response,
   * such as a WebSocket connection, because there is no request left to fail.
   */
  report(error: unknown): void {
    this.#errors.onError(error, asContext(this));
  }
}

/** Hides the types that schemas give to a context, for functions that take any context. */
function asContext<P extends object, S extends State, I extends RequestInputs>(
  ctx: Context<P, S, I>,
): Context {
  return ctx as object as Context;
}

/** Matches a `Content-Type` that `json()` reads. */
export const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i;

/** Matches a `Content-Type` of JSON in a response. @see RFC 6839 §3.1 for the suffix */
const JSON_RESPONSE_TYPE = /^[\w.+-]+\/(?:[^;\s]+\+)?json\s*(?:;|$)/i;

/** Creates the error for a JSON body that nothing parses, which is a mistake of the application. */
export function noParser(type: string): UnsupportedMediaTypeError {
  const cause = new Error('No middleware parses JSON before this route. Add app.use(json()).');
  const options = { code: 'BODY_NOT_READ', report: true, cause };
  return new UnsupportedMediaTypeError(`Cannot read the body of type '${type}'.`, options);
}

/** Whether the client sends a body that nothing has read. */
export function hasUnreadBody({ hasBody, req }: Pick<AnyContext, 'hasBody' | 'req'>): boolean {
  // An empty body that was read has ended without emitting data.
  return hasBody && !req.readableDidRead && !req.readableEnded;
}

/** A context whose parameters, query, headers and body may be what schemas produced. */
export type AnyContext = Context<object, State, RequestInputs>;

/** Default `Content-Type` of bytes and streams. */
const OCTET_STREAM = 'application/octet-stream';

/** Lower-case names of headers. An application asks for few, and V8 finds these in 25 ns instead of 90. */
const lowerCaseNames = new Map<string, string>();

const MAX_LOWER_CASE_NAMES = 256;

function lowerCaseOf(name: string): string {
  const known = lowerCaseNames.get(name);
  if (known !== undefined) return known;
  const lowerCase = name.toLowerCase();
  setWithin(lowerCaseNames, MAX_LOWER_CASE_NAMES, name, lowerCase);
  return lowerCase;
}

function outsideMiddleware(): never {
  throw new TypeError(
    'ctx.next() was called outside middleware. Call it while a middleware handles the request.',
  );
}

const NO_PARAMS: Params = Object.freeze(Object.create(null));

function paramsOf(match: RouteMatch | undefined, ofPrefixes: Params | undefined): Params {
  const params = match === undefined ? NO_PARAMS : decodeParams(match.value, match.rawParams);
  return ofPrefixes === undefined ? params : Object.assign(Object.create(null), ofPrefixes, params);
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
  // V8 keeps an object of `Object.create(null)` as a hash table. A request then takes 1 µs longer.
  const params: Record<string, string> = Object.setPrototypeOf({}, null);
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
  if (!res.destroyed) {
    onClose(res, () => {
      if (!isComplete(res)) controller.abort();
    });
  } else if (!res.writableFinished) controller.abort();
  return controller;
}

function assertStatus(name: string, status: number, min: number, max: number): void {
  if (Number.isInteger(status) && status >= min && status <= max) return;
  throw new RangeError(`Invalid ${name}: ${String(status)}. Use an integer from ${min} to ${max}.`);
}

/** Creates the error for a context from another copy of core, and for a value that is not a context. */
function foreignContext(user: string, ctx: unknown): Error {
  const reason = explainOtherCopy(ctx);
  return reason === undefined
    ? new TypeError(`${user} received ${describeValue(ctx)} instead of a context. Pass it ctx.`)
    : new InternalServerError(`${user} cannot use the context of the request. ${reason}`, {
        code: 'MIXED_COPIES',
      });
}

/** Creates the error for a value that cannot be serialized. */
function notJson({ method, pattern, path }: Context, cause: unknown): TypeError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const fix = reason.includes('BigInt') ? '. Convert it, as in String(id).' : '';
  return new TypeError(
    `Cannot send the response body of ${method} ${pattern ?? path} as JSON: ${reason}${fix}`,
    {
      cause,
    },
  );
}

/** Creates the error for a returned value that would be sent as JSON with another type. */
function notOfType({ method, pattern, path }: Context, type: string, value: unknown): TypeError {
  const returned = typeof value === 'string' ? 'the text' : 'the value, formatted as text,';
  return new TypeError(
    `Cannot send the body of ${method} ${pattern ?? path} as JSON: its Content-Type is '${type}'. Pass ${returned} to ctx.send(), or do not set the header.`,
  );
}

/** Reports a response that was recorded too late to be sent. */
function reportLate(ctx: Context, { onError }: ErrorPolicy): void {
  const error = new Error(
    `A response to ${ctx.method} ${ctx.pattern ?? ctx.path} came after the response was sent. Await or return every promise, including that of next().`,
  );
  Error.captureStackTrace(error, reportLate);
  onError(error, ctx);
}
