import type { ValidationIssue } from '../errors/http-error.js';
import { isPromiseLike } from '../promise.js';

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

/** A class that is a schema. Its instances are what the schema produces. */
export interface SchemaClass<Schema extends StandardSchema>
  extends StandardSchema<SchemaInput<Schema>, SchemaOutput<Schema> & object> {
  /** The schema of the class, for the library's own functions: `z.array(NewUser.schema)`. */
  readonly schema: Schema;
  /** Creates an instance without validating its members. */
  new (members: SchemaOutput<Schema> & object): SchemaOutput<Schema> & SchemaInstance;
}

/** Marks the instances of a {@link SchemaClass} in types. */
export interface SchemaInstance {
  /** Exists only in types. No value has it. */
  readonly '~schema'?: never;
}

/**
 * Creates a class from a schema of an object, so that one name is both the type and the schema:
 * `class NewUser extends schemaClass(z.object({ name: z.string() })) {}`.
 *
 * Validated values are instances of the class. Generated documents use its name.
 *
 * @param schema - Produces objects.
 */
export function schemaClass<Schema extends StandardSchema>(
  schema: SchemaOutput<Schema> extends object ? Schema : never,
): SchemaClass<Schema> {
  class FromSchema {
    static readonly schema = schema;

    static get '~standard'(): StandardSchema['~standard'] {
      // biome-ignore lint/complexity/noThisInStatic: each subclass has a name and a prototype
      return standardOf(this, schema);
    }

    constructor(members: object) {
      Object.assign(this, members);
    }
  }
  // The schema determines the members of instances.
  return FromSchema as object as SchemaClass<Schema>;
}

const standards = new WeakMap<object, StandardSchema['~standard']>();

/** Returns the validator of a class that was created from a schema, or of a subclass. */
function standardOf(
  target: { readonly name: string; readonly prototype: object },
  schema: StandardSchema,
): StandardSchema['~standard'] {
  const present = standards.get(target);
  if (present !== undefined) return present;
  const { jsonSchema, ...standard } = schema['~standard'];
  const convert = (form: 'input' | 'output'): JsonSchemaConverter['input'] => {
    return (options) => ({ title: target.name, ...jsonSchema?.[form](options) });
  };
  const toInstance = (result: StandardSchemaResult<unknown>): StandardSchemaResult<unknown> =>
    result.issues === undefined
      ? { value: Object.assign(Object.create(target.prototype), result.value) }
      : result;
  const created: StandardSchema['~standard'] = {
    ...standard,
    validate: (value) => {
      const result = schema['~standard'].validate(value);
      return isPromiseLike(result) ? Promise.resolve(result).then(toInstance) : toInstance(result);
    },
    ...(jsonSchema && { jsonSchema: { input: convert('input'), output: convert('output') } }),
  };
  standards.set(target, created);
  sources.set(created, schema);
  return created;
}

/** The schemas from which classes were created. */
const sources = new WeakMap<StandardSchema['~standard'], StandardSchema>();

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

/**
 * Validates a value of a request.
 *
 * @param path - Where the value is in the request; the source first.
 * @param issues - Receives the issues of a value that the schema rejects.
 * @returns The output of the schema, or undefined after an issue; a promise for an asynchronous schema.
 * @throws The error of the schema. `TypeError` for a result that is not of Standard Schema.
 */
export function validateValue(
  schema: StandardSchema,
  value: unknown,
  path: readonly [source: string, ...names: string[]],
  issues: ValidationIssue[],
): unknown {
  const result = schema['~standard'].validate(value);
  return isPromiseLike(result)
    ? Promise.resolve(result).then((settled) => readResult(settled, path, issues))
    : readResult(result, path, issues);
}

/** Returns the value of a result, or undefined after issues. */
function readResult(
  result: unknown,
  path: readonly [source: string, ...names: string[]],
  issues: ValidationIssue[],
): unknown {
  const { value, issues: found }: { readonly value?: unknown; readonly issues?: unknown } =
    Object(result);
  if (found === undefined && value !== undefined) return value;
  if (Array.isArray(found) && found.length > 0) {
    const [source] = path;
    for (const issue of found as readonly StandardSchemaIssue[]) {
      const message = shorten(issue.message, MAX_MESSAGE_LENGTH);
      issues.push({ source, path: [...path, ...keysOf(issue)], message });
    }
    return undefined;
  }
  if (found === undefined && 'value' in Object(result)) return undefined;
  throw new TypeError('The schema returned neither a value nor issues. Correct its validate().');
}

/** How long a key of an issue is at most. A client may send a huge key, and each issue below repeats it. */
const MAX_KEY_LENGTH = 200;

/** The maximum length of a message, which may list all keys that a client sent. */
const MAX_MESSAGE_LENGTH = 1_000;

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Returns the keys of an issue's path, long ones shortened. */
export function keysOf({ path = [] }: StandardSchemaIssue): (string | number)[] {
  return path.map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    if (typeof key === 'number') return key;
    return shorten(String(key), MAX_KEY_LENGTH);
  });
}
