import fc from 'fast-check';

/** A JSON Schema, or a part of one. */
export type Json = boolean | Readonly<Record<string, unknown>>;

const NAMES = ['a', 'b', 'kind'];
const TEXTS = ['', 'x', 'yy', 'zzz', 'four', 'fifth'];
const PATTERNS = ['^x', 'y$', '^[a-z]*$'];

const value = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.integer({ min: -2, max: 4 }),
  fc.constantFrom(null, true, false, 1.5),
);
const limit = fc.integer({ min: -2, max: 4 });
const size = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');

const {
  schema,
  small,
  component: anyComponent,
} = fc.letrec<{
  schema: Json;
  small: Json;
  component: Json;
}>((tie) => {
  const schema = tie('schema');
  const several = fc.array(schema, { minLength: 1, maxLength: 3 });
  const leaf = fc.oneof(
    fc.record({ type }),
    fc.record({ type: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: value }),
    fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }) }),
    fc.record(
      {
        type: fc.constantFrom('integer', 'number'),
        minimum: limit,
        maximum: limit,
        exclusiveMinimum: limit,
        multipleOf: fc.constantFrom(1, 2, 4),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('string'),
        minLength: size,
        maxLength: size,
        pattern: fc.constantFrom(...PATTERNS),
      },
      { requiredKeys: ['type'] },
    ),
    fc.constantFrom<Json>({}, true, false),
    fc.constantFrom<Json>(
      { $ref: '#/components/schemas/One' },
      { $ref: '#/components/schemas/Two' },
    ),
  );
  const members = fc.dictionary(fc.constantFrom(...NAMES), schema, { maxKeys: 3 });
  const object = fc.record(
    {
      type: fc.constant('object'),
      properties: members,
      required: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 2 }),
      additionalProperties: schema,
      patternProperties: fc.dictionary(fc.constantFrom('^[ab]', '^k'), schema, {
        minKeys: 1,
        maxKeys: 1,
      }),
      minProperties: size,
      maxProperties: size,
      propertyNames: fc.record({ maxLength: fc.constantFrom(1, 4) }),
      dependentRequired: fc.constantFrom({ a: ['b'] }, { b: ['kind'] }),
      dependentSchemas: fc.record({ a: schema }),
    },
    { requiredKeys: ['type'] },
  );
  const array = fc.record(
    {
      type: fc.constant('array'),
      items: schema,
      prefixItems: several,
      minItems: size,
      maxItems: size,
      uniqueItems: fc.boolean(),
      contains: schema,
    },
    { requiredKeys: ['type'] },
  );
  const limited = fc.oneof(
    fc.record({ type: fc.constant('integer'), minimum: limit, maximum: fc.constant(9) }),
    fc.record({ type: fc.constant('string'), minLength: size, maxLength: fc.constant(5) }),
    fc.record({ type: fc.constant('array'), minItems: size, maxItems: fc.constant(4) }),
    fc.record({ type: fc.constant('object'), minProperties: size, maxProperties: fc.constant(4) }),
  );
  const combined = fc.oneof(
    fc.record({ anyOf: several }),
    fc.record({ oneOf: several }),
    fc.record({ allOf: several }),
    fc.record({ type, anyOf: several }),
    fc.record({ not: schema }),
    fc.tuple(schema, schema, schema).map(([condition, positive, negative]) =>
      Object.fromEntries([
        ['if', condition],
        ['then', positive],
        ['else', negative],
      ]),
    ),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'schema', withCrossShrink: true },
      leaf,
      object,
      object,
      array,
      combined,
    ),
    // Most changes to these have an effect.
    small: fc.oneof(
      leaf,
      leaf,
      fc.record({ type: fc.constantFrom('array', 'object') }),
      limited,
      members.map((properties) => ({ type: 'object', properties })),
    ),
    // Without a reference to itself outside of a member or an item.
    component: fc.oneof(
      fc.record(
        {
          type: fc.constant('object'),
          properties: members,
          required: fc.constantFrom(['a'], ['kind']),
          additionalProperties: schema,
        },
        { requiredKeys: ['type', 'properties'] },
      ),
      fc.record({ type: fc.constant('array'), items: schema }),
    ),
  };
});

/** Large and small schemas that refer to `#/components/schemas/One` and `Two`. */
export const anySchema = fc.oneof(schema, small);

export { anyComponent };

/** A change to a schema: at one of its parts, in one of several ways, with another schema. */
export interface Edit {
  readonly place: number;
  readonly way: number;
  readonly schema: Json;
}

