import { isStandardSchema, toJsonSchema } from './schema.js';

/** Receives why a part of a schema is unknown. */
export type Report = (reason: string) => void;

/**
 * A keyword of converted schemas for what JSON Schema cannot express: `'maybe'`, if other values may be invalid, too;
 * `'always'`, if invalid values become valid; `'absent'`, if a required member may be absent.
 */
export const FITS = 'fairlead:fits';

/** What zod cannot express, but whose JSON has no members. */
const WITHOUT_MEMBERS = ['bigint', 'date', 'literal', 'nan', 'symbol', 'undefined', 'void'];

/** What zod cannot express, and whose JSON may have members. */
const UNKNOWN = ['custom', 'file', 'function', 'map', 'promise', 'set', 'transform'];

/** What zod accepts although it is absent. */
const MAY_BE_ABSENT = ['any', 'undefined', 'unknown', 'void'];

/** A value without members. */
const scalar = { type: ['string', 'number', 'boolean', 'null'] };

interface ZodSchema {
  readonly _zod: {
    readonly def: {
      readonly type: string;
      readonly catchall?: unknown;
      readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[];
    };
  };
}

/** What the converters of zod and valibot pass to the functions of their options. */
interface Part {
  readonly zodSchema: ZodSchema;
  readonly path: readonly unknown[];
  readonly message: string;
  readonly valibotSchema: { readonly type: string; readonly fallback?: unknown };
  readonly valibotAction: { readonly type: string; readonly kind: string };
  readonly errors?: readonly unknown[];
  readonly jsonSchema: Record<string, unknown>;
}

function refuse({ code }: { readonly code: string }): never {
  throw new Error(`JSON Schema cannot represent the ${code}`);
}

/** Marks what the JSON Schema of zod does not say. */
function override({ zodSchema, jsonSchema }: Part): void {
  const { type, catchall, checks = [] } = zodSchema._zod.def;
  // Unlike z.strictObject(), z.object() accepts other members, and removes them.
  if (type === 'object' && catchall === undefined) delete jsonSchema.additionalProperties;
  const isConditional = checks.some(({ _zod: { def } }) => def.check === 'custom');
  if (isConditional || UNKNOWN.includes(type)) jsonSchema[FITS] = 'maybe';
  else if (type === 'catch') jsonSchema[FITS] = 'always';
  else if (MAY_BE_ABSENT.includes(type)) jsonSchema[FITS] = 'absent';
}

/** Marks what the JSON Schema of valibot does not say. */
function overrideSchema({ valibotSchema, jsonSchema }: Part): object | undefined {
  const { type } = valibotSchema;
  const known = 'fallback' in valibotSchema ? { ...jsonSchema, [FITS]: 'always' } : undefined;
  if (type === 'date') return scalar;
  if (type === 'loose_object') return { ...jsonSchema, ...known, additionalProperties: true };
  if (type === 'loose_tuple') return { ...jsonSchema, ...known, unevaluatedItems: true };
  return known;
}

/**
 * Converts a schema to JSON Schema, with {} in place of what JSON Schema cannot express, and with {@link FITS}.
 * Objects that accept and remove other members have no `additionalProperties`.
 */
export function convert(schema: object, report: Report): unknown {
  const actionOf =
    (transformed: object | undefined) =>
    // Other actions are conditions, or leave text as text.
    ({ valibotAction, jsonSchema, errors }: Part): object | undefined => {
      if (valibotAction.type.includes('transform')) return transformed;
      const isUnknown = errors !== undefined && valibotAction.kind === 'validation';
      return isUnknown ? { ...jsonSchema, [FITS]: 'maybe' } : jsonSchema;
    };
  const options = {
    unrepresentable: ({ zodSchema, path, message }: Part): object | string => {
      if (WITHOUT_MEMBERS.includes(zodSchema._zod.def.type)) return { ...scalar };
      report(`${path.length === 0 ? '' : `at /${path.join('/')}, `}${message}.`);
      return 'any';
    },
    override,
    overrideSchema,
    overrideAction: actionOf(undefined),
    // Of arktype.
    fallback: {
      date: () => scalar,
      predicate: ({ base }: { readonly base: object }) => ({ ...base, [FITS]: 'maybe' }),
      arrayObject: refuse,
      morph: refuse,
      proto: refuse,
    },
  };
  const toSchema = (more?: object): object | undefined =>
    toJsonSchema(schema, 'output', 'draft-2020-12', { ...options, ...more });
  try {
    const converted = toSchema();
    if (converted !== undefined) return converted;
    report(`${describeValidator(schema)} does not convert schemas to JSON Schema.`);
    return true;
  } catch (error) {
    report(`${error instanceof Error ? error.message : String(error)}.`);
    try {
      return toSchema({ overrideAction: actionOf({ [FITS]: 'maybe' }), errorMode: 'ignore' });
    } catch {
      return true;
    }
  }
}

function describeValidator(schema: object): string {
  const vendor = isStandardSchema(schema) ? schema['~standard'].vendor : '';
  const wrapper = 'toStandardJsonSchema() of @valibot/to-json-schema';
  return vendor === 'valibot' ? `valibot without ${wrapper}` : `the validator '${vendor}'`;
}
