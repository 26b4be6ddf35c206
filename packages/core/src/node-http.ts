import { createRequire } from 'node:module';

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
}: typeof import('node:http') = createRequire(import.meta.url)('node:http');
