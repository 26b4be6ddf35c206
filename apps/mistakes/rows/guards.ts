import {
  type CanActivate,
  Controller,
  createRouteMetadata,
  Get,
  type GuardFn,
  Post,
  UseGuard,
  UseMiddleware,
} from '@fairlead/controllers';
import { type Context, createApp } from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { createJwtAuth } from '@fairlead/jwt';
import { jwtGuard, Public, Roles } from '@fairlead/jwt/controllers';
import { multipart } from '@fairlead/multipart';
import { rateLimitGuard } from '@fairlead/rate-limit';
import { serveStatic } from '@fairlead/static';
import { serveControllers } from '../src/applications.js';
import { area, post } from '../src/mistake.js';

const mistake = area('Guards');

/** Creates an application with one route behind a guard. */
function serveGuarded(guard: GuardFn) {
  @Controller()
  class Users {
    @Get()
    @UseGuard(guard)
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
}

const verify = async (ctx: Context) => (ctx.get('X-User') === 'Ada' ? { name: 'Ada' } : undefined);

mistake('`rateLimitGuard({ duration })` in milliseconds', { warning: 'pass duration: 60' }, () =>
  serveGuarded(rateLimitGuard({ points: 10, duration: 60_000 })),
);

mistake('a guard without `return`', { compiler: 'void', response: 'isAdmin' }, () =>
  serveGuarded(function isAdmin(ctx) {
    ctx.get('X-Role') === 'admin';
  }),
);

mistake('a guard that returns the user', { compiler: 'boolean', request: 'Return true' }, () =>
  serveGuarded(function isSignedIn() {
    return { name: 'Ada' };
  }),
);

mistake('a guard that returns 1', { compiler: 'boolean', request: 'Return true' }, () =>
  serveGuarded(function isSignedIn() {
    return 1;
  }),
);

mistake('a guard that returns a text', { compiler: 'boolean', request: 'Return true' }, () =>
  serveGuarded(function isSignedIn() {
    return 'true';
  }),
);

mistake(
  'a guard that returns an observable, as in NestJS',
  { compiler: 'boolean', request: 'Return true' },
  () =>
    serveGuarded(function isSignedIn() {
      return { subscribe: () => undefined };
    }),
);

mistake(
  '`@UseMiddleware(multipart())` before a guard that rejects the request',
  { never: 'Middleware runs before guards, so anyone can upload.' },
  () => {
    @Controller()
    class Photos {
      @Post()
      @UseMiddleware(multipart())
      @UseGuard(() => false)
      add() {
        return [];
      }
    }
    return serveControllers([Photos]);
  },
  post('/', {}),
);

mistake(
  'a guard that does not await a promise: `return !!verify(ctx)`',
  { never: 'The guard returns true.' },
  () =>
    serveGuarded(function isSignedIn(ctx) {
      return !!verify(ctx);
    }),
);

mistake(
  'a guard that does not await a promise: `if (verify(ctx)) return true`',
  { compiler: 'Promise', never: 'The guard returns true.' },
  () =>
    serveGuarded(function isSignedIn(ctx) {
      if (verify(ctx)) return true;
      return false;
    }),
);

mistake('a guard that throws a `TypeError`', { request: 'name' }, () =>
  serveGuarded(async function isSignedIn(ctx) {
    const user: { name: string } = JSON.parse(ctx.get('X-User') ?? 'null');
    return user.name === 'Ada';
  }),
);

mistake('a guard that throws a text', { request: 'denied' }, () =>
  serveGuarded(() => {
    throw 'denied';
  }),
);

mistake('a guard that never settles', { never: 'It may be waiting.' }, () =>
  serveGuarded(() => new Promise<boolean>(() => undefined)),
);

mistake(
  '`context.switchToHttp()`, as in NestJS',
  { compiler: "'switchToHttp'", request: 'switchToHttp' },
  () => serveGuarded((context) => context.switchToHttp().getRequest().user !== undefined),
);

mistake(
  'a guard that calls `ctx.next()` like middleware',
  { compiler: 'void', never: 'It returns nothing, which denies.' },
  () => serveGuarded((ctx) => ctx.next()),
);

mistake(
  'a guard with the parameters of Express middleware',
  { compiler: 'TS2345', request: 'next is not a function' },
  () => serveGuarded((_req: unknown, _res: unknown, next: () => boolean) => next()),
);

mistake('a guard as middleware: `app.use(isSignedIn)`', { request: 'next()' }, () => {
  const isSignedIn: GuardFn = () => true;
  return createApp()
    .use(isSignedIn)
    .get('/', () => 1);
});

mistake('a guard class that loses `this`', { request: 'allowed' }, () => {
  @Service()
  class AdminGuard {
    readonly allowed = true;
    canActivate() {
      return this.allowed;
    }
  }
  const { canActivate } = new AdminGuard();
  return serveGuarded(canActivate);
});

mistake(
  'a token of a guard for a request-scoped class without `canActivate()`',
  { startup: 'the class Visit has no method canActivate()' },
  () => {
    class Visit {}
    const container = createContainer();
    container.register('auth', { useClass: Visit }, { scope: 'request' });
    @Controller()
    @UseGuard('auth')
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users], { container });
  },
);

