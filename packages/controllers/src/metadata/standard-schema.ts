/**
 * A validator of any library that implements Standard Schema, version 1. Copied here, as its authors
 * ask, so that no library is imported.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The validator, under the name that the specification gives it. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    /** Never set; it carries the types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a validator makes of a value: the value it puts in its place, or what is wrong. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** One thing that is wrong, and where within the value. */
export interface StandardSchemaIssue {
  /** Text for people. */
  readonly message: string;
  /** Keys from the value to what is wrong; absent for the value itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a validator has that can be written as a JSON Schema. */
interface JsonSchemaConverter {
  output(options: { readonly target: 'draft-07' }): object;
}

/**
 * Gives the JSON Schema of what a route states of its response.
 *
 * @returns A schema that is no Standard Schema as it is; undefined for a validator that cannot be
 *   written as one.
 * @see https://standardschema.dev/json-schema
 */
export function toJsonSchema(schema: object): object | undefined {
  if (!isStandardSchema(schema)) return schema;
  const standard: StandardSchema['~standard'] & { readonly jsonSchema?: JsonSchemaConverter } =
    schema['~standard'];
  return standard.jsonSchema?.output({ target: 'draft-07' });
}

/** Tells a Standard Schema validator, which may itself be a function, from anything else. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const holder = typeof value === 'object' || typeof value === 'function' ? value : null;
  if (holder === null || !('~standard' in holder)) return false;
  const standard = holder['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}
