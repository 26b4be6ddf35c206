import { createApp, json } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, openapi } from '../src/index.js';

const info = { title: 'Test', version: '1' };

/** Creates a schema that converts to a JSON Schema. */
function schemaOf(jsonSchema: string) {
  const convert = () => JSON.parse(jsonSchema);
  const validate = (value: unknown) => ({ value });
  const converter = { input: convert, output: convert };
  return { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: converter } } as const;
}

describe('a document', () => {
  it('may have components, members and parameters of any name', () => {
    const body = z.object({ a: z.string() }).meta({ id: '__proto__' });
    const query = schemaOf('{ "type": "object", "properties": { "__proto__": {} } }');
    const inputs = [{ source: 'body', name: '__proto__', required: true }] as const;
    const app = createApp().use(json());
    app.post('/component', { body, query }, () => 1).post('/member', { inputs }, () => 1);
    const { paths, components } = createDocument(app, { info });

    expect(Object.keys(components.schemas ?? {})).toContain('__proto__');
    expect(paths['/component']?.post).toMatchObject({ parameters: [{ name: '__proto__' }] });
    expect(JSON.stringify(paths['/member'])).toContain('"properties":{"__proto__":{}}');
  });

  it.each([
    '{ "$ref": "#" }',
    '{ "$ref": "#/$defs/A", "$defs": { "A": { "allOf": [{ "$ref": "#/$defs/A" }] } } }',
    '{ "$ref": "#/$defs/100%", "$defs": { "100%": { "type": "object" } } }',
  ])('may have a query of the schema %s', (text) => {
    const app = createApp().get('/', { query: schemaOf(text) }, () => 1);

    expect(createDocument(app, { info }).paths).toHaveProperty(['/', 'get']);
  });
});

describe('the policy of the page', () => {
  it('allows requests to a host with letters of any script, without credentials', async () => {
    const app = createApp();
    const servers = [{ url: 'https://日本.example/v1' }, { url: 'https://me:secret@b.example' }];
    await app.plugin(openapi({ info, servers }));
    const policy = (await app.request('/docs')).headers.get('Content-Security-Policy');

    expect(policy).toContain("connect-src 'self' https://xn--wgv71a.example https://b.example;");
  });
});
