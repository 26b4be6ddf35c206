import { Controller, controllersPlugin, Get, Param } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
import { createContainer } from '@fairlead/di';
import { z } from 'zod';
import { serveControllers, serveRouter } from '../src/applications.js';
import { area } from '../src/mistake.js';

const mistake = area('Patterns');

const routing = (pattern: string | readonly string[]) =>
  createApp().route(
    '/',
    createRouter().get(pattern, () => 1),
  );

mistake('`/assets*`', { startup: '%2A' }, () => routing('/assets*'), '/assets/a.css');
mistake('`/files/**`', { startup: '*' }, () => routing('/files/**'), '/files/a');
mistake('`/a?`, an optional character', { startup: '/a?' }, () => routing('/a?'), '/a');
mistake('`/(.*)`', { startup: '/(.*)' }, () => routing('/(.*)'), '/a');
mistake('`/x/(\\d+)`', { startup: '/x/(\\d+)' }, () => routing('/x/(\\d+)'), '/x/7');
mistake('`/{id}`, as in OpenAPI', { startup: ':id' }, () => routing('/{id}'), '/7');
mistake(
  '`/users{/:id}`, as in Express 5',
  { startup: "':name?' for an optional one" },
  () => routing('/users{/:id}'),
  '/users',
);
mistake('`/<id>`, as in Flask', { startup: ':id' }, () => routing('/<id>'), '/7');
mistake('`/[id]`, as in Next.js', { startup: ':id' }, () => routing('/[id]'), '/7');
mistake('`/search?q=:q`', { startup: 'query' }, () => routing('/search?q=:q'), '/search?q=a');
mistake('`/users#top`', { startup: '#' }, () => routing('/users#top'), '/users');
mistake(
  '`/:lang?/users`, an optional parameter that is not at the end',
  { startup: "['/users', '/:lang/users']" },
  () => routing('/:lang?/users'),
  '/users',
);
mistake('`/:a-:b?`', { startup: 'an array with each form' }, () => routing('/:a-:b?'), '/1-2');
mistake(
  '`/users/:id?` beside `/users`',
  { startup: 'GET /users matches the same paths' },
  () =>
    createApp()
      .get('/users', () => 1)
      .get('/users/:id?', () => 2),
  '/users',
);
mistake(
  "`app.route('/:tenant?', router)`, an optional parameter in a prefix",
  { startup: 'Use one prefix without the parameter' },
  () =>
    createApp().route(
      '/:tenant?',
      createRouter().get('/users', () => 1),
    ),
  '/users',
);
mistake(
  'an optional parameter used as a string',
  { compiler: 'undefined', request: 'Cannot read properties of undefined' },
  () => createApp().get('/:name?', ({ params }) => params.name.toUpperCase()),
);
mistake(
  'a schema that requires an optional parameter',
  { warning: 'make it optional' },
  () => createApp().get('/users/:id?', { params: z.object({ id: z.string() }) }, () => 1),
  '/users',
);
mistake('`/:id(\\d+)`', { startup: 'handler' }, () => routing('/:id(\\d+)'), '/7');
mistake('`/:path+`', { startup: "Use '*name'" }, () => routing('/:path+'), '/a/b');
mistake('`^/users$`', { startup: '^' }, () => routing('^/users$'), '/users');
mistake('`/:id/:id`', { startup: 'Rename' }, () => routing('/:id/:id'), '/1/2');
mistake('`/users//:id`', { startup: 'one slash' }, () => routing('/users//:id'), '/users/7');
mistake('`/*/edit`', { startup: 'Move it to the end' }, () => routing('/*/edit'), '/7/edit');
mistake('`/users/:`', { startup: ':name' }, () => routing('/users/:'), '/users/7');
mistake('`/:1st`', { startup: ':name' }, () => routing('/:1st'), '/7');
mistake('`/:a:b`', { startup: 'Separate' }, () => routing('/:a:b'), '/ab');
mistake('`/100%`', { startup: '%25' }, () => routing('/100%'), '/100%25');
mistake(
  '`http://localhost/users`',
  { startup: /slash|host/ },
  () => routing('http://localhost/users'),
  '/users',
);
mistake('`/users/../admin`', { startup: '..' }, () => routing('/users/../admin'), '/admin');

mistake(
  '`/:user-id`, a hyphen in a name',
  { compiler: "'user-id'", never: 'It is a parameter with text after it.' },
  () => createApp().get('/:user-id', (ctx) => ({ id: ctx.params['user-id'] })),
  '/7-id',
);

mistake(
  'a RegExp as a pattern',
  { compiler: "'RegExp'", startup: 'string' },
  () => createApp().get(/^\/users$/, () => 1),
  '/users',
);

mistake('an empty array of patterns', { startup: 'has no pattern' }, () => routing([]));
mistake(
  'the same pattern twice in an array',
  { startup: 'GET /a matches the same paths as GET /a' },
  () => routing(['/a', '/a']),
  '/a',
);
mistake(
  'a number in an array of patterns',
  { compiler: "'number'", startup: 'received 7' },
  () => createApp().get(['/a', 7], () => 1),
  '/a',
);

