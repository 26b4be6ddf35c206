import { METHODS } from 'node:http';
import { exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Application,
  createApp,
  createRouter,
  json,
  notFoundHandler,
  raw,
  text,
  urlencoded,
} from '../src/index.js';
import { serve } from './support/serve.js';

const Search = z.object({ author: z.string(), limit: z.number().default(10) });

const books = createApp()
  .use(json(), urlencoded())
  .get('/books', () => 'list')
  .query('/books', { body: Search }, ({ body }) => body)
  .query('/streams', async (ctx) => {
    let bytes = 0;
    for await (const chunk of ctx.bodyStream()) bytes += chunk.length;
    return { method: ctx.method, bytes };
  });

const search = (body: string | null, type?: string, path = '/books') =>
  books.request(path, {
    method: 'QUERY',
    // Text would get the type text/plain.
    body: body === null ? null : Buffer.from(body),
    ...(type !== undefined && { headers: { 'Content-Type': type } }),
  });

describe('a QUERY route', () => {
  it('reads and validates its body', async () => {
    const found = await search('{"author":"Ada"}', 'application/json');
    expect([found.status, await found.json()]).toEqual([200, { author: 'Ada', limit: 10 }]);
    const form = await search('author=Ada&limit=5', 'application/x-www-form-urlencoded');
    expect([form.status, await form.json()]).toEqual([200, { author: 'Ada', limit: 5 }]);
    const wrong = await search('author=Ada&limit=x', 'application/x-www-form-urlencoded');
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: 'VALIDATION_FAILED' }]);
    const malformed = await search('author=Ada', 'application/json');
    expect([malformed.status, await malformed.json()]).toMatchObject([
      400,
      { code: 'MALFORMED_JSON' },
    ]);
  });

  it('responds over a socket as it does in process', async () => {
    expect(METHODS).toContain('QUERY');
    const { port, url } = await serve(books);
    const init = { method: 'QUERY', body: '{"author":"Ada"}' };
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/books`, { ...init, headers });
    expect(await response.json()).toEqual({ author: 'Ada', limit: 10 });
    const lines = ['QUERY /streams HTTP/1.1', 'Host: a', 'Connection: close'];
    const body = ['Content-Type: text/csv', 'Transfer-Encoding: chunked', '', '3', 'a,b', '0', ''];
    const chunked = await exchange(port, [...lines, ...body, ''].join('\r\n'));
    expect(chunked).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"method":"QUERY","bytes":3\}/);
  });

  it('is a 400 if its method is not in capitals, as fetch sends it', async () => {
    const { url } = await serve(books);
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/books`, { method: 'query', body: '{}', headers });
    expect(response.status).toBe(400);
  });

  it.each([
    ['app.query()', createApp().query('/:id', ({ params, method }) => [method, params.id])],
    [
      'router.query()',
      createApp().route(
        '/',
        createRouter().query('/:id', ({ params, method }) => [method, params.id]),
      ),
    ],
    [
      'router.define()',
      createApp().route(
        '/',
        createRouter().define('/', ({ query }) => ({
          search: query('/:id', ({ params, method }) => [method, params.id]),
        })),
      ),
    ],
    ["on('query')", createApp().on('query', '/:id', ({ params, method }) => [method, params.id])],
  ])('is registered by %s', async (_, app) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await app.request('/7', { method: 'QUERY', headers });
    expect(await response.json()).toEqual(['QUERY', '7']);
  });

  it.each([
    ['a body', '/books', '{"author":"Ada"}'],
    ['no body', '/books', null],
    ['a body that the handler reads', '/streams', 'a,b'],
  ])('rejects a request without a Content-Type and with %s', async (_, path, body) => {
    const response = await search(body, undefined, path);
    expect(response.status).toBe(400);
    expect(response.headers.get('Accept-Query')).toBe(
      '"application/json", "application/x-www-form-urlencoded"',
    );
    expect(await response.json()).toMatchObject({
      code: 'MISSING_CONTENT_TYPE',
      detail:
        'A QUERY request needs a Content-Type. Send the one of its body, such as application/json.',
    });
  });

  it('rejects it after its middleware, and before its handler', async () => {
    const ran: string[] = [];
    const app = createApp().query(
      '/',
      (_ctx, next) => {
        ran.push('middleware');
        return next();
      },
      () => ran.push('handler'),
    );
    expect((await app.request('/', { method: 'QUERY' })).status).toBe(400);
    expect(ran).toEqual(['middleware']);
  });

  it('lists the types of its parsers when it rejects another one', async () => {
    const response = await search('author: Ada', 'application/yaml');
    expect(response.status).toBe(415);
    expect(response.headers.get('Accept')).toBe(
      'application/json, application/x-www-form-urlencoded',
    );
    expect(response.headers.get('Accept-Query')).toBe(
      '"application/json", "application/x-www-form-urlencoded"',
    );
  });

  it('does not handle requests with other methods', async () => {
    const app = createApp().query('/', () => 'found');
    for (const method of ['GET', 'HEAD', 'POST']) {
      const response = await app.request('/', { method });
      expect([response.status, response.headers.get('Allow')]).toEqual([405, 'OPTIONS, QUERY']);
    }
  });
});

it('a GET route does not handle QUERY, and a route for all methods does', async () => {
  const app = createApp()
    .get('/one', () => 'one')
    .all('/all', ({ method }) => method);
  const refused = await app.request('/one', { method: 'QUERY' });
  expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(await (await app.request('/all', { method: 'QUERY' })).json()).toBe('QUERY');
});

describe('Accept-Query of OPTIONS', () => {
  const optionsOf = async (app: Application, path = '/') => {
    const { status, headers } = await app.request(path, { method: 'OPTIONS' });
    return [status, headers.get('Allow'), headers.get('Accept-Query')];
  };

  it('lists what the parsers before the QUERY route read', async () => {
    expect(await optionsOf(books, '/books')).toEqual([
      204,
      'GET, HEAD, OPTIONS, QUERY',
      '"application/json", "application/x-www-form-urlencoded"',
    ]);
    const app = createApp()
      .use(text({ type: ['text/*', 'application/sql'] }))
      .route(
        '/',
        createRouter().query('/', raw(), () => 'found'),
      )
      .use(notFoundHandler());
    expect(await optionsOf(app)).toEqual([
      204,
      'OPTIONS, QUERY',
      '"text/*", "application/sql", "application/octet-stream"',
    ]);
  });

  it('leaves out ranges that it cannot express', async () => {
    const type = ['application/json', 'application/*+json'];
    const app = createApp()
      .use(json({ type }))
      .query('/', () => 'found')
      .query('/other', () => 'found');
    expect(await optionsOf(app)).toEqual([204, 'OPTIONS, QUERY', '"application/json"']);
  });

  it.each([
    ['without a parser', createApp().query('/', () => 'found'), 'OPTIONS, QUERY'],
    [
      'without a route for QUERY',
      createApp()
        .use(json())
        .post('/', () => 'created'),
      'OPTIONS, POST',
    ],
  ])('is absent %s', async (_, app, allow) => {
    expect(await optionsOf(app)).toEqual([204, allow, null]);
  });
});
