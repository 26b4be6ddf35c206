import { isStandardSchema, toJsonSchema } from './schema.js';

/** Returns a value as JSON writes it, without what a schema does not describe. */
export type KeepDescribed = (value: unknown) => unknown;

/** Receives why a part of a schema is unknown. What is there is kept. */
type Report = (reason: string) => void;

type JsonSchema = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, unknown>>;
type Condition = (value: Members) => boolean;

/** What a schema describes at one place of a value. */
interface Place {
  /** Whether it describes everything. */
  any: boolean;
  readonly objects: ObjectShape[];
  readonly arrays: ArrayShape[];
}

/** The members that a schema describes. */
interface ObjectShape {
  readonly members: ReadonlyMap<string, Place>;
  readonly patterns: readonly (readonly [RegExp, Place | undefined])[];
  /** Describes other members; undefined if nothing does. */
  readonly rest: Place | undefined;
  /**
   * Conditions that an object must meet for the shape to describe it; undefined if it describes every object.
   */
  readonly conditions: readonly Condition[] | undefined;
  /** The described members of the last object, in order. The next object probably has the same. */
  readonly names: string[];
  readonly places: Place[];
}

/** The elements that a schema describes. */
interface ArrayShape {
  readonly first: readonly (Place | undefined)[];
  readonly rest: Place | undefined;
}

/**
 * Compiles a schema to a function that removes what the schema does not describe. It validates nothing.
 *
 * - `properties` without `additionalProperties` describes no other members, and likewise for elements.
 * - A union describes what its matching branches describe: those whose required members, constants and types
 *   the value has. If none matches, it describes what all branches describe.
 *
 * @returns Undefined for a schema that describes everything. The function returns the value itself if there
 *   is nothing to remove.
 */
export function compileDescribed(schema: object, report: Report): KeepDescribed | undefined {
  const { root } = new Compiler(convert(schema, report), report);
  if (root.any) return undefined;
  return (value) => (isObject(value) ? keep(root, value, '') : value);
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

function keepElements(shapes: readonly ArrayShape[], value: readonly unknown[]): object {
  let kept: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const place = elementOf(shapes, index);
    if (place === undefined) return kept ?? value.slice(0, index);
    const element = value[index];
    if (!isObject(element) || place.any) kept?.push(element);
    else {
      const found = keep(place, element, index);
      if (found !== element) kept ??= value.slice(0, index);
      kept?.push(found);
    }
  }
  return kept ?? value;
}

/** V8 knows the result for the key of a loop, unlike that of `Object.hasOwn`. */
const { hasOwnProperty: hasOwn } = Object.prototype;