mistake(
  'a token of a guard with two providers',
  { warning: 'only the last of the 2 providers' },
  () => {
    const container = createContainer()
      .register('auth', { useValue: () => false }, { multi: true })
      .register('auth', { useValue: () => true }, { multi: true });
    @Controller()
    @UseGuard('auth')
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users], { container });
  },
);

mistake('a middleware as a guard', { compiler: 'TS2345', request: 'next is not a function' }, () =>
  serveGuarded((_ctx: Context, next: () => unknown) => next()),
);

const isAdmin: GuardFn = (ctx) => ctx.get('X-Role') === Role.get(ctx);
const Role = createRouteMetadata<string>('Role', { guard: isAdmin });

mistake(
  '`@Public()` without `jwtGuard()`',
  { warning: 'jwtGuard(auth) is not one of the guards' },
  () => {
    @Controller()
    class Users {
      @Get()
      @Public()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@Public()` on a subclass of a class with `@Roles()`',
  { startup: '@Public() opens what @Roles() of the base class Admins restricts' },
  () => {
    @Roles('admin')
    abstract class Admins {
      @Get()
      list() {
        return [];
      }
    }
    @Controller()
    @Public()
    class Users extends Admins {}
    return serveControllers([Users]);
  },
);

mistake(
  '`@Public()` and `@Roles()` on one method',
  { startup: '@Public() opens what @Roles() of the same method restricts' },
  () => {
    @Controller()
    class Users {
      @Get()
      @Public()
      @Roles('admin')
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@Roles()` without `jwtGuard()`', { warning: '@Roles() on Users.list reads what' }, () => {
  @Controller()
  class Users {
    @Get()
    @Roles('admin')
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@Roles()` above `jwtGuard()`', { warning: '@Roles() on Users.list reads what' }, () => {
  const auth = createJwtAuth({ secret: 'x'.repeat(32), issuer: 'a', audience: 'b' });
  @Controller()
  class Users {
    @Get()
    @Roles('admin')
    @UseGuard(jwtGuard(auth))
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  "`@Role('admin')` without the guard that reads the role",
  { startup: 'the guard isAdmin' },
  () => {
    @Controller()
    @Role('admin')
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

const auth = createJwtAuth({ issuer: 'i', audience: 'a', secret: '-'.repeat(32) });

mistake(
  "a route without a guard, with `access: 'declared'`",
  { startup: 'Nothing decides who may call GET /' },
  () => createApp({ access: 'declared' }).get('/', () => []),
);

mistake(
  "`serveStatic()` without a guard, with `access: 'declared'`",
  { startup: 'Nothing decides who may get what serveStatic() serves' },
  () => createApp({ access: 'declared' }).use(serveStatic('.')),
);

mistake(
  "`public` on a route behind `auth.middleware`, with `access: 'declared'`",
  { startup: 'but auth.middleware demands credentials' },
  () =>
    createApp({ access: 'declared' })
      .use(auth.middleware)
      .get('/', { public: 'Everyone may see it.' }, () => []),
);

mistake(
  '`public: true` without a reason',
  {
    compiler: "'boolean' is not assignable to type 'string'",
    startup: 'a text that says why everyone may call it',
  },
  () => createApp().get('/', { public: true }, () => []),
);

mistake("`@Public('')`", { startup: "@Public() cannot use ''" }, () => {
  @Controller()
  class News {
    @Get()
    @Public('')
    list() {
      return [];
    }
  }
  return serveControllers([News]);
});
