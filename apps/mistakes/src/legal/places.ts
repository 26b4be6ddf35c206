import { Controller, controllersPlugin, defineController, Get, Param } from '@fairlead/controllers';
import {
  content,
  createApp,
  createRouter,
  json,
  type Middleware,
  text,
  urlencoded,
} from '@fairlead/core';
import { createContainer, Inject, token } from '@fairlead/di';
import { mcp } from '@fairlead/mcp';
import { cors, csrf, csrfTokens, secureHeaders } from '@fairlead/middleware';
import { openapi } from '@fairlead/openapi';
import { session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { createTestApp } from '@fairlead/testing';
import { z } from 'zod';
import { serveControllers, serveRouter } from '../applications.js';
import { legal, silence, warned } from './program.js';

const info = { title: 'API', version: '1' };
const keys = ['a secret of at least thirty-two bytes'];
const tokens = csrfTokens({ keys, session: () => 'session' });
const scriptTokens = csrfTokens({ keys, session: () => 'session', header: 'X-Token' });

warned(
  'a route of a value that only some applications have',
  'do not return it',
  '200 []',
  (isSilenced) =>
    serveControllers([
      defineController('/users', {
        routes: ({ get }) => {
          silence(
            isSilenced,
            get('/debug', () => 'debug'),
          );
          return { list: get('/', () => []) };
        },
      }),
    ]),
  '/users',
);

legal('a value whose routes come from two records', '200 "b"', () =>
  serveControllers([
    defineController('', {
      routes: ({ get }) => {
        const a = { a: get('/a', () => 'a') };
        return { ...a, b: get('/', () => 'b') };
      },
    }),
  ]),
);

const upload = [
  '/',
  { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a,b' },
] as const;

legal(
  'a body of CSV with a parser of the route',
  '200 "a,b"',
  () =>
    createApp()
      .use(json())
      .post('/', { body: content({ 'text/csv': z.string() }) }, text(), ({ body }) => body),
  upload,
);

legal(
  'a body of CSV with a parser of your own',
  '200 "a,b"',
  () => {
    const parse: Middleware = async (ctx, next) => {
      ctx.body = Buffer.concat(await Array.fromAsync(ctx.bodyStream())).toString();
      await next();
    };
    return createApp()
      .use(parse)
      .post('/', { body: content({ 'text/csv': z.string() }) }, ({ body }) => body);
  },
  upload,
);

legal('headers whose schema keeps others', '200 "localhost"', () =>
  createApp().get('/', { headers: z.looseObject({ host: z.string() }) }, () => 'localhost'),
);

legal(
  'a strict schema of all parameters, below a prefix with one',
  '200 "acme 1"',
  () =>
    createApp().route(
      '/:tenant/users',
      createRouter().get(
        '/:id',
        { params: z.strictObject({ tenant: z.string(), id: z.string() }) },
        ({ params }) => `${params.tenant} ${params.id}`,
      ),
    ),
  '/acme/users/1',
);

legal(
  'options with invalidParams that routes without parameters share',
  '200 []',
  () => {
    const shared = { invalidParams: 404, tags: ['users'] } as const;
    return createApp()
      .get('/users', shared, () => [])
      .get('/users/:id', { ...shared, params: z.object({ id: z.string() }) }, () => 1);
  },
  '/users',
);

legal(
  'invalidParams of a class with a schema for one parameter',
  '200 1',
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id', { invalidParams: 404 })
      find(@Param('id', { schema: z.coerce.number() }) id: number) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users/1',
);

legal(
  'a route for one file',
  '200',
  () => createApp().get('/package.json', serveStatic('.')),
  '/package.json',
);

legal(
  'a route for the files of one directory, whose parameter is the name',
  '200',
  () => createApp().get('/src/:name', serveStatic('.')),
  '/src/mistake.ts',
);

legal('a cache of files before the handler that creates them', '200 "created"', () =>
  createApp().get('/', serveStatic('src'), () => 'created'),
);

legal('a CORS policy that lists the methods of its routes only', '200 []', () =>
  createApp()
    .use('/api', cors({ methods: ['GET', 'PUT'] }))
    .get('/', () => [])
    .put('/api/users', () => [])
    .delete('/internal/users', () => []),
);

warned(
  'a CORS policy that lets other origins read only',
  'does not list: DELETE /users',
  '200 []',
  (isSilenced) =>
    createApp()
      .use(silence(isSilenced, cors({ methods: 'GET' })))
      .get('/users', () => [])
      .delete('/users', () => []),
  '/users',
);

legal(
  'CSRF tokens that scripts send in a header, checked before the body is read',
  '200 "ok"',
  () =>
    createApp()
      .use(csrf({ tokens: scriptTokens }), json())
      .post('/', (ctx) => ctx.body)
      .get('/', () => 'ok'),
);

warned(
  'CSRF tokens in a header with the default name',
  'because json() runs after it',
  '200 "ok"',
  (isSilenced) =>
    createApp()
      .use(silence(isSilenced, csrf({ tokens })), json())
      .post('/', (ctx) => ctx.body)
      .get('/', () => 'ok'),
);

legal('CSRF tokens of forms that the parser reads first', '200 "ok"', () =>
  createApp()
    .use(urlencoded(), csrf({ tokens }))
    .post('/', (ctx) => ctx.body)
    .get('/', () => 'ok'),
);

legal('files with security headers, and others for one router', '200 []', () =>
  createApp()
    .use(secureHeaders())
    .use(serveStatic('src'))
    .route(
      '/',
      createRouter()
        .use(secureHeaders({ 'X-Frame-Options': 'SAMEORIGIN' }))
        .get('/', () => []),
    ),
);

warned(
  'files of another team without security headers',
  'lack the headers of secureHeaders()',
  '200 []',
  (isSilenced) =>
    createApp()
      .use('/assets', serveStatic('src'))
      .use(silence(isSilenced, secureHeaders()))
      .get('/', () => []),
);

legal(
  'a session for a part of the routes',
  '200 []',
  () =>
    createApp()
      .use(session({ keys, path: '/admin' }))
      .get('/users', () => [])
      .get('/:section/pages', () => []),
  '/users',
);

legal(
  'a session for a path that middleware handles',
  '200 "admin"',
  () =>
    createApp()
      .use(session({ keys, path: '/admin' }))
      .get('/', () => 'home')
      .use('/admin', (ctx) => ctx.respond('admin')),
  '/admin',
);

warned(
  'a server for agents whose tools come later',
  'mcp() serves no tool',
  '200 []',
  (isSilenced) =>
    createApp()
      .get('/', () => [])
      .plugin(silence(isSilenced, mcp({ name: 'users', version: '1.0.0' }))),
);

legal('a server for agents behind a proxy that adds a prefix', '200 []', () =>
  createApp()
    .get('/', { tool: true, public: 'Everyone may call it.' }, () => [])
    .plugin(
      mcp({
        name: 'users',
        version: '1.0.0',
        authorization: {
          resource: 'https://api.example.com/v1/mcp',
          servers: ['https://login.example.com'],
        },
      }),
    ),
);

legal('a document of routes that one of two prefixes selects', '200 []', () =>
  createApp()
    .get('/', () => [])
    .get('/api/users', () => [])
    .plugin(openapi({ info, docs: false, include: ['/api', '/beta'] })),
);

const Db = token<{ query(): unknown }>('Db');

@Controller('/')
class DbUsers {
  constructor(@Inject(Db) private readonly db: { query(): unknown }) {}

  @Get()
  list() {
    return this.db.query();
  }
}

const provide = (value: string) => ({ useValue: { query: () => value } });

legal('a child container that replaces a provider of its parent', '200 "child"', () => {
  const parent = createContainer();
  parent.register(Db, provide('parent'));
  const container = parent.createChild().register(Db, provide('child'));
  return serveRouter((router) => controllersPlugin({ router, container, controllers: [DbUsers] }));
});

legal('a provider that a snapshot restores after a replacement', '200 "first"', () => {
  const container = createContainer().register(Db, provide('first'));
  const snapshot = container.snapshot();
  container.register(Db, provide('fake')).restore(snapshot);
  return serveRouter((router) => controllersPlugin({ router, container, controllers: [DbUsers] }));
});

legal('a test that overrides a provider which the application registers', '200 "fake"', () =>
  createTestApp({
    overrides: [[Db, provide('fake')]],
    app: async (container) => {
      container.register(Db, provide('real'));
      const router = createRouter();
      const app = createApp();
      await app.plugin(controllersPlugin({ router, container, controllers: [DbUsers] }));
      return app.route('/', router);
    },
  }),
);

legal('a fake whose constructor passes what the service depends on', '200 "fake"', () => {
  class FakeUsers extends DbUsers {
    constructor() {
      super({ query: () => 'fake' });
    }
  }
  const container = createContainer().override(DbUsers, { useClass: FakeUsers });
  return serveRouter((router) => controllersPlugin({ router, container, controllers: [DbUsers] }));
});

warned(
  'a provider that replaces a default',
  'A registration of token(Db) replaced another one',
  '200 "own"',
  (isSilenced) => {
    const container = createContainer().register(Db, provide('default'));
    container.register(Db, silence(isSilenced, provide('own')));
    return serveRouter((router) =>
      controllersPlugin({ router, container, controllers: [DbUsers] }),
    );
  },
);

const Pending = token<Promise<string>>('Pending');

warned(
  'a promise that a controller awaits',
  'The value of token(Pending) is a promise',
  '200 "done"',
  (isSilenced) => {
    const container = createContainer();
    container.register(Pending, { useValue: silence(isSilenced, Promise.resolve('done')) });
    const controller = defineController('', {
      inject: { pending: Pending },
      routes: ({ get }) => ({ read: get('/', (_ctx, { pending }) => pending) }),
    });
    return serveRouter((router) =>
      controllersPlugin({ router, container, controllers: [controller] }),
    );
  },
);
