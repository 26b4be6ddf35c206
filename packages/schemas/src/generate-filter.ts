import { isComposite } from './json-values.js';
import type { Reading } from './judge.js';

/**
 * Returns what to keep of an object that has exactly the members that the filter was generated for; undefined for
 * any other object. Returns the object itself if there is nothing to remove.
 */
export type Filter = (value: object, reading: Reading) => object | undefined;

/** Returns what to keep of a member that is no scalar. */
type KeepMember<Place> = (place: Place, value: object, key: string, reading: Reading) => unknown;

/** Undefined where the runtime does not generate code, as on Workers. */
let generate: FunctionConstructor | undefined = Function;

/**
 * Generates a filter, which is faster than a loop over the members, because V8 knows what it reads and builds.
 *
 * @param names - The members of an object, in order.
 * @param places - What each may contain; undefined for a member that nothing describes.
 * @returns Undefined for members that an object literal would change, and where the runtime does not generate code.
 */
export function generateFilter<Place extends { readonly any: boolean }>(
  names: readonly string[],
  places: readonly (Place | undefined)[],
  keep: KeepMember<Place>,
): Filter | undefined {
  // Those of an array, and of a string as an object. A literal sets the prototype instead of the other one.
  if (names.some((name) => /^\d+$/.test(name) || name === '__proto__')) return undefined;
  const described = names.flatMap((name, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ index, key: JSON.stringify(name), isWhole: place.any }];
  });
  const lines = described.map(({ index, key, isWhole }) => {
    const one = `m${index}`;
    const read = `let ${one} = value[${key}];`;
    if (isWhole) return read;
    return `${read}
if (typeof ${one} !== 'string' && typeof ${one} !== 'number' && isComposite(${one})) {
  const kept = keep(places[${index}], ${one}, ${key}, reading);
  if (kept !== ${one}) { ${one} = kept; isWhole = false; }
}`;
  });
  const literal = described.map(({ index, key }) => `${key}: m${index}`).join(', ');
  const body = `return (value, reading) => {
if (typeof value.toJSON === 'function') return undefined;
let count = 0;
for (const key in value) {
  if (key !== names[count] || !hasOwn.call(value, key)) return undefined;
  count += 1;
}
if (count !== ${names.length}) return undefined;
let isWhole = ${described.length === names.length};
${lines.join('\n')}
return isWhole ? value : { ${literal} };
};`;
  try {
    const create = generate?.('names', 'places', 'keep', 'isComposite', 'hasOwn', body);
    return create?.([...names], [...places], keep, isComposite, Object.prototype.hasOwnProperty);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    generate = undefined;
    return undefined;
  }
}
