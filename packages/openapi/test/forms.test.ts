import 'reflect-metadata';
import {
  Body,
  Controller,
  Ctx,
  Post,
  registerController,
  UseMiddleware,
} from '@fairlead/controllers';
import {
  type Application,
  type Context,
  content,
  createApp,
  createRouter,
  type Handler,
  json,
  type Middleware,
  type RouteOptions,
  schemaClass,
  urlencoded,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { multipart, type PartRule, parts, type UploadedFile } from '@fairlead/multipart';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, type OpenApiDocument } from '../src/index.js';
import { findMetaSchemaErrors, lint } from './support/validators.js';

const info = { title: 'Test', version: '1', license: { name: 'MIT', identifier: 'MIT' } };
const ok: Handler = () => null;
const FILE = { type: 'string', format: 'binary' };

const rules = {
  title: { kind: 'field', required: true, maxCount: 1 },
  photo: { kind: 'file', required: true, maxCount: 1, mediaTypes: ['image/png', 'image/jpeg'] },
} as const;

/** What {@link rules} become. */
const PHOTO_FORM = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: { title: { type: 'string' }, photo: FILE },
      required: ['title', 'photo'],
    },
    encoding: { photo: { contentType: 'image/png, image/jpeg' } },
  },
};

/** Describes a POST route behind `json()`. */
function bodyOf(options: RouteOptions, form: Middleware) {
  const app = createApp().use(json());
  app.post('/', options, form, ok);
  return Object(createDocument(app, { info }).paths['/']?.post).requestBody;
}

describe('the form of multipart() with rules', () => {
  it('is the request body of a route without a schema', async () => {
    const app = createApp().use(json());
    app.post('/', { summary: 'Add a photo' }, multipart({ rules }), ok);
    const document = createDocument(app, { info });

    expect(document.paths['/']?.post).toMatchObject({
      requestBody: { required: true, content: PHOTO_FORM },
      responses: { 400: {}, 413: {}, 415: {} },
    });
    expect(await findMetaSchemaErrors(document)).toEqual([]);
    expect(await lint(document)).toEqual([]);
  });

  it('lists the status of a form that breaks its rules', () => {
    const responsesOf = (validationStatus: 400 | 422) => {
      const app = createApp({ validationStatus }).post('/', multipart({ rules }), ok);
      const { post } = createDocument(app, { info }).paths['/'] ?? {};
      return Object.keys(Object(post).responses);
    };
    expect(responsesOf(400)).toEqual(['200', '400', '413', '415', 'default']);
    expect(responsesOf(422)).toEqual(['200', '400', '413', '415', '422', 'default']);
  });

  it.each<[string, PartRule, object]>([
    ['a field', { kind: 'field', maxCount: 1 }, { type: 'string' }],
    ['a file', { kind: 'file', maxCount: 1 }, FILE],
    ['a field or a file', { maxCount: 1 }, { type: 'string' }],
    ['several files', { kind: 'file', maxCount: 3 }, { type: 'array', items: FILE, maxItems: 3 }],
    ['any number of fields', { kind: 'field' }, { type: 'array', items: { type: 'string' } }],
  ])('describes %s', (_, rule, expected) => {
    expect(bodyOf({}, multipart({ rules: { one: rule } }))).toEqual({
      content: {
        'multipart/form-data': { schema: { type: 'object', properties: { one: expected } } },
      },
    });
  });

  it.each<[string, PartRule, object, string]>([
    ['JSON', { json: true }, {}, 'application/json'],
    ['JSON of another type', { json: true, mediaTypes: ['a/b'] }, {}, 'a/b'],
    ['a media type', { mediaTypes: ['image/*'], maxCount: 1 }, FILE, 'image/*'],
    ['a file and the filter', { kind: 'file', maxCount: 1 }, FILE, 'text/csv, text/plain'],
  ])('describes the encoding of %s', (_, rule, expected, contentType) => {
    const form = multipart({ rules: { one: rule }, filter: ['text/csv', 'text/plain'] });

    expect(bodyOf({}, form).content['multipart/form-data']).toEqual({
      schema: { type: 'object', properties: { one: expected } },
      encoding: { one: { contentType } },
    });
  });

  it('leaves members to the body schema that describes them', () => {
    const body = z.object({ title: z.string().min(3), photo: z.unknown(), tags: z.string() });

    expect(bodyOf({ body }, multipart({ rules }))).toMatchObject({
      content: {
        'multipart/form-data': {
          schema: {
            allOf: [
              { properties: { title: { minLength: 3 }, photo: {}, tags: {} } },
              { type: 'object', properties: { photo: FILE } },
            ],
          },
        },
      },
    });
  });

  it('adds nothing to a body schema that describes all members', () => {
    const Form = z.object({ title: z.string(), age: z.coerce.number() }).meta({ id: 'Form' });
    const form = multipart({ rules: { title: { required: true }, age: { required: true } } });

    expect(bodyOf({ body: Form }, form)).toEqual({
      required: true,
      content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Form' } } },
    });
  });

  it('requires the parts that the body schema does not', () => {
    const body = z.object({ title: z.string().optional() });
    const form = multipart({ rules: { title: { required: true } } });

    expect(bodyOf({ body }, form).content['multipart/form-data'].schema).toMatchObject({
      allOf: [{ type: 'object' }, { type: 'object', required: ['title'] }],
    });
  });

  it('is only one of the bodies if other requests are skipped', () => {
    const body = z.object({ title: z.string() }).meta({ id: 'Title' });
    const skip = () => false;
    const { content } = bodyOf({ body }, multipart({ rules, skip }));

    expect(Object.keys(content)).toEqual(['application/json', 'multipart/form-data']);
    const Title = { $ref: '#/components/schemas/Title' };
    expect(content['application/json'].schema).toEqual(Title);
    expect(content['multipart/form-data'].schema).toEqual({
      allOf: [Title, { type: 'object', properties: { photo: FILE }, required: ['photo'] }],
    });
  });

  it('is no body of a route without a schema whose requests a parser above it may skip', () => {
    const app = createApp().use(multipart({ rules, skip: ({ path }) => path === '/' }));
    app.post('/', ok);

    expect(createDocument(app, { info }).paths['/']?.post).not.toHaveProperty('requestBody');
  });

  it('belongs to the methods that send a body', () => {
    const app = createApp().use('/a', multipart({ rules }));
    for (const method of ['GET', 'PUT', 'DELETE']) app.on(method, '/a', ok);
    const path = createDocument(app, { info }).paths['/a'];

    expect(path?.put).toHaveProperty('requestBody.content', PHOTO_FORM);
    expect(path?.get).not.toHaveProperty('requestBody');
    expect(path?.delete).not.toHaveProperty('requestBody');
  });
});

