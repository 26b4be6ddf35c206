import type { DocumentSchemas } from '@fairlead/schemas';
import fc, { type Arbitrary } from 'fast-check';

type Keywords = Readonly<Record<string, unknown>>;

/** How deep values have members that they may lack, so that a schema that contains itself ends. */
const DEPTH = 4;

/** How deep values are at most, for a schema whose required members contain itself. */
const DEEPEST = 12;

/** Values in a row that a filter may refuse. The schema of the whole value judges the next one. */
const PATIENCE = 50;

/** The longest text that is generated to reach a limit. */
const LONGEST = 2000;

/** The longest list that is generated to reach a limit. */
const LONGEST_LIST = 50;

/** One in so many values lacks an optional member. */
const ABSENT = 3;

/** Text that applications often do not expect. */
const UNUSUAL = [
  '',
  ' ',
  '0',
  'null',
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '<script>',
  '%00',
  '../..',
  'é',
  'ﬀ',
  '漢字',
  '👩‍👩‍👧',
  'a\u0000b',
  '\ud800',
  '\u202e',
];

/** Generates values that fit JSON Schemas. What no keyword here describes, `findMisfit()` refuses afterwards. */
export class Values {
  readonly #schemas: DocumentSchemas;
  readonly #known = new Map<unknown, Map<number, Arbitrary<unknown>>>();

  constructor(schemas: DocumentSchemas) {
    this.#schemas = schemas;
  }

  /** Returns the values of a schema. */
  of(schema: unknown, depth = 0): Arbitrary<unknown> {
    if (depth > DEEPEST) return fc.constant(null);
    const byDepth = this.#known.get(schema) ?? new Map<number, Arbitrary<unknown>>();
    this.#known.set(schema, byDepth);
    const known = byDepth.get(depth) ?? this.#create(merge(this.#schemas.partsOf(schema)), depth);
    byDepth.set(depth, known);
    return known;
  }

  #create(schema: Keywords, depth: number): Arbitrary<unknown> {
    const { const: constant, enum: values, anyOf, oneOf, type } = schema;
    if (constant !== undefined) return fc.constant(constant);
    if (Array.isArray(values) && values.length > 0) return fc.constantFrom(...values);
    for (const [keyword, branches] of Object.entries({ anyOf, oneOf })) {
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const { [keyword]: _, ...others } = schema;
      const all = branches.map((one) => this.#branch(others, one, depth));
      // Deep values take the first branch, which is rarely the one that contains the schema itself.
      return depth > DEPTH ? fc.oneof(...all.slice(0, 1)) : fc.oneof(...all);
    }
    const types = type === undefined ? typesOf(schema) : [type].flat().map(String);
    const all = types.map((one) => this.#ofType(one, schema, depth));
    return schema.nullable === true ? fc.oneof(...all, fc.constant(null)) : fc.oneof(...all);
  }

  #branch(others: Keywords, branch: unknown, depth: number): Arbitrary<unknown> {
    const parts = this.#schemas.partsOf(branch);
    if (Object.keys(others).length === 0) return this.of(branch, depth + 1);
    return this.#create(merge([others, ...parts]), depth + 1);
  }

