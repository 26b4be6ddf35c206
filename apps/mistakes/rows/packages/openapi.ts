import { type Application, createApp, type Middleware } from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
import {
  createDocument,
  type DocumentOptions,
  type OpenApiOptions,
  openapi,
  secured,
} from '@fairlead/openapi';
import { z } from 'zod';
import { area } from '../../src/mistake.js';

const mistake = area('OpenAPI documents');

const info = { title: 'API', version: '1' };
const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } as const;
const pass: Middleware = (_ctx, next) => next();

/** Creates an application with documents. */
async function describing(...all: readonly Partial<OpenApiOptions>[]): Promise<Application> {
  const app = createApp().get('/', () => 1);
  for (const options of all) await app.plugin(openapi({ info, ...options }));
  app.seal();
  return app;
}

mistake('`openapi({ title })` without `info`', { compiler: "'title'", startup: 'needs info' }, () =>
  openapi({ title: 'API' }),
);

mistake('`openapi({ server })`', { compiler: "'server'", startup: "Did you mean 'servers'?" }, () =>
  describing({ server: [] }),
);

mistake('a second `openapi()` without a path', { startup: 'Pass another path' }, () =>
  describing({}, { docs: false }),
);

mistake('a second `openapi({ path })` without another page', { startup: 'Pass other docs' }, () =>
  describing({}, { path: '/internal.json' }),
);

mistake("`include: ['internal']`, a tag in the place of a path", { startup: '{ tags: [' }, () =>
  describing({ include: ['internal'] }),
);

mistake(
  "`include: { tags: 'internal' }`",
  { compiler: "'string'", startup: "{ tags: ['admin'] }" },
  () => describing({ include: { tags: 'internal' } }),
);

mistake('a variable in the URL of a server without its default', { startup: 'Add it' }, () =>
  describing({ servers: [{ url: 'https://{tenant}.example.org' }] }),
);

mistake('two descriptions of a tag', { startup: 'Join the two' }, () =>
  describing({ tags: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }),
);

mistake(
  'a webhook with `payload` instead of `body`',
  { compiler: "'payload'", startup: "has no option 'payload'" },
  () => describing({ webhooks: { paid: { payload: z.object({ id: z.string() }) } } }),
);

mistake(
  '`extensions: { tagGroups }` without `x-`',
  { compiler: "'tagGroups'", startup: 'x-' },
  () => describing({ extensions: { tagGroups: [] } }),
);

mistake(
  'an asynchronous `transform`',
  { compiler: 'Promise', startup: 'it returned an instance of Promise' },
  () => {
    const transform = async (document: Parameters<NonNullable<DocumentOptions['transform']>>[0]) =>
      document;
    return describing({ transform });
  },
);

mistake(
  'a document without `apiVersion`, of routes with versions',
  { startup: "needs the option apiVersion: routes have '1' and '2'" },
  async () => {
    const app = createApp({ versions: createVersions({ parameter: 'version' }) })
      .get('/users', { version: '1' }, () => [])
      .get('/users', { version: '2' }, () => []);
    await app.plugin(openapi({ info }));
    return app;
  },
);

mistake('a `transform` that throws', { startup: 'correct the option transform' }, () =>
  describing({
    transform() {
      throw new Error('No paths.');
    },
  }),
);

mistake(
  '`secured(guard, [bearer, key])`, of which one is enough',
  { compiler: 'no match', startup: 'Pass { anyOf: […] }' },
  () => createApp().use(secured(pass, [bearer, key])),
);

mistake('`secured(guard, { anyOf: [] })`', { startup: 'at least one' }, () =>
  createApp().use(secured(pass, { anyOf: [] })),
);

mistake(
  '`security: [{ bearer: [] }]`, as in OpenAPI',
  {
    compiler: "'bearer' does not exist in type 'Security'",
    startup: '{ name, scheme } or { anyOf }',
  },
  () => createApp().get('/', { security: [{ bearer: [] }] }, () => 1),
);

mistake("`createDocument(app, '/intern.json')`", { startup: "Use '/openapi.json'" }, async () => {
  const app = await describing({});
  createDocument(app, '/intern.json');
  return app;
});
