import { Controller, controllersPlugin, Get } from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  errorHandler,
  json,
  NotFoundError,
  notFoundHandler,
  text,
  UnauthorizedError,
} from '@fairlead/core';
import { createContainer, Inject } from '@fairlead/di';
import { createJwtAuth, requireRole } from '@fairlead/jwt';
import { compression, cors, csrf, csrfGuard, csrfTokens, timeout } from '@fairlead/middleware';
import { createLogger, logRequests } from '@fairlead/pino';
import { rateLimit } from '@fairlead/rate-limit';
import { type Session, session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { websocket } from '@fairlead/websocket';
import { area, post } from '../src/mistake.js';

const mistake = area('Order');

const users = () => createRouter().get('/', () => []);

@Controller('/users')
class Users {
  @Get()
  list() {
    return [];
  }
}

mistake(
  '`notFoundHandler()` before a router',
  { startup: 'notFoundHandler' },
  () => createApp().use(notFoundHandler()).route('/users', users()),
  '/users',
);

mistake(
  '`notFoundHandler()` before the routes of the application',
  { startup: 'notFoundHandler' },
  () =>
    createApp()
      .use(notFoundHandler())
      .get('/users', () => []),
  '/users',
);

mistake(
  '`notFoundHandler()` before the router of the controllers',
  { startup: 'notFoundHandler' },
  async () => {
    const router = createRouter();
    const app = createApp().use(errorHandler(), notFoundHandler());
    await app.plugin(
      controllersPlugin({ router, container: createContainer(), controllers: [Users] }),
    );
    return app.route('/', router);
  },
  '/users',
);

mistake(
  '`errorHandler()` after a router, as in Express',
  { warning: 'errorHandler' },
  () => createApp().route('/users', users()).use(errorHandler()),
  '/users',
);

mistake(
  '`errorHandler()` last, after the routes of the application',
  { warning: 'errorHandler' },
  () =>
    createApp()
      .get('/users', () => [])
      .use(errorHandler()),
  '/users',
);

mistake(
  '`errorHandler()` after `json()`',
  { never: 'It catches the errors of the routes.' },
  () =>
    createApp()
      .use(json(), errorHandler())
      .get('/users', () => []),
  '/users',
);

mistake(
  'a router mounted twice at one prefix',
  { startup: '/users' },
  () => {
    const router = users();
    return createApp().route('/users', router).route('/users', router);
  },
  '/users',
);

mistake(
  'an empty router mounted twice at one prefix, filled later',
  { startup: '/users' },
  () => {
    const router = createRouter();
    const app = createApp().route('/users', router).route('/users', router);
    router.get('/', () => []);
    return app;
  },
  '/users',
);

mistake(
  'the router of the controllers never mounted',
  { warning: 'app.route' },
  async () => {
    const app = createApp();
    await app.plugin(
      controllersPlugin({
        router: createRouter(),
        container: createContainer(),
        controllers: [Users],
      }),
    );
    return app;
  },
  '/users',
);

mistake(
  'another router mounted than that of the controllers',
  { warning: 'app.route' },
  async () => {
    const app = createApp();
    await app.plugin(
      controllersPlugin({
        router: createRouter(),
        container: createContainer(),
        controllers: [Users],
      }),
    );
    return app.route('/', createRouter());
  },
  '/users',
);

mistake(
  'a router never mounted',
  { never: 'The application does not know the router.' },
  () => {
    users();
    return createApp();
  },
  '/users',
);

mistake(
  '`app.plugin()` without `await`',
  { startup: 'Await app.plugin()' },
  () => {
    const router = createRouter();
    const app = createApp();
    void app.plugin(
      controllersPlugin({ router, container: createContainer(), controllers: [Users] }),
    );
    return app.route('/', router);
  },
  '/users',
);

mistake(
  'one plugin installed twice',
  { startup: 'Install each plugin object once' },
  async () => {
    const router = createRouter();
    const plugin = controllersPlugin({
      router,
      container: createContainer(),
      controllers: [Users],
    });
    const app = createApp();
    await app.plugin(plugin);
    await app.plugin(plugin);
    return app.route('/', router);
  },
  '/users',
);

mistake(
  'two plugins with the same controller on one router',
  { startup: 'GET /users' },
  async () => {
    const router = createRouter();
    const app = createApp();
    await app.plugin(
      controllersPlugin({ router, container: createContainer(), controllers: [Users] }),
    );
    await app.plugin(
      controllersPlugin({ router, container: createContainer(), controllers: [Users] }),
    );
    return app.route('/', router);
  },
  '/users',
);

mistake(
  'a provider registered after `app.plugin()`',
  { startup: 'register it first' },
  async () => {
    @Controller('/users')
    class Store {
      constructor(@Inject('url') readonly url: string) {}
      @Get()
      list() {
        return this.url;
      }
    }
    const router = createRouter();
    const container = createContainer();
    const app = createApp();
    await app.plugin(controllersPlugin({ router, container, controllers: [Store] }));
    container.register('url', { useValue: 'db:' });
    return app.route('/', router);
  },
  '/users',
);

mistake(
  '`json()` after the routes that read a body',
  { startup: 'json() runs for no route' },
  () =>
    createApp()
      .post('/users', (ctx) => ctx.body)
      .use(json()),
  post('/users', { name: 'Ada' }),
);

mistake(
  '`json({ rawBody: true })` after another parser has read the body',
  { warning: 'json() never reads a body' },
  () =>
    createApp()
      .use(text({ type: '*/*' }), json({ rawBody: true }))
      .post('/users', (ctx) => ctx.rawBody ?? null),
  post('/users', { name: 'Ada' }),
);

mistake(
  '`json()` after the only routes that read a body, and before others',
  { request: 'Add app.use(json())' },
  () =>
    createApp()
      .post('/users', (ctx) => ctx.body)
      .use(json())
      .get('/health', () => 'ok'),
  post('/users', { name: 'Ada' }),
);

mistake(
  '`csrf()` after the routes',
  { startup: 'csrf() runs for no route' },
  () =>
    createApp()
      .post('/users', () => [])
      .use(csrf()),
  post('/users', {}),
);

mistake(
  '`csrf()` after a router, for its prefix',
  { startup: "csrf() runs for no route below '/users'" },
  () => createApp().route('/users', users()).use('/users', csrf()),
  '/users',
);

mistake(
  '`csrf()` after some of the routes',
  { never: 'The routes before it may not need it, as webhooks do.' },
  () =>
    createApp()
      .get('/users', () => [])
      .use(csrf())
      .get('/health', () => 'ok'),
  '/users',
);

mistake(
  '`rateLimit()` after the routes',
  { warning: 'rateLimit() runs for no route' },
  () =>
    createApp()
      .route('/users', users())
      .use(rateLimit({ points: 10, duration: 60 })),
  '/users',
);

mistake(
  '`cors()` after the routes',
  { warning: 'cors() runs for no route' },
  () =>
    createApp()
      .get('/users', () => [])
      .use(cors()),
  '/users',
);

mistake(
  'a check of the user after the routes',
  { never: 'Middleware after routes is for requests that they do not handle.' },
  () =>
    createApp()
      .get('/users', () => [])
      .use(() => {
        throw new NotFoundError();
      }),
  '/users',
);

mistake(
  'a check of the user that calls `next()`, after the routes',
  { warning: 'runs for no route, because all of them are registered before it' },
  () =>
    createApp()
      .get('/users', () => [])
      .use((ctx, next) => {
        if (ctx.get('authorization') === undefined) throw new UnauthorizedError();
        return next();
      }),
  '/users',
);

mistake(
  'a check of the user after a router, for its prefix',
  { warning: "runs for no route below '/admin'" },
  () =>
    createApp()
      .route('/admin', users())
      .use('/admin', () => {
        throw new UnauthorizedError();
      })
      .get('/health', () => 'ok'),
  '/admin',
);

mistake(
  '`rateLimit()` after a router, for its prefix',
  { warning: "runs for no route below '/users'" },
  () =>
    createApp()
      .route('/users', users())
      .use('/users', rateLimit({ points: 10, duration: 60 }))
      .get('/health', () => 'ok'),
  '/users',
);

mistake('`cors()` as the last function of a route', { warning: 'cors() never runs' }, () =>
  createApp().get('/', () => 1, cors()),
);

mistake(
  '`errorHandler()` before `compression()`',
  { never: 'It compresses all but errors.' },
  () =>
    createApp()
      .use(errorHandler(), compression())
      .get('/users', () => []),
  '/users',
);

mistake(
  '`rateLimit()` before `cors()`',
  { never: 'Pages of other origins cannot read its 429.' },
  () =>
    createApp()
      .use(rateLimit({ points: 1, duration: 60 }), cors())
      .get('/users', () => []),
  '/users',
);

mistake(
  '`logRequests()` after middleware that rejects requests',
  { never: 'It logs the requests that reach it.' },
  () =>
    createApp()
      .use(csrf(), logRequests(createLogger({ level: 'silent' })))
      .get('/users', () => []),
  '/users',
);

mistake(
  '`json()` instead of `json({ rawBody: true })`, before a route that reads `ctx.rawBody`',
  { never: 'It is undefined.' },
  () =>
    createApp()
      .use(json())
      .post('/users', ({ rawBody = Buffer.alloc(0) }) => rawBody.length),
  post('/users', { name: 'Ada' }),
);

mistake(
  '`timeout()` after the routes',
  { warning: 'timeout() runs for no route' },
  () =>
    createApp()
      .get('/users', () => [])
      .use(timeout(1_000)),
  '/users',
);

mistake(
  'middleware that responds to every request, before the routes',
  { never: 'It may be a fallback.' },
  () =>
    createApp()
      .use((ctx) => ctx.send('hello'))
      .get('/users', () => []),
  '/users',
);

mistake(
  '`csrf({ tokens })` before `session()`',
  { warning: 'reads what session() provides' },
  () => {
    const keys = ['a key of at least thirty-two bytes ok'];
    const tokens = csrfTokens({ keys, session: ({ state }) => (state.session as Session).id });
    return createApp()
      .use(csrf({ tokens }), session({ keys }))
      .post('/users', () => ({ created: true }));
  },
);

const jwt = { secret: 'x'.repeat(32), issuer: 'a', audience: 'b' };

mistake(
  '`requireRole()` before the middleware of `createJwtAuth()`',
  { warning: 'reads what' },
  () => {
    const auth = createJwtAuth(jwt);
    return createApp()
      .use(requireRole('admin'), auth.middleware)
      .get('/users', () => []);
  },
);

mistake(
  '`requireRole()` before the middleware of `createJwtAuth()`, of a router',
  { warning: 'runs before it in: GET /users' },
  () => {
    const auth = createJwtAuth(jwt);
    return createApp().route('/users', users().use(requireRole('admin')).use(auth.middleware));
  },
  '/users',
);

mistake(
  '`requireRole()` before the middleware of `createJwtAuth()`, of a route',
  { warning: 'runs before it in: GET /users' },
  () => {
    const auth = createJwtAuth(jwt);
    return createApp().get('/users', requireRole('admin'), auth.middleware, () => []);
  },
  '/users',
);

mistake(
  '`requireRole()` without the middleware of `createJwtAuth()`',
  { warning: 'nothing before it provides that in: GET /users' },
  () => createApp().get('/users', requireRole('admin'), () => []),
  '/users',
);

mistake('`websocket()` for POST', { startup: 'Register it for GET' }, () =>
  createApp().post(
    '/rooms',
    websocket(() => undefined),
  ),
);

mistake('`app.use(csrfGuard())`', { startup: 'Use csrf()' }, () =>
  createApp()
    .use(csrfGuard())
    .get('/', () => 1),
);

mistake(
  '`serveStatic()` with a fallback that does not exist',
  { warning: 'cannot find its fallback' },
  () => createApp().use(serveStatic(import.meta.dirname, { fallback: 'index.html' })),
);

mistake(
  '`serveStatic()` with a fallback before routes',
  { warning: 'sends its fallback to browsers' },
  () =>
    createApp()
      .use(serveStatic(import.meta.dirname, { fallback: 'order.ts' }))
      .get('/users', () => []),
  '/users',
);
