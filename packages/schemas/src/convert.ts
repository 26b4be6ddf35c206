import { valibotOptions } from './convert-valibot.js';
import { override, unrepresentable } from './convert-zod.js';
import { ABSENT, FITS, SCALAR, weaken } from './marks.js';
import { isStandardSchema, toJsonSchema } from './standard-schema.js';

/** Receives why a part of a schema is unknown. */
export type Report = (reason: string) => void;

/** How to read a JSON Schema, which depends on where it comes from. */
export interface Dialect {
  /** Whether a value that fits several branches of `oneOf` fits none. */
  readonly isExclusive: boolean;
  /** The flags that a pattern may have. If they decide differently, the pattern does not decide. */
  readonly flags: readonly string[];
  /** Whether an array may fit where the type is an object. */
  readonly hasArraysAsObjects: boolean;
  /** Whether an empty schema may stand for something that JSON Schema cannot express. */
  readonly hasHoles: boolean;
  /** Whether nothing decides, because the library converts values. */
  readonly isVague: boolean;
}

/** A JSON Schema with the marks of `marks.ts`. */
export interface Converted {
  readonly schema: unknown;
  readonly dialect: Dialect;
}

const FLAGS = ['', 'i', 'm', 's', 'im', 'is', 'ms', 'ims'];

/** The libraries whose schemas get marks. */
const MARKED = ['arktype', 'valibot', 'zod'];

function dialectOf(schema: object): Dialect {
  const vendor = isStandardSchema(schema) ? schema['~standard'].vendor : undefined;
  const isArktype = vendor === 'arktype';
  return {
    // A 'oneOf' of valibot is a variant, which takes the first branch.
    isExclusive: vendor !== 'valibot',
    // A JSON Schema has the flag 'u'. Libraries lose the flags.
    flags: vendor === undefined ? ['u'] : FLAGS.flatMap((flags) => [flags, `${flags}u`]),
    hasArraysAsObjects: isArktype || vendor === 'valibot',
    hasHoles: vendor !== undefined && !MARKED.includes(vendor),
    isVague: isArktype && Reflect.get(schema, 'includesTransform') === true,
  };
}

function refuse({ code }: { readonly code: string }): never {
  throw new Error(`JSON Schema cannot represent the ${code}`);
}

/** What arktype passes to its fallbacks. */
interface Fallback {
  readonly base: Readonly<Record<string, unknown>>;
  readonly domain?: string;
  readonly unit?: unknown;
  readonly after?: unknown;
  readonly before?: unknown;
  readonly elements?: readonly object[];
}

const unknown = { ...SCALAR, [FITS]: 'unknown' };
const weaker = ({ base }: Fallback): object => {
  const weak = { ...base };
  weaken(weak);
  return weak;
};

const arktypeFallback = {
  date: ({ after, before }: Fallback) =>
    after === undefined && before === undefined ? { ...SCALAR, [FITS]: 'date' } : unknown,
  domain: ({ domain }: Fallback) =>
    domain === 'bigint' ? { ...SCALAR, [FITS]: 'bigint' } : unknown,
  unit: ({ unit }: Fallback) =>
    unit === undefined ? { ...SCALAR, [FITS]: 'undefined', [ABSENT]: 'undefined' } : unknown,
  predicate: weaker,
  patternIntersection: weaker,
  symbolKey: weaker,
  // The last elements have no fixed place.
  arrayPostfix: ({ base, elements = [] }: Fallback) => ({
    ...base,
    items: { anyOf: [base.items, ...elements] },
    [FITS]: 'unknown',
  }),
  arrayObject: refuse,
  morph: refuse,
  proto: refuse,
};

/**
 * Converts a schema to JSON Schema, with {} in place of what JSON Schema cannot express, and with marks. Objects that
 * accept and remove other members have no `additionalProperties`.
 */
export function convert(schema: object, report: Report): Converted {
  return { schema: toMarkedSchema(schema, report), dialect: dialectOf(schema) };
}

function toMarkedSchema(schema: object, report: Report): unknown {
  const toSchema = (
    transformed?: Readonly<Record<string, unknown>>,
    more?: object,
  ): object | undefined => {
    const options = {
      unrepresentable: unrepresentable(report),
      override,
      fallback: arktypeFallback,
      ...valibotOptions(transformed),
      ...more,
    };
    const toJson = () => toJsonSchema(schema, 'output', 'draft-2020-12', options);
    if (isStandardSchema(schema) && schema['~standard'].vendor === 'valibot') toJson();
    return toJson();
  };
  try {
    const converted = toSchema();
    if (converted !== undefined) return converted;
    report(`${describeValidator(schema)} does not convert schemas to JSON Schema.`);
    return true;
  } catch (error) {
    report(`${error instanceof Error ? error.message : String(error)}.`);
    try {
      return toSchema({ [FITS]: 'unknown' }, { errorMode: 'ignore' });
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
