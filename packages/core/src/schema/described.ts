import { isStandardSchema, toJsonSchema } from './schema.js';

/** Returns a value as JSON writes it, without what a schema does not describe. */
export type KeepDescribed = (value: unknown) => unknown;

export interface DescribedSchema {
  /**
   * Removes the rest; undefined if the schema describes everything. Returns the value itself if there is nothing
   * to remove.
   */
  readonly keep: KeepDescribed | undefined;
  /** Why parts of the schema are unknown. What is there is kept. */
  readonly unknown: readonly string[];
}

type Report = (reason: string) => void;
type JsonSchema = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, unknown>>;
type Condition = (value: Members) => boolean;

/** What a schema describes at one place of a value. */
interface Place {
  /** Whether it describes everything. */
  readonly any: boolean;
  readonly objects: Shape[];
  readonly arrays: Shape[];
}

/** The members of an object, or the elements of an array, that a schema describes. */
interface Shape {
  /** By name or index. Undefined for a member that is never there. */
  readonly members: ReadonlyMap<string, Place | undefined>;
  readonly patterns: readonly (readonly [RegExp, Place | undefined])[];
  /** Describes other members; undefined if nothing does. */
  readonly rest: Place | undefined;
  /**
   * Conditions that an object must meet for the shape to describe it; undefined if it describes every object.
   */
  readonly conditions: readonly Condition[] | undefined;
  /** The members of the last object, in order. The next object probably has the same. */
  readonly names: string[];
  readonly places: (Place | undefined)[];
}

/**
 * Compiles a schema to a function that removes what the schema does not describe. It validates nothing.
 *
 * - `properties` without `additionalProperties` describes no other members, and likewise for elements.
 * - A union describes what its matching branches describe: those whose required members, constants and types
 *   the value has. If none matches, it describes what all branches describe.
 */
export function compileDescribed(schema: object): DescribedSchema {
  const unknown: string[] = [];
  const report = (reason: string) => void unknown.push(reason);
  const { root } = new Compiler(convert(schema, report), report);
  const keepRoot: KeepDescribed = (value) => (isObject(value) ? keep(root, value, '') : value);
  return { keep: root.any ? undefined : keepRoot, unknown };
}

/** Lists the paths of what was removed from a value that was parsed from JSON. */
export function removedPaths(value: unknown, kept: unknown, path = ''): readonly string[] {
  if (value === kept || !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = path === '' ? key : `${path}.${key}`;
    return isObject(kept) && Object.hasOwn(kept, key)
      ? removedPaths(member, Reflect.get(kept, key), inner)
      : [inner];
  });
}

/** @param key - The key of the value, for its `toJSON()`. */
function keep(place: Place, value: object, key: string | number): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON !== 'function') return keepParts(place, value);
  if (Object.getPrototypeOf(value) === Date.prototype) return value;
  // JSON must not call it again, because it may return something else then.
  const json: unknown = toJSON.call(value, String(key));
  if (!isObject(json)) return json;
  const kept = keepParts(place, json);
  return 'toJSON' in kept ? { ...kept, toJSON: undefined } : kept;
}

function keepParts(place: Place, value: object): object {
  if (Array.isArray(value)) return keepElements(place.arrays, value);
  const shapes = place.objects;
  return keepMembers(shapes.length < 2 ? shapes : shapesFor(value as Members, shapes), value);
}

function keepElements(shapes: readonly Shape[], value: readonly unknown[]): object {
  const only = shapes.length === 1 ? shapes[0] : undefined;
  const rest = only?.members.size === 0 ? only.rest : undefined;
  let kept: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const element = value[index];
    const place = rest ?? memberOf(shapes, String(index), element);
    if (place === undefined) return kept ?? value.slice(0, index);
    const found = !isObject(element) || place.any ? element : keep(place, element, index);
    // NaN differs from itself.
    if (isObject(element) && found !== element) kept ??= value.slice(0, index);
    kept?.push(found);
  }
  return kept ?? value;
}

/** V8 knows the result for the key of a loop, unlike that of `Object.hasOwn`. */
const { hasOwnProperty: hasOwn } = Object.prototype;

/** How many members of the last object a shape remembers. */
const MAX_NAMES = 64;

