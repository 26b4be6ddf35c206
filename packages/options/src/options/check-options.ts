import { nearestName } from '../messages/nearest-name.js';
import { describeValue, joinWords } from '../messages/words.js';
import { isObject } from '../values.js';
import type { Kinds } from './kinds.js';

/**
 * Finds everything that is wrong with the options of a call. An option that is undefined counts as
 * absent.
 *
 * @param call - The call for the message, such as `json()` or `@Body()`.
 * @param options - What the caller passed; undefined for none.
 * @param kinds - Every option of the call.
 * @returns One sentence for each problem, followed by its fix. Empty when the options are valid.
 */
export function findOptionProblems<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): string[] {
  if (options === undefined) return [];
  if (!isObject(options)) {
    return [`options of ${call} must be an object: got ${describeValue(options)}.`];
  }
  return Object.entries(options).flatMap(([name, value]) => {
    const known = Object.hasOwn(kinds, name) ? kinds[name as keyof Options] : undefined;
    if (known === undefined) return `${call} has no option '${name}'. ${suggest(name, kinds)}`;
    if (value === undefined || known.accepts(value)) return [];
    const parts = known.explain?.(value) ?? [];
    if (parts.length > 0) return parts.map((part) => `${call} cannot use ${part}`);
    return `${name} of ${call} must be ${known.description}: got ${describeValue(value)}.`;
  });
}

/**
 * Names that other libraries use for an option, where the most similar name here belongs to a different
 * option.
 */
const ALIASES: ReadonlyMap<string, string> = new Map([['secret', 'keys']]);

/** Suggests a known name in place of an unknown one. */
export function suggest(name: string, kinds: object): string {
  const names = Object.keys(kinds);
  const alias = names.find((one) => one === ALIASES.get(name));
  const nearest = alias ?? nearestName(name, names);
  if (nearest !== undefined) return `Did you mean '${nearest}'?`;
  return names.length === 0 ? 'Remove it.' : `Remove it, or use ${joinWords(names, 'or')}.`;
}
