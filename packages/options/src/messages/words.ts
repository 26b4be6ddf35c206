import { isClass } from '../values.js';

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

function classNameOf(value: object): string | undefined {
  const prototype: { readonly constructor?: unknown } | null = Object.getPrototypeOf(value);
  const type = prototype?.constructor;
  if (typeof type !== 'function') return undefined;
  // A class can have any value as a static member `name`.
  const { name }: { readonly name: unknown } = type;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Joins words: `a, b and c`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  const others = words.slice(0, -1);
  return others.length === 0 ? last : `${others.join(', ')} ${conjunction} ${last}`;
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
