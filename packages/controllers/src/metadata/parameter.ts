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
export interface ParamOptions<
  Input = unknown,
  Conversion extends Transform<Input> = Transform<Input>,
  Default = unknown,
> {
  /** Whether a request without the value fails with 400; the default depends on the decorator. */
  readonly required?: boolean;
  /** Replaces an absent value, and passes through `transform`. */
  readonly default?: Default;
  /** Applied to the extracted value. */
  readonly transform?: Conversion;
}

/** Options of `@Query(name, { all: true })`. */
export interface AllValuesOptions<
  Conversion extends Transform<string[]> = Transform<string[]>,
  Default = unknown,
> extends ParamOptions<string[], Conversion, Default> {
  /** Extracts every value of a repeated parameter, in the order of the query string. */
  readonly all: true;
}

/**
 * A parameter decorator that compiles only where the parameter's type accepts `Value`. Values of type
 * `unknown`, and parameters of constructors and private methods, are not checked.
 */
export type ParamDecorator<Value> = <Target extends object, Key, const Index>(
  target: Target,
  key: Key,
  index: CheckedIndex<Index, Value, Declared<Target, Key, Index>>,
) => void;

/** The index of a parameter, or what is wrong with the parameter's type. */
export type CheckedIndex<Index, Value, DeclaredType> =
  // A condition that a generic type leaves open allows the parameter.
  [Accepted<Value, DeclaredType>] extends [never]
    ? { 'the decorator gives': Value; 'the parameter takes': DeclaredType }
    : Index;

/** A value of one member of a union. The data of the decorator determines which one. */
export interface OneOf<Union> {
  /** Exists only in types. No value has it. */
  readonly '~oneOf': Union;
}

/** Not `never` if a parameter accepts the values of its decorator. */
type Accepted<Value, DeclaredType> = unknown extends Value
  ? true
  : [Value] extends [DeclaredType]
    ? true
    : [Value] extends [OneOf<infer Union>]
      ? AcceptedMember<Union, DeclaredType>
      : never;

type AcceptedMember<Union, DeclaredType> = Union extends DeclaredType ? true : never;

/** The type of a method's parameter; unknown for members that are not public. */
export type Declared<Target, Key, Index> = Key extends keyof Target
  ? Target[Key] extends (...values: infer Values) => unknown
    ? Index extends keyof Values
      ? Values[Index]
      : unknown
    : unknown
  : unknown;

/** The type of a decorator's values: the transform's result, or else the input or the default. */
export type Given<Input, Conversion, Default> = unknown extends Conversion
  ? unknown
  : HasTransform<Input, Conversion> extends true
    ? TransformResult<Conversion>
    : Input | Default;

/** Whether a transform was given, rather than inferred from its constraint. */
export type HasTransform<Input, Conversion> = Transform<Input> extends Conversion ? false : true;

/** What a transform returns. A schema may be a function, too. */
type TransformResult<Conversion> = Conversion extends {
  readonly '~standard': { readonly validate: (value: unknown) => infer Result };
}
  ? Extract<Awaited<Result>, { readonly value: unknown }>['value']
  : Conversion extends (...values: never[]) => infer Result
    ? Awaited<Result>
    : unknown;

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
