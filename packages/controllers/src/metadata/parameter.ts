import type { IncomingHttpHeaders } from 'node:http';
import type {
  Context,
  RouteInput,
  SchemaInstance,
  SchemaOutput,
  StandardSchema,
} from '@fairlead/core';
import { acceptsAbsence } from '@fairlead/core/extend';

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
  Schema extends StandardSchema = StandardSchema,
> {
  /**
   * Validates the extracted value. It receives an absent value, too, unless `required` or `default` is
   * set.
   */
  readonly schema?: Schema;
  /**
   * Whether a request without the value is rejected. By default, a schema decides. Without a schema, it
   * depends on the decorator.
   */
  readonly required?: boolean;
  /** Replaces an absent value, and passes through `schema` and `transform`. */
  readonly default?: Default;
  /** Applied to the extracted value, or to the output of `schema`. */
  readonly transform?: Conversion;
}

/** The type of a value before its transform: what the schema produces, or else what was extracted. */
export type Validated<Schema, Extracted> = [Schema] extends [never]
  ? Extracted
  : SchemaOutput<Schema>;

/** Options of `@Query(name, { all: true })`. */
export interface AllValuesOptions<
  Input = string[],
  Conversion extends Transform<Input> = Transform<Input>,
  Default = unknown,
  Schema extends StandardSchema = StandardSchema,
> extends ParamOptions<Input, Conversion, Default, Schema> {
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
    ? AcceptedMembers<Value, DeclaredType>
    : [Value] extends [OneOf<infer Union>]
      ? AcceptedMember<Union, DeclaredType>
      : ValidatedByType<Value, DeclaredType>;

/**
 * Not `never` if each member of the parameter's type accepts what the decorator gives under its name. TypeScript accepts
 * an index signature for optional members of any type.
 */
type AcceptedMembers<Value, DeclaredType> = string extends keyof Value
  ? [Members<Value, DeclaredType>] extends [DeclaredType]
    ? true
    : ValidatedByType<Value, DeclaredType>
  : true;

/** A type whose members are what a value with an index signature has under their names. */
type Members<Value, DeclaredType> = {
  [Name in keyof DeclaredType]: Exclude<
    Value[Name & keyof Value],
    undefined | (Same<Value, IncomingHttpHeaders> extends true ? readonly string[] : never)
  >;
};

/** All route parameters, or all query parameters. */
export type StringRecord = Readonly<Record<string, string>>;

/** Not `never` if the parameter's type is a class that validates what the decorator extracts. */
type ValidatedByType<Value, DeclaredType> = keyof SchemaInstance extends keyof DeclaredType
  ? true extends Same<Value, string> | Same<Value, StringRecord> | Same<Value, IncomingHttpHeaders>
    ? true
    : never
  : never;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

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
export type Given<Input, Conversion, Default, Schema = never> = unknown extends Conversion
  ? unknown
  : HasTransform<Input, Conversion> extends true
    ? TransformResult<Conversion>
    : // A default passes through the schema.
      Input | ([Schema] extends [never] ? Default : never);

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
  /** Whether a request without the value is rejected, unless a schema decides. */
  readonly required: boolean;
  /** Whether `required` was set, so that no schema decides about an absent value. */
  readonly isRequiredSet: boolean;
  readonly default: unknown;
  /** Validates the value: the option `schema`, a schema as `transform`, or the type of the parameter. */
  readonly schema: StandardSchema | undefined;
  /** Applied to the output of the schema. */
  readonly transform: TransformFunction | undefined;
  /** Reads the value of a custom parameter; undefined for every other source. */
  readonly extract: ((ctx: Context) => unknown) | undefined;
}

/** One decorated parameter of a route method. */
export interface ParameterDefinition extends ParameterMetadata {
  /** Index in the method's parameter list. */
  readonly index: number;
  /** Its type as the compiler emitted it, if that may be the schema; undefined next to other options. */
  readonly type: unknown;
}

/** Whether a parameter passes on what clients send. Its type may be a class that validates it. */
export function isUnvalidated({ source, schema, transform }: ParameterMetadata): boolean {
  return isInputSource(source) && schema === undefined && transform === undefined;
}

/**
 * Whether a request without the value is rejected.
 *
 * @returns Undefined if the schema decides, and its structure does not tell.
 */
export function isRequired(parameter: ParameterMetadata): boolean | undefined {
  const { schema, required, isRequiredSet, default: fallback } = parameter;
  if (fallback !== undefined) return false;
  if (schema === undefined || isRequiredSet) return required;
  const isOptional = acceptsAbsence(schema);
  return isOptional === undefined ? undefined : !isOptional;
}

const INPUT_SOURCES: ReadonlySet<string> = new Set(['param', 'query', 'header', 'body']);

/** Whether a value is a part of the request, rather than what the application made of it. */
export function isInputSource(source: ParameterSource): source is RouteInput['source'] {
  return INPUT_SOURCES.has(source);
}

/** What one value of a source is called, and the whole source. */
const LABELS: Readonly<Record<ParameterSource, readonly [one: string, whole: string]>> = {
  body: ['body field', 'body'],
  param: ['route parameter', 'route parameters'],
  query: ['query parameter', 'query'],
  header: ['header', 'headers'],
  ctx: ['context', 'context'],
  req: ['request', 'request'],
  res: ['response', 'response'],
  custom: ['custom parameter', 'custom parameter'],
};

/** Describes a parameter, as `body field 'name'`, `body` or `custom parameter`. */
export function describeParameter(source: ParameterSource, name: string | undefined): string {
  const [one, whole] = LABELS[source];
  return name === undefined ? whole : `${one} '${name}'`;
}