describe('an object in a form', () => {
  const Search = z.object({ text: z.string(), filter: z.object({ author: z.coerce.number() }) });
  type Entries = [string, string][];
  const written = { filter: { style: 'deepObject', explode: true } };
  const forms = [urlencoded(), multipart()] as const;

  /** Describes the encodings of the body, by media type. */
  function encodingsOf(app: Application) {
    const document = createDocument(app, { info });
    const { content } = Object(document.paths['/']?.post).requestBody;
    const entries = Object.entries<{ readonly encoding?: object }>(content);
    return Object.fromEntries(entries.map(([type, { encoding }]) => [type, encoding]));
  }

  it.each<[string, RouteOptions]>([
    ['the body', { body: Search }],
    ['a reference', { body: Search.meta({ id: 'Search' }) }],
    ['a class', { body: class extends schemaClass(Search) {} }],
    ['content()', { body: content(Search) }],
    [
      'content() by media type',
      {
        body: content({
          'application/json': Search,
          'application/x-www-form-urlencoded': Search,
          'multipart/form-data': Search,
        }),
      },
    ],
    [
      'one member',
      {
        inputs: [{ source: 'body', name: 'filter', schema: Search.shape.filter, required: true }],
      },
    ],
  ])('is written as in a query, by the schema of %s', (_, options) => {
    const app = createApp().use(json(), ...forms);
    app.post('/', options, ok);

    expect(encodingsOf(app)).toEqual({
      'application/json': undefined,
      'application/x-www-form-urlencoded': written,
      'multipart/form-data': written,
    });
  });

  it.each([
    ['application/x-www-form-urlencoded', (entries: Entries) => new URLSearchParams(entries)],
    [
      'multipart/form-data',
      (entries: Entries) => {
        const form = new FormData();
        for (const [name, value] of entries) form.set(name, value);
        return form;
      },
    ],
  ])('has the encoding that the server reads in %s', async (type, write) => {
    const app = createApp().use(...forms);
    app.post('/', { summary: 'Search', body: Search }, ({ body }) => body);
    const send = (...entries: Entries) =>
      app.request('/', { method: 'POST', body: write([['text', 'a'], ...entries]) });
    const document = createDocument(app, { info });

    expect(encodingsOf(app)[type]).toEqual(written);
    expect(await (await send(['filter[author]', '7'])).json()).toEqual({
      text: 'a',
      filter: { author: 7 },
    });
    expect((await send(['filter', '{"author":7}'])).status).toBe(400);
    expect(await findMetaSchemaErrors(document)).toEqual([]);
    expect(await lint(document)).toEqual([]);
  });

  it('has the encoding of its rule, if there is one', async () => {
    const body = z.object({ filter: Search.shape.filter, meta: z.object({ a: z.string() }) });
    const app = createApp();
    app.post('/', { body }, multipart({ rules: { filter: { json: true } } }), (ctx) => ctx.body);
    const form = new FormData();
    form.set('filter', '{"author":7}');
    form.set('meta[a]', 'b');

    expect(encodingsOf(app)).toEqual({
      'multipart/form-data': {
        filter: { contentType: 'application/json' },
        meta: { style: 'deepObject', explode: true },
      },
    });
    expect(await (await app.request('/', { method: 'POST', body: form })).json()).toEqual({
      filter: { author: 7 },
      meta: { a: 'b' },
    });
  });

  it('has no encoding if it is a file by a rule', () => {
    const photo = z.object({ mediaType: z.string() });
    const app = createApp().use(multipart({ rules: { photo: { kind: 'file' } } }));
    app.post('/', { body: z.object({ photo }) }, ok);

    expect(encodingsOf(app)).toEqual({ 'multipart/form-data': undefined });
  });
});

