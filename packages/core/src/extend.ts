export {
  type BodyDescription,
  type Description,
  type Descriptor,
  describe,
  describeFactories,
  descriptionOf,
  type FormDescription,
  isUnknown,
  mediaTypesOf,
  type Responder,
  type Role,
} from './description.js';
export { after } from './next.js';
export { defaultStatus, responseSchemas } from './router/route-options.js';
export {
  createQueryReader,
  createValidate,
  mayBeEmpty,
  requireParsedBody,
} from './schema/route-schemas.js';
export { acceptsAbsence, validateValue } from './schema/schema.js';
