import type { Span } from './span.js';
import { Violation } from './violation.js';

/** A value on its way into a {@link Register}. */
export interface Write {
  readonly value: string;
  readonly start: number;
  /** When it had surely been done or could not be done any more; `Infinity` until then. */
  end: number;
  /** Whether a request has shown it. */
  isSeen: boolean;
}

/**
 * One field that several clients write and read, each value written once. A value may be shown
 * until it is known to have been replaced, or to have never been written.
 */
export class Register {
  readonly #name: string;
  /** Values that may be the present one. */
  readonly #live = new Map<string, Write>();
  /** Values that cannot come back, by the moment from which that is known. */
  readonly #replaced = new Map<string, number>();

  constructor(name: string) {
    this.#name = name;
  }

  /** A write is about to be sent. */
  begin(value: string, start: number): Write {
    const write = { value, start, end: Number.POSITIVE_INFINITY, isSeen: false };
    this.#live.set(value, write);
    return write;
  }

  /**
   * A write had no effect and cannot have one.
   *
   * @throws {Violation} When a request has shown it all the same.
   */
  withdraw(write: Write, at: number): void {
    if (write.isSeen) {
      throw new Violation(`${this.#name} was ${JSON.stringify(write.value)}, which was refused`);
    }
    this.#live.delete(write.value);
    this.#replaced.set(write.value, at);
  }

  /**
   * A request showed a value.
   *
   * @throws {Violation} When nobody wrote it, or it was replaced before the request began.
   */
  see(value: string, span: Span): void {
    const replaced = this.#replaced.get(value);
    if (replaced === undefined && !this.#live.has(value)) {
      throw new Violation(`${this.#name} is ${JSON.stringify(value)}, which nobody wrote`);
    }
    if (replaced !== undefined && replaced < span.start) {
      throw new Violation(
        `${this.#name} is ${JSON.stringify(value)}, which had been replaced by ${replaced}`,
      );
    }
    const seen = this.#live.get(value);
    if (seen !== undefined) seen.isSeen = true;
    for (const write of this.#live.values()) {
      if (write.value === value || write.end >= span.start) continue;
      this.#live.delete(write.value);
      this.#replaced.set(write.value, span.end);
    }
  }
}
