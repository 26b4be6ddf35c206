import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeValue } from '@fairlead/options';

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The most bytes that are held of a body in several chunks. */
const MAX_HELD = 1_048_576;

/**
 * Whether headers describe a `FormData` of this process. When such a body is canceled, Node.js fails with an unhandled
 * rejection.
 */
export function isOfFormData(headers: Headers): boolean {
  return /boundary=-+formdata-undici-/.test(headers.get('Content-Type') ?? '');
}

/**
 * Starts reading the body of a web `Request`.
 *
 * @returns The whole body, if its source does not wait for anything; otherwise a stream. Destroy it to cancel the body.
 * @throws The error of the body, or the abort reason of the request's signal.
 */
export async function startBody(request: Request): Promise<Buffer | Readable> {
  const { body, bodyUsed, signal } = request;
  // Requests of some libraries have no web stream.
  if (bodyUsed || typeof body?.getReader !== 'function')
    return Buffer.from(await unlessAborted(request.arrayBuffer(), signal));
  const reader = body.getReader();
  const isForm = isOfFormData(request.headers);
  const end = (reason: unknown, done: () => void): void => {
    (isForm ? drain(reader) : reader.cancel(reason)).then(done, done);
  };
  const held: Uint8Array[] = [];
  let pending: ReturnType<Reader['read']> | undefined;
  try {
    for (let size = 0; size <= MAX_HELD || held.length === 1; ) {
      pending = reader.read();
      const next = await Promise.race([pending, twoTurns()]);
      signal.throwIfAborted();
      if (next === undefined) break;
      pending = undefined;
      if (next.done) return Buffer.concat(held);
      held.push(assertBytes(next.value));
      size += next.value.length;
    }
  } catch (error) {
    end(error, () => undefined);
    throw error;
  }
  let left = lengthOf(request.headers) ?? Number.NaN;
  const stream: Readable = new Readable({
    read() {
      const chunk = held.shift();
      const next = chunk
        ? Promise.resolve({ done: false, value: chunk })
        : (pending ?? reader.read());
      if (chunk === undefined) pending = undefined;
      next
        .then(({ done, value }) => {
          left -= done ? 0 : assertBytes(value).length;
          if (left < 0 || (done && left > 0)) throw wrongLength();
          stream.push(done ? null : value);
        })
        .catch((error: Error) => stream.destroy(error));
    },
    destroy: (error, callback) =>
      end(signal.aborted ? signal.reason : (error ?? undefined), () => callback(error)),
  });
  return stream;
}

/** Returns the length that headers state. Undefined without a valid one. */
export function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('Content-Length') ?? '';
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** A `Blob` that is in memory takes a turn of the event loop for each chunk. */
async function twoTurns(): Promise<undefined> {
  await nextTurn();
  await nextTurn();
}

/** Reads a body to its end. */
async function drain(reader: Reader): Promise<void> {
  let isDone = false;
  while (!isDone) isDone = (await reader.read()).done;
}

/** Settles with a promise, or rejects with the reason of a signal that aborts before. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const listening = addAbortListener(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(() => listening[Symbol.dispose]());
  });
}

function assertBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError(
    `app.fetch() cannot send ${describeValue(chunk)} as a chunk of the request's body. Use a Uint8Array.`,
  );
}

function wrongLength(): RangeError {
  return new RangeError(
    'app.fetch() cannot send the body of the request: its Content-Length is wrong. Omit the header, or state the number of bytes.',
  );
}
