import type { Description, Kind, Library, Part } from './description.js';

/** The members of valibot's schemas that matter here. */
interface Schema {
  readonly kind: 'schema';
  readonly type: string;
  readonly wrapped?: Part;
  readonly options?: readonly Part[];
  readonly entries?: Readonly<Record<string, Part>>;
  readonly item?: Part;
  readonly items?: readonly Part[];
  readonly rest?: Part;
  readonly key?: Part;
  readonly value?: Part;
  readonly literal?: unknown;
  readonly getter?: (input: unknown) => Part;
  /** Of `v.fallback()`. */
  readonly fallback?: unknown;
}

const KINDS: Readonly<Record<string, Kind>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  bigint: 'bigint',
  date: 'date',
  null: 'null',
  undefined: 'undefined',
  void: 'undefined',
  nan: 'other',
  map: 'other',
  set: 'other',
  symbol: 'other',
  function: 'other',
  blob: 'file',
  file: 'file',
};

function isSchema(part: Part): part is Schema {
  return Reflect.get(Object(part), 'kind') === 'schema';
}

function describe(part: Part): Description | undefined {
  if (!isSchema(part)) return undefined;
  const { fallback, ...own } = part;
  // With a fallback, a schema accepts everything.
  return fallback === undefined ? describeType(part) : { inner: own, also: ['text', 'undefined'] };
}

function describeType(part: Schema): Description {
  const { type, wrapped, entries = {}, options = [] } = part;
  const kind = KINDS[type];
  if (kind !== undefined) return kind;
  const members = Object.entries(entries);
  switch (type) {
    case 'optional':
    case 'exact_optional':
    case 'undefinedable':
      return { inner: wrapped, also: ['undefined'] };
    case 'nullable':
      return { inner: wrapped, also: ['null'] };
    case 'nullish':
      return { inner: wrapped, also: ['null', 'undefined'] };
    case 'non_optional':
      return { inner: wrapped, except: 'undefined' };
    case 'non_nullable':
      return { inner: wrapped, except: 'null' };
    case 'non_nullish':
      return { inner: { kind: 'schema', type: 'non_optional', wrapped }, except: 'null' };
    case 'lazy':
      // A getter with a parameter decides about values.
      return part.getter === undefined || part.getter.length > 0
        ? 'any'
        : { inner: part.getter(undefined) };
    case 'union':
    case 'variant':
      return { anyOf: options };
    case 'intersect':
      return { allOf: options };
    case 'object':
      return { members };
    case 'strict_object':
      return { members, rest: { kind: 'schema', type: 'never' } };
    case 'loose_object':
      return { members, rest: 'any' };
    case 'object_with_rest':
      return { members, rest: part.rest };
    case 'record':
      return describeRecord(part);
    case 'array':
      return { items: [], rest: part.item };
    case 'tuple':
    case 'strict_tuple':
      return { items: part.items ?? [] };
    case 'loose_tuple':
      return { items: part.items ?? [], rest: 'any' };
    case 'tuple_with_rest':
      return { items: part.items ?? [], rest: part.rest };
    case 'picklist':
    case 'enum':
      return { values: options };
    case 'literal':
      return { values: [part.literal] };
    case 'never':
      return { values: [] };
    case 'any':
    case 'unknown':
      return { inner: 'any', also: ['undefined'] };
    default:
      return 'any';
  }
}

function describeRecord({ key, value }: Schema): Description {
  if (!isSchema(key) || !/^(?:picklist|enum)$/.test(key.type)) return { members: [], rest: value };
  return { members: (key.options ?? []).map((name) => [String(name), value] as const) };
}

export const valibot: Library = {
  describe,
  converters: {
    bigint: 'v.pipe(v.string(), v.toBigint())',
    date: 'v.pipe(v.string(), v.toDate())',
  },
};
