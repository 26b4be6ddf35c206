import 'reflect-metadata';
import {
  Controller,
  controllersPlugin,
  defineController,
  Get,
  Post,
  Redirect,
  SetHeader,
  UseGuard,
} from '@fairlead/controllers';
import {
  type Application,
  content,
  createApp,
  createRouter,
  type Handler,
  type HeaderDescriptions,
  type Middleware,
} from '@fairlead/core';
import { describe as describeFunction, type SentDescription } from '@fairlead/core/extend';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument } from '../src/index.js';
import { findMetaSchemaErrors, lint } from './support/validators.js';

const info = { title: 'Test', version: '1', license: { name: 'MIT', identifier: 'MIT' } };
const ok: Handler = () => null;
const User = z.object({ name: z.string() });

/** Creates middleware that only declares what it sends. */
const sending = (sends: SentDescription): Middleware =>
  describeFunction<Middleware>((_ctx, next) => next(), { role: 'middleware', sends });

const traced = sending({ headers: { 'X-Trace': 'Identifies the request.' } });
const trace = { $ref: '#/components/headers/X-Trace' };

describe('what middleware sends', () => {
  it('is a header of every response behind it, declared once', async () => {
    const app = createApp()
      .get('/before', { summary: 'Before' }, ok)
      .use(traced)
      .get('/users/:id', { summary: 'Read', response: User }, () => ({ name: 'Ada' }))
      .head('/ping', { summary: 'Ping', status: 204 }, ok);
    const document = createDocument(app, { info });
    const { paths, components } = document;

    expect(components.headers).toEqual({
      'X-Trace': { description: 'Identifies the request.', schema: { type: 'string' } },
    });
    expect(Object(paths['/before']?.get).responses[200]).toEqual({ description: 'OK' });
    expect(paths['/users/{id}']?.get).toMatchObject({
      responses: {
        200: { headers: { 'X-Trace': trace } },
        404: { $ref: '#/components/responses/NotFound' },
        default: { $ref: '#/components/responses/Error2' },
      },
    });
    expect(components.responses).toMatchObject({
      NotFound: { headers: { 'X-Trace': trace } },
      Error2: { headers: { 'X-Trace': trace } },
    });
    expect(Object(paths['/ping']?.head).responses).toEqual({
      204: { description: 'No Content', headers: { 'X-Trace': trace } },
      default: { description: 'Any other error', headers: { 'X-Trace': trace } },
    });
    expect(await findMetaSchemaErrors(document)).toEqual([]);
    expect(await lint(document)).toEqual([]);
  });

  it('is a response of the routes of its methods', () => {
    const limited = sending({
      methods: ['POST'],
      responses: {
        201: { headers: { 'X-Left': { schema: z.int(), required: true } } },
        429: { description: 'Too fast.', headers: { 'Retry-After': 'In seconds.' } },
      },
    });
    const app = createApp()
      .use(limited)
      .post('/users', { response: { 201: User, 409: User } }, () => ({ name: 'Ada' }))
      .get('/users', ok);
    const { paths, components } = createDocument(app, { info });
    const { responses } = Object(paths['/users']?.post);

    expect(responses[201].headers).toEqual({
      'X-Left': { required: true, schema: expect.objectContaining({ type: 'integer' }) },
    });
    expect(responses[409]).not.toHaveProperty('headers');
    expect(responses[429]).toEqual({ $ref: '#/components/responses/TooManyRequests' });
    expect(components.responses).toMatchObject({
      TooManyRequests: {
        description: 'Too fast.',
        headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        content: { 'application/problem+json': {} },
      },
    });
    expect(Object.keys(Object(paths['/users']?.get).responses)).toEqual(['200', 'default']);
  });

  it('is replaced by what the route tells about the same header and status', () => {
    const stored = sending({
      headers: { etag: 'A tag.' },
      responses: { 404: { description: 'Not stored.' } },
    });
    const response = {
      200: content(User, { headers: { ETag: 'The version.' } }),
      404: content(null, { description: 'There is no such user.' }),
    };
    const app = createApp()
      .use(stored)
      .get('/users', { response }, () => ({ name: 'Ada' }));
    const { responses } = Object(createDocument(app, { info }).paths['/users']?.get);

    expect(responses[200].headers).toEqual({
      etag: { description: 'The version.', schema: { type: 'string' } },
    });
    expect(responses[404].description).toBe('There is no such user.');
  });

  it('adds 304 only to routes that respond with 200', () => {
    const app = createApp()
      .use(sending({ responses: { 304: {} } }))
      .get('/a', ok)
      .get('/b', { status: 204 }, ok);
    const { paths } = createDocument(app, { info });

    expect(Object.keys(Object(paths['/a']?.get).responses)).toEqual(['200', '304', 'default']);
    expect(Object.keys(Object(paths['/b']?.get).responses)).toEqual(['204', 'default']);
  });
});