/** Changes a schema at one place. */
export function edit(schema: Json, { place, way, schema: other }: Edit): Json {
  let index = -1;
  const count = countParts(schema);
  const target = place % count;
  const visit = (one: unknown, isSchema: boolean): unknown => {
    if (isSchema) {
      index += 1;
      if (index === target)
        return (CHANGES[way % CHANGES.length] as Change)(one as Json, other, place);
    }
    if (typeof one !== 'object' || one === null) return one;
    if (Array.isArray(one)) return one.map((member) => visit(member, isSchema));
    return Object.fromEntries(
      Object.entries(one).map(([keyword, member]) => [
        keyword,
        isSchema ? (holdsSchemas(keyword) ? visitMember(keyword, member) : member) : member,
      ]),
    );
  };
  const visitMember = (keyword: string, member: unknown): unknown => {
    if (Array.isArray(member)) return member.map((each) => visit(each, true));
    if (!MAPS.has(keyword)) return visit(member, true);
    return Object.fromEntries(
      Object.entries(Object(member)).map(([name, each]) => [name, visit(each, true)]),
    );
  };
  return visit(schema, true) as Json;
}

const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);

function holdsSchemas(keyword: string): boolean {
  return /^(?:properties|patternProperties|dependentSchemas|additionalProperties|items|prefixItems|contains|anyOf|oneOf|allOf|not|if|then|else)$/.test(
    keyword,
  );
}

function countParts(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 1;
  return Object.entries(schema).reduce((sum, [keyword, member]) => {
    if (!holdsSchemas(keyword)) return sum;
    const inner = Array.isArray(member)
      ? member
      : MAPS.has(keyword)
        ? Object.values(member)
        : [member];
    return sum + inner.reduce((all: number, one) => all + countParts(one), 0);
  }, 1);
}

type Change = (schema: Json, other: Json, place: number) => Json;

const nodeOf = (schema: Json) => (typeof schema === 'boolean' ? {} : schema);

/** Changes the values of keywords. */
function adjust(schema: Json, how: (keyword: string, value: unknown) => unknown): Json {
  if (typeof schema === 'boolean') return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, how(keyword, value)]);
  return Object.fromEntries(entries);
}

/** Ways to change a schema. */
const CHANGES: readonly Change[] = [
  (_schema, other) => other,
  (schema, _other, place) => {
    const entries = Object.entries(nodeOf(schema));
    return Object.fromEntries(entries.filter((_, index) => index !== place % entries.length));
  },
  (schema, other) => ({ anyOf: [schema, other] }),
  (schema, other) => ({ oneOf: [schema, other] }),
  (schema) => ({ oneOf: [schema, { type: 'null' }] }),
  (schema) => ({ allOf: [schema] }),
  (schema, other) => ({ allOf: [schema, other] }),
  (schema, other) => ({ ...nodeOf(schema), ...nodeOf(other) }),
  (schema, other) => ({ ...nodeOf(other), ...nodeOf(schema) }),
  (schema, other) => ({ ...nodeOf(schema), not: other }),
  (schema, other) => ({ ...nodeOf(schema), additionalProperties: other }),
  (schema) => ({ ...nodeOf(schema), additionalProperties: false }),
  (schema) => ({ ...nodeOf(schema), uniqueItems: true }),
  (schema) => ({ ...nodeOf(schema), required: ['a'] }),
  (schema) => ({ ...nodeOf(schema), dependentRequired: { a: ['b'] } }),
  (schema) => ({ ...nodeOf(schema), propertyNames: { maxLength: 1 } }),
  (schema, other) => {
    const { properties } = nodeOf(schema);
    return { ...nodeOf(schema), properties: { ...Object(properties), b: other } };
  },
  (schema) => adjust(schema, loosen),
  (schema) => adjust(schema, tighten),
  (schema) => adjust(schema, tighten),
];

export const anyEdit: fc.Arbitrary<Edit> = fc.record({
  place: fc.nat(40),
  way: fc.nat(CHANGES.length - 1),
  schema: anySchema,
});

function loosen(keyword: string, value: unknown): unknown {
  if (keyword === 'enum') return [...(value as unknown[]), 'new'];
  if (keyword === 'required') return (value as unknown[]).slice(1);
  if (typeof value !== 'number') return value;
  if (keyword === 'multipleOf') return 1;
  return /^max|exclusiveMax/.test(keyword) ? value + 1 : Math.max(0, value - 1);
}

