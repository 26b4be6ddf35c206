import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** File descriptor of standard output. */
const STDOUT = 1;

/** Maximum size of a write, in bytes. A pipe keeps such blocks of several processes apart (PIPE_BUF). */
const MAX_WRITE = 4_096;

/** Maximum size of what waits for a slow reader, in bytes. Lines beyond it are dropped. */
const MAX_WAITING = 16 * 1_048_576;

/** Milliseconds until a full pipe is tried again. */
const RETRY = 5;

/** Milliseconds that {@link StandardOutput.flushSync} waits for a slow reader. */
const PATIENCE = 1_000;

/**
 * Standard output of this process, for logs. Lines of one turn of the event loop are written together. A full pipe
 * does not block: what it does not take waits, and is written later.
 *
 * Lines are lost if the output cannot be written, if more than {@link MAX_WAITING} would wait, and if a full pipe holds
 * up the end of the process.
 */
class StandardOutput {
  /** Whole lines for the next write. */
  #block = '';
  #blockSize = 0;
  /** Blocks, or the rest of one, that a full pipe did not take. */
  readonly #waiting: Buffer[] = [];
  #waitingSize = 0;
  #isScheduled = false;
  #isExiting = false;

  constructor() {
    // Node.js makes pipes and sockets non-blocking when it opens this stream.
    void process.stdout;
    process.once('exit', () => {
      this.flushSync();
      this.#isExiting = true;
    });
  }

  /** Writes a line at the end of this turn of the event loop. */
  write(line: string): void {
    const size = Buffer.byteLength(line);
    if (this.#waitingSize + size > MAX_WAITING) return;
    if (this.#blockSize + size > MAX_WRITE) this.#writeBlock();
    this.#block += line;
    this.#blockSize += size;
    if (this.#isExiting) this.#writeAll();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#writeAll);
    }
  }

  /** Writes a line now, unless a full pipe holds lines back. */
  readonly writeNow = (line: string): void => {
    this.write(line);
    this.#writeBlock();
  };

  /** Writes all lines. Gives up if the reader of a pipe takes nothing for a second. */
  flushSync(): void {
    this.#writeBlock();
    let deadline = performance.now() + PATIENCE;
    while (this.#waiting.length > 0 && performance.now() < deadline) {
      const size = this.#waitingSize;
      this.#writeWaiting();
      if (this.#waitingSize < size) deadline = performance.now() + PATIENCE;
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY);
    }
  }

  readonly #writeAll = (): void => {
    this.#isScheduled = false;
    this.#writeWaiting();
    this.#writeBlock();
    if (this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setTimeout(this.#writeAll, RETRY);
  };

  #writeBlock(): void {
    const size = this.#blockSize;
    if (size === 0) return;
    const written = this.#waiting.length === 0 ? tryWrite(this.#block) : 0;
    if (written < size) {
      this.#waiting.push(Buffer.from(this.#block).subarray(written));
      this.#waitingSize += size - written;
    }
    this.#block = '';
    this.#blockSize = 0;
  }

  #writeWaiting(): void {
    for (let [block] = this.#waiting; block !== undefined; [block] = this.#waiting) {
      const written = Math.min(tryWrite(block), block.length);
      this.#waitingSize -= written;
      if (written === block.length) this.#waiting.shift();
      else this.#waiting[0] = block.subarray(written);
      if (written === 0) return;
    }
  }
}

/** Returns how many bytes were written: none if a pipe is full, and all if they can never be written. */
function tryWrite(data: string | Buffer): number {
  try {
    return writeSync(STDOUT, data as string);
  } catch (error) {
    // A failing log must not end the service.
    return Object(error).code === 'EAGAIN' ? 0 : Number.POSITIVE_INFINITY;
  }
}

let output: StandardOutput | undefined;

/**
 * Returns standard output. All loggers share it, so their lines stay in order.
 *
 * @param isImmediate - Whether each line is written at once, in order with those of `console`.
 */
export function openStandardOutput(isImmediate: boolean): DestinationStream {
  output ??= new StandardOutput();
  const { writeNow } = output;
  return isImmediate ? { write: writeNow } : output;
}
