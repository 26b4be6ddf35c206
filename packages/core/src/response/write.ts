import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { NO_CONTENT_STATUSES, withCharset } from '@fairlead/options';
import { failureOf } from '../exchange/disconnection.js';
import type { Exchange } from '../exchange/exchange.js';
import { ServerResponse as NodeResponse } from '../node-http.js';
import { announceEnd, onClose } from '../server/connection.js';
import { Chunks, findUnreadable } from './chunks.js';
import { hasUnsent, startReports } from './failures.js';
import { deleteHeader, getHeader, putHeader } from './headers.js';
import { checkChunks, record } from './record.js';

const { writeHead, setHeader, end } = NodeResponse.prototype;

/** Same as {@link record}, for text, which most responses are. */
export function recordText(exchange: Exchange, text: string, type: string): void {
  const { body, rawHeaders, phase } = exchange;
  const hasType = rawHeaders.length > 0 && getHeader(exchange, 'Content-Type') !== undefined;
  if (body !== undefined || phase !== 'open' || hasType) {
    record(exchange, text, type);
    return;
  }
  rawHeaders.push('Content-Type', type);
  exchange.defaultType = type;
  exchange.body = text;
  exchange.isText = true;
  exchange.error = undefined;
  exchange.takenOver = false;
  exchange.flushesHead = false;
}

/**
 * Sends the recorded text of a response that needs nothing else, as most do: in one write, over a connection
 * that stays open.
 *
 * @returns Whether it did. Otherwise call {@link startOf} and {@link write}.
 */
export function writeText(exchange: Exchange): boolean {
  const { body, status = 200, rawHeaders, res, connection, defaultType } = exchange;
  if (
    typeof body !== 'string' ||
    body === '' ||
    exchange.isSpecial ||
    exchange.takenOver ||
    exchange.method === 'HEAD' ||
    (status !== 200 && NO_CONTENT_STATUSES.has(status)) ||
    res.headersSent ||
    res.destroyed ||
    res.writeHead !== writeHead ||
    res.setHeader !== setHeader ||
    res.end !== end ||
    connection?.closing?.hasBegun ||
    connection?.continues !== undefined
  ) {
    return false;
  }
  if (connection?.keepAlive !== undefined && res.shouldKeepAlive && res.useChunkedEncodingByDefault)
    rawHeaders.push('Keep-Alive', connection.keepAlive);
  if (rawHeaders[1] !== defaultType) completeType(exchange);
  const length = Buffer.byteLength(body);
  rawHeaders.push('Content-Length', String(length));
  res.writeHead(status, rawHeaders);
  // ASCII, which Node.js writes fastest as latin1.
  if (length === body.length) res.end(body, 'latin1');
  else res.end(body);
  if (exchange.phase === 'open') exchange.phase = 'sent';
  return true;
}

/** Adds the charset to a text type, if the body consists of strings. */
function completeType(exchange: Exchange): void {
  if (!exchange.isText) return;
  const type = String(getHeader(exchange, 'Content-Type') ?? '');
  const complete = withCharset(type);
  if (complete !== type) putHeader(exchange, 'Content-Type', complete);
}

/**
 * Starts reading a recorded stream, and returns a promise that resolves when the stream has produced its
 * first bytes, ended or failed, or the connection has closed. Sending the head earlier would turn a stream
 * that fails immediately into a truncated response. A stream with a `Content-Length` gets one more turn of the
 * event loop, so that a short one is read to its end. For HEAD, only waits until a file is open, or the charset
 * is known.
 *
 * @returns Undefined for a response that need not wait.
 */
export function startOf(exchange: Exchange): Promise<void> | undefined {
  const { status = 200, method, res, body } = exchange;
  if (!(body instanceof Readable) || body.destroyed || body.readableEnded || res.destroyed)
    return undefined;
  if (NO_CONTENT_STATUSES.has(status)) return undefined;
  if (method === 'HEAD') {
    if ('pending' in body && body.pending === true) return untilStarted(body, 'ready', res, 0);
    const isStarted = exchange.flushesHead || body.readableLength > 0;
    return isStarted || !(body instanceof Chunks)
      ? undefined
      : untilStarted(body, 'readable', res, 0);
  }
  const hasLength = getHeader(exchange, 'Content-Length') !== undefined;
  // A flowing stream has another reader.
  const stream = hasLength || body.readableFlowing ? checkChunks(exchange, body) : body;
  if (exchange.flushesHead || (stream.readableLength > 0 && !hasLength)) return undefined;
  return untilStarted(stream, 'readable', res, hasLength ? 1 : 0);
}

/**
 * Waits for an event of a stream, or until it or the response has closed.
 *
 * @param turns - How many turns of the event loop to wait after the event: 0 or 1.
 */
function untilStarted(
  stream: Readable,
  event: 'readable' | 'ready',
  res: ServerResponse,
  turns: 0 | 1,
): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      // A stream with such a listener does not flow.
      stream.off(event, start).off('close', settle);
      resolve();
    };
    const start = (): void => {
      if (turns === 0) settle();
      else setImmediate(settle);
    };
    stream.once(event, start).once('close', settle);
    onClose(res, settle);
  });
}

/**
 * Sends a recorded response. Discards it when the raw response was taken over, its headers were sent,
 * or the connection has closed.
 *
 * @param ctx - Passed to `onError`, which is called when a streamed body fails. The connection is closed.
 * @see RFC 9110 §8.6 (Content-Length), §9.3.2 (HEAD), §15.3.5, §15.3.6, §15.4.5 (no content)
 */
