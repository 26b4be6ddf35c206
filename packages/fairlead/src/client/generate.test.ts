import { createSourceFile, ScriptTarget, SyntaxKind, transpileModule } from 'typescript';
import { describe, expect, it } from 'vitest';
import { generateClient } from './generate.js';

const JSON_TYPE = 'application/json';

/** Generates a client from the paths and schemas of a document. */
function generate(paths: object, schemas: object = {}, openapi = '3.1.1'): string {
  const document = { openapi, info: { title: 'Test' }, paths, components: { schemas } };
  return generateClient(document, 'openapi.json', 'fairlead client').text;
}

/** Returns the declaration of a schema that clients receive. */
const received = (schema: unknown, openapi?: string) =>
  declarationOf(generate({}, { Value: schema }, openapi));

/** Returns the declaration of a schema that clients send. */
function sent(schema: unknown): string {
  const requestBody = {
    required: true,
    content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Value' } } },
  };
  return declarationOf(generate({ '/': { post: { requestBody } } }, { Value: schema }));
}

/** Returns a text on one line. */
const flat = (text: string) => text.replace(/\s+/g, ' ').replaceAll('; }', ' }').trim();

/** Returns the last declaration on one line, without its name. */
const declarationOf = (text: string) =>
  flat(/export (?:type|interface) Value =?([\s\S]*)/.exec(text)?.[1] ?? text).replace(
    /^\| |;$/g,
    '',
  );

/** Returns the route of an operation on one line. */
function route(operation: object, path = '/', schemas: object = {}): string {
  const text = generate({ [path]: { post: { responses: {}, ...operation } } }, schemas);
  return flat(text.slice(text.indexOf('POST: {') + 7, text.indexOf('\n  };'))).replace(
    /^"\/": /,
    '',
  );
}

const content = (schema: unknown, type = JSON_TYPE) => ({ content: { [type]: { schema } } });
const User = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

