import type { IncomingMessage, ServerResponse } from 'node:http';
import { DESCRIPTOR, descriptionOf, roleOf } from '../annotations/description.js';
import { isHttpError, type ValidationStatus } from '../errors/http-error.js';
import { after } from '../exchange/after-next.js';
import { isOfClient } from '../exchange/disconnection.js';
import {
  assertStatus,
  clientOf,
  closingOf,
  EXCHANGE,
  type Exchange,
  type FinishListener,
  firstValues,
  hasBody,
  hasUnreadBody,
  type Params,
  type RawInputs,
  type RequestInputs,
  type State,
} from '../exchange/exchange.js';
import { decodeParams, paramsOf } from '../exchange/params.js';
import { startReports } from '../response/failures.js';
import {
  appendHeader,
  encodeLocation,
  type HeaderValue,
  headersSent,
  lowerCaseOf,
  ResponseHeaders,
  setHeader,
} from '../response/headers.js';
import {
  assertBody,
  discardUnsent,
  isBody,
  isResponse,
  type ResponseBody,
  record,
  recordResponse,
  replaceBody,
  upgrade,
} from '../response/record.js';
import { JSON_TYPE, jsonTypeOf } from '../response/rewrite-json.js';
import { assertWritten, ignoreRejections } from '../response/serialize-json.js';
import { recordText } from '../response/write.js';
import { announce, sendContinue } from '../server/connection.js';
import { checkCaller } from '../server/in-process.js';
import type { UpgradedConnection } from '../server/upgrade.js';
import { markCopy } from '../setup/package-copies.js';
import {
  assertBodyRead,
  assertJsonType,
  bodyAlreadyRead,
  lateResponse,
  notJson,
} from './context-errors.js';
import { abort, controllerOf, onOutcome } from './outcome.js';

import { createWebRequest } from './web-request.js';

