import { ABSENT, addPattern, CHANGED, FITS, removeLimits, SCALAR, weaken } from './marks.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** What the converter of valibot passes to the functions of its options. */
interface Part {
  readonly valibotSchema: { readonly type: string; readonly literal?: unknown };
  readonly valibotAction: {
    readonly type: string;
    readonly kind: string;
    readonly requirement?: unknown;
  };
  readonly errors?: readonly unknown[];
  readonly jsonSchema: JsonSchema;
}

/** What valibot cannot express, but whose JSON has no members, and how to mark it. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  bigint: { [FITS]: 'bigint' },
  date: { [FITS]: 'date' },
  nan: { [FITS]: 'nan' },
  symbol: { [FITS]: 'unknown', [ABSENT]: 'maybe' },
  undefined: { [FITS]: 'undefined', [ABSENT]: 'undefined' },
  void: { [FITS]: 'undefined', [ABSENT]: 'undefined' },
};

/** Types that accept undefined. */
const MAY_BE_UNDEFINED = ['any', 'unknown', 'undefinedable'];

/** Actions that change text to text, or only the type. */
const SAME_TYPE = [
  ...['brand', 'flavor', 'readonly', 'normalize', 'to_lower_case', 'to_upper_case'],
  ...['trim', 'trim_end', 'trim_start'],
];

/**
 * Creates the options of the converter. It shows a schema after those inside, so that only a second conversion knows
 * which of them receive values from another one.
 *
 * @param transformed - The schema after a transform, which has no JSON Schema; undefined to fail.
 */
export function valibotOptions(transformed: JsonSchema | undefined): object {
  const piped = new Set<unknown>();
  const seen = new Set<unknown>();
  return {
    overrideSchema: ({ valibotSchema, jsonSchema, errors }: Part): JsonSchema | undefined => {
      const { type } = valibotSchema;
      findPiped(valibotSchema, piped, seen);
      // Another schema has validated the value that is sent.
      const later = piped.has(valibotSchema) ? { [FITS]: 'unknown' } : undefined;
      const fallback =
        'fallback' in valibotSchema ? { [FITS]: 'always', [ABSENT]: true } : undefined;
      const scalar = SCALARS[type] ?? scalarLiteral(valibotSchema);
      if (scalar !== undefined) return { ...SCALAR, ...scalar, ...fallback, ...later };
      if (errors !== undefined && transformed === undefined) return undefined;
      return {
        ...jsonSchema,
        ...(errors !== undefined && { [FITS]: 'unknown', [ABSENT]: 'maybe' }),
        ...(MAY_BE_UNDEFINED.includes(type) && { [ABSENT]: 'undefined' }),
        ...(type === 'loose_object' && { additionalProperties: true }),
        ...(type === 'loose_tuple' && { unevaluatedItems: true }),
        ...fallback,
        ...later,
      };
    },
    overrideAction: ({ valibotAction, jsonSchema, errors }: Part): JsonSchema | undefined => {
      const { type, kind, requirement } = valibotAction;
      if (type.includes('transform')) return transformed;
      if (kind === 'metadata') return jsonSchema;
      if (kind !== 'validation') {
        const mark = SAME_TYPE.includes(type) ? { [CHANGED]: true } : { [FITS]: 'unknown' };
        return { ...jsonSchema, ...mark };
      }
      const json: Record<string, unknown> = { ...jsonSchema };
      if (CHANGED in json) {
        removeLimits(json);
        weaken(json);
      } else if (requirement instanceof RegExp) markPattern(json, requirement);
      else if (typeof json.pattern === 'string') markPattern(json, new RegExp(json.pattern));
      else if (errors !== undefined || 'format' in json) weaken(json);
      return json;
    },
  };
}

function markPattern(json: Record<string, unknown>, pattern: RegExp): void {
  delete json.pattern;
  delete json.format;
  // valibot keeps where a global expression last matched.
  if (/[gy]/.test(pattern.flags)) weaken(json);
  else addPattern(json, pattern);
}

/** Marks a literal that JSON does not have. */
function scalarLiteral({ type, literal }: Part['valibotSchema']): JsonSchema | undefined {
  const isScalar = ['bigint', 'undefined', 'symbol'].includes(typeof literal);
  return type === 'literal' && isScalar ? { [FITS]: 'unknown', [ABSENT]: 'maybe' } : undefined;
}

/** Members of schemas that contain schemas. */
const PARTS = ['wrapped', 'options', 'entries', 'item', 'items', 'rest', 'key', 'value', 'pipe'];

/** Finds the schemas that receive values from another one, in a pipe. */
function findPiped(part: unknown, piped: Set<unknown>, seen: Set<unknown>): void {
  if (Reflect.get(Object(part), 'kind') !== 'schema' || seen.has(part)) return;
  seen.add(part);
  const schema = part as Readonly<Record<string, unknown>>;
  if (Array.isArray(schema.pipe)) for (const later of schema.pipe.slice(1)) piped.add(later);
  // As its converter does.
  if (typeof schema.getter === 'function') findPiped(schema.getter(undefined), piped, seen);
  for (const name of PARTS) {
    for (const inner of [schema[name], ...Object.values(Object(schema[name]))])
      findPiped(inner, piped, seen);
  }
}
