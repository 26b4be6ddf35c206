import { isPlainObject } from '@fairlead/options';
import { arktype } from './libraries/arktype.js';
import type { Converters, Description, Kind, Library, Part } from './libraries/description.js';
import { createJsonSchemaReader } from './libraries/json-schema.js';
import { valibot } from './libraries/valibot.js';
import { zod } from './libraries/zod.js';
import { type StandardSchema, toJsonSchema, unwrap } from './standard-schema.js';

export type { Kind } from './libraries/description.js';

/** What a schema accepts, before it converts anything, as far as its structure tells. */
export interface Structure {
  /** Contains `any` if nothing is known. */
  readonly kinds: ReadonlySet<Kind>;
  /** Whether it also accepts any text, which it converts. */
  readonly convertsText: boolean;
  /** Whether a function of the application receives the value first, so that it may accept more. */
  readonly isPreprocessed: boolean;
  /** Whether it converts every text that is not empty to true, as `Boolean()` does. */
  readonly isTruthy: boolean;
  /** The texts that it accepts; undefined for any text. Without meaning unless it accepts strings. */
  readonly texts: ReadonlySet<string> | undefined;
  readonly lists: readonly ListStructure[];
  readonly objects: readonly ObjectStructure[];
}

/** The elements of a list. */
export interface ListStructure {
  /** The first ones, by index. */
  readonly items: readonly Structure[];
  /** The others; undefined if there are none. */
  readonly rest: Structure | undefined;
}

/** The members of an object. */
export interface ObjectStructure {
  readonly members: ReadonlyMap<string, Structure>;
  /** Members without a name; undefined if there are none. */
  readonly rest: Structure | undefined;
}

/** The structure of a schema, and what its library tells besides. */
export interface SchemaStructure extends Structure {
  /**
   * Whether the structure is that of the library. JSON Schema does not tell whether a schema converts text, or accepts
   * that a value is absent.
   */
  readonly isExact: boolean;
  /** How schemas of the library convert text. */
  readonly converters: Converters;
}

const LIBRARIES: Readonly<Record<string, Library>> = { arktype, valibot, zod };

/** How deep lists and objects are read. Requests carry less as text. */
const MAX_LEVEL = 4;

/** How many schemas may wrap another one. More of them are a cycle. */
const MAX_WRAPPERS = 100;

const structures = new WeakMap<object, SchemaStructure>();

/** Where a schema of no library has the function that returns its structure. A symbol that all copies share. */
export const STRUCTURE: unique symbol = Symbol.for('fairlead:structure');

/** A schema that knows its structure. */
export interface Structured {
  readonly [STRUCTURE]?: () => SchemaStructure;
}

/** Returns the structure of a schema that accepts values of these kinds, of which nothing else is known. */
export function structureOfKinds(...kinds: readonly Kind[]): SchemaStructure {
  return exact(kinds.reduce((draft, kind) => draft.addKind(kind), new Draft()));
}

/**
 * Returns what a schema accepts. Reads what the schema publishes: the structure of zod, valibot and arktype, or else
 * its JSON Schema. Never calls what decides about values, such as a refinement, a transform or a default.
 *
 * @param schema - Of any library. A part that cannot be read accepts everything.
 */
export function structureOf(schema: StandardSchema): SchemaStructure {
  const present = structures.get(schema);
  if (present !== undefined) return present;
  const created = readStructure(unwrap(schema));
  structures.set(schema, created);
  return created;
}

/**
 * Whether a schema accepts that a value is absent.
 *
 * @returns Undefined if its structure does not tell.
 */
export function acceptsAbsence(schema: StandardSchema): boolean | undefined {
  const { isExact, isPreprocessed, kinds } = structureOf(schema);
  if (kinds.has('undefined')) return true;
  return isExact && !isPreprocessed && !kinds.has('any') ? false : undefined;
}

/** Whether a schema of several values rejects that one of them is absent, as far as its structure tells. */
export function requiresMember(schema: StandardSchema, name: string): boolean {
  const { kinds, objects } = structureOf(schema);
  const isRequired = ({ members }: ObjectStructure): boolean => {
    const member = members.get(name);
    return member !== undefined && rejectsAbsence(member);
  };
  return kinds.size === 1 && objects.length > 0 && objects.every(isRequired);
}

/** Whether a member of an object must be there. */
export function rejectsAbsence({ kinds, isPreprocessed }: Structure): boolean {
  return !kinds.has('undefined') && !kinds.has('any') && !isPreprocessed;
}

/**
 * Whether a schema may accept a value that has the given members, and possibly others, as far as its structure tells.
 *
 * @param value - What JSON can write, or a Date.
 */
