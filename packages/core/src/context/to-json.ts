/**
 * Writes a value as JSON.
 *
 * @throws {TypeError} When JSON cannot write it: a cycle, a BigInt, undefined, a function, a symbol.
 */
export function toJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`JSON cannot write ${typeof value} by itself.`);
  return text;
}
