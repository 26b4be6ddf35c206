import { type Document, isNode, listOf, type Node, nodeOf, nodesOf } from '../../client/index.js';
import { canonical } from './equality.js';
import { makePart, type Part, partOf } from './part.js';

/** A type of JSON values. Numbers are integers or fractions. */
export type Type = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';

export const TYPES: readonly Type[] = [
  'null',
  'boolean',
  'integer',
  'fraction',
  'string',
  'array',
  'object',
];

/** The smallest or largest of something. */
export interface Limit {
  readonly value: number;
  /** Whether the value itself is excluded. */
  readonly isExclusive: boolean;
}

/** The largest range of integers whose values are compared one by one. */
const MAX_SPLIT = 64;

/** What creates the cases of schemas within a case. */
export interface Space {
  /** To which schemas belong that are made. */
  readonly document: Document;
  /** The keyword of members that are not sent in a direction: `readOnly` in requests. */
  readonly hides: 'readOnly' | 'writeOnly';
  /** Lists the cases of schemas, also those without values. */
  rawCasesOf(parts: readonly Part[]): readonly Case[];
}

/** How deep a case looks for members that no value can have. */
const DEPTH = 4;

/**
 * Values that meet several schemas, without alternatives among them. Their objects have only the members that the
 * schemas describe, unless a schema describes none or mentions others in `additionalProperties`.
 */
export class Case {
  /** Identifies the schemas. */
  readonly key: string;
  readonly #space: Space;
  readonly #isFraction: boolean;
  readonly #objects: readonly (readonly [part: Part, node: Node])[];
  readonly #cache = new Map<string, unknown>();

  /**
   * @param parts - The schemas, without references and alternatives.
   * @param whole - All schemas that the values meet, with those that led to the parts.
   * @param label - What a document calls the values; undefined without a name.
   * @param isFraction - Whether they are numbers, but no integers.
   */
  constructor(
    readonly parts: readonly Part[],
    readonly whole: readonly Part[],
    readonly label: string | undefined,
    space: Space,
    isFraction = false,
  ) {
    this.#space = space;
    this.#isFraction = isFraction;
    const ids = [...new Set([...parts, ...whole].map(({ id }) => id))].sort();
    this.key = `${isFraction ? 'fraction ' : ''}${ids.join()}`;
    this.#objects = parts.map((part) => [part, nodeOf(part.schema)] as const);
  }

  #once<Result>(name: string, compute: () => Result): Result {
    if (!this.#cache.has(name)) this.#cache.set(name, compute());
    return this.#cache.get(name) as Result;
  }

