import { isErrored, isReadable, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Exchange } from '../exchange/exchange.js';
import { getHeader } from './headers.js';

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
      if (!source.readableEnded) this.#stop();
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
    source.destroy();
    if (source.closed) callback(error);
    else source.once('close', () => callback(error));
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
      this.destroy(error as Error);
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
  if (isClosed && Readable.isDisturbed(readable)) throw usedUp();
}

function usedUp(): TypeError {
  return new TypeError(
    'Cannot send the stream: it was already read or destroyed. Create a new stream for each response.',
  );
}

function wrongLength(word: 'fewer' | 'more', length: number): RangeError {
  return new RangeError(
    `The stream has ${word} bytes than its Content-Length of ${length}. Set Content-Length to the size of the stream, or omit it.`,
  );
}