/** The web requests that were read, which most requests never create. */
const webRequests = new WeakMap<object, Request>();

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
  /** @internal */
  declare readonly [EXCHANGE]: Exchange<Context>;

  static {
    markCopy(Context.prototype);
  }

  /** @internal */
  constructor(exchange: Exchange<Context>) {
    this[EXCHANGE] = exchange;
  }

  /** The node:http request. */
  get req(): IncomingMessage {
    const { req, res, isSilent } = this[EXCHANGE];
    if (isSilent) announce(req, res);
    return req;
  }

  /** The node:http response, for reading. Call {@link takeOver} to write to it. */
  get res(): ServerResponse {
    return this[EXCHANGE].res;
  }

  /** The application that handles the request. Use it, for example, as the key of a `WeakMap`. */
  get app(): object {
    return this[EXCHANGE].environment.app;
  }

  /** The request method, in upper case. */
  get method(): string {
    return this[EXCHANGE].method;
  }

  /** The request path, percent-encoded, in the normal form that the router matches. @see RFC 3986 §6.2.2 */
  get path(): string {
    return this[EXCHANGE].target.path;
  }

  /** Full pattern of the matched route, with its prefixes; undefined before a route matches. */
  get pattern(): string | undefined {
    return this[EXCHANGE].route?.pattern;
  }

  /**
   * Decoded parameters of the route and of middleware prefixes, by name, in an object without a prototype.
   * Before a route matches, only those of the prefixes. A wildcard's value keeps `%2F`, so each of its
   * slashes is a slash of the path. In a handler whose route has a schema for them, what the schema produced.
   */
  get params(): P {
    const exchange = this[EXCHANGE];
    const { route, rawParams, prefixParams } = exchange;
    exchange.params ??=
      route && prefixParams === undefined ? decodeParams(route, rawParams) : paramsOf(exchange);
    // The pattern of the route determines both the names and P.
    return exchange.params as P;
  }

  /**
   * The first value of each query parameter, in an object without a prototype. In a handler whose route
   * has a schema for the query, what the schema produced.
   */
  get query(): I['query'] {
    const exchange = this[EXCHANGE];
    exchange.query ??= firstValues(this.searchParams);
    return exchange.query;
  }

  /** All query parameters. */
  get searchParams(): URLSearchParams {
    const exchange = this[EXCHANGE];
    exchange.searchParams ??= new URLSearchParams(`?${exchange.target.search}`);
    return exchange.searchParams;
  }

  /**
   * Request headers by lower-case name. In a handler whose route has a schema for the headers, what the
   * schema produced.
   */
  get headers(): I['headers'] {
    const { requestHeaders, req } = this[EXCHANGE];
    return requestHeaders ?? req.headers;
  }

  /**
   * The client's IP address: the peer address of the connection, or the address that a trusted `proxy`
   * reports. An IPv4-mapped IPv6 address is converted to IPv4. Empty when the connection has no address, as
   * on a Unix socket or after the client has disconnected.
   */
  get ip(): string {
    const { ip } = clientOf(this[EXCHANGE]);
    checkCaller(ip, this.req);
    return ip;
  }

  /**
   * The protocol that the client uses: the protocol of the connection, or the one that a trusted `proxy`
   * reports.
   */
  get protocol(): 'http' | 'https' {
    return clientOf(this[EXCHANGE]).protocol;
  }

  /**
   * The host that the client requests, with the port if the client names one. It comes from a trusted
   * `proxy`, an absolute request target or the `Host` header. Empty if none of them has a host. A client can
   * send any host.
   */
  get host(): string {
    return clientOf(this[EXCHANGE]).host;
  }

  /**
   * The request as a web `Request`, for functions that take one. It has the body that the client sends, or the bytes
   * that a parser has kept with the option `rawBody`. Its signal is that of {@link signal}. To read its body after
   * another parser has, without these bytes, rejects with `BODY_ALREADY_READ`. Its `X-Forwarded-*` headers
   * state {@link ip}, {@link protocol} and {@link host}.
   */
  get request(): Request {
    const exchange = this[EXCHANGE];
    const present = webRequests.get(exchange);
    if (present !== undefined) return present;
    const { path } = exchange.target;
    const created = createWebRequest(exchange, { path, signal: controllerOf(exchange).signal });
    webRequests.set(exchange, created);
    return created;
  }

  /** Whether the request's headers announce a body. @see RFC 9112 §6 */
  get hasBody(): boolean {
    return hasBody(this[EXCHANGE].req);
  }

  /**
   * The bytes of the request body, after content decoding. Undefined unless a body parser has read a body that keeps
   * them: one with the option `rawBody`, or before middleware of `connect()`.
   */
  get rawBody(): Buffer | undefined {
    return this[EXCHANGE].rawBody;
  }

  /** Data that the middleware, guards and handler of this request share. */
  get state(): S {
    const exchange = this[EXCHANGE];
    exchange.state ??= {};
    return exchange.state as S;
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
    const { requestBody, route } = this[EXCHANGE];
    if (requestBody === undefined && route !== undefined) assertBodyRead(this[EXCHANGE]);
    return requestBody;
  }

  set body(body: unknown) {
    this[EXCHANGE].requestBody = body;
  }

  /** Aborts when the client disconnects before the response is complete, or with the error of {@link abort}. */
  get signal(): AbortSignal {
    return controllerOf(this[EXCHANGE]).signal;
  }

  /**
   * Calls a function once, when the whole response has been handed to the operating system or its connection
   * has closed. If that has already happened, calls it immediately. Listeners run in the order in which they
   * were added. An error that a listener throws goes to `onError`, and does not affect the other listeners.
   *
   * @param listener - Receives the status, whether the response was aborted, and the error that caused it.
   */
  onFinish(listener: FinishListener): void {
    onOutcome<Context>(this[EXCHANGE], this as object as Context, listener);
  }

  /**
   * Aborts when the server starts closing or, for a call without a socket, when the application closes.
   * End long-lived responses then, so that the shutdown does not wait for its deadline.
   */
  get closing(): AbortSignal {
    return closingOf(this[EXCHANGE]);
  }

  /** The response status; 200 by default. */
  get status(): number {
    return this[EXCHANGE].status ?? 200;
  }

  /**
   * @throws {RangeError} When the value is not an integer from 200 to 599.
   * @throws {TypeError} When the headers of a streamed response were sent.
   */
  set status(status: number) {
    assertStatus('ctx.status', status, 200, 599);
    const exchange = this[EXCHANGE];
    if (exchange.phase === 'streaming') throw headersSent('the status');
    if (exchange.phase === 'open') exchange.status = status;
  }

  /** Status for a request that a schema rejects. @see The option `validationStatus` of `createApp()`. */
  get validationStatus(): ValidationStatus {
    return this[EXCHANGE].environment.validationStatus;
  }

  /** The response headers. */
  get responseHeaders(): ResponseHeaders {
    return new ResponseHeaders(this[EXCHANGE]);
  }

  /** The recorded response body, with a web stream as a `Readable`; undefined until one is recorded. */
  get responseBody(): ResponseBody | undefined {
    return this[EXCHANGE].body;
  }

  /** Whether a body or a status was set, or the raw response was taken over or written to. */
  get answered(): boolean {
    const { status, body, takenOver, res } = this[EXCHANGE];
    return body !== undefined || status !== undefined || takenOver || res.headersSent;
  }

  /**
   * Whether {@link takeOver} was called, and no body has been recorded since. If so, response headers that
   * are set on the context are not sent.
   */
  get takenOver(): boolean {
    return this[EXCHANGE].takenOver;
  }

  /**
   * Returns a request header, or undefined. Joins repeated headers with `, `.
   *
   * @param name - Case-insensitive.
   */
  get(name: string): string | undefined {
    // Inherited members, such as `constructor`, are not strings.
    const value: unknown = this[EXCHANGE].req.headers[lowerCaseOf(name)];
    if (typeof value === 'string') return value;
    return Array.isArray(value) ? value.join(', ') : undefined;
  }

  /**
   * Returns the request body as a stream of raw bytes, for a custom parser. Sends `100 Continue` to a client that
   * waits for it.
   *
   * @throws {InternalServerError} 500 `BODY_ALREADY_READ`, when something else has read the body.
   */
  bodyStream(): IncomingMessage {
    const { req } = this;
    if (hasBody(req) && !hasUnreadBody(this[EXCHANGE])) throw bodyAlreadyRead(this[EXCHANGE]);
    sendContinue(req, this.res);
    return req;
  }

  /**
   * Sets a response header and replaces earlier values. `Vary` keeps the names that middleware has added.
   *
   * @throws {TypeError} When the name is not a token, the value contains a control character, or it has
   *   another type, such as undefined; or when the headers of a streamed response were sent.
   */
  set(name: string, value: HeaderValue): void {
    setHeader(this[EXCHANGE], name, value);
  }

  /**
   * Adds a value to a response header.
   *
   * @throws {TypeError} Same as {@link set}.
   */
  append(name: string, value: string | readonly string[]): void {
    appendHeader(this[EXCHANGE], name, value);
  }

  /**
   * Responds with JSON. Serializes the value immediately, so later changes to it have no effect. Removes what
   * the response schema of the route does not describe for the status and the `Content-Type` of the response.
   *
   * @param value - What the response schema of the route produces, if it has one.
   * @param stringify - Serializes the value, such as a serializer compiled from a JSON Schema. By default,
   *   the compiled serializer of the route's response schema, or else `JSON.stringify`.
   * @throws {TypeError} When JSON cannot represent the value, such as a cycle, a BigInt or undefined, or
   *   would write an object as `{}`, such as a Map, an Error or a promise.
   * @throws {InternalServerError} 500 `RESPONSE_SCHEMA`, when the route describes no JSON for the status or type.
   */
  json<T extends I['response']>(value: T, stringify?: (value: T) => string): void {
    const exchange = this[EXCHANGE];
    const routeWriter = exchange.route?.writer;
    const type = routeWriter === undefined ? JSON_TYPE : jsonTypeOf(exchange, routeWriter);
    const writer = routeWriter?.find(exchange.status ?? 200, type);
    let text: string;
    try {
      if (writer !== undefined) text = writer(value, stringify as never);
      else {
        text = stringify === undefined ? JSON.stringify(value) : stringify(value);
        // Most values need no closer look.
        if (text === undefined || text.includes('{}') || value instanceof Error)
          assertWritten(value, text);
      }
    } catch (cause) {
      ignoreRejections(value);
      throw isHttpError(cause) ? cause : notJson(exchange, cause);
    }
    if (exchange.phase !== 'open') this.#noteLate();
    recordText(exchange, text, type);
    exchange.writer = writer;
  }

  /** Responds with an HTML document. Escape user input before you pass it. */
  html(text: string): void {
    this.#record(text, 'text/html; charset=utf-8');
  }

  /**
   * Responds with text, bytes or a stream. `Content-Type` defaults to `text/plain` for text, to the type
   * of a `Blob`, and to `application/octet-stream` otherwise. Strings of a `text/` type get a charset.
   *
   * If a stream fails before its first bytes, an error response is sent, after middleware has finished. If a
   * stream fails later, as with another length than `Content-Length`, the connection is closed.
   *
   * @throws {TypeError} When `body` has another type.
   */
  send(body: ResponseBody): void {
    const isText = typeof body === 'string';
    if (!isText) assertBody('ctx.send()', body, ', or call ctx.json(value)');
    this.#record(body, isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  }

  /**
   * Responds with a value as if a handler had returned it. If a body is already recorded, it stays, and a
   * stream passed here is destroyed.
   *
   * - Undefined does nothing.
   * - Bytes, Node.js and web streams, a `Blob` and async iterables become the body, as with {@link send}.
   * - A web `Response` replaces the status, and adds its headers and body.
   * - A value with the role `response`, such as that of `eventStream()`, records its own response.
   * - Every other value, strings included, becomes JSON, as with {@link json}.
   *
   * @param stringify - Serializes JSON values, as for {@link json}.
   * @throws {TypeError} When JSON cannot represent the value, `Content-Type` was set to a type that is not
   *   JSON, or the body of a `Response` was read.
   */
  respond<T>(value: T, stringify?: (value: T) => string): void {
    if (value === undefined) return;
    const exchange = this[EXCHANGE];
    const { body, takenOver, phase, res } = exchange;
    if (body !== undefined || takenOver || phase !== 'open' || res.headersSent) {
      // Interceptors may wrap the absent result of a method that has upgraded the connection.
      if (phase !== 'open' && phase !== 'upgraded') this.#noteLate();
      discardUnsent(exchange, value);
      return;
    }
    // Most values are JSON, and have none of these.
    const isMarked =
      typeof value === 'object' &&
      value !== null &&
      (DESCRIPTOR in value || Symbol.asyncIterator in value || Symbol.toStringTag in value);
    if (isMarked && roleOf(value) === 'response') descriptionOf(value)?.respond?.(this);
    else if (isMarked && isBody(value)) this.send(value);
    else if (isMarked && isResponse(value)) recordResponse(exchange, value);
    else {
      this.json(value, stringify);
      if (exchange.defaultType === undefined) assertJsonType(exchange, value);
    }
  }

  /**
   * Sends the head of the recorded stream as soon as the pipeline has run, instead of with the first bytes.
   * Call it after {@link send}, if the client has to know that it is connected. Failures then disconnect it.
   */
  flushHead(): void {
    this[EXCHANGE].flushesHead = true;
  }

  /**
   * Replaces the recorded body with another form of it, such as a compressed one. Keeps the status and the
   * headers, except `Content-Length`, which becomes that of the new body. Set the headers that describe the
   * new form, such as `Content-Encoding`, afterwards. The new body may be a stream that reads the old one.
   *
   * Destroys the new body if no body was recorded, or the response was taken over, aborted or sent.
   *
   * @returns Whether the new body replaces the old one.
   * @throws {TypeError} When `body` is not text, bytes or a stream.
   */
  replaceBody(body: ResponseBody): boolean {
    assertBody('ctx.replaceBody()', body);
    return replaceBody(this[EXCHANGE], body);
  }

  /**
   * Responds with a redirect and an empty body.
   *
   * @param url - Value of `Location`: absolute or relative. Characters that the header cannot carry are
   *   percent-encoded. Existing escapes stay as they are, so encode user input before you add it.
   * @param status - An integer from 300 to 399. By default, `ctx.status` if it is one, or else 302.
   * @throws {TypeError} When `url` contains a control character.
   * @throws {RangeError} When `status` is out of range.
   */
  redirect(url: string, status = Math.floor(this.status / 100) === 3 ? this.status : 302): void {
    assertStatus('redirect status', status, 300, 399);
    this.set('Location', encodeLocation(url));
    this.#record('', undefined);
    this.status = status;
  }

  /** Reports a response that comes after another one was sent. */
  #noteLate(): void {
    const exchange = this[EXCHANGE];
    startReports(exchange, this as object as Context);
    if (exchange.phase !== 'final') this.report(lateResponse(exchange));
  }

  #record(body: ResponseBody, type: string | undefined): void {
    const exchange = this[EXCHANGE];
    if (exchange.phase !== 'open') this.#noteLate();
    if (typeof body === 'string' && type !== undefined) recordText(exchange, body, type);
    else record(exchange, body, type);
  }

  /**
   * Runs the rest of the pipeline, like the middleware's `next` argument. Await it: until it settles,
   * `ctx.next()` acts as the `next` of the middleware downstream.
   *
   * @throws {NextCalledTwiceError} 500, when the middleware has already called it.
   */
  next(): void | Promise<void> {
    const exchange = this[EXCHANGE];
    const step = exchange.next;
    const restore = () => {
      exchange.next = step;
    };
    return after(step, restore, restore);
  }

  /**
   * Makes an error the response, aborts {@link signal} with it, and ignores the status and the body that code
   * still running sets later. Call it in middleware that no longer waits for `next()`, then throw the error:
   * the response is sent when the pipeline has settled. Reports the error as if it had been thrown, but only once.
   * A response whose head was sent stays as it is.
   *
   * @param error - Determines the response as if it had been thrown, but without a stack.
   */
  abort(error: unknown): void {
    abort(this[EXCHANGE], this as object as Context, error);
  }

  /** Returns the raw response, which the caller must write and end (`hijack` in Fastify). */
  takeOver(): ServerResponse {
    const exchange = this[EXCHANGE];
    exchange.takenOver = true;
    return exchange.res;
  }

  /**
   * Takes over the connection of a WebSocket handshake, for a library that implements the protocol. The
   * library sends `101 Switching Protocols`. If the request fails before anything was written, the connection closes.
   * The request lasts until the connection closes: `ctx.signal` aborts and listeners of `onFinish` run at that point,
   * with status 101.
   *
   * @throws {HttpError} 426 `UPGRADE_REQUIRED`, when the request is not a WebSocket handshake.
   * @throws {TypeError} When a response was sent, or the connection has already been taken over.
   * @see RFC 6455 §4.2, RFC 9110 §15.5.22
   */
  upgrade(): UpgradedConnection {
    return upgrade(this[EXCHANGE]);
  }

  /**
   * Passes an error to `onError` of the error handler, unless it only says that the client has disconnected. Use it
   * for work that continues after the response, such as a WebSocket connection, because there is no request left to
   * fail.
   */
  report(error: unknown): void {
    const exchange = this[EXCHANGE];
    if (!isOfClient(error, exchange)) exchange.errors.onError(error, this as object as Context);
  }
}

/** A context whose parameters, query, headers and body may be what schemas produced. */
export type AnyContext = Context<object, State, RequestInputs>;
