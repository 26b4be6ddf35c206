import type { DocumentSchemas } from '@fairlead/schemas';
import type { Operation } from './operations.js';
import type { Origin } from './requests.js';
import type { Exchange } from './send.js';

/** An operation that creates what the requests of others name. */
export interface Creator {
  readonly operation: Operation;
  /** The path of what it creates, such as `/users/{id}`. */
  readonly resource: string;
  /** Whether the path of a request names it, rather than only a body or a query. */
  readonly isNeeded: boolean;
}

/** A member of a body, or a parameter of a query, that names a resource. */
export interface Reference {
  readonly place: 'body' | 'query';
  /** Where it is; 0 stands for the first element of a list. */
  readonly path: readonly (string | number)[];
  /** The path of what it names, such as `/users/{id}`. */
  readonly resource: string;
}

/** How a response identifies what was created. */
export interface Identifier {
  readonly value: string;
  readonly origin: Origin;
}

/** Identifiers of what was created, by the shape of its path. */
export type FoundAt = ReadonlyMap<string, Identifier>;

/** Matches a segment that is one parameter. */
const WHOLE = /^\{([^{}]*)\}$/;

/** How many resources in a row name the next one, at most. */
const DEPTH = 3;

/** What the requests to an application name, and what creates it. */
export class Links {
  readonly #operations: readonly Operation[];
  readonly #schemas: DocumentSchemas;
  /** Operations that create something, with its path. */
  readonly #creators: ReadonlyMap<string, readonly [operation: Operation, resource: string]>;
  readonly #references = new Map<Operation, readonly Reference[]>();

  constructor(operations: readonly Operation[], schemas: DocumentSchemas) {
    this.#operations = operations;
    this.#schemas = schemas;
    this.#creators = new Map(
      operations.flatMap(({ path }) =>
        prefixesOf(path).flatMap((resource) => {
          const parent = shapeOf(resource.slice(0, resource.lastIndexOf('/')));
          const creator = operations.find(
            (one) => one.method === 'POST' && shapeOf(one.path) === parent,
          );
          return creator === undefined ? [] : [[shapeOf(resource), [creator, resource]] as const];
        }),
      ),
    );
  }

  /**
   * Lists the operations that create what a request names, in the order of their requests: `POST /users` creates
   * `/users/{id}`, and the `userId` of a body. Leaves out what no operation creates.
   *
   * @param others - Operations with the path of the first one, whose requests follow.
   */
  creatorsOf(operation: Operation, others: readonly Operation[] = []): readonly Creator[] {
    const needed = new Set(prefixesOf(operation.path).map(shapeOf));
    const found = new Map<string, Creator>();
    const add = (resource: string, above: readonly Operation[]): void => {
      const shape = shapeOf(resource);
      const [creator] = this.#creators.get(shape) ?? [];
      if (creator === undefined || found.has(shape) || above.includes(creator)) return;
      visit(creator, [...above, creator]);
      found.set(shape, { operation: creator, resource, isNeeded: needed.has(shape) });
    };
    const visit = (one: Operation, above: readonly Operation[]): void => {
      for (const resource of prefixesOf(one.path)) add(resource, above);
      if (above.length >= DEPTH) return;
      for (const { resource } of this.referencesOf(one)) add(resource, above);
    };
    for (const one of [operation, ...others]) visit(one, []);
    return [...found.values()];
  }

  /** Lists what a body and a query name. */
  referencesOf(operation: Operation): readonly Reference[] {
    const known = this.#references.get(operation) ?? this.#findReferences(operation);
    this.#references.set(operation, known);
    return known;
  }

  #findReferences({ path, parameters, bodies }: Operation): readonly Reference[] {
    const own = shapeOf(path);
    const found: Reference[] = [];
    const add = (
      place: Reference['place'],
      at: Reference['path'],
      words: readonly string[],
      schema: unknown,
    ): void => {
      const resource = this.#named(words, schema);
      // Nothing names itself.
      if (resource !== undefined && shapeOf(resource) !== own)
        found.push({ place, path: at, resource });
    };
    const walk = (schema: unknown, at: Reference['path'], words: readonly string[]): void => {
      if (at.length > DEPTH) return;
      add('body', at, words, schema);
      for (const { properties, items } of this.#schemas.partsOf(schema)) {
        for (const [name, member] of Object.entries({ ...Object(properties) })) {
          const known = wordsOf(name);
          // The id of a customer is its customerId.
          walk(
            member,
            [...at, name],
            isIdentifier(known) && known.length === 1 ? [...words, 'id'] : known,
          );
        }
        if (typeof items === 'object' && items !== null) walk(items, [...at, 0], words);
      }
    };
    for (const { name, in: place, schema } of parameters) {
      if (place === 'query') add('query', [name], wordsOf(name), schema);
    }
    for (const [, schema] of bodies) walk(schema, [], []);
    return found;
  }

  /** Finds what a name such as `customerId` stands for, or whose identifier has the same named schema. */
  #named(words: readonly string[], schema: unknown): string | undefined {
    const all = [...this.#creators.values()].map(([, resource]) => resource);
    if (isIdentifier(words)) {
      const stem = words.slice(0, -1);
      for (let start = 0; start < stem.length; start += 1) {
        const name = stem.slice(start).join('');
        const found = all.find((resource) => singularsOf(resource).has(name));
        if (found !== undefined) return found;
      }
      const name = words.join('');
      const found = all.find(
        (resource) => wordsOf(namesOf(resource).at(-1) ?? '').join('') === name,
      );
      if (found !== undefined && stem.length > 0) return found;
    }
    const { $ref } = Object(schema) as { readonly $ref?: unknown };
    if ($ref === undefined) return undefined;
    const same = all.filter((resource) => this.#schemaOf(resource) === $ref);
    return same.length === 1 ? same[0] : undefined;
  }

  /** Returns the name of the schema of an identifier. */
  #schemaOf(resource: string): unknown {
    const name = namesOf(resource).at(-1);
    const user = this.#operations.find(({ path }) => shapeOf(path) === shapeOf(resource));
    const own = user?.parameters.find((one) => one.in === 'path' && one.name === name);
    return Reflect.get(own?.schema ?? {}, '$ref');
  }
}