describe('the type of a schema', () => {
  it.each([
    [{}, 'unknown'],
    [true, 'unknown'],
    [false, 'never'],
    [{ type: 'string', format: 'date-time' }, 'string'],
    [{ type: 'integer', format: 'int64' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', "it's", '"', 1, null, true] }, `"a" | "it's" | '"' | 1 | null | true`],
    [{ const: { a: ['b'] } }, '{ readonly a: readonly ["b"] }'],
    [{ type: 'array' }, 'readonly unknown[]'],
    [{ items: { enum: ['a', 'b'] } }, 'readonly ("a" | "b")[]'],
    [
      { type: 'array', items: { type: 'array', items: User } },
      'readonly (readonly { readonly id: string }[])[]',
    ],
    [{ prefixItems: [{ type: 'string' }, {}] }, 'readonly [string, unknown]'],
    [
      { prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 1, items: true },
      'readonly [string, number?, ...readonly unknown[]]',
    ],
    [{ type: 'object' }, '{ readonly [name: string]: unknown }'],
    [{ type: 'object', additionalProperties: false }, '{ readonly [name: string]: never }'],
    [{ additionalProperties: { type: 'number' } }, '{ readonly [name: string]: number }'],
    [
      { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
      '{ readonly a?: string; readonly [name: string]: number | string | undefined }',
    ],
    [
      { propertyNames: { enum: ['a', 'b-c'] }, additionalProperties: {}, required: ['a'] },
      '{ readonly a: unknown; readonly "b-c"?: unknown }',
    ],
    [
      {
        properties: { class: {}, 'user-id': {}, '': {}, 'a\n"': {}, größe: {} },
        required: ['class'],
      },
      String.raw`{ readonly class: unknown; readonly "user-id"?: unknown; readonly ""?: unknown; readonly 'a\n"'?: unknown; readonly "größe"?: unknown }`,
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    [
      { allOf: [User, { properties: { b: {} } }] },
      '{ readonly id: string } & { readonly b?: unknown }',
    ],
    [
      { allOf: [{ properties: { b: { type: 'number' } } }], required: ['b'] },
      '{ readonly b?: number } & { readonly b: number }',
    ],
    [{ ...User, anyOf: [{ required: ['id'] }] }, '{ readonly id: string }'],
    [{ type: 'object', oneOf: [User, { type: 'null' }] }, '{ readonly id: string } | null'],
  ])('%j is %s', (schema, type) => {
    expect(received(schema)).toBe(type);
  });

  it.each([
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: 'string', nullable: true, enum: ['a'] }, '"a" | null'],
    [{ allOf: [User], nullable: true }, '{ readonly id: string } | null'],
  ])('%j of OpenAPI 3.0 is %s', (schema, type) => {
    expect(received(schema, '3.0.3')).toBe(type);
  });

  it('has its description and its deprecation as comments, which it cannot end', () => {
    const a = { description: ' One. */ evil()\nTwo.  ', deprecated: true, default: 1 };
    expect(received({ description: 'All.', properties: { a } })).toBe(
      '{ /** * One. *\\/ evil() * Two. * @default 1 * @deprecated */ readonly a: unknown }',
    );
  });
});

describe('a member', () => {
  const schema = {
    properties: {
      page: { type: 'number', default: 1 },
      id: { type: 'string', readOnly: true },
      password: { type: 'string', writeOnly: true },
      size: { type: 'number' },
    },
    required: ['id', 'password'],
  };

  it('with a default is optional in what clients send', () => {
    expect(sent(schema)).toBe(
      '{ /** @default 1 */ readonly page?: number | undefined; readonly password: string; readonly size?: number | undefined }',
    );
  });

  it('with a default is present in what clients receive', () => {
    expect(received(schema)).toBe(
      '{ /** @default 1 */ readonly page: number; readonly id: string; readonly size?: number }',
    );
  });

  it('belongs to two types if clients send and receive the schema', () => {
    const List = { type: 'array', items: { $ref: '#/components/schemas/Value' } };
    const body = content({ $ref: '#/components/schemas/List' });
    const text = generate(
      { '/': { post: { requestBody: body, responses: { 200: body } } } },
      { List, Value: schema, Role: { enum: ['a'] }, ValueInput: { type: 'string' } },
    );
    expect(text.match(/^export .*/gm)).toEqual([
      'export interface Api {',
      'export type List = readonly Value[];',
      'export type ListInput = readonly ValueInput2[];',
      'export interface Value {',
      'export interface ValueInput2 {',
      'export type Role = "a";',
      'export type ValueInput = string;',
    ]);
    expect(text).toContain('{ body?: ListInput | undefined; received: { 200: List } }');
  });
});

describe('the name of a type', () => {
  it('is an identifier that is unique', () => {
    const names = ['user', 'User', 'payment_intent', '2fa', 'Blob', 'naïve-type', '…', 'a/b~c%20'];
    const schemas = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const all = Object.keys(schemas).map((name) => ({
      $ref: `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')}`,
    }));
    const text = generate({}, { ...schemas, All: { anyOf: all } });
    expect([...text.matchAll(/^export type (.*) = string;/gm)].map(([, name]) => name)).toEqual([
      ...['User', 'User2', 'PaymentIntent', '_2fa', 'BlobSchema', 'NaïveType', '_', 'ABC20'],
    ]);
  });

  it('consists of the words of a reference into another schema', () => {
    const address = { properties: { street: { type: 'string' } } };
    const text = generate(
      {},
      {
        User: { properties: { address } },
        Home: { $ref: '#/components/schemas/User/properties/address' },
      },
    );
    expect(text).toContain('export type Home = UserAddress;');
    expect(text).toContain('export interface UserAddress {\n  readonly street?: string;\n}');
  });
});

describe('a recursive schema', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  it('refers to itself', () => {
    const schema = { properties: { children: { type: 'array', items: ref('Value') } } };
    expect(received(schema)).toBe('{ readonly children?: readonly Value[] }');
  });

  it('is not part of itself, as in a base with its variants', () => {
    const variant = { allOf: [ref('Pet'), { properties: { name: { type: 'string' } } }] };
    const text = generate(
      {},
      { Pet: { oneOf: [ref('Cat'), ref('Self')] }, Cat: variant, Self: ref('Self') },
    );
    expect(text).toContain('export type Pet = Cat | Self;');
    expect(text).toContain('export interface Cat {\n  readonly name?: string;\n}');
    expect(text).toContain('export type Self = unknown;');
  });
});

describe('a discriminator', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const text = { type: 'string' };
  const pet = (kind: object) => ({ properties: { kind }, required: ['kind'] });

  it.each([
    [text, undefined, '(Cat & { readonly kind: "Cat" }) | (Dog & { readonly kind: "Dog" })'],
    [
      text,
      { c: 'Cat', d: '#/components/schemas/Dog', e: 'Dog' },
      '(Cat & { readonly kind: "c" }) | (Dog & { readonly kind: "d" | "e" })',
    ],
    [{ const: 'pet' }, undefined, 'Cat | Dog'],
    [
      { enum: ['Cat', 'Dog'] },
      undefined,
      '(Cat & { readonly kind: "Cat" }) | (Dog & { readonly kind: "Dog" })',
    ],
    [{ enum: ['cat', 'dog'] }, undefined, 'Cat | Dog'],
  ])('with the member %j and the mapping %j is %s', (kind, mapping, type) => {
    const discriminator = { propertyName: 'kind', mapping };
    const schemas = { Cat: pet(kind), Dog: pet(kind) };
    const Value = { oneOf: [ref('Cat'), ref('Dog')], discriminator };
    const declared = declarationOf(generate({}, { ...schemas, Value }));
    expect(declared).toBe(type);
  });
});

