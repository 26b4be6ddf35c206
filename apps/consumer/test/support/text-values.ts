import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type Type, type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { z } from 'zod';

/** A value that one text carries. */
type Scalar =
  | { readonly kind: 'string' }
  | { readonly kind: 'number' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly texts: readonly [string, ...string[]] }
  | { readonly kind: 'mixed'; readonly texts: readonly [string, ...string[]] };

/** A member of an object within a query. */
type Inner = Scalar | { readonly kind: 'list'; readonly item: Scalar };

type Member =
  | Inner
  | { readonly kind: 'object'; readonly members: Members<Inner> }
  | { readonly kind: 'record'; readonly value: Inner };

type Members<Value> = Readonly<
  Record<string, { readonly value: Value; readonly isOptional: boolean }>
>;

/** What a query or a form contains: an object, a union of several, or a record. */
export type Spec =
  | { readonly kind: 'object'; readonly members: Members<Member> }
  | { readonly kind: 'union'; readonly branches: readonly Members<Member>[] }
  | { readonly kind: 'record'; readonly value: Inner };

export interface Case {
  readonly spec: Spec;
  readonly values: readonly Readonly<Record<string, unknown>>[];
}

const name = fc.stringMatching(/^[a-z][\w.-]{0,5}$/);
const key = fc.stringMatching(/^[\w.é%&=+ [\]-]{1,6}$/).filter((text) => !text.includes('__'));
const word = fc.stringMatching(/^[a-z]{1,4}$/).filter((text) => !/^(?:true|false)$/.test(text));
const texts = fc.uniqueArray(word, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<
  [string, ...string[]]
>;

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  ...(['string', 'number', 'integer', 'boolean'] as const).map((kind) => fc.constant({ kind })),
  ...(['enum', 'mixed'] as const).map((kind) => fc.record({ kind: fc.constant(kind), texts })),
);
const inner: fc.Arbitrary<Inner> = fc.oneof(
  { weight: 2, arbitrary: scalar },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('list'), item: scalar }) },
);

function members<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Members<Value>> {
  const optional = fc.dictionary(name, fc.record({ value, isOptional: fc.boolean() }), {
    maxKeys: 3,
    noNullPrototype: true,
  });
  // An object without any member has no text.
  const required = fc.record({ value, isOptional: fc.constant(false) });
  return fc.tuple(optional, name, required).map(([some, own, one]) => ({ ...some, [own]: one }));
}

const member: fc.Arbitrary<Member> = fc.oneof(
  { weight: 3, arbitrary: inner },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('object'), members: members(inner) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('record'), value: inner }) },
);

const spec: fc.Arbitrary<Spec> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('object'), members: members(member) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('union'),
      branches: fc.array(members(member), { minLength: 2, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('record'), value: inner }) },
);

/** FormData changes line breaks, and half a character has no UTF-8. */
const text = fc.string({ unit: 'grapheme' }).filter((one) => !/[\r\n]/.test(one));

function scalarValue(one: Scalar): fc.Arbitrary<unknown> {
  const number = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (value === 0 ? 0 : value));
  switch (one.kind) {
    case 'string':
      return fc.oneof(text, fc.constantFrom('1', '1.10', 'true', 'null', 'a,b', ' 1 '));
    case 'number':
      return number;
    case 'integer':
      return fc.maxSafeInteger().map((value) => (value === 0 ? 0 : value));
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...one.texts);
    case 'mixed':
      return fc.oneof(number, fc.constantFrom(...one.texts));
  }
}

function memberValue(one: Member): fc.Arbitrary<unknown> {
  switch (one.kind) {
    case 'list':
      return fc.array(scalarValue(one.item), { minLength: 1, maxLength: 3 });
    case 'object':
      return membersValue(one.members);
    case 'record':
      return fc.dictionary(key, memberValue(one.value), {
        minKeys: 1,
        maxKeys: 3,
        noNullPrototype: true,
      });
    default:
      return scalarValue(one);
  }
}

function membersValue(all: Members<Member>): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(all);
  return fc.record(Object.fromEntries(entries.map(([own, one]) => [own, memberValue(one.value)])), {
    requiredKeys: entries.flatMap(([own, one]) => (one.isOptional ? [] : [own])),
    noNullPrototype: true,
  });
}

function specValue(one: Spec): fc.Arbitrary<Record<string, unknown>> {
  if (one.kind === 'object') return membersValue(one.members);
  if (one.kind === 'record')
    return fc.dictionary(name, memberValue(one.value), {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    });
  const branches = one.branches.map((branch, index) =>
    membersValue(branch).map((value) => ({ ...value, branch: `b${index}` })),
  );
  return fc.oneof(...branches);
}

