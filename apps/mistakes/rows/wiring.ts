import {
  Body,
  Controller,
  Get,
  Param,
  Post,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '@fairlead/controllers';
import { createApp, createRouter, json, notFoundHandler, urlencoded } from '@fairlead/core';
import { createContainer, Inject, Optional, Service, token } from '@fairlead/di';
import { createJwtAuth, requireScope } from '@fairlead/jwt';
import { jwtGuard } from '@fairlead/jwt/controllers';
import { mcp } from '@fairlead/mcp';
import { createMetrics } from '@fairlead/metrics';
import { cors, createHealth, csrf, csrfGuard, secureHeaders } from '@fairlead/middleware';
import { multipart, type UploadedFile } from '@fairlead/multipart';
import { openapi, secured } from '@fairlead/openapi';
import { rateLimit, rateLimitGuard } from '@fairlead/rate-limit';
import { session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { createTestApp } from '@fairlead/testing';
import { createRooms, websocketUpgrade } from '@fairlead/websocket';
import { redisAdapter } from '@fairlead/websocket/redis';
import { z } from 'zod';
import { serveControllers } from '../src/applications.js';
import { writeFiles } from '../src/files.js';
import { area, post } from '../src/mistake.js';

const mistake = area('Wiring');

const keys = ['a secret of at least thirty-two bytes'];
const auth = createJwtAuth({
  issuer: 'https://login.example.com/',
  audience: 'https://api.example.com',
  secret: 'a secret of at least thirty-two bytes',
});
const page = 'https://app.example.com';

mistake(
  "`cors({ origin: true, credentials: true })` with `session({ sameSite: 'none' })`",
  { warning: 'every site act for your users' },
  () =>
    createApp()
      .use(cors({ origin: true, credentials: true }), session({ keys, sameSite: 'none' }))
      .get('/', () => 1),
);

mistake(
  "a RegExp for every origin of `cors({ credentials: true })` with `session({ sameSite: 'none' })`",
  { warning: 'every site act for your users' },
  () => {
    @Controller()
    @UseMiddleware(session({ keys, sameSite: 'none' }))
    class Users {
      @Get()
      @UseMiddleware(cors({ origin: /^https:\/\/.*$/, credentials: true }))
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

const rules = { photo: { kind: 'file', required: true } } as const;

mistake(
  '`@UseMiddleware(multipart())` with `jwtGuard(auth)`',
  { warning: 'reads uploads before jwtGuard(auth) checks who sends them' },
  () => {
    @Controller()
    class Photos {
      @Post()
      @UseMiddleware(multipart({ rules }))
      add(@Body('photo') photo: UploadedFile) {
        return photo.fileName;
      }
    }
    return serveControllers([Photos], { guards: [jwtGuard(auth)] });
  },
);

mistake(
  '`multipart()` before `auth.middleware`',
  { warning: 'reads uploads before auth.middleware checks who sends them' },
  () => createApp().post('/', multipart({ rules }), auth.middleware, () => 1),
);

mistake(
  'an origin of `cors()` that `csrf()` rejects',
  { warning: `Pass origins: ['${page}'] to csrf()` },
  () =>
    createApp()
      .use(cors({ origin: [page], credentials: true }), csrf())
      .post('/', () => 1),
);

mistake(
  'an origin of `cors()` that `csrfGuard()` rejects',
  { warning: `Pass origins: ['${page}'] to csrfGuard()` },
  () => {
    @Controller()
    @UseGuard(csrfGuard())
    class Orders {
      @Post()
      @UseMiddleware(cors({ origin: page }))
      add() {
        return 1;
      }
    }
    return serveControllers([Orders]);
  },
);

mistake(
  '`cors({ allowedHeaders })` without `Authorization`, before `auth.middleware`',
  { warning: 'Add Authorization to allowedHeaders' },
  () =>
    createApp()
      .use(cors({ origin: [page], allowedHeaders: ['Content-Type'] }), auth.middleware)
      .get('/', () => 1),
);

mistake(
  '`cors({ allowedHeaders })` without the header of a declared API key',
  { warning: 'Add X-Key to allowedHeaders' },
  () => {
    const scheme = { type: 'apiKey', in: 'header', name: 'X-Key' } as const;
    const guard = secured(() => true, { name: 'key', scheme });
    @Controller()
    @UseGuard(guard)
    class Users {
      @Get()
      @UseMiddleware(cors({ allowedHeaders: 'Content-Type' }))
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`cors({ allowedHeaders })` without `Content-Type`, before a route with a JSON body',
  { warning: 'Add Content-Type to allowedHeaders' },
  () =>
    createApp()
      .use(cors({ allowedHeaders: ['X-Request-Id'] }))
      .post('/', { body: z.object({ name: z.string() }) }, ({ body }) => body),
  post('/', { name: 'Ada' }),
);

mistake(
  '`createHealth()` after `auth.middleware`',
  { warning: 'Probes without credentials cannot pass auth.middleware' },
  () => createApp().use(auth.middleware).route('/', createHealth()),
  '/health/live',
);

mistake(
  '`createHealth()` after middleware with `secured()`',
  { warning: 'Probes without credentials cannot pass signedIn()' },
  () => {
    const scheme = { type: 'http', scheme: 'basic' } as const;
    const signedIn = secured(
      function signedIn(_ctx: unknown, next: () => unknown) {
        return next();
      },
      { name: 'basic', scheme },
    );
    return createApp().use(signedIn).route('/', createHealth());
  },
  '/health/live',
);

mistake(
  '`createHealth()` after `rateLimit()`',
  { warning: 'rateLimit() counts probes' },
  () =>
    createApp()
      .use(rateLimit({ points: 10, duration: 60 }))
      .route('/', createHealth()),
  '/health/live',
);

mistake(
  '`rateLimit()` and `rateLimitGuard()` with the same name',
  { warning: "rateLimitGuard() has the same name 'default'" },
  () => {
    @Controller()
    class SignIn {
      @Post()
      @UseGuard(rateLimitGuard({ points: 5, duration: 900 }))
      signIn() {
        return 1;
      }
    }
    return serveControllers([SignIn], { middleware: [rateLimit({ points: 100, duration: 60 })] });
  },
);

mistake(
  '`fileSize` of `multipart()` above `totalSize`',
  { warning: 'a whole form has at most 10485760 bytes' },
  () => createApp().post('/', multipart({ limits: { fileSize: 50 * 1024 ** 2 } }), () => 1),
);

mistake(
  "`secured()` with `scheme: { type: 'bearer' }`",
  { compiler: 'TS2', startup: "such as { type: 'http', scheme: 'bearer' }" },
  () => {
    const signedIn = secured(() => true, { name: 'bearer', scheme: { type: 'bearer' } });
    @Controller()
    @UseGuard(signedIn)
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`websocketUpgrade({ origins: ['wss://app.example.com'] })`",
  { startup: "such as 'https://app.example.com'" },
  () => {
    @Controller()
    class Chat {
      @Get()
      @UseInterceptor(websocketUpgrade({ origins: ['wss://app.example.com'] }))
      join() {
        return () => undefined;
      }
    }
    return serveControllers([Chat]);
  },
);

mistake(
  "`cors({ origin: 'wss://app.example.com' })`",
  { startup: "Use 'https://app.example.com'" },
  () =>
    createApp()
      .use(cors({ origin: 'wss://app.example.com' }))
      .get('/', () => 1),
);

mistake(
  'one client as publisher and subscriber of `redisAdapter()`',
  { warning: 'Pass publisher.duplicate() as the subscriber' },
  () => {
    const client = {
      publish: async () => 0,
      subscribe: async () => undefined,
      unsubscribe: async () => undefined,
    };
    createRooms({ adapter: redisAdapter({ publisher: client, subscriber: client }) });
    return createApp().get('/', () => 1);
  },
);

mistake(
  '`secureHeaders()` with the default policy before `serveStatic()` with a fallback',
  { warning: 'run no script of' },
  async () => {
    const root = await writeFiles({ 'index.html': '<script src="/app.js"></script>' });
    return createApp().use(secureHeaders(), serveStatic(root, { fallback: 'index.html' }));
  },
);

mistake('`immutable` for the fallback of `serveStatic()`', { warning: 'miss new releases' }, () => {
  const cacheControl = 'public, max-age=31536000, immutable';
  return createApp().use(serveStatic(import.meta.dirname, { fallback: 'wiring.ts', cacheControl }));
});

mistake(
  '`createApp({ notFound })` with `notFoundHandler()`',
  { warning: 'the option notFound of createApp() never does' },
  () => createApp({ notFound: () => 'none' }).use(notFoundHandler()),
);

mistake(
  '`metrics.router()` without `metrics.middleware`',
  { request: 'exports no metrics of requests' },
  () => createApp().route('/', createMetrics({ processMetrics: false }).router()),
  '/metrics',
);

mistake(
  '`@Inject(Users)` for a parameter of another service',
  { warning: 'receives Users, but its type is Orders' },
  () => {
    @Service()
    class Users {}
    @Service()
    class Orders {}
    @Controller()
    class Reports {
      constructor(@Inject(Users) readonly orders: Orders) {}
      @Get()
      read() {
        return [];
      }
    }
    return serveControllers([Reports]);
  },
);

mistake(
  "`@Optional() @Inject('Cache')` for `token('Cache')`",
  { warning: 'use token(Cache)' },
  () => {
    const container = createContainer().register(token<object>('Cache'), { useValue: {} });
    @Controller()
    class Pages {
      constructor(@Optional() @Inject('Cache') readonly cache?: object) {}
      @Get()
      read() {
        return [];
      }
    }
    return serveControllers([Pages], { container });
  },
);

mistake(
  "`@Param('year', { default })` on `/:year`",
  { warning: "as in '/:year?'" },
  () => {
    @Controller()
    class Reports {
      @Get('/:year')
      read(@Param('year', { default: '2026' }) year: string) {
        return year;
      }
    }
    return serveControllers([Reports]);
  },
  '/2025',
);

mistake(
  'two interceptors of one route that open the WebSocket connection',
  { startup: 'two of its interceptors open the WebSocket connection' },
  () => {
    @Controller()
    class Chat {
      @Get()
      @UseInterceptor(websocketUpgrade(), websocketUpgrade())
      join() {
        return () => undefined;
      }
    }
    return serveControllers([Chat]);
  },
);

mistake(
  '`registerController()` with a container whose eager providers nothing builds',
  { warning: 'Nothing builds the eager Worker' },
  () => {
    @Service({ eager: true })
    class Worker {}
    @Controller()
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    const router = createRouter();
    registerController(router, Users, { container: createContainer().register(Worker) });
    return createApp().route('/', router);
  },
);

mistake(
  'a plain class as a schema of `response`',
  { compiler: 'TS2769', startup: 'extends schemaClass(schema)' },
  () => {
    class UserDto {
      id = '';
    }
    @Controller()
    class Users {
      @Get('/', { response: { 200: UserDto } })
      find() {
        return new UserDto();
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`z.bigint()` in a schema of `response`', { warning: 'which JSON cannot write' }, () =>
  createApp().get('/', { response: z.object({ total: z.bigint() }) }, () => ({ total: 7n })),
);

mistake(
  '`z.set()` in a schema of `response`',
  { warning: 'is a Set or a Map, which JSON cannot write' },
  () => {
    const response = z.object({ tags: z.set(z.string()) });
    return createApp().get('/', { response }, () => ({ tags: new Set(['a']) }));
  },
);

mistake(
  '`z.coerce.boolean()` in a query',
  { warning: 'Use z.boolean()' },
  () =>
    createApp().get('/', { query: z.object({ all: z.coerce.boolean() }) }, ({ query }) => query),
  '/?all=0',
);

mistake(
  "`json({ type: '*/*' })` before `urlencoded()`",
  { warning: 'urlencoded() never reads a body' },
  () =>
    createApp()
      .use(json({ type: '*/*' }))
      .post('/', urlencoded(), ({ body }) => body),
);

mistake(
  'a resource of `mcp()` that is no audience of `createJwtAuth()`',
  { warning: 'but auth.middleware accepts only those for https://api.example.com' },
  async () => {
    const resource = 'https://api.example.com/mcp';
    const app = createApp().use('/mcp', auth.middleware);
    const servers = ['https://login.example.com'];
    await app.plugin(mcp({ name: 'users', version: '1', authorization: { resource, servers } }));
    return app.get('/users', { tool: true, public: 'Everyone may call it.' }, () => []);
  },
  '/users',
);

mistake(
  '`mcp({ authorization })` without a check of tokens at its endpoint',
  { warning: 'so agents never learn that mcp() tells where to get a token' },
  async () => {
    const resource = 'https://api.example.com';
    const servers = ['https://login.example.com'];
    const app = createApp();
    await app.plugin(mcp({ name: 'users', version: '1', authorization: { resource, servers } }));
    return app.get('/users', { tool: true }, auth.middleware, () => []);
  },
  '/users',
);

mistake(
  '`requireScope()` before the guards of its route',
  { warning: 'Use @Scopes(), which is a guard' },
  () => {
    @Controller()
    class Tasks {
      @Post()
      @UseMiddleware(requireScope('tasks:write'))
      add() {
        return 1;
      }
    }
    return serveControllers([Tasks], { guards: [jwtGuard(auth)] });
  },
);

mistake(
  '`auth.middleware` as a guard',
  { startup: 'use jwtGuard(auth), or pass it as middleware' },
  () => {
    @Controller()
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users], { guards: [auth.middleware as never] });
  },
);

mistake(
  '`createTestApp()` with an application that an earlier test has closed',
  { startup: 'Create it inside the function' },
  async () => {
    const app = createApp().get('/', () => 1);
    await (await createTestApp({ app: () => app })).request('/');
    await app.close();
    return createTestApp({ app: () => app });
  },
);

mistake(
  'a transient with `Symbol.asyncDispose` in a controller',
  { warning: 'which nothing disposes' },
  () => {
    @Service({ scope: 'transient' })
    class Connection {
      async [Symbol.asyncDispose]() {}
    }
    @Controller()
    @Service({ scope: 'request' })
    class Rows {
      constructor(readonly connection: Connection) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Rows]);
  },
);

mistake(
  '`createApp({ format })` with `openapi()` without `errorSchema`',
  { warning: 'Describe it with the option errorSchema' },
  async () => {
    const app = createApp({ format: ({ detail }) => ({ message: detail }) });
    await app.plugin(openapi({ info: { title: 'Users', version: '1' }, docs: false }));
    return app.get('/', () => 1);
  },
);
