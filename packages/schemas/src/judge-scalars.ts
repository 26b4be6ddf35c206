import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from './convert.js';
import { Fit, fitIf } from './fit.js';
import { isWritten } from './json-values.js';
import {
  allows,
  constantsOf,
  isObject,
  isPlainDate,
  isScalar,
  type Keywords,
  listOf,
  typeOf,
} from './keywords.js';
import { FITS, PATTERNS, URL_FORMAT } from './marks.js';

/** Tells how well a value fits, which has the form of JSON unless it is an object. */
type Check = (value: unknown) => number;

/** Returns how JSON writes a value that has no members. */
function written(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (isObject(value)) return isPlainDate(value) ? value.toJSON() : value;
  return isWritten(value) ? value : null;
}

/** What a schema says about text, or about numbers. */
type Limit =
  | { readonly of: 'string'; readonly judge: (value: string) => number }
  | { readonly of: 'number'; readonly judge: (value: number) => number };

/** Creates the functions that judge a value by its type and by what a schema says about scalars. */
export function scalarChecksOf(schema: Keywords, dialect: Dialect): Check[] {
  const exact = exactCheck(schema[FITS]);
  if (exact !== undefined) return [exact];
  const type = typeCheck(schema, dialect);
  const limited = [...limits(schema, dialect)];
  if (type === undefined && limited.length === 0) return [];
  const mayBeObject = allows(schema, 'object');
  const checks = [type ?? [], ...limited.map(ofType)].flat();
  const judges = checks.map((check) => asWritten(check, mayBeObject));
  // Most values are text, whose type is right.
  const isText = constantsOf(schema) === undefined && allows(schema, 'string');
  const texts = limited.flatMap((one) => (one.of === 'string' ? one.judge : []));
  return [
    (value) => (isText && typeof value === 'string' ? worst(texts, value) : worst(judges, value)),
  ];
}

function worst<Value>(judges: readonly ((value: Value) => number)[], value: Value): number {
  let found: number = Fit.yes;
  for (let index = 0; index < judges.length; index += 1) {
    const fit = judges[index]?.(value) ?? Fit.yes;
    if (fit < found) found = fit;
  }
  return found;
}

function ofType({ of, judge }: Limit): Check {
  return (value) => (typeof value === of ? judge(value as never) : Fit.yes);
}

/** Judges what JSON writes. The library judges the value itself, so that one which JSON changes remains undecided. */
function asWritten(check: Check, mayBeObject: boolean): Check {
  return (value) => {
    const json = written(value);
    if (json === value) return check(json);
    // A Date is an object for a library.
    if (value === undefined || (isObject(value) && mayBeObject)) return Fit.maybe;
    return Math.min(check(json), Fit.maybe);
  };
}

/** Creates the function that judges values which only a library tells apart. */
function exactCheck(fits: unknown): Check | undefined {
  if (fits === 'date') {
    return scalarsThat((value) => {
      if (value instanceof Date) return fitIf(!Number.isNaN(value.getTime()));
      // What another class writes, or a date that is text already.
      return typeof value === 'string' && isIsoDate(value) ? Fit.maybe : Fit.no;
    });
  }
  if (fits === 'bigint') return scalarsThat((value) => fitIf(typeof value === 'bigint'));
  if (fits === 'nan') return scalarsThat((value) => fitIf(Number.isNaN(value)));
  return fits === 'undefined' ? scalarsThat((value) => fitIf(value === undefined)) : undefined;
}

function scalarsThat(check: Check): Check {
  return (value) => (kindOf(value) === 'scalar' ? check(value) : Fit.otherType);
}

