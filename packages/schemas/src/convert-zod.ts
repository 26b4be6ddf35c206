import { ABSENT, addPattern, FITS, removeLimits, SCALAR, URL_FORMAT, weaken } from './marks.js';

interface Check {
  readonly check?: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly position?: number;
}

/** The members of zod's definitions that matter here. @see https://zod.dev/packages/core */
interface Definition extends Check {
  readonly type: string;
  readonly coerce?: boolean;
  readonly catchall?: unknown;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
  readonly values?: readonly unknown[];
  readonly shape?: object;
  readonly mode?: string;
  readonly keyType?: ZodSchema;
  readonly unionFallback?: boolean;
}

interface ZodSchema {
  readonly _zod: { readonly def: Definition; readonly pattern?: RegExp };
}

/** What the converter of zod passes to the functions of its options. */
interface Part {
  readonly zodSchema: ZodSchema;
  readonly path: readonly unknown[];
  readonly message: string;
  readonly jsonSchema: Record<string, unknown>;
}

/** What zod cannot express, but whose JSON has no members. */
const WITHOUT_MEMBERS = ['bigint', 'date', 'nan', 'symbol', 'undefined', 'void'];

/** Types whose values JSON Schema does not describe, and types that convert the value. */
const UNKNOWN = [
  ...['custom', 'file', 'function', 'map', 'promise', 'set', 'symbol', 'transform'],
  ...['pipe', 'success'],
];

/** Those of them that refuse an absent value. JSON does not write symbols. */
const NEVER_ABSENT = ['file', 'function', 'map', 'set'];

/** Wrappers that fill in what is absent. */
const DEFAULTS = ['default', 'prefault'];

/** Types whose checks have keywords. */
const LIMITED = ['string', 'number', 'array', 'tuple'];

/** Checks that keywords express. */
const EXPRESSED = [
  ...['greater_than', 'less_than', 'multiple_of', 'number_format'],
  ...['min_length', 'max_length', 'length_equals', 'string_format'],
];

/** Formats that zod does not judge by their pattern alone. */
const CODED_FORMATS = [
  ...['url', 'ipv6', 'cidrv6', 'base64', 'base64url', 'credit_card', 'iban', 'jwt'],
  'json_string',
];

/** Options of `z.url()` that JSON Schema does not have. */
const URL_OPTIONS = ['hostname', 'protocol', 'normalize'];

/** Replaces what zod cannot express by what is known about its JSON. */
export function unrepresentable(report: (reason: string) => void): (part: Part) => object | string {
  return ({ zodSchema, path, message }) => {
    const { type } = zodSchema._zod.def;
    if (WITHOUT_MEMBERS.includes(type)) return { ...SCALAR };
    if (type === 'number') return { [FITS]: 'maybe' };
    if (type !== 'literal' && type !== 'object')
      report(`${path.length === 0 ? '' : `at /${path.join('/')}, `}${message}.`);
    return 'any';
  };
}

/** Marks what the JSON Schema of zod does not say. */
export function override({ zodSchema, jsonSchema }: Part): void {
  const { def, pattern } = zodSchema._zod;
  const { type, catchall, checks = [] } = def;
  // Unlike z.strictObject(), z.object() accepts other members, and removes them.
  if (type === 'object' && catchall === undefined) delete jsonSchema.additionalProperties;
  markType(def, pattern, jsonSchema);
  const all = [...(def.check === undefined ? [] : [def]), ...checks.map(({ _zod }) => _zod.def)];
  markChecks(type, all, jsonSchema);
}

function markType(def: Definition, pattern: RegExp | undefined, json: Part['jsonSchema']): void {
  const { type, values = [], keyType, mode } = def;
  if (UNKNOWN.includes(type) || def.coerce === true || def.unionFallback === true) {
    json[FITS] = 'unknown';
    if (!NEVER_ABSENT.includes(type)) json[ABSENT] = 'maybe';
  } else if (type === 'catch') {
    json[FITS] = 'always';
    json[ABSENT] = true;
  } else if (type === 'any' || type === 'unknown') {
    json[ABSENT] = 'undefined';
  } else if (DEFAULTS.includes(type)) {
    json[ABSENT] = true;
  } else if (type === 'nonoptional') {
    // A default may be inside.
    if (ABSENT in json) json[ABSENT] = 'maybe';
  } else if (type === 'undefined' || type === 'void') {
    json[FITS] = 'undefined';
    json[ABSENT] = 'undefined';
  } else if (type === 'date' || type === 'bigint' || type === 'nan') {
    json[FITS] = type;
  } else if (type === 'literal') {
    if (values.includes(undefined)) json[ABSENT] = 'undefined';
    if (values.length === 1 && values[0] === undefined)
      Object.assign(json, SCALAR, { [FITS]: 'undefined' });
    if (values.some((value) => typeof value === 'bigint')) json[FITS] = 'unknown';
  } else if (type === 'template_literal') {
    markPattern(pattern, json);
  } else if (type === 'record') {
    const isText = /^(?:string|enum|literal|template_literal)$/.test(keyType?._zod.def.type ?? '');
    if (mode === 'loose') json[FITS] = 'unknown';
    else if (!isText) weaken(json);
  } else if (type === 'object' && Object.getOwnPropertySymbols(def.shape ?? {}).length > 0) {
    weaken(json);
  }
}

function markChecks(type: string, checks: readonly Check[], json: Part['jsonSchema']): void {
  if (checks.length === 0) return;
  // A function may change the value that later checks receive.
  const last = checks.at(-1)?.check;
  const known = last === 'overwrite' ? checks.slice(0, -1) : checks;
  const areExpressed =
    LIMITED.includes(type) && known.every(({ check = '' }) => EXPRESSED.includes(check));
  if (!areExpressed) {
    if (type !== 'tuple') removeLimits(json);
    weaken(json);
  } else if (type === 'string') markFormats(known, json);
}

function markFormats(checks: readonly Check[], json: Part['jsonSchema']): void {
  for (const keyword of ['allOf', 'pattern', 'format']) delete json[keyword];
  for (const check of checks) {
    const { format = '', pattern, position } = check;
    if (check.check !== 'string_format') continue;
    const isUrl = format === 'url' && !URL_OPTIONS.some((name) => Object.hasOwn(check, name));
    const isCoded = CODED_FORMATS.includes(format) || Object.hasOwn(check, 'fn');
    if (isUrl) json.format = URL_FORMAT;
    else if (isCoded || position !== undefined || pattern === undefined) weaken(json);
    else markPattern(pattern, json);
  }
}

function markPattern(pattern: RegExp | undefined, json: Part['jsonSchema']): void {
  delete json.pattern;
  if (pattern === undefined) weaken(json);
  else addPattern(json, pattern);
}
