import type { StandardSchema } from '@fairlead/schemas';
import { type ObjectStructure, type Structure, structureOf, unite } from '@fairlead/schemas';

/**
 * How the text of a request becomes what a schema accepts. Queries and forms repeat the name of a list, and write the
 * members of an object as `filter[name]`. Headers and path parameters have commas between the elements of a list, and
 * carry no objects (`style: simple` of OpenAPI).
 */
export type Style = 'query' | 'form' | 'simple';

/** How a value is in the text of a request. */
export type Carrier = 'text' | 'list' | 'object';

/** Converts one text; undefined if text stays text. */
type ReadText = ((text: string) => unknown) | undefined;

/** One value of a request. */
export interface TextMember {
  readonly carrier: Carrier;
  /** Converts what a request has under one name: one value, or an array of several. What is not text stays as it is. */
  readonly read: (value: unknown) => unknown;
  /** Converts several values to a list. */
  readonly readAll: (values: readonly unknown[]) => unknown;
  /** Converts a text that is not a list; undefined if it stays as it is. */
  readonly readText: ReadText;
  /** Whether one value stays one value, rather than a list of one. */
  readonly isSingle: (value: unknown) => boolean;
  /** The members of an object. */
  readonly inside: TextPlan | undefined;
}

/** The values of a request, by name. */
export interface TextPlan {
  readonly style: Style;
  readonly members: ReadonlyMap<string, TextMember>;
  /** Other members; undefined if they stay as they are. */
  readonly rest: TextMember | undefined;
  /** Whether every value stays as it is, without lists and objects. */
  readonly isPlain: boolean;
  /** Whether values may be lists or objects. */
  readonly isDeep: boolean;
}

/** How deep objects may contain objects. */
const DEPTH = 1;

const plans = new Map<Style, WeakMap<object, TextPlan>>();

/** Returns the plan for the text that a schema of several values receives. */
export function planText(schema: StandardSchema, style: Style): TextPlan {
  const known = plans.get(style) ?? new WeakMap<object, TextPlan>();
  plans.set(style, known);
  const present = known.get(schema);
  if (present !== undefined) return present;
  const plan = createPlan(structureOf(schema).objects, style, 0);
  known.set(schema, plan);
  return plan;
}

/**
 * Returns how a request carries the values that a schema of the query describes, for documentation.
 *
 * @param name - The parameter that the schema describes; undefined for a schema of the whole query.
 */
export function carriersOf(
  schema: StandardSchema,
  name: string | undefined,
): ReadonlyMap<string, Carrier> {
  if (name !== undefined) return new Map([[name, planMember(schema, 'query').carrier]]);
  const { members } = planText(schema, 'query');
  return new Map([...members].map(([key, { carrier }]) => [key, carrier]));
}

/** Returns the plan for the text of one value. */
export function planMember(schema: StandardSchema, style: Style): TextMember {
  return createMember(structureOf(schema), style, 0);
}

function createPlan(objects: readonly ObjectStructure[], style: Style, depth: number): TextPlan {
  const { members: structures, rest: others } = joinBranches(objects);
  const members = new Map(
    [...structures].map(([name, member]) => [name, createMember(member, style, depth)] as const),
  );
  const rest = others && createMember(others, style, depth);
  const all = [...members.values(), ...(rest === undefined ? [] : [rest])];
  const isDeep = all.some(({ carrier }) => carrier !== 'text');
  const isPlain = !isDeep && all.every(({ readText }) => readText === undefined);
  return { style, members, rest, isDeep, isPlain };
}

/** Joins the members of all branches of a union. */
export function joinBranches(objects: readonly ObjectStructure[]): ObjectStructure {
  const members = new Map<string, Structure>();
  let rest: Structure | undefined;
  for (const branch of objects) {
    for (const [name, member] of branch.members) {
      const other = members.get(name);
      members.set(name, other === undefined ? member : unite(other, member));
    }
    if (branch.rest !== undefined)
      rest = rest === undefined ? branch.rest : unite(rest, branch.rest);
  }
  return { members, rest };
}

function createMember(structure: Structure, style: Style, depth: number): TextMember {
  const carrier = carrierOf(structure, style, depth);
  const readText = createReadText(structure);
  const isSingle = createIsSingle(structure, readText);
  const items = createReadItems(structure);
  const readAll = (values: readonly unknown[]): unknown =>
    values.map((value, index) => convert(value, items(index)));
  const readOne = (value: unknown): unknown =>
    convert(Array.isArray(value) && style === 'query' ? value[0] : value, readText);
  const readList = (value: unknown): unknown => {
    if (Array.isArray(value)) return readAll(value);
    return isSingle(value) ? convert(value, readText) : readAll([value]);
  };
  return {
    carrier,
    readText,
    readAll,
    isSingle,
    read: structure.kinds.has('list') ? readList : readOne,
    inside: carrier === 'object' ? createPlan(structure.objects, style, depth + 1) : undefined,
  };
}

function convert(value: unknown, read: ReadText): unknown {
  return typeof value === 'string' && read !== undefined ? read(value) : value;
}

function carrierOf({ kinds }: Structure, style: Style, depth: number): Carrier {
  if (kinds.has('object') && style !== 'simple' && depth < DEPTH) return 'object';
  return kinds.has('list') ? 'list' : 'text';
}

