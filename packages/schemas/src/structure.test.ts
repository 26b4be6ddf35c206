import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandardSchema } from './standard-schema.js';
import {
  acceptsAbsence,
  mayAccept,
  requiresMember,
  type Structure,
  structureOf,
} from './structure.js';

const fail = () => {
  throw new Error('A start called a function of the application.');
};

/** Writes a structure as short text. */
function write({ kinds, texts, convertsText, isPreprocessed, lists, objects }: Structure): unknown {
  const plain = [...kinds].filter((kind) => kind !== 'list' && kind !== 'object');
  const own = plain.map((kind) => (kind === 'string' && texts ? `'${[...texts].join()}'` : kind));
  const marks = [...(convertsText ? ['text'] : []), ...(isPreprocessed ? ['pre'] : [])];
  const inside = [
    ...lists.map(({ items, rest }) => [...items.map(write), rest && write(rest)]),
    ...objects.map(({ members, rest }) => ({
      ...Object.fromEntries([...members].map(([name, member]) => [name, write(member)])),
      ...(rest && { '*': write(rest) }),
    })),
  ];
  const scalars = [...own.toSorted(), ...marks].join(' ');
  return inside.length === 0 ? scalars : [scalars, ...inside];
}

const list = (item: string) => ['', [item]];

describe('structureOf()', () => {
  it.each<[string, StandardSchema, unknown]>([
    ['string', z.string().min(3).refine(fail), 'string'],
    ['number', z.int().min(1), 'number'],
    ['coerced number', z.coerce.number(), 'string text'],
    ['coerced string', z.coerce.string(), 'string undefined text'],
    ['coerced date', z.coerce.date(), 'string text'],
    ['coerced boolean', z.coerce.boolean(), 'boolean undefined text'],
    ['optional', z.string().optional(), 'string undefined'],
    ['default', z.number().default(fail), 'number undefined'],
    ['prefault', z.number().prefault(fail), 'number undefined'],
    ['catch', z.number().catch(fail), 'number undefined text'],
    ['nullable', z.string().nullable(), 'null string'],
    ['nonoptional', z.string().optional().nonoptional(), 'string'],
    ['brand and readonly', z.array(z.bigint()).brand('x').readonly(), list('bigint')],
    ['transform', z.string().transform<number>(fail).pipe(z.number()), 'string'],
    ['codec', z.codec(z.number(), z.string(), { decode: fail, encode: fail }), 'number'],
    ['stringbool', z.stringbool(), 'string'],
    ['preprocess', z.preprocess(fail, z.array(z.number())), ['text pre', ['string text pre']]],
    ['lazy', z.lazy(() => z.boolean()), 'boolean'],
    ['a getter that fails', z.lazy(fail), 'any'],
    ['union', z.union([z.literal('all'), z.number()]), "'all' number"],
    ['enum', z.enum(['a', 'b']), "'a,b'"],
    ['numeric enum', z.enum({ A: 1, B: 2 } as const), 'number'],
    ['literals', z.literal(['a', 1, null]), "'a' null number"],
    ['template literal', z.templateLiteral(['a', z.number()]), 'string'],
    ['custom', z.custom(fail), 'any'],
    ['any', z.any(), 'any undefined'],
    ['map', z.map(z.string(), z.string()), 'other'],
    ['tuple', z.tuple([z.string()], z.number()), ['', ['string', 'number']]],
    [
      'object',
      z.object({ a: z.string(), b: z.number().optional() }),
      ['', { a: 'string', b: 'number undefined' }],
    ],
    ['strict', z.strictObject({ a: z.string() }), ['', { a: 'string', '*': '' }]],
    ['loose', z.looseObject({ a: z.string() }), ['', { a: 'string', '*': 'any undefined' }]],
    ['catchall', z.object({}).catchall(z.array(z.string())), ['', { '*': list('string') }]],
    ['record', z.record(z.string(), z.number()), ['', { '*': 'number' }]],
    [
      'record of an enum',
      z.record(z.enum(['a', 'b']), z.number()),
      ['', { a: 'number', b: 'number' }],
    ],
    [
      'intersection',
      z.object({ a: z.string() }).and(z.object({ b: z.date() })),
      ['', { a: 'string', b: 'date' }],
    ],
    [
      'discriminated union',
      z.discriminatedUnion('k', [
        z.object({ k: z.literal('x') }),
        z.object({ k: z.literal('y'), n: z.number() }),
      ]),
      ['', { k: "'x'" }, { k: "'y'", n: 'number' }],
    ],
  ])('reads zod: %s', (_, schema, expected) => {
    expect(write(structureOf(schema))).toEqual(expected);
  });

  it.each<[string, StandardSchema, unknown]>([
    [
      'pipe',
      v.pipe(v.string(), v.check(fail), v.transform<string, number>(fail), v.number()),
      'string',
    ],
    ['optional with a default', v.optional(v.number(), fail), 'number undefined'],
    ['nullish', v.nullish(v.boolean()), 'boolean null undefined'],
    ['non-nullish', v.nonNullish(v.nullish(v.boolean())), 'boolean'],
    ['fallback', v.fallback(v.number(), fail), 'number undefined text'],
    ['custom', v.custom(fail), 'any'],
    ['unknown', v.unknown(), 'any undefined'],
    ['lazy', v.lazy(() => v.array(v.date())), list('date')],
    ['a lazy schema that reads its input', v.lazy((input) => (input ? v.string() : fail())), 'any'],
    ['union', v.union([v.picklist(['a']), v.array(v.bigint())]), ["'a'", ['bigint']]],
    ['variant', v.variant('k', [v.object({ k: v.literal('x') })]), ['', { k: "'x'" }]],
    [
      'intersection',
      v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]),
      ['', { a: 'string', b: 'string' }],
    ],
    ['rest', v.objectWithRest({ a: v.string() }, v.number()), ['', { a: 'string', '*': 'number' }]],
    ['record', v.record(v.picklist(['a']), v.number()), ['', { a: 'number' }]],
    ['tuple', v.looseTuple([v.string()]), ['', ['string', 'any']]],
    ['with a converter', toStandardJsonSchema(v.pipe(v.string(), v.toNumber())), 'string'],
  ])('reads valibot: %s', (_, schema, expected) => {
    expect(write(structureOf(schema))).toEqual(expected);
  });

  it.each<[string, StandardSchema, unknown]>([
    ['morph', type('string.numeric.parse'), 'string'],
    ['pipe', type('string').pipe(fail), 'string'],
    ['date parser', type('string.date.parse'), 'string'],
    ['narrow', type('number').narrow(fail), 'number'],
    ['narrowed unknown', type('unknown').narrow(fail), 'any'],
    ['unknown', type('unknown'), 'any undefined'],
    ['union', type("'all' | number[] | undefined"), ["'all' undefined", ['number']]],
    ['boolean', type('boolean'), 'boolean'],
    ['constraint', type('Date > 2020'), 'date'],
    ['unit', type('undefined'), 'undefined'],
    [
      'object',
      type({ a: 'bigint', 'b?': 'string', c: 'number = 1' }),
      ['', { a: 'bigint', c: 'number undefined', b: 'string undefined' }],
    ],
    ['index', type({ '[string]': 'string[]' }), ['', { '*': list('string') }]],
    ['tuple', type(['string', '...', 'number[]']), ['', ['string', 'number']]],
    [
      'cycle',
      type({ 'next?': 'this', n: 'number' }),
      ['', expect.objectContaining({ n: 'number' })],
    ],
    ['instance', type.instanceOf(Map), 'other'],
  ])('reads arktype: %s', (_, schema, expected) => {
    expect(write(structureOf(schema))).toEqual(expected);
  });

  it('ends for schemas that contain themselves, or create others', () => {
    const Node: z.ZodType = z.lazy(() => z.object({ next: Node }));
    const create = (): z.ZodType => z.lazy(() => z.object({ next: create(), other: create() }));
    const wrap = (): z.ZodType => z.lazy(wrap);
    const vine = (): v.GenericSchema => v.lazy(() => v.object({ next: vine() }));
    for (const schema of [Node, create(), vine()]) {
      expect(write(structureOf(schema))).toEqual(
        ['', expect.anything()].slice(0, 1).concat(expect.anything()),
      );
    }
    expect(write(structureOf(wrap()))).toBe('any');
  });

  it('reads JSON Schema of other libraries, where a part that is unknown costs only itself', () => {
    const json = {
      $ref: '#/$defs/Query',
      $defs: {
        Query: {
          type: 'object',
          properties: {
            page: { type: 'integer' },
            tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
            since: {},
            kind: { enum: ['a', 1] },
            both: { allOf: [{ type: ['string', 'null'] }, { minLength: 1 }] },
          },
          required: ['page', 'tags', 'since', 'kind', 'both'],
          additionalProperties: false,
        },
      },
    };
    const convert = { input: () => json, output: fail };
    const schema: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'other',
        validate: fail,
        get jsonSchema() {
          return convert;
        },
      },
    };
    expect(write(structureOf(schema))).toEqual([
      '',
      {
        page: 'number',
        tags: ['null', ['string']],
        since: 'any',
        kind: "'a' number",
        both: 'null string',
        '*': '',
      },
    ]);
    expect(structureOf(schema).isExact).toBe(false);
  });

  it('knows nothing about a schema that publishes nothing, or fails', () => {
    const standard = { version: 1, vendor: 'other', validate: fail } as const;
    const failing = { ...standard, jsonSchema: { input: fail, output: fail } };
    const lying = { ...standard, vendor: 'zod' };
    for (const one of [standard, failing, lying]) {
      expect(write(structureOf({ '~standard': one }))).toBe('any');
    }
  });
});

