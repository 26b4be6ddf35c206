import type { Description, Kind, Library, Part } from './description.js';

/** A node of arktype. Its types are functions with the members of their node. */
interface Node {
  readonly kind: string;
  readonly inner: Inner;
  /** Of a union. */
  readonly branches?: readonly Part[];
  /** Of an alias. */
  readonly resolution?: Part;
}

interface Inner {
  readonly in?: Part;
  readonly declaredIn?: Part;
  readonly domain?: Node | string;
  readonly proto?: Node | unknown;
  readonly unit?: unknown;
  readonly structure?: Node;
  readonly undeclared?: string;
  readonly predicate?: unknown;
  readonly required?: readonly Property[];
  readonly optional?: readonly Property[];
  readonly index?: readonly { readonly value: Part }[];
  readonly sequence?: Node;
  readonly prefix?: readonly Part[];
  readonly defaultables?: readonly (readonly [Part, unknown])[];
  readonly optionals?: readonly Part[];
  readonly postfix?: readonly Part[];
  readonly variadic?: Part;
}

interface Property {
  readonly key: PropertyKey;
  readonly value: Part;
}

const DOMAINS: Readonly<Record<string, Kind>> = {
  string: 'string',
  number: 'number',
  bigint: 'bigint',
  symbol: 'other',
};

/** Accepts nothing. */
const NEVER: Node = { kind: 'union', inner: {}, branches: [] };

function isNode(part: Part): part is Node {
  const { kind, inner }: { readonly kind?: unknown; readonly inner?: unknown } = Object(part);
  return typeof kind === 'string' && typeof inner === 'object' && inner !== null;
}

function describe(part: Part): Description | undefined {
  if (!isNode(part)) return undefined;
  const { kind, inner, branches = [] } = part;
  switch (kind) {
    case 'union':
      return { anyOf: branches };
    case 'morph':
      return { inner: inner.declaredIn ?? inner.in ?? 'any' };
    case 'alias':
      return { inner: part.resolution };
    case 'unit':
      return { values: [inner.unit] };
    case 'domain':
    case 'proto':
      return describeBasis(part);
    case 'intersection':
      return describeIntersection(inner);
    default:
      return 'any';
  }
}

function describeIntersection({ domain, proto, structure, predicate }: Inner): Description {
  if (structure === undefined) {
    const basis = proto ?? domain;
    if (isNode(basis)) return describeBasis(basis);
    return predicate === undefined ? { inner: 'any', also: ['undefined'] } : 'any';
  }
  const { sequence, required = [], optional = [], index = [], undeclared } = structure.inner;
  if (sequence !== undefined) {
    const { prefix = [], defaultables = [], optionals = [], postfix = [] } = sequence.inner;
    const items = [...prefix, ...defaultables.map(([item]) => item), ...optionals];
    const { variadic } = sequence.inner;
    // What follows a variadic part has no fixed place.
    const rest = postfix.length > 0 ? 'any' : variadic;
    return { items, ...(rest !== undefined && { rest }) };
  }
  const members = [...required, ...optional].flatMap(({ key, value }) =>
    typeof key === 'string' ? [[key, value] as const] : [],
  );
  const names = new Set(optional.map(({ key }) => String(key)));
  const [first, ...others] = index.map(({ value }) => value);
  const isStrict = undeclared === 'reject' && index.length === 0;
  return { members, optional: names, rest: isStrict ? NEVER : others.length > 0 ? 'any' : first };
}

function describeBasis({ kind, inner: { domain, proto } }: Node): Description {
  if (kind === 'domain') return DOMAINS[String(domain)] ?? 'any';
  if (proto === Array) return { items: [], rest: 'any' };
  return proto === Date ? 'date' : 'other';
}

export const arktype: Library = {
  describe,
  converters: { bigint: "'string.integer'", date: "'string.date.parse'" },
};
