/**
 * A validator that implements Standard Schema, version 1. Copied here, as its authors recommend, to
 * avoid a dependency.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The validator. */
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

/** Result of a validation: the output value, or the issues. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** One problem of a value. */
export interface StandardSchemaIssue {
  /** The validator's message. */
  readonly message: string;
  /** Keys from the value to the problem; absent for the value itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The extension for validators that convert to a JSON Schema. */
interface JsonSchemaConverter {
  output(options: { readonly target: 'draft-07' }): object;
}

/**
 * Converts the `response` of a route to a JSON Schema.
 *
 * @returns The schema itself unless it is a Standard Schema; undefined if that does not convert.
 * @see https://standardschema.dev/json-schema
 */
export function toJsonSchema(schema: object): object | undefined {
  if (!isStandardSchema(schema)) return schema;
  const standard: StandardSchema['~standard'] & { readonly jsonSchema?: JsonSchemaConverter } =
    schema['~standard'];
  return standard.jsonSchema?.output({ target: 'draft-07' });
}

/** Whether a value is a Standard Schema validator, which may be a function. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const holder = typeof value === 'object' || typeof value === 'function' ? value : null;
  if (holder === null || !('~standard' in holder)) return false;
  const standard = holder['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

/** Whether a value has either the output or the issues of a validation, as the types promise. */
export function isSchemaResult(result: unknown): result is StandardSchemaResult<unknown> {
  if (typeof result !== 'object' || result === null) return false;
  const { issues }: { readonly issues?: unknown } = result;
  return issues === undefined ? 'value' in result : Array.isArray(issues);
}