export function mayAccept(schema: StandardSchema, value: unknown): boolean {
  const structure = structureOf(schema);
  return !structure.isExact || mayBe(structure, value);
}

function mayBe(structure: Structure, value: unknown): boolean {
  const { kinds, convertsText, isPreprocessed, texts, lists, objects } = structure;
  if (isPreprocessed || convertsText || kinds.has('any')) return true;
  const entries = isPlainObject(value) ? Object.entries(value) : [];
  const kind = Array.isArray(value) ? 'list' : isPlainObject(value) ? 'object' : kindOf(value);
  if (kind === 'other') return true;
  if (!kinds.has(kind)) return false;
  if (typeof value === 'string') return texts?.has(value) ?? true;
  if (Array.isArray(value)) {
    return lists.some(({ items, rest }) =>
      value.every((element, index) => {
        const item = items[index] ?? rest;
        return item !== undefined && mayBe(item, element);
      }),
    );
  }
  if (kind !== 'object') return true;
  return objects.some(({ members, rest }) =>
    entries.every(([name, member]) => {
      const own = members.get(name) ?? rest;
      return own === undefined || mayBe(own, member);
    }),
  );
}

function readStructure(schema: StandardSchema & Structured): SchemaStructure {
  const known = schema[STRUCTURE]?.();
  if (known !== undefined) return known;
  const library = LIBRARIES[attempt(() => schema['~standard'].vendor) ?? ''];
  if (library !== undefined && attempt(() => library.describe(schema)) !== undefined) {
    const structure = new Reader((part) => library.describe(part) ?? 'any').read(schema);
    return exact(structure, library.converters);
  }
  const options = { unrepresentable: 'any', errorMode: 'ignore' };
  const json = attempt(() => toJsonSchema(schema, 'input', 'draft-2020-12', options));
  const structure = new Reader(createJsonSchemaReader(json)).read(json);
  return { ...exact(structure), isExact: false };
}

function exact(structure: Structure, converters: Converters = {}): SchemaStructure {
  const { kinds, convertsText, isPreprocessed, isTruthy, texts, lists, objects } = structure;
  const known = { kinds, convertsText, isPreprocessed, isTruthy, texts, lists, objects };
  return Object.freeze({ ...known, isExact: true, converters });
}

/** Returns undefined if reading fails. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A structure that is being read. */
class Draft implements Structure {
  readonly kinds = new Set<Kind>();
  readonly lists: ListStructure[] = [];
  readonly objects: ObjectStructure[] = [];
  convertsText = false;
  isPreprocessed = false;
  isTruthy = false;
  texts: Set<string> | undefined = new Set<string>();

  /** Adds what a schema accepts to what others accept. */
  add(structure: Structure): this {
    const { kinds, convertsText, isPreprocessed, isTruthy, texts, lists, objects } = structure;
    if (kinds.has('string')) {
      if (texts === undefined) this.texts = undefined;
      else for (const text of texts) this.texts?.add(text);
    }
    for (const kind of kinds) this.kinds.add(kind);
    this.convertsText ||= convertsText;
    this.isPreprocessed ||= isPreprocessed;
    this.isTruthy ||= isTruthy;
    this.lists.push(...lists);
    this.objects.push(...objects);
    return this;
  }

  addKind(kind: Kind): this {
    if (kind === 'string') this.texts = undefined;
    this.kinds.add(kind);
    return this;
  }

  addValue(value: unknown): this {
    if (typeof value === 'string') this.texts?.add(value);
    this.kinds.add(kindOf(value));
    return this;
  }
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (value instanceof Date) return 'date';
  const type = typeof value;
  return type === 'object' || type === 'function' || type === 'symbol' ? 'other' : type;
}

const ANY: Structure = new Draft().addKind('any');

class Reader {
  /** By level and part. */
  readonly #read: Map<Part, Structure>[] = [];
  readonly #describe: (part: Part) => Description;

  constructor(describe: (part: Part) => Description) {
    this.#describe = describe;
  }