describe('what a controller sends', () => {
  const limited = describeFunction(() => true, {
    name: 'limited()',
    role: 'guard',
    sends: { responses: { 429: { headers: { 'Retry-After': 'In seconds.' } } } },
  });

  @Controller('/users')
  class UsersController {
    @Get('/old')
    @Redirect('/users', 301)
    old() {}

    @Get('/older', { status: 308 })
    @Redirect('/users')
    older() {}

    @Get('/')
    @SetHeader('Cache-Control', 'no-store')
    list() {
      return [];
    }

    @Post('/', { response: { 201: content(User, { headers: { Location: 'The new user.' } }) } })
    @UseGuard(limited)
    add() {
      return { name: 'Ada' };
    }
  }

  const values = defineController('/values', {
    guards: [limited],
    routes: ({ get }) => ({
      image: get('/image', { response: content('image/png') }, () => Buffer.from('')),
    }),
  });

  const create = async () => {
    const router = createRouter();
    const app = createApp();
    const controllers = [UsersController, values];
    await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
    return createDocument(app.route('/', router), { info }).paths;
  };

  it('is declared by its decorators and its guards', async () => {
    const paths = await create();

    expect(Object(paths['/users/old']?.get).responses).toEqual({
      301: {
        description: 'Moved Permanently',
        headers: { Location: { $ref: '#/components/headers/Location' } },
      },
      default: { $ref: '#/components/responses/Error' },
    });
    const older = Object.keys(Object(paths['/users/older']?.get).responses);
    expect(older).toEqual(['308', 'default']);
    expect(Object(paths['/users']?.get).responses[200].headers).toEqual({
      'Cache-Control': { $ref: '#/components/headers/Cache-Control' },
    });
    expect(paths['/users']?.post).toMatchObject({
      responses: {
        201: { headers: { Location: { description: 'The new user.' } } },
        429: { $ref: '#/components/responses/TooManyRequests' },
      },
    });
    expect(paths['/values/image']?.get).toMatchObject({
      responses: {
        200: { content: { 'image/png': {} } },
        429: { $ref: '#/components/responses/TooManyRequests' },
      },
    });
  });
});

describe('the headers that middleware reads', () => {
  const taking = (takes: HeaderDescriptions): Middleware =>
    describeFunction<Middleware>((_ctx, next) => next(), { role: 'middleware', takes });
  const parametersOf = (app: Application) =>
    createDocument(app, { info }).paths['/']?.post?.parameters;

  it('are parameters of the routes after it, with what it tells about them', () => {
    const schema = z.uuid();
    const app = createApp()
      .use(taking({ 'X-Tenant': 'Whose data it is.' }))
      .post('/', taking({ 'Request-Key': { schema, required: true, example: '1' } }), ok);
    expect(parametersOf(app)).toEqual([
      {
        name: 'X-Tenant',
        in: 'header',
        description: 'Whose data it is.',
        schema: { type: 'string' },
      },
      {
        name: 'Request-Key',
        in: 'header',
        required: true,
        example: '1',
        schema: expect.objectContaining({ type: 'string', format: 'uuid' }),
      },
    ]);
  });

  it('are described by the schema of the route, and required if either says so', () => {
    const headers = z.object({ 'request-key': z.string().max(9).optional() });
    const app = createApp().post(
      '/',
      { headers },
      taking({ 'Request-Key': { description: 'A key.', required: true } }),
      ok,
    );
    expect(parametersOf(app)).toEqual([
      {
        name: 'request-key',
        in: 'header',
        required: true,
        schema: { type: 'string', maxLength: 9 },
      },
    ]);
  });
});
