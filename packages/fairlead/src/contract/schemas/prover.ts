import { type Document, isNode, listOf, type Node, nodeOf, textOf } from '../../client/index.js';
import { Case, fits, isScalar, isTrivial, matches, type Space, type Type } from './case.js';
import { canonical, Equality } from './equality.js';
import { makePart, negate, type Part, partOf, without } from './part.js';
import { canonicalPattern } from './pattern.js';
import { Witnesses } from './witness.js';

/** The most cases that the alternatives of schemas may have. Schemas with more are read without some alternatives. */
const MAX_CASES = 64;

/** How many steps the comparison of two schemas may take. What needs more is not proven. */
const MAX_STEPS = 100_000;

/** How many schemas may lead from one to the next. */
const MAX_DEPTH = 60;

/** Keywords that {@link Prover.casesOf} takes apart. */
const APPLICATORS = new Set(['$ref', 'allOf', 'anyOf', 'oneOf']);

/** Alternatives of a schema. */
interface Union {
  readonly options: readonly Part[];
  /** Whether a value may fit only one of them. */
  readonly isOne: boolean;
}

/**
 * Proves that every value of one schema fits another one. What it proves is true. What it does not prove may still be
 * true.
 */
export class Prover implements Space {
  readonly equality = new Equality();
  readonly #cases = new Map<string, readonly Case[]>();
  readonly #rawCases = new Map<string, readonly Case[]>();
  readonly #proven = new Map<string, boolean>();
  /** The claims that are being proven, with the depth of their values and their position in the proof. */
  readonly #open = new Map<string, { readonly level: number; readonly position: number }>();
  /** The first position of an open claim on which the present proof relies. */
  #relies = Number.POSITIVE_INFINITY;
  #steps = 0;
  readonly #witnesses: Witnesses;

  /**
   * @param document - To which schemas belong that are made.
   * @param hides - The keyword of members that are not sent.
   * @param isText - Whether numbers and booleans are sent as texts, as in a query.
   */
  constructor(
    readonly document: Document,
    readonly hides: 'readOnly' | 'writeOnly',
    readonly isText: boolean,
  ) {
    this.#witnesses = new Witnesses((parts) => this.casesOf(parts), { hides, isText });
  }

  /** Allows as many steps again. */
  restart(): void {
    this.#steps = 0;
  }

  /** Whether every value that fits some schemas is known to fit another one. */
  within(parts: readonly Part[], outer: Part, level = 0): boolean {
    return this.casesOf(parts).every((one) => this.proves(one, outer, level));
  }

  /** Whether every value that fits some schemas is known to fit others. */
  allWithin(parts: readonly Part[], outer: readonly Part[]): boolean {
    return outer.every((part) => this.within(parts, part));
  }

  /** Whether a case is known to have a value that one of some schemas refuses. */
  refutes(one: Case, outers: readonly Part[]): boolean {
    return this.#witnesses.refutes(one, outers);
  }

  /** Whether no value is known to fit two cases. */
  areDisjoint(one: Case, other: Case): boolean {
    return this.casesOf([...one.parts, ...other.parts]).every(({ isEmpty }) => isEmpty);
  }

  /** Lists cases that have all values of some schemas. */
  casesOf(parts: readonly Part[]): readonly Case[] {
    const key = keyOf(parts);
    const known = this.#cases.get(key);
    if (known !== undefined) return known;
    const cases = this.rawCasesOf(parts).filter((one) => !one.isEmpty);
    this.#cases.set(key, cases);
    return cases;
  }

  /** Lists cases, also those without values. */
  rawCasesOf(parts: readonly Part[]): readonly Case[] {
    const key = keyOf(parts);
    const known = this.#rawCases.get(key);
    if (known !== undefined) return known;
    const cases = this.#expand(parts, [], undefined, MAX_CASES);
    this.#rawCases.set(key, cases);
    return cases;
  }

