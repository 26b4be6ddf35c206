import {
  type ParameterPlace,
  ParameterValidationError,
  type ValidationIssue,
} from '../errors/parameter-errors.js';
import type { ParameterMetadata, Transform, TransformFunction } from '../metadata/parameter.js';
import {
  isStandardSchema,
  type StandardSchema,
  type StandardSchemaIssue,
} from '../metadata/standard-schema.js';
import { chain } from '../promise.js';

/** The two ways of a value through a parameter's transform. */
export interface Conversion {
  /** Converts a value that is there. */
  readonly present: (value: unknown) => unknown;
  /** Gives what stands in for an optional value that is absent. */
  readonly absent: (value: undefined) => unknown;
}

/**
 * Makes the conversion that a parameter's transform stands for.
 *
 * A function sees only values that are there. A schema is offered an absent one as well, since it
 * may state a default; where it refuses, an optional parameter stays undefined.
 *
 * @param parameter - What its decorator states.
 * @param place - The parameter and its method, for errors.
 */
export function createConversion(
  transform: Transform,
  { source, name }: ParameterMetadata,
  place: ParameterPlace,
): Conversion {
  if (!isStandardSchema(transform)) {
    const convert: TransformFunction = transform;
    return { present: (value) => convert(value), absent: (value) => value };
  }
  const prefix = name === undefined ? [source] : [source, name];
  return {
    present: (value) =>
      validate(transform, value, (issues) => {
        throw new ParameterValidationError(
          place,
          issues.map((issue) => located(issue, prefix)),
        );
      }),
    absent: (value) => validate(transform, value, () => undefined),
  };
}

function validate(
  schema: StandardSchema,
  value: unknown,
  refuse: (issues: readonly StandardSchemaIssue[]) => unknown,
): unknown {
  return chain(schema['~standard'].validate(value), (result) =>
    result.issues === undefined ? result.value : refuse(result.issues),
  );
}

function located(issue: StandardSchemaIssue, prefix: readonly string[]): ValidationIssue {
  const within = (issue.path ?? []).map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'symbol' ? String(key) : key;
  });
  return { path: [...prefix, ...within], message: issue.message };
}
