import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { HttpError, ValidationStatus } from '../errors/http-error.js';
import type { Problem } from '../errors/problem.js';
import { CONNECTION, type Connection, type Tracked } from '../server/connection.js';
import { PLAIN_PATH, parseTarget, type Target } from '../server/target.js';
import type { Client, ClientReader } from '../server/trusted-proxies.js';
import type { Next } from './after-next.js';
/** Where a context has its {@link Exchange}. A context of another copy of core has none. */
export const EXCHANGE: unique symbol = Symbol('exchange');

/** Data that the functions of one request share. Augment this interface to declare members. */
export interface State {
  [key: string]: unknown;
}

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

/** Decoded route parameters by name. */
export type Params = Readonly<Record<string, string>>;

/** How the errors of a request become responses. */
export interface ErrorPolicy<Ctx = never> {
  /** Whether error bodies include stacks. */
  readonly includeStack: boolean;
  /** Called with errors whose message is hidden from the client. */
  onError(error: unknown, ctx: Ctx): void;
  /** Returns the body for an error; undefined for the problem itself. */
  readonly format: ((problem: Problem, error: unknown, ctx: Ctx) => unknown) | undefined;
}

/** The routes of an application. */
export interface RouteTable {
  /**
   * Returns the methods of the routes that match a path.
   *
   * @param path - In normal form; `*` matches all routes.
   * @param exchange - The request, which may name a version of them.
   */
  methods(path: string, exchange: Exchange): ReadonlySet<string>;
  /** Returns the error for a request to a path whose routes all have other versions; undefined for other requests. */
  refuse?(exchange: Exchange): HttpError | undefined;
  /** Whether the route that matches takes the whole request, so that parsers leave its body. */
  takesRequest?(exchange: Exchange): boolean;
  /** Whether the route for GET opens WebSocket connections. */
  opens?(path: string): boolean;
  /** Returns the media types that the parsers before the route for QUERY requests to a path read. */
  queryTypes(path: string): readonly string[];
}

/** What all requests of an application share. */
export interface Environment<Ctx = never> {
  readonly app: object;
  readonly routes: RouteTable;
  /** The policy of the application. */
  readonly errors: ErrorPolicy<Ctx>;
  /** That of an error handler before everything else, which is no step then; otherwise the same. */
  readonly outermost: ErrorPolicy<Ctx>;
  readonly readClient: ClientReader;
  /** Decides which requests are observed for mistakes. */
  readonly sample: { next(): boolean; restart(): void };
  /** Returns a signal that aborts when the application closes. */
  readonly closing: () => AbortSignal;
  /** Status of requests that schemas reject. */
  readonly validationStatus: ValidationStatus;
}

/**
 * Serializes a response as JSON.
 *
 * @param stringify - What the caller passed to `ctx.json()`.
 */
export type JsonWriter = (
  value: unknown,
  stringify?: ((value: unknown) => string) | undefined,
) => string;

/** The writers of the responses of a route, by status and media type. */
export interface RouteWriter {
  /** Returns the writer of a response with a status and a `Content-Type`. */
  find(status: number, type: string): JsonWriter;
  /** Returns the default `Content-Type` of JSON with a status. */
  typeFor(status: number): string;
}

/** What a request needs to know about its route. */
export interface MatchedRoute {
  /** Full pattern, with its prefixes. */
  readonly pattern: string;
  /** Parameter names, in the order of the path. */
  readonly names: readonly string[];
  readonly isDeprecated: boolean;
  /** Whether the last parameter is a wildcard. */
  readonly endsInWildcard: boolean;
  /** What the parsers before a QUERY route, or a handler that reads the body, accept; empty if unknown. */
  readonly mediaTypes: readonly string[];
  /** Whether it declares a body, but no parser is known to run before it, so that its body is parsed as JSON. */
  readonly parsesJson: boolean;
  /** Serializes responses of the route as JSON; undefined for routes without a response schema. */
  readonly writer?: RouteWriter | undefined;
  /** Whether a response with a status may have no body. Undefined for routes without a response schema. */
  readonly mayBeEmpty?: ((status: number) => boolean) | undefined;
}

/** How a request ended. */
export interface RequestOutcome {
  /**
   * The status that was sent; 101 for a connection that has left HTTP. If none was: 500 when a stream
   * failed, and 499 when the connection closed for another reason, such as a client that disconnected.
   */
  readonly status: number;
  /** Whether the client disconnected, or the response failed, before it was complete. */
  readonly aborted: boolean;
  /** The error behind the response, if one was thrown or a stream failed. */
  readonly error?: unknown;
}

/** Called once, when a request has ended. */
export type FinishListener = (outcome: RequestOutcome) => void;

/** A body that can be sent. */
export type WritableBody = string | Uint8Array | Readable;

/** What may still happen to a response. */
export type Phase =
  /** Everything may change. */
  | 'open'
  /** Aborted: later changes of the status and the body have no effect. */
  | 'final'
  /** The connection was upgraded: nothing can be sent. */
  | 'upgraded'
  /** The head of a stream was sent: changes of the status and the headers throw, and a response is reported. */
  | 'streaming'
  /** All of it was sent: a later response is reported. */
  | 'sent';

/** The headers of a response. */
export interface HeaderList {
  /** Alternating names and values, as `res.writeHead()` accepts them. */
  readonly rawHeaders: (string | number | string[])[];
  phase: Phase;
  /**
   * Whether the writer has more to do than to send text: one of them may determine how the response is framed, or what
   * follows on its connection, or failures of its streams are to be reported.
   */
  isSpecial: boolean;
}

