import {
  type JsonSchemaConverter,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  type StandardSchemaResult,
  setSource,
} from '@fairlead/schemas';
import { isPromiseLike } from '../promise.js';

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
  setSource(created, schema);
  return created;
}
