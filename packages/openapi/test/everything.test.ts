import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDocument, openapi } from '../src/index.js';
import { createEverything, everything } from './support/everything.js';
import { findMetaSchemaErrors, lint } from './support/validators.js';

describe.each([
  ['all routes', {}],
  ['all routes in OpenAPI 3.2', { version: '3.2' } as const],
  ['some routes', { include: { tags: ['users', 'notes'] }, exclude: { tags: ['internal'] } }],
])('the document of %s of an application that uses everything', async (_, options) => {
  const app = await createEverything();
  const document = createDocument(app, { ...everything, ...options });

  it('matches the official meta-schema', async () => {
    expect(await findMetaSchemaErrors(document)).toEqual([]);
  });

  it('has no errors by the rules that Redocly recommends', async () => {
    expect(await lint(document)).toEqual([]);
  });

  it('is the same text for the same routes', async () => {
    const other = createDocument(await createEverything(), { ...everything, ...options });

    expect(JSON.stringify(other)).toBe(JSON.stringify(document));
  });

  it('is the same in YAML', async () => {
    const served = await createEverything();
    await served.plugin(openapi({ ...everything, ...options, path: '/api.yaml', docs: false }));

    expect(parse(await (await served.request('/api.yaml')).text())).toEqual(document);
  });
});

it('the document of an application that uses everything has all of it', async () => {
  const document = createDocument(await createEverything());

  expect(Object.keys(document)).toEqual([
    ...['openapi', 'info', 'servers', 'tags', 'externalDocs', 'paths', 'webhooks', 'components'],
    ...['x-tagGroups', 'x-generated-by'],
  ]);
  expect(document.paths['/feed']?.get).toMatchObject({ security: [{ bearer: [] }, {}] });
  expect(document.paths['/notes']).toMatchObject({
    get: { security: [] },
    post: { security: [{ bearer: [] }, { key: [] }] },
  });
  expect(document.paths['/notes/{id}']?.delete).toMatchObject({ 'x-audited': true });
  expect(document.paths['/tasks']?.post).toMatchObject({
    tags: ['tasks'],
    security: [{ bearer: [] }, { key: [] }],
  });
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/exports', '/exports/{year}', '/archive']),
  );
  expect(document.paths['/exports/{year}']).toMatchObject({
    get: {
      responses: { 200: { content: { 'application/json': {}, 'text/csv': {} } }, 304: {}, 404: {} },
    },
    put: {
      operationId: 'replaceExportPut',
      requestBody: { content: { 'application/json': {}, 'text/plain': {} } },
      responses: { 200: { headers: { Location: {} }, 'x-new': 1 } },
    },
    patch: { operationId: 'replaceExportPatch' },
  });
});

it('the document in OpenAPI 3.2 has the routes for QUERY, and the events of streams', async () => {
  const { paths } = createDocument(await createEverything(), { ...everything, version: '3.2' });

  expect(paths['/exports']).toMatchObject({ query: { operationId: 'queryExports' } });
  expect(paths['/exports/live']?.get).toMatchObject({
    responses: { 200: { content: { 'text/event-stream': { itemSchema: {} } } } },
  });
});
