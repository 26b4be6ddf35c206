import { createApp } from '@fairlead/core';
import { createVersions, type VersionOptions } from '@fairlead/core/versions';
import { describe, expect, it } from 'vitest';
import { createDocument, describeOperations, openapi } from '../src/index.js';

const info = { title: 'Notes', version: '1.0.0' };

function create(versions: VersionOptions) {
  return createApp({ versions: createVersions(versions) })
    .get('/notes', { version: '1', summary: 'First' }, () => [])
    .get('/notes', { version: '2', summary: 'Second', description: 'Newer.' }, () => [])
    .get('/health', () => 'ok');
}

const HEADER: VersionOptions = { header: 'X-Api-Version', default: '1' };

describe('a document of an application with versions', () => {
  it('describes the routes of one version, and how requests name it', () => {
    const { paths } = createDocument(create(HEADER), { info, apiVersion: '2' });
    expect(paths['/notes']?.get).toMatchObject({
      summary: 'Second',
      operationId: 'getNotes',
      description: 'Newer.',
      parameters: [
        {
          name: 'X-Api-Version',
          in: 'header',
          required: true,
          schema: { type: 'string', enum: ['2'] },
        },
      ],
      responses: { 400: { $ref: '#/components/responses/BadRequest' } },
    });
    expect(paths['/health']?.get).not.toHaveProperty('parameters');
  });

  it('describes the default version by default, which requests need not name', () => {
    const { paths } = createDocument(create(HEADER), { info });
    expect(paths['/notes']?.get).toMatchObject({
      summary: 'First',
      parameters: [
        { name: 'X-Api-Version', in: 'header', schema: { type: 'string', enum: ['1'] } },
      ],
    });
    expect(paths['/notes']?.get).not.toHaveProperty('parameters.0.required');
  });

  it('describes a parameter of Accept in a sentence, because documents ignore that header', () => {
    const { paths } = createDocument(create({ parameter: 'v' }), { info, apiVersion: '2' });
    expect(paths['/notes']?.get).toMatchObject({
      description: 'Newer.\n\nSend `Accept` with `v=2`.',
      responses: { 406: { $ref: '#/components/responses/NotAcceptable' } },
    });
    expect(paths['/notes']?.get).not.toHaveProperty('parameters');
  });

  it('may be one of several', async () => {
    const app = create(HEADER);
    await app.plugin(openapi({ info, docs: false }));
    await app.plugin(openapi({ info, docs: false, path: '/2.json', apiVersion: '2' }));
    const summaries = ['/openapi.json', '/2.json'].map(async (path) => {
      const document = JSON.parse(await (await app.request(path)).text());
      return document.paths['/notes'].get.summary;
    });
    expect(await Promise.all(summaries)).toEqual(['First', 'Second']);
  });

  it('describes the operations of every version, and those without one once', () => {
    const app = create(HEADER);
    app.seal();
    const { operations } = describeOperations(app);
    const shown = operations.map(({ path, route, operation }) => [
      path,
      route.options.version,
      operation.parameters?.map(({ name, schema }) => [name, schema]),
    ]);
    const named = (version: string) => [['X-Api-Version', { type: 'string', enum: [version] }]];
    expect(shown).toEqual([
      ['/notes', '1', named('1')],
      ['/health', undefined, undefined],
      ['/notes', '2', named('2')],
    ]);
  });

  it('reports ambiguous paths of every version once', () => {
    const app = create(HEADER)
      .get('/files/:id', () => 1)
      .get('/files/*path', () => 1)
      .get('/logs/:id', { version: '2' }, () => 1)
      .get('/logs/*path', () => 1);
    app.seal();
    expect(() => describeOperations(app)).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ message: expect.stringContaining('GET /files/*path') }),
          expect.objectContaining({ message: expect.stringContaining('GET /logs/*path') }),
        ],
      }),
    );
  });

  it.each([
    [
      create({ header: 'X-Api-Version' }),
      undefined,
      "The document 'Notes' needs the option apiVersion: routes have '1' and '2'. Pass one of them as apiVersion, and install the plugin once for each.",
    ],
    [
      create(HEADER),
      '3',
      "The document 'Notes' cannot describe the version '3': routes have '1' and '2'. Pass one of them",
    ],
    [
      createApp().get('/', () => 1),
      '1',
      "The document 'Notes' cannot describe the version '1': no route has a version. Remove apiVersion.",
    ],
  ])('fails without a version that routes have', (app, apiVersion, message) => {
    const options = { info, ...(apiVersion && { apiVersion }) };
    expect(() => createDocument(app, options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    );
  });
});
