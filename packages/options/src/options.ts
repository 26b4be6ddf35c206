import { nearestName } from './nearest-name.js';

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

/**
 * Names a function for messages and lists of routes.
 *
 * A function expression that has the name of a function around it gets another one when the package is bundled.
 */
export function named<Target extends (...args: never[]) => unknown>(
  name: string,
  target: Target,
): Target {
  return Object.defineProperty(target, 'name', { value: name });
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

/** Accepts objects with these methods. */
export function hasMethods(...names: readonly string[]) {
  return (value: unknown): boolean =>
    isObject(value) && names.every((name) => fn.accepts(Reflect.get(value, name)));
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
  return kind(listOf(values.map(describeValue)), (value) => values.some((one) => one === value));
}

/** Accepts arrays whose elements are all of one kind, with a description such as `an array of strings`. */
export function arrayOf(element: Kind, description: string): Kind {
  return kind(description, (value) => Array.isArray(value) && value.every(element.accepts));
}

/** Accepts what any of the kinds accepts. */
export function either(...kinds: readonly Kind[]): Kind {
  const descriptions = kinds.map(({ description }) => description);
  return kind(listOf(descriptions), (value) => kinds.some(({ accepts }) => accepts(value)));
}

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

export function suggest(name: string, kinds: object): string {
  const names = Object.keys(kinds);
  const alias = names.find((one) => one === ALIASES.get(name));
  const nearest = alias ?? nearestName(name, names);
  if (nearest !== undefined) return `Did you mean '${nearest}'?`;
  return names.length === 0 ? 'Remove it.' : `Remove it, or use ${listOf(names)}.`;
}

/** The smallest secret, in bytes: the output length of SHA-256. RFC 2104 §3 */
const MIN_SECRET_BYTES = 32;

/**
 * Finds what is wrong with the option `keys`, an array of secrets, without showing the secrets.
 *
 * @param call - The call that received them, for the messages.
 */
export function findSecretProblems(call: string, keys: unknown): readonly string[] {
  if (!Array.isArray(keys) || keys.length === 0) {
    return [`${call} needs at least one key. Pass an array of secrets as keys.`];
  }
  return keys.flatMap((key: unknown, index) => {
    if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
      return `${call} cannot use a value of type ${typeof key} as keys[${index}]. Use a string or bytes.`;
    }
    const size = Buffer.byteLength(key);
    return size < MIN_SECRET_BYTES
      ? `${call} cannot use a key of ${size} bytes as keys[${index}]. Use at least ${MIN_SECRET_BYTES}, for example from randomBytes(32).`
      : [];
  });
}

/** Longest text that a message quotes, in characters. */
const LONGEST_QUOTE = 60;

/** Describes a value in a message: `'1mb'`, `the class UserDto`, `an array`. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > LONGEST_QUOTE ? `'${value.slice(0, LONGEST_QUOTE)}…'` : `'${value}'`;
  }
  if (typeof value === 'function') return describeFunction(value);
  if (Array.isArray(value)) return describeArray(value);
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' ? `${value}n` : String(value);
  }
  const name = classNameOf(value);
  return name === undefined || name === 'Object' ? 'an object' : `an instance of ${name}`;
}

function describeArray(values: readonly unknown[]): string {
  const isNested = values.some((value) => typeof value === 'object' && value !== null);
  const text = isNested ? '' : `[${values.map(describeValue).join(', ')}]`;
  return text === '' || text.length > LONGEST_QUOTE ? 'an array' : text;
}

function describeFunction(value: object): string {
  const noun = isClass(value) ? 'class' : 'function';
  const name = Reflect.get(value, 'name');
  return typeof name === 'string' && name !== '' ? `the ${noun} ${name}` : `a ${noun}`;
}

/** Whether a value is a class. Only a class, or a frozen function, has a read-only `prototype`. */
export function isClass(value: unknown): value is abstract new (...args: never[]) => object {
  if (typeof value !== 'function') return false;
  if (Object.getOwnPropertyDescriptor(value, 'prototype')?.writable !== false) return false;
  return !Object.isFrozen(value) || /^class\b/.test(Function.prototype.toString.call(value));
}

function classNameOf(value: object): string | undefined {
  const prototype: { readonly constructor?: unknown } | null = Object.getPrototypeOf(value);
  const type = prototype?.constructor;
  if (typeof type !== 'function') return undefined;
  // A class can have any value as a static member `name`.
  const { name }: { readonly name: unknown } = type;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Whether a value is an object literal, of this or another realm, or has no prototype. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Joins alternatives: `a, b or c`. */
function listOf(alternatives: readonly string[]): string {
  const last = alternatives.at(-1) ?? '';
  const others = alternatives.slice(0, -1);
  return others.length === 0 ? last : `${others.join(', ')} or ${last}`;
}

/** Numbers messages below a title, for an error that reports several problems. */
export function numberMessages(title: string, messages: readonly string[]): string {
  const width = String(messages.length).length;
  const texts = messages.map((message, index) => {
    const number = `  ${String(index + 1).padStart(width)}. `;
    return `${number}${message.replaceAll('\n', `\n${' '.repeat(number.length)}`)}`;
  });
  return [title, ...texts].join('\n\n');
}

/** Explains how to end up with one copy of a package. Starts in lower case. */
export function installOneCopy(name: string): string {
  return `install one version of ${name}. \`npm ls ${name}\` shows which packages need which version, and \`npm dedupe\` removes unnecessary copies.`;
}

/** Makes properties of an error invisible to `console.log` and to reports of uncaught errors. */
export function hideProperties(error: Error, ...names: readonly string[]): void {
  for (const name of names) {
    if (Object.hasOwn(error, name)) Object.defineProperty(error, name, { enumerable: false });
  }
}

/** Sets an entry of a map. If it then has more than `limit` entries, deletes the oldest. */
export function setWithin<Key, Value>(
  map: Map<Key, Value>,
  limit: number,
  key: Key,
  value: Value,
): void {
  map.set(key, value);
  const [oldest] = map.size > limit ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
