import { METHODS } from 'node:http';
import { SetupError } from '../errors/setup-error.js';

/** Stands for every method in a route. */
export const ALL = 'ALL';

/**
 * Reads the method of a route.
 *
 * @param method - One that node:http parses, or `ALL`, in any case.
 * @returns The method in upper case.
 * @throws {SetupError} `INVALID_METHOD`, when no request can have it.
 */
export function parseMethod(method: string): string {
  const upper = method.toUpperCase();
  if (upper !== ALL && !METHODS.includes(upper)) {
    throw new SetupError(
      'INVALID_METHOD',
      `'${method}' is no method that node:http can receive. Use one of http.METHODS, or 'ALL'.`,
    );
  }
  return upper;
}

/**
 * Chooses what answers a method: its own route, for HEAD that of GET, then the one for all methods.
 *
 * @param routes - Routes of one pattern by method.
 */
export function selectByMethod<T>(routes: ReadonlyMap<string, T>, method: string): T | undefined {
  return (
    routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined) ?? routes.get(ALL)
  );
}

/**
 * Value of an `Allow` header.
 *
 * @param methods - Methods of the routes that match a path, without `ALL`.
 * @see RFC 9110 §10.2.1
 */
export function formatAllow(methods: ReadonlySet<string>): string {
  const allowed = new Set(methods).add('OPTIONS');
  if (allowed.has('GET')) allowed.add('HEAD');
  return [...allowed].sort().join(', ');
}
