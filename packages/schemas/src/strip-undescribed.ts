import { type Converted, convert, type Report } from './convert.js';
import { Fit } from './fit.js';
import { type Filter, generateFilter } from './generate-filter.js';
import { isComposite, isWritten } from './json-values.js';
import { type Judge, Judges, Reading } from './judge.js';
import {
  allows,
  constantsOf,
  dependenciesOf,
  elementsOf,
  entriesOf,
  isEverything,
  isNever,
  isObject,
  isPlainDate,
  isScalar,
  type Keywords,
  listOf,
  type Members,
  SchemaDocument,
} from './keywords.js';
import { ABSENT, FITS } from './marks.js';

/** Returns a value as JSON writes it, without what a schema does not describe. */
export type KeepDescribed = (value: unknown) => unknown;

export interface DescribedSchema {
  /**
   * Removes the rest; undefined if the schema describes everything. Returns the value itself if there is nothing
   * to remove.
   */
  readonly keep: KeepDescribed | undefined;
  /** Whether the value determines what the schema describes, as for a union. */
  readonly hasBranches: boolean;
  /** Why parts of the schema are unknown. What is there is kept. */
  readonly unknown: readonly string[];
  /** The path of a required bigint, which JSON cannot write; `''` for the whole value. */
  readonly bigint: string | undefined;
}

type Kind = 'objects' | 'arrays';

/** What a schema describes at one place of a value. */
interface Place {
  readonly id: number;
  /** Whether it describes everything. */
  readonly any: boolean;
  readonly objects: Shape[];
  readonly arrays: Shape[];
  /** Each adds what its branch for the value describes. */
  readonly choices: Choice[];
  /** The places that have this in common; undefined for other places. */
  readonly common?: readonly Place[];
}

/** Branches of which one is for a value, by the kind of the value. */
interface Choice {
  readonly objects: readonly Branch[];
  readonly arrays: readonly Branch[];
  /** Whether a value that fits several branches fits none. */
  readonly isExclusive: boolean;
}

interface Branch {
  readonly judge: Judge;
  /** Whether an object may fit, as {@link Judges.mayFit} tells. */
  readonly mayFit: (value: Members, reading: Reading) => boolean;
  readonly place: Place;
}

/** The members of an object, or the elements of an array, that a schema describes. */
interface Shape {
  /** By name or index. Undefined for a member that is never there. */
  readonly members: ReadonlyMap<string, Place | undefined>;
  readonly patterns: readonly (readonly [RegExp, Place | undefined])[];
  /** Describes other members; undefined if nothing does. */
  readonly rest: Place | undefined;
  /** Whether members that it does not list may have a name; undefined if they may have any. */
  readonly allowsName?: ((name: string, reading: Reading) => boolean) | undefined;
  /** Describes only what each of these describes, instead of the above. */
  readonly common?: readonly (readonly Shape[])[];
  /** The members of the last object that no filter was for, in order. The next object probably has the same. */
  readonly names: string[];
  readonly places: (Place | undefined)[];
  /** How many objects in a row had these, since the last filter. */
  repeated: number;
  /** For members that several objects in a row had. */
  readonly filters: Filter[];
}

/**
 * Compiles a schema to a function that removes what the schema does not describe. It validates nothing.
 *
 * - `properties` without `additionalProperties` describes no other members, and likewise for elements.
 * - A union describes what its first branch describes that the value fits. If JSON Schema cannot decide that, or no
 *   branch fits, it describes what is common to the branches in question.
 */
export function compileDescribed(schema: object): DescribedSchema {
  const unknown: string[] = [];
  const report = (reason: string) => void unknown.push(reason);
  const converted = convert(schema, report);
  const { root, hasBranches } = new Compiler(converted, report);
  const keepRoot: KeepDescribed = (value) =>
    isComposite(value) ? keep(root, value, '', new Reading()) : value;
  const bigint = findBigint(converted.schema);
  return { keep: root.any ? undefined : keepRoot, hasBranches, unknown, bigint };
}

