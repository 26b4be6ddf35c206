import { cases } from '@fairlead/test-support/properties';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { sent } from '../test/support/sent.js';

const value = fc.constantFrom<unknown>(
  ...[undefined, null, Number.NaN, 0, 1, 0.3, 0.30000000001, true, [], ['x'], {}, { a: 1 }],
  ...['', 'x', 'X', 'xy', ' x ', 'x\ny', 'x1', '\u{1F600}', 'true', '::1', 'eA==', 'never'],
  ...['https://a', 'http://a', 'mailto:a', '1970-01-01T00:00:00.000Z', '1970-01-01', 'a@b.co'],
  ...[new Date(0), new Date(5), new Date(Number.NaN)],
);
const given = fc
  .record({ one: value, other: value }, { requiredKeys: [] })
  .map((members) => ({ ...members, x: '1', y: '2', z: '3' }));
const name = fc.constantFrom('x', 'y', 'z');

/** Lists the members that only some branches have, and that are sent. */
function sentMembers(schema: object, one: object): string[] {
  return Object.keys(Object(sent(schema, one))).filter((key) => ['x', 'y', 'z'].includes(key));
}

const valibotSchema = fc.constantFrom<v.GenericSchema>(
  ...[v.undefined(), v.void(), v.date(), v.nan(), v.bigint(), v.null(), v.string(), v.number()],
  ...[v.any(), v.unknown(), v.undefinedable(v.string()), v.optional(v.string())],
  ...[v.optional(v.string(), 'x'), v.nullable(v.string()), v.nullish(v.string())],
  ...[v.literal('x'), v.picklist(['x', 'y']), v.fallback(v.string(), 'x'), v.object({})],
  ...[v.array(v.string()), v.tuple([v.string()]), v.record(v.string(), v.number())],
  v.pipe(v.string(), v.email()),
  v.pipe(v.string(), v.url()),
  v.pipe(v.string(), v.ip()),
  v.pipe(v.string(), v.isoTimestamp()),
  v.pipe(v.string(), v.regex(/^x$/i)),
  v.pipe(v.string(), v.regex(/^.$/)),
  v.pipe(v.string(), v.regex(/x/g)),
  v.pipe(v.string(), v.trim(), v.maxLength(1)),
  v.pipe(v.string(), v.maxLength(1), v.trim()),
  v.pipe(v.string(), v.toLowerCase(), v.regex(/^x$/)),
  v.pipe(v.string(), v.startsWith('x'), v.endsWith('y')),
  v.pipe(v.string(), v.base64()),
  v.pipe(v.string(), v.transform(Number), v.number()),
  v.pipe(v.string(), v.toNumber()),
  v.pipe(v.string(), v.picklist(['y']), v.string()),
  v.pipe(
    v.string(),
    v.check((text) => text === 'x'),
  ),
  v.pipe(v.number(), v.multipleOf(0.1)),
  v.pipe(v.number(), v.integer()),
  v.pipe(v.date(), v.minValue(new Date(1))),
  v.lazy(() => v.pipe(v.string(), v.trim(), v.minLength(1))),
  v.custom<string>((one) => one === 'x'),
);

const arktypeSchema = fc.constantFrom<unknown>(
  ...['undefined', 'string | undefined', 'Date', 'bigint', 'null', 'string', 'number', 'unknown'],
  ...["Date > d'1970-01-01T00:00:00.001Z'", "'x'", "'x' | 'y'", 'string.email', 'string.url'],
  ...['string.date.iso', 'string.json', 'string.trim', 'string.numeric.parse', '/^x/ & /y$/'],
  ...['string < 2', 'number % 2', 'string[]', 'object', 'boolean', 'number.NaN', 'symbol'],
  ...[/^x$/i, /^.$/, /^x.y$/s, { 'a?': 'number' }, { '+': 'reject', 'a?': 'number' }, ['string']],
);

/** Returns undefined for branches that convert the same value, which arktype refuses. */
function unite(one: type.Any, other: type.Any): object | undefined {
  try {
    return one.or(other);
  } catch {
    return undefined;
  }
}

describe('a union sends no members of a branch that its library does not choose:', () => {
  it('valibot', () => {
    const branch = fc
      .tuple(valibotSchema, valibotSchema, name)
      .map(([one, other, key]) => v.object({ one, other, [key]: v.optional(v.string()) }));
    const union = fc.array(branch, { minLength: 2, maxLength: 3 }).map((all) => v.union(all));
    fc.assert(
      fc.property(union, given, (one, members) => {
        const result = v.safeParse(one, members);
        fc.pre(result.success);
        const chosen = Object.keys(Object(result.output));
        expect(chosen).toEqual(
          expect.arrayContaining(sentMembers(toStandardJsonSchema(one), members)),
        );
      }),
      { numRuns: cases(500), maxSkipsPerRun: 1000 },
    );
  });

  it('arktype', () => {
    const branch = fc.tuple(arktypeSchema, arktypeSchema, name).map(([one, other, key]) => ({
      key,
      schema: type({ one, other, [`${key}?`]: 'string' } as object) as type.Any,
    }));
    fc.assert(
      fc.property(branch, branch, given, (first, second, members) => {
        const fitting = [first, second].filter(({ schema }) => schema.allows(members));
        fc.pre(fitting.length === 1);
        const union = unite(first.schema, second.schema);
        fc.pre(union !== undefined);
        const keys = fitting.map(({ key }) => key);
        expect(keys).toEqual(expect.arrayContaining(sentMembers(Object(union), members)));
      }),
      { numRuns: cases(60), maxSkipsPerRun: 1000 },
    );
  });
});
