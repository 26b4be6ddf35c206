import { isDeepStrictEqual } from 'node:util';
import { FITS } from './convert.js';
import {
  allows,
  elementsOf,
  entriesOf,
  isEverything,
  isKeywords,
  isObject,
  isScalar,
  isWritten,
  type Keywords,
  listOf,
  type Members,
  type SchemaDocument,
  typeOf,
} from './json-schema.js';

/**
 * How well a value fits a schema. A larger number is better, so that all of several schemas is the minimum, and any
 * of them is the maximum.
 */
export const Fit = {
  /** An object, an array or a scalar, where the schema has another of the three. */
  otherType: 0,
  /** Another constant, such as the `kind` of another branch. */
  otherConstant: 1,
  no: 2,
  /** Only without members that the schema refuses. */
  withoutOthers: 3,
  /** Undecided, because JSON Schema cannot say it. */
  maybe: 4,
  yes: 5,
} as const;

/** Tells how well a value fits. The value is what `toJSON()` returns. */
export type Judge = (value: unknown, reading: Reading) => number;

/** Tells how well an object fits. */
type MembersJudge = (value: Members, reading: Reading) => number;

/** What has been read of one response. */
export class Reading {
  readonly #written = new Map<object, Map<string, unknown>>();
  readonly #judged = new Map<Judge, Map<object, number>>();
  readonly #computed = new Map<string, object>();

