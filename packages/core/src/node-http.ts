import { createRequire } from 'node:module';

// Undefined in many bundles. Any absolute path finds built-in modules.
const from = (import.meta.url as string | undefined) ?? process.cwd();

/**
 * The members of node:http that core calls. An `import` of a built-in module reads all of its members,
 * and some members of node:http load undici when they are read. `require` reads only the members named
 * here. Instrumentation can hook it like an import.
 */
export const {
  createServer,
  METHODS,
  request,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
}: typeof import('node:http') = createRequire(from)('node:http');

/** Creates web headers from alternating names and values, as node:http has received them. */
export function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}