describe('a route', () => {
  const params = (...names: string[]) =>
    names.map((name) => ({ name, in: 'path', schema: { type: 'integer' } }));

  it.each([
    ['/users/{id}', params('id'), '"/users/:id": { params: { id: number };'],
    [
      '/{from}-{to}.png',
      params('from', 'to'),
      '"/:from-:to.png": { params: { from: number; to: number };',
    ],
    [
      '/files/{path}',
      [{ name: 'path', in: 'path', 'x-wildcard': true }],
      '"/files/*path": { params: { path: string };',
    ],
    [
      '/files/{wildcard}',
      [{ name: 'wildcard', in: 'path', 'x-wildcard': true }],
      '"/files/*": { params: { "*": string };',
    ],
    ['/users/{user-id}', [], '"/users/{user-id}": { params: { "user-id": string };'],
    ['/v1/{name}:cancel', [], '"/v1/{name}:cancel": { params: { name: string };'],
    ['/{a}b', [], '"/{a}b": { params: { a: string };'],
    ['/items:search', [], '"/items%3Asearch": {'],
    ['/a/*', [], '"/a/%2A": {'],
  ])('of %s has a pattern or keeps its braces', (path, parameters, text) => {
    expect(route({ parameters }, path)).toBe(`${text} received: { "2XX": unknown } };`);
  });

  it.each([
    [{ name: 'q', required: true }, 'query: { q: string };'],
    [
      { name: 'tag', schema: { type: 'array', items: {} } },
      'query?: { tag?: readonly unknown[] | undefined };',
    ],
    [
      { name: 'ids', explode: false, schema: { type: 'array' } },
      'query?: { /** Values with commas between them. */ ids?: string | undefined };',
    ],
    [
      { name: 'filter', style: 'deepObject', schema: User },
      'query?: { filter?: { readonly id: string } | undefined };',
    ],
    [
      { name: 'expand', style: 'deepObject', schema: { type: 'array', items: { type: 'string' } } },
      'query?: { "expand[]"?: readonly string[] | undefined };',
    ],
    [
      { name: 'query', schema: { type: 'object', additionalProperties: { type: 'string' } } },
      'query?: { readonly [name: string]: string };',
    ],
    [
      {
        name: 'query',
        style: 'form',
        explode: true,
        schema: { anyOf: [User, { type: 'object', properties: { q: { type: 'string' } } }] },
      },
      'query?: { readonly id: string } | { readonly q?: string | undefined };',
    ],
    [
      { name: 'q', schema: { anyOf: [User, { type: 'string' }] } },
      'query?: { q?: { readonly id: string } | string | undefined };',
    ],
    [
      { name: 'filter', content: { [JSON_TYPE]: {} } },
      'query?: { /** Text of the type application/json. */ filter?: string | undefined };',
    ],
    [
      { name: 'page', deprecated: true, description: 'From 1.', schema: { type: 'integer' } },
      'query?: { /** * From 1. * @deprecated */ page?: number | undefined };',
    ],
    [
      { name: 'x-tenant', in: 'header', required: true, schema: { enum: ['a', 'b'] } },
      'headers?: { "x-tenant"?: "a" | "b" };',
    ],
  ])('has the parameter %j', (parameter, text) => {
    expect(route({ parameters: [{ in: 'query', ...parameter }] })).toBe(
      `{ ${text} received: { "2XX": unknown } };`,
    );
  });

  it.each([
    [{ ...content(User), required: true }, 'body: { readonly id: string };'],
    [content({ type: 'string' }), 'body?: string | undefined;'],
    [
      content({ properties: { title: {} } }, 'multipart/form-data'),
      '/** The fields of the form: title? */ body?: FormData | undefined;',
    ],
    [
      content(User, 'application/x-www-form-urlencoded'),
      '/** The fields of the form: id */ body?: URLSearchParams | undefined;',
    ],
    [content({}, 'image/png'), 'body?: Blob | ArrayBuffer | undefined;'],
    [
      { content: { [JSON_TYPE]: { schema: User }, 'application/xml': {}, 'text/csv': {} } },
      'body?: { readonly id: string } | Blob | ArrayBuffer | undefined;',
    ],
    [
      content(User, 'application/merge-patch+json'),
      'headers: { "Content-Type": "application/merge-patch+json" }; body?: { readonly id: string } | undefined;',
    ],
  ])('has the body %j', (requestBody, text) => {
    expect(route({ requestBody })).toBe(`{ ${text} received: { "2XX": unknown } };`);
  });

  it.each([
    [{ 200: content(User), 404: {} }, 'received: { 200: { readonly id: string } }'],
    [{ 200: {}, 204: {} }, 'received: { 200: unknown; 204: undefined }'],
    [{ '2XX': content({ type: 'string' }, 'text/csv') }, 'received: { "2XX": string }'],
    [{ default: content(User) }, 'received: { "2XX": { readonly id: string } }'],
    [{ 302: {} }, 'received: { "2XX": unknown }'],
    [{ 200: { content: { [JSON_TYPE]: {}, 'image/png': {} } } }, 'received: { 200: unknown }'],
    [
      { 200: { content: { 'text/html': {}, 'application/pdf': {} } } },
      'received: { 200: string | Blob }',
    ],
    [
      { 200: {}, 404: content(User), '5XX': content({ type: 'string' }) },
      'received: { 200: unknown }; errors: { 404: { readonly id: string } }',
    ],
    [
      { 200: {}, '4XX': content(User), default: content(User) },
      'received: { 200: unknown }; errors: { "4XX": { readonly id: string }; default: { readonly id: string } }',
    ],
  ])('has the responses %j', (responses, text) => {
    expect(route({ responses })).toBe(`{ ${text} };`);
  });

  it('has the codes of problems, and no type for their other members', () => {
    const Problem = { type: 'object', properties: { code: { type: 'string' }, detail: {} } };
    const problem = (code: object) =>
      content(
        { allOf: [{ $ref: '#/components/schemas/Problem' }], properties: { code } },
        'application/problem+json',
      );
    const responses = {
      400: problem({ anyOf: [{ enum: ['A'] }, { type: 'string' }] }),
      401: problem({}),
      404: problem({ enum: ['B', 'C'] }),
      409: content({ properties: { balance: { type: 'number' } } }, 'application/problem+json'),
    };
    const text = generate({ '/': { get: { responses } } }, { Problem, Other: {} });
    expect(flat(text)).toContain(
      'errors: { 400: readonly ["A", string]; 404: readonly ["B", "C"]; 409: { readonly balance?: number } }',
    );
    expect(text.match(/^export .*/gm)).toEqual([
      'export interface Api {',
      'export type Other = unknown;',
    ]);
  });

  it('has the messages of an event stream', () => {
    const event = (name: object, data: object) => ({
      properties: { event: name, data },
      required: ['event'],
    });
    const json = { type: 'string', contentMediaType: JSON_TYPE, contentSchema: User };
    const itemSchema = {
      oneOf: [
        event({ const: 'added' }, json),
        event({ const: 'log' }, { type: 'string' }),
        { properties: { data: json } },
      ],
    };
    const responses = { 200: { content: { 'text/event-stream': { itemSchema } } } };
    const text = generate({ '/': { get: { responses } } });
    expect(text).toContain('import type { EventMessage } from "@fairlead/client";\n');
    expect(flat(text)).toContain(
      'events: | EventMessage<"added", { readonly id: string }> | EventMessage<"log", unknown> | EventMessage<"message", { readonly id: string }>',
    );
  });

  it('shares the parameters of its path, and has its documentation', () => {
    const item = {
      parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' }, required: true }],
      get: { summary: 'Find it', description: 'Long.', deprecated: true, responses: {} },
      trace: {},
    };
    expect(flat(generate({ '/{id}': item }))).toContain(
      'GET: { /** * Find it * Long. * @deprecated */ "/:id": { params: { id: number }; received: { "2XX": unknown } } } }',
    );
  });
});

