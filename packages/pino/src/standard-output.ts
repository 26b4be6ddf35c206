import { constants, fstatSync, openSync, writeSync } from 'node:fs';
// Tests may replace the global ones.
import { setImmediate, setTimeout } from 'node:timers';
import type { DestinationStream } from 'pino';

/** File descriptor of standard output. */
const STDOUT = 1;

/** Maximum size of a write, in bytes. A pipe keeps such blocks of several processes apart (PIPE_BUF). */
const MAX_WRITE = 4_096;

/** Maximum size of what waits for a slow reader, in bytes. Lines beyond it are dropped. */
const MAX_WAITING = 16 * 1_048_576;

/** Milliseconds until a full pipe is tried again. */
const RETRY = 5;

/** Milliseconds that {@link StandardOutput.flushSync} waits for a reader that takes nothing. */
const PATIENCE = 1_000;

/** Errors that may pass: a full pipe, a full disk, a busy file. After any other, nothing can ever be written. */
const PASSING: readonly unknown[] = ['EAGAIN', 'EBUSY', 'EDQUOT', 'ENOSPC'];

/**
 * Standard output of this process, for logs. Lines of one turn of the event loop are written together. A full pipe
 * does not block: what it does not take waits, and is written later.
 *
 * Lines are lost if the output cannot be written, if more than {@link MAX_WAITING} would wait, if a full pipe holds up
 * the end of the process, and if the process is killed in the turn that logs them.
 */
class StandardOutput {
  readonly #descriptor = openOutput();
  /** Whole lines for the next write. */
  #block = '';
  #blockSize = 0;
  /** Blocks that a full pipe did not take, in their order. */
  readonly #waiting = new Set<Buffer>();
  #waitingSize = 0;
  /** How much of the first of them was written. */
  #written = 0;
  #isScheduled = false;
  #isExiting = false;

  constructor() {
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

  /** Writes a line now. */
  readonly writeNow = (line: string): void => {
    this.write(line);
    this.flushSync();
  };

  /** Writes all lines. Gives up if the reader of a pipe takes nothing for a second. Loggers call it for level fatal. */
  flushSync(): void {
    this.#writeBlock();
    for (let waited = 0; this.#waiting.size > 0 && waited < PATIENCE; ) {
      if (this.#writeWaiting()) waited = 0;
      else {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY);
        waited += RETRY;
      }
    }
  }

  readonly #writeAll = (): void => {
    this.#isScheduled = false;
    const isProgress = this.#writeWaiting();
    this.#writeBlock();
    if (this.#waiting.size === 0) return;
    this.#isScheduled = true;
    if (isProgress) setImmediate(this.#writeAll);
    // The end of the process is patient, too.
    else setTimeout(this.#writeAll, RETRY).unref();
  };

  #writeBlock(): void {
    const [block, size] = [this.#block, this.#blockSize];
    if (size === 0) return;
    this.#block = '';
    this.#blockSize = 0;
    const written = this.#waiting.size === 0 ? this.#tryWrite(block) : 0;
    if (written >= size) return;
    this.#waiting.add(Buffer.from(block));
    this.#waitingSize += size - written;
    if (this.#waiting.size === 1) this.#written = written;
  }

  /** Returns whether something was written. */
  #writeWaiting(): boolean {
    const before = this.#waitingSize;
    for (const block of this.#waiting) {
      const rest = block.subarray(this.#written);
      const written = Math.min(this.#tryWrite(rest), rest.length);
      this.#waitingSize -= written;
      this.#written += written;
      if (written < rest.length) break;
      this.#waiting.delete(block);
      this.#written = 0;
    }
    return this.#waitingSize < before;
  }

  /** Returns how many bytes were written: none if that may succeed later, and all if it never will. */
  #tryWrite(data: string | Buffer): number {
    try {
      return writeSync(this.#descriptor, data as string);
    } catch (error) {
      // A failing log must not end the service.
      return PASSING.includes(Object(error).code) ? 0 : Number.POSITIVE_INFINITY;
    }
  }
}

/**
 * Returns a descriptor that does not block if standard output is a pipe. Each process that inherits the pipe can make
 * it blocking for all of them, so it is opened once more where the system allows that, as Linux does. A socket, which a
 * Node.js process gives its children, cannot be opened again. Its slow reader may then block, as it does for `console`.
 */
function openOutput(): number {
  // Node.js makes pipes and sockets non-blocking when it opens this stream.
  void process.stdout;
  try {
    if (!fstatSync(STDOUT).isFIFO()) return STDOUT;
    return openSync(`/proc/self/fd/${STDOUT}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return STDOUT;
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
