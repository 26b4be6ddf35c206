import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { validateHeaderName, validateHeaderValue } from './node-http.js';
import { announceEnd, keepAliveOf } from './server/connection.js';

/** The body of a response: text, bytes, or a stream of either. */
export type ResponseBody = string | Uint8Array | Readable | ReadableStream;

/** A response header's value. Each array element is sent as a separate header line. */
export type HeaderValue = string | number | readonly string[];

/** Sets a header without validating it. Use it for constants and checked values. */
export let putHeader: (headers: ResponseHeaders, name: string, value: string) => void;

/** Returns alternating names and values, as `res.writeHead` accepts them. The array is not a copy. */
export let rawHeadersOf: (headers: ResponseHeaders) => (string | number | string[])[];

/**
 * The headers of a response that has not been sent. Names are case-insensitive, and are sent as last
 * written.
 *
 * @see RFC 9110 §5
 */
export class ResponseHeaders {
  readonly #raw: (string | number | string[])[] = [];

  static {
    putHeader = (headers, name, value) => headers.#put(name, value);
    rawHeadersOf = (headers) => headers.#raw;
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
   * @throws {TypeError} When the name is not a token, or the value contains CR, LF or another control
   *   character.
   */
  set(name: string, value: HeaderValue): void {
    assertHeader(name, value);
    this.#put(name, typeof value === 'object' ? [...value] : value);
  }

  /**
   * Adds a value to a header.
   *
   * @throws {TypeError} As {@link set}.
   */
  append(name: string, value: string | readonly string[]): void {
    const present = this.get(name);
    this.set(name, present === undefined ? value : [present, value].flat().map(String));
  }

  /** Removes a header. Returns whether it was set. */
  delete(name: string): boolean {
    const index = this.#indexOf(name);
    if (index !== -1) this.#raw.splice(index, 2);
    return index !== -1;
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
 * @throws {TypeError} When the name is not a token, or the value contains a control character.
 */
export function assertHeader(name: string, value: HeaderValue): void {
  validateHeaderName(name);
  for (const line of typeof value === 'object' ? value : [String(value)]) {
    validateHeaderValue(name, line);
  }
}

/** Headers that belong to a particular response. {@link RecordedResponse.reset} removes them. */
const REPRESENTATION_HEADERS = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Language',
  'Content-Location',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Expires',
  'Location',
];

/** The response that the pipeline has recorded. {@link writeResponse} sends it. */
export class RecordedResponse<Ctx> {
  readonly headers = new ResponseHeaders();
  /** Called when a streamed body fails. */
  onError: ((error: unknown, ctx: Ctx) => void) | undefined = undefined;
  /** Whether the user writes to the raw response. */
  takenOver = false;
  #status: number | undefined = undefined;
  #body: string | Uint8Array | Readable | undefined = undefined;
  #isFinal = false;
  #defaultType: string | undefined = undefined;

  /** Undefined until it is set. */
  get status(): number | undefined {
    return this.#status;
  }

  set status(status: number | undefined) {
    if (!this.#isFinal) this.#status = status;
  }

  /** Undefined until it is recorded. */
  get body(): string | Uint8Array | Readable | undefined {
    return this.#body;
  }

  /** Whether a body or a status was recorded, or the raw response was taken over. */
  get isRecorded(): boolean {
    return this.#body !== undefined || this.#status !== undefined || this.takenOver;
  }

  /**
   * Records a body, replaces an earlier one, and ends a takeover of the raw response.
   *
   * @param type - Default `Content-Type`; one that the user has set takes precedence.
   */
  record(body: ResponseBody, type: string | undefined): void {
    if (this.#isFinal) {
      destroyBody(body);
      return;
    }
    const present = this.headers.get('Content-Type');
    if (present === this.#defaultType) {
      if (type === undefined) this.headers.delete('Content-Type');
      else if (type !== present) putHeader(this.headers, 'Content-Type', type);
      this.#defaultType = type;
    }
    // Convert web streams, because a Readable emits 'close', but a canceled web stream notifies nobody.
    const isWeb = isStream(body) && !(body instanceof Readable);
    this.#replaceBody(isWeb ? Readable.fromWeb(body) : body);
    this.takenOver = false;
  }

  /** Clears the status, the body and the {@link REPRESENTATION_HEADERS}. */
  reset(): void {
    if (this.#isFinal) return;
    for (const name of REPRESENTATION_HEADERS) this.headers.delete(name);
    this.#defaultType = undefined;
    this.#replaceBody(undefined);
    this.status = undefined;
    this.takenOver = false;
  }

  /** Ignores later changes to the status and the body. */
  finalize(): void {
    this.#isFinal = true;
  }

  #replaceBody(body: string | Uint8Array | Readable | undefined): void {
    if (this.#body !== body) destroyBody(this.#body);
    // A stream may fail before it is sent. The writer checks `errored`.
    if (body instanceof Readable) body.on('error', () => undefined);
    this.#body = body;
  }
}

function isStream(body: ResponseBody | undefined): body is Readable | ReadableStream {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

/** Destroys an unsent stream. */
function destroyBody(body: ResponseBody | undefined): void {
  if (body instanceof Readable) body.destroy();
  // Canceling a stream that is locked to another reader rejects.
  else if (isStream(body)) body.cancel().catch(() => undefined);
}

/**
 * Statuses whose response has no content.
 *
 * @see RFC 9110 §15.3.5, §15.3.6, §15.4.5
 */
export const NO_CONTENT_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends a recorded response. Discards it when the raw response was taken over, its headers were sent,
 * or the connection has closed.
 *
 * @param ctx - Passed to the response's `onError`.
 * @param close - Whether to close the connection after this response.
 * @param onError - Called when a streamed body fails and the response has no `onError`. The
 *   connection is closed.
 * @see RFC 9110 §8.6 (Content-Length), §9.3.2 (HEAD), §15.3.5, §15.3.6, §15.4.5 (no content)
 */
export function writeResponse<Ctx extends { readonly res: ServerResponse }>(
  response: RecordedResponse<Ctx>,
  ctx: Ctx,
  close: boolean,
  onError: (error: unknown) => void,
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
  if (body instanceof Readable) sendStream(body, ctx, status, headers, response.onError ?? onError);
  else sendWhole(body ?? '', res, status, headers);
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
): void {
  const length = Buffer.byteLength(body);
  if (status === 204 || status === 304) headers.delete('Content-Length');
  else putHeader(headers, 'Content-Length', String(length));
  res.writeHead(status, rawHeadersOf(headers));
  if (length === 0 || res.req.method === 'HEAD') res.end();
  // The text is ASCII, which node writes fastest as latin1.
  else if (length === body.length && typeof body === 'string') res.end(body, 'latin1');
  else res.end(body);
}

function sendStream<Ctx extends { readonly res: ServerResponse }>(
  body: Readable,
  ctx: Ctx,
  status: number,
  headers: ResponseHeaders,
  onError: (error: unknown, ctx: Ctx) => void,
): void {
  const { res } = ctx;
  if (body.errored) throw body.errored;
  res.writeHead(status, rawHeadersOf(headers));
  if (res.req.method === 'HEAD') {
    destroyBody(body);
    res.end();
    return;
  }
  const done = (error: NodeJS.ErrnoException | null): void => {
    const clientLeft = error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && res.destroyed;
    if (error && !clientLeft) onError(error, ctx);
  };
  const length = headers.get('Content-Length');
  if (length === undefined) pipeline(body, res, done);
  else pipeline(body, (chunks: Readable) => enforceLength(Number(length), chunks), res, done);
}

/** Forwards chunks up to `length` bytes. Throws when there are more, or fewer, bytes than that. */
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