describe('acceptsAbsence()', () => {
  it.each<[StandardSchema, boolean | undefined]>([
    [z.object({}), false],
    [z.object({}).optional(), true],
    [z.object({}).default(fail), true],
    [z.any(), true],
    [z.custom(fail), undefined],
    [z.preprocess(fail, z.string()), undefined],
    [z.string().optional().transform(fail), true],
    [v.pipe(v.string(), v.check(fail)), false],
    [v.optional(v.string()), true],
    [type('string | undefined'), true],
    [type('string').pipe(fail), false],
    [{ '~standard': { version: 1, vendor: 'other', validate: fail } }, undefined],
  ])('reads the structure', (schema, expected) => {
    expect(acceptsAbsence(schema)).toBe(expected);
  });
});

describe('requiresMember()', () => {
  it.each([
    [z.object({ a: z.string() }), true],
    [z.union([z.object({ a: z.string() }), z.object({ a: z.number(), b: z.string() })]), true],
    [v.object({ a: v.string() }), true],
    [z.object({ a: z.string().optional() }), false],
    [z.object({ a: z.string().default('') }), false],
    [z.object({ a: z.preprocess((text) => text ?? '', z.string()) }), false],
    [z.object({ b: z.string() }), false],
    [z.union([z.object({ a: z.string() }), z.object({})]), false],
    [z.object({ a: z.string() }).optional(), false],
  ])('tells whether a schema rejects that a member is absent', (schema, isRequired) => {
    expect(requiresMember(schema, 'a')).toBe(isRequired);
  });
});

