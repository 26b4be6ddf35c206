import { SetupError } from '../errors/setup-error.js';
import { METHODS } from '../node-http.js';

/** Stands for every method in a route. */
export const ALL = 'ALL';

/** The methods that a router has a verb for. */
const COMMON = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/**
 * Reads the method of a route.
 *
 * @param method - One that node:http hands to its listeners, or `ALL`, in any case.
 * @returns The method in upper case.
 * @throws {SetupError} `INVALID_METHOD`, when no request can have it.
 */
export function parseMethod(method: string): string {
  const upper = method.toUpperCase();
  // node:http parses CONNECT, too, and closes its connection.
  if (upper === ALL || (METHODS.includes(upper) && upper !== 'CONNECT')) return upper;
  throw new SetupError(
    'INVALID_METHOD',
    `'${method}' is not a method that a route can answer. Use one of http.METHODS but CONNECT, or 'ALL'.`,
  );
}

/**
 * Chooses what answers a method: its own route, for HEAD that of GET, then the one for all methods.
 *
 * @param routes - Routes of one pattern by method.
 */
export function selectByMethod<T>(routes: ReadonlyMap<string, T>, method: string): T | undefined {
  return routes.get(method) ?? selectInstead(routes, method);
}

function selectInstead<T>(routes: ReadonlyMap<string, T>, method: string): T | undefined {
  return (method === 'HEAD' ? routes.get('GET') : undefined) ?? routes.get(ALL);
}

/**
 * Whether a route of one of these methods answers a request's method.
 *
 * @param methods - Methods of the routes that match a path.
 */
export function answersMethod(methods: ReadonlySet<string>, method: string): boolean {
  return methods.has(method) || methods.has(ALL) || (method === 'HEAD' && methods.has('GET'));
}

/**
 * Value of an `Allow` header.
 *
 * @param methods - Methods of the routes that match a path; `ALL` is written as {@link COMMON}.
 * @see RFC 9110 §10.2.1
 */
export function formatAllow(methods: ReadonlySet<string>): string {
  const allowed = new Set(methods).add('OPTIONS');
  if (allowed.delete(ALL)) for (const method of COMMON) allowed.add(method);
  if (allowed.has('GET')) allowed.add('HEAD');
  return [...allowed].sort().join(', ');
}
