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
