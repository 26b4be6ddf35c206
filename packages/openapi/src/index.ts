export {
  createDocument,
  type DocumentInfo,
  type DocumentOptions,
  type DocumentServer,
  type DocumentTag,
  type OpenApiDocument,
} from './document.js';
export { DocumentError } from './errors.js';
export { type OpenApiOptions, openapi, printDocument } from './plugin.js';
export { secured } from './security.js';