function keepMembers(shapes: readonly Shape[], object: object): object {
  const value = object as Members;
  const only = shapes.length === 1 ? shapes[0] : undefined;
  let kept: Record<string, unknown> | undefined;
  let position = -1;
  // This loop is the fastest way to read members. It visits inherited ones last.
  for (const key in value) {
    const member = value[key];
    position += 1;
    const isKnown = only?.names[position] === key;
    const place = isKnown ? only.places[position] : memberOf(shapes, key, member);
    if (only !== undefined && !isKnown && position < MAX_NAMES) {
      only.names[position] = key;
      only.places[position] = place;
    }
    if (place === undefined) {
      if (!isWritten(member) || !hasOwn.call(value, key)) continue;
      if (isScalar(value)) return value;
      kept ??= copyBefore(key, value);
      continue;
    }
    // Copies only if there is something to remove. NaN differs from itself.
    const isWhole = !isObject(member) || place.any;
    if (isWhole && kept === undefined) continue;
    const found = isWhole ? member : keep(place, member, key);
    if ((found === member && kept === undefined) || !hasOwn.call(value, key)) continue;
    kept ??= copyBefore(key, value);
    put(kept, key, found);
  }
  return kept ?? value;
}

/** Returns what a member or an element may contain; undefined if no shape describes it. */
function memberOf(shapes: readonly Shape[], key: string, member: unknown): Place | undefined {
  const [first] = shapes;
  const place = first && memberOfShape(first, key);
  if (shapes.length < 2 || (place !== undefined && !isObject(member))) return place;
  return join(shapes.map((shape) => memberOfShape(shape, key)));
}

function memberOfShape({ members, patterns, rest }: Shape, key: string): Place | undefined {
  if (members.has(key)) return members.get(key);
  const matching = patterns.filter(([pattern]) => pattern.test(key));
  return matching.length === 0 ? rest : join(matching.map(([, place]) => place));
}

/** Combines what several shapes describe at one place. */
function join(places: readonly (Place | undefined)[]): Place | undefined {
  const found = [...new Set(places)].filter((place) => place !== undefined);
  if (found.length < 2) return found[0];
  return {
    any: found.some(({ any }) => any),
    objects: [...new Set(found.flatMap(({ objects }) => objects))],
    arrays: [...new Set(found.flatMap(({ arrays }) => arrays))],
  };
}

/** Returns the shapes that describe an object; all if none does. */
function shapesFor(value: Members, shapes: readonly Shape[]): readonly Shape[] {
  const describes = ({ conditions = [] }: Shape) => conditions.every((holds) => holds(value));
  const fitting = shapes.filter(describes);
  return fitting.some(({ conditions }) => conditions !== undefined) ? fitting : shapes;
}

function copyBefore(end: string, value: Members): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    if (key === end) break;
    put(copy, key, value[key]);
  }
  return copy;
}

function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true });
}

/** Whether JSON writes a member with this value. */
function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