  #expand(
    parts: readonly Part[],
    before: readonly Part[],
    label: string | undefined,
    limit: number,
  ): readonly Case[] {
    const whole = new Set(before);
    const plain = new Set<Part>();
    const unions: Union[] = [];
    const visit = (part: Part): void => {
      if (whole.has(part)) return;
      whole.add(part);
      const { document, schema } = part;
      if (schema === false) {
        plain.add(part);
        return;
      }
      const own = without(part, APPLICATORS);
      if (own.schema !== false && Object.keys(own.schema).length > 0) plain.add(own);
      if (typeof schema.$ref === 'string') {
        const target = document.find(schema.$ref);
        if (target !== undefined) visit(partOf(document, target));
      }
      for (const one of listOf(schema.allOf)) visit(partOf(document, one));
      for (const [keyword, isOne] of [
        ['anyOf', false],
        ['oneOf', true],
      ] as const) {
        if (!Array.isArray(schema[keyword])) continue;
        unions.push({ options: schema[keyword].map((one) => partOf(document, one)), isOne });
      }
    };
    for (const part of parts) visit(part);
    return this.#choose([...plain], unions, [...whole], label, limit);
  }

  /** Expands the alternatives of schemas, as long as there are not too many. */
  #choose(
    plain: readonly Part[],
    unions: readonly Union[],
    whole: readonly Part[],
    label: string | undefined,
    limit: number,
  ): readonly Case[] {
    const [union, ...others] = unions.filter(({ options }) => options.length <= limit);
    if (union === undefined) return [new Case(plain, whole, label, this)];
    const rest = Math.floor(limit / Math.max(1, union.options.length));
    return union.options.flatMap((option) => {
      const excluded = union.isOne ? union.options.filter((one) => one !== option).map(negate) : [];
      const name = labelOf(option) ?? label;
      const inner = this.#expand([option, ...excluded], whole, name, rest);
      const room = Math.floor(rest / Math.max(1, inner.length));
      return inner.flatMap((one) =>
        this.#choose([...new Set([...plain, ...one.parts])], others, one.whole, one.label, room),
      );
    });
  }

  /** Whether every value of a case is known to fit a schema. */
  proves(one: Case, outer: Part, level = 0): boolean {
    if (outer.schema !== false && Object.keys(outer.schema).length === 0) return true;
    if (one.isEmpty) return true;
    if (one.whole.some((part) => this.equality.holds(part, outer))) return true;
    const key = `${one.key} ${outer.id}`;
    const known = this.#proven.get(key);
    if (known !== undefined) return known;
    const open = this.#open.get(key);
    if (open !== undefined) {
      // By induction, the claim holds for the smaller values within the one that it is proven for.
      if (open.level >= level) return false;
      this.#relies = Math.min(this.#relies, open.position);
      return true;
    }
    this.#steps += 1;
    if (this.#steps > MAX_STEPS || this.#open.size > MAX_DEPTH) return false;
    const position = this.#open.size;
    const outside = this.#relies;
    this.#relies = Number.POSITIVE_INFINITY;
    this.#open.set(key, { level, position });
    const isProven = this.#meets(one, outer, level) || this.#splits(one, outer, level);
    this.#open.delete(key);
    // What relies on a claim that is still open is known only once that one is proven.
    if (!isProven || this.#relies >= position) this.#proven.set(key, isProven);
    this.#relies = Math.min(outside, this.#relies >= position ? outside : this.#relies);
    return isProven;
  }

  #splits(one: Case, outer: Part, level: number): boolean {
    const smaller = one.split();
    return smaller?.every((part) => this.proves(part, outer, level)) ?? false;
  }

  /** Whether a case meets each keyword. */
  #meets(one: Case, outer: Part, level: number): boolean {
    const { document, schema } = outer;
    if (schema === false) return false;
    const schemaOf = (value: unknown) => partOf(document, value);
    const options = (keyword: string) => listOf(schema[keyword]).map(schemaOf);
    const fitsAll = (part: Part) => this.proves(one, part, level);
    if (schema.$dynamicRef !== undefined || schema.$recursiveRef !== undefined) return false;
    if (typeof schema.$ref === 'string') {
      const target = document.find(schema.$ref);
      if (target === undefined || !fitsAll(schemaOf(target))) return false;
    }
    if (!options('allOf').every(fitsAll)) return false;
    if (schema.anyOf !== undefined && !options('anyOf').some(fitsAll)) return false;
    if (schema.oneOf !== undefined) {
      const all = options('oneOf');
      const isOne = (option: Part) =>
        fitsAll(option) &&
        all.every((other) => other === option || this.#excludes(one, other, level));
      if (new Set(all).size < all.length || !all.some(isOne)) return false;
    }
    if (schema.not !== undefined && !this.#excludes(one, schemaOf(schema.not), level)) return false;
    if (!this.#meetsCondition(one, outer, level)) return false;
    if (!meetsValues(one, schema, this.isText)) return false;
    const { types, values } = one;
    if (values?.every((value) => ['number', 'string'].includes(typeof value))) {
      if (!values.every((value) => meetsScalar(value, outer))) return false;
    } else {
      if ((types.has('integer') || types.has('fraction')) && !meetsNumbers(one, schema))
        return false;
      if (types.has('string') && !meetsTexts(one, schema)) return false;
    }
    if (types.has('array') && !this.#meetsArrays(one, outer, level)) return false;
    return !types.has('object') || this.#meetsObjects(one, outer, level);
  }

  /** Whether no value of a case is known to fit a schema. */
  #excludes(one: Case, other: Part, level: number): boolean {
    return this.casesOf([...one.parts, other]).every(
      (both) => both.isEmpty || both.excluded.some((part) => this.proves(both, part, level)),
    );
  }

  #meetsCondition(one: Case, outer: Part, level: number): boolean {
    const { document, schema } = outer;
    const { if: condition, then: positive = {}, else: negative = {} } = nodeOf(schema);
    if (condition === undefined || this.#hasSame(one, outer, ['if', 'then', 'else'])) return true;
    const test = partOf(document, condition);
    return (
      this.within([...one.parts, test], partOf(document, positive), level) &&
      this.within([...one.parts, negate(test)], partOf(document, negative), level)
    );
  }

  /** Whether one of the schemas of a case has the same keywords. */
  #hasSame({ parts }: Case, outer: Part, keywords: readonly string[]): boolean {
    return parts.some((part) =>
      keywords.every((keyword) => this.equality.sameKeyword(part, outer, keyword)),
    );
  }

  #meetsArrays(one: Case, outer: Part, level: number): boolean {
    const { document, schema } = outer;
    const { items, prefixItems, minItems, maxItems, uniqueItems, contains, unevaluatedItems } =
      nodeOf(schema);
    const most = one.most('maxItems');
    if (one.least('minItems') < Number(minItems ?? 0)) return false;
    if (most > Number(maxItems ?? Number.POSITIVE_INFINITY)) return false;
    const isUnique = most <= 1 || one.all('uniqueItems').some(([, value]) => value === true);
    if (uniqueItems === true && !isUnique) return false;
    if (contains !== undefined && !this.#meetsContains(one, outer)) return false;
    if (unevaluatedItems !== undefined && unevaluatedItems !== true) return false;
    const first = listOf(prefixItems);
    const length = Math.max(one.length, first.length) + 1;
    const indexes = Array.from({ length }, (_, index) => index).filter((index) => index < most);
    return indexes.every((index) => {
      const needed = first[index] ?? items;
      return (
        needed === undefined || this.within(one.item(index), partOf(document, needed), level + 1)
      );
    });
  }

  #meetsContains({ parts }: Case, outer: Part): boolean {
    const [least, most] = containsOf(outer);
    return parts.some((part) => {
      const [own, limit] = containsOf(part);
      return this.equality.sameKeyword(part, outer, 'contains') && own >= least && limit <= most;
    });
  }

  #meetsObjects(one: Case, outer: Part, level: number): boolean {
    const { document } = outer;
    const schema = nodeOf(outer.schema);
    const { required, unevaluatedProperties, minProperties, maxProperties } = schema;
    const isNeeded = (name: unknown) =>
      one.required.has(String(name)) || this.#isHidden(outer, String(name));
    if (!listOf(required).every(isNeeded)) return false;
    if (unevaluatedProperties !== undefined && unevaluatedProperties !== true) return false;
    const least = Math.max(one.least('minProperties'), one.required.size);
    if (least < Number(minProperties ?? 0)) return false;
    const isLimited = one.others === undefined && one.patterns.length === 0;
    const most = Math.min(
      one.most('maxProperties'),
      isLimited ? one.names.size : Number.POSITIVE_INFINITY,
    );
    if (most > Number(maxProperties ?? Number.POSITIVE_INFINITY)) return false;
    for (const [name, names] of Object.entries(nodeOf(schema.dependentRequired))) {
      if (one.member(name) === undefined) continue;
      const own = one.all('dependentRequired').flatMap(([, value]) => listOf(nodeOf(value)[name]));
      if (!listOf(names).every((needed) => isNeeded(needed) || own.includes(needed))) return false;
    }
    for (const [name, value] of Object.entries(nodeOf(schema.dependentSchemas))) {
      const present = makePart(this.document, { required: [name] });
      if (!this.within([...one.parts, present], partOf(document, value), level)) return false;
    }
    return this.#meetsMembers(one, outer, level) && this.#meetsNames(one, outer, level);
  }

  #isHidden(outer: Part, name: string): boolean {
    return this.casesOf([outer]).some((one) => one.hides(name));
  }

  #meetsMembers(one: Case, { document, schema }: Part, level: number): boolean {
    const { properties, patternProperties, additionalProperties } = nodeOf(schema);
    const members = nodeOf(properties);
    const patterns = Object.entries(nodeOf(patternProperties));
    const below = (parts: readonly Part[] | undefined, value: unknown) =>
      parts === undefined || this.within(parts, partOf(document, value), level + 1);
    const names = new Set([...one.names, ...one.required, ...Object.keys(members)]);
    for (const name of names) {
      const isNamed = Object.hasOwn(members, name);
      if (isNamed && !below(one.member(name), members[name])) return false;
      let isMatched = isNamed;
      for (const [pattern, value] of patterns) {
        const isMatch = matches(pattern, name);
        if (isMatch !== false && !below(one.member(name), value)) return false;
        if (isMatch === true) isMatched = true;
      }
      if (isMatched || additionalProperties === undefined) continue;
      if (!below(one.member(name), additionalProperties)) return false;
    }
    // Other members may match any of the patterns, or none.
    const rest: (readonly Part[])[] = one.others === undefined ? [] : [one.others];
    for (const [pattern, part] of one.patterns) {
      const same = patterns.filter(([text]) => text === pattern);
      if (same.some(([, value]) => !below([part], value))) return false;
      const others = patterns.filter(([text]) => text !== pattern);
      if (!others.every(([, value]) => below([part], value))) return false;
      if (same.length === 0) rest.push([part]);
    }
    const needed = [
      ...patterns.map(([pattern, value]) => [pattern, value] as const),
      ...(additionalProperties === undefined ? [] : [[undefined, additionalProperties] as const]),
    ];
    return rest.every((parts) => needed.every(([, value]) => below(parts, value)));
  }

  #meetsNames(one: Case, { document, schema }: Part, level: number): boolean {
    const { propertyNames } = nodeOf(schema);
    if (propertyNames === undefined) return true;
    const needed = partOf(document, propertyNames);
    const text = makePart(this.document, { type: 'string' });
    const own = one.all('propertyNames').map(([part, value]) => partOf(part.document, value));
    if (this.within([...own, text], needed, level + 1)) return true;
    if (one.others !== undefined || one.patterns.length > 0) return false;
    return [...one.names, ...one.required].every((name) =>
      this.within([makePart(this.document, { const: name })], needed, level + 1),
    );
  }
}

