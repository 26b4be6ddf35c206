import {
  Body,
  type CanActivate,
  Controller,
  controllersPlugin,
  createRouteMetadata,
  defineController,
  Delete,
  Get,
  Param,
  Post,
  Query,
  UseGuard,
} from '@fairlead/controllers';
import { type Application, type Context, createRouter, schemaClass } from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { z } from 'zod';
import { type DocumentOptions, secured } from '../../src/index.js';
import { createFixture } from './fixture.js';

const bearer = {
  name: 'bearer',
  scheme: { type: 'http', scheme: 'bearer', description: 'A token of the tests.' },
};
const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } };

const Note = z.object({ id: z.string(), text: z.string() }).meta({ id: 'Note' });

class NewNote extends schemaClass(z.object({ text: z.string().min(1) })) {}

@Service()
class Recognized implements CanActivate {
  canActivate(ctx: Context) {
    return PUBLIC.get(ctx) === true || ctx.get('X-Key') === '1';
  }
}
secured(Recognized, { anyOf: [bearer, key] });

const PUBLIC = createRouteMetadata<boolean>('Public', { guard: Recognized, exempts: (is) => is });

@Controller('/notes')
@UseGuard(Recognized)
class NotesController {
  @Get('/', { summary: 'List notes', tags: ['notes'], response: z.array(Note) })
  @PUBLIC(true)
  list(@Query('page', { schema: z.coerce.number().int().default(1) }) page: number) {
    return [{ id: String(page), text: 'Buy milk' }];
  }

  @Post('/', {
    summary: 'Add a note',
    tags: ['notes'],
    status: 201,
    response: Note,
    errors: { 409: ['NOTE_EXISTS'] },
  })
  add(@Body() note: NewNote) {
    return { id: '2', text: note.text };
  }

  @Delete('/:id', {
    summary: 'Delete a note',
    tags: ['notes', 'internal'],
    status: 204,
    extensions: { 'x-audited': true },
  })
  remove(@Param('id') _id: string) {}
}

const tasks = defineController('/tasks', {
  guards: [Recognized],
  tags: ['tasks'],
  routes: ({ get, post }) => ({
    find: get(
      '/:id',
      {
        summary: 'Find a task',
        params: z.object({ id: z.uuid() }),
        response: Note,
        metadata: [PUBLIC(true)],
      },
      ({ params }) => ({ id: params.id, text: 'Call Bob' }),
    ),
    add: post(
      '/',
      { summary: 'Add a task', body: z.object({ text: z.string() }), response: { 201: Note } },
      ({ body }) => ({
        id: '3',
        text: body.text,
      }),
    ),
  }),
});

/** The options of a document that uses all of them. */
export const everything: DocumentOptions = {
  info: {
    title: 'Everything',
    version: '1.2.3',
    summary: 'Every feature of the document',
    description: 'With **Markdown**.',
    termsOfService: 'https://example.org/terms',
    contact: { name: 'Ada', url: 'https://example.org', email: 'ada@example.org' },
    license: { name: 'MIT', identifier: 'MIT' },
    'x-logo': { url: '/logo.svg' },
  },
  servers: [
    { url: '/', description: 'This server' },
    {
      url: 'https://{tenant}.example.com:{port}/v1',
      variables: {
        tenant: { default: 'demo', description: 'Your company' },
        port: { default: '443', enum: ['443', '8443'] },
      },
    },
  ],
  tags: [
    { name: 'users', description: 'Those who sign in.' },
    { name: 'notes', externalDocs: { url: 'https://example.org/notes', description: 'More' } },
    { name: 'tasks', summary: 'To do', parent: 'notes', kind: 'nav', 'x-order': 3 },
  ],
  externalDocs: { url: 'https://example.org/docs' },
  webhooks: {
    'note.added': {
      summary: 'A note was added',
      tags: ['notes'],
      headers: z.object({ 'x-signature': z.string().describe('HMAC of the body') }),
      body: Note,
      security: [{ anyOf: [bearer, key] }],
    },
    'note.check': {
      summary: 'Check a note',
      method: 'PUT',
      operationId: 'checkNote',
      deprecated: true,
      body: Note,
      response: { 200: z.object({ allowed: z.boolean() }), 410: {} },
      extensions: { 'x-retries': 3 },
    },
  },
  extensions: { 'x-tagGroups': [{ name: 'All', tags: ['users', 'notes', 'tasks'] }] },
  exclude: ['/health'],
  transform(document) {
    document['x-generated-by'] = 'fairlead';
  },
};

/** Creates an application of functions, classes and values whose document uses every feature. */
export async function createEverything(): Promise<Application> {
  const app = await createFixture(everything);
  const router = createRouter();
  const container = createContainer();
  await app.plugin(controllersPlugin({ router, container, controllers: [NotesController, tasks] }));
  const optional = secured((_ctx: unknown, next: () => unknown) => next(), { anyOf: [bearer, []] });
  return app
    .get('/feed', { summary: 'Show the feed', response: z.array(Note) }, optional, () => [])
    .route('/', router);
}