mistake('`app.get(handler)` without a pattern', { compiler: 'TS2345', startup: 'pattern' }, () =>
  createApp().get(() => 1),
);

mistake(
  "`app.get('/users')` without a handler",
  { compiler: 'TS2345', startup: 'function' },
  () => createApp().get('/users'),
  '/users',
);

mistake('`app.get(undefined, handler)`', { compiler: "'undefined'", startup: 'pattern' }, () =>
  createApp().get(undefined, () => 1),
);

mistake("`router.on('FETCH', …)`, a method that does not exist", { startup: 'http.METHODS' }, () =>
  createApp().on('FETCH', '/', () => 1),
);

mistake('`router.on([], …)`', { startup: 'has no method' }, () => createApp().on([], '/', () => 1));

mistake("`router.on(['GET', 'get'], …)`", { startup: 'GET / matches the same paths' }, () =>
  createApp().on(['GET', 'get'], '/', () => 1),
);

mistake(
  '`{ invalidParams: 400 }`',
  { compiler: "'400' is not assignable to type '404'", startup: 'must be 404: got 400.' },
  () =>
    createApp().get('/:id', { params: z.object({ id: z.string() }), invalidParams: 400 }, () => 1),
  '/7',
);

mistake('two patterns that match the same paths', { startup: '/:name' }, () =>
  createApp()
    .get('/:id', () => 1)
    .get('/:name', () => 2),
);

mistake('two routers with the same route', { startup: '/users' }, () =>
  createApp()
    .route(
      '/users',
      createRouter().get('/', () => 1),
    )
    .route(
      '/',
      createRouter().get('/users', () => 2),
    ),
);

mistake('`app.route(router)` without a prefix', { compiler: 'arguments', startup: 'prefix' }, () =>
  createApp().route(createRouter().get('/', () => 1)),
);

mistake(
  "`app.route('/api/*', router)`",
  { startup: 'Remove it' },
  () =>
    createApp().route(
      '/api/*',
      createRouter().get('/', () => 1),
    ),
  '/api',
);

mistake(
  "`app.route('/api', createRouter)`, the function not called",
  { compiler: "'Router", startup: 'createRouter()' },
  () => createApp().route('/api', createRouter),
  '/api',
);

mistake(
  "`app.route('/users').get(handler)`, as in Express",
  { compiler: 'arguments', startup: 'router' },
  () =>
    createApp()
      .route('/users')
      .get(() => 1),
  '/users',
);

mistake(
  "`router.route('/users').get(handler)`, as in Express",
  { compiler: 'arguments', startup: 'router' },
  () =>
    createApp().route(
      '/',
      createRouter()
        .route('/users')
        .get(() => 1),
    ),
  '/users',
);

mistake(
  "`app.use('/users', router)`, as in Express",
  { compiler: 'Router', startup: 'app.route' },
  () =>
    createApp().use(
      '/users',
      createRouter().get('/', () => 1),
    ),
  '/users',
);

mistake(
  '`app.use(router)`, as in Express',
  { compiler: 'provides no match for the signature', startup: 'app.route' },
  () => createApp().use(createRouter().get('/', () => 1)),
);

mistake(
  '`app.use(router.routes())`, as in Koa',
  { compiler: 'TS6234', startup: '.routes is not a function' },
  () =>
    createApp().use(
      createRouter()
        .get('/', () => 1)
        .routes(),
    ),
);

mistake(
  "`app.use('/admin*', middleware)`",
  { startup: '%2A' },
  () =>
    createApp()
      .use('/admin*', () => Promise.reject(new Error('denied')))
      .get('/admin/users', () => 1),
  '/admin/users',
);

mistake(
  "`router.use('/admin', middleware)`, as in Express",
  { compiler: 'TS2769', startup: 'Pass functions' },
  () =>
    createApp().route(
      '/',
      createRouter()
        .get('/', () => 1)
        .use('/admin', (_ctx: unknown, next: () => unknown) => next()),
    ),
);

mistake(
  "`@Get('/assets*')`",
  { startup: '%2A' },
  () => {
    @Controller()
    class Files {
      @Get('/assets*')
      read() {
        return 1;
      }
    }
    return serveControllers([Files]);
  },
  '/assets/a.css',
);

mistake('`@Get([])`', { startup: 'pass at least one path' }, () => {
  @Controller()
  class Users {
    @Get([])
    list() {
      return 1;
    }
  }
  return serveControllers([Users]);
});

