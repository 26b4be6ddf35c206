/** Writes a value as the text of a request: a date as ISO 8601, other values as JavaScript does. */
export function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/**
 * Lists the names and texts of a value in a query or a form. A list repeats the name, and the members of an object have
 * theirs in brackets. What is undefined or null has no text, and is left out.
 *
 * @throws {TypeError} When a list contains lists, objects, null or undefined, which text cannot carry, or a name or a
 *   text contains half of a surrogate pair, which UTF-8 cannot carry.
 */
export function textPairs(name: string, value: unknown): [name: string, text: string][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((one) => pairOf(name, elementText(name, one)));
  if (!isRecord(value)) return [pairOf(name, textOf(value))];
  return Object.entries(value).flatMap(([key, one]) => textPairs(`${name}[${key}]`, one));
}

/** Lists the names and texts of all members of an object. */
export function memberPairs(members: object): [name: string, text: string][] {
  return Object.entries(members).flatMap(([name, value]) => textPairs(name, value));
}

function pairOf(name: string, text: string): [name: string, text: string] {
  if (!/\p{Cs}/u.test(`${name} ${text}`)) return [name, text];
  throw new TypeError(
    `The value of '${JSON.stringify(name).slice(1, -1)}' contains half of a character, which text cannot carry. Pass whole characters.`,
  );
}

function elementText(name: string, value: unknown): string {
  if (value !== undefined && value !== null && !Array.isArray(value) && !isRecord(value))
    return textOf(value);
  throw new TypeError(
    `The list '${name}' contains ${describe(value)}, which text cannot carry. Pass strings, numbers, booleans or dates.`,
  );
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return value === undefined || value === null ? String(value) : 'an object';
}

function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Where requests name a version, as `createVersions()` of core has it. */
interface VersionPlace {
  readonly header?: string | undefined;
  readonly parameter?: string | undefined;
}

/** Returns the headers by which a request names a version; none without a version. */
export function versionHeaders(
  version: string | undefined,
  versions: VersionPlace | undefined,
): Readonly<Record<string, string>> {
  if (version === undefined || versions === undefined) return {};
  const { header, parameter } = versions;
  return header === undefined ? { Accept: `*/*;${parameter}=${version}` } : { [header]: version };
}
