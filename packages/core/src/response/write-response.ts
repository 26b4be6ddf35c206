import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { isStream, releaseBody } from '../context/answer.js';
import { type Context, internals } from '../context/context.js';
import {
  type HeaderValue,
  linesOf,
  putHeader,
  type ResponseHeaders,
} from '../context/response-headers.js';
import { BODILESS } from './bodiless.js';
import { announceEnd, keepAliveOf } from './connection.js';

/**
 * Writes a recorded answer: the only place that does. Leaves a response alone that was taken over,
 * or that has begun.
 *
 * @param ctx - Context of a request that the pipeline is done with.
 * @param close - Whether the connection is to end with this response.
 * @param onError - Is told of a body that failed while it was sent, where no error handler is; the
 *   connection is closed then.
 * @see RFC 9110 §8.6 (Content-Length), §9.3.2 (HEAD), §15.3.5, §15.3.6, §15.4.5 (no content)
 */
export function writeResponse(
  ctx: Context,
  close: boolean,
  onError: (error: unknown) => void,
): void {
  const { res } = ctx;
  const answer = internals.answerOf(ctx);
  if (answer.takenOver || res.headersSent || res.destroyed) {
    releaseBody(answer.body);
    return;
  }
  const { headers, status = 200 } = answer;
  const body = BODILESS.has(status) ? undefined : answer.body;
  if (body !== answer.body) {
    releaseBody(answer.body);
    headers.delete('Content-Type');
  }
  headers.delete('Transfer-Encoding');
  if (close) putHeader(headers, 'Connection', 'close');
  if (close || asksToClose(headers.get('Connection'))) announceEnd(res);
  else announceKeepAlive(res, headers);
  if (isStream(body)) sendStream(body, ctx, status, headers, answer.onError ?? onError);
  else sendWhole(body ?? '', ctx, status, headers);
}

/** Whether a `Connection` header has the option `close`. @see RFC 9110 §7.6.1 */
function asksToClose(connection: HeaderValue | undefined): boolean {
  if (connection === undefined) return false;
  const options = String(connection).toLowerCase().split(',');
  return options.some((option) => option.trim() === 'close');
}

/** Tells the client when to stop using its connection, so that it does so before the server does. */
function announceKeepAlive(res: Context['res'], headers: ResponseHeaders): void {
  const value = keepAliveOf(res);
  if (value !== undefined) putHeader(headers, 'Keep-Alive', value);
}

function sendWhole(
  body: string | Uint8Array,
  { res }: Context,
  status: number,
  headers: ResponseHeaders,
): void {
  const length = Buffer.byteLength(body);
  if (status === 204 || status === 304) headers.delete('Content-Length');
  else putHeader(headers, 'Content-Length', String(length));
  res.writeHead(status, linesOf(headers));
  if (length === 0 || res.req.method === 'HEAD') res.end();
  // Text of one byte a character is ASCII, which node writes fastest as latin1.
  else if (length === body.length && typeof body === 'string') res.end(body, 'latin1');
  else res.end(body);
}

function sendStream(
  body: Readable | ReadableStream,
  ctx: Context,
  status: number,
  headers: ResponseHeaders,
  onError: (error: unknown, ctx: Context) => void,
): void {
  const { res } = ctx;
  const source = body instanceof Readable ? body : Readable.fromWeb(body);
  if (source.errored) throw source.errored;
  res.writeHead(status, linesOf(headers));
  if (res.req.method === 'HEAD') {
    releaseBody(source);
    res.end();
    return;
  }
  const done = (error: NodeJS.ErrnoException | null): void => {
    const clientLeft = error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && res.destroyed;
    if (error && !clientLeft) onError(error, ctx);
  };
  const length = headers.get('Content-Length');
  if (length === undefined) pipeline(source, res, done);
  else pipeline(source, (chunks: Readable) => holdTo(Number(length), chunks), res, done);
}

/** Passes chunks on; fails where they are not as many bytes as was announced, before one too many. */
async function* holdTo(length: number, chunks: AsyncIterable<string | Uint8Array>) {
  let sent = 0;
  for await (const chunk of chunks) {
    sent += Buffer.byteLength(chunk);
    if (sent > length) break;
    yield chunk;
  }
  if (sent === length) return;
  throw new RangeError(
    `The stream holds ${sent > length ? 'more' : 'fewer'} bytes than its Content-Length of ${length}.`,
  );
}