describe('the document', () => {
  it('results in the same text each time, with its servers', () => {
    const document = { openapi: '3.0.0', servers: [{ url: '/v2' }], paths: {} };
    const create = () => generateClient(document, 'a.json', 'fairlead client a.json --out api.ts');
    expect(create()).toEqual(create());
    expect(
      create().text,
    ).toBe(`// Generated by \`fairlead client a.json --out api.ts\`. Run it again instead of editing this file.
/* eslint-disable */
// biome-ignore-all lint: generated
// biome-ignore-all format: generated

/**
 * The routes of the API, for \`createClient<Api>(url)\` of \`@fairlead/client\`.
 * The URL is that of a server: /v2
 */
export interface Api {}
`);
  });

  it.each([
    [{ openapi: '4.0.0' }, 'its version of OpenAPI is "4.0.0". Use 3.0, 3.1 or 3.2.'],
    [
      { swagger: '2.0' },
      'it is a document of Swagger 2.0. Convert it to OpenAPI 3: npx swagger2openapi <file> --outfile openapi.json',
    ],
    [
      { name: 'x' },
      "it is not an OpenAPI document, because it has no member 'openapi'. Pass the URL or the path of a document such as openapi.json.",
    ],
  ])('cannot be %j', (document, reason) => {
    expect(() => generateClient(document, 'a.json', '')).toThrow(`Cannot use a.json: ${reason}`);
  });

  it('cannot have references that lead nowhere', () => {
    const schemas = {
      A: { properties: { b: { $ref: '#/components/schemas/B' } } },
      C: { $ref: 'c.json#/C' },
      D: { allOf: [{ $ref: '#/__proto__' }] },
    };
    const get = { parameters: [{ $ref: '#/components/parameters/p' }], responses: {} };
    expect(() =>
      generate({ '/x': { get } }, schemas),
    ).toThrow(`Cannot use openapi.json, which has 4 problems:
  - the schema A refers to '#/components/schemas/B', which the document does not contain. Correct the reference.
  - the schema D refers to '#/__proto__', which the document does not contain. Correct the reference.
  - GET /x refers to '#/components/parameters/p', which the document does not contain. Correct the reference.
  - the schema C refers to 'c.json#/C', which is outside the document. Join all files first: npx @redocly/cli bundle <file> --output openapi.json`);
  });
});

