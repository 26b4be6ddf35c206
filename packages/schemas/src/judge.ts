import type { Dialect } from './convert.js';
import { Fit, fitIf, negate } from './fit.js';
import { isComposite, isWritten } from './json-values.js';
import { kindOf, patternJudge, scalarChecksOf } from './judge-scalars.js';
import {
  dependenciesOf,
  elementsOf,
  entriesOf,
  isEverything,
  isKeywords,
  isObject,
  isPlainDate,
  type Keywords,
  listOf,
  type Members,
  type SchemaDocument,
} from './keywords.js';
import { ABSENT, FITS } from './marks.js';

/** Tells how well a value fits. The value is what `toJSON()` returns, or a `Date`. */
export type Judge = (value: unknown, reading: Reading) => number;

/** Tells how well an object fits. */
type MembersJudge = (value: Members, reading: Reading) => number;

/** Tells how well a member that JSON does not write fits. */
type AbsenceJudge = (value: Members, name: string) => number;

/** What has been read of one response. */
export class Reading {
  /**
   * Judges stop at a fit that is not better. {@link Fit.withoutOthers} tells whether a value may fit, and
   * {@link Fit.otherConstant} also how badly it does not.
   */
  floor: number = Fit.otherConstant;
  /** Undefined until one is needed. */
  #written: Map<object, Map<string, unknown>> | undefined;
  /** By the floor. */
  #judged: Map<number, Map<Judge, Map<object, number>>> | undefined;
  #computed: Map<string, object> | undefined;

