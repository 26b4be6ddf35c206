import type { Span } from './span.js';
import { Violation } from './violation.js';

/** A write to a {@link Register}. */
export interface Write {
  readonly value: string;
  readonly start: number;
  /** When it had taken effect or no longer could. `Infinity` until then. */
  end: number;
  /** Whether a response has shown the value. */
  isSeen: boolean;
}

/**
 * A field that several clients read and write. Each value is written once. A response may show a
 * value until it is known to have been replaced or never written.
 */
export class Register {
  readonly #name: string;
  /** Values that may be the current one. */
  readonly #live = new Map<string, Write>();
  /** Values that can no longer appear, each with the moment from which this is known. */
  readonly #replaced = new Map<string, number>();

  constructor(name: string) {
    this.#name = name;
  }

  /** Records a write that the client is about to send. */
  begin(value: string, start: number): Write {
    const write = { value, start, end: Number.POSITIVE_INFINITY, isSeen: false };
    this.#live.set(value, write);
    return write;
  }

  /**
   * Records that a write had no effect and cannot have one later.
   *
   * @throws {Violation} When a response has shown the value.
   */
  withdraw(write: Write, at: number): void {
    if (write.isSeen) {
      throw new Violation(
        `${this.#name} was ${JSON.stringify(write.value)}, although that write failed`,
      );
    }
    this.#live.delete(write.value);
    this.#replaced.set(write.value, at);
  }

  /**
   * Records a value that a response showed.
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
        `${this.#name} is ${JSON.stringify(value)}, which was replaced at ${replaced} or before`,
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