function isIsoDate(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

const TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'];

function typeCheck(schema: Keywords, { hasArraysAsObjects }: Dialect): Check | undefined {
  const { type } = schema;
  const constants = constantsOf(schema);
  if (constants !== undefined) {
    const kinds = new Set(constants.map(kindOf));
    return (value) => {
      if (!kinds.has(kindOf(value))) return Fit.otherType;
      if (!isObject(value)) return constants.includes(value) ? Fit.yes : Fit.otherConstant;
      return constants.some((one) => isDeepStrictEqual(one, value)) ? Fit.yes : Fit.maybe;
    };
  }
  if (type === undefined) return undefined;
  const types: readonly unknown[] = [type].flat();
  const isInteger = types.includes('integer') && !types.includes('number');
  const kinds = new Set(types.map((one) => (one === 'object' || one === 'array' ? one : 'scalar')));
  const allowed = new Set(TYPES.filter((name) => allows(schema, name)));
  const takesNumbers = allowed.has('number') && !isInteger;
  const mayBeArray = hasArraysAsObjects && kinds.has('object');
  return (value) => {
    if (typeof value === 'number' && takesNumbers) return Fit.yes;
    if (!isObject(value) && allowed.has(typeOf(value)) && !isInteger) return Fit.yes;
    if (!kinds.has(kindOf(value)))
      return mayBeArray && Array.isArray(value) ? Fit.maybe : Fit.otherType;
    // Such as a bigint or a String, for which users have their own form.
    if (typeof value === 'bigint' || (isObject(value) && isBoxed(value))) return Fit.maybe;
    if (isInteger && typeof value === 'number') return fitIf(Number.isInteger(value));
    return fitIf(allowed.has(typeOf(value)));
  };
}

/** Returns what JSON writes a value as. */
export function kindOf(value: unknown): 'object' | 'array' | 'scalar' {
  if (Array.isArray(value)) return 'array';
  return isObject(value) && !isBoxed(value) && !isPlainDate(value) ? 'object' : 'scalar';
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof Boolean || isScalar(value);
}

function* limits(schema: Keywords, dialect: Dialect): Generator<Limit> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { minLength, maxLength, pattern, format } = schema;
  const low = bound(minimum, exclusiveMinimum);
  const high = bound(maximum, exclusiveMaximum);
  if (minimum !== undefined || low !== undefined)
    yield ofNumbers((value) => fitIf(!(value < Number(minimum)) && !(value <= Number(low))));
  if (maximum !== undefined || high !== undefined)
    yield ofNumbers((value) => fitIf(!(value > Number(maximum)) && !(value >= Number(high))));
  if (typeof multipleOf === 'number') {
    yield ofNumbers((value) => {
      const isMultiple = value % multipleOf === 0;
      const quotient = value / multipleOf;
      const isNearly = Math.abs(quotient - Math.round(quotient)) < 1e-6;
      // Libraries round decimal fractions differently.
      return isMultiple === isNearly && Math.abs(quotient) < 1e9 ? fitIf(isMultiple) : Fit.maybe;
    });
  }
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? Number.POSITIVE_INFINITY)];
    const fits = (length: number): boolean => length >= least && length <= most;
    yield ofText((value) => {
      // JSON Schema counts characters, and most libraries count UTF-16 code units.
      const fit = fits(value.length);
      return fit === fits([...value].length) ? fitIf(fit) : Fit.maybe;
    });
  }
  for (const [source, flags] of listOf(schema[PATTERNS]) as readonly [string, string][]) {
    const judge = patternJudge(source, [flags]);
    yield ofText(judge);
  }
  if (pattern !== undefined) yield ofText(patternJudge(String(pattern), dialect.flags));
  if (format === URL_FORMAT) yield ofText((value) => fitIf(URL.canParse(value.trim())));
  // In a JSON Schema, a format may be a comment or a condition. A library has a pattern beside it.
  else if (format !== undefined && (pattern === undefined || dialect.flags.length === 1))
    yield ofText(() => Fit.maybe);
}

/** Returns an exclusive bound. Before draft 6, it said whether the other one is exclusive. */
function bound(inclusive: unknown, exclusive: unknown): unknown {
  if (typeof exclusive === 'number') return exclusive;
  return exclusive === true ? inclusive : undefined;
}

function ofNumbers(judge: (value: number) => number): Limit {
  return { of: 'number', judge };
}

function ofText(judge: (value: string) => number): Limit {
  return { of: 'string', judge };
}

/** Creates the function that judges text by a pattern, whose flags are one of several. */
export function patternJudge(source: string, flags: readonly string[]): (text: string) => number {
  const patterns = flags.map((one) => toRegExp(source, one));
  const [only] = patterns;
  if (patterns.length === 1 && only !== undefined) {
    return (text) => {
      only.lastIndex = 0;
      return fitIf(only.test(text));
    };
  }
  return (text) => {
    const fits = new Set<number>();
    for (const pattern of patterns) {
      if (pattern === undefined) return Fit.maybe;
      pattern.lastIndex = 0;
      fits.add(fitIf(pattern.test(text)));
    }
    const [fit] = fits;
    return fits.size === 1 && fit !== undefined ? fit : Fit.maybe;
  };
}

function toRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
