import type { IncomingHttpHeaders } from 'node:http';

/**
 * Reads a request header.
 *
 * @param name - In any case.
 * @returns Its value; several lines of one header are joined by `, `.
 */
export function readHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const key = name.toLowerCase();
  if (!Object.hasOwn(headers, key)) return undefined;
  const value = headers[key];
  return Array.isArray(value) ? value.join(', ') : value;
}
