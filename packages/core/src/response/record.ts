import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { describeValue, isHopByHop } from '@fairlead/options';
import { descriptionOf, roleOf } from '../annotations/description.js';
import { cancelStream } from '../cancel-stream.js';
import { HttpError, readHttpError } from '../errors/http-error.js';
import { describeProblem } from '../errors/problem.js';
import {
  type ErrorPolicy,
  type Exchange,
  isFilled,
  type WritableBody,
} from '../exchange/exchange.js';
import { takeUpgrade, type UpgradedConnection } from '../server/upgrade.js';
import { assertUnread, Chunks, chunksOf, keepContext } from './chunks.js';
import { markUnsent, noteFailure } from './failures.js';
import { appendHeader, deleteHeader, getHeader, putHeader, setHeader } from './headers.js';
import { ignoreRejections, serialize } from './serialize-json.js';

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

/** Matches the names of headers that describe one particular body. */
const BODY_HEADER =
  /^(?:content-(?!security-policy)|(?:[\w-]+-)?cache-control$|surrogate-control$|pragma$|age$|expires$|etag$|last-modified$|link$|location$|accept-ranges$|trailer$|(?:repr-)?digest$)/i;

/**
 * Records a body, replaces an earlier one, and ends a takeover of the raw response. Destroys it if the
 * response is final.
 *
 * @param type - Default `Content-Type`; one that the user has set takes precedence.
 */
export function record(exchange: Exchange, body: ResponseBody, type: string | undefined): void {
  if (exchange.phase !== 'open') {
    discardUnsent(exchange, body);
    return;
  }
  if (exchange.hasBlobLength) deleteHeader(exchange, 'Content-Length');
  const isOfBlob = isBlob(body);
  const defaultType = isOfBlob && body.type !== '' ? body.type : type;
  const present = getHeader(exchange, 'Content-Type');
  if (present === exchange.defaultType) {
    if (defaultType === undefined) deleteHeader(exchange, 'Content-Type');
    else if (defaultType !== present) putHeader(exchange, 'Content-Type', defaultType);
    exchange.defaultType = defaultType;
  }
  if (isOfBlob) putHeader(exchange, 'Content-Length', String(body.size));
  exchange.hasBlobLength = isOfBlob;
  exchange.isText =
    typeof body === 'string' || (body instanceof Readable && body.readableEncoding !== null);
  exchange.writer = undefined;
  setBody(exchange, toWritable(exchange, body));
  exchange.error = undefined;
  exchange.takenOver = false;
  exchange.flushesHead = false;
}

/**
 * Replaces the recorded body with another form of it. Keeps the status, the error and the headers, except
 * `Content-Length`. Destroys the new body if no body was recorded, or the response is final or sent.
 *
 * @returns Whether the body was replaced.
 */
export function replaceBody(exchange: Exchange, body: ResponseBody): boolean {
  const { phase, takenOver, res, body: replaced } = exchange;
  if (phase !== 'open' || takenOver || res.headersSent || replaced === undefined) {
    discardUnsent(exchange, body);
    return false;
  }
  deleteHeader(exchange, 'Content-Length');
  exchange.hasBlobLength = false;
  setBody(exchange, toWritable(exchange, body));
  return true;
}

/**
 * Frees the resources of a value that is not sent, such as the file of a stream, unless it is the recorded body, or that
 * reads from it.
 */
export function discardUnsent(exchange: Exchange, value: unknown): void {
  const { body } = exchange;
  if (value === body || (body instanceof Chunks && body.source === value)) return;
  if (roleOf(value) === 'response') descriptionOf(value)?.discard?.();
  const unsent = isResponse(value) ? value.body : value;
  const note = (error: unknown): void => noteFailure(exchange, error);
  if (unsent instanceof Readable) {
    markUnsent(exchange);
    unsent.on('error', note).destroy();
  } else if (isWebStream(unsent) && !unsent.locked) {
    markUnsent(exchange);
    cancelStream(unsent).catch(note);
  }
}

/** The most bytes of a stream with a `Content-Length` that are held before the response begins. */
const MAX_READ_AHEAD = 16_384;

/**
 * Lets the recorded stream fail when it has more or fewer bytes than `Content-Length`.
 *
 * @returns The stream that replaces it.
 */
export function checkChunks(exchange: Exchange, body: Readable): Readable {
  const checked = new Chunks(body, exchange, MAX_READ_AHEAD);
  setBody(exchange, checked);
  return checked;
}

/** Clears the status, the body and the headers that describe the body. */
export function reset(exchange: Exchange): void {
  if (exchange.phase !== 'open') return;
  const names = exchange.rawHeaders.filter((_text, index) => index % 2 === 0).map(String);
  for (const name of names) if (BODY_HEADER.test(name)) deleteHeader(exchange, name);
  exchange.defaultType = undefined;
  exchange.hasBlobLength = false;
  exchange.writer = undefined;
  setBody(exchange, undefined);
  exchange.status = undefined;
  exchange.takenOver = false;
}

/** Same as `ctx.upgrade()`. Records 101, and that nothing can be sent. */
export function upgrade(exchange: Exchange): UpgradedConnection {
  const { res, phase, method, target } = exchange;
  if (phase !== 'open' || res.headersSent) {
    throw new TypeError(
      `Cannot upgrade the connection of ${method} ${target.path}: its response was sent. Call ctx.upgrade() once, before the response.`,
    );
  }
  const upgraded = takeUpgrade(res);
  if (upgraded === undefined) {
    throw new HttpError(426, 'This resource needs a WebSocket connection.', {
      code: 'UPGRADE_REQUIRED',
      headers: { Upgrade: 'websocket', Connection: 'close, Upgrade' },
    });
  }
  reset(exchange);
  exchange.status = 101;
  exchange.takenOver = true;
  exchange.phase = 'upgraded';
  return upgraded;
}

