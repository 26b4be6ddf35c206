import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sent } from '../test/support/sent.js';
import { removedPaths } from './strip-undescribed.js';

// Compiling a schema takes longer than parsing one value.
z.config({ jitless: true });

const names = ['a', 'b', 'c'] as const;

const { schema } = fc.letrec<{ schema: z.ZodType }>((tie) => {
  const inner = tie('schema');
  const members = fc.dictionary(fc.constantFrom(...names), inner, {
    maxKeys: 3,
    noNullPrototype: true,
  });
  const objects = fc
    .tuple(members, fc.constantFrom('strip', 'strict', 'loose', 'optional'))
    .map(([shape, mode]): z.ZodType => {
      if (mode === 'strict') return z.strictObject(shape);
      if (mode === 'loose') return z.looseObject(shape);
      return mode === 'optional' ? z.object(shape).partial() : z.object(shape);
    });
  return {
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<z.ZodType>(
        z.string(),
        z.string().min(2),
        z.string().max(1),
        z.string().regex(/^x/),
        z.email(),
        z.number(),
        z.int(),
        z.number().gt(1),
        z.boolean(),
        z.null(),
        z.literal('x'),
        z.literal([1, 'yy']),
        z.enum(['x', 'yy']),
        z.any(),
        z.never().optional(),
      ),
      objects,
      inner.map((one) => z.array(one)),
      inner.map((one) => z.array(one).min(1).max(2)),
      fc.tuple(inner, inner).map(([one, other]) => z.tuple([one, other])),
      inner.map((one) => one.nullable()),
      inner.map((one) => z.record(z.string(), one)),
      inner.map((one) => z.record(z.string().regex(/^[ab]/), one)),
      inner.map((one) => z.partialRecord(z.literal('a'), one)),
      fc.array(inner, { minLength: 2, maxLength: 3 }).map((all) => z.union(all)),
      // The JSON Schema of zod loses what the parts of an intersection do with other members.
      fc
        .tuple(members, members, members)
        .map(([one, two, three]) => z.object(one).and(z.union([z.object(two), z.object(three)]))),
      fc
        .tuple(members, members)
        .map(([one, other]) =>
          z.discriminatedUnion('kind', [
            z.object({ ...one, kind: z.literal('x') }),
            z.object({ ...other, kind: z.enum(['yy', 'z']) }),
          ]),
        ),
    ),
  };
});

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>('x', 'yy', 'xyz', '', 'a@b.co', 0, 1, 1.5, 2, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, 'kind', 'secret'), tie('value'), {
      noNullPrototype: true,
    }),
  ),
})).value;

/** What JSON Schema cannot express, or expresses by something weaker or stricter. */
const scalar = fc.constantFrom<z.ZodType>(
  z.undefined(),
  z.undefined().optional(),
  z.void(),
  z.date(),
  z.date().min(new Date(1)),
  z.coerce.date(),
  z.coerce.string(),
  z.coerce.number(),
  z.nan(),
  z.literal(undefined),
  z.literal(['x', undefined]),
  z.url(),
  z.url({ protocol: /^https$/ }),
  z.url({ hostname: /^a$/ }),
  z.httpUrl(),
  z.ipv6(),
  z.base64(),
  z.jwt(),
  z.stringFormat('x', (text) => text === 'x'),
  z.stringFormat('x', /^x$/),
  z.string().regex(/^.$/),
  z.string().regex(/^x$/i),
  z.string().regex(/^x.y$/s),
  z.string().regex(/^\p{Lu}$/u),
  z.string().regex(/x/g),
  z.string().startsWith('x').endsWith('y'),
  z.string().includes('y', { position: 1 }),
  z.string().trim().max(1),
  z.string().max(1).trim(),
  z.string().toLowerCase().regex(/^x$/),
  z.string().refine((text) => text.length > 1),
  z.string().min(2).optional(),
  z.string().default('x'),
  z.string().prefault('x'),
  z.string().default('x').nonoptional(),
  z.string().optional().nonoptional(),
  z.string().catch('x'),
  z.string().pipe(z.string().max(1)),
  z.preprocess((value) => String(value), z.string()),
  z.stringbool(),
  z.string().meta({ default: 'x' }),
  z.any(),
  z.unknown(),
  z.any().refine((value) => value !== undefined),
  z.custom<string>((value) => value === 'x'),
  z.custom<string>(),
  z.number(),
  z.number().multipleOf(0.1),
  z.number().int(),
  z.null(),
  z.string(),
  z.iso.datetime(),
  z.templateLiteral(['x', z.number()]),
  z.string().nullable(),
  z.undefined().or(z.string()),
);

const special = fc.constantFrom<unknown>(
  ...[undefined, null, Number.NaN, Number.POSITIVE_INFINITY, 0, 1, 0.3, 0.30000000001, true],
  ...['', 'x', 'X', 'xy', ' x ', 'x\ny', 'x1', '\u{1F600}', 'true', '::1', 'eA==', 'xay'],
  ...['never', 'https://a', 'http://a', 'mailto:a', '1970-01-01T00:00:00.000Z', '1970-01-01'],
  ...[new Date(0), new Date(5), new Date(Number.NaN)],
);

describe('what a schema of zod describes', () => {
  it('is what zod returns for a valid value, in every union', () => {
    fc.assert(
      fc.property(schema, value, (one, given) => {
        const result = one.safeParse(given);
        fc.pre(result.success);
        expect(sent(one, given)).toEqual(JSON.parse(JSON.stringify(result.data)));
      }),
      { numRuns: cases(300), maxSkipsPerRun: 1000 },
    );
  });

  it('is never more than what zod returns, in a union of what JSON Schema cannot express', () => {
    const member = fc.oneof(
      scalar,
      scalar.map((one) => z.array(one)),
      scalar.map((one) => z.tuple([one])),
    );
    const branch = fc
      .tuple(member, member, fc.constantFrom('x', 'y', 'z'))
      .map(([one, other, name]) => z.object({ one, other, [name]: z.string().optional() }));
    const union = fc.array(branch, { minLength: 2, maxLength: 3 }).map((all) => z.union(all));
    const part = fc.oneof(
      special,
      special.map((one) => [one]),
    );
    const given = fc.record({ one: part, other: part }, { requiredKeys: [] });
    fc.assert(
      fc.property(union, given, (one, members) => {
        const value = { ...members, x: '1', y: '2', z: '3' };
        const result = one.safeParse(value);
        fc.pre(result.success);
        expect(removedPaths(sent(one, value), result.data)).toEqual([]);
      }),
      { numRuns: cases(500), maxSkipsPerRun: 1000 },
    );
  });
});