describe('the work for a document grows with its size', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const chain = (length: number, link: (next: object, index: number) => object) =>
    Object.fromEntries([
      ['L0', { properties: { a: { type: 'string' } } }],
      ...Array.from({ length }, (_, index) => [`L${index + 1}`, link(ref(`L${index}`), index)]),
    ]);
  const useOf = (name: string) => ({
    '/x': {
      get: {
        parameters: [{ name: 'q', in: 'query', schema: ref(name) }],
        responses: { 200: content(ref(name)), 400: content(ref(name), 'application/problem+json') },
      },
    },
  });

  it.each([
    ['allOf', (next: object) => ({ allOf: [next, next], required: ['a'] })],
    ['anyOf', (next: object) => ({ anyOf: [next, next] })],
    ['a reference', (next: object) => next],
    ['lists', (next: object) => ({ prefixItems: [next, next] })],
  ])('for a chain of %s', (_, link) => {
    expect(generate(useOf('L200'), chain(200, link))).toContain('export type L200 =');
  });

  it('and a chain that is too long is an error', () => {
    const schemas = chain(2_000, (next) => ({ allOf: [next, next] }));
    expect(() => generate(useOf('L2000'), schemas)).toThrow(
      /^Cannot use openapi\.json: GET \/x leads through more than 1000 schemas, .*\. Shorten/,
    );
  });

  it('and types much larger than the document are an error', () => {
    const schemas = chain(40, (next, index) => ({
      properties: Object.fromEntries(
        ['p', 'q'].map((name) => [
          name,
          { allOf: [next], required: index === 0 ? ['a'] : ['p', 'q'] },
        ]),
      ),
    }));
    expect(() => generate(useOf('L40'), schemas)).toThrow(
      /^Cannot use openapi\.json: its types would be much larger than itself, at .*\. Give/,
    );
  });

  it('and schemas that are nested too deep are an error', () => {
    const nest = (depth: number): object =>
      Array.from({ length: depth }).reduce<object>(
        (inner) => ({ type: 'object', properties: { a: inner } }),
        { type: 'string' },
      );
    expect(generate({}, { Value: nest(90) })).toContain('export interface Value {');
    expect(() => generate({}, { 'a/b\u001b': nest(1_000) })).toThrow(
      'Cannot use openapi.json: it nests more than 200 levels deep, below #/components/schemas/a~1b\\u001b/properties. Move the inner schemas to components/schemas, and refer to them with $ref.',
    );
  });
});

