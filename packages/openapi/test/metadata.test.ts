import { createApp, type Handler, json } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, type DocumentOptions, openapi } from '../src/index.js';
import { findMetaSchemaErrors, lint } from './support/validators.js';

const info = { title: 'Test', version: '1' };
const ok: Handler = () => null;

function documentWith(options: Partial<DocumentOptions>) {
  const app = createApp()
    .use(json())
    .get('/users', { tags: ['users'] }, ok);
  return createDocument(app, { info, ...options });
}

/** Returns the message of the error that options cause. */
function messageFor(options: object): string {
  try {
    documentWith(options);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the members of a document', () => {
  it('are in the order of the specification, with extensions at the end', () => {
    const document = documentWith({
      extensions: { 'x-tagGroups': [{ name: 'People', tags: ['users'] }] },
      externalDocs: { url: 'https://example.org' },
      info: { ...info, 'x-logo': { url: '/logo.svg' } },
      servers: [{ url: '/v1', 'x-internal': false }],
      tags: [{ name: 'users', externalDocs: { url: '/users.html' }, 'x-order': 1 }],
      webhooks: { created: { body: { type: 'object' }, extensions: { 'x-retries': 3 } } },
    });

    expect(Object.keys(document)).toEqual([
      ...['openapi', 'info', 'servers', 'tags', 'externalDocs', 'paths', 'webhooks', 'components'],
      'x-tagGroups',
    ]);
    expect(document).toMatchObject({
      info: { 'x-logo': { url: '/logo.svg' } },
      servers: [{ url: '/v1', 'x-internal': false }],
      tags: [{ name: 'users', externalDocs: { url: '/users.html' }, 'x-order': 1 }],
      webhooks: { created: { post: { 'x-retries': 3 } } },
    });
  });

  it('include the extensions of a route', () => {
    const extensions = { 'x-internal': true, 'x-codeSamples': [{ lang: 'sh', source: 'curl' }] };
    const { paths } = createDocument(createApp().get('/', { extensions }, ok), { info });

    expect(paths['/']?.get).toMatchObject(extensions);
  });

  it.each<[string, object, string]>([
    [
      'an extension without x-',
      { extensions: { tagGroups: [] } },
      "extensions of createDocument() must be an object whose names start with x-, such as { 'x-internal': true }: got an object.",
    ],
    [
      'external documents without a url',
      { externalDocs: { description: 'More' } },
      'externalDocs of createDocument() needs url. Pass one.',
    ],
  ])('are refused with %s', (_, options, message) => {
    expect(messageFor(options)).toBe(message);
  });
});

