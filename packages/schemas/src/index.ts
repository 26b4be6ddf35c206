export { DocumentSchemas, type Misfit } from './document-schemas.js';
export { hasMethod, isComposite, isWritten } from './json-values.js';
export {
  type DeclaredOutput,
  isStandardSchema,
  type JsonSchema,
  type JsonSchemaConverter,
  type JsonSchemaOptions,
  type JsonSchemaTarget,
  type ReadonlyDeep,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  type StandardSchemaIssue,
  type StandardSchemaResult,
  setSource,
  toJsonSchema,
} from './standard-schema.js';
export {
  compileDescribed,
  type DescribedSchema,
  type KeepDescribed,
  removedPaths,
} from './strip-undescribed.js';
export {
  acceptsAbsence,
  type Kind,
  mayAccept,
  type ObjectStructure,
  requiresMember,
  type SchemaStructure,
  STRUCTURE,
  type Structure,
  type Structured,
  structureOf,
  structureOfKinds,
  unite,
} from './structure.js';
export { describeStructure } from './structure-schema.js';
