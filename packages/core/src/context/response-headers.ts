import { validateHeaderName, validateHeaderValue } from 'node:http';

/** A response header's value: several values are sent as several lines. */
export type HeaderValue = string | number | readonly string[];

/**
 * The headers of a response until it is written. Names are case-insensitive and are sent as they
 * were last written.
 *
 * @see RFC 9110 §5
 */
export class ResponseHeaders {
  /** Names and values in turn, as node's `writeHead` takes them. */
  readonly #lines: (string | number | string[])[] = [];

  /** The value last set, or undefined. */
  get(name: string): HeaderValue | undefined {
    const index = this.#indexOf(name);
    return index === -1 ? undefined : this.#lines[index + 1];
  }

  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  /**
   * Sets a header in place of any earlier value.
   *
   * @throws {TypeError} When the name is no token, or the value holds CR, LF or another control character.
   */
  set(name: string, value: HeaderValue): void {
    validateHeaderName(name);
    const lines = typeof value === 'object' ? [...value] : value;
    for (const line of typeof lines === 'object' ? lines : [String(lines)]) {
      validateHeaderValue(name, line);
    }
    const index = this.#indexOf(name);
    if (index === -1) this.#lines.push(name, lines);
    else this.#lines.splice(index, 2, name, lines);
  }

  /**
   * Adds a value to those that the header has.
   *
   * @throws {TypeError} As {@link set}.
   */
  append(name: string, value: string | readonly string[]): void {
    const present = this.get(name);
    this.set(name, present === undefined ? value : [present, value].flat().map(String));
  }

  /** Removes a header; returns whether it was set. */
  delete(name: string): boolean {
    const index = this.#indexOf(name);
    if (index !== -1) this.#lines.splice(index, 2);
    return index !== -1;
  }

  /** Names and values in turn: a copy, in the form that node's `writeHead` takes. */
  toLines(): (string | number | string[])[] {
    return this.#lines.slice();
  }

  #indexOf(name: string): number {
    const key = name.toLowerCase();
    for (let index = 0; index < this.#lines.length; index += 2) {
      if (String(this.#lines[index]).toLowerCase() === key) return index;
    }
    return -1;
  }
}
