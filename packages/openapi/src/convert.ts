import { isStandardSchema, toJsonSchema } from '@fairlead/core';

/** Whether a schema describes what a client sends or what it receives. */
export type Form = 'input' | 'output';

/** A JSON Schema of draft 2020-12 other than true and false. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What to do with a schema that JSON Schema cannot express. */
export type Unrepresentable = 'error' | 'any';

/** Why a schema cannot be expressed. */
export class InexpressibleError extends Error {
  /** @param reasons - At least one. Each may start with a place in the schema. */
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join('\n'));
  }
}

/** What the conversion of zod passes to the option `override`. */
interface ZodConversion {
  readonly zodSchema: {
    readonly _zod: { readonly def: { readonly type: string; readonly catchall?: unknown } };
  };
  readonly jsonSchema: { additionalProperties?: unknown };
}

/**
 * Keeps an object open that zod would strip. Clients must accept members that are added later.
 */
function keepOpen({ zodSchema, jsonSchema }: ZodConversion): void {
  const { type, catchall } = zodSchema._zod.def;
  if (type === 'object' && catchall === undefined) delete jsonSchema.additionalProperties;
}

function refuse({ code }: { readonly code: string }): never {
  throw new Error(`JSON Schema cannot represent the ${code}`);
}

/**
 * By default, arktype replaces what it cannot express with {}. These are not conditions, but whole values.
 */
const ARKTYPE_CODES = ['date', 'domain', 'morph', 'proto', 'symbolKey', 'unit', 'arrayObject'];

/** Options of zod and arktype. Valibot throws by default. */
const STRICT = {
  override: keepOpen,
  fallback: Object.fromEntries(ARKTYPE_CODES.map((code) => [code, refuse])),
};

/** Options of zod and valibot. Arktype allows everything by default. */
const LENIENT = { override: keepOpen, unrepresentable: 'any', errorMode: 'ignore' };

/**
 * Converts a schema to JSON Schema.
 *
 * @param schema - A Standard Schema, or a JSON Schema, which is returned as is.
 * @param unrepresentable - With `any`, what cannot be expressed becomes {}.
 * @throws {InexpressibleError} When the schema cannot be expressed.
 */
export function convert(schema: object, form: Form, unrepresentable: Unrepresentable): JsonSchema {
  try {
    const options = unrepresentable === 'any' ? LENIENT : STRICT;
    const converted = toJsonSchema(schema, form, 'draft-2020-12', options);
    if (converted !== undefined) return converted as JsonSchema;
  } catch (error) {
    if (unrepresentable === 'any') return {};
    throw new InexpressibleError(findReasons(schema, form, error));
  }
  if (unrepresentable === 'any') return {};
  throw new InexpressibleError([describeMissingConverter(schema)]);
}

function describeMissingConverter(schema: object): string {
  const vendor = isStandardSchema(schema) ? schema['~standard'].vendor : 'unknown';
  const fix =
    vendor === 'valibot'
      ? ' Wrap the schema in toStandardJsonSchema() of @valibot/to-json-schema.'
      : '';
  return `the validator '${vendor}' does not convert to JSON Schema.${fix}`;
}

/** Validators throw a TypeError for a part that is not one of their schemas. */
const NOT_A_SCHEMA = ' A part is not a schema. For a class, write z.array(Book.schema).';

/** Lists everything that cannot be expressed, with its place if the validator tells it, as zod does. */
function findReasons(schema: object, form: Form, error: unknown): readonly string[] {
  const reasons: string[] = [];
  const unrepresentable = (found: {
    readonly path: readonly unknown[];
    readonly message: string;
  }) => {
    const place = found.path.length === 0 ? '' : `at /${found.path.join('/')}, `;
    reasons.push(`${place}${found.message}.`);
    return 'any';
  };
  try {
    toJsonSchema(schema, form, 'draft-2020-12', { ...STRICT, unrepresentable });
  } catch {
    // The validator has thrown this before.
  }
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof TypeError ? NOT_A_SCHEMA : '';
  return reasons.length > 0 ? reasons : [`${message.replace(/\.?$/, '.')}${advice}`];
}
