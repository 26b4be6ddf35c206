import { content, createApp, type Handler, json } from '@fairlead/core';
import { multipart } from '@fairlead/multipart';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, type OpenApiVersion, openapi } from '../src/index.js';
import { findMetaSchemaErrors, lint } from './support/validators.js';

const info = { title: 'Test', version: '1', license: { name: 'MIT', identifier: 'MIT' } };
const ok: Handler = () => null;

const Price = z.object({ amount: z.number() }).meta({ id: 'Price' });
const PriceEvent = z.object({ event: z.literal('price'), data: Price, id: z.string().optional() });
const Tick = z.object({ data: z.string() });

/** Creates an application with what only OpenAPI 3.2 can describe. */
function createPrices() {
  return createApp()
    .use(json())
    .query('/prices', { summary: 'Search', body: Price }, ok)
    .query('/hidden', { hidden: true }, ok)
    .on('PURGE', '/prices', { summary: 'Purge' }, ok)
    .get('/prices', { summary: 'List', response: z.array(Price) }, () => [])
    .get(
      '/prices/live',
      {
        summary: 'Follow',
        response: content({ 'text/event-stream': z.union([PriceEvent, Tick]) }),
      },
      (ctx) => ctx.send('data: 1\n\n'),
    )
    .get(
      '/prices/all',
      { summary: 'Export', response: content({ 'application/jsonl': Price }) },
      () => '{}\n',
    )
    .all('/any', { summary: 'Any' }, ok);
}

let warnings: string[];
const listen = (warning: Error): void => void warnings.push(warning.message);

/** Waits for the warnings, which Node.js reports after the current code. */
const reported = () => new Promise(setImmediate);

beforeEach(async () => {
  await reported();
  warnings = [];
  process.on('warning', listen);
});
afterEach(() => void process.off('warning', listen));

const describePrices = (version?: OpenApiVersion) =>
  createDocument(createPrices(), { info, ...(version && { version }) });

describe('an OpenAPI 3.2 document', () => {
  const document = describePrices('3.2');

  it('matches the official meta-schema, and has no errors by the rules that Redocly recommends', async () => {
    expect(document.openapi).toBe('3.2.0');
    expect(await findMetaSchemaErrors(document)).toEqual([]);
    expect(await lint(document)).toEqual([]);
  });

  it('has QUERY as an operation, and further methods as additional operations', () => {
    expect(document.paths['/prices']).toMatchObject({
      query: { operationId: 'queryPrices', requestBody: { required: true } },
      get: { operationId: 'getPrices' },
      additionalOperations: { PURGE: { operationId: 'purgePrices' } },
    });
    expect(Object.keys(document.paths['/any'] ?? {})).not.toContain('query');
  });

  it('has the form that a QUERY must have, and its 400 without Content-Type', () => {
    const app = createApp()
      .query('/plain', ok)
      .query('/form', multipart({ rules: { title: { required: true } } }), ok);
    const { paths } = createDocument(app, { info, version: '3.2' });
    expect(paths['/plain']?.query).toHaveProperty('responses.400');
    expect(paths['/form']?.query).toMatchObject({
      requestBody: { required: true, content: { 'multipart/form-data': {} } },
    });
  });

  it('describes the events of a stream as clients receive them', () => {
    expect(document.paths['/prices/live']?.get).toMatchObject({
      responses: {
        200: {
          content: {
            'text/event-stream': {
              itemSchema: {
                anyOf: [
                  {
                    properties: {
                      event: { const: 'price' },
                      data: {
                        type: 'string',
                        contentMediaType: 'application/json',
                        contentSchema: { $ref: '#/components/schemas/Price' },
                      },
                    },
                  },
                  { properties: { data: { type: 'string' } }, required: ['data'] },
                ],
              },
            },
          },
        },
      },
    });
  });

  it('describes the items of JSON Lines', () => {
    expect(document.paths['/prices/all']?.get).toHaveProperty(
      ['responses', '200', 'content', 'application/jsonl'],
      { itemSchema: { $ref: '#/components/schemas/Price' } },
    );
  });

  it('leaves nothing out', async () => {
    describePrices('3.2');
    await reported();

    expect(warnings).toEqual([]);
  });
});

describe('an OpenAPI 3.1 document', () => {
  it('is the default', async () => {
    const document = describePrices();

    expect(document.openapi).toBe('3.1.1');
    expect(await findMetaSchemaErrors(document)).toEqual([]);
    expect(await lint(document)).toEqual([]);
  });

  it('lacks other methods and the items of streams', () => {
    const { paths } = describePrices('3.1');

    expect(Object.keys(paths['/prices'] ?? {})).toEqual(['get']);
    expect(paths['/prices/live']?.get).toHaveProperty('responses.200.content', {
      'text/event-stream': {},
    });
  });

  it('warns about what it leaves out at startup, unless the version is set', async () => {
    for (const version of [{}, { version: '3.1' as const }]) {
      const app = createPrices();
      await app.plugin(openapi({ info, docs: false, ...version }));
      app.seal();
      await reported();
    }

    expect(warnings).toEqual([
      expect.stringContaining(
        "The OpenAPI 3.1 document leaves out what only OpenAPI 3.2 can describe: QUERY /prices, PURGE /prices, the items of GET /prices/live, the items of GET /prices/all. Pass version: '3.2', or version: '3.1' to leave it out without this warning.\n  At: test/versions.test.ts:",
      ),
    ]);
  });
});