  /** Returns what JSON writes for a value, and keeps it for {@link take}, because it may differ the next time. */
  read(value: unknown, key: string | number): unknown {
    if (!isComposite(value) || typeof value === 'bigint') return value;
    if (typeof Reflect.get(value, 'toJSON') !== 'function' || isPlainDate(value)) return value;
    this.#written ??= new Map();
    const byKey = getOrAdd(this.#written, value, () => new Map<string, unknown>());
    return getOrAdd(byKey, String(key), () => toJson(value, key));
  }

  /** Returns what JSON writes for an object with `toJSON()`. */
  take(value: object, key: string | number): unknown {
    const byKey = this.#written?.get(value);
    return byKey?.has(String(key)) ? byKey.get(String(key)) : toJson(value, key);
  }

  /** Judges each object once by a schema that contains itself. Otherwise, unions in it could double the work per level. */
  judgeOnce(judge: Judge, value: unknown): number {
    if (!isObject(value)) return judge(value, this);
    this.#judged ??= new Map();
    const byJudge = getOrAdd(this.#judged, this.floor, () => new Map<Judge, Map<object, number>>());
    const byValue = getOrAdd(byJudge, judge, () => new Map<object, number>());
    return getOrAdd(byValue, value, () => judge(value, this));
  }

  /** Computes what has a key only the first time. */
  once<Result extends object>(key: string, compute: () => Result): Result {
    this.#computed ??= new Map();
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
  readonly #dialect: Dialect;
  readonly #judges = new Map<unknown, Judge>();

  constructor(document: SchemaDocument, dialect: Dialect) {
    this.#document = document;
    this.#dialect = dialect;
  }

  /** Returns the function for a schema, which may contain itself. */
  of(schema: unknown): Judge {
    if (schema === false) return () => Fit.otherType;
    const { isVague, hasHoles } = this.#dialect;
    if (isVague || (hasHoles && isEverything(schema))) return () => Fit.maybe;
    if (!isKeywords(schema)) return accepts;
    const present = this.#judges.get(schema);
    if (present !== undefined) return present;
    // Only a schema that contains itself calls this.
    this.#judges.set(schema, (value, reading) => reading.judgeOnce(judge, value));
    const judge = all(this.#checksOf(schema));
    this.#judges.set(schema, judge);
    return judge;
  }

  /** Returns a function that tells whether an object may fit a schema, by its required members and constants alone. */
  mayFit(schema: unknown): (value: Members, reading: Reading) => boolean {
    const parts = this.#document.partsOf(schema);
    const isOpen = parts.some(({ [FITS]: fits }) => fits === 'always' || fits === 'unknown');
    if (this.#dialect.isVague || isOpen) return () => true;
    const required = parts.flatMap((part) => {
      const schemas = new Map(entriesOf(part.properties));
      return listOf(part.required).map((name) => ({
        name: String(name),
        absence: this.#absenceOf(schemas.get(String(name))),
      }));
    });
    const constants = parts.flatMap(({ properties }) =>
      entriesOf(properties)
        .filter(([, member]) => isConstant(member))
        .map(([name, member]) => ({ name, judge: this.of(member) })),
    );
    return (value, reading) => {
      for (const { name, absence } of required)
        if (!isEnumerable.call(value, name) && absence(value, name) < Fit.maybe) return false;
      for (const { name, judge } of constants) {
        const member = readMember(value, name, reading);
        if (member !== undefined && judge(member, reading) < Fit.maybe) return false;
      }
      return true;
    };
  }

  #checksOf(schema: Keywords): Judge[] {
    if (schema[FITS] === 'always') return [];
    if (schema[FITS] === 'unknown') return [() => Fit.maybe];
    const checks: Judge[] = scalarChecksOf(schema, this.#dialect);
    checks.push(...this.#objectChecks(schema), ...this.#arrayChecks(schema));
    const { allOf, anyOf, oneOf, not, if: condition } = schema;
    for (const part of [...this.#document.targetsOf(schema), ...listOf(allOf)])
      checks.push(this.of(part));
    if (Array.isArray(anyOf)) checks.push(this.#any(anyOf, false));
    if (Array.isArray(oneOf)) checks.push(this.#any(oneOf, this.#dialect.isExclusive));
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
      (value, reading) =>
        isKeywords(value) && kindOf(value) === 'object' ? judge(value, reading) : Fit.yes,
    ];
  }

  #namedMembers({ properties, required }: Keywords): MembersJudge[] {
    const needed = new Set(listOf(required).map(String));
    const schemas = new Map(entriesOf(properties));
    const names = [...new Set([...schemas.keys(), ...needed])];
    const members = names.map((name) => {
      const schema = schemas.get(name);
      const absence = needed.has(name) ? this.#absenceOf(schema) : () => Fit.yes;
      return { name, judge: this.of(schema), absence, isConstant: isConstant(schema) };
    });
    if (members.length === 0) return [];
    const known = new Set(names);
    // Most unions differ in a constant.
    members.sort((one, other) => Number(other.isConstant) - Number(one.isConstant));
    return [
      (value, reading) => {
        let worst: number = Fit.yes;
        const isComplete = countOwn(value, known) === members.length;
        // What is absent is known before anything is judged.
        if (!isComplete) {
          for (const { name, absence } of members)
            if (!isEnumerable.call(value, name)) worst = Math.min(worst, absence(value, name));
        }
        for (const { name, judge, absence } of members) {
          if (worst <= reading.floor) break;
          if (!isComplete && !isEnumerable.call(value, name)) continue;
          const member = readOwn(value, name, reading);
          const fit = member === undefined ? absence(value, name) : judge(member, reading);
          if (fit < worst) worst = fit;
        }
        return worst;
      },
    ];
  }

  /** Judges which members are there. */
  *#memberRules(schema: Keywords): Generator<MembersJudge> {
    const { propertyNames } = schema;
    const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
    if ('minProperties' in schema || 'maxProperties' in schema) {
      yield (value, reading) => {
        const { length } = writtenNames(value, reading);
        if (length < Number(minProperties)) return Fit.no;
        return length > Number(maxProperties) ? Fit.withoutOthers : Fit.yes;
      };
    }
    if (isKeywords(propertyNames) && Object.keys(propertyNames).length > 0) {
      const judge = this.of(propertyNames);
      yield (value, reading) => {
        const fits = writtenNames(value, reading).map((name) => judge(name, reading));
        const worst = Math.min(Fit.yes, ...fits);
        return worst < Fit.maybe ? Fit.withoutOthers : worst;
      };
    }
    const { names, schemas } = dependenciesOf(schema);
    for (const [name, needed] of names) {
      yield (value, reading) => {
        const isThere = (one: unknown) => readMember(value, String(one), reading) !== undefined;
        return fitIf(!isThere(name) || needed.every(isThere));
      };
    }
    for (const [name, one] of schemas) {
      const judge = this.of(one);
      yield (value, reading) =>
        readMember(value, name, reading) === undefined ? Fit.yes : judge(value, reading);
    }
  }

  /** Judges the members that have patterns, or neither these nor names. */
  #otherMembers(schema: Keywords): MembersJudge | undefined {
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
    const names = new Set(entriesOf(properties).map(([name]) => name));
    const patterns = entriesOf(patternProperties).map(
      ([source, one]) => [patternJudge(source, this.#dialect.flags), this.of(one)] as const,
    );
    const rest = additionalProperties ?? unevaluatedProperties;
    const isRefused = rest === false;
    const judge = this.of(rest);
    if (patterns.length === 0 && judge === accepts) return undefined;
    const isVague =
      additionalProperties === undefined && APPLICATORS.some((keyword) => keyword in schema);
    return (value, reading) => {
      let worst: number = Fit.yes;
      for (const name of writtenNames(value, reading)) {
        const member = readMember(value, name, reading);
        let isDescribed = names.has(name);
        for (const [matches, one] of patterns) {
          const match = matches(name);
          if (match < Fit.maybe) continue;
          isDescribed ||= match === Fit.yes;
          const fit = one(member, reading);
          worst = Math.min(worst, match === Fit.yes ? fit : Math.max(fit, Fit.maybe));
          if (match === Fit.maybe) worst = Math.min(worst, Fit.maybe);
        }
        if (isDescribed) continue;
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
    const judges = first.map((one) => this.of(one));
    const judge = rest === false ? () => Fit.withoutOthers : this.of(rest);
    if (judges.length > 0 || judge !== accepts) {
      checks.push(
        ofElements((value, reading) => {
          let worst: number = Fit.yes;
          for (let index = 0; index < value.length && worst > reading.floor; index += 1) {
            const element = readElement(value[index], index, reading);
            worst = Math.min(worst, (judges[index] ?? judge)(element, reading));
          }
          return worst;
        }),
      );
    }
    return checks;
  }

  /** Creates the function that tells how well a member that JSON does not write fits a schema that requires it. */
  #absenceOf(schema: unknown, seen: readonly unknown[] = []): AbsenceJudge {
    if (!isKeywords(schema) || seen.includes(schema)) return () => Fit.no;
    if (schema[ABSENT] === true) return () => Fit.yes;
    if (schema[ABSENT] === 'undefined') return judgeUndefined;
    // A default may be a comment.
    if (schema[ABSENT] === 'maybe' || 'default' in schema) return () => Fit.maybe;
    const judges = (schemas: readonly unknown[]): AbsenceJudge[] =>
      schemas.map((one) => this.#absenceOf(one, [...seen, schema]));
    const { allOf, anyOf, oneOf } = schema;
    const all = judges([...this.#document.targetsOf(schema), ...listOf(allOf)]);
    for (const union of [anyOf, oneOf]) {
      if (!Array.isArray(union)) continue;
      const any = judges(union);
      all.push((value, name) => Math.max(Fit.no, ...any.map((judge) => judge(value, name))));
    }
    if (all.length === 0) return () => Fit.no;
    return (value, name) => Math.min(...all.map((judge) => judge(value, name)));
  }
}

/** Judges by a schema that says nothing. */
const accepts = (): number => Fit.yes;

function judgeUndefined(value: Members, name: string): number {
  if (Object.hasOwn(value, name)) return value[name] === undefined ? Fit.yes : Fit.maybe;
  return name in value ? Fit.maybe : Fit.no;
}

/** Judges by all checks, until one rules the schema out. */
function all<Value>(
  checks: readonly ((value: Value, reading: Reading) => number)[],
): (value: Value, reading: Reading) => number {
  const [only = accepts] = checks;
  if (checks.length < 2) return only;
  return (value, reading) => {
    let worst: number = Fit.yes;
    for (const check of checks) {
      const fit = check(value, reading);
      if (fit < worst) worst = fit;
      if (worst <= reading.floor) break;
    }
    return worst;
  };
}

function ofElements(judge: (value: readonly unknown[], reading: Reading) => number): Judge {
  return (value, reading) => (Array.isArray(value) ? judge(value, reading) : Fit.yes);
}

function readElement(element: unknown, index: number, reading: Reading): unknown {
  if (element === undefined) return undefined;
  return isWritten(element) ? reading.read(element, index) : null;
}

/** Returns what JSON writes for a member, or a `Date`; undefined if JSON does not write it. */
function readMember(value: Members, name: string, reading: Reading): unknown {
  return isEnumerable.call(value, name) ? readOwn(value, name, reading) : undefined;
}

/** Same as {@link readMember}, for an enumerable member of the object itself. */
function readOwn(value: Members, name: string, reading: Reading): unknown {
  const member = value[name];
  if (typeof member === 'string' || typeof member === 'number') return member;
  if (!isWritten(member)) return undefined;
  const read = reading.read(member, name);
  return isWritten(read) && typeof read !== 'function' ? read : undefined;
}

const { propertyIsEnumerable: isEnumerable, hasOwnProperty: hasOwn } = Object.prototype;

/** Counts the enumerable members with certain names. This loop is the fastest way to visit them. */
function countOwn(value: Members, names: ReadonlySet<string>): number {
  let count = 0;
  for (const key in value) if (names.has(key) && hasOwn.call(value, key)) count += 1;
  return count;
}

function writtenNames(value: Members, reading: Reading): string[] {
  return Object.keys(value).filter((name) => readMember(value, name, reading) !== undefined);
}

function isConstant(schema: unknown): boolean {
  return isKeywords(schema) && ('const' in schema || 'enum' in schema);
}
