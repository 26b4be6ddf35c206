/** Whether a value is a class. Only a class, or a frozen function, has a read-only `prototype`. */
export function isClass(value: unknown): value is abstract new (...args: never[]) => object {
  if (typeof value !== 'function') return false;
  if (Object.getOwnPropertyDescriptor(value, 'prototype')?.writable !== false) return false;
  return !Object.isFrozen(value) || /^class\b/.test(Function.prototype.toString.call(value));
}

/** Whether a value is an object literal, of this or another realm, or has no prototype. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is an object that is neither an array nor a function. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns how long to wait before another attempt, in milliseconds: twice as long as before the last one. Half of it is
 * random, so that what failed together is not repeated together.
 *
 * @param repeats - How often it was repeated before.
 */
export function backoff(first: number, repeats: number, longest: number): number {
  return Math.min(first * 2 ** repeats, longest) * (0.5 + Math.random() / 2);
}

/** @throws {Error} When a client of the npm package redis isn't connected: its commands would wait for a connection. */
export function assertConnected({ isReady }: { readonly isReady?: boolean }): void {
  if (isReady === false) throw new Error('The Redis client is not connected.');
}

/**
 * Asserts that PostgreSQL can store text in JSON: it refuses NUL and lone surrogates.
 *
 * @param failure - The beginning of the message, such as `Cannot publish to 'orders'`.
 * @param value - A value as JSON carries it.
 * @param path - Where the value is, for the message.
 * @throws {TypeError}
 */
export function assertStorable(failure: string, value: unknown, path: string): void {
  if (typeof value === 'string' && /\0|\p{Cs}/u.test(value)) {
    throw new TypeError(
      `${failure}: PostgreSQL cannot store NUL or half of a surrogate pair, which ${path} contains. Remove it, or refuse such text when it arrives.`,
    );
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const part of [name, member]) assertStorable(failure, part, `${path}.${name}`);
  }
}

/**
 * Waits for a call, but not for longer than a time.
 *
 * @param late - Creates the error after that time. The call goes on.
 */
export async function within<T>(
  milliseconds: number,
  late: () => Error,
  call: () => Promise<T>,
): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), milliseconds);
  try {
    return await Promise.race([call(), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the keys of a JSON Pointer, such as that of a reference: `#/$defs/User`. A key that is not percent-encoded
 * stays as it is, even if it has a percent sign. RFC 6901 §6
 */
export function pointerKeys(pointer: string): readonly string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => decodeText(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
