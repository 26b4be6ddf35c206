import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileDescribed } from './described.js';

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

describe('what a schema of zod describes', () => {
  it('is what zod returns for a valid value, in every union', () => {
    fc.assert(
      fc.property(schema, value, (one, sent) => {
        const result = one.safeParse(sent);
        fc.pre(result.success);
        const { keep } = compileDescribed(one);
        expect(JSON.parse(JSON.stringify(keep?.(sent) ?? sent))).toEqual(
          JSON.parse(JSON.stringify(result.data)),
        );
      }),
      { numRuns: cases(300), maxSkipsPerRun: 1000 },
    );
  });
});