describe('servers', () => {
  it('may have variables', async () => {
    const servers = [
      {
        url: 'https://{tenant}.example.org:{port}',
        variables: {
          tenant: { default: 'demo', description: 'Your company' },
          port: { default: '443', enum: ['443', '8443'] },
        },
      },
    ];
    const document = documentWith({ servers });

    expect(document.servers).toEqual(servers);
    expect(await findMetaSchemaErrors(document)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['lacks a url', { description: 'Here' }, 'servers[0] of createDocument() needs url. Pass one.'],
    [
      'has an unknown member',
      { url: '/', name: 5, variable: {} },
      "servers[0] of createDocument() has no option 'name'. Remove it, or use url, description or variables.\nservers[0] of createDocument() has no option 'variable'. Did you mean 'variables'?",
    ],
    [
      'lacks a variable of its url',
      { url: 'https://{tenant}.example.org' },
      "servers[0] of createDocument() needs the variable 'tenant', which its url contains. Add it: variables: { tenant: { default: '…' } }.",
    ],
    [
      'has a variable that is not in its url',
      { url: '/', variables: { tenant: { default: 'demo' } } },
      "the variable 'tenant' of servers[0] of createDocument() is not in its url. Remove it, or add {tenant}.",
    ],
    [
      'has a variable without a default',
      { url: '/{v}', variables: { v: { enum: ['1'] } } },
      "the variable 'v' of servers[0] of createDocument() needs default. Pass one.",
    ],
    [
      'has a default that is not allowed',
      { url: '/{v}', variables: { v: { default: '3', enum: ['1', '2'] } } },
      "the variable 'v' of servers[0] of createDocument() cannot use '3' as default. Use a value of its enum.",
    ],
  ])('are refused if one %s', (_, server, message) => {
    expect(messageFor({ servers: [server] })).toBe(message);
  });
});

describe('tags', () => {
  it('are in the order of the option, before those that only routes and webhooks name', () => {
    const { tags } = documentWith({
      tags: [{ name: 'admin', description: 'Rare' }],
      webhooks: { created: { tags: ['events', 'admin'] } },
    });

    expect(tags).toEqual([
      { name: 'admin', description: 'Rare' },
      { name: 'users' },
      { name: 'events' },
    ]);
  });

  it('have a hierarchy in OpenAPI 3.2 only', () => {
    const tags = [
      { name: 'people', description: 'All', kind: 'nav' },
      { name: 'users', summary: 'Users', parent: 'people' },
    ];

    expect(documentWith({ tags, version: '3.2' }).tags).toEqual(tags);
    expect(documentWith({ tags }).tags).toEqual([
      { name: 'people', description: 'All' },
      { name: 'users' },
    ]);
  });

  it.each<[string, readonly object[], string]>([
    [
      'whose parent is missing',
      [{ name: 'users', parent: 'people' }],
      "tags[0] of createDocument() has the parent 'people', which is not in tags. Add it to tags.",
    ],
    [
      'within itself',
      [
        { name: 'a', parent: 'b' },
        { name: 'b', parent: 'b' },
      ],
      'tags[1] of createDocument() is within itself: b, b. Remove a parent.',
    ],
    ['without a name', [{}], 'tags[0] of createDocument() needs name. Pass one.'],
    [
      'with an unknown member',
      [{ name: 'users', desciption: 'People' }],
      "tags[0] of createDocument() has no option 'desciption'. Did you mean 'description'?",
    ],
    [
      'that repeats another one',
      [{ name: 'users' }, { name: 'users' }],
      "tags[1] of createDocument() repeats the name 'users' of tags[0]. Join the two.",
    ],
    [
      'with external documents without a url',
      [{ name: 'users', externalDocs: {} }],
      'externalDocs of tags[0] of createDocument() needs url. Pass one.',
    ],
  ])('are refused if there is one %s', (_, tags, message) => {
    expect(messageFor({ tags })).toBe(message);
  });
});

describe('webhooks', () => {
  const User = z
    .object({ id: z.string(), role: z.string().default('member') })
    .meta({ id: 'User' });
  const webhooks = {
    'user.created': {
      summary: 'A user signed up',
      tags: ['users'],
      headers: z.object({ 'x-signature': z.string().describe('HMAC of the body') }),
      body: User,
      security: [
        { name: 'signature', scheme: { type: 'apiKey', in: 'header', name: 'X-Signature' } },
      ],
    },
    'user.check': {
      method: 'PUT',
      operationId: 'checkUser',
      deprecated: true,
      summary: 'Check a user',
      description: 'Asks whether a user may **sign in**.',
      body: z.object({ id: z.string() }),
      response: { 200: z.object({ allowed: z.boolean().default(true) }), 204: {} },
    },
  } as const;

  it('describe requests as subscribers receive them, and responses as they send them', () => {
    const app = createApp()
      .use(json())
      .post('/users', { body: User, response: User }, ({ body }) => body);
    const document = createDocument(app, { info, webhooks });

    expect(document.webhooks).toEqual({
      'user.created': {
        post: {
          summary: 'A user signed up',
          tags: ['users'],
          operationId: 'onUserCreated',
          parameters: [
            {
              name: 'x-signature',
              in: 'header',
              required: true,
              description: 'HMAC of the body',
              schema: { type: 'string' },
            },
          ],
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
            required: true,
          },
          responses: { '2XX': { description: 'Success' } },
          security: [{ signature: [] }],
        },
      },
      'user.check': {
        put: {
          summary: 'Check a user',
          description: 'Asks whether a user may **sign in**.',
          operationId: 'checkUser',
          deprecated: true,
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { id: { type: 'string' } },
                  required: ['id'],
                },
              },
            },
            required: true,
          },
          responses: {
            200: {
              description: 'OK',
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: { allowed: { default: true, type: 'boolean' } },
                  },
                },
              },
            },
            204: { description: 'No Content' },
          },
          security: [],
        },
      },
    });
    expect(document.components.schemas).toMatchObject({
      User: { required: ['id', 'role'] },
      UserInput: { required: ['id'] },
    });
  });

  it('match the meta-schema and the rules of Redocly', async () => {
    const document = documentWith({ webhooks, exclude: ['/users'] });

    expect(await findMetaSchemaErrors(document)).toEqual([]);
    expect(await lint(document)).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'with an unknown option',
      { a: { boddy: User } },
      "the webhook 'a' of createDocument() has no option 'boddy'. Did you mean 'body'?",
    ],
    [
      'with an unknown method',
      { a: { method: 'post' } },
      "method of the webhook 'a' of createDocument() must be 'POST', 'PUT', 'PATCH', 'DELETE' or 'GET': got 'post'.",
    ],
    [
      'with schemas by name as its body',
      { a: { body: { json: User } } },
      "the webhook 'a' of createDocument() cannot use an object with the Standard Schema 'json' as a schema. Use one schema of your schema library for the whole, such as z.object({ … }).",
    ],
    [
      'with a range of statuses',
      { a: { response: { '2xx': User } } },
      "the webhook 'a' of createDocument() cannot use '2xx' as a status of response. Use statuses such as { 200: User }, or one schema for every successful status.",
    ],
    [
      'with a schema that cannot be expressed',
      { a: { body: z.date() } },
      "Cannot describe the body of the webhook 'a': Date cannot be represented in JSON Schema.\n  Fix: describe the text of the date: z.iso.datetime(), or pass unrepresentable: 'any' to describe it as {}.",
    ],
    [
      'with the operationId of a route',
      { a: { operationId: 'getUsers' } },
      "GET /users and the webhook 'a' have the operationId 'getUsers'. Give one of them another operationId.",
    ],
  ])('are refused if there is one %s', (_, invalid, message) => {
    expect(messageFor({ webhooks: invalid })).toBe(message);
  });
});

