import { roleOf } from '../description.js';

/**
 * Serializes a value, and checks that no object with content became `{}`.
 *
 * @param value - The whole body of a response.
 * @param stringify - Serializes the value; `JSON.stringify` by default.
 * @throws {TypeError} Same as {@link assertWritten}.
 */
export function serialize<T>(value: T, stringify: (value: T) => string = JSON.stringify): string {
  const text = stringify(value);
  assertWritten(value, text);
  return text;
}

/**
 * Checks that JSON has the content of a value. Text without `{}` has it, unless the value is an error, which may
 * have enumerable members.
 *
 * @param text - Undefined if JSON has no form of the value.
 * @throws {TypeError} For a value that JSON does not have, such as a symbol. For a Map, a Set, an Error, a
 *   promise, an iterator, an observable or another object that JSON writes as `{}` although it has content. The
 *   message continues a sentence.
 */
export function assertWritten(value: unknown, text: string | undefined): void {
  if (text === undefined) throw new TypeError(`it is of type ${typeof value}. ${adviceFor(value)}`);
  const mayLoseContent = text.includes('{}') && hasEmptyObject(text);
  if (mayLoseContent || value instanceof Error) assertRepresentable(value as object);
}

/**
 * Whether JSON contains an empty object. Searches the whole text for `{}` and looks closer only there, so that
 * a client who puts `{}` into a string does not make a response slower.
 */
export function hasEmptyObject(text: string): boolean {
  let start = 0;
  for (let index = text.indexOf('{}'); index !== -1; index = text.indexOf('{}', start)) {
    if (!isInString(text, index, start)) return true;
    let quote = text.indexOf('"', index);
    while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
    start = quote === -1 ? text.length : quote + 1;
  }
  return false;
}

/** Matches what may stand between two strings of JSON. Strings may contain the same. */
const STRUCTURE = /^[[\]{}:,\s\d.+\-Eaeflnrstu]*$/;

/**
 * Whether an index of JSON is in a string. Looks at the text between quotes, from the index back, until one
 * is certainly the content of a string, which every second one is.
 *
 * @param start - An earlier index, which is not in a string.
 */
function isInString(text: string, index: number, start: number): boolean {
  let isInside = true;
  for (let end = index; ; isInside = !isInside) {
    const quote = text.lastIndexOf('"', end - 1);
    if (end === 0 || quote < start) return !isInside;
    if (isEscaped(text, quote) || !STRUCTURE.test(text.slice(quote + 1, end))) return isInside;
    end = quote;
  }
}

/** Whether the character at an index of JSON is escaped. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === '\\') first -= 1;
  return (index - first) % 2 === 1;
}

/** Checks every object without recursion, which could overflow the stack. */
function assertRepresentable(root: object): void {
  if (root instanceof Error && !hasMethod(root, 'toJSON')) throw unrepresentable(root, root);
  const pending: object[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (hasMethod(value, 'toJSON')) continue;
    const isWritten = addObjects(value, pending);
    if (!isWritten && !Array.isArray(value) && losesContent(value))
      throw unrepresentable(root, value);
  }
}

/**
 * Adds the objects among the members of an object to a list.
 *
 * @returns Whether the value is an array, or JSON writes a member of it.
 */
function addObjects(value: object, objects: object[]): boolean {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) objects.push(item);
    return true;
  }
  let isWritten = false;
  // Object.values() takes three times as long.
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  for (const key in value) {
    if (!isPlain && !Object.hasOwn(value, key)) continue;
    const member: unknown = value[key as keyof typeof value];
    isWritten ||= hasJson(member);
    if (typeof member === 'object' && member !== null) objects.push(member);
  }
  return isWritten;
}

/** Whether JSON writes a member of an object that has this value. */
function hasJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

/** Whether an object that JSON writes as `{}` has content. */
function losesContent(value: object): boolean {
  if (value instanceof Error || hasMethod(value, 'then') || hasMethod(value, 'subscribe'))
    return true;
  if (Symbol.iterator in value || Symbol.asyncIterator in value || roleOf(value) === 'response')
    return true;
  // Such as a RegExp, a WeakMap, a Blob or a Request, but not an empty object of a user's class.
  return tagOf(value) !== 'Object' && isBuiltIn(value);
}

function unrepresentable(root: unknown, found: object): TypeError {
  const path = pathOf(root, found).join('.');
  const subject = path === '' ? 'it' : `'${path}'`;
  return new TypeError(`${subject} is ${describe(found)}. ${adviceFor(found)}`);
}

/** Returns the keys that lead from a value to an object within it. */
function pathOf(root: unknown, found: object): string[] {
  const pending: { readonly value: unknown; readonly path: string[] }[] = [
    { value: root, path: [] },
  ];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { value, path } = entry;
    if (value === found) return path;
    if (typeof value !== 'object' || value === null || hasMethod(value, 'toJSON')) continue;
    for (const [key, member] of Object.entries(value)) {
      pending.push({ value: member, path: [...path, key] });
    }
  }
  return [];
}

/** Whether an object's class is part of the runtime. */
function isBuiltIn(value: object): boolean {
  const type: unknown = value.constructor;
  return typeof type === 'function' && Object.hasOwn(globalThis, type.name);
}

function hasMethod(value: object, name: string): boolean {
  return name in value && typeof (value as Record<string, unknown>)[name] === 'function';
}

/** Returns the built-in type of an object, such as `Map`. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function describe(value: object): string {
  if (roleOf(value) === 'response') return 'an event stream';
  const name = value.constructor?.name || tagOf(value);
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}

function adviceFor(value: unknown): string {
  if (value === undefined) return 'Pass null, or send no body.';
  if (typeof value === 'function') {
    const advice =
      'Call it. If the handler is a factory, call the factory where you register the route.';
    // Handlers of WebSocket connections have parameters.
    if (value.length === 0) return advice;
    return `${advice} If it should open WebSocket connections, wrap it in websocket(), or add @UseInterceptor(websocketUpgrade()) to the method.`;
  }
  if (typeof value !== 'object' || value === null) return 'Convert it to text.';
  if (hasMethod(value, 'then')) return 'Await it.';
  if (value instanceof Error) return 'Throw it, or send its message.';
  if (hasMethod(value, 'subscribe')) return 'Convert it to a promise, as with firstValueFrom().';
  if (roleOf(value) === 'response') return 'Return it unchanged, and let interceptors pass it on.';
  if (value instanceof Map) return 'Convert it with Object.fromEntries().';
  if (Symbol.iterator in value) return 'Convert it to an array.';
  return 'Convert it to an object, an array or text.';
}