/** Lists the parts of a path that end with a parameter. */
function prefixesOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.flatMap((segment, index) =>
    WHOLE.test(segment) ? [segments.slice(0, index + 1).join('/')] : [],
  );
}

/** Splits a name such as `customerId` or `customer_id` into words in lower case. */
function wordsOf(name: string): readonly string[] {
  const spaced = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return spaced
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
}

function isIdentifier(words: readonly string[]): boolean {
  return /^(?:id|uuid)s?$/.test(words.at(-1) ?? '');
}

/** Returns what an element of the list above a resource may be called: `category` in `/categories/{id}`. */
function singularsOf(resource: string): ReadonlySet<string> {
  const list = wordsOf(resource.split('/').at(-2) ?? '').join('');
  return new Set([
    list,
    list.replace(/s$/, ''),
    list.replace(/(?<=s|x|z|ch|sh)es$/, ''),
    list.replace(/ies$/, 'y'),
  ]);
}

/** Returns a path without the names of its parameters. */
export function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}').replace(/(?<=.)\/$/, '');
}

/** Lists the names of a path's parameters. */
export function namesOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

/** Lists the parameters of a path that name what was found. */
export function findInPath(
  path: string,
  found: FoundAt,
): readonly (Identifier & { readonly name: string })[] {
  return prefixesOf(path).flatMap((resource) => {
    const one = found.get(shapeOf(resource));
    return one === undefined ? [] : [{ ...one, name: namesOf(resource).at(-1) ?? '' }];
  });
}

/** Finds how a response identifies what was created: by its `Location`, or by a member named as the parameter, or `id`. */
export function findCreated(
  resource: string,
  { response }: Pick<Exchange, 'response'>,
): Identifier | undefined {
  if (response.status < 200 || response.status > 299) return undefined;
  const location = response.headers.get('Location');
  const value = location === null ? undefined : lastOf(location, resource);
  if (value !== undefined)
    return { value, origin: { response, part: 'Location', isNumber: false } };
  const name = namesOf(resource).at(-1) ?? '';
  const wanted = [name, ...(/^\w+_?id$/i.test(name) ? ['id'] : [])];
  for (const one of wanted) {
    const found = findMember(response.json, one);
    if (found === undefined) continue;
    const [member, part] = found;
    const isNumber = typeof member === 'number';
    return { value: String(member), origin: { response, part, isNumber } };
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
): readonly [value: string | number, path: readonly string[]] | undefined {
  const members = Object.entries(isObject(json) ? json : {});
  for (const [key, value] of members) {
    const isText = typeof value === 'string' || typeof value === 'number';
    if (key === name && isText) return [value, [key]];
  }
  for (const [key, value] of members) {
    if (!isObject(value)) continue;
    const inner: unknown = Reflect.get(value, name);
    if (typeof inner === 'string' || typeof inner === 'number') return [inner, [key, name]];
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
