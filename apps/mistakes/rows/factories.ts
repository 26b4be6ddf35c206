import { connect } from '@fairlead/connect';
import {
  Controller,
  Get,
  type GuardFn,
  Post,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '@fairlead/controllers';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  json,
  type Middleware,
  notFoundHandler,
} from '@fairlead/core';
import { Roles } from '@fairlead/jwt/controllers';
import { cors, etag, requestId, requestLogger, secureHeaders, timeout } from '@fairlead/middleware';
import { multipart } from '@fairlead/multipart';
import { openTelemetry } from '@fairlead/opentelemetry';
import { rateLimit } from '@fairlead/rate-limit';
import { serveStatic } from '@fairlead/static';
import { serveControllers } from '../src/applications.js';
import { area, post } from '../src/mistake.js';

const mistake = area('Factories that were never called');

const greet = (): Middleware => (_ctx, next) => next();
const allow =
  (...roles: string[]): GuardFn =>
  (ctx) =>
    roles.includes(String(ctx.get('X-Role')));

const home = () => createApp();

mistake(
  '`app.use(json)`',
  { compiler: 'TS2769', startup: 'json()' },
  () =>
    home()
      .use(json)
      .post('/', (ctx) => ctx.body),
  post('/', { a: 1 }),
);
mistake('`app.use(etag)`', { startup: 'etag()' }, () =>
  home()
    .use(etag)
    .get('/', () => 1),
);
mistake(
  '`app.use(errorHandler)`',
  { compiler: 'ErrorHandlerOptions', startup: 'errorHandler()' },
  () =>
    home()
      .use(errorHandler)
      .get('/', () => 1),
);
mistake(
  '`app.use(notFoundHandler)`',
  { compiler: 'TS2769', startup: 'notFoundHandler()' },
  () =>
    home()
      .get('/', () => 1)
      .use(notFoundHandler),
  '/none',
);
mistake('`app.use(cors)`', { compiler: 'CorsOptions', startup: 'cors()' }, () =>
  home()
    .use(cors)
    .get('/', () => 1),
);
mistake('`app.use(requestId)`', { compiler: 'TS2769', startup: 'requestId()' }, () =>
  home()
    .use(requestId)
    .get('/', () => 1),
);
mistake('`app.use(requestLogger)`', { compiler: 'TS2769', startup: 'requestLogger()' }, () =>
  home()
    .use(requestLogger)
    .get('/', () => 1),
);
mistake('`app.use(secureHeaders)`', { compiler: 'TS2769', startup: 'secureHeaders()' }, () =>
  home()
    .use(secureHeaders)
    .get('/', () => 1),
);
mistake('`app.use(timeout)`', { compiler: 'TS2769', startup: 'timeout(' }, () =>
  home()
    .use(timeout)
    .get('/', () => 1),
);
mistake('`app.use(serveStatic)`', { compiler: 'TS2769', startup: 'serveStatic(' }, () =>
  home()
    .use(serveStatic)
    .get('/', () => 1),
);
mistake('`app.use(rateLimit)`', { compiler: 'TS2769', startup: 'rateLimit(' }, () =>
  home()
    .use(rateLimit)
    .get('/', () => 1),
);
mistake('`app.use(connect)`', { compiler: 'TS2769', startup: 'connect(' }, () =>
  home()
    .use(connect)
    .get('/', () => 1),
);
mistake('`app.use(openTelemetry)`', { compiler: 'TS2769', startup: 'openTelemetry(' }, () =>
  home()
    .use(openTelemetry)
    .get('/', () => 1),
);
mistake(
  '`router.use(json)`',
  { compiler: 'TS2769', startup: 'json()' },
  () =>
    home().route(
      '/',
      createRouter()
        .use(json)
        .post('/', (ctx) => ctx.body),
    ),
  post('/', { a: 1 }),
);
mistake(
  "`app.post('/', json, handler)`",
  { compiler: 'TS2769', startup: 'json()' },
  () => home().post('/', json, (ctx) => ctx.body),
  post('/', { a: 1 }),
);
mistake("`app.get('/', etag)`, as the handler", { startup: 'etag()' }, () => home().get('/', etag));

mistake("`app.use(Roles('admin'))`, a decorator", { startup: '@Roles()' }, () =>
  home()
    .use(Roles('admin'))
    .get('/', () => 1),
);
mistake(
  '`@UseGuard(Roles)`, a decorator',
  { compiler: 'TS2345', startup: "Roles('admin')" },
  () => {
    @Controller()
    @UseGuard(Roles)
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
  '`@UseGuard(cors())`, middleware as a guard',
  { compiler: 'TS2345', startup: 'pass it as middleware' },
  () => {
    @Controller()
    @UseGuard(cors())
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
  '`@UseMiddleware(multipart)`',
  { compiler: 'MultipartOptions', startup: 'multipart()' },
  () => {
    @Controller()
    class Files {
      @Post()
      @UseMiddleware(multipart)
      add() {
        return 1;
      }
    }
    return serveControllers([Files]);
  },
  post('/', {}),
);

mistake('`@UseMiddleware(greet)`, a factory of the application', { request: 'greet' }, () => {
  @Controller()
  class Users {
    @Get()
    @UseMiddleware(greet)
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseGuard(allow)`, a guard factory', { compiler: 'TS2345', request: 'call it' }, () => {
  @Controller()
  class Users {
    @Get()
    @UseGuard(allow)
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseInterceptor(envelope)`, an interceptor factory', { request: 'Call it' }, () => {
  const envelope = () => async (_ctx: Context, next: () => unknown) => ({ data: await next() });
  @Controller()
  class Users {
    @Get()
    @UseInterceptor(envelope)
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`controllersPlugin({ middleware: [json] })`',
  { compiler: 'TS2322', startup: 'json()' },
  () => {
    @Controller()
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users], { middleware: [json] });
  },
);

mistake('`app.use(greet)`, a factory of the application', { request: 'greet()' }, () =>
  home()
    .use(greet)
    .get('/', () => 1),
);

mistake(
  '`app.use(createGreet())` of an asynchronous factory',
  { compiler: 'provides no match for the signature', startup: /[Aa]wait/ },
  () => {
    const createGreet = async () => greet();
    return home()
      .use(createGreet())
      .get('/', () => 1);
  },
);

mistake('`connect(helmet)`, a factory of an Express middleware', { startup: 'helmet()' }, () => {
  const helmet = (_options?: object) => (_req: unknown, _res: unknown, next: () => void) => next();
  return home()
    .use(connect(helmet))
    .get('/', () => 1);
});

mistake('`connect(morgan)`, a factory with two parameters', { startup: 'morgan()' }, () => {
  const morgan = (_format?: string, _options?: object) => (_req: unknown, res: { end(): void }) =>
    res.end();
  return home()
    .use(connect(morgan))
    .get('/', () => 1);
});

mistake('`connect()` with middleware that calls `res.cookie()`', { request: 'express()' }, () =>
  home()
    .use(connect((_req: never, res: { cookie(name: string): void }) => res.cookie('a')))
    .get('/', () => 1),
);

mistake('`connect(express.Router())`', { warning: 'express()' }, () => {
  const router = (_req: unknown, _res: unknown, next: () => void) => next();
  return home()
    .use(connect(Object.assign(router, { route: router, param: router })))
    .get('/', () => 1);
});

mistake(
  '`createApp` without a call: `createApp.get(…)`',
  { compiler: "'get'", startup: 'createApp.get is not a function' },
  () => createApp.get('/', () => 1),
);
