import type { Description, Kind, Library, Part } from './description.js';

/** The members of zod's definitions that matter here. @see https://zod.dev/packages/core */
interface Definition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly innerType?: Part;
  readonly in?: Part;
  readonly out?: Part;
  readonly options?: readonly Part[];
  readonly left?: Part;
  readonly right?: Part;
  readonly shape?: Readonly<Record<string, Part>>;
  readonly catchall?: Part;
  readonly element?: Part;
  readonly items?: readonly Part[];
  readonly rest?: Part;
  readonly keyType?: Part;
  readonly valueType?: Part;
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
}

interface Internals {
  readonly def: Definition;
  /** The schema of `z.lazy()`, which zod creates once. */
  readonly innerType?: Part;
}

const KINDS: Readonly<Record<string, Kind>> = {
  string: 'string',
  template_literal: 'string',
  number: 'number',
  int: 'number',
  nan: 'other',
  boolean: 'boolean',
  bigint: 'bigint',
  date: 'date',
  file: 'file',
  null: 'null',
  undefined: 'undefined',
  void: 'undefined',
  map: 'other',
  set: 'other',
  symbol: 'other',
};

/** `z.coerce` converts any value itself, but every text to true. */
function describeCoercion(kind: Kind): Description {
  if (kind === 'boolean') return { inner: 'boolean', also: ['text', 'undefined'], isTruthy: true };
  return { inner: 'string', also: kind === 'string' ? ['text', 'undefined'] : ['text'] };
}

function internalsOf(part: Part): Internals | undefined {
  const internals: unknown = Reflect.get(Object(part), '_zod');
  return typeof internals === 'object' ? (internals as Internals) : undefined;
}

function typeOf(part: Part): string | undefined {
  return internalsOf(part)?.def.type;
}

function describe(part: Part): Description | undefined {
  const internals = internalsOf(part);
  if (internals === undefined) return undefined;
  const { def } = internals;
  const { type, innerType } = def;
  const kind = KINDS[type];
  if (kind !== undefined) return def.coerce === true ? describeCoercion(kind) : kind;
  switch (type) {
    case 'optional':
    case 'default':
    case 'prefault':
      return { inner: innerType, also: ['undefined'] };
    case 'nullable':
      return { inner: innerType, also: ['null'] };
    case 'nonoptional':
      return { inner: innerType, except: 'undefined' };
    case 'readonly':
    case 'success':
      return { inner: innerType };
    case 'catch':
      return { inner: innerType, also: ['text', 'undefined'] };
    case 'lazy':
      return { inner: internals.innerType };
    case 'pipe':
      return typeOf(def.in) === 'transform'
        ? { inner: def.out, isPreprocessed: true }
        : { inner: def.in };
    case 'union':
      return { anyOf: def.options ?? [] };
    case 'intersection':
      return { allOf: [def.left, def.right] };
    case 'object':
      return { members: membersOf(def.shape), rest: def.catchall };
    case 'record':
      return describeRecord(def);
    case 'array':
      return { items: [], rest: def.element };
    case 'tuple':
      return { items: def.items ?? [], rest: def.rest ?? undefined };
    case 'enum':
      return { values: enumValues(def.entries) };
    case 'literal':
      return { values: def.values ?? [] };
    case 'never':
      return { values: [] };
    case 'any':
    case 'unknown':
      return { inner: 'any', also: ['undefined'] };
    default:
      return 'any';
  }
}

function* membersOf(shape: Readonly<Record<string, Part>> = {}): Iterable<[string, Part]> {
  // A member may be a getter that fails. It costs only itself.
  for (const name of Object.keys(shape)) {
    let part: Part;
    try {
      part = shape[name];
    } catch {
      part = 'any';
    }
    yield [name, part];
  }
}

function describeRecord({ keyType, valueType }: Definition): Description {
  const { type, entries, values = enumValues(entries) } = internalsOf(keyType)?.def ?? {};
  if (type !== 'enum' && type !== 'literal') return { members: [], rest: valueType };
  return { members: values.map((name) => [String(name), valueType] as const) };
}

/** Lists the values of an enum. One of TypeScript also maps its numbers to their names. */
function enumValues(entries: Definition['entries'] = {}): readonly unknown[] {
  const numbers = Object.values(entries).filter((value) => typeof value === 'number');
  return Object.entries(entries).flatMap(([name, value]) =>
    numbers.includes(Number(name)) ? [] : [value],
  );
}

export const zod: Library = {
  describe,
  converters: { bigint: 'z.coerce.bigint()', date: 'z.coerce.date()' },
};