  #ofType(type: string, schema: Keywords, depth: number): Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return integers(schema);
      case 'number':
        return numbers(schema);
      case 'array':
        return this.#arrays(schema, depth);
      case 'object':
        return this.#objects(schema, depth);
      case 'string':
        return texts(schema);
      default:
        return anything();
    }
  }

  #arrays(schema: Keywords, depth: number): Arbitrary<unknown> {
    const { prefixItems, items, uniqueItems } = schema;
    const least = numberOr(schema.minItems, 0);
    const most = Math.max(
      least,
      depth > DEPTH ? 0 : Math.min(numberOr(schema.maxItems, 5), least + 5),
    );
    const first = Array.isArray(prefixItems)
      ? prefixItems.map((one) => this.of(one, depth + 1))
      : [];
    const rest =
      items === false ? undefined : items === undefined ? anything() : this.of(items, depth + 1);
    const limits = {
      minLength: Math.max(0, least - first.length),
      maxLength: Math.max(0, most - first.length),
    };
    const others =
      rest === undefined
        ? fc.constant([])
        : uniqueItems === true
          ? fc.uniqueArray(rest, { ...limits, selector: (value) => JSON.stringify(value) })
          : listsOf(rest, {
              ...limits,
              longest: depth > DEPTH ? 0 : numberOr(schema.maxItems, 0) - first.length,
            });
    return first.length === 0
      ? others
      : fc.tuple(fc.tuple(...first), others).map(([some, more]) => [...some, ...more]);
  }

  #objects(schema: Keywords, depth: number): Arbitrary<unknown> {
    const properties = Object.entries({ ...Object(schema.properties) });
    const required = new Set(listOf(schema.required).map(String));
    const kept = properties.filter(([name]) => depth <= DEPTH || required.has(name));
    const unknown = [...required].filter((name) => !properties.some(([other]) => other === name));
    const named = recordOf(
      [
        ...kept.map(([name, one]) => [name, this.of(one, depth + 1)] as const),
        ...unknown.map((name) => [name, anything()] as const),
      ],
      required,
    );
    const { additionalProperties: rest, propertyNames, minProperties, maxProperties } = schema;
    const isDictionary = typeof rest === 'object' && rest !== null;
    const least = Math.max(0, numberOr(minProperties, 0) - required.size);
    if (!isDictionary && (least === 0 || rest === false)) return named;
    const names =
      propertyNames === undefined ? WORDS : this.of(propertyNames, depth + 1).map(String);
    const most = Math.min(numberOr(maxProperties, 3), Math.max(least, depth > DEPTH ? 0 : 3));
    const others = fc.dictionary(names, isDictionary ? this.of(rest, depth + 1) : anything(), {
      minKeys: least,
      maxKeys: Math.max(least, most),
      noNullPrototype: true,
    });
    return fc.tuple(others, named).map(([more, some]) => ({ ...more, ...some }));
  }
}

/** Objects that have most of their optional members. */
export function recordOf(
  members: readonly (readonly [name: string, values: Arbitrary<unknown>])[],
  required: ReadonlySet<string>,
): Arbitrary<Keywords> {
  const absent = Symbol('absent');
  const model = members.map(([name, values]) => {
    const isRequired = required.has(name);
    return [name, isRequired ? values : fc.option(values, { nil: absent, freq: ABSENT })] as const;
  });
  return fc
    .record(Object.fromEntries(model), { noNullPrototype: true })
    .map((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== absent)),
    );
}

/** Lists, some of which have the most elements that they may. */
function listsOf(
  elements: Arbitrary<unknown>,
  limits: { readonly minLength: number; readonly maxLength: number; readonly longest: number },
): Arbitrary<unknown[]> {
  const { minLength, maxLength, longest } = limits;
  const usual = fc.array(elements, { minLength, maxLength });
  if (longest <= 0 || longest > LONGEST_LIST) return usual;
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 2, arbitrary: usual },
    { weight: 1, arbitrary: fc.array(elements, { minLength: longest, maxLength: longest }) },
  );
}

const WORDS = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,8}$/);

/** Values of which nothing is known. */
function anything(): Arbitrary<unknown> {
  const scalar = fc.oneof(WORDS, fc.integer(), fc.boolean(), fc.constant(null));
  return fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
    { weight: 1, arbitrary: fc.dictionary(WORDS, scalar, { maxKeys: 2, noNullPrototype: true }) },
  );
}

/** Joins schemas that all apply. */
function merge(parts: readonly Keywords[]): Keywords {
  const [first = {}, ...others] = parts.map(({ $ref: _, allOf: __, ...own }) => own as Keywords);
  return others.reduce(mergeTwo, first);
}

function mergeTwo(one: Keywords, other: Keywords): Keywords {
  const joined: Record<string, unknown> = { ...one, ...other };
  for (const [keyword, join] of Object.entries(JOINS)) {
    if (one[keyword] !== undefined && other[keyword] !== undefined)
      joined[keyword] = join(one[keyword], other[keyword]);
  }
  return joined;
}

