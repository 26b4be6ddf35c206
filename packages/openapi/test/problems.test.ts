import { createApp, type Handler, type StandardSchema, schemaClass } from '@fairlead/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, DocumentError, type DocumentOptions, openapi } from '../src/index.js';

const info = { title: 'Test', version: '1' };
const ok: Handler = () => null;

const custom: StandardSchema = {
  '~standard': { version: 1, vendor: 'acme', validate: (value) => ({ value }) },
};

const failing: StandardSchema = {
  '~standard': {
    ...custom['~standard'],
    jsonSchema: {
      input: () => {
        throw new Error('Not today');
      },
      output: () => {
        throw new Error('Not today');
      },
    },
  },
};

const fixBy = (fix = 'use a schema that JSON Schema can express') =>
  `Fix: ${fix}, or pass unrepresentable: 'any' to describe it as {}.`;
const fix = fixBy();

/** Describes POST `/users/:id` with one option, and returns the message of the error. */
function messageFor(options: object): string {
  const app = createApp().on('POST', '/users/:id', { hidden: false, ...options } as object, ok);
  try {
    createDocument(app, { info });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('a schema that JSON Schema cannot express', () => {
  it.each<[string, object, string]>([
    [
      'of zod',
      { response: z.object({ at: z.bigint() }) },
      'Cannot describe the response 200 of POST /users/:id: at /properties/at, BigInt cannot be represented in JSON Schema.',
    ],
    [
      'of arktype',
      { body: type({ at: 'RegExp' }) },
      'Cannot describe the body of POST /users/:id: JSON Schema cannot represent the proto.',
    ],
    [
      'of valibot without a converter',
      { query: v.object({ a: v.string() }) },
      "Cannot describe the query of POST /users/:id: the validator 'valibot' does not convert to JSON Schema. Wrap the schema in toStandardJsonSchema() of @valibot/to-json-schema.",
    ],
    [
      'of another validator',
      { headers: custom },
      "Cannot describe the headers of POST /users/:id: the validator 'acme' does not convert to JSON Schema.",
    ],
    [
      'because its conversion fails',
      { params: failing },
      'Cannot describe the path parameters of POST /users/:id: Not today.',
    ],
    [
      'of a single input',
      { inputs: [{ source: 'query', name: 'since', schema: z.symbol(), required: true }] },
      "Cannot describe the query parameter 'since' of POST /users/:id: Symbols cannot be represented in JSON Schema.",
    ],
    [
      'of a member of the body',
      { inputs: [{ source: 'body', name: 'since', schema: z.bigint(), required: true }] },
      "Cannot describe the member 'since' of the body of POST /users/:id: BigInt cannot be represented in JSON Schema.",
    ],
    [
      'because headers have any name',
      { headers: z.record(z.string(), z.string()) },
      'Cannot describe the headers of POST /users/:id: it has members without a name. Use an object schema.',
    ],
    [
      'because headers have any name, by reference',
      { headers: z.record(z.string(), z.string()).meta({ id: 'AnyHeaders' }) },
      'Cannot describe the headers of POST /users/:id: it has members without a name. Use an object schema.',
    ],
    [
      'because it refers to another schema',
      { response: { $ref: 'https://example.org/user.json' } },
      "Cannot describe the response 200 of POST /users/:id: it refers to 'https://example.org/user.json', which it does not contain. Add it to $defs.",
    ],
    [
      'because it has a dynamic reference',
      { response: { $dynamicAnchor: 'a' } },
      'Cannot describe the response 200 of POST /users/:id: it uses $dynamicAnchor. Use $ref with a JSON Pointer.',
    ],
    [
      'because it contains a class',
      { response: z.array(schemaClass(z.object({})) as never) },
      "Cannot describe the response 200 of POST /users/:id: Cannot read properties of undefined (reading 'def'). A part is not a schema. For a class, write z.array(Book.schema).",
    ],
  ])('%s is an error that names its place', (_, options, message) => {
    expect(messageFor(options)).toBe(`${message}\n  ${fix}`);
  });

  const [datetime, timestamp] = [z.iso.datetime(), v.pipe(v.string(), v.isoTimestamp())];
  const parsed = v.pipe(v.string(), v.isoTimestamp(), v.toDate());
  it.each<[string, object, string, object]>([
    [
      'a response of zod',
      { response: z.object({ at: z.date() }) },
      'z.iso.datetime()',
      { response: z.object({ at: datetime }) },
    ],
    [
      'a body of zod',
      { body: z.object({ at: z.coerce.date() }) },
      'z.iso.datetime().pipe(z.coerce.date())',
      { body: z.object({ at: datetime.pipe(z.coerce.date()) }) },
    ],
    [
      'a response of valibot',
      { response: toStandardJsonSchema(v.object({ at: v.date() })) },
      'v.pipe(v.string(), v.isoTimestamp())',
      { response: toStandardJsonSchema(v.object({ at: timestamp })) },
    ],
    [
      'a body of valibot',
      { body: toStandardJsonSchema(v.object({ at: v.date() })) },
      'v.pipe(v.string(), v.isoTimestamp(), v.toDate())',
      { body: toStandardJsonSchema(v.object({ at: parsed })) },
    ],
    [
      'a response of arktype',
      { response: type({ at: 'Date' }) },
      "type('string.date.iso')",
      { response: type({ at: 'string.date.iso' }) },
    ],
    [
      'a body of arktype',
      { body: type({ at: 'Date' }) },
      "type('string.date.iso.parse')",
      { body: type({ at: 'string.date.iso.parse' }) },
    ],
  ])('says how to describe a date in %s, and accepts that', (_, options, text, fixed) => {
    expect(messageFor(options)).toContain(fixBy(`describe the text of the date: ${text}`));
    expect(messageFor(fixed)).toBe('');
  });

  it('used in several places is one problem with all of them', () => {
    const at = z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    });
    const Line = z.object({ a: at, b: at.optional() }).meta({ id: 'Line' });
    const response = z.object({ at, lines: z.array(Line), c: at, d: at, e: at, f: at });

    expect(messageFor({ response })).toBe(
      `Cannot describe the response 200 of POST /users/:id: at /properties/at, /properties/lines/items/properties/a, /properties/lines/items/properties/b, /properties/c, /properties/d and 2 more, Date cannot be represented in JSON Schema.\n  ${fixBy('describe the text of the date: z.iso.datetime()')}`,
    );
  });

  it.each<[string, object, object]>([
    [
      'of zod, for the part that it cannot express',
      { response: z.object({ a: z.string(), at: z.date() }) },
      { type: 'object', properties: { a: { type: 'string' }, at: {} }, required: ['a', 'at'] },
    ],
    [
      'of arktype, for the part that it cannot express',
      { response: type({ a: 'string', at: 'Date' }) },
      { type: 'object', properties: { a: { type: 'string' }, at: {} }, required: ['a', 'at'] },
    ],
    [
      'of valibot, for the part that it cannot express',
      { response: toStandardJsonSchema(v.object({ a: v.string(), at: v.date() })) },
      { type: 'object', properties: { a: { type: 'string' }, at: {} }, required: ['a', 'at'] },
    ],
    ['without a converter', { response: v.object({ a: v.string() }) }, {}],
    ['whose conversion fails', { body: failing, response: failing }, {}],
    ['that refers to another schema', { response: { items: { $ref: '#/a' } } }, { items: {} }],
  ])('appears as {} on request: one %s', (_, options, schema) => {
    const app = createApp().on('POST', '/', options, ok);
    const { paths } = createDocument(app, { info, unrepresentable: 'any' });

    expect(paths['/']?.post).toHaveProperty(['responses', '200', 'content'], {
      'application/json': { schema },
    });
  });
});

