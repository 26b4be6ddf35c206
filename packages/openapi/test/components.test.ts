import { createApp, type Handler, schemaClass } from '@fairlead/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument } from '../src/index.js';
import { findMetaSchemaErrors } from './support/validators.js';

const ok: Handler = () => null;

/** Describes routes `POST /a`, `POST /b`, … with a body, or with a response. */
function documentOf(
  ...routes: readonly ({ readonly body: object } | { readonly response: object })[]
) {
  const app = createApp();
  for (const [index, options] of routes.entries()) {
    // A JSON Schema is no body, but the document does not care.
    app.on('POST', `/${'abcdef'[index]}`, { hidden: false, ...options } as object, ok);
  }
  const document = createDocument(app, { info: { title: 'Test', version: '1' } });
  const { Problem, ValidationProblem, ValidationIssue, ...schemas } =
    document.components.schemas ?? {};
  const found = Object.values(document.paths).map(({ post }) => {
    const { requestBody, responses } = Object(post);
    return (requestBody ?? responses[200]).content['application/json'].schema;
  });
  return { document, schemas, found };
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('a schema becomes a component', () => {
  it.each([
    ['an ID of zod', z.object({ a: z.string() }).meta({ id: 'User' }), 'User'],
    ['a title of zod', z.object({ a: z.string() }).meta({ title: 'The user' }), 'TheUser'],
    ['an ID and a title', z.string().meta({ id: 'Email', title: 'E-mail' }), 'Email'],
    [
      'a title of valibot',
      toStandardJsonSchema(v.pipe(v.object({ a: v.string() }), v.title('User'))),
      'User',
    ],
    [
      'the name of its class',
      class User extends schemaClass(z.object({ a: z.string() })) {},
      'User',
    ],
    ['an $id', { $id: 'https://example.org/schemas/user.schema.json#', type: 'string' }, 'user'],
    ['an $id that is a name', { $id: 'User', type: 'string' }, 'User'],
    ['an id of an early draft', { id: '/User', type: 'string' }, 'User'],
  ])('if it has %s', (_, response, name) => {
    const { schemas, found } = documentOf({ response });

    expect(Object.keys(schemas)).toEqual([name]);
    expect(found).toEqual([ref(name)]);
    for (const keyword of ['$id', 'id', '$schema', '$defs']) {
      expect(schemas[name]).not.toHaveProperty(keyword);
    }
  });

  it.each(['Address2', 'unit', 'proto-4', 'v1'])(
    'if it has a name among the definitions: %s',
    (name) => {
      const response = {
        $ref: `#/$defs/${name}`,
        $defs: { [name]: { type: 'object', properties: { city: { type: 'string' } } } },
      };
      const { schemas, found } = documentOf({ response });

      expect(Object.keys(schemas)).toEqual([name]);
      expect(found).toEqual([ref(name)]);
    },
  );

  it('once if it has an ID and a class, whose lists refer to it', () => {
    class NewBook extends schemaClass(z.object({ a: z.string() }).meta({ id: 'NewBook' })) {}
    class Renamed extends schemaClass(z.object({ b: z.string() }).meta({ id: 'Other' })) {}
    const { schemas, found } = documentOf(
      { body: NewBook },
      { response: NewBook },
      { response: z.array(NewBook.schema) },
      { response: Renamed },
    );

    expect(Object.keys(schemas)).toEqual(['NewBook', 'Other']);
    expect(found).toEqual([
      ref('NewBook'),
      ref('NewBook'),
      { type: 'array', items: ref('NewBook') },
      ref('Other'),
    ]);
  });

  it('once if it is recursive and has a class', () => {
    const { tree } = type.module({ tree: { children: 'tree[]' } });
    class Tree extends schemaClass(tree) {}
    const { schemas, found } = documentOf({ response: Tree });

    expect(Object.keys(schemas)).toEqual(['Tree']);
    expect(found).toEqual([ref('Tree')]);
  });

  it('if it occurs twice, with the name of its first place', () => {
    const User = z.object({ id: z.string() });
    const { schemas, found } = documentOf(
      { body: User },
      { body: User },
      { body: User.extend({}) },
    );

    expect(found).toEqual([ref('PostABody'), ref('PostABody'), ref('PostABody')]);
    expect(Object.keys(schemas)).toEqual(['PostABody']);
  });

  it('if it occurs twice within others', () => {
    const Address = z.object({ city: z.string() });
    const { schemas, found } = documentOf(
      { response: z.object({ home_address: Address, others: z.array(Address) }) },
      { response: z.object({ by: z.object({ places: z.array(Address) }) }) },
    );

    expect(schemas).toEqual({
      PostAResponseHomeAddress: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    });
    expect(found).toMatchObject([
      {
        properties: {
          home_address: ref('PostAResponseHomeAddress'),
          others: { items: ref('PostAResponseHomeAddress') },
        },
      },
      {
        properties: {
          by: { properties: { places: { items: ref('PostAResponseHomeAddress') } } },
        },
      },
    ]);
  });

  it('if it occurs twice within arrays', () => {
    const Address = z.object({ city: z.string() });
    const { found } = documentOf({ response: z.array(Address) }, { response: z.array(Address) });

    expect(found).toMatchObject([
      { items: ref('PostAResponseItem') },
      { items: ref('PostAResponseItem') },
    ]);
  });

  it('with the name of a place of its own rather than one within another schema', () => {
    const User = z.object({ name: z.string() });
    const { found } = documentOf({ response: z.array(User) }, { response: User });

    expect(found).toMatchObject([{ items: ref('PostBResponse') }, ref('PostBResponse')]);
  });

  it('if it is a union of objects that occurs twice', () => {
    const Shape = () => z.union([z.object({ radius: z.number() }), z.object({ side: z.number() })]);
    const { schemas, found } = documentOf(
      { body: Shape() },
      { body: z.object({ shape: Shape() }) },
    );

    expect(Object.keys(schemas)).toEqual(['PostABody']);
    expect(found).toMatchObject([ref('PostABody'), { properties: { shape: ref('PostABody') } }]);
  });

  it('unless it occurs once, or is not an object', () => {
    const nullable = z.string().nullable();
    const { schemas, found } = documentOf(
      { body: z.object({ a: nullable, b: z.object({ c: nullable }) }) },
      { body: z.array(z.string()) },
      { body: z.array(z.string()) },
      { body: z.object({}) },
      { body: z.object({}) },
    );

    expect(schemas).toEqual({});
    expect(found).toMatchObject([
      { properties: { a: { type: ['string', 'null'] } } },
      { type: 'array', items: { type: 'string' } },
      { type: 'array', items: { type: 'string' } },
      { type: 'object' },
      { type: 'object' },
    ]);
  });

  it('but not for a second use within a single component', () => {
    const Address = () => z.object({ city: z.string() });
    const User = () => z.object({ address: Address() });
    const { schemas } = documentOf({ body: User() }, { body: User() });

    expect(Object.keys(schemas)).toEqual(['PostABody']);
  });
});

describe('the forms of a schema', () => {
  const options = { role: z.string().default('member') };

  it('are one component if they are equal, though zod would close the output', () => {
    const User = z.object({ name: z.string() }).meta({ id: 'Same' });

    expect(documentOf({ body: User }, { response: User }).found).toEqual([
      ref('Same'),
      ref('Same'),
    ]);
  });

  it('keep what a strict object says', () => {
    const Strict = z.strictObject({ name: z.string() });

    expect(documentOf({ response: Strict }).found).toMatchObject([{ additionalProperties: false }]);
  });

  it('have two names if they differ', () => {
    const User = z.object(options).meta({ id: 'Account' });
    const { schemas, found } = documentOf({ body: User }, { response: User });

    expect(found).toEqual([ref('AccountInput'), ref('Account')]);
    expect(schemas.AccountInput).not.toHaveProperty('required');
    expect(schemas.Account).toHaveProperty('required', ['role']);
  });

  it('keep the name if clients only send it', () => {
    const User = z.object(options).meta({ id: 'Draft' });

    expect(documentOf({ body: User }).found).toEqual([ref('Draft')]);
  });

  it('differ in the schemas around one whose forms differ', () => {
    const Inner = z.object(options).meta({ id: 'Inner' });
    const Outer = z.object({ inner: Inner }).meta({ id: 'Outer' });
    const { schemas } = documentOf({ body: Outer }, { response: Outer });

    expect(Object.keys(schemas)).toEqual(['OuterInput', 'InnerInput', 'Outer', 'Inner']);
    expect(schemas.OuterInput).toMatchObject({ properties: { inner: ref('InnerInput') } });
    expect(schemas.Outer).toMatchObject({ properties: { inner: ref('Inner') } });
  });

  it('are those before and after a conversion', () => {
    const Port = z.object({
      port: z.codec(z.string(), z.int(), { decode: Number, encode: String }),
    });
    const { found } = documentOf({ body: Port }, { response: Port });

    expect(found).toMatchObject([
      { properties: { port: { type: 'string' } } },
      { properties: { port: { type: 'integer' } } },
    ]);
  });
});

describe('names', () => {
  it('get a number if two schemas have the same title', () => {
    const titled = (name: string) => z.object({ [name]: z.string() }).meta({ title: 'User' });
    const { found } = documentOf({ response: titled('a') }, { response: titled('b') });

    expect(found).toEqual([ref('User'), ref('User2')]);
  });

  it('keep schemas apart that are otherwise equal', () => {
    const named = (id: string) => z.object({ a: z.string() }).meta({ id });
    const { found } = documentOf({ body: named('Cat') }, { body: named('Dog') });

    expect(found).toEqual([ref('Cat'), ref('Dog')]);
  });

  it('are not taken by schemas without a title', () => {
    const Other = z.object({ a: z.string() });
    const { found } = documentOf(
      { response: Other },
      { response: Other },
      { response: z.object({ b: z.string() }).meta({ title: 'PostAResponse' }) },
    );

    expect(found).toEqual([ref('PostAResponse2'), ref('PostAResponse2'), ref('PostAResponse')]);
  });

  it('of a route may be those of the errors', () => {
    const { document } = documentOf({
      response: z.object({ a: z.string() }).meta({ title: 'Problem' }),
    });

    expect(document.paths['/a']?.post).toMatchObject({
      responses: { 200: { content: { 'application/json': { schema: ref('Problem') } } } },
    });
    expect(document.components).toMatchObject({
      responses: {
        Error: { content: { 'application/problem+json': { schema: ref('Problem2') } } },
      },
    });
  });
});

describe('a recursive schema', () => {
  interface Tree {
    readonly children: readonly Tree[];
  }
  const Zod = z.object({
    get children() {
      return z.array(Zod);
    },
  });
  const Valibot: v.GenericSchema<Tree> = v.object({ children: v.array(v.lazy(() => Valibot)) });
  const { tree } = type.module({ tree: { children: 'tree[]' } });

  it.each([
    ['zod', Zod],
    ['valibot', toStandardJsonSchema(Valibot)],
    ['arktype', tree],
  ])('of %s refers to itself', async (_, response) => {
    const { document, schemas, found } = documentOf({ response });

    expect(found).toEqual([ref('PostAResponse')]);
    expect(schemas).toEqual({
      PostAResponse: {
        type: 'object',
        properties: { children: { type: 'array', items: ref('PostAResponse') } },
        required: ['children'],
      },
    });
    expect(await findMetaSchemaErrors(document)).toEqual([]);
  });

  it('is one component wherever it occurs', () => {
    const { schemas, found } = documentOf(
      { response: Zod },
      { response: toStandardJsonSchema(Valibot) },
      { response: z.object({ tree: Zod }) },
    );

    expect(Object.keys(schemas)).toEqual(['PostAResponse']);
    expect(found[2]).toMatchObject({ properties: { tree: ref('PostAResponse') } });
  });

  it('may refer to another that refers back', () => {
    const Author = z.object({
      name: z.string(),
      get books() {
        return z.array(Book);
      },
    });
    const Book: z.ZodType = z.object({ title: z.string(), author: z.lazy(() => Author) });
    const { schemas } = documentOf({ response: Author }, { response: Book });

    expect(Object.keys(schemas)).toEqual(['PostAResponse', 'PostBResponse']);
    expect(schemas).toMatchObject({
      PostAResponse: { properties: { books: { items: ref('PostBResponse') } } },
      PostBResponse: { properties: { author: ref('PostAResponse') } },
    });
  });

  it('differs from one that is equal at first sight', () => {
    const link = (end: object): object => ({
      type: 'object',
      properties: { next: { $ref: '#/$defs/Two' } },
      $defs: {
        Two: { type: 'object', properties: { next: { $ref: '#/$defs/Three' } } },
        Three: { type: 'object', properties: { next: end } },
      },
    });
    const { found, schemas } = documentOf(
      { response: link({ type: 'string' }) },
      { response: link({ type: 'null' }) },
    );

    expect(found).toMatchObject([
      { properties: { next: ref('Two') } },
      { properties: { next: ref('Two2') } },
    ]);
    expect(Object.keys(schemas)).toEqual(['Two', 'Three', 'Two2', 'Three2']);
  });
});

describe('a JSON Schema', () => {
  it('keeps the keywords beside a reference', () => {
    const { found } = documentOf({
      response: {
        properties: { a: { $ref: '#/definitions/A', description: 'The first.' } },
        definitions: { A: { type: 'string' } },
      },
    });

    expect(found).toEqual([{ properties: { a: { ...ref('A'), description: 'The first.' } } }]);
  });

  it('keeps the keywords beside a reference to a schema without a name', () => {
    const { found, schemas } = documentOf({
      response: {
        items: { $ref: '#/contains', description: 'Each.' },
        contains: { type: 'string' },
      },
    });

    expect(found).toMatchObject([{ items: { ...ref('PostAResponseItem'), description: 'Each.' } }]);
    expect(schemas).toEqual({ PostAResponseItem: { type: 'string' } });
  });

  it.each([
    ['a pointer', '#/properties/a~1b%20c'],
    ['an ID', 'Text'],
    ['an ID and a pointer', 'Text#'],
    ['its own ID and a pointer', 'Root#/properties/a~1b%20c'],
  ])('refers to a place within by %s', (_, $ref) => {
    const { found, schemas } = documentOf({
      response: {
        $id: 'Root',
        properties: { 'a/b c': { type: 'string', title: 'Text' }, d: { $ref } },
        $defs: { Text: { $id: 'Text', type: 'string', title: 'Text' } },
      },
    });

    expect(found).toEqual([ref('Root')]);
    expect(schemas).toMatchObject({
      Root: { properties: { d: ref('Text') } },
      Text: { type: 'string' },
    });
  });

  it('of an earlier draft is one of draft 2020-12', async () => {
    const { document, found } = documentOf({
      response: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: {
          tuple: { items: [{ type: 'string' }, true], additionalItems: false },
          open: { items: [{ type: 'string' }] },
          list: { items: { type: 'string', nullable: true } },
          choice: { enum: ['a'], nullable: true },
          plain: { type: ['string', 'null'], nullable: false },
        },
      },
    });

    expect(found).toEqual([
      {
        properties: {
          tuple: { prefixItems: [{ type: 'string' }, true], items: false },
          open: { prefixItems: [{ type: 'string' }] },
          list: { items: { type: ['string', 'null'] } },
          choice: { enum: ['a', null] },
          plain: { type: ['string', 'null'] },
        },
      },
    ]);
    expect(await findMetaSchemaErrors(document)).toEqual([]);
  });

  it('may name members like keywords', () => {
    const properties = {
      $ref: { type: 'string' },
      id: { type: 'string' },
      title: { type: 'string' },
      properties: { type: 'object', properties: { items: { type: 'string' } } },
    };
    const data = { default: { $ref: '#/nowhere', id: 'x' }, examples: [{ $schema: 'x' }] };

    expect(documentOf({ response: { properties, ...data } }).found).toEqual([
      { properties, ...data },
    ]);
  });

  it('may name a member $ref whose schema is a component', () => {
    const response = { properties: { $ref: { title: 'Text', type: 'string' } } };

    expect(documentOf({ response }).found).toEqual([{ properties: { $ref: ref('Text') } }]);
  });

  it('is not changed', () => {
    const schema = { $id: 'A', properties: { a: { $ref: '#' } } };
    const before = structuredClone(schema);
    documentOf({ response: schema });

    expect(schema).toEqual(before);
  });
});
