import type { StandardSchema, StandardSchemaResult } from '../../src/index.js';

/** A Standard Schema of one function, as validation libraries make them. */
export function schema<Output>(
  validate: (
    value: unknown,
  ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>,
): StandardSchema<Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