describe('text of a hostile document', () => {
  const HOSTILE =
    '\u001b[31m */ ;evil()/*\u2028evil();\u2029\n\r"\'`$(evil())\\\u202e\u009b2J\u007f//';
  const schema = {
    type: 'object',
    title: HOSTILE,
    description: HOSTILE,
    required: [HOSTILE],
    properties: {
      [HOSTILE]: { enum: [HOSTILE, { [HOSTILE]: HOSTILE }], default: HOSTILE },
      other: {
        type: HOSTILE,
        format: HOSTILE,
        $ref: `#/components/schemas/${HOSTILE.replaceAll('/', '~1')}`,
      },
    },
  };
  const parameter = { name: HOSTILE, description: HOSTILE, schema, required: true };
  const document = {
    openapi: '3.1.0',
    info: { title: HOSTILE },
    servers: [{ url: HOSTILE }],
    paths: {
      [`/${HOSTILE}/{${HOSTILE}}`]: {
        post: {
          summary: HOSTILE,
          description: HOSTILE,
          operationId: HOSTILE,
          parameters: ['path', 'query', 'header'].map((place) => ({ ...parameter, in: place })),
          requestBody: { description: HOSTILE, content: { [HOSTILE]: { schema } } },
          responses: {
            200: { description: HOSTILE, content: { 'application/json': { schema } } },
            [HOSTILE]: { description: HOSTILE },
            default: { content: { [HOSTILE]: { schema } } },
          },
        },
      },
    },
    components: { schemas: { [HOSTILE]: { const: HOSTILE } } },
  };

  it('stays in comments and literals', () => {
    const { text } = generateClient(document, 'openapi.json', `fairlead client "${HOSTILE}"`);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u);
    const file = createSourceFile('api.ts', text, ScriptTarget.Latest, true);
    const kinds = file.statements.map(({ kind }) => SyntaxKind[kind]);
    expect(new Set(kinds)).toEqual(new Set(['InterfaceDeclaration', 'TypeAliasDeclaration']));
    const { diagnostics } = transpileModule(text, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    expect(transpileModule(text, {}).outputText).not.toContain('evil()\n');
  });

  it('stays on one line of a message', () => {
    const broken = { ...document, components: {} };
    const generate = () => generateClient(broken, 'openapi.json', 'fairlead client');
    expect(generate).toThrow(/^Cannot use openapi\.json.*Correct the reference\.$/);
    const old = { swagger: `2.0${HOSTILE}` };
    expect(() => generateClient(old, 'old.json', '')).toThrow(/^Cannot use old\.json.*$/);
  });
});
