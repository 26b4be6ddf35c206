import { AsyncLocalStorage } from 'node:async_hooks';
import { isErrored, isReadable, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { cancelStream, isCanceled } from '../cancel-stream.js';
import type { Exchange } from '../exchange/exchange.js';
import { noteFailure } from './failures.js';
import { getHeader } from './headers.js';

/** Reads a web stream like a generator, but cancels it at once. `Readable.fromWeb()` loses the errors of `cancel()`. */
export function chunksOf(stream: ReadableStream): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]: () => {
      const reader = stream.getReader();
      return {
        next: () => reader.read(),
        return: async () => {
          await cancelStream(stream, undefined, reader);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/**
 * Runs the steps of a generator in the async context of the caller, which is not that of the writer. Lets the failure of
 * a step that runs while the stream is destroyed become the error of the stream.
 */
export function keepContext(iterable: AsyncIterable<unknown>): AsyncIterable<unknown> {
  const inContext = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = inContext(() => iterable[Symbol.asyncIterator]());
      let failure: { readonly error: unknown } | undefined;
      const keep = (error: unknown): never => {
        failure = { error };
        throw error;
      };
      return {
        next: async () => {
          try {
            return await inContext(() => iterator.next());
          } catch (error) {
            return keep(error);
          }
        },
        return: async () => {
          try {
            await inContext(() => iterator.return?.());
            if (failure !== undefined) throw failure.error;
          } catch (error) {
            // A stream would take undefined for no failure.
            throw error ?? closedEarly();
          }
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/**
 * The bytes of a stream, as a response writes them. Fails with a chunk that is neither text nor bytes, and with
 * more or fewer bytes than the `Content-Length` of the response. Reads from the stream once it is read itself, and
 * destroys it when it closes.
 */
export class Chunks extends Readable {
  readonly source: Readable;
  readonly #exchange: Exchange;
  #sent = 0;
  #isReading = false;
  /** Why the source has stopped early, while chunks of it are still unread. */
  #stopped: { readonly error: Error | undefined } | undefined = undefined;

  /** @param highWaterMark - The bytes to hold before they are read. By default, one chunk. */
  constructor(source: Readable, exchange: Exchange, highWaterMark = 1) {
    super({ highWaterMark });
    this.source = source;
    this.#exchange = exchange;
    source.on('error', (error) => this.#stop(error));
    source.on('close', () => {
      if (!source.readableEnded) this.#stop(this.#isReading ? closedEarly() : undefined);
    });
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size);
    const stopped = this.#stopped;
    // What was read is written first.
    if (stopped !== undefined && this.readableLength === 0)
      setImmediate(() => this.destroy(stopped.error));
    return chunk;
  }

  override _read(): void {
    const source = this.source;
    if (this.#isReading) source.resume();
    else this.#start(source);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const source = this.source;
    const finish = (): void => {
      const { errored } = source;
      if (errored && errored !== error) noteFailure(this.#exchange, errored);
      callback(error);
    };
    source.destroy();
    if (source.closed) finish();
    else source.once('close', finish);
  }

  #start(source: Readable): void {
    this.#isReading = true;
    const problem = findUnreadable(source);
    if (problem !== undefined) this.destroy(problem);
    else if (source.readableEnded) this.#end();
    else {
      source.on('data', (chunk) => this.#forward(chunk)).once('end', () => this.#end());
      // It may have been paused.
      source.resume();
    }
  }

  #forward(chunk: string | Uint8Array): void {
    if (this.destroyed) return;
    // Another form of the body, such as a compressed one, is still text.
    if (typeof chunk === 'string') this.#exchange.isText = true;
    try {
      this.#sent += Buffer.byteLength(chunk);
    } catch (error) {
      this.destroy(explainChunk(error as Error, this.#exchange));
      return;
    }
    const length = this.#length;
    if (length !== undefined && this.#sent > length) this.destroy(wrongLength('more', length));
    else if (!this.push(chunk)) this.source.pause();
  }

  #end(): void {
    const length = this.#length;
    if (length === undefined || this.#sent === length) this.push(null);
    else this.destroy(wrongLength('fewer', length));
  }

  /** The number of bytes that the response states. A form that replaces this one may have another length. */
  get #length(): number | undefined {
    if (this.#exchange.body !== this) return undefined;
    const length = getHeader(this.#exchange, 'Content-Length');
    return length === undefined ? undefined : Number(length);
  }

  /** Fails once the chunks before the failure were read. */
  #stop(error?: Error): void {
    if (this.readableLength === 0) this.destroy(error);
    else this.#stopped ??= { error };
  }
}

/** Returns the error of a stream of which nothing can be read, although it is not empty. */
export function findUnreadable(stream: Readable): Error | undefined {
  if (stream.errored) return stream.errored;
  const isUsedUp = stream.readableEnded ? stream.readableDidRead : stream.destroyed;
  return isUsedUp ? usedUp() : undefined;
}

/** @throws {TypeError} When a web stream was read to its end or canceled. */
export function assertUnread(stream: ReadableStream): void {
  // These functions accept web streams, which their types do not say.
  const readable = stream as object as NodeJS.ReadableStream;
  const isClosed = isReadable(readable) === false && !isErrored(readable);
  if (isCanceled(stream) || (isClosed && Readable.isDisturbed(readable))) throw usedUp();
}

function usedUp(): TypeError {
  return new TypeError(
    'Cannot send the stream: it was already read or destroyed. Create a new stream for each response.',
  );
}

/** Names the request and the fix in the error of Node.js for a chunk that is neither text nor bytes. */
function explainChunk(cause: NodeJS.ErrnoException, { method, route, target }: Exchange): Error {
  const problem = `Cannot send a chunk of the stream for ${method} ${route?.pattern ?? target.path}: ${cause.message}`;
  const message = `${problem}. Yield text or bytes, such as JSON.stringify(row) + '\\n'. For server-sent events, return eventStream() of @fairlead/middleware.`;
  return Object.assign(new TypeError(message, { cause }), { code: cause.code });
}

function closedEarly(): Error {
  return new Error(
    'The stream closed before its end, without an error. Throw an Error, not undefined, or destroy the stream with one.',
  );
}

function wrongLength(word: 'fewer' | 'more', length: number): RangeError {
  return new RangeError(
    `The stream has ${word} bytes than its Content-Length of ${length}. Set Content-Length to the size of the stream, or omit it.`,
  );
}