/** Returns how many items may match `contains`. */
export function containsOf({ schema }: Part): readonly [least: number, most: number] {
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = nodeOf(schema);
  return [Number(minContains), Number(maxContains)];
}

function keyOf(parts: readonly Part[]): string {
  return [...new Set(parts.map(({ id }) => id))].sort().join();
}

/** Returns the name of an alternative. */
function labelOf({ schema }: Part): string | undefined {
  const { $ref, title } = nodeOf(schema);
  const [, name] = /\/([^/]+)$/.exec(String($ref ?? '')) ?? [];
  return name ?? textOf(title);
}

/** Whether numbers and booleans are known to become texts that a schema accepts. */
function acceptsSpelled({ minLength, maxLength, pattern, format }: Node): boolean {
  return (
    Number(minLength ?? 0) <= 1 && [maxLength, pattern, format].every((one) => one === undefined)
  );
}

function meetsValues(one: Case, schema: Node, isText: boolean): boolean {
  const { type, const: value, enum: list } = schema;
  const isSpelled =
    isText && ['boolean', 'integer', 'fraction'].some((name) => one.types.has(name as Type));
  if (type !== undefined) {
    const names = new Set(listOf(Array.isArray(type) ? type : [type]));
    const isNamed = (name: Type) =>
      names.has(name) ||
      ((name === 'integer' || name === 'fraction') && names.has('number')) ||
      (isSpelled && names.has('string') && isScalar(name));
    if (![...one.types].every(isNamed)) return false;
    if (isSpelled && names.has('string') && !acceptsSpelled(schema)) return false;
  } else if (isSpelled && !acceptsSpelled(schema)) return false;
  const lists = [...(value === undefined ? [] : [[value]]), ...(Array.isArray(list) ? [list] : [])];
  if (lists.length === 0) return true;
  const values = one.values ?? ([...one.types].join() === 'null' ? [null] : undefined);
  if (values === undefined) return false;
  const texts = values.map((each) => canonical(each));
  return lists.every((all) => {
    const allowed = new Set(all.map((each) => canonical(each)));
    return texts.every((text) => allowed.has(text));
  });
}

