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

/** Checks every object without recursion, which could overflow the stack. */
function assertRepresentable(root: object): void {
  if (root instanceof Error && !hasMethod(root, 'toJSON')) throw unrepresentable(root, root);
  const pending: object[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (hasMethod(value, 'toJSON')) continue;
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
    for (const member of members)
      if (typeof member === 'object' && member !== null) pending.push(member);
    if (members !== value && !members.some(hasJson) && losesContent(value))
      throw unrepresentable(root, value);
  }
}

/** Whether JSON writes a member that has this value. */
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