mistake(
  "`@Get('/:id?')` with `@Param('id')`, which is required",
  { startup: 'pass { required: false }' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id?')
      read(@Param('id') id: string) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Get('/{id}')`",
  { startup: ':id' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/{id}')
      read() {
        return 1;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Get('/:id(\\d+)')`",
  { startup: 'handler' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id(\\d+)')
      read() {
        return 1;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Controller('/(v1|v2)')`",
  { startup: '/(v1|v2)' },
  () => {
    @Controller('/(v1|v2)')
    class Users {
      @Get()
      list() {
        return 1;
      }
    }
    return serveControllers([Users]);
  },
  '/v1',
);

mistake(
  "`controllersPlugin({ prefix: '/api*' })`",
  { startup: '%2A' },
  () => {
    @Controller('/users')
    class Users {
      @Get()
      list() {
        return 1;
      }
    }
    return serveControllers([Users], { prefix: '/api*' });
  },
  '/api/users',
);

mistake(
  'two methods with the same route',
  { startup: 'Users.all' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/')
      list() {
        return 1;
      }
      @Get()
      all() {
        return 2;
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  'the parameters of a mount prefix, repeated in a route',
  { startup: 'Rename' },
  () =>
    serveRouter((router) => {
      @Controller('/:id')
      class Users {
        @Get('/:id')
        list() {
          return 1;
        }
      }
      return controllersPlugin({ router, controllers: [Users] });
    }),
  '/1/2',
);

mistake(
  'the prefix of a router repeated in its routes',
  { warning: "'/users' occurs twice in a row" },
  () =>
    createApp().route(
      '/users',
      createRouter().get('/users', () => []),
    ),
  '/users',
);

mistake(
  '`deprecated` whose sunset has passed',
  { warning: 'The sunset of a deprecated route has passed, on 2026-01-31' },
  () => {
    const deprecated = { since: '2025-12-01', sunset: '2026-01-31' };
    return createApp().get('/users', { deprecated }, () => []);
  },
  '/users',
);

mistake(
  "`deprecated: { since: '31.01.2026' }`",
  { startup: "'31.01.2026' as deprecated.since. Use a date such as '2026-01-31'" },
  () => createApp().get('/users', { deprecated: { since: '31.01.2026' } }, () => []),
  '/users',
);

mistake(
  'a route with a `version` in an application without `versions`',
  { startup: 'the application does not tell where requests name one: GET /users' },
  () => createApp().get('/users', { version: '2' }, () => []),
  '/users',
);

mistake(
  'a route with a `version` beside one without, for the same paths',
  { startup: 'A route without a version is for all versions.' },
  () =>
    createApp({ versions: createVersions({ header: 'X-Api-Version', default: '1' }) })
      .get('/users', () => [])
      .get('/users', { version: '2' }, () => []),
  '/users',
);

mistake(
  'two routes of one version for the same paths',
  { startup: 'GET /users/:name matches the same paths as GET /users/:id' },
  () =>
    createApp({ versions: createVersions({ header: 'X-Api-Version', default: '1' }) })
      .get('/users/:id', { version: '1' }, () => [])
      .get('/users/:name', { version: '1' }, () => []),
  '/users/7',
);

mistake(
  'a `default` of `versions` that no route has',
  { warning: "is '1', a version that no route has. Use '2'" },
  () =>
    createApp({ versions: createVersions({ header: 'X-Api-Version', default: '1' }) }).get(
      '/users',
      { version: '2' },
      () => [],
    ),
  '/users',
);

mistake(
  "`createApp({ versions: { header: 'X-Api-Version' } })`",
  {
    compiler: "missing the following properties from type 'VersionSource'",
    startup: 'versions of createApp() must be the result of createVersions()',
  },
  () => createApp({ versions: { header: 'X-Api-Version' } }).get('/', () => 1),
);

mistake(
  '`createVersions()` with a header and a parameter',
  { compiler: 'not assignable', startup: 'without one of header and parameter' },
  () =>
    createApp({
      versions: createVersions({ header: 'X-Api-Version', parameter: 'version' }),
    }).get('/', () => 1),
);

mistake(
  'a prefix in the plugin and in the mount of its router',
  { warning: "'/api' occurs twice in a row" },
  async () => {
    @Controller('/users')
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    const router = createRouter();
    const app = createApp();
    const options = { router, controllers: [Users], container: createContainer() };
    await app.plugin(controllersPlugin({ ...options, prefix: '/api' }));
    return app.route('/api', router);
  },
  '/api/users',
);

mistake(
  '`/users/me` in a router after `/users/:id`',
  { warning: 'GET /users/:id is in an earlier router' },
  () =>
    createApp()
      .route(
        '/users',
        createRouter().get('/:id', ({ params }) => params.id),
      )
      .route(
        '/users/me',
        createRouter().get('/', () => 'me'),
      ),
  '/users/me',
);

mistake(
  'a misspelled prefix of `app.use()`',
  { warning: "Use '/api/admin'" },
  () =>
    createApp()
      .use('/api/admim', (_ctx, next) => next())
      .get('/api/admin/users', () => []),
  '/api/admin/users',
);

mistake(
  'a prefix of `app.use()` without the one of the mount',
  { warning: "Use '/api/admin'" },
  () =>
    createApp()
      .use('/admin', (_ctx, next) => next())
      .route(
        '/api',
        createRouter().get('/admin/users', () => []),
      ),
  '/api/admin/users',
);
