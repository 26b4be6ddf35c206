/**
 * A schema of any validator that implements Standard Schema, version 1, such as zod, valibot or arktype.
 * The types are copied, as the authors of the standard recommend, so that this package needs no
 * dependency.
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
    /** Never set. It carries the types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Converts the schema to a JSON Schema, if the validator can. */
    readonly jsonSchema?: JsonSchemaConverter | undefined;
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

/** The keywords of JSON Schema and OpenAPI. */
type Keyword =
  | (
      | '$schema'
      | '$id'
      | '$ref'
      | '$defs'
      | '$anchor'
      | '$dynamicRef'
      | '$dynamicAnchor'
      | '$comment'
    )
  | ('id' | 'definitions' | 'type' | 'enum' | 'const' | 'format' | 'nullable' | 'default')
  | ('title' | 'description' | 'example' | 'examples' | 'deprecated' | 'readOnly' | 'writeOnly')
  | ('properties' | 'patternProperties' | 'additionalProperties' | 'unevaluatedProperties')
  | ('propertyNames' | 'required' | 'minProperties' | 'maxProperties' | 'dependencies')
  | ('dependentRequired' | 'dependentSchemas' | 'items' | 'prefixItems' | 'additionalItems')
  | ('unevaluatedItems' | 'contains' | 'minContains' | 'maxContains' | 'minItems' | 'maxItems')
  | ('uniqueItems' | 'allOf' | 'anyOf' | 'oneOf' | 'not' | 'if' | 'then' | 'else')
  | ('minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf')
  | ('minLength' | 'maxLength' | 'pattern' | 'contentEncoding' | 'contentMediaType')
  | ('contentSchema' | 'discriminator' | 'xml' | 'externalDocs');

/** A JSON Schema, or `{}`, which describes everything. An object without any of its keywords is not one. */
export type JsonSchema = { readonly [Name in Keyword]?: unknown };

/** The dialects of JSON Schema that validators convert to. */
export type JsonSchemaTarget = 'draft-2020-12' | 'draft-07' | 'openapi-3.0';

/** How to convert a schema. */
export interface JsonSchemaOptions {
  readonly target: JsonSchemaTarget;
  /** Options of the validator's own conversion. Each validator ignores those of others. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** Converts a schema to JSON Schema. Both methods throw if the schema cannot be expressed. */
export interface JsonSchemaConverter {
  /** Describes the values that the schema accepts. */
  readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
  /** Describes the values that the schema produces. */
  readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
}

/** The type of the values that a schema produces; unknown for other values. */
export type SchemaOutput<Schema> = Schema extends abstract new (
  ...members: infer Members
) => infer Instance
  ? Members extends [DeclaredOutput<Schema>]
    ? Instance
    : DeclaredOutput<Schema>
  : DeclaredOutput<Schema>;

/** The output type that a schema declares. For a class from `schemaClass()`, only the type of its members. */
export type DeclaredOutput<Schema> = Declared<Schema, 'output'>;

/** The type of the values that a schema accepts; unknown for other values. */
export type SchemaInput<Schema> = Declared<Schema, 'input'>;

/** A type that a schema declares; unknown if it declares none. */
type Declared<Schema, Form extends 'input' | 'output'> = Schema extends {
  readonly '~standard': { readonly types?: infer Types };
}
  ? NonNullable<Types> extends { readonly [Key in Form]: infer Type }
    ? Type
    : unknown
  : unknown;

/** A type whose arrays and objects may be read-only, because a response is only read. */
export type ReadonlyDeep<T> = T extends readonly (infer Element)[]
  ? readonly ReadonlyDeep<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

/** The schemas from which classes were created. */
const sources = new WeakMap<StandardSchema['~standard'], StandardSchema>();

/** Remembers the schema from which a class was created, whose structure is that of the class. */
export function setSource(standard: StandardSchema['~standard'], schema: StandardSchema): void {
  sources.set(standard, schema);
}

/** Returns the schema from which a class was created, or the schema itself. */
export function unwrap(schema: StandardSchema): StandardSchema {
  const source = sources.get(schema['~standard']);
  return source === undefined ? schema : unwrap(source);
}

/** Whether a value is a Standard Schema, which may be a function. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const standard: unknown = Reflect.get(Object(value), '~standard');
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

/**
 * Converts a schema to JSON Schema.
 *
 * @param schema - A Standard Schema, or a JSON Schema, which is returned as is.
 * @param form - Whether to describe the values that the schema accepts, or those that it produces.
 * @param libraryOptions - Options of the validator's own conversion; none by default.
 * @returns Undefined for a Standard Schema whose validator cannot convert.
 * @throws The error of the validator, when this schema cannot be expressed.
 * @see https://standardschema.dev/json-schema
 */
export function toJsonSchema(
  schema: object,
  form: 'input' | 'output',
  target: JsonSchemaTarget,
  libraryOptions?: Record<string, unknown>,
): object | undefined {
  if (!isStandardSchema(schema)) return schema;
  const options = libraryOptions === undefined ? { target } : { target, libraryOptions };
  return schema['~standard'].jsonSchema?.[form](options);
}
