import { describeValue, joinWords } from '../messages/words.js';
import { isObject } from '../values.js';

/** What an option accepts. */
export interface Kind {
  /** Whether the option accepts a value other than undefined. */
  readonly accepts: (value: unknown) => boolean;
  /** Completes the sentence "name must be …". */
  readonly description: string;
  /** Lists the parts that are wrong; none if the whole value is. Each text follows "cannot use". */
  readonly explain?: (value: unknown) => readonly string[];
}

/** The kind of each option of a call, by name. */
export type Kinds<Options> = { readonly [Name in keyof Required<Options>]: Kind };

/** Creates a kind. */
export function kind(description: string, accepts: (value: unknown) => boolean): Kind {
  return Object.freeze({ accepts, description });
}

/** Longest delay of a timer, in milliseconds. With a longer one, it fires immediately. */
export const LONGEST_DELAY = 2 ** 31 - 1;

/** Accepts every value: for options that the caller checks. */
export const anything = kind('any value', () => true);
/** Accepts true and false. */
export const boolean = kind('true or false', (value) => typeof value === 'boolean');
/** Accepts functions. Classes are functions, too. */
export const fn = kind('a function', (value) => typeof value === 'function');
/** Accepts objects that are neither arrays nor functions. */
export const object = kind('an object', isObject);
/** Accepts every string. */
export const string = kind('a string', (value) => typeof value === 'string');
/** Accepts strings with at least one character. */
export const nonEmptyString = kind(
  'a non-empty string',
  (value) => typeof value === 'string' && value !== '',
);
/** Accepts delays of timers. */
export const milliseconds = integer(0, LONGEST_DELAY, 'number of milliseconds');
/** Accepts delays of timers, except 0. */
export const positiveMilliseconds = integer(1, LONGEST_DELAY, 'number of milliseconds');

/** Accepts objects with these methods, and functions with them, such as loggers that can be called. */
export function hasMethods(...names: readonly string[]) {
  return (value: unknown): boolean => names.every((name) => fn.accepts(Object(value)[name]));
}

/**
 * Accepts integers.
 *
 * @param min - Smallest accepted value.
 * @param max - Largest accepted value. Default: the largest safe integer.
 * @param unit - Follows the word integer, such as `number of bytes`.
 */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER, unit = ''): Kind {
  const noun = `integer ${unit}`.trimEnd();
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const description =
    min === 0 && max === Number.MAX_SAFE_INTEGER ? `a non-negative ${noun}` : `an ${noun} ${range}`;
  return kind(
    description,
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  );
}

/** Accepts the given values only. */
export function oneOf(...values: readonly (string | number | boolean)[]): Kind {
  return kind(joinWords(values.map(describeValue), 'or'), (value) =>
    values.some((one) => one === value),
  );
}

/** Accepts arrays whose elements are all of one kind, with a description such as `an array of strings`. */
export function arrayOf(element: Kind, description: string): Kind {
  return kind(description, (value) => Array.isArray(value) && value.every(element.accepts));
}

/** Accepts what any of the kinds accepts. */
export function either(...kinds: readonly Kind[]): Kind {
  const descriptions = kinds.map(({ description }) => description);
  return kind(joinWords(descriptions, 'or'), (value) =>
    kinds.some(({ accepts }) => accepts(value)),
  );
}

/** Accepts why everyone may call a route. */
export const publicReason = kind(
  "a text that says why everyone may call it, such as 'The shop shows its prices to everyone.'",
  (value) => typeof value === 'string' && value.trim() !== '',
);
