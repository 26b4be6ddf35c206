import { isStandardSchema, toJsonSchema } from '@fairlead/core';
import { describeStructure } from '@fairlead/core/extend';

/** Whether a schema describes what a client sends or what it receives. */
export type Form = 'input' | 'output';

/** A JSON Schema of draft 2020-12 other than true and false. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What to do with a schema that JSON Schema cannot express. */
export type Unrepresentable = 'error' | 'any';

/** Why a part of a schema cannot be expressed. */
export interface Reason {
  /** A sentence, which may start with places in the schema. */
  readonly text: string;
  /** What to write in place of the part, as an imperative. */
  readonly fix?: string | undefined;
}

/** Why a schema cannot be expressed. */
export class InexpressibleError extends Error {
  /** @param reasons - At least one. */
  constructor(readonly reasons: readonly Reason[]) {
    super(reasons.map(({ text }) => text).join('\n'));
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
 * @param unrepresentable - With `any`, what cannot be expressed becomes {}. An input whose schema has no JSON Schema
 *   becomes what its structure tells.
 * @throws {InexpressibleError} When the schema cannot be expressed.
 */
export function convert(schema: object, form: Form, unrepresentable: Unrepresentable): JsonSchema {
  try {
    const options = unrepresentable === 'any' ? LENIENT : STRICT;
    const converted = toJsonSchema(schema, form, 'draft-2020-12', options);
    if (converted !== undefined) return converted as JsonSchema;
  } catch (error) {
    if (unrepresentable === 'any') return describeAnyway(schema, form);
    throw new InexpressibleError(findReasons(schema, form, error));
  }
  if (unrepresentable === 'any') return describeAnyway(schema, form);
  throw new InexpressibleError([{ text: describeMissingConverter(schema) }]);
}

function vendorOf(schema: object): string {
  return isStandardSchema(schema) ? schema['~standard'].vendor : 'unknown';
}

function describeAnyway(schema: object, form: Form): JsonSchema {
  const isKnown = form === 'input' && isStandardSchema(schema);
  return isKnown ? { ...describeStructure(schema) } : {};
}

function describeMissingConverter(schema: object): string {
  const vendor = vendorOf(schema);
  const fix =
    vendor === 'valibot'
      ? ' Wrap the schema in toStandardJsonSchema() of @valibot/to-json-schema.'
      : '';
  return `the validator '${vendor}' does not convert to JSON Schema.${fix}`;
}

/** Validators throw a TypeError for a part that is not one of their schemas. */
const NOT_A_SCHEMA = ' A part is not a schema. For a class, write z.array(Book.schema).';

/** The text of a date, by validator: that of a response, and that of a request, which becomes a `Date`. */
const DATES: Readonly<Record<string, Readonly<Record<Form, string>>>> = {
  zod: { output: 'z.iso.datetime()', input: 'z.iso.datetime().pipe(z.coerce.date())' },
  valibot: {
    output: 'v.pipe(v.string(), v.isoTimestamp())',
    input: 'v.pipe(v.string(), v.isoTimestamp(), v.toDate())',
  },
  arktype: { output: "type('string.date.iso')", input: "type('string.date.iso.parse')" },
};

/** What the validators call a date. */
const IS_DATE = /^Date cannot be|"date" schema|the date$/;

/** Explains how to describe what a validator refuses. JSON has no dates. */
function fixFor(schema: object, form: Form, message: string): string | undefined {
  const text = IS_DATE.test(message) ? DATES[vendorOf(schema)]?.[form] : undefined;
  return text && `describe the text of the date: ${text}`;
}

/** A part that cannot be expressed. */
interface Found {
  readonly message: string;
  /** Where zod finds the part first. */
  readonly path: readonly unknown[];
}

/** Lists everything that cannot be expressed, with its places if the validator tells them, as zod does. */
function findReasons(schema: object, form: Form, error: unknown): readonly Reason[] {
  const found: Found[] = [];
  const unrepresentable = (part: Found) => ({ [PART]: found.push(part) - 1 });
  let places: ReadonlyMap<unknown, readonly string[]> = new Map();
  try {
    places = findParts(
      toJsonSchema(schema, form, 'draft-2020-12', { ...STRICT, unrepresentable }) ?? {},
    );
  } catch {
    // The validator has thrown this before.
  }
  if (found.length > 0) {
    return found.map(({ message, path }, index) => {
      const all = places.get(index) ?? [pathTo(path)];
      const place = all[0] === '' ? '' : `at ${joinPlaces(all)}, `;
      return { text: `${place}${message}.`, fix: fixFor(schema, form, message) };
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof TypeError ? NOT_A_SCHEMA : '';
  const text = `${message.replace(/\.?$/, '.')}${advice}`;
  return [{ text, fix: fixFor(schema, form, message.replace(/\.$/, '')) }];
}

/** A keyword with the index of a part that cannot be expressed. */
const PART = 'fairlead:part';

const pathTo = (path: readonly unknown[]): string => path.map((name) => `/${name}`).join('');

/**
 * Finds the places of each part. A schema that is used twice is one part with two places. One that other schemas
 * refer to is searched once.
 */
function findParts(root: object): ReadonlyMap<unknown, readonly string[]> {
  const places = new Map<unknown, string[]>();
  const followed = new Set<unknown>();
  const search = (value: unknown, path: readonly unknown[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if (PART in value) {
      const known = places.get(value[PART]) ?? [];
      places.set(value[PART], [...known, pathTo(path)]);
    }
    for (const [name, inner] of Object.entries(value)) {
      if (name === '$ref' && !followed.has(inner)) {
        followed.add(inner);
        search(definitionAt(root, inner), path);
      } else if (name !== '$defs') search(inner, [...path, name]);
    }
  };
  search(root, []);
  return places;
}

function definitionAt(root: object, reference: unknown): unknown {
  const name = /^#\/\$defs\/(.*)$/.exec(String(reference))?.[1];
  return name && Reflect.get(Object(Reflect.get(root, '$defs')), name);
}

const MAX_PLACES = 5;

function joinPlaces(places: readonly string[]): string {
  const others = places.length - MAX_PLACES;
  const more = others > 0 ? [`${others} more`] : [];
  return [...places.slice(0, MAX_PLACES), ...more].join(', ').replace(/, ([^,]*)$/, ' and $1');
}
