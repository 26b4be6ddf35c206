import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { describeValue, NO_CONTENT_STATUSES } from '@fairlead/options';
import {
  ServerResponse as NodeResponse,
  validateHeaderName,
  validateHeaderValue,
} from './node-http.js';
import { announceEnd, keepAliveOf, onClose } from './server/connection.js';

/** The body of a response: text, bytes, a `Blob`, or a stream of text or bytes. */
export type ResponseBody =
  | string
  | Uint8Array
  | ArrayBufferView
  | ArrayBuffer
  | Blob
  | Readable
  | ReadableStream
  | AsyncIterable<string | Uint8Array>;

/** A body that can be sent. */
type WritableBody = string | Uint8Array | Readable;

/** A response header's value. Each array element is sent as a separate header line. */
export type HeaderValue = string | number | readonly string[];

/** Sets a header without validating it. Use it for constants and checked values. */
export let putHeader: (headers: ResponseHeaders, name: string, value: string) => void;

/** Returns alternating names and values, as `res.writeHead` accepts them. The array is not a copy. */
export let rawHeadersOf: (headers: ResponseHeaders) => (string | number | string[])[];

/** Makes later changes to the headers throw. */
export let sealHeaders: (headers: ResponseHeaders) => void;

/**
 * Checks that headers are not sealed.
 *
 * @param part - What would change, for the message.
 * @throws {TypeError} When they are.
 */
export let assertOpen: (headers: ResponseHeaders, part: string) => void;

/**
 * The headers of a response that has not been sent. Names are case-insensitive, and are sent as last
 * written.
 *
 * @see RFC 9110 §5
 */
export class ResponseHeaders {
  readonly #raw: (string | number | string[])[] = [];
  #isSealed = false;