/** Matches what JSON and JavaScript write for a finite number, and its usual variants. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Creates the function that converts a text to a number or a boolean, if the schema accepts these, but not the text. */
function createReadText(structure: Structure): ReadText {
  const { kinds, texts } = structure;
  const takesNumbers = kinds.has('number');
  const takesBooleans = kinds.has('boolean');
  if (takesAnyText(structure) || !(takesNumbers || takesBooleans)) return undefined;
  const own = kinds.has('string') ? texts : undefined;
  return (text) => {
    if (own?.has(text)) return text;
    if (takesBooleans && (text === 'true' || text === 'false')) return text === 'true';
    if (!takesNumbers || !NUMBER.test(text)) return text;
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
  };
}

function takesAnyText({ kinds, texts }: Structure): boolean {
  return kinds.has('any') || (kinds.has('string') && texts === undefined);
}

/** Creates the function that decides whether a value is one that the schema accepts instead of a list. */
function createIsSingle(structure: Structure, readText: ReadText): (value: unknown) => boolean {
  const { kinds, texts } = structure;
  if (!kinds.has('list') || takesAnyText(structure)) return () => true;
  const own = kinds.has('string') ? texts : undefined;
  return (value) =>
    typeof value === 'string' &&
    (own?.has(value) === true || typeof convert(value, readText) !== 'string');
}

/** Creates the function that returns how to convert an element of a list, by its index. */
function createReadItems({ lists }: Structure): (index: number) => ReadText {
  const first: ReadText[] = [];
  for (let index = 0; index < Math.max(0, ...lists.map(({ items }) => items.length)); index += 1) {
    const options = lists.flatMap(({ items, rest }) => items[index] ?? rest ?? []);
    first.push(options.length === 0 ? undefined : createReadText(options.reduce(unite)));
  }
  const rests = lists.flatMap(({ rest }) => rest ?? []);
  const rest = rests.length === 0 ? undefined : createReadText(rests.reduce(unite));
  return (index) => (index < first.length ? first[index] : rest);
}

/** Converts a query. Returns an object without a prototype, with the first value of each name that is not a list. */
export function readQuery(plan: TextPlan, query: URLSearchParams): Record<string, unknown> {
  if (plan.isDeep) return readByName(plan, groupByName(query));
  const result: Record<string, unknown> = Object.create(null);
  for (const [name, text] of query) {
    if (result[name] !== undefined) continue;
    const member = plan.members.get(name) ?? plan.rest;
    result[name] = member?.readText === undefined ? text : member.readText(text);
  }
  return result;
}

/** Converts a form that a parser has read: an object with one value for each name, or an array of several. */
export function readForm(plan: TextPlan, form: unknown): unknown {
  if (plan.isPlain || typeof form !== 'object' || form === null || Array.isArray(form)) return form;
  return readByName(plan, Object.entries(form));
}

function groupByName(query: URLSearchParams): Map<string, unknown> {
  const byName = new Map<string, string | string[]>();
  for (const [name, text] of query) {
    const earlier = byName.get(name);
    if (earlier === undefined) byName.set(name, text);
    else if (typeof earlier === 'string') byName.set(name, [earlier, text]);
    else earlier.push(text);
  }
  return byName;
}

function readByName(
  plan: TextPlan,
  values: Iterable<readonly [name: string, value: unknown]>,
): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null);
  const objects = new Set<unknown>();
  for (const [name, value] of values) {
    const { base, key, member } = placeOf(plan, name);
    const converted = member === undefined ? readUnknown(value, plan.style) : member.read(value);
    if (base === undefined) {
      if (result[key] === undefined) result[key] = converted;
      continue;
    }
    const object = result[base] ?? Object.create(null);
    // A text of the same name came first. The schema rejects it.
    if (result[base] !== undefined && !objects.has(object)) continue;
    objects.add(object);
    result[base] = object;
    object[key] = converted;
  }
  return result;
}

function readUnknown(value: unknown, style: Style): unknown {
  return Array.isArray(value) && style === 'query' ? value[0] : value;
}

/** Where a value is, and how it is converted. */
interface Place {
  /** The name of the object that contains it; undefined for a value that is not within an object. */
  readonly base: string | undefined;
  readonly key: string;
  readonly member: TextMember | undefined;
}

function placeOf({ members, rest }: TextPlan, name: string): Place {
  const named = members.get(name);
  if (named !== undefined) return { base: undefined, key: name, member: named };
  const start = name.indexOf('[');
  const base = start > 0 && name.endsWith(']') ? name.slice(0, start) : undefined;
  const inside = base === undefined ? undefined : (members.get(base) ?? rest)?.inside;
  if (inside === undefined) return { base: undefined, key: name, member: rest };
  const key = name.slice(start + 1, -1);
  return { base, key, member: inside.members.get(key) ?? inside.rest };
}

/** Converts headers or path parameters, of which each one is a text. */
export function readSimple(
  plan: TextPlan,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = Object.assign(Object.create(null), values);
  for (const [name, value] of Object.entries(values)) {
    const member = plan.members.get(name) ?? plan.rest;
    if (member !== undefined) result[name] = readSimpleValue(member, value);
  }
  return result;
}

/** Converts a header or a path parameter. The elements of a list have commas between them. RFC 9110 §5.6.1 */
export function readSimpleValue(member: TextMember, value: unknown): unknown {
  if (typeof value !== 'string' || member.isSingle(value)) return convert(value, member.readText);
  const elements = value.split(',').map((element) => element.trim());
  return member.readAll(elements.filter((element) => element !== ''));
}