/** Whether JSON writes an object as text: a `String`, or raw JSON. */
function isScalar(value: object): boolean {
  const { isRawJSON }: { readonly isRawJSON?: (value: object) => boolean } = JSON as object;
  return value instanceof String || isRawJSON?.(value) === true;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const KEYWORDS = {
  object: ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  array: ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
} as const;

const ANY: Place = Object.freeze({ any: true, objects: [], arrays: [] });

class Compiler {
  readonly root: Place;
  readonly #document: unknown;
  readonly #report: Report;
  readonly #places = new Map<unknown, Place>();

  constructor(document: unknown, report: Report) {
    this.#document = document;
    this.#report = report;
    this.root = this.#place(document) ?? { any: false, objects: [], arrays: [] };
  }

  /** Returns what a schema describes; undefined if it allows no value. */
  #place(schema: unknown): Place | undefined {
    if (schema === undefined || isNever(schema)) return undefined;
    if (isEverything(schema)) return ANY;
    const present = this.#places.get(schema);
    if (present !== undefined) return present;
    const place: Place = { any: false, objects: [], arrays: [] };
    this.#places.set(schema, place);
    this.#expand(schema, [], undefined, place);
    return place;
  }

  /**
   * Adds the shapes of a schema to those of a place.
   *
   * @param outer - The schemas that contain the union of which this is a branch.
   * @param conditions - Those of the outer branch; undefined outside unions.
   */
  #expand(
    schema: unknown,
    outer: readonly JsonSchema[],
    conditions: readonly Condition[] | undefined,
    place: Place,
  ): void {
    const parts = this.#partsOf(schema);
    const all = [...outer, ...parts];
    const unions = parts.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter(Array.isArray));
    const own = conditions && [...conditions, ...parts.map((part) => this.#conditionOf(part))];
    for (const [type, shapes] of [
      ['object', place.objects],
      ['array', place.arrays],
    ] as const) {
      const closed = parts.filter((part) => says(part, type));
      const described = type === 'array' ? closed.map(elementsAsMembers) : closed;
      for (const part of described) shapes.push(this.#shape(part, own));
      // A schema without such keywords describes everything that its type allows.
      const isOpen =
        unions.length === 0 && all.every((part) => allows(part, type) && !says(part, type));
      if (isOpen || parts.some(isEverything))
        shapes.push(this.#shape({ additionalProperties: true }, own));
    }
    for (const union of unions) {
      const branches = union.filter(
        (branch: unknown) => !isNever(branch) && Object(branch).type !== 'null',
      );
      for (const branch of branches) {
        this.#expand(branch, all, branches.length > 1 ? (own ?? []) : own, place);
      }
    }
    for (const part of parts.flatMap(conditionalParts)) this.#expand(part, all, own, place);
  }

  /** Lists the schemas that all apply to the values of a schema. */
  #partsOf(schema: unknown, parts: JsonSchema[] = []): readonly JsonSchema[] {
    if (schema === true) parts.push({});
    if (!isSchema(schema) || parts.includes(schema)) return parts;
    parts.push(schema);
    const { $ref, $dynamicRef, allOf } = schema;
    for (const reference of [$ref, $dynamicRef]) {
      if (typeof reference === 'string') this.#partsOf(this.#target(reference), parts);
    }
    if (Array.isArray(allOf)) for (const part of allOf) this.#partsOf(part, parts);
    return parts;
  }

  #shape(schema: JsonSchema, conditions: Shape['conditions']): Shape {
    const rest = this.#place(schema.additionalProperties ?? schema.unevaluatedProperties);
    const { enum: names }: JsonSchema = Object(schema.propertyNames);
    const known = Array.isArray(names) ? names.map((name) => [String(name), rest] as const) : [];
    const members = entriesOf(schema.properties).map(
      ([name, member]) => [name, this.#place(member)] as const,
    );
    const patterns = entriesOf(schema.patternProperties).map(
      ([pattern, member]) => [this.#pattern(pattern), this.#place(member)] as const,
    );
    const others = known.length > 0 ? undefined : rest;
    const all = new Map([...known, ...members]);
    return { members: all, patterns, rest: others, conditions, names: [], places: [] };
  }

  #pattern(source: string): RegExp {
    try {
      return new RegExp(source, 'u');
    } catch {
      this.#report(`'${source}' is not a regular expression.`);
      return /(?:)/;
    }
  }

  /**
   * Returns conditions that all values of a schema meet, limited to those that take one look at each member.
   */
  #conditionOf({ properties, required }: JsonSchema): Condition {
    const members = entriesOf(properties).map(
      ([name, member]) => [name, this.#partsOf(member)] as const,
    );
    const optional = members.filter(([, parts]) => parts.some((part) => 'default' in part));
    const names = (Array.isArray(required) ? required : []).filter(
      (name) => !optional.some(([one]) => one === name),
    );
    return (value) =>
      names.every((name) => hasOwn.call(value, name) && isWritten(value[name])) &&
      members.every(
        ([name, parts]) =>
          !hasOwn.call(value, name) || parts.every((part) => mayBe(part, value[name])),
      );
  }

  /** Resolves a reference to a place in the same document: a JSON Pointer or an ID. RFC 6901 §6 */
  #target(reference: string): unknown {
    const [id = '', pointer = ''] = reference.split('#', 2);
    let target = id === '' ? this.#document : findById(this.#document, id);
    for (const key of pointer.split('/').slice(1)) {
      const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
      target =
        isObject(target) && Object.hasOwn(target, name) ? Reflect.get(target, name) : undefined;
    }
    const isFound = target !== undefined && (pointer === '' || pointer.startsWith('/'));
    if (isFound) return target;
    this.#report(`it refers to '${reference}', which it does not contain.`);
    return true;
  }
}

/** Describes the elements of arrays as members, whose names are indexes. */
function elementsAsMembers(schema: JsonSchema): JsonSchema {
  const { items, prefixItems, additionalItems, unevaluatedItems } = schema;
  // Before draft 2020-12, an array in 'items' described the first elements.
  const [first, rest] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items];
  return { properties: { ...Object(first) }, additionalProperties: rest ?? unevaluatedItems };
}

/** Schemas that apply to some of the values of a schema. */
function conditionalParts({ dependentSchemas, ...schema }: JsonSchema): unknown[] {
  const parts = [schema.if, schema.then, schema.else, ...Object.values(Object(dependentSchemas))];
  return parts.filter((part) => isSchema(part) && !isEverything(part));
}

