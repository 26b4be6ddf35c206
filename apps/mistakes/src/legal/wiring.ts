import { Body, Controller, Get, Param, Post, UseGuard, UseMiddleware } from '@fairlead/controllers';
import {
  createApp,
  type Middleware,
  notFoundHandler,
  UnauthorizedError,
  urlencoded,
} from '@fairlead/core';
import { createContainer, Inject, Service } from '@fairlead/di';
import { createJwtAuth } from '@fairlead/jwt';
import { jwtGuard, Public } from '@fairlead/jwt/controllers';
import { cors, createHealth, csrf, secureHeaders } from '@fairlead/middleware';
import { multipart } from '@fairlead/multipart';
import { secured } from '@fairlead/openapi';
import { rateLimit, rateLimitGuard } from '@fairlead/rate-limit';
import { session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { z } from 'zod';
import { serveControllers } from '../applications.js';
import { post } from '../mistake.js';
import { legal, silence, warned } from './program.js';

const keys = ['a secret of at least thirty-two bytes'];
const auth = createJwtAuth({
  issuer: 'https://login.example.com/',
  audience: 'https://api.example.com',
  secret: 'a secret of at least thirty-two bytes',
});
const page = 'https://app.example.com';
const limit = { points: 10, duration: 60 };

warned(
  'every origin with credentials and the cookie of a widget',
  'every site act for your users',
  '200 1',
  (isSilenced) =>
    createApp()
      .use(silence(isSilenced, cors({ origin: true, credentials: true })))
      .use(session({ keys, sameSite: 'none' }))
      .get('/', () => 1),
);

legal('every origin with credentials, and a cookie of the same site', '200 1', () =>
  createApp()
    .use(cors({ origin: true, credentials: true }), session({ keys }))
    .get('/', () => 1),
);

legal("listed origins with credentials and `sameSite: 'none'`", '200 1', () =>
  createApp()
    .use(cors({ origin: [page, /^https:\/\/[\w-]+\.example\.com$/], credentials: true }))
    .use(session({ keys, sameSite: 'none' }))
    .get('/', () => 1),
);

legal(
  'uploads that middleware without a description has checked, before a guard',
  '401',
  () => {
    const signedIn: Middleware = (ctx, next) => {
      if (ctx.get('Authorization') === undefined) throw new UnauthorizedError('Sign in first.');
      return next();
    };
    @Controller()
    class Photos {
      @Post()
      @UseMiddleware(signedIn, multipart())
      add(@Body() form: unknown) {
        return form;
      }
    }
    return serveControllers([Photos], { guards: [jwtGuard(auth)] });
  },
  post('/', {}),
);

legal(
  'uploads without authentication in an application with a guard',
  '200 null',
  () => {
    @Controller()
    class Photos {
      @Post()
      @Public()
      @UseMiddleware(multipart())
      add() {
        return null;
      }
    }
    return serveControllers([Photos], { guards: [jwtGuard(auth)] });
  },
  ['/', { method: 'POST' }],
);

warned(
  'uploads of anyone, whose user is checked later',
  'reads uploads before auth.middleware checks who sends them',
  '401',
  (isSilenced) => createApp().post('/', silence(isSilenced, multipart()), auth.middleware, () => 1),
  ['/', { method: 'POST' }],
);

legal('pages of other origins that only read, with `csrf()`', '200 1', () =>
  createApp()
    .use(cors({ origin: [page], methods: ['GET'] }), csrf())
    .get('/', () => 1),
);

legal(
  '`csrf()` that skips the routes for pages of other origins',
  '200 1',
  () =>
    createApp()
      .use(cors({ origin: [page] }), csrf({ skip: ({ path }) => path === '/' }))
      .post('/', () => 1),
  ['/', { method: 'POST', headers: { Origin: page } }],
);

warned(
  'a route that only pages of this origin call, after `cors()` and `csrf()`',
  `rejects requests from pages of ${page}`,
  '200 1',
  (isSilenced) =>
    createApp()
      .use(cors({ origin: [page] }), silence(isSilenced, csrf()))
      .post('/', () => 1),
  ['/', { method: 'POST' }],
);

legal('`cors({ allowedHeaders })` with one of two ways to authenticate', '200 1', () => {
  const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } as const;
  const cookie = { name: 'sid', scheme: { type: 'apiKey', in: 'cookie', name: 'sid' } } as const;
  const guard = secured(() => true, { anyOf: [key, cookie] });
  @Controller()
  @UseGuard(guard)
  class Users {
    @Get()
    @UseMiddleware(cors({ allowedHeaders: 'Content-Type' }))
    list() {
      return 1;
    }
  }
  return serveControllers([Users]);
});

