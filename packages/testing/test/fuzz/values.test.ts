import { DocumentSchemas } from '@fairlead/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listFaults } from '../../src/fuzz/faults.js';
import { Values } from '../../src/fuzz/values.js';

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const Tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
  z.object({ kind: z.literal('square'), side: z.number().max(10) }),
]);
const SCHEMAS: readonly (readonly [string, z.ZodType])[] = [
  ['integers', z.int().min(-3).max(7)],
  ['integers above a bound', z.int().gt(5).multipleOf(5)],
  ['numbers', z.number().min(0.5).lt(2)],
  ['text of a length', z.string().min(2).max(4)],
  ['patterns', z.string().regex(/^[A-Z]{3}-\d+$/)],
  ['email addresses', z.email()],
  ['UUIDs', z.uuid()],
  [
    'dates and times',
    z.strictObject({ at: z.iso.datetime(), on: z.iso.date(), time: z.iso.time() }),
  ],
  ['addresses', z.object({ url: z.url(), v4: z.ipv4(), v6: z.ipv6() })],
  ['enumerations', z.enum(['a', 'b']).or(z.literal(7)).nullable()],
  ['optional members', z.strictObject({ a: z.string().optional(), b: z.boolean() })],
  ['lists', z.array(z.int()).min(1).max(3)],
  ['tuples', z.tuple([z.string(), z.int()])],
  ['dictionaries', z.record(z.string().regex(/^[a-z]+$/), z.boolean())],
  ['unions', z.array(Shape)],
  ['intersections', z.object({ a: z.string() }).and(z.object({ b: z.int() }))],
  ['schemas that contain themselves', Tree],
];

describe('Values', () => {
  it.each(SCHEMAS)('generates %s', (_, schema) => {
    const json = z.toJSONSchema(schema, { io: 'input' });
    const values = new Values(new DocumentSchemas(json)).of(json);
    fc.assert(
      fc.property(values, (value) => {
        // As a request carries it.
        const sent: unknown = JSON.parse(JSON.stringify(value));
        expect(schema.safeParse(sent).error).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

describe('reaches', () => {
  it.each<readonly [string, z.ZodType, unknown]>([
    ['the least integer', z.int().min(1).max(1000), 1],
    ['the largest integer', z.int().min(1).max(1000), 1000],
    ['the largest multiple', z.int().min(0).max(1000).multipleOf(5), 1000],
    ['zero', z.int(), 0],
    ['a negative integer', z.int(), -1],
    ['the least number', z.number().min(0.5).max(99.5), 0.5],
    ['the largest number', z.number().min(0.5).max(99.5), 99.5],
    ['the empty text', z.string().max(100), ''],
    ['the longest text', z.string().max(100), 'x'.repeat(100)],
    ['the shortest text', z.string().min(3).max(100), 'xxx'],
    ['the longest list', z.array(z.literal(1)).max(10), Array(10).fill(1)],
    ['the empty list', z.array(z.int()).max(10), []],
    [
      'the limit of a member that may be absent',
      z.object({ a: z.int().max(50).optional() }),
      { a: 50 },
    ],
  ])('%s within the requests of a route', (_, schema, wanted) => {
    const json = z.toJSONSchema(schema, { io: 'input' });
    const values = new Values(new DocumentSchemas(json)).of(json);
    const seeds = Array.from({ length: 20 }, (_unused, seed) => seed);
    const found = seeds.filter((seed) =>
      fc
        .sample(values, { numRuns: 20, seed })
        .some((value) => JSON.stringify(value) === JSON.stringify(wanted)),
    );
    expect(found.length).toBeGreaterThan(17);
  });
});

describe('listFaults', () => {
  it.each(SCHEMAS)('breaks %s', (_, schema) => {
    const json = z.toJSONSchema(schema, { io: 'input' });
    const schemas = new DocumentSchemas(json);
    const [value] = fc.sample(new Values(schemas).of(json), { numRuns: 1, seed: 1 });
    const broken = listFaults(schemas, json, false).flatMap(
      ({ apply }) => apply(value)?.value ?? [],
    );
    const refused = broken.filter((one) => schemas.findMisfit(json, one) !== undefined);
    expect(refused).not.toEqual([]);
    for (const one of refused) expect(schema.safeParse(one).success).toBe(false);
  });
});