export function write<Ctx>(exchange: Exchange<Ctx>, ctx: Ctx): void {
  const { res, takenOver } = exchange;
  if (takenOver || res.headersSent || res.destroyed) discardBody(exchange, ctx);
  else send(exchange, ctx);
  if (hasUnsent(exchange)) startReports(exchange, ctx);
}

function send<Ctx>(exchange: Exchange<Ctx>, ctx: Ctx): void {
  const { res, status = 200 } = exchange;
  const hasContent = !NO_CONTENT_STATUSES.has(status);
  if (!hasContent && exchange.body !== undefined) {
    discardBody(exchange, ctx);
    deleteHeader(exchange, 'Content-Type');
  }
  deleteHeader(exchange, 'Transfer-Encoding');
  setConnection(exchange);
  const body = hasContent ? (exchange.body ?? '') : '';
  if (body instanceof Readable) {
    sendStream(body, exchange, ctx);
    if (exchange.flushesHead) res.flushHeaders();
  } else sendWhole(body, exchange);
  if (exchange.phase === 'open') exchange.phase = 'sent';
}

/** Destroys the stream of a response that sends no body. */
function discardBody<Ctx>(exchange: Exchange<Ctx>, ctx: Ctx): void {
  const { body } = exchange;
  if (!(body instanceof Readable)) return;
  const report = startReports(exchange, ctx);
  body.on('error', (error) => report(error)).destroy();
}

/**
 * Whether the connection has to close after a response: the server is closing, and this is the last one; or
 * the client never got `100 Continue`, so that it may or may not send its body.
 */
function endsConnection({ req, res, connection }: Exchange): boolean {
  if (connection === undefined) return false;
  const isLast = connection.closing?.hasBegun && (connection.latest ?? res) === res;
  return isLast || connection.continues?.has(req) === true;
}

/**
 * Announces whether the connection continues. It does not if the `Connection` header of the response says so, or
 * if nothing can follow the request.
 *
 * @see RFC 9110 §7.6.1, RFC 9112 §9.6
 */
function setConnection(exchange: Exchange): void {
  const { res, connection } = exchange;
  const value = getHeader(exchange, 'Connection');
  const options = value === undefined ? NONE : optionsOf(String(value));
  if (options.includes('close')) announceEnd(res, connection);
  else if (endsConnection(exchange) || (value !== undefined && !res.shouldKeepAlive)) {
    const others = options.filter((option) => option !== 'keep-alive');
    putHeader(exchange, 'Connection', ['close', ...others].join(', '));
    announceEnd(res, connection);
  } else announceKeepAlive(exchange);
}

const NONE: readonly string[] = [];

function optionsOf(connection: string): readonly string[] {
  return connection
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((option) => option !== '');
}

/** Announces the idle timeout, so the client stops using the connection before the server closes it. */
function announceKeepAlive(exchange: Exchange): void {
  const { res, connection } = exchange;
  // Node closes the connection after an HTTP/1.0 response without a length.
  const isKept = res.shouldKeepAlive && res.useChunkedEncodingByDefault;
  if (isKept && connection?.keepAlive !== undefined)
    putHeader(exchange, 'Keep-Alive', connection.keepAlive);
}

function sendHead({ res, rawHeaders, status = 200 }: Exchange): void {
  if (res.writeHead === writeHead && res.setHeader === setHeader && res.end === end) {
    res.writeHead(status, rawHeaders);
    return;
  }
  // Middleware has wrapped the response. Node.js sends the head with the body. Wrappers may call `setHeader`
  // until then, and many cannot read the array that `writeHead` accepts.
  res.statusCode = status;
  for (let index = 0; index < rawHeaders.length; index += 2)
    res.setHeader(String(rawHeaders[index]), rawHeaders[index + 1] ?? '');
}

function sendWhole(body: string | Uint8Array, exchange: Exchange): void {
  const { res, status, method } = exchange;
  const length = Buffer.byteLength(body);
  const isHead = method === 'HEAD';
  if (status === 204 || status === 304) deleteHeader(exchange, 'Content-Length');
  // A HEAD route may state the length of the body that it omits.
  else if (!(isHead && length === 0 && getHeader(exchange, 'Content-Length') !== undefined))
    putHeader(exchange, 'Content-Length', String(length));
  completeType(exchange);
  sendHead(exchange);
  if (length === 0 || isHead) res.end();
  else if (length === body.length && typeof body === 'string') res.end(body, 'latin1');
  else res.end(body);
}

function sendStream<Ctx>(body: Readable, exchange: Exchange<Ctx>, ctx: Ctx): void {
  const { res } = exchange;
  const problem = findUnreadable(body);
  if (problem !== undefined) throw problem;
  const length = getHeader(exchange, 'Content-Length');
  if (length !== undefined && !/^\d+$/.test(String(length))) {
    throw new RangeError(`Invalid Content-Length: ${String(length)}. Set a number of bytes.`);
  }
  completeType(exchange);
  sendHead(exchange);
  exchange.phase = 'streaming';
  const report = startReports(exchange, ctx);
  body.on('error', (error) => report(error));
  if (exchange.method === 'HEAD') {
    body.destroy();
    res.end();
    return;
  }
  pipeline(body, res, (error) => {
    if (!error) return;
    const failure = failureOf(exchange);
    report(failure ?? error, failure === undefined);
  });
}
