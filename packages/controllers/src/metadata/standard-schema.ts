/**
 * A validator of any library that implements Standard Schema, version 1. Copied here, as its authors
 * ask, so that no library is imported.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
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
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Tells a Standard Schema validator, which may itself be a function, from anything else. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const holder = typeof value === 'object' || typeof value === 'function' ? value : null;
  if (holder === null || !('~standard' in holder)) return false;
  const standard = holder['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}
