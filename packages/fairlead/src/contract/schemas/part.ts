import { type Document, isNode, type Node } from '../../client/index.js';

/** A schema of a document. */
export interface Part {
  readonly document: Document;
  /** Keywords of JSON Schema 2020-12; false if no value is valid. */
  readonly schema: Node | false;
  /** Differs from that of every other part. */
  readonly id: number;
}

/** The parts of a document. */
interface Parts {
  readonly byNode: Map<Node, Part>;
  /** Those that the document does not contain. */
  readonly byText: Map<string, Part>;
}

const partsOf = new WeakMap<Document, Parts>();

let count = 0;

function known(document: Document): Parts {
  const parts = partsOf.get(document) ?? { byNode: new Map(), byText: new Map() };
  partsOf.set(document, parts);
  return parts;
}

/**
 * Reads a schema. The same object of a document is always the same part. Keywords of OpenAPI 3.0 become those of 3.1.
 *
 * @param value - Undefined and true allow everything.
 */
export function partOf(document: Document, value: unknown): Part {
  if (!isNode(value)) return makePart(document, value === false ? false : {});
  const { byNode } = known(document);
  const present = byNode.get(value);
  if (present !== undefined) return present;
  const isOld = /^3\.0\b/.test(String(document.root.openapi));
  const schema = isOld ? upgrade(value) : value;
  const part = { document, schema, id: ++count };
  byNode.set(value, part).set(schema, part);
  return part;
}

/** Makes a schema that is not in a document, for the same keywords always the same part. */
export function makePart(document: Document, schema: Node | false): Part {
  return remember(document, JSON.stringify(schema), () => schema);
}

/** Makes the schema of what another one refuses. */
export function negate(part: Part): Part {
  return remember(part.document, `not ${part.id}`, () => ({ not: part.schema }));
}

/** Makes a schema without some keywords. */
export function without(part: Part, keywords: ReadonlySet<string>): Part {
  const entries = Object.entries(part.schema).filter(([keyword]) => !keywords.has(keyword));
  if (entries.length === Object.keys(part.schema).length) return part;
  return remember(part.document, `within ${part.id}`, () => Object.fromEntries(entries));
}

function remember(document: Document, text: string, create: () => Node | false): Part {
  const { byNode, byText } = known(document);
  const present = byText.get(text);
  if (present !== undefined) return present;
  const part = { document, schema: create(), id: ++count };
  byText.set(text, part);
  // Its keywords need no upgrade.
  if (part.schema !== false) byNode.set(part.schema, part);
  return part;
}

const LIMITS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Rewrites a schema of OpenAPI 3.0. */
function upgrade({ nullable, ...node }: Node): Node {
  if (typeof node.$ref === 'string') return { $ref: node.$ref };
  const upgraded: Record<string, unknown> = { ...node };
  for (const [limit, exclusive] of LIMITS) {
    if (typeof node[exclusive] !== 'boolean') continue;
    delete upgraded[exclusive];
    if (node[exclusive] !== true) continue;
    delete upgraded[limit];
    upgraded[exclusive] = node[limit];
  }
  if (nullable !== true) return upgraded;
  if (typeof node.type === 'string') return { ...upgraded, type: [node.type, 'null'] };
  return { anyOf: [upgraded, { type: 'null' }] };
}

/** Keywords that hold a schema, several schemas, or schemas by name. */
const ONE = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedProperties unevaluatedItems contentSchema'.split(
    ' ',
  ),
);
const SEVERAL = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/** Keywords that tell nothing about values. */
const TEXTS =
  /^(?:x-.*|title|description|examples?|externalDocs|xml|\$comment|\$id|\$schema|\$anchor|\$defs|definitions)$/;

/** Keywords whose order does not matter. */
const SETS = new Set(['required', 'type', 'enum']);

/** Pairs that are equal, or that are being compared: recursive schemas are equal if nothing tells them apart. */
export class Equality {
  readonly #known = new Map<string, boolean>();

  /** Whether two schemas have the same keywords, except for those that are for people. */
  holds(one: Part, other: Part): boolean {
    if (one === other) return true;
    const key = `${one.id} ${other.id}`;
    const present = this.#known.get(key);
    if (present !== undefined) return present;
    this.#known.set(key, true);
    const result = this.#compare(one, other);
    this.#known.set(key, result);
    return result;
  }

  #compare(one: Part, other: Part): boolean {
    const [left, right] = [resolve(one), resolve(other)];
    if (left === undefined || right === undefined) return false;
    if (left.schema === false || right.schema === false) return left.schema === right.schema;
    const [keywords, others] = [meaningful(left.schema), meaningful(right.schema)];
    return (
      keywords.length === others.length &&
      keywords.every((keyword) => this.sameKeyword(left, right, keyword))
    );
  }

  /** Whether two schemas have the same value of a keyword. */
  sameKeyword(one: Part, other: Part, keyword: string): boolean {
    const [left, right] = [Object(one.schema)[keyword], Object(other.schema)[keyword]];
    if (left === undefined || right === undefined) return left === right;
    const equal = (some: unknown, others: unknown) =>
      this.holds(partOf(one.document, some), partOf(other.document, others));
    if (keyword === '$ref') {
      const targets = [one.document.find(String(left)), other.document.find(String(right))];
      return targets.every((target) => target !== undefined) && equal(targets[0], targets[1]);
    }
    if (ONE.has(keyword)) return equal(left, right);
    if (SEVERAL.has(keyword) && Array.isArray(left) && Array.isArray(right)) {
      return left.length === right.length && left.every((some, at) => equal(some, right[at]));
    }
    if (NAMED.has(keyword) && isNode(left) && isNode(right)) {
      const names = Object.keys(left);
      return (
        names.length === Object.keys(right).length &&
        names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]))
      );
    }
    return canonical(left, SETS.has(keyword)) === canonical(right, SETS.has(keyword));
  }
}

function meaningful(schema: Node): readonly string[] {
  return Object.keys(schema).filter((keyword) => !TEXTS.test(keyword));
}

/** Follows references that stand alone; undefined if one leads nowhere. */
function resolve(part: Part): Part | undefined {
  const seen = new Set<Part>();
  let found = part;
  while (found.schema !== false && typeof found.schema.$ref === 'string') {
    if (meaningful(found.schema).length > 1) return found;
    const target = found.document.find(found.schema.$ref);
    if (target === undefined || seen.has(found)) return undefined;
    seen.add(found);
    found = partOf(found.document, target);
  }
  return found;
}

/** Writes a JSON value in one way. */
export function canonical(value: unknown, isSet = false): string {
  if (Array.isArray(value)) {
    const texts = value.map((member) => canonical(member));
    return `[${(isSet ? [...new Set(texts)].sort() : texts).join()}]`;
  }
  if (!isNode(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join()}}`;
}