  static {
    putHeader = (headers, name, value) => headers.#put(name, value);
    rawHeadersOf = (headers) => headers.#raw;
    sealHeaders = (headers) => {
      headers.#isSealed = true;
    };
    assertOpen = (headers, part) => {
      if (!headers.#isSealed) return;
      throw new TypeError(
        `Cannot change ${part}: the headers of the response were sent. Change it before the stream produces its first bytes.`,
      );
    };
  }

  /** Returns a header's value, or undefined. */
  get(name: string): HeaderValue | undefined {
    const index = this.#indexOf(name);
    return index === -1 ? undefined : this.#raw[index + 1];
  }

  /** Whether a header is set. */
  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  /**
   * Sets a header and replaces earlier values.
   *
   * @param name - Case-insensitive; sent as written here.
   * @param value - Each array element is sent as a separate header line.
   * @throws {TypeError} When the name is not a token, the value contains CR, LF or another control
   *   character, or it has another type, such as undefined; or when the headers of a streamed response were
   *   sent.
   */
  set(name: string, value: HeaderValue): void {
    this.#assertOpen(name);
    assertHeader(name, value);
    this.#put(name, typeof value === 'object' ? [...value] : value);
  }

  /**
   * Adds a value to a header.
   *
   * @throws {TypeError} Same as {@link set}.
   */
  append(name: string, value: string | readonly string[]): void {
    const present = this.get(name);
    if (present === undefined) this.set(name, value);
    else {
      this.#assertOpen(name);
      assertHeader(name, value);
      this.#put(name, [present, value].flat().map(String));
    }
  }

  /**
   * Removes a header. Returns whether it was set.
   *
   * @throws {TypeError} When the headers of a streamed response were sent.
   */
  delete(name: string): boolean {
    this.#assertOpen(name);
    const index = this.#indexOf(name);
    if (index !== -1) this.#raw.splice(index, 2);
    return index !== -1;
  }

  /** Iterates over names and values, in the order in which the headers were first set. */
  *[Symbol.iterator](): Generator<[name: string, value: HeaderValue]> {
    for (let index = 0; index < this.#raw.length; index += 2) {
      yield [String(this.#raw[index]), this.#raw[index + 1] ?? ''];
    }
  }

  #assertOpen(name: string): void {
    if (this.#isSealed) assertOpen(this, `the header '${name}'`);
  }

  #put(name: string, value: string | number | string[]): void {
    const index = this.#indexOf(name);
    if (index === -1) {
      this.#raw.push(name, value);
      return;
    }
    this.#raw[index] = name;
    this.#raw[index + 1] = value;
  }

  /** Returns the index of a header's name in the raw list, or -1. */
  #indexOf(name: string): number {
    for (let index = 0; index < this.#raw.length; index += 2) {
      if (isSameName(this.#raw[index] as string, name)) return index;
    }
    return -1;
  }
}

function isSameName(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  return one === other || one.toLowerCase() === other.toLowerCase();
}

/**
 * Validates a header.
 *
 * @throws {TypeError} When the name is not a token, the value contains a control character, or it has
 *   another type, such as undefined.
 */
export function assertHeader(name: string, value: HeaderValue): void {
  validateHeaderName(name);
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) {
    const problem = `Cannot set the header '${name}' to ${describeValue(value)}`;
    throw new TypeError(`${problem}. Pass a string, a number or an array of strings, or omit it.`);
  }
  for (const line of typeof value === 'object' ? value : [String(value)]) {
    validateHeaderValue(name, line);
  }
}

/** Whether {@link assertHeader} accepts a header. */
export function isHeader(name: string, value: HeaderValue): boolean {
  try {
    assertHeader(name, value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Matches the names of headers that describe one particular body. {@link RecordedResponse.reset} removes
 * them.
 */
const BODY_HEADER =
  /^(?:content-(?!security-policy)|(?:[\w-]+-)?cache-control$|surrogate-control$|pragma$|age$|expires$|etag$|last-modified$|link$|location$|accept-ranges$|trailer$|(?:repr-)?digest$)/i;

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

/** The response that the pipeline has recorded. {@link writeResponse} sends it. */
export class RecordedResponse {
  readonly headers = new ResponseHeaders();
  /** Whether the user writes to the raw response. */
  takenOver = false;
  /** The error that the recorded body describes; undefined if it describes none. */
  error: unknown = undefined;
  /** Whether a streamed body sends its head immediately, instead of with its first bytes. */
  flushesHead = false;
  /** The listeners of `ctx.onFinish()`; undefined before the first one. */
  finishListeners: FinishListener[] | undefined = undefined;
  #status: number | undefined = undefined;
  #body: WritableBody | undefined = undefined;
  #isSent = false;
  #isFinal = false;
  #defaultType: string | undefined = undefined;
  /** Whether `Content-Length` is the size of a recorded `Blob`. */
  #hasBlobLength = false;

  /** Undefined until it is set. */
  get status(): number | undefined {
    return this.#status;
  }

  set status(status: number | undefined) {
    if (!this.#isFinal) this.#status = status;
  }

  /** Undefined until it is recorded. */
  get body(): WritableBody | undefined {
    return this.#body;
  }

  /** The default `Content-Type` of the recorded body; undefined if the user has set another one. */
  get defaultType(): string | undefined {
    return this.#defaultType;
  }

  /** Whether a body was recorded, or the raw response was taken over. */
  get isFilled(): boolean {
    return this.#body !== undefined || this.takenOver;
  }

  /** Whether a body or a status was recorded, or the raw response was taken over. */
  get isRecorded(): boolean {
    return this.isFilled || this.#status !== undefined;
  }

  /** Whether the response was sent. False for a response that was final before, as after a timeout. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /**
   * Records a body, replaces an earlier one, and ends a takeover of the raw response.
   *
   * @param type - Default `Content-Type`; one that the user has set takes precedence.
   */
  record(body: ResponseBody, type: string | undefined): void {
    if (this.#isFinal || this.#isSent) {
      destroyBody(body);
      return;
    }
    if (this.#hasBlobLength) this.headers.delete('Content-Length');
    this.#hasBlobLength = isBlob(body);
    const defaultType = isBlob(body) && body.type !== '' ? body.type : type;
    const present = this.headers.get('Content-Type');
    if (present === this.#defaultType) {
      if (defaultType === undefined) this.headers.delete('Content-Type');
      else if (defaultType !== present) putHeader(this.headers, 'Content-Type', defaultType);
      this.#defaultType = defaultType;
    }
    if (isBlob(body)) putHeader(this.headers, 'Content-Length', String(body.size));
    this.#replaceBody(toWritable(body));
    this.error = undefined;
    this.takenOver = false;
    this.flushesHead = false;
  }

  /**
   * Replaces the recorded body with another form of it. Keeps the status, the error and the headers, except
   * `Content-Length`. Destroys the new body if no body was recorded, or the response is final.
   *
   * @returns Whether the body was replaced.
   */
  replace(body: ResponseBody): boolean {
    if (this.#isFinal || this.#isSent || this.takenOver || this.#body === undefined) {
      if (body !== this.#body) destroyBody(body);
      return false;
    }
    this.headers.delete('Content-Length');
    this.#hasBlobLength = false;
    this.#replaceBody(toWritable(body));
    return true;
  }

  /** Clears the status, the body and the headers that describe the body. */
  reset(): void {
    if (this.#isFinal) return;
    for (const [name] of [...this.headers]) if (BODY_HEADER.test(name)) this.headers.delete(name);
    this.#defaultType = undefined;
    this.#replaceBody(undefined);
    this.status = undefined;
    this.takenOver = false;
  }

  /** Ignores later changes to the status and the body. */
  finalize(): void {
    this.#isFinal = true;
  }

  /** Whether the response is final. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** Records that the connection leaves HTTP: 101, and nothing can be sent. */
  upgrade(): void {
    this.reset();
    this.#status = 101;
    this.takenOver = true;
    this.markSent();
    this.finalize();
  }

  /** Records that the response is being sent. */
  markSent(): void {
    this.#isSent = !this.#isFinal;
  }

  #replaceBody(body: WritableBody | undefined): void {
    const replaced = this.#body;
    // The new body may read from the one that it replaces, like a compressed stream.
    if (body instanceof Readable && body !== replaced)
      body.once('close', () => destroyBody(replaced));
    else if (body !== replaced) destroyBody(replaced);
    // A stream may fail before it is sent. The writer checks `errored`.
    if (body instanceof Readable) body.on('error', () => undefined);
    this.#body = body;
  }
}

/** A global symbol, so that two copies of core recognize each other's {@link Responder}s. */
export const RESPONDER = Symbol.for('fairlead:responder');

/** Whether a value determines how it is sent when a handler returns it. */
export function isResponder(value: unknown): value is { readonly [RESPONDER]: unknown } {
  return typeof value === 'object' && value !== null && RESPONDER in value;
}

/**
 * Whether a value is a body other than text: bytes, a `Blob`, a stream or an async iterable.
 *
 * Reads tags, because the first use of a class such as `Blob` loads its module.
 */
export function isBody(value: unknown): value is Exclude<ResponseBody, string> {
  if (typeof value !== 'object' || value === null) return false;
  return (
    ArrayBuffer.isView(value) ||
    Symbol.asyncIterator in value ||
    value instanceof ArrayBuffer ||
    isBlob(value)
  );
}

function isBlob(value: unknown): value is Blob {
  const tag = tagOf(value);
  return tag === 'Blob' || tag === 'File';
}

/** Whether a value is a web `Response` from Node.js or a package. */
export function isResponse(value: unknown): value is Response {
  return tagOf(value) === 'Response';
}

function tagOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(Symbol.toStringTag in value))
    return undefined;
  return value[Symbol.toStringTag];
}

/**
 * Converts a body to a form that can be written. Web streams become a `Readable`, because a `Readable` emits
 * 'close', but a canceled web stream notifies nobody.
 */
function toWritable(body: ResponseBody): WritableBody {
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Readable)
    return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body))
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (isBlob(body)) return Readable.fromWeb(body.stream() as ReadableStream);
  return isWebStream(body) ? Readable.fromWeb(body) : Readable.from(body, { objectMode: false });
}

function isWebStream(body: ResponseBody | undefined): body is ReadableStream {
  return tagOf(body) === 'ReadableStream';
}

/**
 * Records a web `Response`. Its headers replace recorded ones, except that values of `Vary` and
 * `Set-Cookie` are added.
 *
 * @throws {TypeError} When its body was read, or its status is not from 200 to 599.
 */
export function recordResponse(recorded: RecordedResponse, response: Response): void {
  const { status, bodyUsed, body } = response;
  if (bodyUsed || status < 200) {
    const problem = bodyUsed ? 'its body was already read' : `its status is ${status}`;
    throw new TypeError(`Cannot send the Response: ${problem}. Create a new Response.`);
  }
  for (const [name, value] of response.headers) {
    if (name === 'vary' || name === 'set-cookie') recorded.headers.append(name, value);
    // A response with a URL comes from fetch(), over another connection.
    else if (response.url === '' || !isOfFetch(name, body !== null)) {
      recorded.headers.set(name, value);
    }
  }
  recorded.status = status;
  recorded.record(body ?? '', undefined);
}

/** Headers that apply to one connection. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header describes only the bytes that fetch() received, before it decoded the body. */
function isOfFetch(name: string, hasBody: boolean): boolean {
  return (
    OF_CONNECTION.has(name) ||
    (hasBody && (name === 'content-encoding' || name === 'content-length'))
  );
}

/** Frees the resources of an unsent value, such as the file of a stream. */
export function discard(value: unknown): void {
  if (isResponse(value)) destroyBody(value.body ?? undefined);
  else if (isBody(value)) destroyBody(value);
}

/** Destroys an unsent stream. */
function destroyBody(body: ResponseBody | undefined): void {
  if (body instanceof Readable) body.destroy();
  // Canceling a stream that is locked to another reader rejects.
  else if (isWebStream(body)) body.cancel().catch(() => undefined);
}

/**
 * Starts reading a recorded stream, and returns a promise that resolves when the stream has produced its
 * first bytes, ended or failed, or the connection has closed. Sending the head earlier would turn a stream
 * that fails immediately into a truncated response. For HEAD, only waits until a file is open.
 *
 * @returns Undefined for a response that need not wait.
 */
export function startOf(
  response: RecordedResponse,
  res: ServerResponse,
): Promise<void> | undefined {
  const { body, status = 200 } = response;
  if (!(body instanceof Readable) || body.closed || body.errored || res.destroyed) return undefined;
  if (response.flushesHead || NO_CONTENT_STATUSES.has(status)) return undefined;
  const isHead = res.req.method === 'HEAD';
  const isOpening = 'pending' in body && body.pending === true;
  // A flowing stream already has another reader.
  const isIdle = body.readableLength === 0 && body.readableFlowing === null;
  if (isHead ? !isOpening : !isIdle) return undefined;
  return new Promise((resolve) => {
    const event = isHead ? 'ready' : 'readable';
    const settle = (): void => {
      // A stream with such a listener does not flow.
      body.off(event, settle).off('close', settle);
      resolve();
    };
    body.once(event, settle).once('close', settle);
    onClose(res, settle);
  });
}

/**
 * Sends a recorded response. Discards it when the raw response was taken over, its headers were sent,
 * or the connection has closed.
 *
 * @param ctx - Passed to `onError`.
 * @param close - Whether to close the connection after this response.
 * @param onError - Called when a streamed body fails. The connection is closed.
 * @see RFC 9110 §8.6 (Content-Length), §9.3.2 (HEAD), §15.3.5, §15.3.6, §15.4.5 (no content)
 */
export function writeResponse<Ctx extends { readonly res: ServerResponse }>(
  response: RecordedResponse,
  ctx: Ctx,
  close: boolean,
  onError: (error: unknown, ctx: Ctx) => void,
): void {
  const { res } = ctx;
  if (response.takenOver || res.headersSent || res.destroyed) {
    destroyBody(response.body);
    return;
  }
  const { headers, status = 200 } = response;
  const body = NO_CONTENT_STATUSES.has(status) ? undefined : response.body;
  if (body !== response.body) {
    destroyBody(response.body);
    headers.delete('Content-Type');
  }
  headers.delete('Transfer-Encoding');
  if (close) putHeader(headers, 'Connection', 'close');
  if (close || hasCloseOption(headers.get('Connection'))) announceEnd(res);
  else announceKeepAlive(res, headers);
  const isWrapped = res.writeHead !== writeHead || res.setHeader !== setHeader || res.end !== end;
  if (body instanceof Readable) {
    sendStream(body, ctx, status, headers, isWrapped, onError);
    if (response.flushesHead) res.flushHeaders();
  } else sendWhole(body ?? '', res, status, headers, isWrapped);
  response.markSent();
}

const { writeHead, setHeader, end } = NodeResponse.prototype;

/**
 * Sets the status and the headers of a response that middleware has wrapped. Node.js sends them with the
 * body. Wrappers may call `setHeader` until then, and many cannot read the array that `writeHead` accepts.
 */
function setHead(res: ServerResponse, status: number, headers: ResponseHeaders): void {
  res.statusCode = status;
  for (const [name, value] of headers) res.setHeader(name, value);
}

/**
 * Whether a `Connection` header has the option `close`.
 *
 * @see RFC 9110 §7.6.1
 */
function hasCloseOption(connection: HeaderValue | undefined): boolean {
  if (connection === undefined) return false;
  const options = String(connection).toLowerCase().split(',');
  return options.some((option) => option.trim() === 'close');
}

/** Announces the idle timeout, so the client stops using the connection before the server closes it. */
function announceKeepAlive(res: ServerResponse, headers: ResponseHeaders): void {
  const value = keepAliveOf(res);
  if (value !== undefined) putHeader(headers, 'Keep-Alive', value);
}

function sendWhole(
  body: string | Uint8Array,
  res: ServerResponse,
  status: number,
  headers: ResponseHeaders,
  isWrapped: boolean,
): void {
  const length = Buffer.byteLength(body);
  const isHead = res.req.method === 'HEAD';
  if (status === 204 || status === 304) headers.delete('Content-Length');
  // A HEAD route may state the length of the body that it omits.
  else if (!(isHead && length === 0 && headers.has('Content-Length'))) {
    putHeader(headers, 'Content-Length', String(length));
  }
  if (isWrapped) setHead(res, status, headers);
  else res.writeHead(status, rawHeadersOf(headers));
  if (length === 0 || isHead) res.end();
  // The text is ASCII, which Node.js writes fastest as latin1.
  else if (length === body.length && typeof body === 'string') res.end(body, 'latin1');
  else res.end(body);
}

/** Whether a response was written in full. Call it when the response emits 'close'. */
export function isComplete(res: ServerResponse): boolean {
  // Before Node 24, a response also counts as written when its connection was destroyed before.
  return res.writableFinished && !res.req.socket.destroyed;
}

/** Describes how a request ended. Call it when the response emits 'close'. */
export function outcomeOf(recorded: RecordedResponse, res: ServerResponse): RequestOutcome {
  if (recorded.status === 101) {
    const { error } = recorded;
    return { status: 101, aborted: false, ...(error !== undefined && { error }) };
  }
  // A response without a socket was written, or its connection closed while it waited for earlier ones.
  const hadSocket = res.socket !== null || res.writableFinished;
  // `headersSent` is true as soon as the head is known. Node sends it with the first bytes of the body.
  const { _headerSent: isHeadSent } = res as { readonly _headerSent?: boolean };
  const failure = failureOf(recorded, res);
  const error = recorded.error ?? failure;
  const unsent = failure === undefined ? 499 : 500;
  const status = hadSocket && isHeadSent ? res.statusCode : unsent;
  const outcome = { status, aborted: !isComplete(res) };
  return error === undefined ? outcome : { ...outcome, error };
}

/** Returns the error that destroyed a response, unless its client left. */
function failureOf({ body }: RecordedResponse, res: ServerResponse): Error | undefined {
  // `res.destroy()` without an error leaves it undefined.
  const { errored }: { readonly errored?: NodeJS.ErrnoException | null } = res;
  if (!errored) return undefined;
  const isOfBody = body instanceof Readable && body.errored === errored;
  return isOfBody || errored.code !== 'ECONNRESET' ? errored : undefined;
}

function sendStream<Ctx extends { readonly res: ServerResponse }>(
  body: Readable,
  ctx: Ctx,
  status: number,
  headers: ResponseHeaders,
  isWrapped: boolean,
  onError: (error: unknown, ctx: Ctx) => void,
): void {
  const { res } = ctx;
  if (body.errored) throw explainChunk(body.errored, res);
  const length = headers.get('Content-Length');
  if (length !== undefined && !/^\d+$/.test(String(length))) {
    throw new RangeError(`Invalid Content-Length: ${String(length)}. Set a number of bytes.`);
  }
  if (isWrapped) setHead(res, status, headers);
  else res.writeHead(status, rawHeadersOf(headers));
  sealHeaders(headers);
  if (res.req.method === 'HEAD') {
    destroyBody(body);
    res.end();
    return;
  }
  const done = (error: NodeJS.ErrnoException | null): void => {
    // If the body fails, the pipeline destroys the response with its error. If the client leaves, Node.js
    // destroys the response, with ECONNRESET or without an error.
    const { errored }: { readonly errored?: NodeJS.ErrnoException | null } = res;
    const isOfClient = !errored || errored.code === 'ECONNRESET';
    const clientLeft = error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && res.destroyed && isOfClient;
    if (error && !clientLeft) onError(explainChunk(errored ?? error, res), ctx);
  };
  if (body.readableObjectMode) catchWriteErrors(body, res);
  if (length === undefined) pipeline(body, res, done);
  else pipeline(body, (chunks: Readable) => enforceLength(Number(length), chunks), res, done);
}

/** Names the request and the fix in the error of Node.js for a chunk that is neither text nor bytes. */
function explainChunk(cause: NodeJS.ErrnoException, { req }: ServerResponse): Error {
  if (cause.code !== 'ERR_INVALID_ARG_TYPE') return cause;
  const problem = `Cannot send a chunk of the stream for ${req.method} ${req.url}: ${cause.message}`;
  const message = `${problem}. Yield text or bytes, such as JSON.stringify(row) + '\\n'.`;
  return Object.assign(new TypeError(message, { cause }), { code: cause.code });
}

/**
 * Destroys a stream with the error of a chunk that a response cannot write, such as an object. Before Node 24,
 * `pipeline` throws that error where nothing can catch it.
 */
function catchWriteErrors(body: Readable, res: ServerResponse): void {
  const { write } = res;
  res.write = ((...args: Parameters<typeof write>) => {
    try {
      return write.apply(res, args);
    } catch (error) {
      body.destroy(error as Error);
      return false;
    }
  }) as typeof write;
}

/** Forwards chunks up to `length` bytes. Throws when there are more or fewer bytes. */
async function* enforceLength(length: number, chunks: AsyncIterable<string | Uint8Array>) {
  let sent = 0;
  for await (const chunk of chunks) {
    sent += Buffer.byteLength(chunk);
    if (sent > length) break;
    yield chunk;
  }
  if (sent === length) return;
  throw new RangeError(
    `The stream has ${sent > length ? 'more' : 'fewer'} bytes than its Content-Length of ${length}. Set Content-Length to the size of the stream, or omit it.`,
  );
}