function tighten(keyword: string, value: unknown): unknown {
  if (keyword === 'enum')
    return (value as unknown[]).slice(0, Math.max(1, Object(value).length - 1));
  if (typeof value !== 'number') return value;
  if (keyword === 'multipleOf') return value * 2;
  return /^max|exclusiveMax/.test(keyword) ? Math.max(0, value - 1) : value + 1;
}

/** Draws values that may fit a schema. Objects have only members that the drawn alternatives describe. */
export function draw(
  root: Readonly<Record<string, Json>>,
  schema: Json,
  random: () => number,
  depth = 4,
): unknown {
  const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One;
  const parts: Readonly<Record<string, unknown>>[] = [];
  const visit = (one: Json, left: number): void => {
    if (typeof one === 'boolean' || left < 0) return;
    parts.push(one);
    const {
      $ref,
      allOf = [],
      anyOf,
      oneOf,
      if: condition,
      then: positive,
      else: negative,
    } = one as Record<string, never>;
    if ($ref !== undefined) visit(root[String($ref).split('/').at(-1) ?? ''] ?? {}, left - 1);
    for (const each of allOf as Json[]) visit(each, left - 1);
    for (const options of [anyOf, oneOf])
      if (options !== undefined) visit(pick(options as Json[]), left - 1);
    if (condition !== undefined)
      for (const each of pick([[condition, positive], [negative]])) visit(each ?? {}, left - 1);
  };
  visit(schema, 6);
  const all = (keyword: string) =>
    parts.flatMap((part) => (part[keyword] === undefined ? [] : [part[keyword]]));
  const listed = [...all('const'), ...all('enum').flat()];
  if (listed.length > 0 && random() < 0.9) return pick(listed);
  const named = all('type').map((one) => (Array.isArray(one) ? one : [one]) as string[]);
  const types =
    named.length === 0
      ? ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
      : pick(named);
  const chosen = pick(
    types
      .filter((one) =>
        named.every(
          (names) => names.includes(one) || (one === 'integer' && names.includes('number')),
        ),
      )
      .concat(types),
  );
  const members = new Set(all('properties').flatMap((one) => Object.keys(Object(one))));
  switch (depth <= 0 && chosen !== 'object' ? 'null' : chosen) {
    case 'boolean':
      return random() < 0.5;
    case 'integer':
      return Math.floor(random() * 9) - 3;
    case 'number':
      return (Math.floor(random() * 18) - 6) / 2;
    case 'string':
      return pick([...TEXTS, 'new', 'xyzxyz']);
    case 'array': {
      const length = Math.floor(random() * 5);
      const items = Array.from({ length }, (_, index) => {
        const items = parts.flatMap(
          ({ prefixItems = [], items: one }) =>
            ((prefixItems as Json[])[index] ?? one ?? []) as Json,
        );
        return draw(root, { allOf: items as Json[] }, random, depth - 1);
      });
      return random() < 0.3 ? items.map(() => items[0]) : items;
    }
    case 'object': {
      const mentions = parts.some(
        ({ additionalProperties: others }) => others !== undefined && others !== false,
      );
      const patterns = parts.flatMap(({ patternProperties }) =>
        Object.entries(Object(patternProperties)),
      );
      const isOpen = mentions || (members.size === 0 && patterns.length === 0);
      const required = new Set(all('required').flat() as string[]);
      const result: Record<string, unknown> = {};
      for (const name of [...NAMES, 'other']) {
        const own = parts.flatMap((part): Json[] => {
          const { properties, patternProperties, additionalProperties } = part as Record<
            string,
            Record<string, Json>
          >;
          const matching = Object.entries(patternProperties ?? {}).flatMap(([pattern, one]) =>
            new RegExp(pattern).test(name) ? one : [],
          );
          const described = [
            ...(properties?.[name] === undefined ? [] : [properties[name]]),
            ...(matching as Json[]),
          ];
          return described.length > 0 || additionalProperties === undefined
            ? described
            : [additionalProperties as unknown as Json];
        });
        const isDescribed =
          members.has(name) || patterns.some(([pattern]) => new RegExp(pattern).test(name));
        if (!isDescribed && !isOpen && !required.has(name)) continue;
        if (depth <= 0 || own.includes(false)) continue;
        if (required.has(name) ? random() < 0.98 : random() < 0.5)
          result[name] = draw(root, { allOf: own }, random, depth - 1);
      }
      return result;
    }
    default:
      return null;
  }
}