/**
 * One request and its response, as a plain record. The pipeline, the router, the parsers and the writer read
 * and write it directly. Users see it as a `Context`.
 */
export interface Exchange<Ctx = never> extends HeaderList {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly environment: Environment<Ctx>;
  /** Undefined if the server was not created by `listen()` or `app.fetch()`. */
  readonly connection: Connection | undefined;
  /** The request method, in upper case. */
  readonly method: string;
  readonly target: Target;
  /** Whether the request was closed before it had listeners, so that Node.js emits none of its events. */
  readonly isSilent: boolean;

  /** The policy of the outermost error handler, or that of the application. */
  errors: ErrorPolicy<Ctx>;
  /** Whether the steps of the pipeline are observed for mistakes. */
  isObserved: boolean;
  /** What `ctx.next()` calls. */
  next: Next;
  /** The matching route; undefined before one matches. */
  route: MatchedRoute | undefined;
  /** The values of its parameters, percent-encoded. */
  rawParams: readonly string[];
  prefixParams: Params | undefined;

  /** Each is undefined until it is first read, or a schema has produced it. */
  params: object | undefined;
  query: unknown;
  searchParams: URLSearchParams | undefined;
  requestHeaders: unknown;
  state: object | undefined;
  controller: AbortController | undefined;
  closing: AbortSignal | undefined;
  /** What is called when the request has ended. */
  listeners: FinishListener[] | undefined;
  /** The parsed body. */
  requestBody: unknown;
  /** The bytes of the request body, if a parser keeps them. */
  rawBody: Buffer | undefined;

  /** The recorded status; undefined until it is set. */
  status: number | undefined;
  /** The recorded body; undefined until it is recorded. */
  body: WritableBody | undefined;
  /** The default `Content-Type` of the recorded body; undefined if the user has set another one. */
  defaultType: string | undefined;
  /** Whether the recorded body consists of strings, which are sent as UTF-8. For a stream, known with its first one. */
  isText: boolean;
  /** What has written the recorded body, if the route has a response schema. */
  writer: JsonWriter | undefined;
  /** Whether `Content-Length` is the size of a recorded `Blob`. */
  hasBlobLength: boolean;
  /** Whether a streamed body sends its head immediately, instead of with its first bytes. */
  flushesHead: boolean;
  /** Whether the user writes to the raw response. */
  takenOver: boolean;
  /** The error that the recorded body describes; undefined if it describes none. */
  error: unknown;
}

export function createExchange<Ctx>(
  req: IncomingMessage,
  res: ServerResponse,
  environment: Environment<Ctx>,
): Exchange<Ctx> {
  const { method = '', url = '' } = req;
  const isPlain = url.startsWith('/') && PLAIN_PATH.test(url);
  return {
    req,
    res,
    environment,
    connection: (req.socket as Tracked)[CONNECTION],
    method,
    target: isPlain ? { path: url, search: '', malformed: false } : parseTarget(method, url),
    isSilent: req.closed,
    errors: environment.outermost,
    isObserved: false,
    next: outsideMiddleware,
    route: undefined,
    rawParams: NO_VALUES,
    prefixParams: undefined,
    params: undefined,
    query: undefined,
    searchParams: undefined,
    requestHeaders: undefined,
    state: undefined,
    controller: undefined,
    closing: undefined,
    listeners: undefined,
    requestBody: undefined,
    rawBody: undefined,
    rawHeaders: [],
    phase: 'open',
    isSpecial: false,
    status: undefined,
    body: undefined,
    defaultType: undefined,
    isText: false,
    writer: undefined,
    hasBlobLength: false,
    flushesHead: false,
    takenOver: false,
    error: undefined,
  };
}

const NO_VALUES: readonly string[] = [];

function outsideMiddleware(): never {
  throw new TypeError(
    'ctx.next() was called outside middleware. Call it while a middleware handles the request.',
  );
}

/** Whether a body was recorded, or the raw response was taken over. */
export function isFilled({ body, takenOver }: Pick<Exchange, 'body' | 'takenOver'>): boolean {
  return body !== undefined || takenOver;
}

/** Returns the first value of each query parameter, without a prototype, so `__proto__` is an ordinary name. */
export function firstValues(searchParams: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of searchParams) query[name] ??= value;
  return query;
}

/**
 * Whether the headers of a request announce a body.
 *
 * @see RFC 9112 §6
 */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Returns the socket of a request. Node.js removes it from a request whose body was destroyed, as by leaving a loop over
 * it, so that the response can still be sent.
 */
export function socketOf({
  connection,
  req,
}: Pick<Exchange, 'connection' | 'req'>): Socket | undefined {
  const socket: Socket | null = req.socket;
  return socket ?? connection?.socket;
}

export function clientOf(exchange: Exchange): Client {
  return exchange.environment.readClient(exchange.req, socketOf(exchange));
}

/** Returns the signal of the server or, for a call without a socket, of the application. */
export function closingOf(exchange: Exchange): AbortSignal {
  exchange.closing ??= exchange.connection?.closing?.signal ?? exchange.environment.closing();
  return exchange.closing;
}

/** Whether the client sends a body that nothing has read. */
export function hasUnreadBody({ req, rawBody }: Pick<Exchange, 'req' | 'rawBody'>): boolean {
  // An empty body that was read has ended without emitting data. Kept bytes may be read again.
  return hasBody(req) && !req.readableDidRead && !req.readableEnded && rawBody === undefined;
}

/** @throws {RangeError} */
export function assertStatus(name: string, status: number, min: number, max: number): void {
  if (Number.isInteger(status) && status >= min && status <= max) return;
  throw new RangeError(`Invalid ${name}: ${String(status)}. Use an integer from ${min} to ${max}.`);
}
