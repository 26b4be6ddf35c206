import { once } from 'node:events';
import { createServer } from 'node:http';
import {
  Application,
  BadRequestError,
  createApp,
  createRouter,
  errorHandler,
  json,
  listen,
  notFoundHandler,
  type Plugin,
  Router,
} from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
import { mcp } from '@fairlead/mcp';
import { createMetrics } from '@fairlead/metrics';
import { csrf, currentContext, shareContext } from '@fairlead/middleware';
import { createDocument, openapi } from '@fairlead/openapi';
import { session } from '@fairlead/session';
import { Counter, register } from 'prom-client';
import { post } from '../mistake.js';
import { legal, silence, warned } from './program.js';

const hello = () => createRouter().get('/hello', () => 'hello');
const info = { title: 'API', version: '1' };

legal('an application without routes', '404', () => createApp());

legal(
  'an empty router for a feature that is off',
  '200 "hello"',
  () => createApp().route('/beta', createRouter()).route('/', hello()),
  '/hello',
);

legal(
  'two versions of a route in two routers, and a route without one that is less specific',
  '200 2',
  () =>
    createApp({ versions: createVersions({ header: 'X-Api-Version', default: '2' }) })
      .route(
        '/users',
        createRouter().get('/me', { version: '1' }, () => 1),
      )
      .route(
        '/users',
        createRouter()
          .get('/me', { version: '2' }, () => 2)
          .get('/:id', () => 3),
      ),
  '/users/me',
);

warned(
  'a router with middleware and no routes, for a feature that is off',
  'has middleware, but no route',
  '200 "hello"',
  (isSilenced) => {
    const beta = createRouter().use((_ctx, next) => next());
    return createApp().route('/beta', silence(isSilenced, beta)).route('/', hello());
  },
  '/hello',
);

legal(
  'one router at two prefixes',
  '200 "hello"',
  () => {
    const router = hello();
    return createApp().route('/v1', router).route('/v2', router);
  },
  '/v2/hello',
);

legal(
  'one router in two applications',
  '200 "hello"',
  async () => {
    const router = hello();
    await createApp().route('/', router).request('/hello');
    return createApp().route('/other', router);
  },
  '/other/hello',
);

legal(
  'routers nested in three levels with parameters in prefixes',
  '200 {"a":"1","b":"2","c":"3"}',
  () => {
    const inner = createRouter<'/:a/x/:b'>().get('/:c', ({ params }) => params);
    const middle = createRouter<'/:a'>().route('/x/:b', inner);
    return createApp().route('/:a', middle);
  },
  '/1/x/2/3',
);

legal(
  'routes that are added after the router is mounted',
  '200 "late"',
  () => {
    const router = createRouter();
    const app = createApp().route('/api', router);
    router.get('/late', () => 'late');
    return app;
  },
  '/api/late',
);

legal(
  'routes from a table',
  '200 "b"',
  () => {
    const app = createApp();
    for (const name of ['a', 'b']) app.get(`/${name}`, () => name);
    return app;
  },
  '/b',
);

legal(
  'methods of WebDAV, and all others of a path',
  '207 ""',
  () =>
    createApp()
      .on('PROPFIND', '/files', (ctx) => {
        ctx.status = 207;
        ctx.json('');
      })
      .all('/files', () => 'other'),
  ['/files', { method: 'PROPFIND' }],
);

legal(
  'routes for GET, HEAD and OPTIONS of one path',
  '204',
  () =>
    createApp()
      .get('/', () => 'body')
      .head('/', (ctx) => ctx.set('X-Count', 1))
      .options('/', (ctx) => {
        ctx.status = 204;
      }),
  ['/', { method: 'OPTIONS' }],
);

legal(
  'patterns that overlap',
  '200 "pair"',
  () =>
    createApp()
      .get('/:id', () => 'id')
      .get('/:from-:to', () => 'pair')
      .get('/me', () => 'me')
      .get('/*rest', () => 'rest'),
  '/1-2',
);

