import {
  type CanActivate,
  type ClassInterceptor,
  type ClassMiddleware,
  Controller,
  controllersPlugin,
  defineController,
  Get,
  HttpCode,
  Put,
  Query,
  SetHeader,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '@fairlead/controllers';
import {
  type AnyContext,
  content,
  createApp,
  createRouter,
  json,
  type Next,
  text,
  urlencoded,
} from '@fairlead/core';
import { createContainer, Inject, Optional } from '@fairlead/di';
import { createJwtAuth } from '@fairlead/jwt';
import { multipart } from '@fairlead/multipart';
import { openapi } from '@fairlead/openapi';
import { rateLimit } from '@fairlead/rate-limit';
import { session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { z } from 'zod';
import { serveControllers, serveRouter } from '../applications.js';
import { post } from '../mistake.js';
import { legal, silence, warned } from './program.js';

const User = z.object({ id: z.string() });
const info = { title: 'API', version: '1' };
const keys = ['a secret of at least thirty-two bytes'];

abstract class Auth implements CanActivate {
  abstract canActivate(): boolean;
}

abstract class Trace implements ClassMiddleware {
  abstract use(ctx: AnyContext, next: Next): unknown;
}

abstract class Wrap implements ClassInterceptor {
  abstract intercept(ctx: AnyContext, next: () => unknown): unknown;
}

/** A container with implementations of the abstract classes. */
function provide() {
  class Passing extends Trace {
    override use(_ctx: AnyContext, next: Next): unknown {
      return next();
    }
  }
  class Listing extends Wrap {
    override intercept(_ctx: AnyContext, next: () => unknown): unknown {
      return [next()];
    }
  }
  return createContainer()
    .register(Auth, { useFactory: () => ({ canActivate: () => true }) })
    .register(Trace, { useClass: Passing })
    .register(Wrap, { useClass: Listing });
}

legal('abstract classes as the guard, middleware and interceptor of a class', '200 [1]', () => {
  @Controller()
  @UseGuard(Auth)
  @UseMiddleware(Trace)
  @UseInterceptor(Wrap)
  class Users {
    @Get()
    list(): number {
      return 1;
    }
  }
  return serveControllers([Users], { container: provide() });
});

legal('abstract classes as the guard, middleware and interceptor of a value', '200 [1]', () =>
  serveControllers(
    [
      defineController('', {
        guards: [Auth],
        middleware: [Trace],
        interceptors: [Wrap],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ],
    { container: provide() },
  ),
);

warned(
  'a route with the status 204 that sometimes creates, and responds with 201',
  'Responses with the status 204 have no body',
  '201 {"id":"1"}',
  (isSilenced) =>
    createApp().put(
      '/',
      { status: 204, response: User },
      silence(isSilenced, (ctx) => {
        ctx.status = 201;
        return { id: '1' };
      }),
    ),
  ['/', { method: 'PUT' }],
);

legal(
  'the statuses 204 and 201 of one route, each described',
  '204 ',
  () => {
    @Controller()
    class Users {
      @Put('/', { response: { 201: User, 204: content(null) } })
      @HttpCode(204)
      save() {}
    }
    return serveControllers([Users]);
  },
  ['/', { method: 'PUT' }],
);

legal(
  'a schema that parses the text of a body',
  '200 {"id":"1"}',
  () =>
    createApp().post(
      '/',
      { body: z.string().transform((value): unknown => JSON.parse(value)) },
      text(),
      ({ body }) => body,
    ),
  ['/', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{"id":"1"}' }],
);

legal(
  'a list of objects in a body that is a form or JSON',
  '200 {"lines":[{"id":"1"}]}',
  () =>
    createApp().post(
      '/',
      { body: z.object({ lines: z.array(User) }) },
      urlencoded(),
      json(),
      ({ body }) => body,
    ),
  post('/', { lines: [{ id: '1' }] }),
);

legal('defaults that their schemas convert', '200 [1,2,"id"]', () => {
  @Controller()
  class Users {
    @Get()
    list(
      @Query('page', { default: 1, schema: z.coerce.number() }) page: number,
      @Query('size', { default: '2', schema: z.string().transform(Number) }) size: number,
      @Query('order', { default: 'id', schema: z.enum(['id', 'name']) }) order: string,
    ) {
      return [page, size, order];
    }
  }
  return serveControllers([Users]);
});

legal(
  'all values of a query parameter, converted from a list',
  '200 [1,2]',
  () => {
    @Controller()
    class Users {
      @Get()
      list(
        @Query('ids', { all: true, schema: z.array(z.coerce.number()).or(z.number()) })
        ids: number | number[],
      ) {
        return ids;
      }
    }
    return serveControllers([Users]);
  },
  '/?ids=1&ids=2',
);

legal('a header with a type of JSON, and a schema', '200 {"id":"1"}', () => {
  @Controller()
  class Users {
    @Get('/', { response: User })
    @SetHeader('Content-Type', 'application/hal+json')
    find() {
      return { id: '1' };
    }
  }
  return serveControllers([Users]);
});

warned('two limits of the same name on one route', 'has the same name', '200 1', (isSilenced) => {
  const limit = () => rateLimit({ points: 5, duration: 60 });
  return createApp()
    .use(limit())
    .get('/', silence(isSilenced, limit()), () => 1);
});

legal('two limits with names on one route', '200 1', () =>
  createApp()
    .use(rateLimit({ points: 100, duration: 60 }))
    .get('/', rateLimit({ points: 5, duration: 60, name: 'sign-in' }), () => 1),
);

legal('two sessions with different cookies', '200 1', () =>
  createApp()
    .use(session({ keys }), session({ keys, name: 'admin' }))
    .get('/', () => 1),
);

legal('strict claims that list what every token has', '401', () => {
  const claims = z.strictObject({
    iss: z.string(),
    aud: z.string().or(z.array(z.string())),
    exp: z.coerce.date(),
    sub: z.string(),
  });
  const auth = createJwtAuth({ issuer: 'a', audience: 'b', secret: keys[0] ?? '', claims });
  return createApp()
    .use(auth.middleware)
    .get('/', () => 1);
});

legal(
  'a required JSON part, without files',
  '400',
  () =>
    createApp().post(
      '/',
      multipart({
        limits: { files: 0 },
        rules: {
          user: { kind: 'field', json: true, mediaTypes: ['application/json'], required: true },
        },
      }),
      () => 1,
    ),
  ['/', { method: 'POST' }],
);

legal(
  'files of a router, some of whose routes have a file',
  '200',
  () =>
    createApp().route(
      '/',
      createRouter()
        .use(serveStatic('src'))
        .get('/mistake.ts', () => 1)
        .get('/none', () => 2),
    ),
  '/mistake.ts',
);

legal(
  'files below a prefix, for a wildcard above it',
  '200',
  () => createApp().get('/*path', serveStatic('src', { prefix: '/files' })),
  '/files/mistake.ts',
);

warned(
  'a document that excludes what does not exist yet',
  'The option exclude',
  '200 1',
  async (isSilenced) => {
    const app = createApp().get('/', () => 1);
    await app.plugin(openapi({ info, docs: false, exclude: silence(isSilenced, ['/internal']) }));
    return app;
  },
);

legal('a document that describes a tag which no route has yet', '200 1', async () => {
  const app = createApp().get('/', { tags: ['users'] }, () => 1);
  await app.plugin(openapi({ info, docs: false, tags: [{ name: 'billing' }, { name: 'users' }] }));
  return app;
});

legal('an optional dependency whose value is undefined', '200 "none"', () => {
  @Controller()
  class Users {
    constructor(@Optional() @Inject('url') readonly url?: string) {}

    @Get()
    list() {
      return this.url ?? 'none';
    }
  }
  const container = createContainer().register('url', { useValue: undefined });
  return serveControllers([Users], { container });
});

legal('one container of two plugins', '200 1', async () => {
  @Controller()
  class Users {
    @Get()
    list() {
      return 1;
    }
  }
  const container = createContainer();
  const app = createApp();
  for (const prefix of ['/', '/other']) {
    const router = createRouter();
    await app.plugin(controllersPlugin({ router, container, controllers: [Users] }));
    app.route(prefix, router);
  }
  return app;
});

warned(
  'one container of two applications that close together',
  'two applications dispose the same container',
  '200 1',
  async (isSilenced) => {
    @Controller()
    class Users {
      @Get()
      list() {
        return 1;
      }
    }
    const container = createContainer();
    const create = () =>
      serveRouter((router) =>
        controllersPlugin(silence(isSilenced, { router, container, controllers: [Users] })),
      );
    await create();
    return create();
  },
);
