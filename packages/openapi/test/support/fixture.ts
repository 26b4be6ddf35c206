import {
  type Application,
  type ApplicationOptions,
  ConflictError,
  createApp,
  createRouter,
  ForbiddenError,
  json,
  type Middleware,
  NotFoundError,
  schemaClass,
  UnauthorizedError,
  urlencoded,
} from '@fairlead/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { type OpenApiOptions, openapi, secured } from '../../src/index.js';

/** A named schema whose input and output differ. */
const User = z
  .object({
    id: z.uuid(),
    name: z.string().min(1),
    role: z.enum(['admin', 'member']).default('member'),
    manager: z.string().nullable(),
  })
  .meta({ id: 'User', description: 'Somebody who signs in.' });

/** A class that is a schema, without the members that the server sets. */
class NewUser extends schemaClass(User.omit({ id: true }).partial({ manager: true })) {}

/** A recursive schema of zod. */
const Folder = z
  .object({
    name: z.string(),
    get folders() {
      return z.array(Folder);
    },
  })
  .meta({ id: 'Folder' });

interface Comment {
  readonly text: string;
  readonly replies: readonly Comment[];
}

/** A recursive schema of valibot, with a title. */
const Comment: v.GenericSchema<Comment> = v.pipe(
  v.object({
    text: v.string(),
    replies: v.array(v.lazy(() => Comment)),
  }),
  v.title('Comment'),
);

/** A recursive schema of arktype, without a name. */
const { category } = type.module({ category: { name: 'string', 'parent?': 'category' } });

const Product = type({
  sku: 'string',
  price: 'number > 0',
  tags: type('string[]').default(() => []),
});

/** A JSON Schema of draft-07. */
const Report = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://example.com/schemas/Report.schema.json',
  type: 'object',
  definitions: { Entry: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } },
  properties: { entries: { type: 'array', items: { $ref: '#/definitions/Entry' } } },
  required: ['entries'],
};

const bearer = { type: 'http', scheme: 'bearer', description: 'A token of the tests.' } as const;

/** Lets requests with the token `letmein` pass. */
const signedIn: Middleware = secured(
  (ctx, next) => {
    if (ctx.get('Authorization') !== 'Bearer letmein') throw new UnauthorizedError('Sign in.');
    return next();
  },
  { name: 'bearer', scheme: bearer },
);

const admin: Middleware = secured(
  () => {
    throw new ForbiddenError('You are not an administrator.');
  },
  {
    name: 'oauth',
    scheme: {
      type: 'oauth2',
      flows: {
        clientCredentials: {
          tokenUrl: 'https://login.example.org/token',
          scopes: { admin: 'Everything' },
        },
      },
    },
    scopes: ['admin'],
  },
);

const users = createRouter()
  .get(
    '/',
    {
      summary: 'List the users',
      tags: ['users'],
      query: z.object({
        page: z.coerce.number().int().default(1).describe('From 1.'),
        role: z.array(z.enum(['admin', 'member'])).optional(),
        sort: z.string().optional().meta({ deprecated: true }),
      }),
      response: z.object({ data: z.array(User), total: z.int() }),
    },
    (ctx) => {
      const data = [...store.values()].filter(
        ({ role }) => ctx.query.role === undefined || ctx.query.role.includes(role),
      );
      return { data, total: data.length };
    },
  )
  .post(
    '/',
    {
      summary: 'Create a user',
      description: 'Responds with the **new** user.',
      tags: ['users'],
      operationId: 'createUser',
      body: NewUser,
      response: { 201: User, 409: z.object({ taken: z.string() }) },
    },
    (ctx) => {
      const { name, role, manager = null } = ctx.body;
      if (name === 'taken') throw new ConflictError('The name is taken.');
      const user = { id: crypto.randomUUID(), name, role, manager };
      store.set(user.id, user);
      return user;
    },
  )
  .get(
    '/:id',
    { summary: 'Find a user', tags: ['users'], params: z.object({ id: z.uuid() }), response: User },
    ({ params }) => {
      const user = store.get(params.id);
      if (user === undefined) throw new NotFoundError('There is no such user.');
      return user;
    },
  )
  .delete(
    '/:userId',
    { summary: 'Delete a user', tags: ['users'], status: 204, deprecated: true },
    signedIn,
    (ctx) => {
      store.delete(ctx.params.userId);
      ctx.status = 204;
    },
  );

const store = new Map<string, z.infer<typeof User>>();

const others = createRouter()
  .get('/folders', { summary: 'Show the folders', response: Folder }, () => ({
    name: '/',
    folders: [{ name: 'a', folders: [] }],
  }))
  .put(
    '/comments/:number',
    {
      summary: 'Write a comment',
      body: toStandardJsonSchema(Comment),
      response: toStandardJsonSchema(Comment),
    },
    ({ body }) => body,
  )
  .patch(
    '/products/:sku',
    { summary: 'Change a product', body: Product, response: Product },
    ({ body }) => body,
  )
  .get('/categories', { summary: 'List the categories', response: category.array() }, () => [
    { name: 'b', parent: { name: 'a' } },
  ])
  .get('/report', { summary: 'Show the report', response: Report }, () => ({
    entries: [['a', 1]],
  }))
  .get(
    '/tenant',
    {
      summary: 'Show the tenant',
      headers: z.looseObject({ 'x-tenant': z.string() }),
      response: z.object({ tenant: z.string() }),
    },
    ({ headers }) => ({ tenant: headers['x-tenant'] }),
  )
  .all('/echo/*path', { summary: 'Echo', operationId: 'echo' }, ({ path }) => ({ path }))
  .head('/ping', { summary: 'Check that the API is there', status: 204 }, (ctx) => {
    ctx.status = 204;
  })
  .get(
    '/flights/:from-:to.json',
    {
      summary: 'List flights',
      inputs: [{ source: 'query', name: 'class', required: true }],
      errors: { 503: ['NO_CREW', 'NO_GATE'] },
    },
    ({ params }) => params,
  );

/** Creates an application that uses every feature of the document. */
export async function createFixture(
  options: Partial<OpenApiOptions> = {},
  appOptions: ApplicationOptions = {},
): Promise<Application> {
  store.clear();
  const app = createApp({ checkResponses: true, onError: () => undefined, ...appOptions });
  app.use(json(), urlencoded());
  app.use('/admin', signedIn, admin);
  await app.plugin(
    openapi({
      info: {
        title: 'Fixture',
        version: '1.2.3',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [{ name: 'users', description: 'Those who sign in.' }],
      exclude: ['/health'],
      ...options,
    }),
  );
  app
    .route('/users', users)
    .route('/', others)
    .delete('/admin/:page', { summary: 'Delete a page' }, () => 'unreachable')
    .get('/health', () => 'ok')
    .get('/internal', { hidden: true }, () => 'ok');
  return app;
}