  /** The values of a keyword, with the schemas that have it. */
  all(keyword: string): readonly (readonly [part: Part, value: unknown])[] {
    return this.#objects.flatMap(([part, node]) =>
      node[keyword] === undefined ? [] : [[part, node[keyword]] as const],
    );
  }

  numbers(keyword: string): readonly number[] {
    return this.all(keyword).flatMap(([, value]) => (typeof value === 'number' ? value : []));
  }

  texts(keyword: string): ReadonlySet<string> {
    return new Set(
      this.all(keyword).flatMap(([, value]) => (typeof value === 'string' ? value : [])),
    );
  }

  /** The types of the values. None if there are no values. */
  get types(): ReadonlySet<Type> {
    return this.#once('types', () => this.#findTypes(DEPTH));
  }

  get isEmpty(): boolean {
    return this.types.size === 0;
  }

  /** Whether it finds that there are no values. */
  isEmptyWithin(depth: number): boolean {
    return depth <= 0
      ? false
      : this.#once(`types ${depth}`, () => this.#findTypes(depth)).size === 0;
  }

  #findTypes(depth: number): ReadonlySet<Type> {
    if (this.parts.some(({ schema }) => schema === false)) return new Set();
    const { values, lower, upper } = this;
    const types = this.#namedTypes;
    if (values !== undefined) {
      const present = new Set(values.map(typeOf));
      return new Set([...types].filter((type) => present.has(type)));
    }
    if (
      lower.value > upper.value ||
      (lower.value === upper.value && (lower.isExclusive || upper.isExclusive))
    ) {
      types.delete('integer');
      types.delete('fraction');
    }
    if (this.least('minLength') > this.most('maxLength')) types.delete('string');
    if (this.least('minItems') > this.most('maxItems')) types.delete('array');
    if (types.has('object') && this.#lacksMembers(depth)) types.delete('object');
    return types;
  }

  /** The types that keywords allow, without the list of values. */
  get #namedTypes(): Set<Type> {
    const types = new Set<Type>(this.#isFraction ? ['fraction'] : TYPES);
    for (const [, value] of this.all('type')) {
      const names = new Set(listOf(Array.isArray(value) ? value : [value]));
      for (const type of TYPES) {
        const isNumber = type === 'integer' || type === 'fraction';
        if (!names.has(type) && !(isNumber && names.has('number'))) types.delete(type);
      }
    }
    if (this.numbers('multipleOf').some(Number.isInteger)) types.delete('fraction');
    return types;
  }

  /** Whether an object would need a member that no value fits. */
  #lacksMembers(depth: number): boolean {
    if (this.required.size > this.most('maxProperties')) return true;
    return [...this.required].some((name) => {
      const child = this.member(name);
      if (child === undefined) return true;
      return (
        depth > 1 && this.#space.rawCasesOf(child).every((one) => one.isEmptyWithin(depth - 1))
      );
    });
  }

  /** The values, if there is a list of them. */
  get values(): readonly unknown[] | undefined {
    return this.#once('values', () => {
      const lists = [
        ...this.all('const').map(([, value]) => [value]),
        ...this.all('enum').map(([, value]) => listOf(value)),
      ];
      const [first, ...others] = lists;
      if (first === undefined) return undefined;
      const sets = others.map((list) => new Set(list.map((value) => canonical(value))));
      const types = this.#namedTypes;
      return first.filter(
        (value) =>
          types.has(typeOf(value)) &&
          sets.every((set) => set.has(canonical(value))) &&
          this.parts.every((part) => fits(part, value)),
      );
    });
  }

  get lower(): Limit {
    return this.#once('lower', () => this.#limit('minimum', 'exclusiveMinimum', 1));
  }

  get upper(): Limit {
    return this.#once('upper', () => this.#limit('maximum', 'exclusiveMaximum', -1));
  }

  #limit(inclusive: string, exclusive: string, sign: 1 | -1): Limit {
    const limits = [
      { value: Number.NEGATIVE_INFINITY, isExclusive: false },
      ...this.numbers(inclusive).map((value) => ({ value: value * sign, isExclusive: false })),
      ...this.numbers(exclusive).map((value) => ({ value: value * sign, isExclusive: true })),
    ];
    const types = this.#namedTypes;
    const tightest = limits
      .map((limit) => (types.has('fraction') ? limit : roundUp(limit)))
      .reduce((one, other) => (isTighter(other, one) ? other : one));
    return { value: tightest.value * sign || 0, isExclusive: tightest.isExclusive };
  }

  least(keyword: 'minLength' | 'minItems' | 'minProperties'): number {
    return Math.max(0, ...this.numbers(keyword));
  }

  most(keyword: 'maxLength' | 'maxItems' | 'maxProperties'): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.numbers(keyword));
  }

  /** The members that objects must have. */
  get required(): ReadonlySet<string> {
    return this.#once('required', () => {
      const names = this.all('required').flatMap(([, value]) => listOf(value).map(String));
      return new Set(names.filter((name) => !this.hides(name)));
    });
  }

  /** The members that schemas name. */
  get names(): ReadonlySet<string> {
    return this.#once(
      'names',
      () => new Set(this.all('properties').flatMap(([, value]) => Object.keys(nodeOf(value)))),
    );
  }

  /** Whether objects may have members that no schema describes. */
  get isOpen(): boolean {
    return this.#once('open', () => {
      const mentions = ['additionalProperties', 'unevaluatedProperties'].flatMap((keyword) =>
        this.all(keyword),
      );
      const describes = this.names.size > 0 || this.all('patternProperties').length > 0;
      return !describes || mentions.some(([, value]) => value !== false);
    });
  }

  /** Whether a schema forbids other members than those that it describes. */
  get isClosed(): boolean {
    return this.all('additionalProperties').some(([, value]) => value === false);
  }

  /** Whether a schema says what other members have to be. */
  get hasOthers(): boolean {
    return this.all('additionalProperties').some(([, value]) => value !== false);
  }

  /** Whether a member is not sent in this direction. */
  hides(name: string): boolean {
    const described = this.all('properties').flatMap(([{ document }, value]) => {
      const members = nodeOf(value);
      return Object.hasOwn(members, name) ? [partOf(document, members[name])] : [];
    });
    return described.some((part) => hasFlag(part, this.#space.hides));
  }

  /** Returns the schemas of a member; undefined if no object has it. */
  member(name: string): readonly Part[] | undefined {
    return this.#once(`member ${name}`, () => {
      if (this.hides(name)) return undefined;
      let isDescribed =
        this.isOpen || this.all('required').some(([, value]) => listOf(value).includes(name));
      const found = this.#objects.flatMap(([{ document }, node]) => {
        const { properties, patternProperties, additionalProperties } = node;
        const members = nodeOf(properties);
        const own = [
          ...(Object.hasOwn(members, name) ? [members[name]] : []),
          ...Object.entries(nodeOf(patternProperties)).flatMap(([pattern, schema]) =>
            matches(pattern, name) === true ? [schema] : [],
          ),
        ];
        if (own.length > 0 || isUnsure(patternProperties, name)) isDescribed = true;
        else if (additionalProperties !== undefined) own.push(additionalProperties);
        return own.map((schema) => partOf(document, schema));
      });
      return isDescribed && found.every(({ schema }) => schema !== false) ? found : undefined;
    });
  }

  /** Returns the schemas of the members that no schema names; undefined if there are none. */
  get others(): readonly Part[] | undefined {
    return this.#once('others', () => {
      if (!this.isOpen) return undefined;
      const found = this.#objects.flatMap(([{ document }, node]) => {
        // They may match a pattern instead.
        if (node.additionalProperties === undefined || nodesOf(node.patternProperties).length > 0)
          return [];
        return [partOf(document, node.additionalProperties)];
      });
      return found.every(({ schema }) => schema !== false) ? found : undefined;
    });
  }

  /** The schemas of members whose names match patterns. */
  get patterns(): readonly (readonly [pattern: string, part: Part])[] {
    return this.all('patternProperties').flatMap(([{ document }, value]) =>
      Object.entries(nodeOf(value)).map(
        ([pattern, schema]) => [pattern, partOf(document, schema)] as const,
      ),
    );
  }

  /** The number of items that have schemas of their own. */
  get length(): number {
    return Math.max(0, ...this.all('prefixItems').map(([, value]) => listOf(value).length));
  }

  /** Returns the schemas of an item. From {@link length} on, they are those of all others. */
  item(index: number): readonly Part[] {
    return this.#once(`item ${index}`, () =>
      this.#objects.flatMap(([{ document }, { prefixItems, items }]) => {
        const schema = listOf(prefixItems)[index] ?? items;
        return schema === undefined ? [] : [partOf(document, schema)];
      }),
    );
  }

  /** The schemas whose values are excluded. */
  get excluded(): readonly Part[] {
    return this.all('not').map(([{ document }, value]) => partOf(document, value));
  }

  /** Returns the same values of fewer types, or with further conditions. */
  and(...keywords: readonly Node[]): Case {
    const made = keywords.map((one) => makePart(this.#space.document, one));
    return new Case(
      [...this.parts, ...made],
      this.whole,
      this.label,
      this.#space,
      this.#isFraction,
    );
  }

  /** Splits the values into smaller cases; undefined if there is one value or one type. */
  split(): readonly Case[] | undefined {
    const { values } = this;
    if (values !== undefined) {
      return values.length < 2 ? undefined : values.map((value) => this.and({ const: value }));
    }
    const types = [...this.types];
    if (types.length === 1 && types[0] === 'boolean')
      return [true, false].map((value) => this.and({ const: value }));
    if (types.length === 1 && types[0] === 'integer') {
      const { lower, upper } = this;
      const length = upper.value - lower.value + 1;
      if (length < 2 || length > MAX_SPLIT) return undefined;
      return Array.from({ length }, (_, index) => this.and({ const: lower.value + index }));
    }
    if (types.length < 2) return undefined;
    return types.map((type) => {
      if (type !== 'fraction') return this.and({ type });
      return new Case(this.parts, this.whole, this.label, this.#space, true);
    });
  }
}

/** Whether a value meets what a schema says about numbers and texts. True if it is not known. */
export function fits({ schema }: Part, value: unknown): boolean {
  const at = (keyword: string, otherwise: number): number => {
    const limit = nodeOf(schema)[keyword];
    return typeof limit === 'number' ? limit : otherwise;
  };
  if (typeof value === 'number') {
    const step = at('multipleOf', 0);
    return (
      value >= at('minimum', value) &&
      value <= at('maximum', value) &&
      value > at('exclusiveMinimum', Number.NEGATIVE_INFINITY) &&
      value < at('exclusiveMaximum', Number.POSITIVE_INFINITY) &&
      !(step >= 1 && Number.isInteger(step) && value % step !== 0)
    );
  }
  if (typeof value !== 'string') return true;
  const { pattern } = nodeOf(schema);
  const { length } = [...value];
  return (
    length >= at('minLength', 0) &&
    length <= at('maxLength', length) &&
    !(typeof pattern === 'string' && matches(pattern, value) === false)
  );
}

/** Whether a schema has a keyword that is true. */
export function hasFlag(part: Part, keyword: string, seen = new Set<Part>()): boolean {
  const { document, schema } = part;
  if (schema === false || seen.has(part)) return false;
  seen.add(part);
  const { $ref, allOf } = schema;
  if (schema[keyword] === true) return true;
  const inner = [...listOf(allOf), ...(typeof $ref === 'string' ? [document.find($ref)] : [])];
  return inner.some((one) => isNode(one) && hasFlag(partOf(document, one), keyword, seen));
}

/** Whether every text matches a pattern. */
export function isTrivial(pattern: string): boolean {
  return pattern === '' || pattern === '.*';
}

/** Whether a query can have values of a type. */
export function isScalar(type: Type): boolean {
  return type !== 'array' && type !== 'object' && type !== 'null';
}

/** The type of a JSON value. */
export function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value as 'boolean' | 'string' | 'object';
}

/** Whether a text matches a pattern; undefined if it is not known. */
export function matches(pattern: string, text: string): boolean | undefined {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isUnsure(patterns: unknown, name: string): boolean {
  return Object.keys(nodeOf(patterns)).some((pattern) => matches(pattern, name) === undefined);
}

/** The lower limit of integers. */
function roundUp({ value, isExclusive }: Limit): Limit {
  const least = isExclusive && Number.isInteger(value) ? value + 1 : Math.ceil(value);
  return { value: least, isExclusive: false };
}

function isTighter(one: Limit, other: Limit): boolean {
  return (
    one.value > other.value || (one.value === other.value && one.isExclusive && !other.isExclusive)
  );
}