describe('mayAccept', () => {
  const strict = z.strictObject({ sub: z.string() });

  it.each<[unknown, StandardSchema]>([
    [1, z.string()],
    ['b', z.enum(['a'])],
    [[1], z.array(z.string())],
    [[1], z.string()],
    [{ iss: 'a' }, strict],
    [{ exp: 1 }, z.object({ exp: z.date() })],
    [{ exp: 1 }, v.object({ exp: v.string() })],
    [{ exp: 1 }, type({ exp: 'string' })],
    [{ a: [{ b: 1 }] }, z.object({ a: z.array(z.object({ b: z.string() })) })],
    [new Date(), z.string()],
  ])('refuses %j where its structure does', (value, schema) => {
    expect(mayAccept(schema, value)).toBe(false);
  });

  it.each<[unknown, StandardSchema]>([
    [1, z.coerce.string()],
    ['1', z.coerce.number()],
    [1, z.string().catch('a')],
    [1, z.preprocess(String, z.string())],
    [1, z.any()],
    [{}, strict],
    [{ iss: 'a' }, z.object({ sub: z.string() })],
    [{ iss: 'a' }, z.looseObject({})],
    [{ iss: 'a' }, z.union([strict, z.object({})])],
    [{ exp: 1 }, z.object({ exp: z.date().or(z.number()) })],
    [['a', 1], z.tuple([z.string(), z.number()])],
    [[], z.array(z.string())],
    [undefined, z.string().optional()],
    [new Map(), z.string()],
    [new Date(), z.date()],
  ])('accepts %j where its structure may', (value, schema) => {
    expect(mayAccept(schema, value)).toBe(true);
  });
});
