import type { StandardSchema, StandardSchemaResult } from '@fairlead/core';

/** Creates a Standard Schema from a function, like a validation library. */
export function schema<Output>(
  validate: (
    value: unknown,
  ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>,
): StandardSchema<Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