/** Returns the path of a bigint that every value of a converted schema has. */
function findBigint(schema: unknown, path: readonly string[] = []): string | undefined {
  const parts: { readonly [keyword: string]: unknown } = { ...Object(schema) };
  if (parts[FITS] === 'bigint') return path.join('.');
  const members: { readonly [name: string]: unknown } = { ...Object(parts.properties) };
  const required: readonly unknown[] = Array.isArray(parts.required) ? parts.required : [];
  for (const [name, member] of Object.entries(members)) {
    if (!required.includes(name) || ABSENT in Object(member)) continue;
    const found = findBigint(member, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
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
function keep(place: Place, value: object, key: string | number, reading: Reading): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON !== 'function')
    return isObject(value) ? keepParts(place, value, reading) : value;
  if (isPlainDate(value)) return value;
  // JSON must not call it again, because it may return something else then.
  const json = reading.take(value, key);
  // JSON does not write the function that it returns, whatever this has.
  if (!isObject(json)) return typeof json === 'function' ? undefined : json;
  const kept = keepParts(place, json, reading);
  return 'toJSON' in kept ? { ...kept, toJSON: undefined } : kept;
}

function keepParts(place: Place, value: object, reading: Reading): object {
  // Most schemas have no unions.
  const isPlain = place.choices.length === 0;
  if (Array.isArray(value)) {
    const shapes = isPlain ? place.arrays : shapesOf(place, value, 'arrays', reading);
    return keepElements(shapes, value, reading);
  }
  const shapes = isPlain ? place.objects : shapesOf(place, value, 'objects', reading);
  return keepMembers(shapes, value, reading);
}

/** Returns the shapes that describe a value. */
function shapesOf(place: Place, value: object, kind: Kind, reading: Reading): readonly Shape[] {
  const { choices } = place;
  const always = kind === 'arrays' ? place.arrays : place.objects;
  const [choice] = choices;
  if (choice === undefined) return always;
  if (choices.length === 1 && always.length === 0) return choose(choice, value, kind, reading);
  return [...always, ...choices.flatMap((one) => choose(one, value, kind, reading))];
}

/** Returns the shapes of the branch for a value, or what is common to the branches that it may be. */
function choose(choice: Choice, value: object, kind: Kind, reading: Reading): readonly Shape[] {
  const { isExclusive } = choice;
  const branches = kind === 'arrays' ? choice.arrays : choice.objects;
  const [first] = branches;
  if (first === undefined) return [];
  if (branches.length === 1) return shapesOf(first.place, value, kind, reading);
  const only = kind === 'objects' ? onlyPossible(branches, value as Members, reading) : undefined;
  if (only !== undefined) return shapesOf(only.place, value, kind, reading);
  const found = bestOf(branches, isExclusive, value, reading);
  const [best] = found;
  if (best !== undefined && found.length === 1) return shapesOf(best.place, value, kind, reading);
  return [inCommon(found.map(({ place }) => shapesOf(place, value, kind, reading)))];
}

/** Returns the only branch whose required members and constants an object has. The rest need not be judged then. */
function onlyPossible(
  branches: readonly Branch[],
  value: Members,
  reading: Reading,
): Branch | undefined {
  let found: Branch | undefined;
  for (const branch of branches) {
    if (!branch.mayFit(value, reading)) continue;
    if (found !== undefined) return undefined;
    found = branch;
  }
  return found;
}

/** Returns the branch for a value, or those that it may be. */
function bestOf(
  branches: readonly Branch[],
  isExclusive: boolean,
  value: object,
  reading: Reading,
): readonly Branch[] {
  // Most values fit a branch. How badly they fit the others then need not be known.
  for (const floor of [Fit.withoutOthers, Fit.otherConstant]) {
    reading.floor = floor;
    let [found, best]: [Branch[], number] = [[], -1];
    for (const branch of branches) {
      const fit = branch.judge(value, reading);
      const isBetter = fit > best && best < Fit.maybe;
      if (isBetter) [found, best] = [[branch], fit];
      // Without the other members, the value fits the first branch.
      else if (fit >= Fit.maybe || (fit === best && fit < Fit.withoutOthers)) found.push(branch);
      if (fit === Fit.yes && !isExclusive) break;
    }
    if (best >= Fit.maybe || floor === Fit.otherConstant) return found;
  }
  return branches;
}

function createShape(
  described: Pick<Shape, 'members' | 'patterns' | 'rest' | 'allowsName' | 'common'>,
): Shape {
  return { ...described, names: [], places: [], repeated: 0, filters: [] };
}

/** Creates a shape that describes what all of several lists of shapes describe. */
function inCommon(common: readonly (readonly Shape[])[]): Shape {
  return createShape({ members: new Map(), patterns: [], rest: undefined, common });
}

function keepElements(
  shapes: readonly Shape[],
  value: readonly unknown[],
  reading: Reading,
): object {
  const only = shapes.length === 1 ? shapes[0] : undefined;
  const rest = only?.members.size === 0 ? only.rest : undefined;
  // Those of elements, most of which are objects without toJSON().
  const isPlain = rest?.choices.length === 0 && rest.objects.length === 1;
  const filters = isPlain ? rest.objects[0]?.filters : undefined;
  let kept: unknown[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const element = value[index];
    const place = rest ?? memberOf(shapes, String(index), element, reading);
    if (place === undefined) return kept ?? value.slice(0, index);
    const isWhole = !isComposite(element) || place.any;
    const found = isWhole
      ? element
      : (applyFilters(filters, element, reading) ?? keep(place, element, index, reading));
    // NaN differs from itself.
    if (!isWhole && found !== element) kept ??= value.slice(0, index);
    kept?.push(found);
  }
  return kept ?? value;
}

/** V8 knows the result for the key of a loop, unlike that of `Object.hasOwn`. */
const { hasOwnProperty: hasOwn } = Object.prototype;

/** How many members of the last object a shape remembers. */
const MAX_NAMES = 64;

function keepMembers(shapes: readonly Shape[], object: object, reading: Reading): object {
  const value = object as Members;
  const only = shapes.length === 1 ? shapes[0] : undefined;
  const filtered = applyFilters(only?.filters, value, reading);
  if (filtered !== undefined) return filtered;
  let kept: Record<string, unknown> | undefined;
  let position = -1;
  // This loop is the fastest way to read members. It visits inherited ones last.
  for (const key in value) {
    const member = value[key];
    position += 1;
    const isKnown = only?.names[position] === key;
    const place = isKnown ? only.places[position] : memberOf(shapes, key, member, reading);
    if (only !== undefined && !isKnown && position < MAX_NAMES) {
      only.names[position] = key;
      only.places[position] = place;
      only.repeated = 0;
    }
    if (place === undefined) {
      if (!isWritten(member) || !hasOwn.call(value, key)) continue;
      if (isScalar(value)) return value;
      kept ??= copyBefore(key, value);
      continue;
    }
    // Copies only if there is something to remove. NaN differs from itself.
    const isWhole = !isComposite(member) || place.any;
    if (isWhole && kept === undefined) continue;
    const found = isWhole ? member : keep(place, member, key, reading);
    if ((found === member && kept === undefined) || !hasOwn.call(value, key)) continue;
    kept ??= copyBefore(key, value);
    put(kept, key, found);
  }
  if (only !== undefined) learn(only, value, position + 1);
  return kept ?? value;
}

/** How many objects in a row must have the same members before a filter is generated for them. */
const REPEATED = 8;

/** The maximum number of filters of a shape. */
const MAX_FILTERS = 4;

/** The maximum length of all names of a filter. */
const MAX_NAMES_LENGTH = 4_096;

/**
 * Generates a filter if enough objects in a row had the same members.
 *
 * @param count - How many members the object has.
 */
function learn(shape: Shape, value: Members, count: number): void {
  const { names, places, filters } = shape;
  if (names.length > count) {
    names.length = count;
    places.length = count;
    shape.repeated = 0;
  }
  if (names.length < count || filters.length === MAX_FILTERS) return;
  shape.repeated += 1;
  if (shape.repeated < REPEATED) return;
  shape.repeated = 0;
  if (!isLearnable(shape, value)) return;
  const generated = generateFilter(names, places, keep);
  if (generated !== undefined) filters.push(generated);
}

/** Whether a filter for the members that a shape remembers would be for an object, and no client can choose them. */
function isLearnable({ names, places, members }: Shape, value: Members): boolean {
  // Objects inside of this one may have had the same shape, and other members.
  const own = Object.keys(value);
  const isExact = own.length === names.length && own.every((name, index) => name === names[index]);
  // Others are keys of records.
  const isListed = names.every((name, index) => places[index] === undefined || members.has(name));
  const isShort = names.join('').length <= MAX_NAMES_LENGTH;
  return isExact && isListed && isShort && typeof value.toJSON !== 'function';
}

/** Returns what to keep of an object; undefined if no filter is for its members, and for arrays and functions. */
function applyFilters(
  filters: readonly Filter[] | undefined,
  value: object,
  reading: Reading,
): object | undefined {
  if (filters === undefined || typeof value !== 'object' || Array.isArray(value)) return undefined;
  for (let index = 0; index < filters.length; index += 1) {
    const kept = filters[index]?.(value, reading);
    if (kept !== undefined) return kept;
  }
  return undefined;
}

/** Returns what a member or an element may contain; undefined if no shape describes it. */
function memberOf(
  shapes: readonly Shape[],
  key: string,
  member: unknown,
  reading: Reading,
): Place | undefined {
  const [first] = shapes;
  const place = first && memberOfShape(first, key, reading);
  if (shapes.length < 2 || (place !== undefined && !isComposite(member))) return place;
  return describedBy(shapes, key, reading);
}

function describedBy(shapes: readonly Shape[], key: string, reading: Reading): Place | undefined {
  return join(
    shapes.map((shape) => memberOfShape(shape, key, reading)),
    reading,
  );
}

function memberOfShape(
  { members, patterns, rest, allowsName, common }: Shape,
  key: string,
  reading: Reading,
): Place | undefined {
  if (common !== undefined) {
    const places = common.map((shapes) => describedBy(shapes, key, reading));
    return meet(places, reading);
  }
  if (members.has(key)) return members.get(key);
  if (allowsName?.(key, reading) === false) return undefined;
  const matching = patterns.filter(([pattern]) => pattern.test(key));
  if (matching.length === 0) return rest;
  return join(
    matching.map(([, place]) => place),
    reading,
  );
}

/** Combines what several shapes describe at one place. */
function join(places: readonly (Place | undefined)[], reading: Reading): Place | undefined {
  const found = [...new Set(places)].filter((place) => place !== undefined);
  if (found.length < 2) return found[0];
  const combine = (): Place => ({
    id: nextId(),
    any: found.some(({ any }) => any),
    objects: [...new Set(found.flatMap(({ objects }) => objects))],
    arrays: [...new Set(found.flatMap(({ arrays }) => arrays))],
    choices: [...new Set(found.flatMap(({ choices }) => choices))],
  });
  const hasChoices = found.some(({ choices }) => choices.length > 0);
  return hasChoices ? reading.once(`any of ${idsOf(found)}`, combine) : combine();
}

/** Returns what all places have in common. */
function meet(places: readonly (Place | undefined)[], reading: Reading): Place | undefined {
  const described = places.filter((place) => place !== undefined);
  if (described.length < places.length) return undefined;
  const parts = described.flatMap((place) => place.common ?? place);
  const found = [...new Set(parts)].filter(({ any }) => !any);
  if (found.length < 2) return found[0] ?? ANY;
  // Otherwise, the places below could double with each level of a value.
  return reading.once(`all of ${idsOf(found)}`, () => {
    const [judge, mayFit] = [() => Fit.no, () => true];
    const branches = found.map((place): Branch => ({ judge, mayFit, place }));
    const choice: Choice = { objects: branches, arrays: branches, isExclusive: false };
    return { ...emptyPlace(), choices: [choice], common: found };
  });
}

function idsOf(places: readonly Place[]): string {
  return places.map(({ id }) => id).join();
}

let lastId = 0;

function nextId(): number {
  lastId += 1;
  return lastId;
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

const KEYWORDS = {
  object: ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  array: ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
} as const;

const ANY: Place = Object.freeze({
  id: 0,
  any: true,
  objects: [],
  arrays: [],
  choices: [],
});

class Compiler {
  readonly root: Place;
  hasBranches = false;
  readonly #document: SchemaDocument;
  readonly #judges: Judges;
  readonly #isExclusive: boolean;
  readonly #report: Report;
  readonly #places = new Map<unknown, Place>();

  constructor({ schema, dialect }: Converted, report: Report) {
    this.#document = new SchemaDocument(schema, report);
    this.#judges = new Judges(this.#document, dialect);
    this.#isExclusive = dialect.isExclusive;
    this.#report = report;
    this.root = this.#place(schema) ?? emptyPlace();
  }

  /** Returns what a schema describes; undefined if it allows no value. */
  #place(schema: unknown): Place | undefined {
    if (schema === undefined || isNever(schema)) return undefined;
    if (isEverything(schema)) return ANY;
    const present = this.#places.get(schema);
    if (present !== undefined) return present;
    const place = emptyPlace();
    this.#places.set(schema, place);
    this.#expand(schema, [], place);
    return place;
  }

  /**
   * Adds the shapes of a schema to those of a place.
   *
   * @param outer - The schemas that contain the union of which this is a branch.
   */
  #expand(schema: unknown, outer: readonly Keywords[], place: Place): void {
    const parts = this.#document.partsOf(schema);
    // A branch that refers to its own union adds nothing.
    if (parts.length > 0 && parts.every((part) => outer.includes(part))) return;
    const all = [...outer, ...parts];
    const unions = parts.flatMap((part) => [
      ...[part.anyOf, part.oneOf].filter(Array.isArray),
      ...(listOf(constantsOf(part)).some(isObject) ? [part] : []),
    ]);
    for (const [type, shapes] of [
      ['object', place.objects],
      ['array', place.arrays],
    ] as const) {
      const closed = parts.filter((part) => says(part, type));
      const described = type === 'array' ? closed.map(elementsAsMembers) : closed;
      for (const part of described) shapes.push(this.#shape(part));
      // A schema without such keywords describes everything that its type allows.
      const isOpen =
        unions.length === 0 && all.every((part) => allows(part, type) && !says(part, type));
      if (isOpen || parts.some(isEverything))
        shapes.push(this.#shape({ additionalProperties: true }));
    }
    for (const part of parts) {
      for (const [union, isExclusive] of [
        [part.anyOf, false],
        [part.oneOf, this.#isExclusive],
      ] as const) {
        const branches = listOf(union).filter((branch) => !isNever(branch));
        this.#choose(
          branches.map((branch) => [branch, [branch]]),
          all,
          place,
          isExclusive,
        );
      }
      const constants = listOf(constantsOf(part)).filter(isObject);
      this.#choose(
        constants.map((one) => [{ const: one }, [describeConstant(one)]]),
        all,
        place,
      );
      const { if: condition, then, else: otherwise } = part;
      if (condition !== undefined) {
        this.#choose(
          [
            [condition, [condition, then]],
            [undefined, [otherwise]],
          ],
          all,
          place,
        );
      }
      for (const [name, dependent] of dependenciesOf(part).schemas) {
        this.#choose(
          [
            [{ type: 'object', required: [name] }, [dependent]],
            [undefined, []],
          ],
          all,
          place,
        );
      }
    }
  }

  /**
   * Adds a choice between branches, each of one or several schemas, to a place.
   *
   * @param branches - The schema of the values of a branch, undefined for all others, and what it describes.
   */
  #choose(
    branches: readonly (readonly [values: unknown, schemas: readonly unknown[]])[],
    outer: readonly Keywords[],
    place: Place,
    isExclusive = false,
  ): void {
    const ofType = (type: string) => (schemas: readonly unknown[]) =>
      schemas.every((one) => this.#document.partsOf(one).every((part) => allows(part, type)));
    const [isOfObject, isOfArray] = [ofType('object'), ofType('array')];
    const expand = (schemas: readonly unknown[], target: Place): void => {
      for (const schema of schemas) {
        // Beside others, a condition without keywords describes nothing.
        if (schema !== undefined && !(schemas.length > 1 && isEverything(schema)))
          this.#expand(schema, outer, target);
      }
    };
    // The others have no members.
    const relevant = branches.filter(([, schemas]) => isOfObject(schemas) || isOfArray(schemas));
    const [only] = relevant;
    if (only !== undefined && relevant.length === 1) {
      expand(only[1], place);
      return;
    }
    const compiled = relevant.map(([values, schemas]) => {
      const own = emptyPlace();
      expand(schemas, own);
      const judge = values === undefined ? always : this.#judges.of(values);
      return { judge, mayFit: this.#judges.mayFit(values), place: own, schemas };
    });
    const allowing = (accepts: (schemas: readonly unknown[]) => boolean) =>
      compiled.filter(({ schemas }) => accepts(schemas));
    const describes = ({ place: { objects, arrays, choices } }: Branch) =>
      objects.length > 0 || arrays.length > 0 || choices.length > 0;
    if (!compiled.some(describes)) return;
    place.choices.push({ objects: allowing(isOfObject), arrays: allowing(isOfArray), isExclusive });
    this.hasBranches = true;
  }

  #shape(schema: Keywords): Shape {
    const rest = this.#place(schema.additionalProperties ?? schema.unevaluatedProperties);
    const { propertyNames } = schema;
    const names = constantsOf(Object(propertyNames)) ?? [];
    const known = names.map((name) => [String(name), rest] as const);
    const members = entriesOf(schema.properties).map(
      ([name, member]) => [name, this.#place(member)] as const,
    );
    const patterns = entriesOf(schema.patternProperties).map(
      ([pattern, member]) => [this.#pattern(pattern), this.#place(member)] as const,
    );
    const others = known.length > 0 ? undefined : rest;
    const all = new Map([...known, ...members]);
    const allowsName = known.length > 0 ? undefined : this.#nameRule(propertyNames);
    return createShape({ members: all, patterns, rest: others, allowsName });
  }

  /** Returns the function that tells whether a schema allows a name; undefined if it allows all. */
  #nameRule(schema: unknown): Shape['allowsName'] {
    const { type: _, ...rules }: Keywords = Object(schema);
    if (schema !== false && Object.keys(rules).length === 0) return undefined;
    const judge = this.#judges.of(schema);
    return (name, reading) => judge(name, reading) >= Fit.maybe;
  }

  #pattern(source: string): RegExp {
    try {
      return new RegExp(source, 'u');
    } catch {
      this.#report(`'${source}' is not a regular expression.`);
      return /(?:)/;
    }
  }
}

function emptyPlace(): Place {
  return { id: nextId(), any: false, objects: [], arrays: [], choices: [] };
}

const always: Judge = () => Fit.yes;

/** Describes the elements of arrays as members, whose names are indexes. */
function elementsAsMembers(schema: Keywords): Keywords {
  const [first, rest] = elementsOf(schema);
  return { properties: { ...first }, additionalProperties: rest };
}

/** Describes the members of a constant, and nothing else. */
function describeConstant(value: unknown): Keywords {
  const describe = (members: object) =>
    Object.fromEntries(
      entriesOf({ ...members }).map(([name, one]) => [name, describeConstant(one)]),
    );
  if (Array.isArray(value)) return { type: 'array', prefixItems: value.map(describeConstant) };
  return isObject(value)
    ? { type: 'object', properties: describe(value) }
    : { type: ['string', 'number', 'boolean', 'null'] };
}

function says(schema: Keywords, type: 'object' | 'array'): boolean {
  return KEYWORDS[type].some((keyword) => keyword in schema);
}
