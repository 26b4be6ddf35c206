import { describeFile, explainOneCopy } from '@fairlead/options';

/** One evaluated copy of this package. Several exist if two versions are installed. */
interface Copy {
  /** The file of the copy, as a URL. */
  readonly url: string | undefined;
  /** Whether a provider is registered for a token in the default container of the copy. */
  provides(token: unknown): boolean;
}

// Global symbols, so that copies recognize each other.
const COPIES = Symbol.for('@fairlead/di:copies');
const COPY = Symbol.for('@fairlead/di:copy');

// Weak, because test runners evaluate modules again and drop the earlier ones.
const shared = globalThis as { [COPIES]?: readonly WeakRef<Copy>[] };

/** Lists the copies that are in use. */
function copies(): Copy[] {
  return (shared[COPIES] ?? []).flatMap((reference) => reference.deref() ?? []);
}

let provides: Copy['provides'] = () => false;
const own: Copy = Object.freeze({
  // Undefined if a bundler has made a script of this module.
  url: import.meta.url as string | undefined,
  provides: (token: unknown) => provides(token),
});
shared[COPIES] = [...copies(), own].map((copy) => new WeakRef(copy));

/** Sets the function that other copies call to find the providers of the default container. */
export function shareDefaultContainer(lookUp: Copy['provides']): void {
  provides = lookUp;
}

/** Marks the instances of classes as those of this copy. */
export function markCopy(...classes: readonly { readonly prototype: object }[]): void {
  for (const { prototype } of classes) Object.defineProperty(prototype, COPY, { value: own });
}

/** Names the files of this copy and of the one that created a value; undefined if that is this copy. */
export function otherCopyOf(value: unknown): string | undefined {
  const isObject = typeof value === 'object' && value !== null;
  const copy = isObject ? (value as { readonly [COPY]?: Copy })[COPY] : undefined;
  return copy === undefined || copy === own ? undefined : describePair(copy);
}

/** Names the files of this copy and of one whose default container provides a token. */
export function otherCopyProviding(token: unknown): string | undefined {
  const copy = copies().find((each) => each !== own && each.provides(token));
  return copy && describePair(copy);
}

function describePair(other: Copy): string {
  const files = [own, other].map(({ url }) => (url === undefined ? 'a bundle' : describeFile(url)));
  return files.join(' and ');
}

/** How to end up with one copy. */
export const INSTALL_ONE_COPY = explainOneCopy('@fairlead/di');
