import type { Operation } from './operations.js';
import type { Found } from './requests.js';
import type { Exchange } from './send.js';

/** An operation that creates what the path of others names. */
export interface Creator {
  readonly operation: Operation;
  /** The path of what it creates, such as `/users/{id}`. */
  readonly resource: string;
}

/** A path parameter whose value a response has told, by its place among the parameters of the path. */
export type FoundAt = ReadonlyMap<number, Omit<Found, 'name'>>;

/** Matches a segment that is one parameter. */
const WHOLE = /^\{([^{}]*)\}$/;

/**
 * Lists the operations that create what a path names, outermost first: `POST /users` creates `/users/{id}`. What no
 * operation creates is left out.
 */
export function creatorsOf(path: string, operations: readonly Operation[]): readonly Creator[] {
  const segments = path.split('/');
  return segments.flatMap((segment, index) => {
    if (!WHOLE.test(segment)) return [];
    const parent = shapeOf(segments.slice(0, index).join('/'));
    const operation = operations.find(
      (one) => one.method === 'POST' && shapeOf(one.path) === parent,
    );
    return operation === undefined
      ? []
      : [{ operation, resource: segments.slice(0, index + 1).join('/') }];
  });
}

/** Returns a path without the names of its parameters. */
export function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}').replace(/(?<=.)\/$/, '');
}

/** Lists the names of a path's parameters. */
export function namesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

/** Names what was found as the parameters of a path. */
export function nameFound(path: string, found: FoundAt): readonly Found[] {
  return namesOf(path).flatMap((name, place) => {
    const one = found.get(place);
    return one === undefined ? [] : [{ ...one, name }];
  });
}

/**
 * Finds how a response identifies what was created: by its `Location`, or by a member named as the parameter, or `id`.
 *
 * @param variable - The response in a test.
 */
export function findCreated(
  { resource }: Creator,
  { response }: Exchange,
  variable: string,
): Omit<Found, 'name'> | undefined {
  if (response.status < 200 || response.status > 299) return undefined;
  const location = response.headers.get('Location');
  const value = location === null ? undefined : lastOf(location, resource);
  if (value !== undefined)
    return { value, expression: `${variable}.headers.get('Location')?.split('/').at(-1)` };
  const name = namesOf(resource).at(-1) ?? '';
  const wanted = [name, ...(/^\w+_?id$/i.test(name) ? ['id'] : [])];
  for (const one of wanted) {
    const found = findMember(response.json, one);
    if (found === undefined) continue;
    const [member, path] = found;
    return { value: member, expression: `(await ${variable}.json()).${path.join('.')}` };
  }
  return undefined;
}

function lastOf(location: string, resource: string): string | undefined {
  if (!URL.canParse(location, 'http://localhost')) return undefined;
  const { pathname } = new URL(location, 'http://localhost');
  const source = shapeOf(resource)
    .split('{}')
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('([^/]+)');
  const value = new RegExp(`^${source}/?$`).exec(pathname)?.at(-1);
  return value === undefined ? undefined : decodeURIComponent(value);
}

/** Finds a text or a number by its name: in an object, or in one of its members. */
function findMember(
  json: unknown,
  name: string,
): readonly [value: string, path: readonly string[]] | undefined {
  const members = Object.entries(isObject(json) ? json : {});
  for (const [key, value] of members) {
    const isText = typeof value === 'string' || typeof value === 'number';
    if (key === name && isText) return [String(value), [key]];
  }
  for (const [key, value] of members) {
    if (!isObject(value)) continue;
    const inner: unknown = Reflect.get(value, name);
    if (typeof inner === 'string' || typeof inner === 'number') return [String(inner), [key, name]];
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
