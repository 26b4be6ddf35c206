import { pointerKeys } from '@fairlead/options';
import { FITS, isMark } from './marks.js';

/** A JSON Schema that is an object. */
export type Keywords = Readonly<Record<string, unknown>>;

/** The members of an object. */
export type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isKeywords(value: unknown): value is Keywords {
  return isObject(value) && !Array.isArray(value);
}

/** Whether a schema says nothing about values, not even in an intersection. */
export function isEverything(schema: unknown): boolean {
  return schema === true || (isKeywords(schema) && Object.keys(schema).every(isMark));
}

export function isNever(schema: unknown): boolean {
  if (!isKeywords(schema)) return schema === false;
  return 'not' in schema && isEverything(schema.not) && !(FITS in Object(schema.not));
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isKeywords(value) ? Object.entries(value) : [];
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Lists the schemas for the first elements of arrays, and returns that of the others. */
export function elementsOf(schema: Keywords): readonly [first: readonly unknown[], rest: unknown] {
  const { items, prefixItems, additionalItems, unevaluatedItems } = schema;
  // Before draft 2020-12, an array in 'items' described the first elements.
  const [first, rest] = Array.isArray(items) ? [items, additionalItems] : [prefixItems, items];
  return [listOf(first), rest ?? unevaluatedItems];
}

/** Lists the values that a schema accepts by name; undefined for a schema that names none. */
export function constantsOf({ const: constant, enum: values }: Keywords): unknown[] | undefined {
  if (constant !== undefined) return [constant];
  return Array.isArray(values) ? values : undefined;
}

/** Whether values of a schema may have a type. */
export function allows(schema: Keywords, name: string): boolean {
  const { type, nullable } = schema;
  const constants = constantsOf(schema);
  if (constants !== undefined) return constants.some((one) => typeOf(one) === name);
  if (type === undefined || (name === 'null' && nullable === true)) return true;
  const types = [type].flat();
  return types.includes(name) || (name === 'number' && types.includes('integer'));
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const dateToJson = Date.prototype.toJSON;
const { toISOString } = Date.prototype;

/** Whether JSON writes a value as the text of a date, or null. */
export function isPlainDate(value: object): value is Date {
  if (Object.getPrototypeOf(value) !== Date.prototype) return false;
  const date = value as Date;
  return date.toJSON === dateToJson && date.toISOString === toISOString;
}

/** Returns the members that another member needs, or the schema that it brings, by the member. */
export function dependenciesOf(schema: Keywords): {
  readonly names: readonly (readonly [name: string, needed: readonly unknown[]])[];
  readonly schemas: readonly (readonly [name: string, schema: unknown])[];
} {
  // Before draft 2019-09, one keyword had both.
  const both = entriesOf(schema.dependencies);
  const lists = [...entriesOf(schema.dependentRequired), ...both];
  const names = lists.flatMap(([name, one]) => (Array.isArray(one) ? [[name, one] as const] : []));
  const schemas = both.filter(([, one]) => !Array.isArray(one));
  return { names, schemas: [...entriesOf(schema.dependentSchemas), ...schemas] };
}

/** Whether JSON writes an object as text: a `String`, or raw JSON. */
export function isScalar(value: object): boolean {
  const { isRawJSON }: { readonly isRawJSON?: (value: object) => boolean } = JSON as object;
  return value instanceof String || isRawJSON?.(value) === true;
}

/** A JSON Schema with the schemas that its references name. */
export class SchemaDocument {
  readonly #root: unknown;
  readonly #report: (reason: string) => void;

  constructor(root: unknown, report: (reason: string) => void) {
    this.#root = root;
    this.#report = report;
  }

  /** Lists the schemas that all apply to the values of a schema. */
  partsOf(schema: unknown, parts: Keywords[] = []): readonly Keywords[] {
    if (schema === true) parts.push({});
    if (!isKeywords(schema) || parts.includes(schema)) return parts;
    parts.push(schema);
    for (const part of [...this.targetsOf(schema), ...listOf(schema.allOf)])
      this.partsOf(part, parts);
    return parts;
  }

  /** Resolves the references of a schema to places in the document: JSON Pointers or IDs. RFC 6901 §6 */
  targetsOf({ $ref, $dynamicRef, $recursiveRef }: Keywords): readonly unknown[] {
    return [$ref, $dynamicRef, $recursiveRef].flatMap((reference) =>
      typeof reference === 'string' ? [this.#target(reference)] : [],
    );
  }

  #target(reference: string): unknown {
    const [id = '', pointer = ''] = reference.split('#', 2);
    let target = id === '' ? this.#root : findById(this.#root, id);
    for (const name of pointerKeys(pointer)) {
      target =
        isObject(target) && Object.hasOwn(target, name) ? Reflect.get(target, name) : undefined;
    }
    const isFound = target !== undefined && (pointer === '' || pointer.startsWith('/'));
    if (isFound) return target;
    this.#report(`it refers to '${reference}', which it does not contain.`);
    return { [FITS]: 'unknown' };
  }
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