  read(part: Part, level = 0, wrappers = 0): Structure {
    if (wrappers > MAX_WRAPPERS) return ANY;
    const known = this.#read[level] ?? new Map<Part, Structure>();
    this.#read[level] = known;
    const present = known.get(part);
    if (present !== undefined) return present;
    const structure = attempt(() => this.#interpret(part, level, wrappers + 1)) ?? ANY;
    known.set(part, structure);
    return structure;
  }

  #interpret(part: Part, level: number, wrappers: number): Structure {
    const description = isKind(part) ? part : this.#describe(part);
    const draft = new Draft();
    if (typeof description === 'string') return draft.addKind(description);
    if ('values' in description) {
      for (const value of description.values) draft.addValue(value);
      return draft;
    }
    if ('anyOf' in description) {
      for (const option of description.anyOf) draft.add(this.read(option, level, wrappers));
      return draft;
    }
    if ('allOf' in description) {
      const parts = description.allOf.map((one) => this.read(one, level, wrappers));
      return parts.reduce(intersect, ANY);
    }
    if ('inner' in description) {
      const inner = this.read(description.inner, level, wrappers);
      draft.add(description.isPreprocessed ? withoutScalars(inner) : inner);
      // A function that receives the value first may convert it.
      draft.isTruthy =
        (draft.isTruthy || description.isTruthy === true) && !description.isPreprocessed;
      if (description.except !== undefined) draft.kinds.delete(description.except);
      for (const also of description.also ?? []) {
        if (also === 'text') draft.convertsText = true;
        else draft.addKind(also);
      }
      return draft;
    }
    const isTooDeep = level >= MAX_LEVEL;
    const inside = (one: Part): Structure => (isTooDeep ? ANY : this.read(one, level + 1, 0));
    const rest = description.rest === undefined ? undefined : inside(description.rest);
    if ('items' in description) {
      draft.kinds.add('list');
      draft.lists.push({ items: description.items.map(inside), rest });
      return draft;
    }
    const members = new Map<string, Structure>();
    for (const [name, member] of description.members) {
      const isOptional = description.optional?.has(name) === true;
      const structure = inside(member);
      const accepted = isOptional ? new Draft().add(structure).addKind('undefined') : structure;
      members.set(name, accepted);
    }
    draft.kinds.add('object');
    draft.objects.push({ members, rest });
    return draft;
  }
}

const KINDS: ReadonlySet<Part> = new Set<Kind>([
  ...(['any', 'string', 'number', 'boolean', 'bigint', 'date', 'file'] as const),
  ...(['null', 'undefined', 'list', 'object', 'other'] as const),
]);

function isKind(part: Part): part is Kind {
  return KINDS.has(part);
}

/** Returns what two schemas accept. */
export function unite(one: Structure, other: Structure): Structure {
  return new Draft().add(one).add(other);
}

/** Returns what two schemas both accept, except that conditions on elements of lists do not join. */
function intersect(one: Structure, other: Structure): Structure {
  const opens = [one, other].map(({ kinds }) => kinds.has('any'));
  if (opens[0]) return other;
  if (opens[1]) return one;
  const draft = new Draft();
  for (const kind of one.kinds) if (other.kinds.has(kind)) draft.kinds.add(kind);
  draft.convertsText = one.convertsText && other.convertsText;
  draft.isPreprocessed = one.isPreprocessed && other.isPreprocessed;
  draft.texts = intersectTexts(one.texts, other.texts);
  if (draft.kinds.has('list')) draft.lists.push(...one.lists);
  for (const first of one.objects) {
    for (const second of other.objects) draft.objects.push(joinMembers(first, second));
  }
  return draft;
}

function intersectTexts(
  one: Structure['texts'],
  other: Structure['texts'],
): Set<string> | undefined {
  if (one === undefined) return other && new Set(other);
  return new Set([...one].filter((text) => other?.has(text) ?? true));
}

function joinMembers(one: ObjectStructure, other: ObjectStructure): ObjectStructure {
  const members = new Map([...one.members, ...other.members]);
  for (const [name, member] of one.members) {
    const second = other.members.get(name);
    if (second !== undefined) members.set(name, intersect(member, second));
  }
  return { members, rest: one.rest ?? other.rest };
}

/** Returns a structure whose values stay text, because a function receives them first. */
function withoutScalars(structure: Structure, level = 0): Structure {
  if (level > MAX_LEVEL) return ANY;
  const inside = (one: Structure): Structure => withoutScalars(one, level + 1);
  const draft = new Draft();
  draft.convertsText = true;
  draft.isPreprocessed = true;
  for (const kind of structure.kinds) {
    if (kind === 'number' || kind === 'boolean') draft.addKind('string');
    else draft.addKind(kind);
  }
  if (!draft.kinds.has('string')) draft.texts = undefined;
  for (const { items, rest } of structure.lists) {
    draft.lists.push({ items: items.map(inside), rest: rest && inside(rest) });
  }
  for (const { members, rest } of structure.objects) {
    const own = new Map([...members].map(([name, member]) => [name, inside(member)]));
    draft.objects.push({ members: own, rest: rest && inside(rest) });
  }
  return draft;
}