it('the option errorSchema is no object with schemas as members', () => {
  expect(messageFor({ errorSchema: { json: z.string() } } as object)).toContain(
    "createDocument() cannot use an object with the Standard Schema 'json' as a schema.",
  );
});

describe('the option transform', () => {
  it('changes the finished document', () => {
    const document = documentWith({
      transform(finished) {
        const { get = {} } = finished.paths['/users'] ?? {};
        get['x-rate'] = 5;
        finished['x-generated'] = true;
      },
    });

    expect(document).toMatchObject({ 'x-generated': true });
    expect(document.paths['/users']?.get).toHaveProperty('x-rate', 5);
  });

  it('replaces it', () => {
    const document = documentWith({ transform: (finished) => ({ ...finished, paths: {} }) });

    expect(document.paths).toEqual({});
  });

  it('changes the document that is served, and the page', async () => {
    const app = createApp();
    const transform: DocumentOptions['transform'] = ({ components: _, ...finished }) =>
      ({ ...finished, info: { ...info, title: 'Changed' } }) as never;
    await app.plugin(openapi({ info, transform }));

    expect(await (await app.request('/openapi.json')).json()).toMatchObject({
      info: { title: 'Changed' },
    });
    expect(await (await app.request('/docs')).text()).toContain('<title>Changed</title>');
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('No tags.');
      },
      'No tags.',
    ],
    ['returns something else', () => [], 'it returned [], which is not an OpenAPI document.'],
    [
      'returns a promise',
      async () => ({}),
      'it returned an instance of Promise, which is not an OpenAPI document.',
    ],
    [
      'returns what JSON cannot contain',
      () => ({ openapi: '3.1.1', info, size: 1n }),
      'Do not know how to serialize a BigInt',
    ],
  ])('stops the start if it %s', async (_, transform, reason) => {
    const app = createApp();
    await app.plugin(openapi({ info, transform: transform as never }));

    expect(() => app.seal()).toThrow(
      expect.objectContaining({
        code: 'TRANSFORM_FAILED',
        message: `Cannot transform the OpenAPI document: ${reason}\n  Fix: correct the option transform. It receives the document, and returns a document or nothing.`,
      }),
    );
  });
});
