import { isNode, listOf, type Node, nodeOf } from '../../client/index.js';
import { hasFlag, matches, type Type, typeOf } from './case.js';
import { canonical } from './equality.js';
import { type Part, partOf } from './part.js';

/** Whether a value fits a schema; undefined if that is not known. */
export type Verdict = boolean | undefined;

/** How values are sent. */
export interface Sending {
  /** The keyword of members that are not sent. */
  readonly hides: 'readOnly' | 'writeOnly';
  /** Whether numbers and booleans are sent as texts, as in a query. */
  readonly isText: boolean;
}

/** How many schemas may lead from one to the next. */
const MAX_DEPTH = 30;

/** Tells whether a value fits a schema. */
export function judge(value: unknown, part: Part, sending: Sending, depth = 0): Verdict {
  if (depth > MAX_DEPTH) return undefined;
  if (!sending.isText) return judgeAs(value, part, sending, depth);
  const verdicts = readingsOf(value).map((reading) => judgeAs(reading, part, sending, depth));
  const verdict = anyOf(verdicts);
  // A list may be written as one value.
  return verdict === false && (Array.isArray(value) || value === null) ? undefined : verdict;
}

/** Lists what a receiver may read for a value that is sent as text. */
function readingsOf(value: unknown): readonly unknown[] {
  if (typeof value === 'object') return [value];
  const text = String(value);
  const number = text.trim() === '' ? Number.NaN : Number(text);
  const readings = [
    text,
    ...(Number.isNaN(number) ? [] : [number]),
    ...(text === 'true' || text === '1' ? [true] : []),
    ...(text === 'false' || text === '0' ? [false] : []),
    ...(text === '' || text === 'null' ? [null] : []),
  ];
  return [...readings, ...readings.map((one) => [one])];
}

function allOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(undefined) ? undefined : true;
}

function anyOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(true)) return true;
  return verdicts.includes(undefined) ? undefined : false;
}

function not(verdict: Verdict): Verdict {
  return verdict === undefined ? undefined : !verdict;
}

/** Keywords whose conditions it does not know. */
const UNKNOWN = [
  '$dynamicRef',
  '$recursiveRef',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
];

function judgeAs(value: unknown, part: Part, sending: Sending, depth: number): Verdict {
  const { document, schema } = part;
  if (schema === false) return false;
  const below = (one: unknown, inner: unknown) =>
    judge(one, partOf(document, inner), sending, depth + 1);
  const own = (inner: unknown) => below(value, inner);
  const verdicts: Verdict[] = [
    ...(UNKNOWN.some((keyword) => schema[keyword] !== undefined) ? [undefined] : []),
    ...listOf(schema.allOf).map(own),
    ...judgeValues(value, schema),
  ];
  if (typeof schema.$ref === 'string') {
    const target = document.find(schema.$ref);
    verdicts.push(target === undefined ? undefined : own(target));
  }
  if (schema.anyOf !== undefined) verdicts.push(anyOf(listOf(schema.anyOf).map(own)));
  if (schema.oneOf !== undefined) verdicts.push(judgeOne(listOf(schema.oneOf).map(own), sending));
  // A text that fits as one type may not fit as another.
  const isSure = (verdict: Verdict) => (sending.isText ? undefined : verdict);
  if (schema.not !== undefined) verdicts.push(isSure(not(own(schema.not))));
  if (schema.if !== undefined) {
    const condition = isSure(own(schema.if));
    const { then: positive, else: negative } = schema;
    const [met, unmet] = [own(positive), own(negative)];
    verdicts.push(condition === undefined ? allOfEither(met, unmet) : condition ? met : unmet);
  }
  if (typeof value === 'number') verdicts.push(...judgeNumber(value, schema));
  if (typeof value === 'string') verdicts.push(...judgeText(value, schema));
  if (Array.isArray(value)) verdicts.push(...judgeItems(value, schema, below));
  else if (isNode(value)) verdicts.push(...judgeMembers(value, part, sending, below));
  return allOf(verdicts);
}

/** The verdict if one of two is right. */
function allOfEither(one: Verdict, other: Verdict): Verdict {
  return one === other ? one : undefined;
}

function judgeOne(verdicts: readonly Verdict[], { isText }: Sending): Verdict {
  const fitting = verdicts.filter((verdict) => verdict === true).length;
  if (fitting > 1) return isText ? undefined : false;
  if (verdicts.includes(undefined)) return undefined;
  return fitting === 1;
}

function judgeValues(value: unknown, { type, const: constant, enum: list }: Node): Verdict[] {
  const isSame = (other: unknown) => canonical(other) === canonical(value);
  const verdicts: Verdict[] = [];
  if (type !== undefined) {
    const own: Type = typeOf(value);
    const isNumber = typeof value === 'number';
    const names = listOf(Array.isArray(type) ? type : [type]);
    verdicts.push(names.includes(own) || (isNumber && names.includes('number')));
  }
  if (constant !== undefined) verdicts.push(isSame(constant));
  if (Array.isArray(list)) verdicts.push(list.some(isSame));
  return verdicts;
}

