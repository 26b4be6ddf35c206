import { Controller, controllersPlugin, defineController, Get, Param } from '@fairlead/controllers';
import { content, createApp, createRouter, json, urlencoded } from '@fairlead/core';
import { createContainer, Inject, token } from '@fairlead/di';
import { mcp } from '@fairlead/mcp';
import { cors, csrf, csrfTokens, secureHeaders } from '@fairlead/middleware';
import { createDocument } from '@fairlead/openapi';
import { session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { z } from 'zod';
import { serveControllers, serveRouter } from '../src/applications.js';
import { area } from '../src/mistake.js';
import { runProgram } from '../src/program.js';

const mistake = area('What does not fit together');

const info = { title: 'API', version: '1' };
const keys = ['a secret of at least thirty-two bytes'];
const tokens = csrfTokens({ keys, session: () => 'session' });
const list = () => [];

/** Prints warnings without the ID of the process. */
const PRINT = `process.removeAllListeners('warning').on('warning', ({ message }) => console.error(message));`;

mistake(
  'a route of `defineController()` that `routes` does not return',
  { warning: "create get('/:id'), but do not return it" },
  () =>
    serveControllers([
      defineController('/users', {
        routes: ({ get }) => {
          get('/:id', ({ params }) => params);
          return { list: get('/', list) };
        },
      }),
    ]),
  '/users/1',
);

mistake(
  'a route of `router.define()` that the callback does not return',
  { warning: 'create 2 routes, but return 1' },
  () =>
    createApp().route(
      '/',
      createRouter().define('/users', ({ get }) => {
        get('/:id', ({ params }) => params);
        return { list: get('/', list) };
      }),
    ),
  '/users/1',
);

mistake(
  "`content({ 'text/csv': … })` as the body, with `json()` only",
  { warning: 'No parser reads bodies of text/csv' },
  () =>
    createApp()
      .use(json())
      .post('/', { body: content({ 'text/csv': z.string() }) }, ({ body }) => body),
  ['/', { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a,b' }],
);

mistake(
  "`content({ 'text/csv': … })` as the body, without a parser",
  { warning: 'Register text() before the handler' },
  () => createApp().post('/', { body: content({ 'text/csv': z.string() }) }, ({ body }) => body),
  ['/', { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a,b' }],
);

mistake(
  'a strict schema of the headers',
  { warning: 'The schema of the headers accepts no others' },
  () => createApp().get('/', { headers: z.strictObject({ 'x-key': z.string().optional() }) }, list),
);

mistake(
  'a strict schema of the parameters, below a prefix with a parameter',
  { warning: "accepts no 'tenant', which every request has" },
  () =>
    createApp().route(
      '/:tenant/users',
      createRouter().get('/:id', { params: z.strictObject({ id: z.string() }) }, list),
    ),
  '/acme/users/1',
);

mistake(
  'a strict schema of the parameters in `defineController()`, below the prefix of the plugin',
  { warning: "accepts no 'tenant'" },
  () =>
    serveControllers(
      [
        defineController('/users', {
          routes: ({ get }) => ({
            find: get('/:id', { params: z.strictObject({ id: z.string() }) }, list),
          }),
        }),
      ],
      { prefix: '/:tenant' },
    ),
  '/acme/users/1',
);

mistake(
  '`invalidParams` without a schema of the parameters',
  { warning: 'invalidParams has no effect' },
  () => createApp().get('/users/:id', { invalidParams: 404 }, ({ params }) => params),
  '/users/1',
);

mistake(
  '`@Get({ invalidParams })` without a schema of the parameters',
  { warning: 'invalidParams has no effect' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id', { invalidParams: 404 })
      find(@Param('id') id: string) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users/1',
);

mistake(
  '`serveStatic()` as the handler of a route without a wildcard',
  { warning: "Register it for '/files/*path'" },
  () => createApp().get('/files', serveStatic('src')),
  '/files/mistake.ts',
);

mistake(
  '`cors({ methods })` without the method of a route',
  { warning: 'Add DELETE to methods' },
  () =>
    createApp()
      .use(cors({ methods: ['GET', 'POST'] }))
      .get('/users', list)
      .delete('/users/:id', list),
  '/users',
);

mistake(
  '`csrf({ tokens })` before `urlencoded()`',
  { warning: 'Register urlencoded() before csrf()' },
  () => createApp().use(csrf({ tokens }), urlencoded()).post('/', list),
  ['/', { method: 'POST', headers: { Cookie: 'a=1' }, body: new URLSearchParams({ _csrf: 'a' }) }],
);

mistake(
  '`secureHeaders()` after `serveStatic()`',
  { warning: 'Register secureHeaders() first' },
  () => createApp().use(serveStatic('src')).use(secureHeaders()).get('/users', list),
  '/users',
);

mistake(
  '`secureHeaders()` after a route for files, and before other routes',
  { warning: 'Register secureHeaders() first' },
  () =>
    createApp().get('/assets/*path', serveStatic('src')).use(secureHeaders()).get('/users', list),
  '/users',
);

mistake(
  '`session({ path })` for a path without routes',
  { warning: "none of its routes is at its path '/shops'" },
  () =>
    createApp()
      .use(session({ keys, path: '/shops' }))
      .get('/shop/cart', list),
  '/shop/cart',
);

mistake('`mcp()` without a tool', { warning: 'mcp() serves no tool' }, () =>
  createApp()
    .get('/', list)
    .plugin(mcp({ name: 'users', version: '1.0.0' })),
);

mistake(
  '`mcp({ authorization: { resource } })` at another path',
  { warning: "Use 'https://api.example.com/mcp'" },
  () =>
    createApp()
      .get('/', { tool: true, public: 'Everyone may call it.' }, list)
      .plugin(
        mcp({
          name: 'users',
          version: '1.0.0',
          authorization: {
            resource: 'https://api.example.com/agents',
            servers: ['https://login.example.com'],
          },
        }),
      ),
);

mistake(
  '`include` of a document that matches no route',
  { warning: 'matches no route: ["/apii"]' },
  () => {
    const app = createApp().get('/api/users', list);
    createDocument(app, { info, include: ['/apii'] });
    return app;
  },
  '/api/users',
);

mistake(
  '`serve({ delay })` with a readiness route that does not know `stopping`',
  { warning: 'Pass the stopping of the function serve' },
  () =>
    runProgram(
      `import { createHealth } from '@fairlead/middleware';
${PRINT}
const app = createApp().route('/', createHealth());
const { stop } = await serve(app, { port: 0, delay: 1 });
stop();`,
    ),
);

mistake(
  '`listen()` in the function that `serve()` receives',
  { warning: 'Remove the call of listen()' },
  () =>
    runProgram(
      `import { listen } from '@fairlead/core';
${PRINT}
const { stop } = await serve(async () => {
  const app = createMyApp();
  const server = await listen(app, 0);
  server.node.unref();
  return app;
}, { port: 0, onClose: () => setTimeout(() => process.exit(), 10) });
stop();`,
    ),
);

const Db = token<{ query(): unknown }>('Db');

@Controller('/users')
class DbUsers {
  constructor(@Inject(Db) private readonly db: { query(): unknown }) {}

  @Get()
  list() {
    return this.db.query();
  }
}

mistake(
  '`@Inject()` of a token with several providers',
  { warning: 'receives only the last of the 2 providers of token(Db)' },
  () => {
    const container = createContainer();
    container.register(Db, { useValue: { query: list } }, { multi: true });
    container.register(Db, { useValue: { query: list } }, { multi: true });
    return serveRouter((router) =>
      controllersPlugin({ router, container, controllers: [DbUsers] }),
    );
  },
  '/users',
);

mistake(
  'two registrations of one token',
  { warning: 'A registration of token(Db) replaced another one' },
  () => {
    const container = createContainer();
    container.register(Db, { useValue: { query: list } });
    container.register(Db, { useFactory: () => ({ query: list }) });
    return serveRouter((router) =>
      controllersPlugin({ router, container, controllers: [DbUsers] }),
    );
  },
  '/users',
);