describe('all problems of a document', () => {
  it('are one error', () => {
    const app = createApp()
      .get(
        '/a',
        { response: z.object({ at: z.date(), big: z.bigint() }), query: custom },
        ok as never,
      )
      .get('/files/:name', ok)
      .get('/files/*path', ok)
      .get('/b', { operationId: 'same' }, ok)
      .get('/c', { operationId: 'same' }, ok)
      .get('/d', { security: [{ name: 'key', scheme: { type: 'http', scheme: 'basic' } }] }, ok)
      .get('/e', { security: [{ name: 'key', scheme: { type: 'mutualTLS' } }] }, ok)
      // Of each scheme, the first route tells it.
      .get('/f', { security: [{ name: 'key', scheme: { type: 'mutualTLS' } }] }, ok);

    let error: unknown;
    try {
      createDocument(app, { info });
    } catch (thrown) {
      error = thrown;
    }

    expect(error).toBeInstanceOf(DocumentError);
    expect(error).toMatchObject({
      code: 'DOCUMENT_FAILED',
      problems: [
        {
          code: 'AMBIGUOUS_PATHS',
          message:
            'Cannot describe GET /files/:name and GET /files/*path: they have the same path in OpenAPI. Pass hidden: true to one of them.',
        },
        {
          code: 'DUPLICATE_OPERATION_ID',
          message:
            "GET /b and GET /c have the operationId 'same'. Give one of them another operationId.",
        },
        { code: 'INEXPRESSIBLE_SCHEMA', message: expect.stringContaining('the query of GET /a') },
        { code: 'INEXPRESSIBLE_SCHEMA', message: expect.stringContaining('at /properties/at,') },
        { code: 'INEXPRESSIBLE_SCHEMA', message: expect.stringContaining('at /properties/big,') },
        {
          code: 'CONFLICTING_SECURITY',
          message: expect.stringMatching(
            /^The security scheme 'key' of GET \/e \(\S+:\d+:\d+\) differs from that of GET \/d \(\S+:\d+:\d+\)\. Rename one of them, or declare the same scheme in both: \{.*\}\.$/,
          ),
        },
      ],
    });
    expect((error as Error).message).toMatch(
      /^Cannot create the OpenAPI document: 6 problems\.\n\n {2}1\. /,
    );
  });

  it('stop the start of the application', async () => {
    const app = createApp().get('/', { response: z.date() }, () => new Date());
    await app.plugin(openapi({ info }));

    expect(() => app.seal()).toThrow('the response 200 of GET /');
  });

  it('join the other problems of the application', async () => {
    const app = createApp().get('/', { response: z.date(), query: custom }, () => new Date());
    const failing = new Error('No license.');
    await app.plugin(openapi({ info }));
    await app.plugin({
      name: 'license',
      install: () => undefined,
      ready() {
        throw failing;
      },
    });

    expect(() => app.seal()).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ code: 'INEXPRESSIBLE_SCHEMA' }),
          expect.objectContaining({ code: 'INEXPRESSIBLE_SCHEMA' }),
          failing,
        ],
      }),
    );
  });

  it('are those of every place that uses a schema', () => {
    const schema = z.object({ at: z.date() });
    const app = createApp().post('/a', { body: schema }, ok).post('/b', { body: schema }, ok);

    expect(() => createDocument(app, { info })).toThrow(/POST \/a[\s\S]*POST \/b/);
  });
});

it.each<[string, unknown, string]>([
  ['no info', {}, 'createDocument() needs info. Pass a title and a version.'],
  [
    'info without a version',
    { info: { title: 'Test' } },
    'info of createDocument() must be an object with a title and a version: got an object.',
  ],
  [
    'an unknown option',
    { info, server: [] },
    "createDocument() has no option 'server'. Did you mean 'servers'?",
  ],
  [
    'an option of openapi()',
    { info, path: '/api.json' },
    "createDocument() has no option 'path'. Remove it, or use info, version, apiVersion, servers, tags, externalDocs, webhooks, extensions, include, exclude, unrepresentable, errorSchema or transform.",
  ],
  [
    'a prefix that is not a path',
    { info, exclude: ['health'] },
    "exclude of createDocument() must be an array of paths such as '/health', tags such as { tags: ['admin'] } or a function: got ['health'].",
  ],
  [
    'an unknown policy',
    { info, unrepresentable: 'ignore' },
    "unrepresentable of createDocument() must be 'error' or 'any': got 'ignore'.",
  ],
])('createDocument() refuses %s', (_, options, message) => {
  expect(() => createDocument(createApp(), options as DocumentOptions)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message }),
  );
});
