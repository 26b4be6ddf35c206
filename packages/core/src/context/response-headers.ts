import { validateHeaderName, validateHeaderValue } from '../node-http.js';

/** A response header's value: several values are sent as several lines. */
export type HeaderValue = string | number | readonly string[];

/** A name, or the value behind it, in the list that node's `writeHead` takes. */
type Line = string | number | string[];

/** Sets a header that was checked before, such as a constant. */
export let putHeader: (headers: ResponseHeaders, name: string, value: string) => void;

/** Names and values in turn, as node's `writeHead` takes them: not a copy. */
export let linesOf: (headers: ResponseHeaders) => Line[];

/**
 * The headers of a response until it is written. Names are case-insensitive and are sent as they
 * were last written.
 *
 * @see RFC 9110 §5
 */
export class ResponseHeaders {
  readonly #lines: Line[] = [];

  static {
    putHeader = (headers, name, value) => headers.#put(name, value);
    linesOf = (headers) => headers.#lines;
  }

  /** The value last set, or undefined. */
  get(name: string): HeaderValue | undefined {
    const index = this.#indexOf(name);
    return index === -1 ? undefined : this.#lines[index + 1];
  }

  /** Whether a header is set. */
  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  /**
   * Sets a header in place of any earlier value.
   *
   * @param name - In any case; sent as it is written here.
   * @param value - Several values are sent as several lines.
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
    const index = this.#indexOf(name);
    if (index !== -1) this.#lines.splice(index, 2);
    return index !== -1;
  }

  #put(name: string, value: Line): void {
    const index = this.#indexOf(name);
    if (index === -1) {
      this.#lines.push(name, value);
      return;
    }
    this.#lines[index] = name;
    this.#lines[index + 1] = value;
  }

  /** Where the name of a header stands, or -1. */
  #indexOf(name: string): number {
    for (let index = 0; index < this.#lines.length; index += 2) {
      if (isSameName(this.#lines[index] as string, name)) return index;
    }
    return -1;
  }
}

function isSameName(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  return one === other || one.toLowerCase() === other.toLowerCase();
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