  /** Returns what JSON writes for a value, and keeps it for {@link take}, because it may differ the next time. */
  read(value: unknown, key: string | number): unknown {
    if (!isObject(value) || typeof Reflect.get(value, 'toJSON') !== 'function') return value;
    const byKey = getOrAdd(this.#written, value, () => new Map<string, unknown>());
    return getOrAdd(byKey, String(key), () => toJson(value, key));
  }

  /** Returns what JSON writes for an object with `toJSON()`. */
  take(value: object, key: string | number): unknown {
    const byKey = this.#written.size === 0 ? undefined : this.#written.get(value);
    return byKey?.has(String(key)) ? byKey.get(String(key)) : toJson(value, key);
  }

  /** Judges each object once by a schema that contains itself. Otherwise, unions in it could double the work per level. */
  judgeOnce(judge: Judge, value: unknown): number {
    if (!isObject(value)) return judge(value, this);
    const byValue = getOrAdd(this.#judged, judge, () => new Map<object, number>());
    return getOrAdd(byValue, value, () => judge(value, this));
  }

  /** Computes what has a key only the first time. */
  once<Result extends object>(key: string, compute: () => Result): Result {
    return getOrAdd(this.#computed, key, compute) as Result;
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined || map.has(key)) return present as Value;
  const created = create();
  map.set(key, created);
  return created;
}

function toJson(value: object, key: string | number): unknown {
  return (value as { toJSON(key: string): unknown }).toJSON(String(key));
}

/** Keywords whose members `unevaluatedProperties` does not refuse. */
const APPLICATORS = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/** Compiles JSON Schemas to functions that judge values. They call no code of users but `toJSON()`. */
export class Judges {
  readonly #document: SchemaDocument;
  /** Whether a value that fits several branches of `oneOf` fits none. */
  readonly #isExclusive: boolean;
  readonly #judges = new Map<unknown, Judge>();

  constructor(document: SchemaDocument, isExclusive: boolean) {
    this.#document = document;
    this.#isExclusive = isExclusive;
  }

  /** Returns the function for a schema, which may contain itself. */
  of(schema: unknown): Judge {
    if (schema === false) return () => Fit.otherType;
    if (!isKeywords(schema)) return () => Fit.yes;
    const present = this.#judges.get(schema);
    if (present !== undefined) return present;
    // Only a schema that contains itself calls this.
    this.#judges.set(schema, (value, reading) => reading.judgeOnce(judge, value));
    const judge = all(this.#checksOf(schema));
    this.#judges.set(schema, judge);
    return judge;
  }

  #checksOf(schema: Keywords): Judge[] {
    if (schema[FITS] === 'always') return [];
    const checks = [typeCheck(schema), ...scalarChecks(schema)].filter((one) => one !== undefined);
    checks.push(...this.#objectChecks(schema), ...this.#arrayChecks(schema));
    const { allOf, anyOf, oneOf, not, if: condition } = schema;
    for (const part of [...this.#document.targetsOf(schema), ...listOf(allOf)])
      checks.push(this.of(part));
    if (Array.isArray(anyOf)) checks.push(this.#any(anyOf, false));
    if (Array.isArray(oneOf)) checks.push(this.#any(oneOf, this.#isExclusive));
    if (not !== undefined) {
      const refused = this.of(not);
      checks.push((value, reading) => negate(refused(value, reading)));
    }
    if (condition !== undefined) {
      const holds = this.of(condition);
      const [then, otherwise] = [this.of(schema.then), this.of(schema.else)];
      checks.push((value, reading) => {
        const fit = holds(value, reading);
        if (fit === Fit.yes) return then(value, reading);
        if (fit < Fit.maybe) return otherwise(value, reading);
        return Math.min(fit, then(value, reading), otherwise(value, reading));
      });
    }
    if (schema[FITS] === 'maybe') checks.push(() => Fit.maybe);
    return checks;
  }

  #any(schemas: readonly unknown[], isExclusive: boolean): Judge {
    const branches = schemas.map((schema) => this.of(schema));
    return (value, reading) => {
      let [best, other] = [Fit.otherType as number, Fit.otherType as number];
      for (const branch of branches) {
        const fit = branch(value, reading);
        other = Math.max(other, Math.min(best, fit));
        best = Math.max(best, fit);
        if (best === Fit.yes && !isExclusive) break;
      }
      if (!isExclusive || other < Fit.maybe) return best;
      return other === Fit.yes ? Fit.no : Fit.maybe;
    };
  }

  #objectChecks(schema: Keywords): Judge[] {
    const checks = [...this.#namedMembers(schema), ...this.#memberRules(schema)];
    const others = this.#otherMembers(schema);
    if (others !== undefined) checks.push(others);
    if (checks.length === 0) return [];
    const judge = all(checks);
    return [
      (value, reading) => (isKeywords(value) && !isScalar(value) ? judge(value, reading) : Fit.yes),
    ];
  }

  #namedMembers({ properties, required }: Keywords): MembersJudge[] {
    const members = entriesOf(properties).map(([name, schema]) => ({
      name,
      judge: this.of(schema),
      mayBeAbsent: this.#mayBeAbsent(schema),
      isConstant: isConstant(schema),
    }));
    // Most unions differ in a constant.
    members.sort((one, other) => Number(other.isConstant) - Number(one.isConstant));
    const optional = members.flatMap(({ name, mayBeAbsent }) => (mayBeAbsent ? name : []));
    const needed = listOf(required)
      .map(String)
      .filter((name) => !optional.includes(name));
    const checks: MembersJudge[] = [];
    if (members.length > 0) {
      checks.push((value, reading) => {
        let worst: number = Fit.yes;
        for (const { name, judge } of members) {
          if (!has(value, name)) continue;
          const fit = judge(reading.read(value[name], name), reading);
          if (fit < worst) worst = fit;
          if (worst <= Fit.otherConstant) break;
        }
        return worst;
      });
    }
    if (needed.length > 0) checks.push((value) => fitIf(needed.every((name) => has(value, name))));
    return checks;
  }

  /** Judges which members are there. */
  *#memberRules(schema: Keywords): Generator<MembersJudge> {
    const { propertyNames, dependentRequired, dependentSchemas } = schema;
    const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
    if ('minProperties' in schema || 'maxProperties' in schema) {
      yield (value) => {
        const { length } = writtenNames(value);
        if (length < Number(minProperties)) return Fit.no;
        return length > Number(maxProperties) ? Fit.withoutOthers : Fit.yes;
      };
    }
    if (isKeywords(propertyNames) && !isEverything(propertyNames)) {
      const judge = this.of(propertyNames);
      yield (value, reading) =>
        writtenNames(value).every((name) => judge(name, reading) >= Fit.maybe)
          ? Fit.yes
          : Fit.withoutOthers;
    }
    for (const [name, names] of entriesOf(dependentRequired)) {
      yield (value) =>
        fitIf(!has(value, name) || listOf(names).every((one) => has(value, String(one))));
    }
    for (const [name, one] of entriesOf(dependentSchemas)) {
      const judge = this.of(one);
      yield (value, reading) => (has(value, name) ? judge(value, reading) : Fit.yes);
    }
  }

  /** Judges the members that have patterns, or neither these nor names. */
  #otherMembers(schema: Keywords): MembersJudge | undefined {
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
    const names = new Set(entriesOf(properties).map(([name]) => name));
    const patterns = entriesOf(patternProperties).map(
      ([source, one]) => [toRegExp(source), this.of(one)] as const,
    );
    const rest = additionalProperties ?? unevaluatedProperties;
    const isRefused = rest === false;
    if (patterns.length === 0 && (rest === undefined || isEverything(rest))) return undefined;
    const isVague =
      additionalProperties === undefined && APPLICATORS.some((keyword) => keyword in schema);
    const judge = this.of(rest);
    return (value, reading) => {
      let worst: number = Fit.yes;
      for (const name of writtenNames(value)) {
        const member = reading.read(value[name], name);
        const matching = patterns.filter(([pattern]) => pattern?.test(name) ?? true);
        for (const [, one] of matching) worst = Math.min(worst, one(member, reading));
        if (matching.length > 0 || names.has(name)) continue;
        const fit = isRefused ? Fit.withoutOthers : judge(member, reading);
        worst = Math.min(worst, isVague && fit < Fit.maybe ? Fit.maybe : fit);
      }
      return worst;
    };
  }

  #arrayChecks(schema: Keywords): Judge[] {
    const { minItems, maxItems, uniqueItems, contains, minContains = 1, maxContains } = schema;
    const [first, rest] = elementsOf(schema);
    const checks: Judge[] = [];
    if (typeof minItems === 'number')
      checks.push(ofElements((value) => fitIf(value.length >= minItems)));
    if (typeof maxItems === 'number')
      checks.push(ofElements((value) => fitIf(value.length <= maxItems)));
    if (uniqueItems === true) {
      checks.push(
        ofElements((value) => {
          const scalars = value.filter((one) => !isObject(one));
          if (new Set(scalars).size < scalars.length) return Fit.no;
          return value.length - scalars.length > 1 ? Fit.maybe : Fit.yes;
        }),
      );
    }
    if (contains !== undefined) {
      const judge = this.of(contains);
      checks.push(
        ofElements((value, reading) => {
          const fits = value.map((one, index) => judge(readElement(one, index, reading), reading));
          const sure = fits.filter((fit) => fit === Fit.yes).length;
          const possible = fits.filter((fit) => fit >= Fit.maybe).length;
          const [least, most] = [Number(minContains), Number(maxContains ?? value.length)];
          if (possible < least || sure > most) return Fit.no;
          return sure >= least && possible <= most ? Fit.yes : Fit.maybe;
        }),
      );
    }
    if (first.length > 0 || (rest !== undefined && !isEverything(rest))) {
      const judges = first.map((one) => this.of(one));
      const judge = rest === false ? () => Fit.withoutOthers : this.of(rest);
      checks.push(
        ofElements((value, reading) => {
          let worst: number = Fit.yes;
          for (let index = 0; index < value.length && worst > Fit.otherConstant; index += 1) {
            const element = readElement(value[index], index, reading);
            worst = Math.min(worst, (judges[index] ?? judge)(element, reading));
          }
          return worst;
        }),
      );
    }
    return checks;
  }

  /** Whether values of a schema may be absent although it is required. */
  #mayBeAbsent(schema: unknown): boolean {
    const parts = this.#document.partsOf(schema);
    return parts.some(
      (part) =>
        'default' in part ||
        part[FITS] === 'always' ||
        part[FITS] === 'absent' ||
        [part.anyOf, part.oneOf]
          .flatMap(listOf)
          .some((branch) => branch !== schema && this.#mayBeAbsent(branch)),
    );
  }
}

/** Judges by all checks, until one rules the schema out. */
function all<Value>(
  checks: readonly ((value: Value, reading: Reading) => number)[],
): (value: Value, reading: Reading) => number {
  const [only] = checks;
  if (only !== undefined && checks.length === 1) return only;
  return (value, reading) => {
    let worst: number = Fit.yes;
    for (const check of checks) {
      const fit = check(value, reading);
      if (fit < worst) worst = fit;
      if (worst <= Fit.otherConstant) break;
    }
    return worst;
  };
}

function negate(fit: number): number {
  if (fit === Fit.yes) return Fit.no;
  return fit === Fit.maybe ? Fit.maybe : Fit.yes;
}

function fitIf(holds: boolean): number {
  return holds ? Fit.yes : Fit.no;
}

function ofElements(judge: (value: readonly unknown[], reading: Reading) => number): Judge {
  return (value, reading) => (Array.isArray(value) ? judge(value, reading) : Fit.yes);
}

function readElement(element: unknown, index: number, reading: Reading): unknown {
  return isWritten(element) ? reading.read(element, index) : null;
}

function has(value: Members, name: string): boolean {
  return Object.hasOwn(value, name) && isWritten(value[name]);
}

function writtenNames(value: Members): string[] {
  return Object.keys(value).filter((name) => isWritten(value[name]));
}

function isConstant(schema: unknown): boolean {
  return isKeywords(schema) && ('const' in schema || 'enum' in schema);
}

const TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'];

function typeCheck(schema: Keywords): Judge | undefined {
  const { type, const: constant, enum: values } = schema;
  const constants = constant === undefined ? values : [constant];
  if (Array.isArray(constants)) {
    const kinds = new Set(constants.map(kindOf));
    const isShallow = !kinds.has('object') && !kinds.has('array');
    return (value) => {
      if (!kinds.has(kindOf(value))) return Fit.otherType;
      if (isShallow || !isObject(value))
        return constants.includes(value) ? Fit.yes : Fit.otherConstant;
      return constants.some((one) => isDeepStrictEqual(one, value)) ? Fit.yes : Fit.maybe;
    };
  }
  if (type === undefined) return undefined;
  const types: readonly unknown[] = [type].flat();
  const isInteger = types.includes('integer') && !types.includes('number');
  const kinds = new Set(types.map((one) => (one === 'object' || one === 'array' ? one : 'scalar')));
  const allowed = new Set(TYPES.filter((name) => allows(schema, name)));
  return (value) => {
    if (!isObject(value) && allowed.has(typeOf(value)) && !isInteger) return Fit.yes;
    if (!kinds.has(kindOf(value))) return Fit.otherType;
    // Such as a bigint or a String, for which users have their own form.
    if (typeof value === 'bigint' || (isObject(value) && isBoxed(value))) return Fit.maybe;
    if (isInteger && typeof value === 'number') return fitIf(Number.isInteger(value));
    return fitIf(allowed.has(typeOf(value)));
  };
}

function kindOf(value: unknown): 'object' | 'array' | 'scalar' {
  if (Array.isArray(value)) return 'array';
  return isObject(value) && !isBoxed(value) ? 'object' : 'scalar';
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof Boolean || isScalar(value);
}

function* scalarChecks(schema: Keywords): Generator<Judge> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { minLength, maxLength, pattern, format } = schema;
  const low = bound(minimum, exclusiveMinimum);
  const high = bound(maximum, exclusiveMaximum);
  if (minimum !== undefined || low !== undefined)
    yield ofNumbers((value) => !(value < Number(minimum)) && !(value <= Number(low)));
  if (maximum !== undefined || high !== undefined)
    yield ofNumbers((value) => !(value > Number(maximum)) && !(value >= Number(high)));
  if (typeof multipleOf === 'number')
    yield ofNumbers(
      (value) => Math.abs(value / multipleOf - Math.round(value / multipleOf)) < 1e-9,
    );
  if (typeof minLength === 'number' || typeof maxLength === 'number') {
    const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? Number.POSITIVE_INFINITY)];
    const fits = (length: number): boolean => length >= least && length <= most;
    yield ofText((value) => {
      // JSON Schema counts characters, and most libraries count UTF-16 code units.
      const fit = fits(value.length);
      return fit === fits([...value].length) ? fitIf(fit) : Fit.maybe;
    });
  }
  const expression = typeof pattern === 'string' ? toRegExp(pattern) : undefined;
  if (pattern !== undefined)
    yield ofText((value) => (expression ? fitIf(expression.test(value)) : Fit.maybe));
  else if (typeof format === 'string') {
    const known = FORMATS.get(format);
    yield ofText((value) => (known === undefined ? Fit.maybe : fitIf(known(value))));
  }
}

/** Returns an exclusive bound. Before draft 6, it said whether the other one is exclusive. */
function bound(inclusive: unknown, exclusive: unknown): unknown {
  if (typeof exclusive === 'number') return exclusive;
  return exclusive === true ? inclusive : undefined;
}

function ofNumbers(accepts: (value: number) => boolean): Judge {
  return (value) => (typeof value === 'number' ? fitIf(accepts(value)) : Fit.yes);
}

function ofText(judge: (value: string) => number): Judge {
  return (value) => (typeof value === 'string' ? judge(value) : Fit.yes);
}

/** Formats of JSON Schema that are common and simple. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['email', (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ['uuid', (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)],
  ['date', (text) => /^\d{4}-\d\d-\d\d$/.test(text)],
  ['time', (text) => /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:\d\d)?$/i.test(text)],
  ['date-time', (text) => /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i.test(text)],
  ['uri', (text) => URL.canParse(text)],
]);

function toRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}
