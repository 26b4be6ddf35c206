export {
  type DescribedOperation,
  describeRoute,
  nameRoutes,
  type OperationDescriptions,
  type OperationObject,
  type RouteDescription,
} from './document.js';
export type { OpenApiVersion } from './draft.js';
export { DocumentError } from './errors.js';
export type {
  DocumentInfo,
  DocumentOptions,
  DocumentPath,
  DocumentServer,
  DocumentTag,
  DocumentWebhook,
  Extensions,
  ExternalDocumentation,
  OpenApiDocument,
  RouteSelection,
  ServerVariable,
} from './options.js';
export {
  createDocument,
  describeOperations,
  type OpenApiOptions,
  openapi,
  type PrintOptions,
  printDocument,
} from './plugin.js';
export { secured } from './security.js';