/** Creates random schemas with values. */
export function sampleCases(schemas: number, values: number, seed: number): readonly Case[] {
  const one = spec.chain((own) =>
    fc.record({
      spec: fc.constant(own),
      values: fc.array(specValue(own), { minLength: values, maxLength: values }),
    }),
  );
  return fc.sample(one, { numRuns: schemas, seed });
}

const map = <From, To>(
  all: Members<From>,
  convert: (value: From, isOptional: boolean) => To,
): Record<string, To> =>
  Object.fromEntries(
    Object.entries(all).map(([own, { value, isOptional }]) => [own, convert(value, isOptional)]),
  );

/** How each library writes a spec. */
export const LIBRARIES = {
  zod(one: Spec): z.ZodType<Record<string, unknown>> {
    const write = (own: Member): z.ZodType => {
      if (own.kind === 'string') return z.string();
      if (own.kind === 'number') return z.number();
      if (own.kind === 'integer') return z.int();
      if (own.kind === 'boolean') return z.boolean();
      if (own.kind === 'enum') return z.enum(own.texts);
      if (own.kind === 'mixed') return z.union([z.number(), z.enum(own.texts)]);
      if (own.kind === 'list') return z.array(write(own.item));
      if (own.kind === 'record') return z.record(z.string(), write(own.value));
      return z.object(shape(own.members));
    };
    const shape = (all: Members<Member>) =>
      map(all, (value, isOptional) => (isOptional ? write(value).optional() : write(value)));
    if (one.kind === 'record') return z.record(z.string(), write(one.value));
    if (one.kind === 'object') return z.object(shape(one.members));
    const branches = one.branches.map((branch, index) =>
      z.object({ ...shape(branch), branch: z.literal(`b${index}`) }),
    );
    return z.discriminatedUnion('branch', branches as unknown as [(typeof branches)[0]]);
  },

  valibot(one: Spec) {
    const write = (own: Member): v.GenericSchema => {
      if (own.kind === 'string') return v.string();
      if (own.kind === 'number') return v.number();
      if (own.kind === 'integer') return v.pipe(v.number(), v.safeInteger());
      if (own.kind === 'boolean') return v.boolean();
      if (own.kind === 'enum') return v.picklist(own.texts);
      if (own.kind === 'mixed') return v.union([v.number(), v.picklist(own.texts)]);
      if (own.kind === 'list') return v.array(write(own.item));
      if (own.kind === 'record') return v.record(v.string(), write(own.value));
      return v.object(entries(own.members));
    };
    const entries = (all: Members<Member>) =>
      map(all, (value, isOptional) => (isOptional ? v.optional(write(value)) : write(value)));
    const whole = (): v.GenericSchema<Record<string, unknown>> => {
      if (one.kind === 'record') return v.record(v.string(), write(one.value));
      if (one.kind === 'object') return v.object(entries(one.members));
      return v.union(
        one.branches.map((branch, index) =>
          v.object({ ...entries(branch), branch: v.literal(`b${index}`) }),
        ),
      );
    };
    return toStandardJsonSchema(whole());
  },

  arktype(one: Spec): Type<Record<string, unknown>> {
    const write = (own: Member): Type => {
      if (own.kind === 'string') return type('string') as Type;
      if (own.kind === 'number') return type('number') as Type;
      if (own.kind === 'integer') return type('number.safe & number.integer') as Type;
      if (own.kind === 'boolean') return type('boolean') as Type;
      if (own.kind === 'enum') return type.enumerated(...own.texts) as Type;
      if (own.kind === 'mixed') return type('number').or(type.enumerated(...own.texts)) as Type;
      if (own.kind === 'list') return write(own.item).array() as Type;
      if (own.kind === 'record') return type({ '[string]': write(own.value) }) as Type;
      return object(own.members);
    };
    const object = (all: Members<Member>, others: object = {}): Type => {
      const entries = Object.entries(all).map(([own, { value, isOptional }]) => [
        isOptional ? `${own}?` : own,
        write(value),
      ]);
      return type({ ...Object.fromEntries(entries), ...others }) as Type;
    };
    if (one.kind === 'record')
      return type({ '[string]': write(one.value) }) as Type<Record<string, unknown>>;
    if (one.kind === 'object') return object(one.members) as Type<Record<string, unknown>>;
    const branches = one.branches.map((branch, index) => object(branch, { branch: `'b${index}'` }));
    return branches.reduce((all, branch) => all.or(branch) as Type) as Type<
      Record<string, unknown>
    >;
  },
};
