import {
  Controller,
  controllersPlugin,
  Get,
  HttpCode,
  Post,
  Query,
  registerController,
  SetHeader,
  UseGuard,
} from '@fairlead/controllers';
import { createApp, createRouter, json, listen, text, urlencoded } from '@fairlead/core';
import { createContainer, Inject, Service } from '@fairlead/di';
import { createJwtAuth, requireScope } from '@fairlead/jwt';
import { createMetrics } from '@fairlead/metrics';
import { cors } from '@fairlead/middleware';
import { multipart } from '@fairlead/multipart';
import { openapi } from '@fairlead/openapi';
import { rateLimit } from '@fairlead/rate-limit';
import { session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { openSqlite } from '@fairlead/store';
import { websocket, websocketUpgrade } from '@fairlead/websocket';
import { z } from 'zod';
import { serveControllers, serveRouter } from '../src/applications.js';
import { FILES } from '../src/files.js';
import { area, post } from '../src/mistake.js';
import { runProgram } from '../src/program.js';

const mistake = area('Contradictions');

const User = z.object({ id: z.string() });
const info = { title: 'API', version: '1' };
const keys = ['a secret of at least thirty-two bytes'];
const tokens = {
  issuer: 'https://login.example.com/',
  audience: 'https://api.example.com',
  secret: 'a secret of at least thirty-two bytes',
};
const uploading = (options: Parameters<typeof multipart>[0]) =>
  createApp().post('/', multipart(options), () => 1);

mistake('a query schema that is a list', { startup: 'describes no object' }, () =>
  createApp().get('/', { query: z.array(z.string()) }, ({ query }) => query),
);

mistake(
  "`@Query('ids', { all: true })` with the schema of one value",
  { startup: 'accepts no list' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('ids', { all: true, schema: z.number() }) ids: number) {
        return ids;
      }
    }
    return serveControllers([Users]);
  },
  '/?ids=1',
);

mistake('a default that the schema of its parameter rejects', { startup: 'schema rejects' }, () => {
  @Controller()
  class Users {
    @Get()
    list(@Query('page', { default: 1, schema: z.string() }) page: string) {
      return page;
    }
  }
  return serveControllers([Users]);
});

mistake(
  'the schema of an object after `text()` alone',
  { warning: 'The only parser is text()' },
  () => createApp().post('/', { body: User }, text(), ({ body }) => body),
  post('/', { id: '1' }),
);

mistake(
  'a list of objects in a form',
  { warning: 'which the form that urlencoded() reads cannot carry' },
  () =>
    createApp().post(
      '/',
      { body: z.object({ lines: z.array(User) }) },
      urlencoded(),
      ({ body }) => body,
    ),
  post('/', { lines: [] }),
);

mistake('`z.file()` for what `multipart()` reads', { warning: 'a File or a Blob' }, () =>
  createApp().post(
    '/',
    { body: z.object({ photo: z.file() }) },
    multipart({ rules: { photo: { kind: 'file' } } }),
    ({ body }) => body.photo.size,
  ),
);

mistake('a response schema with the status 204', { warning: 'have no body' }, () =>
  createApp().get('/', { status: 204, response: User }, () => ({ id: '1' })),
);

mistake('`@HttpCode(204)` with a response schema', { warning: 'have no body' }, () => {
  @Controller()
  class Users {
    @Get('/', { response: User })
    @HttpCode(204)
    find() {
      return { id: '1' };
    }
  }
  return serveControllers([Users]);
});

mistake('a response schema of a WebSocket route', { warning: 'describes nothing' }, () =>
  createApp().get(
    '/',
    { response: User },
    websocket(() => undefined),
  ),
);