function isAtLeast(value: number, limit: unknown): boolean {
  return typeof limit !== 'number' || value >= limit;
}

function isAtMost(value: number, limit: unknown): boolean {
  return typeof limit !== 'number' || value <= limit;
}

function judgeNumber(value: number, schema: Node): Verdict[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  const isMultiple =
    typeof multipleOf === 'number' && Number.isInteger(multipleOf) && multipleOf > 0
      ? value % multipleOf === 0
      : undefined;
  return [
    isAtLeast(value, minimum),
    isAtMost(value, maximum),
    typeof exclusiveMinimum !== 'number' || value > exclusiveMinimum,
    typeof exclusiveMaximum !== 'number' || value < exclusiveMaximum,
    multipleOf === undefined || isMultiple,
    format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31),
  ];
}

function judgeText(value: string, schema: Node): Verdict[] {
  const { minLength, maxLength, pattern, format } = schema;
  const { length } = [...value];
  return [
    isAtLeast(length, minLength),
    isAtMost(length, maxLength),
    typeof pattern !== 'string' || matches(pattern, value),
    typeof format !== 'string' || judgeFormat(value, format),
  ];
}

const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d`;

/** Formats, with what every reader of them accepts, and with what none refuses. */
const FORMATS: Readonly<Record<string, readonly [sure: RegExp, possible: RegExp]>> = {
  date: [new RegExp(`^${DAY}$`), /^\d{4}-\d\d-\d\d$/],
  'date-time': [new RegExp(`^${DAY}T${TIME}Z$`), /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/],
  time: [new RegExp(`^${TIME}Z$`), /^\d\d:\d\d/],
  duration: [/^P[1-9]D$/, /^[+-]?P/],
  uuid: [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, /[0-9a-f]{8}/i],
  email: [/^[a-z]+@[a-z]+\.com$/, /@/],
  uri: [/^https:\/\/[a-z]+\.com\/$/, /:/],
  ipv4: [/^(?:[1-9]\d?\.){3}[1-9]\d?$/, /\./],
  ipv6: [/^::1$/, /:/],
};

function judgeFormat(value: string, format: string): Verdict {
  const [sure, possible] = FORMATS[format] ?? [];
  if (sure?.test(value)) return true;
  return possible?.test(value) === false ? false : undefined;
}

type Below = (value: unknown, inner: unknown) => Verdict;

function judgeItems(value: readonly unknown[], schema: Node, below: Below): Verdict[] {
  const { minItems, maxItems, uniqueItems, prefixItems, items, contains } = schema;
  const first = listOf(prefixItems);
  const texts = value.map((item) => canonical(item));
  return [
    isAtLeast(value.length, minItems),
    isAtMost(value.length, maxItems),
    uniqueItems !== true || new Set(texts).size === texts.length,
    contains === undefined ? true : undefined,
    ...value.map((item, index) => {
      const inner = first[index] ?? items;
      return inner === undefined || below(item, inner);
    }),
  ];
}

function judgeMembers(
  value: Node,
  { document, schema }: Part,
  { hides }: Sending,
  below: Below,
): Verdict[] {
  const { required, properties, patternProperties, additionalProperties, ...others } =
    nodeOf(schema);
  const { minProperties, maxProperties, propertyNames, dependentRequired, dependentSchemas } =
    others;
  const names = Object.keys(value);
  const members = nodeOf(properties);
  const patterns = Object.entries(nodeOf(patternProperties));
  // Most clients ignore the members of a response that they do not know.
  const isIgnored = additionalProperties === false && hides === 'writeOnly';
  const missing = listOf(required)
    .map(String)
    .filter((name) => !Object.hasOwn(value, name));
  return [
    // Another schema may describe it as one that is not sent.
    ...missing.map((name) =>
      Object.hasOwn(members, name) ? hasFlag(partOf(document, members[name]), hides) : undefined,
    ),
    isAtLeast(names.length, minProperties),
    isAtMost(names.length, maxProperties),
    ...names.map((name) => propertyNames === undefined || below(name, propertyNames)),
    ...names.flatMap((name): Verdict[] => {
      const isNamed = Object.hasOwn(members, name);
      const matching = patterns.map(([pattern, inner]) => [matches(pattern, name), inner] as const);
      const isOther = !isNamed && matching.every(([isMatch]) => isMatch === false);
      return [
        ...(isNamed ? [below(value[name], members[name])] : []),
        ...matching.map(([isMatch, inner]) =>
          isMatch === false ? true : isMatch === true ? below(value[name], inner) : undefined,
        ),
        ...(isOther && additionalProperties !== undefined
          ? [isIgnored ? undefined : below(value[name], additionalProperties)]
          : []),
      ];
    }),
    ...Object.entries(nodeOf(dependentRequired)).map(
      ([name, needed]) =>
        !Object.hasOwn(value, name) ||
        listOf(needed).every((one) => Object.hasOwn(value, String(one))),
    ),
    ...Object.entries(nodeOf(dependentSchemas)).map(
      ([name, inner]) => !Object.hasOwn(value, name) || below(value, inner),
    ),
  ];
}