function setBody(exchange: Exchange, body: WritableBody | undefined): void {
  const replaced = exchange.body;
  exchange.body = body;
  if (body instanceof Readable) {
    // A stream may fail before it is sent. The writer checks `errored`.
    body.on('error', (error) => {
      if (exchange.body !== body) noteFailure(exchange, error);
    });
    // The new body may read from the one that it replaces, like a compressed stream.
    if (replaced instanceof Readable && body !== replaced)
      body.once('close', () => replaced.destroy());
  } else if (replaced instanceof Readable) {
    markUnsent(exchange);
    replaced.destroy();
  }
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

/** @throws {TypeError} When a value is not a body. */
export function assertBody(call: string, body: unknown, alternative = ''): void {
  if (typeof body === 'string' || isBody(body)) return;
  const received = `${call} received ${describeValue(body)}`;
  throw new TypeError(`${received}. Pass text, bytes or a stream${alternative}.`);
}

function isBlob(value: unknown): value is Blob {
  const tag = tagOf(value);
  return tag === 'Blob' || tag === 'File';
}

/** Whether a value is a web `Response`, from Node.js or a package. */
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
 * 'close', but a canceled web stream notifies nobody. Objects that a stream produces are checked.
 */
function toWritable(exchange: Exchange, body: ResponseBody): WritableBody {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof Readable) return body.readableObjectMode ? new Chunks(body, exchange) : body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body))
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (isBlob(body)) return Readable.fromWeb(body.stream() as ReadableStream);
  if (isWebStream(body)) assertUnread(body);
  const chunks = isWebStream(body) ? chunksOf(body) : body;
  return new Chunks(Readable.from(keepContext(chunks)), exchange);
}

function isWebStream(body: unknown): body is ReadableStream {
  return tagOf(body) === 'ReadableStream';
}

/**
 * Records a web `Response`. Its headers replace recorded ones, except that values of `Vary` and
 * `Set-Cookie` are added. Ignores headers about a connection, and those that its `Connection` names: the
 * writer decides about the connection of this response.
 *
 * @throws {TypeError} When its body was read, or its status is not from 200 to 599.
 */
export function recordResponse(exchange: Exchange, response: Response): void {
  const { status, bodyUsed, body } = response;
  if (bodyUsed || status < 200) {
    const problem = bodyUsed ? 'its body was already read' : `its status is ${status}`;
    throw new TypeError(`Cannot send the Response: ${problem}. Create a new Response.`);
  }
  const named = response.headers
    .get('Connection')
    ?.toLowerCase()
    .split(/[\s,]+/);
  // A response with a URL comes from fetch(), which has decoded its body.
  const isFetched = response.url !== '';
  for (const [name, value] of response.headers) {
    if (isHopByHop(name) || named?.includes(name)) continue;
    if (name === 'vary' || name === 'set-cookie') appendHeader(exchange, name, value);
    else if (!isFetched || !OF_ENCODED_BODY.test(name)) setHeader(exchange, name, value);
  }
  if (exchange.phase === 'open') exchange.status = status;
  // fetch() gives a response to HEAD no body. Empty text would be sent with `Content-Length: 0`.
  const isOfHead = isFetched && exchange.method === 'HEAD';
  record(exchange, body ?? (isOfHead ? Readable.from([]) : ''), undefined);
}

/**
 * Replaces the recorded response with an error's body. Keeps headers that do not describe a body, such
 * as those of CORS. With a cookie, the response has `Cache-Control: no-store`.
 *
 * @param ctx - Passed to `format`.
 * @param error - Any thrown value.
 * @param policy - Determines the format of the body, and whether it includes the error's stack.
 * @see RFC 9457
 */
export function recordError<Ctx>(
  exchange: Exchange<Ctx>,
  ctx: Ctx,
  error: unknown,
  { includeStack, format }: Pick<ErrorPolicy<Ctx>, 'includeStack' | 'format'>,
): void {
  const problem = describeProblem(error, exchange.target.path, includeStack);
  reset(exchange);
  if (exchange.phase === 'open') exchange.status = problem.status;
  // Shared caches may store errors such as 404, and would send the cookie to other clients.
  if (getHeader(exchange, 'Set-Cookie') !== undefined)
    setHeader(exchange, 'Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(readHttpError(error)?.headers ?? {}))
    setHeader(exchange, name, value);
  // A promise that was thrown by mistake.
  if (error instanceof Promise) ignoreRejections(error);
  const body = format?.(problem, error, ctx) ?? problem;
  if (!isFilled(exchange)) {
    const type = body === problem ? 'application/problem+json' : 'application/json; charset=utf-8';
    record(exchange, serialize(body), type);
  }
  exchange.error = error;
}

/**
 * Same as {@link recordError}, with a generic 500 for an error that cannot be serialized.
 *
 * @returns The error of the response.
 */
export function recordSerializable<Ctx>(
  exchange: Exchange<Ctx>,
  ctx: Ctx,
  error: unknown,
  policy: ErrorPolicy<Ctx>,
): unknown {
  try {
    recordError(exchange, ctx, error, policy);
    return error;
  } catch (failure) {
    const both = new AggregateError(
      [error, failure],
      'An error could not be written as a response. Check its details and headers, and the format option.',
    );
    recordError(exchange, ctx, both, { ...policy, format: undefined });
    return both;
  }
}

/** Matches the headers of a body before fetch() has decoded it. */
const OF_ENCODED_BODY = /^content-(?:encoding|length)$/;
