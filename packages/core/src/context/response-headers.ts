import { validateHeaderName, validateHeaderValue } from 'node:http';

/** A response header's value: several values are sent as several lines. */
export type HeaderValue = string | number | readonly string[];

/** Sets a header that was checked before, such as a constant. */
export let putHeader: (headers: ResponseHeaders, name: string, value: string) => void;

/**
 * The headers of a response until it is written. Names are case-insensitive and are sent as they
 * were last written.
 *
 * @see RFC 9110 §5
 */
export class ResponseHeaders {
  /** Names in lower case, each at half the index of its line. */
  readonly #keys: string[] = [];
  /** Names and values in turn, as node's `writeHead` takes them. */
  readonly #lines: (string | number | string[])[] = [];

  static {
    putHeader = (headers, name, value) => headers.#put(name, value);
  }

  /** The value last set, or undefined. */
  get(name: string): HeaderValue | undefined {
    const index = this.#keys.indexOf(name.toLowerCase());
    return index === -1 ? undefined : this.#lines[2 * index + 1];
  }

  /** Whether a header is set. */
  has(name: string): boolean {
    return this.#keys.includes(name.toLowerCase());
  }

  /**
   * Sets a header in place of any earlier value.
   *
   * @throws {TypeError} When the name is not a token, or the value holds CR, LF or another control
   *   character.
   */
  set(name: string, value: HeaderValue): void {
    assertHeader(name, value);
    this.#put(name, typeof value === 'object' ? [...value] : value);
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
    const index = this.#keys.indexOf(name.toLowerCase());
    if (index === -1) return false;
    this.#keys.splice(index, 1);
    this.#lines.splice(2 * index, 2);
    return true;
  }

  /** Names and values in turn: a copy, in the form that node's `writeHead` takes. */
  toLines(): (string | number | string[])[] {
    return this.#lines.slice();
  }

  #put(name: string, value: string | number | string[]): void {
    const key = name.toLowerCase();
    const index = this.#keys.indexOf(key);
    if (index === -1) {
      this.#keys.push(key);
      this.#lines.push(name, value);
      return;
    }
    this.#lines[2 * index] = name;
    this.#lines[2 * index + 1] = value;
  }
}

/**
 * Checks a header.
 *
 * @throws {TypeError} When the name is not a token, or the value holds a control character.
 */
export function assertHeader(name: string, value: HeaderValue): void {
  validateHeaderName(name);
  for (const line of typeof value === 'object' ? value : [String(value)]) {
    validateHeaderValue(name, line);
  }
}