/** Whether a number or a text is known to meet the keywords for its type. */
function meetsScalar(value: unknown, part: Part): boolean {
  const { pattern, format, multipleOf } = nodeOf(part.schema);
  if (!fits(part, value)) return false;
  if (typeof value === 'number') {
    const isKnown = format === undefined || meetsFormat(new Set(), format, true);
    return isKnown && (multipleOf === undefined || isMultiple(value, multipleOf));
  }
  const isMatch = typeof pattern !== 'string' || matches(pattern, String(value)) === true;
  return isMatch && format === undefined;
}

function isMultiple(value: number, step: unknown): boolean {
  if (typeof step !== 'number' || step <= 0) return false;
  return Number.isInteger(value) && Number.isInteger(step) ? value % step === 0 : false;
}

function meetsNumbers(one: Case, schema: Node): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  const { lower, upper } = one;
  if (typeof minimum === 'number' && lower.value < minimum) return false;
  if (typeof maximum === 'number' && upper.value > maximum) return false;
  const exceeds = (value: number, isExclusive: boolean, limit: number) =>
    value > limit || (value === limit && isExclusive);
  if (
    typeof exclusiveMinimum === 'number' &&
    !exceeds(lower.value, lower.isExclusive, exclusiveMinimum)
  )
    return false;
  if (
    typeof exclusiveMaximum === 'number' &&
    !exceeds(-upper.value, upper.isExclusive, -exclusiveMaximum)
  )
    return false;
  if (multipleOf !== undefined) {
    const isInteger = !one.types.has('fraction');
    const steps = one.numbers('multipleOf');
    const isMet =
      (isInteger && multipleOf === 1) ||
      steps.some((step) => step === multipleOf || isMultiple(step, multipleOf));
    if (!isMet) return false;
  }
  return format === undefined || meetsFormat(one.texts('format'), format, !one.types.has('string'));
}

function meetsTexts(one: Case, schema: Node): boolean {
  const { minLength, maxLength, pattern, format, contentSchema } = schema;
  if (one.least('minLength') < Number(minLength ?? 0)) return false;
  if (one.most('maxLength') > Number(maxLength ?? Number.POSITIVE_INFINITY)) return false;
  if (typeof pattern === 'string' && !isTrivial(pattern)) {
    const own = new Set([...one.texts('pattern')].map(canonicalPattern));
    if (!own.has(canonicalPattern(pattern))) return false;
  }
  if (isNode(contentSchema)) return false;
  return format === undefined || meetsFormat(one.texts('format'), format, false);
}

/** The formats whose values all have another format. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64', 'double'],
  float: ['double'],
  uri: ['uri-reference', 'iri', 'iri-reference'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
};

function meetsFormat(formats: ReadonlySet<string>, format: unknown, isNumber: boolean): boolean {
  if (typeof format !== 'string' || formats.has(format)) return true;
  // Formats of texts tell nothing about numbers.
  if (isNumber && !NUMBER_FORMATS.has(format)) return true;
  return [...formats].some((one) => WIDER[one]?.includes(format) === true);
}

const NUMBER_FORMATS = new Set(['int32', 'int64', 'float', 'double']);
