import { nearestName } from '@fairlead/options';
import { UsageError } from './errors.js';

// An import of node:http would also load its fetch.
const { METHODS } = process.getBuiltinModule('node:http');

/** The methods that `fetch` cannot send. https://fetch.spec.whatwg.org/#forbidden-method */
const FORBIDDEN = ['CONNECT', 'TRACE', 'TRACK'];

/**
 * Reads the method of a request.
 *
 * @returns In upper case.
 * @throws {UsageError} When no request can have the method.
 */
export function parseMethod(text: string): string {
  const method = text.toUpperCase();
  const known = METHODS.filter((one) => !FORBIDDEN.includes(one));
  if (known.includes(method)) return method;
  const nearest = nearestName(method, known) ?? 'GET';
  throw new UsageError(`Cannot use the method '${text}'. Use one such as ${nearest}.`);
}

/**
 * Reads the path of a request.
 *
 * @throws {UsageError} When it does not start with a slash.
 */
export function parsePath(text: string): string {
  if (text.startsWith('/')) return text;
  throw new UsageError(`Cannot use the path '${text}'. Start it with a slash, as in /users/7.`);
}

/**
 * Reads a header of a request.
 *
 * @param previous - The headers before it.
 * @throws {UsageError} When it is not a name and a value.
 */
export function parseHeader(
  text: string,
  previous: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const colon = text.indexOf(':');
  const header: [string, string] = [
    text.slice(0, Math.max(colon, 0)),
    text.slice(colon + 1).trim(),
  ];
  try {
    new Headers([header]);
  } catch {
    throw new UsageError(
      `Cannot use the header '${text}'. Write a name, a colon and a value, as in 'Accept: text/html'.`,
    );
  }
  return [...previous, header];
}
