import { createRequire } from 'node:module';

/**
 * The members of node:http that core calls. An `import` reads every member of a built-in module, and
 * some members of node:http load undici. Instrumentation hooks see a `require` as they see an import.
 */
export const {
  createServer,
  METHODS,
  request,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
}: typeof import('node:http') = createRequire(import.meta.url)('node:http');
