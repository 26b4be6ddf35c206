import { SetupError } from './setup/setup-error.js';

// Here, because every import of this package evaluates this module before it needs what older versions lack.
if (typeof Promise.withResolvers !== 'function' || typeof process.getBuiltinModule !== 'function') {
  throw new SetupError(
    'UNSUPPORTED_NODE',
    `Fairlead needs Node.js 22.16 or newer: this is ${process.version}. Update Node.js.`,
  );
}

/**
 * The members of node:http that core calls. An `import` of a built-in module reads all of its members,
 * and some members of node:http load undici when they are read. This reads only the members named here.
 * Instrumentation hooks it like an import, and bundlers leave it as it is.
 */
export const {
  createServer,
  METHODS,
  request,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
}: typeof import('node:http') = process.getBuiltinModule('node:http');

/** Creates web headers from alternating names and values, as node:http has received them. */
export function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}
