import {
  content,
  createApp,
  type Handler,
  json,
  type ResponseSchemas,
  type RouteOptions,
  text,
  urlencoded,
} from '@fairlead/core';
import { multipart } from '@fairlead/multipart';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument } from '../src/index.js';
import { findMetaSchemaErrors, lint } from './support/validators.js';

const info = { title: 'Test', version: '1', license: { name: 'MIT', identifier: 'MIT' } };
const ok: Handler = () => null;
const User = z.object({ name: z.string() }).meta({ id: 'User' });
const user = { $ref: '#/components/schemas/User' };

/** Describes the responses of a GET route. */
function responsesOf(response: ResponseSchemas, options: RouteOptions = {}) {
  const app = createApp().on('GET', '/', { response, ...options }, ok);
  const { paths } = createDocument(app, { info });
  const { responses } = Object(paths['/']?.get);
  return responses;
}

/** Describes the request body of a POST route. */
function bodyOf(options: RouteOptions) {
  const app = createApp().use(json(), urlencoded(), text()).on('POST', '/', options, ok);
  return Object(createDocument(app, { info }).paths['/']?.post).requestBody;
}

describe('a response', () => {
  it('has the description, the headers and the extensions that content() tells', () => {
    const details = {
      description: 'The new user.',
      headers: {
        Location: 'Its URL.',
        'X-Version': {
          description: 'Counts changes.',
          schema: z.int(),
          required: true,
          deprecated: true,
          example: 7,
        },
      },
      extensions: { 'x-cached': false },
    };

    expect(responsesOf({ 201: content(User, details) })[201]).toEqual({
      description: 'The new user.',
      headers: {
        Location: { description: 'Its URL.', schema: { type: 'string' } },
        'X-Version': {
          description: 'Counts changes.',
          required: true,
          deprecated: true,
          schema: expect.objectContaining({ type: 'integer' }),
          example: 7,
        },
      },
      content: { 'application/json': { schema: user } },
      'x-cached': false,
    });
  });

  it('has several media types, each with its schema', () => {
    const response = content({
      'application/json': User,
      'text/csv': z.string(),
      'image/png': {},
      'application/xml': { type: 'string' },
    });

    expect(responsesOf(response)[200].content).toEqual({
      'application/json': { schema: user },
      'text/csv': { schema: { type: 'string' } },
      'image/png': {},
      'application/xml': { schema: { type: 'string' } },
    });
  });

  it('has one media type without a schema', () => {
    expect(responsesOf(content('image/png'))[200].content).toEqual({ 'image/png': {} });
  });

  it('has examples', () => {
    const examples = { ada: { summary: 'A person', value: { name: 'Ada' } } };

    expect(responsesOf(content(User, { example: { name: 'Ada' } }))[200].content).toEqual({
      'application/json': { schema: user, example: { name: 'Ada' } },
    });
    const table = { schema: z.string(), example: 'name\nAda', extensions: { 'x-rows': 1 } };
    const both = content({ 'application/json': { schema: User, examples }, 'text/csv': table });
    expect(responsesOf(both)[200].content).toEqual({
      'application/json': { schema: user, examples },
      'text/csv': { schema: { type: 'string' }, example: 'name\nAda', 'x-rows': 1 },
    });
  });

  it('has no body for null', () => {
    expect(responsesOf({ 204: content(null, { description: 'Deleted.' }) })[204]).toEqual({
      description: 'Deleted.',
    });
  });

  it('is a problem for null and the status of an error', () => {
    const missing = content(null, { description: 'There is no such user.' });

    expect(responsesOf({ 200: User, 404: missing }, { errors: { 404: ['GONE'] } })).toMatchObject({
      200: { description: 'OK' },
      404: {
        description: 'There is no such user.',
        content: { 'application/problem+json': { schema: { properties: { code: {} } } } },
      },
    });
    expect(responsesOf({ 404: missing })).toMatchObject({
      200: { description: 'OK' },
      404: {
        description: 'There is no such user.',
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    });
  });
});

describe('an operation', () => {
  it('has extensions', () => {
    const extensions = { 'x-internal': true, 'x-owner': { team: 'users' } };
    const app = createApp().get('/', { extensions }, ok);

    expect(createDocument(app, { info }).paths['/']?.get).toMatchObject(extensions);
  });

  it('refuses extensions whose names do not start with x-', () => {
    const options = { extensions: { internal: true } } as RouteOptions;

    expect(() => createApp().get('/', options, ok).seal()).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('names start with x-'),
      }),
    );
  });
});

describe('a request body', () => {
  it('has several media types, each with its schema', () => {
    const body = content(
      {
        'application/json': { schema: User, example: { name: 'Ada' } },
        'application/x-www-form-urlencoded': z.object({ name: z.string(), tag: z.string() }),
        'text/plain': z.string(),
        'application/octet-stream': {},
      },
      { description: 'The user.', extensions: { 'x-max': 1 } },
    );

    expect(bodyOf({ body })).toEqual({
      description: 'The user.',
      required: true,
      content: {
        'application/json': { schema: user, example: { name: 'Ada' } },
        'application/x-www-form-urlencoded': {
          schema: expect.objectContaining({ required: ['name', 'tag'] }),
        },
        'text/plain': { schema: { type: 'string' } },
        'application/octet-stream': {},
      },
      'x-max': 1,
    });
  });

  it('has the media types of its parsers, and an example, without media types of its own', () => {
    const body = content(User.optional(), { example: { name: 'Ada' } });
    const mediaType = { schema: user, example: { name: 'Ada' } };

    expect(bodyOf({ body })).toEqual({
      content: {
        'application/json': mediaType,
        'application/x-www-form-urlencoded': mediaType,
        'text/plain': mediaType,
      },
    });
  });

  it('has the parts of a form, and another schema for JSON', () => {
    const body = content({ 'application/json': User, 'multipart/form-data': z.object({}) });
    const app = createApp()
      .use(json(), multipart({ rules: { photo: { kind: 'file' } } }))
      .post('/', { body }, ok);
    const { requestBody } = Object(createDocument(app, { info }).paths['/']?.post);

    expect(requestBody.content).toMatchObject({
      'application/json': { schema: user },
      'multipart/form-data': { schema: {} },
    });
    expect(JSON.stringify(requestBody.content['multipart/form-data'])).toContain('photo');
  });
});

it('a document with all of this is valid', async () => {
  const details = { description: 'Fine.', headers: { ETag: 'A tag.' }, example: { name: 'Ada' } };
  const app = createApp()
    .use(json(), text())
    .post(
      '/users',
      {
        summary: 'Add',
        body: content({ 'application/json': User, 'text/plain': z.string() }),
        response: { 201: content(User, details), 409: content(null, { description: 'Taken.' }) },
        extensions: { 'x-internal': true },
      },
      () => ({ name: 'Ada' }),
    )
    .get('/photo', { summary: 'Show', response: content('image/png') }, () => Buffer.from(''));
  const document = createDocument(app, { info });

  expect(await findMetaSchemaErrors(document)).toEqual([]);
  expect(await lint(document)).toEqual([]);
});
