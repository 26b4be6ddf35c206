import { isComposite } from './json-values.js';
import type { Reading } from './judge.js';

/**
 * Returns what to keep of an object whose own members are those that the filter was generated for, in that order,
 * and that has no `toJSON()`; undefined for any other object. Returns the object itself if there is nothing to remove.
 */
export type Filter = (value: object, reading: Reading) => object | undefined;

/** The places of members, and how to keep what they contain. */
interface Keeping<Place> {
  /** What each member may contain, in order; undefined for a member that nothing describes. */
  readonly places: readonly (Place | undefined)[];
  /** Keeps what is no object, or has a choice or `toJSON()`. */
  keep(place: Place, value: object, key: string, reading: Reading): unknown;
  keepElements(shapes: unknown, value: readonly unknown[], reading: Reading): unknown;
  keepMembers(shapes: unknown, value: object, reading: Reading): unknown;
}

/** What a filter must know of a place. */
interface KnownPlace {
  readonly any: boolean;
  readonly choices: readonly unknown[];
}

/** Compiles a function; undefined once the runtime has refused to, as Workers do. */
let compile: FunctionConstructor | undefined = Function;

/**
 * Generates a filter. It is faster than a loop over the members, because V8 knows the names of those that it reads and
 * writes.
 *
 * @param names - The members of the objects, in order.
 * @returns Undefined for members of which code would make something else, and where the runtime compiles no text.
 */
export function generateFilter<Place extends KnownPlace>(
  names: readonly string[],
  keeping: Keeping<Place>,
): Filter | undefined {
  // A literal with `__proto__` has another prototype. Raw JSON, which JSON writes as text, has only `rawJSON`.
  if (compile === undefined || names.includes('__proto__') || names.includes('rawJSON'))
    return undefined;
  const described = names.flatMap((name, index) => {
    const place = keeping.places[index];
    return place === undefined ? [] : [{ place, index, key: JSON.stringify(name) }];
  });
  const isWhole = described.length === names.length;
  const body = `const { places, keep, keepElements, keepMembers } = keeping;
return (value, reading) => {
if (typeof value.toJSON === 'function' || value instanceof String) return undefined;
let count = 0;
for (const key in value) {
  if (key !== names[count] || !hasOwn.call(value, key)) return undefined;
  count += 1;
}
if (count !== ${names.length}) return undefined;
let isWhole = ${isWhole};
${described.map(({ place, index, key }) => readMember(place, index, key)).join('\n')}
return isWhole ? value : { ${described.map(({ index, key }) => `${key}: m${index}`).join(', ')} };
};`;
  try {
    const create = compile('names', 'keeping', 'isComposite', 'hasOwn', body);
    const places = [...keeping.places];
    const { hasOwnProperty: hasOwn } = Object.prototype;
    return create([...names], { ...keeping, places }, isComposite, hasOwn);
  } catch (error) {
    // The stack may just be full.
    if (!(error instanceof RangeError)) compile = undefined;
    return undefined;
  }
}

/** Returns statements that read a member, and keep of it what is described. */
function readMember({ any, choices }: KnownPlace, index: number, key: string): string {
  const [member, place] = [`m${index}`, `places[${index}]`];
  const read = `let ${member} = value[${key}];`;
  if (any) return read;
  const keepAny = `keep(${place}, ${member}, ${key}, reading)`;
  const kept =
    choices.length > 0
      ? keepAny
      : `typeof ${member} !== 'object' || typeof ${member}.toJSON === 'function' ? ${keepAny}
    : Array.isArray(${member}) ? keepElements(${place}.arrays, ${member}, reading)
    : keepMembers(${place}.objects, ${member}, reading)`;
  return `${read}
if (typeof ${member} !== 'string' && typeof ${member} !== 'number' && isComposite(${member})) {
  const kept = ${kept};
  if (kept !== ${member}) { ${member} = kept; isWhole = false; }
}`;
}