warned(
  'a route with a JSON body that only pages of this origin call',
  'Add Content-Type to allowedHeaders',
  '200 {"name":"Ada"}',
  (isSilenced) =>
    createApp()
      .use(silence(isSilenced, cors({ allowedHeaders: ['X-Request-Id'] })))
      .post('/', { body: z.object({ name: z.string() }) }, ({ body }) => body),
  post('/', { name: 'Ada' }),
);

legal(
  'a form of another origin, which needs no header',
  '200 {"name":"Ada"}',
  () =>
    createApp()
      .use(cors({ allowedHeaders: ['X-Request-Id'] }))
      .post('/', { body: z.object({ name: z.string() }) }, urlencoded(), ({ body }) => body),
  ['/', { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) }],
);

warned(
  'health behind authentication, for a dashboard',
  'Probes without credentials cannot pass auth.middleware',
  '401',
  (isSilenced) => createApp().use(auth.middleware).route('/', silence(isSilenced, createHealth())),
  '/health/live',
);

legal(
  'health behind authentication that some requests pass without it',
  '200',
  () => {
    const scheme = { type: 'http', scheme: 'bearer' } as const;
    const optional = secured((_ctx: unknown, next: () => unknown) => next(), {
      anyOf: [{ name: 'bearer', scheme }, []] as never,
    });
    return createApp().use(optional).route('/', createHealth());
  },
  '/health/live',
);

legal(
  'a limit that skips the health routes',
  '200',
  () =>
    createApp({ proxy: 0 })
      .use(rateLimit({ ...limit, skip: ({ path }) => path.startsWith('/health') }))
      .route('/', createHealth()),
  '/health/live',
);

legal('limits of different names, of the plugin and of a guard', '200 1', () => {
  @Controller()
  class SignIn {
    @Get()
    @UseGuard(rateLimitGuard({ ...limit, name: 'sign-in' }))
    signIn() {
      return 1;
    }
  }
  return serveControllers([SignIn], { middleware: [rateLimit(limit)] });
});

legal('a page without scripts, with the default policy', '404', () =>
  createApp().use(secureHeaders(), serveStatic(import.meta.dirname, { fallback: 'wiring.ts' })),
);

legal(
  'uploads before a class of guards that declares its security',
  '403',
  () => {
    @Service()
    class HasKey {
      canActivate() {
        return false;
      }
    }
    secured(HasKey, { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } });
    @Controller()
    @UseGuard(HasKey)
    class Photos {
      @Post()
      @UseMiddleware(multipart())
      add() {
        return null;
      }
    }
    return serveControllers([Photos]);
  },
  ['/', { method: 'POST' }],
);

legal('a page whose option headers sets its policy and its time in caches', '404', () =>
  createApp().use(
    secureHeaders(),
    serveStatic(import.meta.dirname, {
      fallback: 'wiring.ts',
      cacheControl: 'public, max-age=31536000, immutable',
      headers: () => ({ 'Cache-Control': 'no-cache' }),
    }),
  ),
);

legal('`notFound` beside `notFoundHandler()` for a prefix', '404 "none"', () =>
  createApp({ notFound: () => 'none' })
    .get('/api/users', () => [])
    .use('/api', notFoundHandler()),
);

legal('a service for the type of an abstract class that it implements', '200 "ada"', () => {
  abstract class Directory {
    abstract find(): string;
  }
  @Service()
  class Users implements Directory {
    find() {
      return 'ada';
    }
  }
  @Controller()
  class Pages {
    constructor(@Inject(Users) readonly users: Directory) {}
    @Get()
    read() {
      return this.users.find();
    }
  }
  return serveControllers([Pages], { container: createContainer().register(Users) });
});

legal('a default of a path parameter that one of two paths lacks', '200 "2026"', () => {
  @Controller()
  class Reports {
    @Get()
    @Get('/:year')
    read(@Param('year', { default: '2026' }) year: string) {
      return year;
    }
  }
  return serveControllers([Reports]);
});
