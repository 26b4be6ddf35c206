/**
 * What is called of node:http. An import statement would load all of fetch with it: node reads every
 * member of a module that is imported, and some of this one's load undici.
 */
export const {
  createServer,
  METHODS,
  request,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} = process.getBuiltinModule('node:http');
