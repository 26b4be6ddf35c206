/** Whether JSON may write members of a value: an object, or what may have `toJSON()`. */
export function isComposite(value: unknown): value is object {
  return typeof value === 'object'
    ? value !== null
    : typeof value === 'function' || typeof value === 'bigint';
}

/** Whether JSON writes a member with this value. */
export function isWritten(value: unknown): boolean {
  if (typeof value === 'function') return hasMethod(value, 'toJSON');
  return value !== undefined && typeof value !== 'symbol';
}

/** Whether an object has a method. */
export function hasMethod(value: object, name: string): boolean {
  return typeof (value as Record<string, unknown>)[name] === 'function';
}
