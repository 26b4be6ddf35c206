import type { Application } from '@fairlead/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocument, type OpenApiDocument } from '../src/index.js';
import { createFixture } from './support/fixture.js';
import { Contract, findMetaSchemaErrors, lint } from './support/validators.js';

const info = { title: 'Fixture', version: '1', license: { name: 'MIT', identifier: 'MIT' } };

describe('the document of an application that uses every feature', () => {
  let app: Application;
  let document: OpenApiDocument;
  let contract: Contract;

  beforeAll(async () => {
    app = await createFixture();
    document = createDocument(app, { info, exclude: ['/health'] });
    contract = await Contract.create(document);
  });

  afterAll(() => contract[Symbol.asyncDispose]());

  it('matches the official meta-schema', async () => {
    expect(await findMetaSchemaErrors(document)).toEqual([]);
  });

  it('has no errors by the rules that Redocly recommends', async () => {
    expect(await lint(document)).toEqual([]);
  });

  it('lists every route that is not hidden', () => {
    const listed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed).toMatchInlineSnapshot(`
      [
        "GET /users",
        "POST /users",
        "GET /users/{id}",
        "DELETE /users/{id}",
        "GET /folders",
        "PUT /comments/{number}",
        "PATCH /products/{sku}",
        "GET /categories",
        "GET /report",
        "GET /tenant",
        "GET /echo/{path}",
        "PUT /echo/{path}",
        "POST /echo/{path}",
        "DELETE /echo/{path}",
        "OPTIONS /echo/{path}",
        "PATCH /echo/{path}",
        "HEAD /ping",
        "GET /flights/{from}-{to}.json",
        "DELETE /admin/{page}",
      ]
    `);
  });

  it.each([
    ['GET', '/users?page=2&role=admin&role=member', 200],
    ['GET', '/users?role=admin', 200],
    ['GET', '/users?page=two', 400],
    ['GET', '/users?role=guest', 400],
    ['GET', `/users/${crypto.randomUUID()}`, 404],
    ['GET', '/users/7', 400],
    ['GET', '/folders', 200],
    ['GET', '/categories', 200],
    ['GET', '/report', 200],
    ['GET', '/flights/OSL-HND.json?class=economy', 200],
    ['PUT', '/echo/a', 200],
    ['HEAD', '/ping', 204],
  ])('describes the response to %s %s', async (method, path, status) => {
    const exchange = await contract.exchange(app, method, path);

    expect(exchange).toEqual({ status, isAllowed: status !== 400, differences: [] });
  });

  it.each([
    ['POST', '/users', { name: 'Ada', role: 'admin' }, 201],
    ['POST', '/users', { name: 'Ada', manager: null }, 201],
    ['POST', '/users', { name: '' }, 400],
    ['POST', '/users', { role: 'admin' }, 400],
    ['POST', '/users', [], 400],
    ['PUT', '/comments/1', { text: 'a', replies: [{ text: 'b', replies: [] }] }, 200],
    ['PUT', '/comments/1', { text: 'a', replies: [{ text: 'b' }] }, 400],
    ['PATCH', '/products/a', { sku: 'a', price: 1 }, 200],
    ['PATCH', '/products/a', { sku: 'a', price: 0, tags: [] }, 400],
    ['PATCH', '/products/a', { sku: 'a', price: 1, tags: [1] }, 400],
  ])('describes the response to %s %s with %j', async (method, path, body, status) => {
    const exchange = await contract.exchange(app, method, path, body);

    expect(exchange).toEqual({ status, isAllowed: status !== 400, differences: [] });
  });

  it.each([
    ['with the header', { 'x-tenant': 'acme' }, 200],
    ['without the header', {}, 400],
  ])('describes the response to a request %s that a route reads', async (_, headers, status) => {
    const exchange = await contract.exchange(app, 'GET', '/tenant', undefined, headers);

    expect(exchange).toEqual({ status, isAllowed: status !== 400, differences: [] });
  });

  it.each([
    ['DELETE', '/users/7', {}, 401],
    ['DELETE', '/users/7', { authorization: 'Bearer letmein' }, 204],
    ['DELETE', '/admin/home', { authorization: 'Bearer letmein' }, 403],
  ])('describes the response to %s %s with %j', async (method, path, headers, status) => {
    const exchange = await contract.exchange(app, method, path, undefined, headers);

    expect(exchange).toEqual({ status, isAllowed: true, differences: [] });
  });

  it.each([
    ['a body that is malformed', { 'Content-Type': 'application/json' }, '{', 400],
    ['a body that is too large', { 'Content-Type': 'application/json' }, ' '.repeat(2 ** 21), 413],
    ['a body that no parser reads', { 'Content-Type': 'text/csv' }, 'a,b', 415],
  ])('lists the response to %s', async (_, headers, body, status) => {
    const response = await app.request('/users', { method: 'POST', headers, body });

    expect(response.status).toBe(status);
    expect(document.paths['/users']?.post).toHaveProperty(`responses.${status}`);
  });

  it('uses each error response of an application with another validation status', async () => {
    const other = await createFixture({}, { validationStatus: 422 });
    const { paths } = createDocument(other, { info });

    expect(paths['/users']?.post).toMatchObject({
      responses: {
        400: { $ref: '#/components/responses/BadRequest' },
        422: { $ref: '#/components/responses/ValidationFailed' },
      },
    });
    expect(paths['/users']?.get).not.toHaveProperty('responses.400');
    await using strict = await Contract.create(createDocument(other, { info }));
    expect(await strict.exchange(other, 'GET', '/users?page=two')).toEqual({
      status: 422,
      isAllowed: false,
      differences: [],
    });
  });
});
