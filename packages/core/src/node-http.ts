import { createRequire } from 'node:module';

/**
 * What is called of node:http. An import statement would load all of fetch with it: node reads every
 * member of a module that is imported, and some of this one's load undici. What instruments a process
 * sees a `require` as it sees an import.
 */
export const {
  createServer,
  METHODS,
  request,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
}: typeof import('node:http') = createRequire(import.meta.url)('node:http');