/** How two values of a keyword become one. Of others, the later one counts. */
const JOINS: Readonly<Record<string, (one: unknown, other: unknown) => unknown>> = {
  type: (one, other) => {
    const [some, others] = [one, other].map((types) => [types].flat().map(String));
    const both = some?.filter(
      (type) => others?.includes(type) || (type === 'integer' && others?.includes('number')),
    );
    return both?.length ? both : other;
  },
  properties: (one, other) => {
    const [some, others] = [one, other].map((value): Keywords => ({ ...Object(value) }));
    const shared = Object.keys(some ?? {}).filter((name) => Object.hasOwn(others ?? {}, name));
    const both = shared.map((name) => [name, { allOf: [some?.[name], others?.[name]] }]);
    return { ...some, ...others, ...Object.fromEntries(both) };
  },
  required: (one, other) => [...new Set([...listOf(one), ...listOf(other)])],
  enum: (one, other) => listOf(one).filter((value) => listOf(other).includes(value)),
  minimum: (one, other) => Math.max(Number(one), Number(other)),
  maximum: (one, other) => Math.min(Number(one), Number(other)),
  minLength: (one, other) => Math.max(Number(one), Number(other)),
  maxLength: (one, other) => Math.min(Number(one), Number(other)),
};

/** The types that a schema without `type` describes. */
function typesOf(schema: Keywords): readonly string[] {
  const has = (...names: readonly string[]) => names.some((name) => name in schema);
  if (has('properties', 'required', 'additionalProperties', 'propertyNames')) return ['object'];
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return ['array'];
  if (has('minLength', 'maxLength', 'pattern', 'format')) return ['string'];
  return has('minimum', 'maximum', 'multipleOf') ? ['number'] : ['any'];
}

function integers(schema: Keywords): Arbitrary<number> {
  const step = Math.max(1, Math.ceil(numberOr(schema.multipleOf, 1)));
  const low = Math.max(
    Math.ceil(numberOr(schema.minimum, Number.MIN_SAFE_INTEGER)),
    Math.floor(numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY)) + 1,
  );
  const high = Math.min(
    Math.floor(numberOr(schema.maximum, Number.MAX_SAFE_INTEGER)),
    Math.ceil(numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY)) - 1,
  );
  const [min, max] = [Math.ceil(low / step), Math.floor(high / step)];
  if (min > max) return fc.constant(low);
  const nearest = Math.max(min, Math.min(max, 0));
  const small = fc.integer({
    min: Math.max(min, nearest - 100),
    max: Math.min(max, nearest + 100),
  });
  const near = [0, 1, -1].filter((value) => value >= min && value <= max);
  // Libraries write the bounds of safe integers, which say nothing.
  const limits = [min, max].filter((value) => Math.abs(value * step) < Number.MAX_SAFE_INTEGER);
  return fc
    .oneof(
      { withCrossShrink: true },
      { weight: 3, arbitrary: small },
      { weight: 1, arbitrary: fc.integer({ min, max }) },
      ...(near.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom(...near) }] : []),
      ...(limits.length > 0 ? [{ weight: 6, arbitrary: fc.constantFrom(...limits) }] : []),
    )
    .map((value) => value * step + 0);
}

function numbers(schema: Keywords): Arbitrary<number> {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const least = Math.max(numberOr(schema.minimum, -1e9), numberOr(above, -1e9));
  const most = Math.min(numberOr(schema.maximum, 1e9), numberOr(below, 1e9));
  if (least > most) return fc.constant(least);
  const step = numberOr(schema.multipleOf, 0);
  const hasStep = step > 0;
  const [min, max] = hasStep ? [Math.ceil(least / step), Math.floor(most / step)] : [least, most];
  if (hasStep && min <= max)
    return integers({ minimum: min, maximum: max }).map((value) =>
      Number((value * step).toPrecision(12)),
    );
  const isInside = (value: number) => value !== above && value !== below;
  const doubles = fc.double({ min: least, max: most, noNaN: true });
  const [from, to] = [Math.ceil(least), Math.floor(most)];
  const limits = [schema.minimum, schema.maximum].filter((one) => typeof one === 'number');
  const edges = [0, ...limits].filter((one) => one >= least && one <= most && isInside(one));
  const all = fc.oneof(
    { withCrossShrink: true },
    ...(from > to ? [] : [{ weight: 2, arbitrary: fc.integer({ min: from, max: to }) }]),
    { weight: 2, arbitrary: doubles },
    ...(edges.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom(...edges) }] : []),
  );
  // JSON has no -0.
  return attempt(
    all.map((value) => value + 0),
    isInside,
  );
}

