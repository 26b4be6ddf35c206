import { hasMethod, isComposite, isWritten } from '@fairlead/schemas';
import { descriptionOf, roleOf } from '../annotations/description.js';

/**
 * Serializes a value, and checks that no object with content became `{}`.
 *
 * @param value - The whole body of a response.
 * @param stringify - Serializes the value; `JSON.stringify` by default.
 * @throws {TypeError} Same as `assertWritten()`, and for a cycle or a BigInt. The message continues a sentence.
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
 * Whether JSON contains an empty object outside of strings. Skips string by string, so that a client who puts `{}`
 * into one does not make a response much slower.
 */
export function hasEmptyObject(text: string): boolean {
  let index = text.indexOf('{}');
  let start = text.indexOf('"');
  while (start !== -1 && start < index) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    // A serializer of a user may not write JSON.
    if (end === -1) return false;
    if (end > index) index = text.indexOf('{}', end + 1);
    start = text.indexOf('"', end + 1);
  }
  return index !== -1;
}

/** Whether the character at an index of JSON is escaped. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === '\\') first -= 1;
  return (index - first) % 2 === 1;
}

/** A value that JSON writes, and the way to it. */
interface Visit {
  readonly value: unknown;
  readonly key: string;
  readonly parent: Visit | undefined;
}

/**
 * Checks every object without recursion, which could overflow the stack. Handles the rejections of promises: nothing
 * awaits them, and they would end the process.
 */
function assertRepresentable(root: object): void {
  if (root instanceof Error && !hasMethod(root, 'toJSON')) throw unrepresentable(undefined, root);
  let lost: { readonly visit: Visit; readonly found: object } | undefined;
  const pending: Visit[] = [{ value: root, key: '', parent: undefined }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const found = toJson(visit);
    if (typeof found !== 'object' || found === null) continue;
    if (found instanceof Promise) found.catch(() => undefined);
    let isEmpty = !Array.isArray(found);
    // The indexes of an array, too.
    for (const key of Object.keys(found)) {
      const value: unknown = Reflect.get(found, key);
      if (isEmpty && isWritten(value)) isEmpty = false;
      if (isComposite(value)) pending.push({ value, key, parent: visit });
    }
    if (isEmpty && losesContent(found)) lost ??= { visit, found };
  }
  if (lost !== undefined) throw unrepresentable(lost.visit, lost.found);
}

/** Returns what JSON writes in place of a value. The method is called again: JSON does not tell what it returned. */
function toJson({ value, key }: Visit): unknown {
  if (!isComposite(value) || !hasMethod(value, 'toJSON')) return value;
  // Most of them, which JSON writes as text.
  if (value instanceof Date && value.toJSON === Date.prototype.toJSON) return null;
  return (value as object as { toJSON(key: string): unknown }).toJSON(key);
}

/** How many objects of a value that JSON refuses are searched for promises. It may lead to all of the application. */
const MAX_SEARCHED = 1_000;

/** Handles the rejections of the promises in a value that cannot be sent: they would end the process. */
export function ignoreRejections(root: unknown): void {
  const seen = new Set([root]);
  try {
    // Iterating over a set also visits the elements added meanwhile.
    for (const value of seen) {
      if (typeof value !== 'object' || value === null) continue;
      if (value instanceof Promise) value.catch(() => undefined);
      for (const member of Object.values(value)) if (seen.size < MAX_SEARCHED) seen.add(member);
    }
  } catch {
    // A getter fails, as it did for JSON.
  }
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

function unrepresentable(visit: Visit | undefined, found: object): TypeError {
  const path: string[] = [];
  for (let at = visit; at?.parent !== undefined; at = at.parent) path.unshift(at.key);
  const subject = path.length === 0 ? 'it' : `'${path.join('.')}'`;
  return new TypeError(`${subject} is ${describe(found)}. ${adviceFor(found)}`);
}

/** Whether an object's class is part of the runtime. */
function isBuiltIn(value: object): boolean {
  const type: unknown = value.constructor;
  return typeof type === 'function' && Object.hasOwn(globalThis, type.name);
}

/** Returns the built-in type of an object, such as `Map`. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function describe(value: object): string {
  const description = descriptionOf(value);
  if (description?.role === 'response') return description.name;
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