legal(
  'a handler that responds with another application',
  '200 "hello"',
  () => {
    const inner = createApp().route('/', hello());
    return createApp().all('/legacy/*path', ({ params, method }) =>
      inner.request(`/${params.path}`, { method }),
    );
  },
  '/legacy/hello',
);

legal('the handle of an application in a server of your own', '200 "hello"', async () => {
  const inner = createApp().route('/', hello());
  const server = createServer(inner.handle).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const response = await fetch(`http://localhost:${port}/hello`);
  const text = await response.json();
  server.close();
  server.closeAllConnections();
  return createApp().get('/', () => text);
});

legal(
  'two servers of one application',
  '200 "hello"',
  async () => {
    const app = createApp().route('/', hello());
    const first = await listen(app, 0);
    const second = await listen(app, 0);
    await first.close({ timeout: 0 });
    return second;
  },
  '/hello',
);

legal('a subclass of Application', '200 "hello"', () => {
  class MyApp extends Application {
    constructor() {
      super();
      this.use(errorHandler()).get('/', () => 'hello');
    }
  }
  return new MyApp();
});

legal(
  'a subclass of Router',
  '200 "hello"',
  () => {
    class UsersRouter extends Router {
      constructor(readonly greeting: string) {
        super();
        this.get('/', () => this.greeting);
      }
    }
    return createApp().route('/users', new UsersRouter('hello'));
  },
  '/users',
);

legal('a subclass of BadRequestError with a status of its own', '418', () => {
  class Teapot extends BadRequestError {
    override readonly status = 418;
  }
  return createApp().get('/', () => {
    throw new Teapot();
  });
});

legal(
  'a plugin that registers after asynchronous work',
  '200 "late"',
  async () => {
    const plugin: Plugin = {
      name: 'late',
      async install(app) {
        await new Promise((resolve) => setImmediate(resolve));
        app.get('/late', () => 'late');
      },
    };
    const app = createApp();
    await app.plugin(plugin);
    return app;
  },
  '/late',
);

legal('a plugin that installs another plugin', '200 "inner"', async () => {
  const inner: Plugin = { name: 'inner', install: (app) => void app.get('/', () => 'inner') };
  const outer: Plugin = { name: 'outer', install: async (app) => void (await app.plugin(inner)) };
  return createApp().plugin(outer);
});

legal(
  'two plugins of one class',
  '200 "two"',
  async () => {
    class Page implements Plugin {
      readonly name = 'page';
      constructor(readonly path: string) {}
      install(app: Application) {
        app.get(`/${this.path}`, () => this.path);
      }
    }
    const app = createApp();
    await Promise.all([app.plugin(new Page('one')), app.plugin(new Page('two'))]);
    return app;
  },
  '/two',
);

legal('a plugin that does nothing in this environment', '200 "hello"', async () => {
  const app = createApp();
  await app.plugin({ name: 'off', install: () => undefined });
  return app.get('/', () => 'hello');
});

legal('a handler that returns a thenable', '200 [1]', () => {
  const query = {
    // biome-ignore lint/suspicious/noThenProperty: query builders are thenable.
    then: (resolve: (rows: number[]) => void) => resolve([1]),
  };
  return createApp().get('/', () => query);
});

legal('an async generator as the response', '200 ab', () =>
  createApp().get('/', async function* () {
    yield 'a';
    yield 'b';
  }),
);

legal('an object with toJSON as the response', '200 {"cents":5}', () => {
  class Money {
    readonly #cents = 5;
    toJSON() {
      return { cents: this.#cents };
    }
  }
  return createApp().get('/', () => new Money());
});

legal('a handler that answers later, through a promise of its own', '200 later', () =>
  createApp().get('/', (ctx) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    setImmediate(() => {
      ctx.send('later');
      resolve();
    });
    return promise;
  }),
);