mistake(
  "`@SetHeader('Content-Type', 'text/csv')` with a schema of JSON",
  { warning: 'its response describes JSON' },
  () => {
    @Controller()
    class Users {
      @Get('/', { response: z.array(User) })
      @SetHeader('Content-Type', 'text/csv')
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@Post(…, { status: 201 })` and `@HttpCode(200)`', { warning: 'sets another one' }, () => {
  @Controller()
  class Users {
    @Get('/', { status: 201 })
    @HttpCode(200)
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  'a class without `canActivate`, and no provider with it, as a guard',
  { startup: 'has no method canActivate()' },
  () => {
    abstract class Auth {
      abstract canActivate(): boolean;
    }
    @Controller()
    @UseGuard(Auth)
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`websocketUpgrade()` as a handler', { warning: 'is an interceptor' }, () =>
  createApp().get('/', websocketUpgrade()),
);

mistake(
  '`router.use(serveStatic(root))`',
  { warning: 'runs only for the routes' },
  () =>
    createApp().route(
      '/',
      createRouter()
        .use(serveStatic('rows'))
        .get('/', () => 1)
        .get('/api', () => 1),
    ),
  '/guards.ts',
);

mistake(
  '`serveStatic(root, { prefix })` on a route that is not below the prefix',
  { warning: 'no path of it is below the prefix' },
  () => createApp().get('/assets/*path', serveStatic('rows', { prefix: '/files' })),
  '/assets/guards.ts',
);

mistake('`rateLimit({ cost })` above `points`', { startup: 'rejects every request' }, () =>
  createApp()
    .use(rateLimit({ points: 5, duration: 60, cost: 10 }))
    .get('/', () => 1),
);

mistake('two `rateLimit()` of one route without names', { warning: 'has the same name' }, () =>
  createApp()
    .use(rateLimit({ points: 100, duration: 60 }))
    .get('/', rateLimit({ points: 5, duration: 60 }), () => 1),
);

mistake('two `session()` with the same cookie', { warning: 'has the same cookie' }, () =>
  createApp()
    .use(session({ keys }))
    .route(
      '/',
      createRouter()
        .use(session({ keys }))
        .get('/', () => 1),
    ),
);

mistake('a strict schema of `claims` without `iss`', { startup: 'does not accept iss, aud' }, () =>
  createApp()
    .use(createJwtAuth({ ...tokens, claims: z.strictObject({ sub: z.string() }) }).middleware)
    .get('/', () => 1),
);

mistake('`session({ storeTimeout })` without a store', { warning: 'ignores storeTimeout' }, () =>
  createApp()
    .use(session({ keys, storeTimeout: 500 }))
    .get('/', () => 1),
);

mistake('`createJwtAuth({ remote })` with a secret', { warning: 'ignores remote' }, () =>
  createApp()
    .use(createJwtAuth({ ...tokens, remote: { timeout: 500 } }).middleware)
    .get('/', () => 1),
);

mistake('`claims` with `exp: z.date()`', { startup: 'does not accept exp' }, () =>
  createApp()
    .use(createJwtAuth({ ...tokens, claims: z.object({ exp: z.date() }) }).middleware)
    .get('/', () => 1),
);

mistake(
  "`requireScope('users:read users:write')`",
  { startup: "Pass each one as an argument: 'users:read', 'users:write'" },
  () => createApp().get('/', requireScope('users:read users:write'), () => 1),
);

mistake("`requireScope('users:read,users:write')`", { warning: 'Pass each scope' }, () =>
  createApp()
    .use(createJwtAuth(tokens).middleware)
    .get('/', requireScope('users:read,users:write'), () => 1),
);

mistake(
  "`cors({ methods: ['patch'] })`",
  { warning: 'Write PATCH in upper case' },
  () =>
    createApp()
      .use(cors({ methods: ['patch'] }))
      .patch('/', () => 1),
  ['/', { method: 'PATCH' }],
);

mistake('a required file with `limits: { files: 0 }`', { startup: 'rejects every form' }, () =>
  uploading({ limits: { files: 0 }, rules: { photo: { kind: 'file', required: true } } }),
);

mistake('`maxSize` of a rule above `totalSize`', { warning: 'a whole form has at most' }, () =>
  uploading({ rules: { video: { kind: 'file', maxSize: 100 * 1024 ** 2 } } }),
);

mistake('`maxCount` of a rule above `files`', { warning: 'a form has at most 10 files' }, () =>
  uploading({ rules: { photos: { kind: 'file', maxCount: 20 } } }),
);

mistake('the media type `image/jpg`', { warning: "Write 'image/jpeg'" }, () =>
  uploading({ rules: { photo: { kind: 'file', mediaTypes: ['image/jpg'] } } }),
);

mistake('media types of images for a field', { warning: 'browsers send fields as' }, () =>
  uploading({ rules: { photo: { kind: 'field', mediaTypes: ['image/png'] } } }),
);

mistake('`openapi({ exclude })` that matches no route', { warning: 'option exclude' }, async () => {
  const app = createApp().get('/', () => 1);
  await app.plugin(openapi({ info, docs: false, exclude: ['/interal'] }));
  return app;
});

mistake('`openapi({ tags })` with a similar tag', { warning: "Write 'users'" }, async () => {
  const app = createApp().get('/', { tags: ['users'] }, () => 1);
  await app.plugin(openapi({ info, docs: false, tags: [{ name: 'user' }] }));
  return app;
});

mistake("`openapi({ path: '/docs' })`, where its page is", { startup: 'and its page at' }, () =>
  openapi({ info, path: '/docs' }),
);

mistake('the middleware of `createMetrics()` twice', { warning: 'request twice' }, () => {
  const metrics = createMetrics({ processMetrics: false });
  return createApp()
    .use(metrics.middleware)
    .route('/', metrics.router())
    .get('/', metrics.middleware, () => 1);
});

mistake(
  'one container of two applications',
  { warning: 'dispose the same container' },
  async () => {
    @Controller()
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    const container = createContainer();
    const create = () =>
      serveRouter((router) => controllersPlugin({ router, container, controllers: [Users] }));
    await create();
    return create();
  },
);

@Service()
class Pool {
  constructor(@Inject('connection') readonly connection: object) {}
}

mistake(
  '`registerController()` before an asynchronous factory has finished',
  { startup: 'call `await container.initialize()`' },
  () => {
    @Controller()
    class Users {
      constructor(readonly pool: Pool) {}

      @Post()
      add() {
        return this.pool;
      }
    }
    const container = createContainer();
    container.register('connection', { useFactory: async () => ({}) });
    const router = createRouter();
    registerController(router, Users, { container });
    return createApp().route('/', router);
  },
  post('/', {}),
);

mistake(
  '`/users/me` after `/users/:id` and `app.use()`',
  { warning: 'the later route first' },
  () =>
    createApp()
      .get('/:id', () => 1)
      .use('/users', (_ctx, next) => next())
      .get('/users', () => 1)
      .get('/', () => 1)
      .get('/me', () => 1),
);

mistake(
  'a wrong option of a route, and its conflict',
  { startup: /summary[\s\S]+same paths/ },
  () =>
    createApp()
      .get('/:id', () => 1)
      .get('/:name', { summary: 1 as never }, () => 1),
);

mistake(
  '`json({ limit: 5 })`, meant as megabytes',
  { warning: "limit: '5mb'" },
  () =>
    createApp()
      .use(json({ limit: 5 }))
      .post('/', ({ body }) => body),
  post('/', {}),
);

mistake('`websocket(…, { pingInterval: 30 })`', { warning: 'If you mean seconds' }, () =>
  createApp().get(
    '/',
    websocket(() => undefined, { pingInterval: 30 }),
  ),
);

mistake('`createMetrics({ buckets })` in milliseconds', { warning: 'divide by 1,000' }, () => {
  const metrics = createMetrics({ processMetrics: false, buckets: [50, 100, 500] });
  return createApp()
    .use(metrics.middleware)
    .route('/', metrics.router())
    .get('/', () => 1);
});

mistake('`listen(app, port, { requestTimeout: 30 })`', { warning: 'If you mean seconds' }, () =>
  listen(
    createApp().get('/', () => 1),
    0,
    { requestTimeout: 30 },
  ),
);

mistake('`serve(createMyApp, { delay: 5 })`', { warning: 'If you mean seconds' }, () =>
  runProgram(`process.removeAllListeners('warning').on('warning', (one) => console.error(one.message));
(await serve(createMyApp, { port: 0, delay: 5 })).stop();`),
);

mistake('`serve()` with one port for both applications', { startup: 'as operationsPort' }, () =>
  runProgram('await serve(createMyApp, { port: 9100, operationsPort: 9100 });'),
);

mistake('`openSqlite(path, { timeout: 5 })`', { warning: 'If you mean seconds' }, async () => {
  const store = openSqlite(`${FILES}units.db`, {
    program: 'shop',
    setting: 'SHOP_PATH',
    applicationId: 0x73686f70,
    migrations: ['CREATE TABLE a (b TEXT) STRICT'],
    statements: { add: 'INSERT INTO a VALUES (?)' },
    prepare: () => ({}),
    timeout: 5,
  });
  await store.close();
  return createApp().get('/', () => 1);
});