describe('the form of a controller', () => {
  @Controller('/photos')
  class PhotosController {
    @Post('/')
    @UseMiddleware(multipart({ rules }))
    add(
      @Body('title', { schema: z.string().max(200) }) title: string,
      @Body('photo') photo: UploadedFile,
    ) {
      return { title, size: photo.bytes.length };
    }

    @Post('/notes')
    @UseMiddleware(multipart({ rules: { title: { kind: 'field', maxCount: 1 } } }))
    note(@Body('title') title: string, @Body('tag', { required: false }) tag: string) {
      return { title, tag };
    }

    @Post('/stream')
    @UseMiddleware(multipart({ rules, skip: () => true }))
    async stream(@Ctx() ctx: Context) {
      const names: string[] = [];
      for await (const { name } of parts(ctx, { rules })) names.push(name);
      return names;
    }
  }

  const router = createRouter();
  registerController(router, PhotosController, { container: createContainer() });
  const app = createApp().use(json()).route('/', router);
  const { paths }: OpenApiDocument = createDocument(app, { info });

  it('shows the schemas of @Body(), and otherwise the rules', () => {
    expect(paths['/photos']?.post).toHaveProperty('requestBody', {
      required: true,
      content: {
        'multipart/form-data': {
          ...PHOTO_FORM['multipart/form-data'],
          schema: {
            type: 'object',
            properties: { title: { type: 'string', maxLength: 200 }, photo: FILE },
            required: ['title', 'photo'],
          },
        },
      },
    });
  });

  it('requires what @Body() requires and its rules do not', () => {
    expect(paths['/photos/notes']?.post).toHaveProperty('requestBody', {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { title: { type: 'string' }, tag: {} },
            required: ['title'],
          },
        },
      },
    });
  });

  it('describes a form that the method reads, by a multipart() that skips every request', async () => {
    const body = new FormData();
    body.set('title', 'Harbour');
    body.set('photo', new File(['...'], 'harbour.png', { type: 'image/png' }));
    const response = await app.request('/photos/stream', { method: 'POST', body });

    expect(await response.json()).toEqual(['title', 'photo']);
    expect(paths['/photos/stream']?.post).toHaveProperty('requestBody', {
      required: true,
      content: PHOTO_FORM,
    });
  });
});
