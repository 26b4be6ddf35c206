import {
  acceptsAbsence,
  isStandardSchema,
  type StandardSchema,
  toJsonSchema,
} from '@fairlead/schemas';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { content } from './content.js';
import { schemaClass } from './schema-class.js';

describe('schemaClass', () => {
  class NewUser extends schemaClass(z.object({ name: z.string(), age: z.number().default(1) })) {
    get label(): string {
      return `${this.name} (${this.age})`;
    }
  }

  it('creates a class that is a schema and the type of its instances', async () => {
    const result = await NewUser['~standard'].validate({ name: 'Ada', admin: true });

    expect(result).toEqual({ value: { name: 'Ada', age: 1 } });
    expect(result).toHaveProperty('value.label', 'Ada (1)');
    expect('value' in result && result.value).toBeInstanceOf(NewUser);
    expectTypeOf<NewUser['name']>().toEqualTypeOf<string>();
    expect(isStandardSchema(NewUser)).toBe(true);
  });

  it('passes the issues of the schema on', async () => {
    expect(await NewUser['~standard'].validate({})).toMatchObject({ issues: [{ path: ['name'] }] });
  });

  it('validates asynchronously if the schema does', async () => {
    class Free extends schemaClass(z.object({ a: z.string().refine(async (a) => a !== 'b') })) {}

    expect(await Free['~standard'].validate({ a: 'a' })).toEqual({ value: { a: 'a' } });
    expect(await Free['~standard'].validate({ a: 'b' })).toHaveProperty('issues.length', 1);
  });

  it('has a constructor that takes the members', () => {
    expect(new NewUser({ name: 'Ada', age: 2 }).label).toBe('Ada (2)');
    // @ts-expect-error: the age is missing.
    expect(() => new NewUser({ name: 'Ada' })).not.toThrow();
  });

  it('names the class in its JSON Schema, unless the schema has a title', () => {
    class Titled extends schemaClass(z.object({}).meta({ title: 'Other' })) {}

    expect(toJsonSchema(NewUser, 'input', 'draft-2020-12')).toMatchObject({
      title: 'NewUser',
      required: ['name'],
    });
    expect(toJsonSchema(NewUser, 'output', 'draft-2020-12')).toMatchObject({
      required: ['name', 'age'],
    });
    expect(toJsonSchema(Titled, 'input', 'draft-07')).toMatchObject({ title: 'Other' });
  });

  it('has the schema, for the functions of its library', () => {
    const list = z.array(NewUser.schema);

    expect(list.parse([{ name: 'Ada' }])).toEqual([{ name: 'Ada', age: 1 }]);
    expectTypeOf(list.parse([])).toEqualTypeOf<{ name: string; age: number }[]>();
    expectTypeOf(NewUser.schema.shape.name).toEqualTypeOf<z.ZodString>();
  });

  it('takes a schema of any validator, without JSON Schema if it has none', async () => {
    class Valibot extends schemaClass(v.object({ a: v.string() })) {}
    class Ark extends schemaClass(type({ a: 'string' })) {}

    expect(await Valibot['~standard'].validate({ a: 'x' })).toEqual({ value: { a: 'x' } });
    expect(await Ark['~standard'].validate({ a: 'x' })).toEqual({ value: { a: 'x' } });
    expect(toJsonSchema(Valibot, 'input', 'draft-07')).toBeUndefined();
    // @ts-expect-error: instances must be objects.
    schemaClass(z.string());
  });
});

it('hands the options of a validator to its conversion', () => {
  const schema = z.object({ at: z.date() });
  const libraryOptions = { unrepresentable: 'any' };

  expect(() => toJsonSchema(schema, 'input', 'draft-07')).toThrow('Date');
  expect(toJsonSchema(schema, 'input', 'draft-07', libraryOptions)).toMatchObject({
    properties: { at: {} },
  });
});

describe('the structure of a schema from core', () => {
  const fail = () => {
    throw new Error('A start called a function of the application.');
  };

  it.each<[StandardSchema, boolean]>([
    [schemaClass(z.object({}).refine(fail)), false],
    [class extends schemaClass(v.object({ a: v.string() })) {}, false],
    [content({ 'text/csv': {}, 'application/json': z.string().optional() }), true],
    [content({ 'text/csv': {} }), false],
    [content(null), true],
  ])('tells whether a value may be absent', (schema, expected) => {
    expect(acceptsAbsence(schema)).toBe(expected);
  });
});
