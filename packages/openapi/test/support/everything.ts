import {
  Body,
  type CanActivate,
  Controller,
  controllersPlugin,
  createRouteMetadata,
  Delete,
  defineController,
  Get,
  Param,
  Post,
  Query,
  UseGuard,
} from '@fairlead/controllers';
import {
  type Application,
  type Context,
  content,
  createRouter,
  type Middleware,
  schemaClass,
} from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
import { createContainer, Service } from '@fairlead/di';
import { z } from 'zod';
import { type DocumentOptions, secured } from '../../src/index.js';
import { createFixture } from './fixture.js';

const bearer = {
  name: 'bearer',
  scheme: { type: 'http', scheme: 'bearer', description: 'A token of the tests.' },
} as const;
const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } as const;

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

/** Sends what middleware of other packages does. */
const tag: Middleware = describe((_ctx: Context, next: () => unknown) => next(), {
  sends: {
    methods: ['GET', 'QUERY'],
    headers: { ETag: { description: 'Identifies the content.', required: true } },
    responses: { 304: { description: 'The client has this content.' } },
  },
});

const NoteEvent = z.object({ event: z.literal('added'), data: Note });

/** Creates routes with every kind of pattern, method, media type and header. */
function createExports() {
  return createRouter()
    .use(tag)
    .get(
      ['/exports/:year?', '/archive'],
      {
        summary: 'List exports',
        params: z.object({ year: z.coerce.number().int().optional() }),
        invalidParams: 404,
        response: content({
          'application/json': { schema: z.array(Note), example: [{ id: '1', text: 'Buy milk' }] },
          'text/csv': z.string(),
        }),
      },
      () => [],
    )
    .get('/exports/logo', { summary: 'Show the logo', response: content('image/png') }, (ctx) =>
      ctx.send(Buffer.from('png')),
    )
    .get(
      '/exports/live',
      { summary: 'Follow notes', response: content({ 'text/event-stream': NoteEvent }) },
      (ctx) => ctx.send('event: added\n\n'),
    )
    .query(
      '/exports',
      { summary: 'Search notes', body: z.object({ text: z.string() }), response: z.array(Note) },
      () => [],
    )
    .on(
      ['PUT', 'PATCH'],
      '/exports/:id',
      {
        summary: 'Replace an export',
        operationId: 'replaceExport',
        body: content(
          { 'application/json': NewNote, 'text/plain': z.string() },
          { description: 'The new text.' },
        ),
        response: {
          200: content(Note, { headers: { Location: 'Where it is.' }, extensions: { 'x-new': 1 } }),
          410: content(null, { description: 'It was deleted.' }),
        },
      },
      (ctx) => ({ id: ctx.params.id, text: String(ctx.body) }),
    );
}

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
    .route('/', createExports())
    .route('/', router);
}
