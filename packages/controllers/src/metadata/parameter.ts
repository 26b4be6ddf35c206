import type { Context } from '@fairlead/core';
import type { StandardSchema } from './standard-schema.js';

/** Where a parameter's value comes from. */
export type ParameterSource =
  | 'body'
  | 'param'
  | 'query'
  | 'header'
  | 'ctx'
  | 'req'
  | 'res'
  | 'custom';

/**
 * Converts or validates an extracted value: a function, synchronous or asynchronous, or a Standard
 * Schema. A function is not called for an absent value.
 */
export type Transform<Input = unknown> = TransformFunction<Input> | StandardSchema;

/** The function form of {@link Transform}. Bivariant, so that it may narrow its argument. */
export type TransformFunction<Input = unknown> = {
  bivariant(value: Input): unknown;
}['bivariant'];

/** Options of the parameter decorators. */
export interface ParamOptions<Input = unknown> {
  /** Whether a request without the value fails with 400; the default depends on the decorator. */
  readonly required?: boolean;
  /** Replaces an absent value, and passes through `transform`. */
  readonly default?: unknown;
  /** Applied to the extracted value. */
  readonly transform?: Transform<Input>;
}

/** Options of `@Query(name, { all: true })`. */
export interface AllValuesOptions extends ParamOptions<string[]> {
  /** Extracts every value of a repeated parameter, in the order of the query string. */
  readonly all: true;
}

/** Metadata of a parameter decorator. */
export interface ParameterMetadata {
  readonly source: ParameterSource;
  /** The body field, route parameter, query parameter or header; undefined for the whole source. */
  readonly name: string | undefined;
  /** Whether every value of a query parameter is extracted, rather than the first. */
  readonly all: boolean;
  readonly required: boolean;
  readonly default: unknown;
  readonly transform: Transform | undefined;
  /** Reads the value of a custom parameter; undefined for every other source. */
  readonly extract: ((ctx: Context) => unknown) | undefined;
}

/** One decorated parameter of a route method. */
export interface ParameterDefinition extends ParameterMetadata {
  /** Index in the method's parameter list. */
  readonly index: number;
}

const LABELS: Readonly<Record<ParameterSource, string>> = {
  body: 'body field',
  param: 'route parameter',
  query: 'query parameter',
  header: 'header',
  ctx: 'context',
  req: 'request',
  res: 'response',
  custom: 'custom parameter',
};

const WHOLE_LABELS: Readonly<Record<ParameterSource, string>> = {
  ...LABELS,
  body: 'body',
  param: 'route parameters',
  query: 'query',
  header: 'headers',
};

/** Describes a parameter, as `body field 'name'`, `body` or `custom parameter`. */
export function describeParameter(source: ParameterSource, name: string | undefined): string {
  return name === undefined ? WHOLE_LABELS[source] : `${LABELS[source]} '${name}'`;
}
