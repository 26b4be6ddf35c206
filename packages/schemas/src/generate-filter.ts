import { isComposite } from './json-values.js';
import type { Reading } from './judge.js';

/**
 * Returns what to keep of an object whose own members are those that the filter was generated for, in that order,
 * and that has no `toJSON()`; undefined for any other object. Returns the object itself if there is nothing to remove.
 */
export type Filter = (value: object, reading: Reading) => object | undefined;

/** Returns what to keep of a member that is no scalar. */
type Keep<Place> = (place: Place, value: object, key: string, reading: Reading) => unknown;

/** Compiles a function; undefined once the runtime has refused to, as Workers do. */
let compile: FunctionConstructor | undefined = Function;

/**
 * Generates a filter. It is faster than a loop over the members, because V8 knows the names of those that it reads and
 * writes.
 *
 * @param names - The members of the objects, in order.
 * @param places - What each may contain; undefined for a member that nothing describes.
 * @returns Undefined for members of which code would make something else, and where the runtime compiles no text.
 */
export function generateFilter<Place extends { readonly any: boolean }>(
  names: readonly string[],
  places: readonly (Place | undefined)[],
  keep: Keep<Place>,
): Filter | undefined {
  // A literal with `__proto__` has another prototype. Raw JSON, which JSON writes as text, has only `rawJSON`.
  if (compile === undefined || names.includes('__proto__') || names.includes('rawJSON'))
    return undefined;
  const described = names.flatMap((name, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ any: place.any, index, key: JSON.stringify(name) }];
  });
  const isWhole = described.length === names.length;
  const body = `return (value, reading) => {
if (typeof value.toJSON === 'function' || value instanceof String) return undefined;
let count = 0;
for (const key in value) {
  if (key !== names[count] || !hasOwn.call(value, key)) return undefined;
  count += 1;
}
if (count !== ${names.length}) return undefined;
let isWhole = ${isWhole};
${described.map(({ any, index, key }) => readMember(any, index, key)).join('\n')}
return isWhole ? value : { ${described.map(({ index, key }) => `${key}: m${index}`).join(', ')} };
};`;
  try {
    const create = compile('names', 'places', 'keep', 'isComposite', 'hasOwn', body);
    const { hasOwnProperty: hasOwn } = Object.prototype;
    return create([...names], [...places], keep, isComposite, hasOwn);
  } catch (error) {
    // The stack may just be full.
    if (!(error instanceof RangeError)) compile = undefined;
    return undefined;
  }
}

/**
 * Returns statements that read a member, and keep of it what is described.
 *
 * @param any - Whether that is all of it.
 */
function readMember(any: boolean, index: number, key: string): string {
  const member = `m${index}`;
  const read = `let ${member} = value[${key}];`;
  if (any) return read;
  return `${read}
if (typeof ${member} !== 'string' && typeof ${member} !== 'number' && isComposite(${member})) {
  const kept = keep(places[${index}], ${member}, ${key}, reading);
  if (kept !== ${member}) { ${member} = kept; isWhole = false; }
}`;
}
