import { createApp, json, type Middleware, type StandardSchema } from '@fairlead/core';
import { createDocument, secured } from '@fairlead/openapi';
import swagger from '@fastify/swagger';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';

const info = { title: 'Shop', version: '1.0.0' };
const tags = [{ name: 'users', description: 'Those who sign in.' }];
const bearer = { type: 'http', scheme: 'bearer' } as const;
const key = { type: 'apiKey', in: 'header', name: 'X-Key' } as const;

const User = {
  $id: 'User',
  type: 'object',
  properties: { id: { type: 'string' }, name: { type: 'string', minLength: 1 } },
  required: ['id', 'name'],
};
const List = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1, description: 'From 1.' },
    role: { type: 'string', enum: ['admin', 'member'] },
  },
  required: ['role'],
};
const Id = {
  type: 'object',
  properties: { id: { type: 'string', format: 'uuid' } },
  required: ['id'],
};
const Tenant = {
  type: 'object',
  properties: { 'x-tenant': { type: 'string' } },
  required: ['x-tenant'],
};
const Taken = { type: 'object', properties: { taken: { type: 'string' } }, required: ['taken'] };

const list = { summary: 'List the users', tags: ['users'], operationId: 'listUsers' };
const find = { summary: 'Find a user', description: 'By its **ID**.', tags: ['users'] };
const create = { summary: 'Create a user', tags: ['users', 'writes'] };
const remove = { summary: 'Delete a user', deprecated: true };

/** A Standard Schema that converts to a JSON Schema. */
function standard(schema: object): StandardSchema {
  const jsonSchema = { input: () => ({ ...schema }), output: () => ({ ...schema }) };
  const validate = (value: unknown) =>
    value === undefined ? { issues: [{ message: 'Required' }] } : { value };
  return { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } };
}

function describeFairlead(): unknown {
  const either: Middleware = secured((_ctx, next) => next(), {
    anyOf: [
      { name: 'bearer', scheme: bearer },
      { name: 'key', scheme: key },
    ],
  });
  const app = createApp()
    .use(json())
    .on(
      'GET',
      '/users',
      { ...list, query: standard(List), response: { type: 'array', items: User } },
      () => [],
    )
    .on(
      'GET',
      '/users/:id',
      { ...find, params: standard(Id), headers: standard(Tenant), response: { 200: User } },
      () => 1,
    )
    .on(
      'POST',
      '/users',
      { ...create, body: standard(User), response: { 201: User, 409: Taken } },
      either,
      () => 1,
    )
    .on('DELETE', '/users/:id', { ...remove, status: 204 }, () => undefined)
    .get('/files/*', () => 1)
    .get('/health', { hidden: true }, () => 1);
  return createDocument(app, { info, tags });
}

async function describeFastify(): Promise<unknown> {
  const app = fastify();
  const components = { securitySchemes: { bearer, key } };
  await app.register(swagger, { openapi: { openapi: '3.1.1', info, tags, components } });
  app.addSchema(User);
  const user = { $ref: 'User#' };
  app.get(
    '/users',
    { schema: { ...list, querystring: List, response: { 200: { type: 'array', items: user } } } },
    () => [],
  );
  app.get(
    '/users/:id',
    { schema: { ...find, params: Id, headers: Tenant, response: { 200: user } } },
    () => 1,
  );
  const security = [{ bearer: [] }, { key: [] }];
  app.post(
    '/users',
    { schema: { ...create, security, body: user, response: { 201: user, 409: Taken } } },
    () => 1,
  );
  app.delete('/users/:id', { schema: { ...remove, response: { 204: { type: 'null' } } } }, () => 1);
  app.get('/files/*', { schema: {} }, () => 1);
  app.get('/health', { schema: { hide: true } }, () => 1);
  await app.ready();
  return app.swagger();
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});

/** Returns a part of a document with the components that it refers to, without their names. */
function resolve(part: unknown, document: Members): unknown {
  if (Array.isArray(part)) return part.map((member) => resolve(member, document));
  if (!isMembers(part)) return part;
  if (typeof part.$ref === 'string') {
    const keys = part.$ref.split('/').slice(1);
    return resolve(
      keys.reduce<unknown>((value, one) => membersOf(value)[one], document),
      document,
    );
  }
  const { title: _, ...members } = part;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, resolve(member, document)]),
  );
}

/** Lists the operations of a document by method and path, with their components in place of references. */
function operationsOf(document: unknown): Readonly<Record<string, Members>> {
  const { paths } = membersOf(document);
  const operations = Object.entries(membersOf(paths)).flatMap(([path, item]) =>
    Object.entries(membersOf(item)).map(([method, operation]) => [
      `${method} ${path.replace('{*}', '{wildcard}')}`,
      membersOf(resolve(operation, membersOf(document))),
    ]),
  );
  return Object.fromEntries(operations);
}

/** What an operation means, without what only one of the two documents has. */
function meaningOf({ parameters = [], requestBody, responses, security = [], ...others }: Members) {
  const named = (Array.isArray(parameters) ? parameters : []).map((parameter: Members) => ({
    ...parameter,
    name: parameter.name === '*' ? 'wildcard' : parameter.name,
    required: parameter.required === true,
  }));
  const contents = Object.entries(membersOf(responses)).map(([status, response]) => [
    status,
    membersOf(membersOf(membersOf(response).content)['application/json']),
  ]);
  return {
    others,
    security,
    parameters: named,
    requestBody,
    responses: Object.fromEntries(contents),
  };
}

describe('for the same routes and JSON Schemas, the documents of @fairlead/openapi and @fastify/swagger', async () => {
  const ours = operationsOf(describeFairlead());
  const theirs = operationsOf(await describeFastify());

  it('have the same operations', () => {
    expect(Object.keys(ours).toSorted()).toEqual(Object.keys(theirs).toSorted());
  });

  it.each(Object.keys(theirs))('say the same about %s', (name) => {
    const { others, ...our } = meaningOf(ours[name] ?? {});
    const { others: expected, ...their } = meaningOf(theirs[name] ?? {});

    expect(others).toMatchObject(expected);
    expect(our).toMatchObject(their);
  });

  it('differ only in what routes imply: operation IDs, errors and the wildcard', () => {
    const added = Object.entries(ours).map(([name, our]) => {
      const their = theirs[name] ?? {};
      const statuses = Object.keys(membersOf(our.responses));
      const known = membersOf(their.responses);
      return [
        name,
        Object.keys(our).filter((member) => !(member in their)),
        statuses.filter((status) => !(status in known)),
      ];
    });

    expect(added).toEqual([
      ['get /users', ['security'], ['400', 'default']],
      ['post /users', ['operationId'], ['400', '401', '403', '413', '415', 'default']],
      ['get /users/{id}', ['operationId', 'security'], ['400', '404', 'default']],
      ['delete /users/{id}', ['operationId', 'security'], ['404', 'default']],
      ['get /files/{wildcard}', ['operationId', 'security'], ['404', 'default']],
    ]);
  });
});
