import { isStandardSchema, type StandardSchema, toJsonSchema } from '@fairlead/core';
import { acceptsAbsence, describeStructure } from '@fairlead/core/extend';

/** What a schema tells about a variable. */
export interface SchemaDescription {
  /** Its `description` in JSON Schema. */
  readonly description: string | undefined;
  /** Completes the sentence "must be …". */
  readonly accepts: string | undefined;
  /** The default, as text. */
  readonly fallback: string | undefined;
  /** Whether the schema rejects that it is not set, as far as that is known. */
  readonly required: boolean;
}

/** The keywords of JSON Schema that describe variables. */
interface Json {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly allOf?: readonly Json[];
}

/** Options of zod and valibot, which otherwise throw for what JSON Schema cannot express. */
const LENIENT = { unrepresentable: 'any', errorMode: 'ignore' };

/** Describes each variable of a map of schemas, or of a schema of an object, by name. */
export function describeVariables(
  schema: StandardSchema | Readonly<Record<string, StandardSchema>>,
): ReadonlyMap<string, SchemaDescription> {
  if (!isStandardSchema(schema)) {
    const entries = Object.entries(schema);
    return new Map(
      entries.map(([name, one]) => [name, describe(jsonOf(one), acceptsAbsence(one) === false)]),
    );
  }
  const parts = [jsonOf(schema), describeStructure(schema)].flatMap(objectsOf);
  const described = new Map<string, SchemaDescription>();
  for (const { properties = {}, required = [] } of parts) {
    for (const [name, json] of Object.entries(properties)) {
      if (!described.has(name)) described.set(name, describe(json, required.includes(name)));
    }
  }
  return described;
}

/** Returns an object, or the objects among which it may be one, or of which it must be all. */
function objectsOf(json: Json): readonly Json[] {
  const { anyOf = [], oneOf = [], allOf = [] } = json;
  return [json, ...[...anyOf, ...oneOf, ...allOf].flatMap(objectsOf)];
}

function jsonOf(schema: StandardSchema): Json {
  try {
    const json = toJsonSchema(schema, 'input', 'draft-2020-12', LENIENT);
    if (json !== undefined) return json;
  } catch {
    // The structure describes at least a part of it.
  }
  return describeStructure(schema);
}

function describe(json: Json, required: boolean): SchemaDescription {
  const { description, default: value } = json;
  return {
    description: typeof description === 'string' && description !== '' ? description : undefined,
    accepts: describeKind(json),
    fallback: value === undefined || typeof value === 'string' ? value : JSON.stringify(value),
    required: required && value === undefined,
  };
}

function describeKind(json: Json): string | undefined {
  const { type, format, minLength } = json;
  const values = json.const === undefined ? json.enum : [json.const];
  if (values !== undefined) return `one of ${values.join(', ')}`.replace(/^one of ([^,]*)$/, '$1');
  switch (type) {
    case 'integer':
      return `an integer${rangeOf(json)}`;
    case 'number':
      return `a number${rangeOf(json)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list with commas between its elements';
    case 'string':
      if (format === 'uri') return 'a URL';
      if (format === 'email') return 'an email address';
      return minLength === undefined || minLength < 2
        ? undefined
        : `a text of at least ${minLength} characters`;
    default:
      return undefined;
  }
}

function rangeOf({ minimum, maximum }: Json): string {
  // Libraries write the bounds of safe integers, which say nothing.
  const least = Number.isSafeInteger((minimum ?? Number.NaN) - 1) ? minimum : undefined;
  const most = Number.isSafeInteger((maximum ?? Number.NaN) + 1) ? maximum : undefined;
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}
