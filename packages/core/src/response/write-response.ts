import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Answer, ResponseBody } from '../context/answer.js';

/** Statuses whose response has no content. */
const BODILESS = new Set([204, 205, 304]);

/**
 * Writes a recorded answer: the only place that does. Leaves a response alone that was taken over,
 * or that has begun.
 *
 * @param answer - What the pipeline has recorded.
 * @param res - The response, of which nothing has been written.
 * @param close - Whether the connection is to end with this response.
 * @param onError - Is told of a body that failed while it was sent; the connection is closed then.
 * @see RFC 9110 §8.6 (Content-Length), §9.3.2 (HEAD), §15.3.5, §15.3.6, §15.4.5 (no content)
 */
export function writeResponse(
  answer: Answer,
  res: ServerResponse,
  close: boolean,
  onError: (error: unknown) => void,
): void {
  if (answer.takenOver || res.headersSent || res.destroyed) {
    discard(answer.body);
    return;
  }
  const { headers, status = 200 } = answer;
  const body = BODILESS.has(status) ? undefined : answer.body;
  if (body !== answer.body) {
    discard(answer.body);
    headers.delete('Content-Type');
  }
  headers.delete('Transfer-Encoding');
  if (close) headers.set('Connection', 'close');
  if (isStream(body)) sendStream(body, res, status, headers.toLines(), onError);
  else sendWhole(body ?? '', res, status, answer);
}

function sendWhole(
  body: string | Uint8Array,
  res: ServerResponse,
  status: number,
  { headers }: Answer,
): void {
  headers.delete('Content-Length');
  const lines = headers.toLines();
  const length = Buffer.byteLength(body);
  if (status !== 204 && status !== 304) lines.push('Content-Length', String(length));
  res.writeHead(status, lines);
  if (length === 0 || res.req.method === 'HEAD') res.end();
  // Text of one byte a character is ASCII, which node writes fastest as latin1.
  else if (length === body.length && typeof body === 'string') res.end(body, 'latin1');
  else res.end(body);
}

function sendStream(
  body: Readable | ReadableStream,
  res: ServerResponse,
  status: number,
  lines: (string | number | string[])[],
  onError: (error: unknown) => void,
): void {
  res.strictContentLength = true;
  res.writeHead(status, lines);
  if (res.req.method === 'HEAD') {
    discard(body);
    res.end();
    return;
  }
  const source = body instanceof Readable ? body : Readable.fromWeb(body);
  pipeline(source, res, (error) => {
    const clientLeft = error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && res.destroyed;
    if (error && !clientLeft) onError(error);
  });
}

function isStream(body: ResponseBody | undefined): body is Readable | ReadableStream {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

/** Lets go of what a stream that is not sent holds open. */
function discard(body: ResponseBody | undefined): void {
  if (body instanceof Readable) body.destroy();
  else if (isStream(body)) void body.cancel();
}
