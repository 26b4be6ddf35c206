import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sent } from '../test/support/sent.js';
import { compileDescribed } from './strip-undescribed.js';

const Guest = z.object({ role: z.literal('guest'), name: z.string() });
const Admin = z.object({ role: z.literal('admin'), name: z.string(), salary: z.number() });
const guest = { role: 'guest', name: 'Ada' };
const admin = { role: 'admin', name: 'Bob', salary: 7 };
const rich = { ...guest, salary: 7 };

const json = {
  guest: {
    type: 'object',
    properties: { role: { const: 'guest' }, name: { type: 'string' } },
    required: ['role', 'name'],
  },
  admin: {
    type: 'object',
    properties: { role: { const: 'admin' }, name: {}, salary: {} },
    required: ['role', 'name', 'salary'],
  },
};

class Entity {
  calls = 0;
  readonly #member: object;
  constructor(member: object) {
    this.#member = member;
  }
  toJSON(): object {
    this.calls += 1;
    return this.#member;
  }
}

const rule = (name: string) => z.object({ name: z.string().regex(new RegExp(name)) });

describe('a union describes what the branch describes that the library chooses', () => {
  it.each<[string, object, unknown, unknown]>([
    [
      'whose branches differ one level down',
      z.union([z.object({ data: Guest }), z.object({ data: Admin })]),
      { data: rich },
      { data: guest },
    ],
    [
      'whose later branch differs one level down',
      z.union([z.object({ data: Admin }), z.object({ data: Guest })]),
      { data: rich },
      { data: guest },
    ],
    ['of arrays', z.union([z.array(Admin), z.array(Guest)]), [guest, rich], [guest, guest]],
    ['in an array', z.array(z.union([Admin, Guest])), [rich, admin], [guest, admin]],
    ['of tuples', z.union([z.tuple([Admin]), z.tuple([Guest])]), [rich], [guest]],
    [
      'of records',
      z.union([z.record(z.string(), Admin), z.record(z.string(), Guest)]),
      { a: rich },
      { a: guest },
    ],
    [
      'that null tells from text',
      z.union([
        z.object({ name: z.string(), salary: z.number() }),
        z.object({ name: z.null(), id: z.number() }),
      ]),
      { name: null, salary: 7, id: 1 },
      { name: null, id: 1 },
    ],
    [
      'in a union',
      z.union([
        z.object({ data: z.union([Admin, z.null()]) }),
        z.object({ data: z.union([z.string(), Guest]) }),
      ]),
      { data: rich },
      { data: guest },
    ],
    [
      'in an intersection',
      z
        .object({ id: z.string() })
        .and(z.union([z.object({ data: Admin }), z.object({ data: Guest })])),
      { id: '1', data: rich, more: 1 },
      { id: '1', data: guest },
    ],
    [
      'with discriminator',
      z.object({ user: z.discriminatedUnion('role', [Admin, Guest]).nullable() }),
      { user: rich },
      { user: guest },
    ],
    [
      'beside a strict object',
      z.union([
        z.strictObject({ name: z.string() }),
        z.object({ name: z.string(), id: z.number() }),
      ]),
      { name: 'Ada', id: 1 },
      { name: 'Ada', id: 1 },
    ],
    [
      'of strict objects, which refuse all other members',
      z.union([z.strictObject(Guest.shape), z.strictObject(Admin.shape)]),
      rich,
      guest,
    ],
    [
      'that a pattern decides',
      z.union([rule('^a').extend({ a: z.any() }), rule('^b').extend({ b: z.any() })]),
      { name: 'b', a: 1, b: 1 },
      { name: 'b', b: 1 },
    ],
    [
      'that a format decides',
      z.union([z.object({ at: z.url(), a: z.any() }), z.object({ at: z.string() })]),
      { at: 'Ada', a: 1 },
      { at: 'Ada' },
    ],
    [
      'that a number decides',
      z.union([z.object({ n: z.number().max(9), a: z.any() }), z.object({ n: z.number() })]),
      { n: 10, a: 1 },
      { n: 10 },
    ],
    [
      'that a length decides',
      z.union([
        z.object({ all: z.array(z.any()).max(1), a: z.any() }),
        z.object({ all: z.array(z.any()) }),
      ]),
      { all: [1, 2], a: 1 },
      { all: [1, 2] },
    ],
    [
      'of an optional member that is undefined',
      z.union([z.object({ a: z.string().optional(), name: z.string() }), Admin]),
      { a: undefined, name: 'Ada', salary: 1 },
      { name: 'Ada' },
    ],
    [
      'of a Date',
      z.union([z.object({ at: z.date(), a: z.any() }), z.object({ b: z.any() })]),
      { at: new Date(0), a: 1, b: 1 },
      { at: new Date(0).toJSON(), a: 1 },
    ],
    ['of what toJSON() returns', z.array(z.union([Admin, Guest])), [new Entity(rich)], [guest]],
    [
      'of what toJSON() of a member returns',
      z.union([z.object({ data: Admin }), z.object({ data: Guest })]),
      { data: new Entity(rich) },
      { data: guest },
    ],
    [
      'of valibot',
      toStandardJsonSchema(
        v.union([
          v.object({ data: v.object({ role: v.literal('admin'), salary: v.number() }) }),
          v.object({ data: v.object({ role: v.literal('guest') }) }),
        ]),
      ),
      { data: rich },
      { data: { role: 'guest' } },
    ],
    [
      'of a variant of valibot, which takes the first',
      toStandardJsonSchema(
        v.variant('role', [
          v.object({ role: v.literal('guest'), name: v.optional(v.string()) }),
          v.object({ role: v.literal('guest'), salary: v.number() }),
        ]),
      ),
      rich,
      guest,
    ],
    [
      'of arktype',
      type({ data: { role: '"admin"', salary: 'number' } }).or({ data: { role: '"guest"' } }),
      { data: rich },
      { data: { role: 'guest' } },
    ],
    [
      'of a JSON Schema',
      { anyOf: [{ items: json.admin }, { items: json.guest }] },
      [rich],
      [guest],
    ],
    [
      'of references',
      {
        $defs: json,
        properties: { data: { oneOf: [{ $ref: '#/$defs/admin' }, { $ref: '#/$defs/guest' }] } },
      },
      { data: rich },
      { data: guest },
    ],
    [
      'of a condition',
      {
        properties: { role: {}, data: {} },
        if: { properties: { data: { properties: { role: { const: 'admin' } } } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword
        then: { properties: { salary: {} } },
        else: { properties: { name: {} } },
      },
      { data: { role: 'guest' }, salary: 1, name: 'Ada' },
      { data: { role: 'guest' }, name: 'Ada' },
    ],
    [
      'of a dependent schema',
      { properties: { a: {} }, dependentSchemas: { b: { properties: { b: {}, c: {} } } } },
      { a: 1, c: 1 },
      { a: 1 },
    ],
    [
      'of what another schema refuses',
      { anyOf: [{ not: { required: ['b'] }, properties: { a: {} } }, { properties: { b: {} } }] },
      { a: 1, b: 1 },
      { b: 1 },
    ],
  ])('%s', (_which, schema, value, expected) => {
    expect(sent(schema, value)).toEqual(expected);
  });

  it.each<[string, object, unknown, unknown]>([
    [
      'required members',
      z.union([z.object({ data: Guest }), z.object({ data: Admin, total: z.number() })]),
      { data: { ...admin, name: 1, x: 1 }, total: 'many', x: 1 },
      { data: { role: 'admin', name: 1, salary: admin.salary }, total: 'many' },
    ],
    [
      'required members and constants in parts of it',
      {
        anyOf: [
          {
            allOf: [
              { $ref: '#/$defs/list' },
              { properties: { data: {}, kind: { const: 'list' } } },
            ],
          },
          { properties: { data: {}, kind: { const: 'page' }, meta: {} } },
          { properties: { all: {} }, required: ['all'] },
        ],
        $defs: { list: { required: ['data'], properties: { total: { type: 'number' } } } },
      },
      { data: 1, kind: 'list', total: 'x', meta: 1 },
      { data: 1, kind: 'list', total: 'x' },
    ],
  ])('or, if none fits, the only branch that has its %s', (_which, schema, value, expected) => {
    expect(sent(schema, value)).toEqual(expected);
  });

  it.each<[string, object, unknown, unknown]>([
    [
      'the only branch with its constant',
      z.union([Guest, Admin]),
      { ...admin, name: 1, x: 1 },
      { ...admin, name: 1 },
    ],
    [
      'all branches',
      z.union([Guest, Admin]),
      { role: 'owner', name: 'Ada', salary: 7 },
      { role: 'owner', name: 'Ada' },
    ],
    [
      'the branches for objects',
      z.union([z.string(), z.null(), Guest]),
      { name: 7, salary: 7 },
      { name: 7 },
    ],
    [
      'all branches one level down',
      z.union([
        z.object({ data: z.object({ a: z.string(), n: z.number() }) }),
        z.object({ data: z.object({ b: z.string(), n: z.number() }) }),
      ]),
      { data: { a: 1, b: 1, n: 1 } },
      { data: { n: 1 } },
    ],
  ])('or, if none fits, what is common to %s', (_which, schema, value, expected) => {
    expect(sent(schema, value)).toEqual(expected);
  });

  it('or what is common to a branch that only code can judge and the next, without calling it', () => {
    let calls = 0;
    const judge = () => {
      calls += 1;
      return true;
    };
    const named = z.object({ name: z.string() });
    const schemas = [
      z.union([z.object({ id: z.set(z.string()), salary: z.any() }), Guest.omit({ role: true })]),
      z.union([Admin.omit({ role: true }).refine(judge), named]),
      z.union([z.object({ name: z.string().refine(judge), salary: z.number() }), named]),
      toStandardJsonSchema(
        v.union([
          v.pipe(v.object({ name: v.string(), salary: v.number() }), v.check(judge)),
          v.object({ name: v.string() }),
        ]),
      ),
      type({ name: 'string', salary: 'number' })
        .narrow(judge)
        .or({ name: 'string', 'id?': 'number' }),
      { oneOf: [{ properties: { name: {}, salary: {} } }, { properties: { name: {} } }] },
    ];

    for (const schema of schemas) {
      expect(sent(schema, { name: 'Ada', salary: 7 })).toEqual({ name: 'Ada' });
    }
    expect(calls).toBe(0);
  });
});

/** A union whose first branch has the secret, and whose second branch has text in its place. */
const secretIf = (one: z.ZodType, other: z.ZodType = z.string()) =>
  z.union([z.object({ one, secret: z.string() }), z.object({ one: other })]);
const valibotIf = (one: v.GenericSchema, other: v.GenericSchema = v.nullable(v.string())) =>
  toStandardJsonSchema(v.union([v.object({ one, secret: v.string() }), v.object({ one: other })]));

describe('a union never sends members of a branch that its library refuses', () => {
  const onlyX = z.custom<string>((one) => one === 'x');
  const anyRecord = z.record(z.string(), z.string());

  it.each<[string, object, unknown]>([
    ['z.undefined()', secretIf(z.undefined()), 'x'],
    ['z.undefined().optional()', secretIf(z.undefined().optional()), 'x'],
    ['z.void()', secretIf(z.void()), 'x'],
    ['z.literal(undefined)', secretIf(z.literal(undefined)), 'x'],
    ['z.date()', secretIf(z.date(), z.null()), null],
    ['z.date() for text', secretIf(z.date()), 'never'],
    ['z.date() for text of a date', secretIf(z.date()), '1970-01-01T00:00:00.000Z'],
    ['z.date() that is invalid', secretIf(z.date(), z.null()), new Date(Number.NaN)],
    ['z.bigint()', secretIf(z.bigint()), 'x'],
    ['z.coerce.date()', secretIf(z.coerce.date()), 'never'],
    ['z.url() of a protocol', secretIf(z.url({ protocol: /^https$/ })), 'http://a'],
    ['z.url() of a host', secretIf(z.url({ hostname: /^b$/ })), 'http://a'],
    ['z.httpUrl()', secretIf(z.httpUrl()), 'mailto:a'],
    ['an array of z.undefined()', secretIf(z.array(z.undefined()), z.array(z.string())), ['x']],
    ['an array of what only code judges', secretIf(z.array(onlyX), z.array(z.string())), ['y']],
    [
      'a record of what only code judges',
      secretIf(z.record(z.string(), onlyX), anyRecord),
      { a: 'y' },
    ],
    [
      'rest elements that only code judges',
      secretIf(z.tuple([z.string()], onlyX), z.array(z.string())),
      ['a', 'y'],
    ],
    [
      'other members that only code judges',
      secretIf(z.object({}).catchall(onlyX), anyRecord),
      { a: 'y' },
    ],
    [
      'an array of it in valibot',
      valibotIf(v.array(v.custom((one) => one === 'x')), v.array(v.string())),
      ['y'],
    ],
    ['a regular expression without flag u', secretIf(z.string().regex(/^.$/)), '\u{1F600}'],
    ['NaN, which JSON writes as null', secretIf(z.number(), z.null()), Number.NaN],
    ['Infinity, which JSON writes as null', secretIf(z.number(), z.null()), Infinity],
    [
      'a number that is only nearly a multiple',
      secretIf(z.number().multipleOf(0.1), z.number()),
      0.30000000001,
    ],
    ['text that is trimmed first', secretIf(z.string().trim().min(1)), ' '],
    ['v.undefined()', valibotIf(v.undefined()), 'x'],
    ['v.bigint()', valibotIf(v.bigint()), 'x'],
    ['v.date()', valibotIf(v.date()), null],
    ['v.email()', valibotIf(v.pipe(v.string(), v.email())), 'a@b'],
    ['v.url() after v.trim()', valibotIf(v.pipe(v.string(), v.trim(), v.minLength(1))), ' '],
    [
      'a pipe of several schemas of valibot',
      valibotIf(v.pipe(v.string(), v.picklist(['y']), v.string())),
      'x',
    ],
    [
      "'undefined' of arktype",
      type({ 'one?': 'undefined', secret: 'string' }).or({ one: 'string' }),
      'x',
    ],
    ["'Date' of arktype", type({ one: 'Date', secret: 'string' }).or({ one: 'null' }), null],
    ["'bigint' of arktype", type({ one: 'bigint', secret: 'string' }).or({ one: 'string' }), 'x'],
    [
      'a conversion of arktype',
      type({ one: 'string.numeric.parse', secret: 'string' }).or({ one: 'number' }),
      7,
    ],
    [
      'an empty schema of another library',
      {
        '~standard': {
          version: 1,
          vendor: 'other',
          validate: (value: unknown) => ({ value }),
          jsonSchema: {
            input: () => ({}),
            output: () => ({
              anyOf: [{ properties: { one: {}, secret: {} } }, { properties: { one: {} } }],
            }),
          },
        },
      },
      'x',
    ],
    [
      'a format of a JSON Schema',
      {
        anyOf: [
          { properties: { one: { format: 'uuid' }, secret: {} } },
          { properties: { one: { type: 'string' } } },
        ],
      },
      '00000000-0000-0000-0000-000000000000',
    ],
    [
      'dependencies of a JSON Schema',
      {
        anyOf: [
          { properties: { one: {}, secret: {} }, dependencies: { secret: ['admin'] } },
          { properties: { one: {} } },
        ],
      },
      'x',
    ],
  ])('%s', (_which, schema, one) => {
    expect(sent(schema, { one, secret: 'SECRET' })).toEqual({
      one: JSON.parse(JSON.stringify(one)),
    });
  });

  it.each<[string, object, unknown]>([
    ['flag i of zod', secretIf(z.string().regex(/^y$/), z.string().regex(/^x$/i)), 'X'],
    ['z.coerce.string()', secretIf(z.null(), z.coerce.string()), 7],
    [
      'flag i of valibot',
      toStandardJsonSchema(
        v.union([
          v.object({ one: v.pipe(v.string(), v.regex(/^x$/i)) }),
          v.object({ one: v.string(), secret: v.string() }),
        ]),
      ),
      'X',
    ],
    ['flag i of arktype', type({ one: /^x$/i }).or({ one: '"X"', secret: 'string' }), 'X'],
  ])('where JSON Schema refuses what the library accepts: %s', (_which, schema, one) => {
    expect(sent(schema, { one, secret: 'SECRET' })).toEqual({ one });
  });

  it('because of a member that JSON does not write', () => {
    const value = Object.defineProperty({ name: 'Ada', salary: 7 }, 'role', { value: 'admin' });

    expect(sent(z.union([Admin, Guest.omit({ role: true })]), value)).toEqual({ name: 'Ada' });
  });
});

it.each([
  { const: { name: 'Ada' } },
  { enum: [{ name: 'Ada' }, 'x'] },
  { const: { name: 'Ada', at: [{}] } },
])('a constant object describes its members: %j', (schema) => {
  expect(sent(schema, { name: 'Ada', salary: 7 })).toEqual({ name: 'Ada' });
});

describe('a record describes the members whose names its keys allow', () => {
  const text = z.string();
  const x = z.string().regex(/^x/i);
  it.each<[string, object]>([
    ['a pattern', z.record(x, text)],
    ['a template', z.record(z.templateLiteral(['x', text]).or(z.literal('Xb')), text)],
    ['a constant', z.record(z.literal(['xa', 'Xb']), text)],
    ['constants', z.record(z.union([z.literal('xa'), z.literal('Xb')]), text)],
    ['a list and a pattern', z.record(z.union([z.enum(['xa']), z.string().regex(/^X/)]), text)],
    ['a length', z.record(z.string().max(2), text)],
    ['a name', z.record(x.meta({ id: 'Key' }), text)],
    [
      'keys of valibot',
      toStandardJsonSchema(v.record(v.pipe(v.string(), v.maxLength(2)), v.any())),
    ],
    ['JSON Schema', { propertyNames: { enum: ['xa', 'Xb'] }, additionalProperties: true }],
    ['one name', { propertyNames: { pattern: '^[xX]' }, additionalProperties: { type: 'string' } }],
  ])('as %s tells', (_, schema) => {
    expect(sent(schema, { xa: '1', secret: '2', Xb: '3' })).toEqual({ xa: '1', Xb: '3' });
  });

  it('beside those of an object', () => {
    const schema = z.object({ secret: z.object({ a: text }) }).and(z.record(x, text));
    const value = { secret: { a: '1', b: '2' }, xa: '3', other: '4' };
    expect(sent(schema, value)).toEqual({ secret: { a: '1' }, xa: '3' });
  });

  it.each<[string, object]>([
    ['any text', z.record(text, text)],
    ['text with a name', z.record(text.meta({ id: 'Name' }), text)],
    [
      'what only code can judge',
      z.record(
        x.refine(() => true),
        text,
      ),
    ],
    ['what is converted first', z.record(z.string().trim().regex(/^x/i), text)],
  ])('which are all for %s', (_, schema) => {
    expect(sent(schema, { xa: '1', ' x': '2' })).toEqual({ xa: '1', ' x': '2' });
  });

  it('which are none if no name is allowed', () => {
    const schema = { type: 'object', propertyNames: false, additionalProperties: true };
    expect(sent(schema, { a: 1 })).toEqual({});
  });
});

describe('what toJSON() of a function returns', () => {
  const stored = { name: 'Ada', salary: 7 };
  const Settings = Object.assign(class {}, { toJSON: () => stored });
  const callable: object = new Proxy(() => undefined, {
    get: (_target, key) => (key === 'toJSON' ? () => stored : undefined),
  });
  const named = z.object({ name: z.string() });

  it.each<[string, object, unknown, unknown]>([
    ['as a body', named, Settings, { name: 'Ada' }],
    ['of a Proxy', named, callable, { name: 'Ada' }],
    ['as a member', z.object({ user: named }), { user: Settings }, { user: { name: 'Ada' } }],
    ['as an element', z.array(named), [Settings], [{ name: 'Ada' }]],
    [
      'that the schema does not describe',
      named,
      { name: 'Ada', salary: Settings },
      { name: 'Ada' },
    ],
    [
      'in a union',
      z.union([z.object({ user: Admin }), z.object({ user: named })]),
      { user: Settings },
      { user: { name: 'Ada' } },
    ],
  ])('is filtered: %s', (_which, schema, value, expected) => {
    expect(sent(schema, value)).toEqual(expected);
  });

  it('is filtered for a Date that has another toJSON()', () => {
    const date = Object.assign(new Date(0), { toJSON: () => stored });

    expect(sent(z.object({ at: named }), { at: date })).toEqual({ at: { name: 'Ada' } });
  });
});

it('reads toJSON() once, whatever judges it', () => {
  const schema = z.union([z.object({ data: Admin }), z.object({ data: Guest })]);
  const { keep } = compileDescribed(schema);
  for (let count = 0; count < 20; count += 1) {
    const entity = new Entity(rich);

    expect(JSON.parse(JSON.stringify(keep?.({ data: entity })))).toEqual({ data: guest });
    expect(entity.calls).toBe(1);
  }
});

describe('a union that contains itself', () => {
  const Node: z.ZodType = z.union([
    z.object({
      x: z.string(),
      get next() {
        return Node.optional();
      },
    }),
    z.object({
      y: z.string(),
      get next() {
        return Node.optional();
      },
    }),
  ]);

  /** Counts the members that are read of a list of nodes. */
  function readsOf(depth: number): number {
    let reads = 0;
    const count = {
      get: (target: object, key: string) => {
        reads += 1;
        return Reflect.get(target, key);
      },
    };
    let value: object = { z: 1 };
    for (let index = 0; index < depth; index += 1)
      value = new Proxy({ next: value, y: 'y', secret: 1 }, count);
    expect(sent(Node, value)).not.toHaveProperty('secret');
    return reads;
  }

  it('takes work in proportion to the value', () => {
    expect(readsOf(100) / readsOf(50)).toBeLessThan(2.5);
  });

  it('may have a branch that is itself', () => {
    const schema = { anyOf: [{ $ref: '#' }, json.guest] };

    expect(sent({ $defs: { schema }, properties: { data: schema } }, {})).toEqual({});
  });
});
