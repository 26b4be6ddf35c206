import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeValue } from '@fairlead/options';
import { cancelStream } from '../cancel-stream.js';

/** The most bytes of a body in several chunks that are joined before it is sent. */
const MAX_JOINED = 1_048_576;

/** Matches the type of a `FormData` of Node.js, which clients send, too. */
const FORM = /^multipart\/form-data; *boundary=-{4}formdata-undici-/i;

/** The turns of the event loop in which Node.js has written a `FormData` in memory to its stream. */
const FORM_TURNS = 10;

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
  const isForm = FORM.test(request.headers.get('Content-Type') ?? '');
  const end = async (reason: unknown): Promise<void> => {
    // The mark of cancelStream() does not reach the stream behind a Request that was created from another.
    for (let turn = 0; isForm && turn < FORM_TURNS; turn += 1) await nextTurn();
    await cancelStream(body, reason, reader);
  };
  /** Nobody waits for the source, or reports how its end fails. */
  const cancel = (reason: unknown): void => {
    end(reason).catch(() => undefined);
  };
  const chunks: Uint8Array[] = [];
  const reads: ReturnType<typeof reader.read>[] = [];
  try {
    for (let size = 0; size <= MAX_JOINED || chunks.length === 1; ) {
      const read = reader.read();
      reads.push(read);
      const next = await Promise.race([read, twoTurns()]);
      signal.throwIfAborted();
      if (next === undefined) break;
      if (next.done) return Buffer.concat(chunks);
      chunks.push(assertBytes(next.value));
      size += next.value.length;
    }
  } catch (error) {
    cancel(error);
    throw signal.aborted ? signal.reason : reasonOf(error);
  }
  reads.reverse();
  let left = lengthOf(request.headers) ?? Number.NaN;
  const stream: Readable = new Readable({
    read() {
      (reads.pop() ?? reader.read())
        .then(({ done, value }) => {
          left -= done ? 0 : assertBytes(value).length;
          if (left < 0 || (done && left > 0)) throw wrongLength();
          stream.push(done ? null : value);
        })
        .catch((error: unknown) => stream.destroy(reasonOf(error)));
    },
    destroy(error, callback) {
      cancel(signal.aborted ? signal.reason : (error ?? undefined));
      callback(error);
    },
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

/** Returns what a body has failed with. A stream would take a missing reason for no failure. */
function reasonOf(error: unknown): Error {
  // Any value may be a reason.
  return (error || withoutReason()) as Error;
}

function withoutReason(): Error {
  return new Error(
    'app.fetch() cannot send the body of the request: it failed without a reason. Pass an Error to controller.error().',
  );
}

function wrongLength(): RangeError {
  return new RangeError(
    'app.fetch() cannot send the body of the request: its Content-Length is wrong. Omit the header, or state the number of bytes.',
  );
}