legal(
  'the context of a request in a service without parameters',
  '200 "/who"',
  () => {
    const audit = () => currentContext()?.path;
    return createApp()
      .use(shareContext())
      .get('/who', () => audit());
  },
  '/who',
);

legal(
  'metrics that leave out the probes, which come before',
  '200 "up"',
  () => {
    const metrics = createMetrics({ processMetrics: false });
    return createApp()
      .get('/up', () => 'up')
      .use(metrics.middleware)
      .route('/', metrics.router())
      .get('/', () => 'hello');
  },
  '/up',
);

legal('metrics that an application exports which is created later', '200 "hello"', () => {
  const metrics = createMetrics({ processMetrics: false });
  const app = createApp()
    .use(metrics.middleware)
    .get('/', () => 'hello');
  app.seal();
  createApp().route('/', metrics.router()).seal();
  return app;
});

legal('a router with tools in a second application, without mcp()', '200 "a"', async () => {
  const tools = createRouter().get('/', { tool: true, public: 'Everyone may call it.' }, () => 'a');
  const agents = createApp().route('/', tools);
  await agents.plugin(mcp({ name: 'tools', version: '1' }));
  agents.seal();
  return createApp().route('/', tools);
});

legal(
  'a route whose path repeats a segment',
  '200 "hello"',
  () => createApp().get('/echo/echo', () => 'hello'),
  '/echo/echo',
);

warned(
  'metrics beside those of another exporter',
  'does not export the default registry',
  '200 "hello"',
  async (isSilenced) => {
    const counter = new Counter({ name: 'orders_total', help: 'Orders.' });
    const metrics = createMetrics({ processMetrics: false });
    const app = createApp();
    const close = () => register.removeSingleMetric('orders_total');
    await app.plugin({ name: 'orders', install: () => counter.inc(), close });
    return app
      .use(silence(isSilenced, metrics.middleware))
      .route('/', metrics.router())
      .get('/orders', () => register.metrics())
      .get('/', () => 'hello');
  },
);

legal('two metrics that share a registry', '200 "hello"', () => {
  const first = createMetrics({ processMetrics: false });
  const second = createMetrics({ processMetrics: false, registry: first.registry });
  return createApp()
    .use(second.middleware)
    .get('/', () => 'hello');
});

legal(
  'a public and an internal document of one application',
  '200',
  async () => {
    const app = createApp().get('/users', () => []);
    await app.plugin(openapi({ info, exclude: ['/internal'], docs: false }));
    await app.plugin(openapi({ info, path: '/internal/openapi.json', docs: false }));
    return app;
  },
  '/internal/openapi.json',
);

legal(
  'a document without any route',
  '200',
  async () => {
    const app = createApp().get('/users', { hidden: true }, () => []);
    await app.plugin(openapi({ info, docs: false }));
    return app;
  },
  '/openapi.json',
);

legal(
  'a document that is created before more routes are registered',
  '200 "late"',
  () => {
    const app = createApp().get('/users', () => []);
    createDocument(app, { info });
    return app.get('/late', () => 'late');
  },
  '/late',
);

legal('two sessions with different names', '200 "both"', () => {
  const keys = ['a'.repeat(32)];
  return createApp()
    .use(session({ keys }), session({ keys, name: 'admin' }))
    .get('/', () => 'both');
});

legal(
  'sessions and csrf() for one router only',
  '200 "hello"',
  () => {
    const site = createRouter()
      .use(session({ keys: ['a'.repeat(32)] }))
      .use(csrf())
      .post('/hello', () => 'hello');
    const api = createRouter().post('/api', () => 'api');
    return createApp().use(errorHandler()).route('/site', site).route('/', api);
  },
  post('/site/hello', {}),
);

legal(
  'csrf() for the routes after a webhook',
  '200 "paid"',
  () =>
    createApp()
      .use(errorHandler(), json())
      .post('/webhook', () => 'paid')
      .use(csrf())
      .post('/users', () => 'created')
      .use(notFoundHandler()),
  post('/webhook', {}),
);