/** Returns text, which fits the format or else the pattern. */
function texts(schema: Keywords): Arbitrary<string> {
  const { pattern, format, contentEncoding } = schema;
  const least = numberOr(schema.minLength, 0);
  const most = Math.max(least, numberOr(schema.maxLength, Number.POSITIVE_INFINITY));
  const fits = (text: string): boolean =>
    text.length >= least && [...text].length <= most && text.length <= most;
  const expression = typeof pattern === 'string' ? toRegExp(pattern) : undefined;
  const isRight = (text: string): boolean => fits(text) && (expression?.test(text) ?? true);
  const formatted = FORMATS[contentEncoding === 'base64' ? 'base64' : String(format)];
  if (formatted !== undefined) return attempt(formatted, isRight);
  if (expression !== undefined) return attempt(matching(expression, least, most), isRight);
  const usual = fc.string({ minLength: least, maxLength: Math.min(most, least + 12) });
  const marks = fc.string({
    minLength: least,
    maxLength: Math.min(most, least + 12),
    unit: 'grapheme',
  });
  const edges = [least, most].filter((length) => length <= LONGEST).map((one) => 'x'.repeat(one));
  const unusual = UNUSUAL.filter(fits);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: usual },
    { weight: 2, arbitrary: attempt(marks, fits) },
    ...(edges.length > 0 ? [{ weight: 6, arbitrary: fc.constantFrom(...edges) }] : []),
    ...(unusual.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...unusual) }] : []),
  );
}

/** Returns text for a regular expression, some of whose syntax no generator knows. */
function matching(expression: RegExp, least: number, most: number): Arbitrary<string> {
  try {
    return fc.stringMatching(expression, { maxLength: Math.min(most, Math.max(least + 20, 40)) });
  } catch {
    return fc.string({ minLength: least, maxLength: Math.min(most, least + 12) });
  }
}

function toRegExp(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Libraries lose the flags of patterns.
    }
  }
  return undefined;
}

const dates = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const names = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);

/** Percent-encoded text. Creating `fc.webUrl()`, which also generates it, takes more than a second. */
const encoded = fc.string({ unit: 'grapheme', maxLength: 9 }).map(encodeURIComponent);

const paths = fc.array(encoded, { maxLength: 3 }).map((segments) => `/${segments.join('/')}`);

const urls = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), paths, fc.option(encoded, { nil: '' }))
  .map(([scheme, host, path, query]) => `${scheme}://${host}${path}${query && `?q=${query}`}`);

/** Text by format. */
const FORMATS: Readonly<Record<string, Arbitrary<string> | undefined>> = {
  'date-time': dates,
  date: dates.map((date) => date.slice(0, 10)),
  time: fc.oneof(
    dates.map((date) => date.slice(11, 19)),
    dates.map((date) => date.slice(11)),
  ),
  duration: fc.constantFrom('P1D', 'PT1H', 'P1Y2M3DT4H5M6S', 'P2W'),
  email: fc.tuple(names, names).map(([user, host]) => `${user}@${host}.example`),
  uuid: fc.oneof(fc.uuid({ version: 4 }), fc.uuid({ version: 7 })),
  uri: urls,
  url: urls,
  'uri-reference': fc.oneof(urls, paths),
  hostname: fc.domain(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  base64: fc.base64String(),
  byte: fc.base64String(),
};

/** Filters values, but not for ever. */
function attempt<T>(arbitrary: Arbitrary<T>, accepts: (value: T) => boolean): Arbitrary<T> {
  let refused = 0;
  return arbitrary.filter((value) => {
    const isDone = accepts(value) || refused >= PATIENCE;
    refused = isDone ? 0 : refused + 1;
    return isDone;
  });
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' ? value : other;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