/** Whether a member may match a schema, judging by its type and constants. */
function mayBe(schema: JsonSchema, member: unknown): boolean {
  if (member === null || !isWritten(member)) return true;
  if (isObject(member)) return 'toJSON' in member || allows(schema, typeOf(member));
  const { const: constant, enum: values } = schema;
  if (constant !== undefined && constant !== member) return false;
  if (Array.isArray(values) && !values.includes(member)) return false;
  return allows(schema, typeOf(member));
}

/** Whether values of a schema may have a type. */
function allows({ type, const: constant, enum: values }: JsonSchema, name: string): boolean {
  const constants = constant === undefined ? values : [constant];
  if (Array.isArray(constants)) return constants.some((one) => typeOf(one) === name);
  if (type === undefined) return true;
  const types = [type].flat();
  return types.includes(name) || (name === 'number' && types.includes('integer'));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function says(schema: JsonSchema, type: 'object' | 'array'): boolean {
  return KEYWORDS[type].some((keyword) => keyword in schema);
}

function isSchema(value: unknown): value is JsonSchema {
  return isObject(value) && !Array.isArray(value);
}

/** Whether a schema says nothing about values, not even in an intersection. */
function isEverything(schema: unknown): boolean {
  return schema === true || (isSchema(schema) && Object.keys(schema).length === 0);
}

function isNever(schema: unknown): boolean {
  return schema === false || (isSchema(schema) && isEverything(schema.not));
}

function entriesOf(value: unknown): [string, unknown][] {
  return isSchema(value) ? Object.entries(value) : [];
}

function findById(schema: unknown, id: string, seen = new Set<unknown>()): unknown {
  if (!isObject(schema) || seen.has(schema)) return undefined;
  seen.add(schema);
  if (Reflect.get(schema, '$id') === id) return schema;
  for (const inner of Object.values(schema)) {
    const found = findById(inner, id, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What zod cannot express, but whose JSON has no members. */
const WITHOUT_MEMBERS = ['bigint', 'date', 'literal', 'nan', 'symbol', 'undefined', 'void'];

/** What the converters of zod and valibot pass to the functions of their options. */
interface Part {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly path: readonly unknown[];
  readonly message: string;
  readonly valibotSchema: { readonly type: string };
  readonly valibotAction: { readonly type: string };
  readonly jsonSchema: object;
}

function refuse({ code }: { readonly code: string }): never {
  throw new Error(`JSON Schema cannot represent the ${code}`);
}

/** Converts a schema to JSON Schema, with {} in place of what JSON Schema cannot express. */
function convert(schema: object, report: Report): unknown {
  const text = { type: 'string' };
  const actionOf =
    (transformed: object | undefined) =>
    // Other actions are conditions, or leave text as text.
    ({ valibotAction, jsonSchema }: Part): object | undefined =>
      valibotAction.type.includes('transform') ? transformed : jsonSchema;
  const options = {
    unrepresentable: ({ zodSchema, path, message }: Part): object | string => {
      if (WITHOUT_MEMBERS.includes(zodSchema._zod.def.type)) return text;
      report(`${path.length === 0 ? '' : `at /${path.join('/')}, `}${message}.`);
      return 'any';
    },
    overrideSchema: ({ valibotSchema: { type }, jsonSchema }: Part): object | undefined => {
      if (type === 'date') return text;
      if (type === 'loose_object') return { ...jsonSchema, additionalProperties: true };
      return type === 'loose_tuple' ? { ...jsonSchema, unevaluatedItems: true } : undefined;
    },
    overrideAction: actionOf(undefined),
    // Of arktype.
    fallback: { date: () => text, arrayObject: refuse, morph: refuse, proto: refuse },
  };
  const toSchema = (more?: object): object | undefined =>
    toJsonSchema(schema, 'output', 'draft-2020-12', { ...options, ...more });
  try {
    const converted = toSchema();
    if (converted !== undefined) return converted;
    report(`${describeValidator(schema)} does not convert schemas to JSON Schema.`);
    return true;
  } catch (error) {
    report(`${error instanceof Error ? error.message : String(error)}.`);
    try {
      return toSchema({ overrideAction: actionOf({}), errorMode: 'ignore' });
    } catch {
      return true;
    }
  }
}

function describeValidator(schema: object): string {
  const vendor = isStandardSchema(schema) ? schema['~standard'].vendor : '';
  const wrapper = 'toStandardJsonSchema() of @valibot/to-json-schema';
  return vendor === 'valibot' ? `valibot without ${wrapper}` : `the validator '${vendor}'`;
}
