/**
 * A keyword of converted schemas for what their other keywords do not say about the values that the library accepts:
 *
 * - `'maybe'`: it may also refuse others.
 * - `'unknown'`: it may accept other values, and refuse these.
 * - `'always'`: it accepts everything.
 * - `'date'`, `'bigint'`, `'nan'`, `'undefined'`: it accepts only these values, and the other keywords say how JSON
 *   writes them.
 */
export const FITS = 'fairlead:fits';

/**
 * A keyword of converted schemas for a required member: `true` if it may be absent, `'undefined'` if it may be
 * undefined, `'maybe'` if that is unknown.
 */
export const ABSENT = 'fairlead:absent';

/** A keyword of converted schemas: the source and the flags of regular expressions that all match. */
export const PATTERNS = 'fairlead:patterns';

/** A format of converted schemas: what `URL` parses. */
export const URL_FORMAT = 'fairlead:url';

/** A keyword for values that an action has changed, so that later actions do not judge what is sent. */
export const CHANGED = 'fairlead:changed';

const MARKS = new Set([FITS, ABSENT, PATTERNS, CHANGED]);

/** Whether a keyword says how to judge values, but not what to send. */
export function isMark(keyword: string): boolean {
  return MARKS.has(keyword);
}

/** A value without members. */
export const SCALAR = { type: ['string', 'number', 'boolean', 'null'] };

/** Keywords that limit values of one type, but describe nothing. */
const LIMITS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'minItems', 'maxItems', 'uniqueItems'],
];

/** Removes limits, which may not apply to the value that is sent. */
export function removeLimits(schema: Record<string, unknown>): void {
  for (const keyword of LIMITS) delete schema[keyword];
  if (schema.type === 'string' || schema.type === 'number' || schema.type === 'integer')
    delete schema.allOf;
  if (schema.type === 'integer') schema.type = 'number';
}

/** Adds a regular expression that texts have to match, besides those that are there. */
export function addPattern(schema: Record<string, unknown>, { source, flags }: RegExp): void {
  const present = schema[PATTERNS];
  schema[PATTERNS] = [...(Array.isArray(present) ? present : []), [source, flags]];
}

/** Marks that a library may refuse more values than a schema says. */
export function weaken(schema: Record<string, unknown>): void {
  schema[FITS] = schema[FITS] === undefined || schema[FITS] === 'maybe' ? 'maybe' : 'unknown';
  if (ABSENT in schema) schema[ABSENT] = 'maybe';
}
