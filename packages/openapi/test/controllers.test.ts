import 'reflect-metadata';
import {
  Body,
  type CanActivate,
  Controller,
  controllersPlugin,
  createRouteMetadata,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  registerController,
  UseGuard,
} from '@fairlead/controllers';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  json,
  schemaClass,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createDocument, type OpenApiDocument, openapi, secured } from '../src/index.js';
import { Contract, findMetaSchemaErrors, lint } from './support/validators.js';

class NewNote extends schemaClass(z.object({ text: z.string().min(1) })) {}

const Note = z.object({ id: z.string(), text: z.string() }).meta({ id: 'NoteOfController' });

const basic = { name: 'basic', scheme: { type: 'http', scheme: 'basic' } } as const;

@Controller('/notes')
class NotesController {
  @Get('/', { summary: 'List notes', tags: ['notes'], response: z.array(Note) })
  list(
    @Query('page', { schema: z.coerce.number().int().default(1) }) page: number,
    @Query('sort', { schema: z.enum(['up', 'down']) }) sort: 'up' | 'down',
    @Header('X-Tenant') _tenant: string | undefined,
  ) {
    return [{ id: String(page), text: sort }];
  }

  @Get('/:id', { summary: 'Find a note', response: Note })
  find(@Param('id', { schema: z.coerce.number().int() }) id: number) {
    return { id: String(id), text: 'Buy milk' };
  }

  @Post('/', { summary: 'Add a note', status: 201, response: Note })
  add(@Body() note: NewNote) {
    return { id: '2', text: note.text };
  }

  @Delete('/:id', { summary: 'Delete a note' })
  @HttpCode(204)
  @UseGuard(secured(() => false, basic))
  remove(@Param('id') _id: string) {}
}

let app: Application;
let document: OpenApiDocument;
let contract: Contract;

beforeAll(async () => {
  const router = createRouter();
  app = createApp({ onError: () => undefined }).use(json());
  await app.plugin(
    controllersPlugin({
      router,
      container: createContainer(),
      prefix: '/api',
      controllers: [NotesController],
    }),
  );
  app.route('/', router);
  document = createDocument(app, {
    info: { title: 'Notes', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  });
  contract = await Contract.create(document);
});

afterAll(() => contract[Symbol.asyncDispose]());

it('routes of controllers are described like those of functions', async () => {
  const problem = (name: string) => ({ $ref: `#/components/responses/${name}` });

  expect(document.paths).toMatchObject({
    '/api/notes': {
      get: {
        summary: 'List notes',
        tags: ['notes'],
        operationId: 'getApiNotes',
        parameters: [
          { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
          { name: 'sort', in: 'query', required: true, schema: { enum: ['up', 'down'] } },
          { name: 'x-tenant', in: 'header', schema: { type: 'string' } },
        ],
        responses: { 200: { description: 'OK' }, 400: problem('ValidationFailed') },
      },
      post: {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewNote' } } },
        },
        responses: { 201: { description: 'Created' }, 415: problem('UnsupportedMediaType') },
      },
    },
    '/api/notes/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
      delete: {
        security: [{ basic: [] }],
        responses: {
          204: { description: 'No Content' },
          401: problem('Unauthorized'),
          403: problem('Forbidden'),
        },
      },
    },
  });
  expect(await findMetaSchemaErrors(document)).toEqual([]);
  expect(await lint(document)).toEqual([]);
});

it('routes of controllers are in the document of a plugin that was installed before them', async () => {
  const router = createRouter();
  const late = createApp().use(json());
  await late.plugin(openapi({ info: { title: 'Notes', version: '1' } }));
  late.route('/', router);
  const container = createContainer();
  await late.plugin(controllersPlugin({ router, container, controllers: [NotesController] }));

  const { paths } = (await (await late.request('/openapi.json')).json()) as OpenApiDocument;
  expect(Object.keys(paths)).toEqual(['/notes', '/notes/{id}']);
});

it('a route of a class is secured by a marked class of guards', async () => {
  const scopes = ['pages'];
  const oauth = { name: 'oauth', scheme: { type: 'oauth2', flows: {} } } as const;
  class SignedIn implements CanActivate {
    canActivate() {
      return true;
    }
  }
  secured(SignedIn, { ...oauth, scopes });
  @Controller('/pages')
  @UseGuard(SignedIn)
  class PagesController {
    @Get()
    list() {}

    @Get('/audit')
    @UseGuard(secured(() => true, basic))
    audit() {}
  }
  const router = createRouter();
  registerController(router, PagesController, { container: createContainer() });
  const { paths } = createDocument(createApp().route('/', router), {
    info: { title: 'Pages', version: '1' },
  });

  expect(paths['/pages']?.get).toMatchObject({ security: [{ oauth: scopes }] });
  expect(paths['/pages/audit']?.get).toMatchObject({ security: [{ oauth: scopes, basic: [] }] });
});

it('a route that a secured guard exempts needs no authentication', async () => {
  const isSignedIn = secured((ctx: Context): boolean => PUBLIC.get(ctx) === true, basic);
  const PUBLIC = createRouteMetadata<boolean>('Public', {
    guard: isSignedIn,
    exempts: (isPublic) => isPublic,
  });
  @Controller('/pages')
  class PagesController {
    @Get('/open')
    @PUBLIC(true)
    open() {}

    @Get('/closed')
    closed() {}
  }
  const router = createRouter();
  const guarded = createApp().route('/', router);
  await guarded.plugin(
    controllersPlugin({
      router,
      container: createContainer(),
      controllers: [PagesController],
      guards: [isSignedIn],
    }),
  );

  const { paths } = createDocument(guarded, { info: { title: 'Pages', version: '1' } });
  expect(paths['/pages/open']?.get).toMatchObject({ security: [] });
  expect(paths['/pages/open']?.get).not.toHaveProperty('responses.401');
  expect(paths['/pages/closed']?.get).toMatchObject({ security: [{ basic: [] }] });
});

it.each([
  ['GET', '/api/notes?sort=up', undefined, 200, true],
  ['GET', '/api/notes?page=x', undefined, 400, false],
  ['GET', '/api/notes/7', undefined, 200, true],
  ['GET', '/api/notes/x', undefined, 400, false],
  ['POST', '/api/notes', { text: 'Call Bob' }, 201, true],
  ['POST', '/api/notes', { text: '' }, 400, false],
  ['DELETE', '/api/notes/7', undefined, 403, true],
])('%s %s with %j responds as described', async (method, path, body, status, isAllowed) => {
  const exchange = await contract.exchange(app, method, path, body);

  expect(exchange).toEqual({ status, isAllowed, differences: [] });
});