function keepMembers(shapes: readonly ObjectShape[], object: object): object {
  const value = object as Members;
  const [first] = shapes;
  const only = shapes.length === 1 ? first : undefined;
  let kept: Record<string, unknown> | undefined;
  let position = 0;
  // This loop is the fastest way to read members. It visits inherited ones last.
  for (const key in value) {
    const member = value[key];
    const place =
      only !== undefined && only.names[position] === key
        ? only.places[position]
        : memberOf(shapes, key, position, member);
    if (place === undefined) {
      if (!isWritten(member) || !hasOwn.call(value, key)) continue;
      if (isScalar(value)) return value;
      kept ??= copyBefore(key, value);
      continue;
    }
    position += 1;
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

/** Returns what a key of an object may contain; undefined if no shape describes it. */
function memberOf(
  shapes: readonly ObjectShape[],
  key: string,
  position: number,
  member: unknown,
): Place | undefined {
  const [first] = shapes;
  if (first === undefined) return undefined;
  const place = memberOfShape(first, key, position);
  if (shapes.length === 1 || (place !== undefined && !isObject(member))) return place;
  return join(shapes.map((shape) => memberOfShape(shape, key, position)));
}

function memberOfShape(shape: ObjectShape, key: string, position: number): Place | undefined {
  const { members, patterns, rest, names, places } = shape;
  const place = members.get(key);
  if (place === undefined) {
    if (patterns.length === 0) return rest;
    const matching = patterns.filter(([pattern]) => pattern.test(key));
    return matching.length === 0 ? rest : join(matching.map(([, one]) => one));
  }
  if (position <= names.length && position < members.size) {
    names[position] = key;
    places[position] = place;
  }
  return place;
}

function elementOf(shapes: readonly ArrayShape[], index: number): Place | undefined {
  if (shapes.length > 1) return join(shapes.map((shape) => elementOf([shape], index)));
  const [shape] = shapes;
  return shape && (index < shape.first.length ? shape.first[index] : shape.rest);
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
function shapesFor(value: Members, shapes: readonly ObjectShape[]): readonly ObjectShape[] {
  const describes = ({ conditions = [] }: ObjectShape) => conditions.every((holds) => holds(value));
  const fitting = shapes.filter(describes);
  return fitting.some(({ conditions }) => conditions !== undefined) ? fitting : shapes;
}

/** Copies the members of an object that come before a key. */
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

const OF_MEMBERS = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
];
const OF_ELEMENTS = ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'];

const ANY: Place = Object.freeze({ any: true, objects: [], arrays: [] });

/** Compiles a JSON Schema to places. */
class Compiler {
  readonly root: Place;
  readonly #document: unknown;
  readonly #report: Report;
  readonly #places = new Map<unknown, Place>();

  constructor(document: unknown, report: Report) {
    this.#document = document;
    this.#report = report;
    this.root = this.#place(document) ?? { any: false, objects: [], arrays: [] };
    this.#findAny();
  }

  /** Returns what a schema describes; undefined if it allows no value. */
  #place(schema: unknown): Place | undefined {
    if (schema === undefined || isNever(schema)) return undefined;
    if (isEverything(schema)) return ANY;
    const present = this.#places.get(schema);
    if (present !== undefined) return present;
    const place: Place = { any: true, objects: [], arrays: [] };
    this.#places.set(schema, place);
    this.#expand(schema, [], undefined, place);
    return place;
  }

  /** Finds the places that describe everything. Those of a recursive schema do so together. */
  #findAny(): void {
    const isAny = ({ objects, arrays }: Place): boolean =>
      objects.some(({ members, patterns, rest, conditions = [] }) => {
        const places = [rest, ...members.values(), ...patterns.map(([, place]) => place)];
        return conditions.length === 0 && places.every((place) => place?.any);
      }) && arrays.some(({ first, rest }) => [rest, ...first].every((place) => place?.any));
    let open = [...this.#places.values()];
    for (let count = -1; count !== open.length; ) {
      count = open.length;
      for (const place of open) place.any = isAny(place);
      open = open.filter(({ any }) => any);
    }
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
    for (const part of parts) {
      if (has(part, OF_MEMBERS)) place.objects.push(this.#objectShape(part, own));
      if (has(part, OF_ELEMENTS)) place.arrays.push(this.#arrayShape(part));
    }
    // A schema without such keywords describes everything that its type allows.
    const isOpen = (type: string, keywords: readonly string[]): boolean =>
      parts.some(isEverything) ||
      (unions.length === 0 && all.every((part) => allows(part, type) && !has(part, keywords)));
    if (isOpen('object', OF_MEMBERS)) place.objects.push(createShape([], [], ANY, own));
    if (isOpen('array', OF_ELEMENTS)) place.arrays.push({ first: [], rest: ANY });
    for (const union of unions) {
      const branches = union.filter((branch: unknown) => !isNever(branch) && !isNull(branch));
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

  #objectShape(schema: JsonSchema, conditions: readonly Condition[] | undefined): ObjectShape {
    const { propertyNames, unevaluatedProperties } = schema;
    const rest = this.#place(schema.additionalProperties ?? unevaluatedProperties);
    const names: unknown = isSchema(propertyNames) ? propertyNames.enum : undefined;
    const known = Array.isArray(names) ? names.map((name) => [String(name), rest] as const) : [];
    const members = entriesOf(schema.properties).map(
      ([name, member]) => [name, this.#place(member)] as const,
    );
    const patterns = entriesOf(schema.patternProperties).map(
      ([pattern, member]) => [this.#pattern(pattern), this.#place(member)] as const,
    );
    const others = known.length > 0 ? undefined : rest;
    return createShape([...known, ...members], patterns, others, conditions);
  }

  #arrayShape({ prefixItems, items, additionalItems, unevaluatedItems }: JsonSchema): ArrayShape {
    // Before draft 2020-12, an array in 'items' described the first elements.
    const isOld = Array.isArray(items);
    const first: unknown = isOld ? items : prefixItems;
    const rest = (isOld ? additionalItems : items) ?? unevaluatedItems;
    return {
      first: Array.isArray(first) ? first.map((one) => this.#place(one)) : [],
      rest: this.#place(rest),
    };
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

function createShape(
  members: readonly (readonly [string, Place | undefined])[],
  patterns: ObjectShape['patterns'],
  rest: Place | undefined,
  conditions: readonly Condition[] | undefined,
): ObjectShape {
  const described = members.filter((member): member is [string, Place] => member[1] !== undefined);
  return { members: new Map(described), patterns, rest, conditions, names: [], places: [] };
}

/** Schemas that apply to some of the values of a schema. */
function conditionalParts({
  if: test,
  then,
  else: other,
  dependentSchemas,
}: JsonSchema): unknown[] {
  const dependent = entriesOf(dependentSchemas).map(([, schema]) => schema);
  return [test, then, other, ...dependent].filter((one) => isSchema(one) && !isEverything(one));
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

function has(schema: JsonSchema, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => keyword in schema);
}

function isSchema(value: unknown): value is JsonSchema {
  return isObject(value) && !Array.isArray(value);
}

/** Whether a schema says nothing about values, not even in an intersection. */
function isEverything(schema: unknown): boolean {
  return schema === true || (isSchema(schema) && Object.keys(schema).length === 0);
}

/** Whether no value matches a schema. */
function isNever(schema: unknown): boolean {
  return schema === false || (isSchema(schema) && isEverything(schema.not));
}

function isNull(schema: unknown): boolean {
  return isSchema(schema) && schema.type === 'null';
}

function entriesOf(value: unknown): [string, unknown][] {
  return isSchema(value) ? Object.entries(value) : [];
}

/** Finds the schema with an ID anywhere in a document. */
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
const WITHOUT_MEMBERS = new Set([
  'bigint',
  'date',
  'literal',
  'nan',
  'symbol',
  'undefined',
  'void',
]);

interface ZodPart {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly path: readonly unknown[];
  readonly message: string;
}

interface ValibotPart {
  readonly valibotSchema: { readonly type: string };
  readonly valibotAction: { readonly type: string };
  readonly jsonSchema: object;
}

/** Options of valibot and arktype, so that they express all that is known about members. */
const CONVERSION = {
  overrideSchema: ({ valibotSchema: { type }, jsonSchema }: ValibotPart): object | undefined => {
    if (type === 'date') return { type: 'string' };
    if (type === 'loose_object') return { ...jsonSchema, additionalProperties: true };
    return type === 'loose_tuple' ? { ...jsonSchema, unevaluatedItems: true } : undefined;
  },
  // Other actions are conditions, or leave text as text.
  overrideAction: ({ valibotAction, jsonSchema }: ValibotPart): object | undefined =>
    isTransform(valibotAction) ? undefined : jsonSchema,
  fallback: {
    date: () => ({ type: 'string' }),
    ...Object.fromEntries(['arrayObject', 'morph', 'proto'].map((code) => [code, refuse])),
  },
};

function isTransform({ type }: { readonly type: string }): boolean {
  return type.includes('transform');
}

function refuse({ code }: { readonly code: string }): never {
  throw new Error(`JSON Schema cannot represent the ${code}`);
}

/**
 * Converts a schema to JSON Schema, with {} in place of what JSON Schema cannot express.
 *
 * @param report - Receives what that is.
 */
function convert(schema: object, report: Report): unknown {
  const toSchema = (options: Record<string, unknown>): object | undefined =>
    toJsonSchema(schema, 'output', 'draft-2020-12', options);
  try {
    const converted = toSchema(CONVERSION);
    if (converted !== undefined) return converted;
    report(`${describeValidator(schema)} does not convert schemas to JSON Schema.`);
    return true;
  } catch (error) {
    let isKnown = false;
    const unrepresentable = ({ zodSchema, path, message }: ZodPart): object | string => {
      isKnown = true;
      if (WITHOUT_MEMBERS.has(zodSchema._zod.def.type)) return { type: 'string' };
      report(`${path.length === 0 ? '' : `at /${path.join('/')}, `}${message}.`);
      return 'any';
    };
    const { overrideSchema } = CONVERSION;
    const overrideAction = ({ valibotAction, jsonSchema }: ValibotPart): object =>
      isTransform(valibotAction) ? {} : jsonSchema;
    try {
      return toSchema({
        overrideSchema,
        overrideAction,
        unrepresentable,
        errorMode: 'ignore',
      });
    } catch {
      return true;
    } finally {
      if (!isKnown) report(`${error instanceof Error ? error.message : String(error)}.`);
    }
  }
}

function describeValidator(schema: object): string {
  const vendor = isStandardSchema(schema) ? schema['~standard'].vendor : '';
  const wrapper = 'toStandardJsonSchema() of @valibot/to-json-schema';
  return vendor === 'valibot' ? `valibot without ${wrapper}` : `the validator '${vendor}'`;
}
