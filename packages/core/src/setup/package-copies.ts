import { describeFile, explainOneCopy } from '@fairlead/options';

/** One evaluated copy of this package. Several exist if two versions are installed. */
interface Copy {
  /** The file of the copy, as a URL. */
  readonly url: string | undefined;
}

// A global symbol, so that copies recognize each other.
const COPY = Symbol.for('@fairlead/core:copy');

// Undefined if a bundler has made a script of this module.
const own: Copy = Object.freeze({ url: import.meta.url as string | undefined });

/** Marks a prototype or a function that only works with objects of this copy. */
export function markCopy<Value extends object>(value: Value): Value {
  return Object.defineProperty(value, COPY, { value: own });
}

/**
 * Explains that a value belongs to another copy, and how to end up with one.
 *
 * @returns Undefined for values of this copy, and for those that {@link markCopy} has not marked.
 */
export function explainOtherCopy(value: unknown): string | undefined {
  const copy = (Object(value) as { readonly [COPY]?: Copy })[COPY];
  if (copy === undefined || copy === own) return undefined;
  const files = [own, copy].map(({ url }) => (url === undefined ? 'a bundle' : describeFile(url)));
  return `It belongs to another copy of @fairlead/core. The copies are ${files.join(' and ')}. To fix it, ${explainOneCopy('@fairlead/core')}`;
}
