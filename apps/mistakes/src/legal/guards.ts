import {
  type CanActivate,
  Controller,
  controllersPlugin,
  createRouteMetadata,
  defineController,
  Get,
  type GuardContext,
  type GuardFn,
  registerController,
  SkipInheritedGuards,
  UseGuard,
} from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, type Middleware } from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
import { type Constructor, createContainer, Inject, Service, token } from '@fairlead/di';
import { createJwtAuth, requireRole } from '@fairlead/jwt';
import { jwtGuard, Public, Roles, Scopes } from '@fairlead/jwt/controllers';
import { secured } from '@fairlead/openapi';
import { rateLimitGuard } from '@fairlead/rate-limit';
import { createTestApp } from '@fairlead/testing';
import { serveControllers } from '../applications.js';
import { legal, silence, warned } from './program.js';

const auth = createJwtAuth({
  issuer: 'https://login.example.com/',
  audience: 'https://api.example.com',
  secret: 'a secret of at least thirty-two bytes',
});

@Controller()
class Pages {
  @Get()
  @Public()
  home() {
    return 'home';
  }

  @Get('/account')
  account() {
    return 'account';
  }
}

const allow: GuardFn = () => true;

const MAY_HAVE_NO_EFFECT = '@Public() may have no effect on Pages.home';

/** A guard that calls another one. */
function createTokenOrKey() {
  const inner = jwtGuard(auth);
  return async function tokenOrKey(ctx: GuardContext) {
    if (ctx.get('X-Key') === 'secret') return true;
    return inner(ctx);
  };
}

warned(
  'a guard of your own that calls jwtGuard(auth), beside @Public()',
  MAY_HAVE_NO_EFFECT,
  '200 "home"',
  (isSilenced) => serveControllers([Pages], { guards: [silence(isSilenced, createTokenOrKey())] }),
);

legal('@Public() without guards, as in development', '200 "home"', () =>
  serveControllers([Pages], { guards: [] }),
);

warned(
  'the routes without @Public() behind such a guard',
  MAY_HAVE_NO_EFFECT,
  '401',
  (isSilenced) => serveControllers([Pages], { guards: [silence(isSilenced, createTokenOrKey())] }),
  '/account',
);

/** Each call returns another class. */
function createGuardClass(): Constructor<CanActivate> {
  @Service()
  class TokenGuard implements CanActivate {
    protected readonly inner = jwtGuard(auth);
    canActivate(ctx: GuardContext) {
      return this.inner(ctx);
    }
  }
  return TokenGuard;
}

function createSubclass(base: Constructor<CanActivate>): Constructor<CanActivate> {
  @Service()
  class LoggedTokenGuard extends (base as new () => CanActivate) {
    override async canActivate(ctx: GuardContext) {
      return super.canActivate(ctx);
    }
  }
  return LoggedTokenGuard;
}

warned(
  'a class that calls jwtGuard(auth), beside @Public()',
  MAY_HAVE_NO_EFFECT,
  '200 "home"',
  (isSilenced) => serveControllers([Pages], { guards: [silence(isSilenced, createGuardClass())] }),
);

warned(
  'a subclass of such a class, beside @Public()',
  MAY_HAVE_NO_EFFECT,
  '401',
  (isSilenced) =>
    serveControllers([Pages], {
      guards: [silence(isSilenced, createSubclass(createGuardClass()))],
    }),
  '/account',
);

legal('requireRole() after a function that verifies tokens', '401', () =>
  createApp()
    .use(errorHandler(), async (ctx, next) => {
      await auth.verify(ctx);
      return next();
    })
    .get('/', requireRole('admin'), () => 'home'),
);

warned(
  'requireRole() after middleware of another package that verifies tokens',
  'nothing before it provides that in: GET /.',
  '401',
  (isSilenced) => {
    const verify: Middleware = async (ctx, next) => {
      await auth.verify(ctx);
      return next();
    };
    return createApp()
      .use(errorHandler(), describe(verify, { role: 'middleware' }))
      .get('/', silence(isSilenced, requireRole('admin')), () => 'home');
  },
);

legal('jwtGuard(auth) behind a token, beside @Public()', '200 "home"', () => {
  const SignedIn = token<GuardFn>('SignedIn');
  const container = createContainer().register(SignedIn, { useValue: jwtGuard(auth) });
  return serveControllers([Pages], { guards: [SignedIn], container });
});

legal(
  'jwtGuard(auth) behind a token of another token',
  '401',
  () => {
    const container = createContainer()
      .register('jwt', { useValue: jwtGuard(auth) })
      .register('signed-in', { useExisting: 'jwt' });
    return serveControllers([Pages], { guards: ['signed-in'], container });
  },
  '/account',
);

warned(
  'a class that calls jwtGuard(auth) behind a text, beside @Public()',
  MAY_HAVE_NO_EFFECT,
  '401',
  (isSilenced) => {
    const guard = silence(isSilenced, createGuardClass());
    const container = createContainer().register(guard).register('own', { useExisting: guard });
    return serveControllers([Pages], { guards: ['own'], container });
  },
  '/account',
);

const SignedInGuard = createGuardClass();
const OPEN = createRouteMetadata<boolean>('Open', {
  guard: SignedInGuard,
  exempts: (open) => open,
});

@Controller()
class OpenPages {
  @Get()
  @OPEN(true)
  home() {
    return 'home';
  }
}

legal('a subclass of the guard that route metadata names', '401', () =>
  serveControllers([OpenPages], { guards: [createSubclass(SignedInGuard)] }),
);

legal('the guard that route metadata names behind useExisting', '401', () => {
  const container = createContainer().register('signed-in', { useExisting: SignedInGuard });
  return serveControllers([OpenPages], { guards: ['signed-in'], container });
});

legal('a unit test of one controller without the guard of the plugin', '200 "home"', () =>
  createTestApp({ controllers: [Pages] }),
);

legal(
  'a unit test of a controller whose metadata restricts it, without the guard',
  '200 "in"',
  () => {
    const isAdmin: GuardFn = () => false;
    const Admin = createRouteMetadata<boolean>('Admin', { guard: isAdmin });
    @Controller()
    @Admin(true)
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    return createTestApp({ controllers: [Inside] });
  },
);

legal('a guard with an arrow function property', '200 "in"', () => {
  @Service()
  class Always implements CanActivate {
    readonly canActivate = () => true;
  }
  @Controller()
  @UseGuard(Always)
  class Inside {
    @Get()
    read() {
      return 'in';
    }
  }
  return serveControllers([Inside]);
});

abstract class RoleGuard implements CanActivate {
  protected abstract readonly role: string;
  canActivate(ctx: GuardContext) {
    return ctx.get('X-Role') === this.role;
  }
}

@Service()
class AdminGuard extends RoleGuard {
  protected readonly role = 'admin';
}

legal('a subclass of an abstract guard', '403', () => {
  @Controller()
  @UseGuard(AdminGuard)
  class Inside {
    @Get()
    read() {
      return 'in';
    }
  }
  return serveControllers([Inside]);
});

legal(
  'an abstract guard as the token of its implementation',
  '200 "in"',
  () => {
    @Controller()
    @UseGuard(RoleGuard as unknown as Constructor<CanActivate>)
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    const container = createContainer().register(RoleGuard, { useClass: AdminGuard });
    return serveControllers([Inside], { container });
  },
  ['/', { headers: { 'X-Role': 'admin' } }],
);

legal(
  'a mixin of guards',
  '200 "in"',
  () => {
    const HasHeader = (name: string): Constructor<CanActivate> => {
      @Service()
      class HeaderGuard implements CanActivate {
        canActivate(ctx: GuardContext) {
          return ctx.get(name) !== undefined;
        }
      }
      return HeaderGuard;
    };
    @Controller()
    @UseGuard(HasHeader('X-A'), HasHeader('X-B'))
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    return serveControllers([Inside]);
  },
  ['/', { headers: { 'X-A': '1', 'X-B': '1' } }],
);

legal(
  'guards with a symbol, a text and a typed token',
  '200 "in"',
  () => {
    const key = Symbol('key');
    const typed = token<GuardFn>('typed');
    @Controller()
    @UseGuard(key, 'text', typed)
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    const container = createContainer()
      .register(key, { useValue: allow })
      .register('text', { useClass: AdminGuard })
      .register(typed, { useFactory: () => allow });
    return serveControllers([Inside], { container });
  },
  ['/', { headers: { 'X-Role': 'admin' } }],
);

legal(
  'a guard with an optional second parameter',
  '200 "in"',
  () => {
    const isRole = (ctx: GuardContext, role?: string) => ctx.get('X-Role') === (role ?? 'admin');
    @Controller()
    @UseGuard(isRole)
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    return serveControllers([Inside]);
  },
  ['/', { headers: { 'X-Role': 'admin' } }],
);

legal(
  'a guard that is bound, and a guard that is a proxy',
  '200 "in"',
  () => {
    const roles = {
      name: 'admin',
      has(ctx: GuardContext) {
        return ctx.get('X-Role') === this.name;
      },
    };
    @Controller()
    @UseGuard(roles.has.bind(roles), new Proxy(allow, {}))
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    return serveControllers([Inside]);
  },
  ['/', { headers: { 'X-Role': 'admin' } }],
);

legal(
  'a guard whose name begins with a capital letter',
  '200 "in"',
  () => {
    function SignedIn(ctx: GuardContext) {
      return ctx.get('X-User') !== undefined;
    }
    @Controller()
    @UseGuard(SignedIn)
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    return serveControllers([Inside]);
  },
  ['/', { headers: { 'X-User': 'ada' } }],
);

legal('one guard on the plugin, the class and the method', '200 3', () => {
  let calls = 0;
  const count: GuardFn = () => {
    calls += 1;
    return true;
  };
  @Controller()
  @UseGuard(count)
  class Inside {
    @Get()
    @UseGuard(count)
    read() {
      return calls;
    }
  }
  return serveControllers([Inside], { guards: [count] });
});

legal('a guard that is chosen by a condition', '200 "in"', () => {
  const isStrict = process.argv.length > 1_000;
  const guards = [...(isStrict ? [AdminGuard] : []), allow];
  @Controller()
  class Inside {
    @Get()
    read() {
      return 'in';
    }
  }
  return serveControllers([Inside], { guards });
});

warned('a guard that limits for most of a day', '60000 seconds', '200 "in"', (isSilenced) => {
  @Controller()
  @UseGuard(silence(isSilenced, rateLimitGuard({ points: 10, duration: 60_000 })))
  class Inside {
    @Get()
    read() {
      return 'in';
    }
  }
  return serveControllers([Inside]);
});

legal('two guards that limit, on a class and on a method', '200 "in"', () => {
  @Controller()
  @UseGuard(rateLimitGuard({ points: 10, duration: 60, name: 'class' }))
  class Inside {
    @Get()
    @UseGuard(rateLimitGuard({ points: 2, duration: 60, name: 'method' }))
    read() {
      return 'in';
    }
  }
  return serveControllers([Inside]);
});

legal(
  'a guard that is marked as secured twice',
  '200 "in"',
  () => {
    const key: GuardFn = secured(
      secured((ctx: GuardContext) => ctx.get('X-Key') === '1', {
        name: 'key',
        scheme: { type: 'apiKey', in: 'header', name: 'X-Key' },
      }),
      { name: 'tenant', scheme: { type: 'apiKey', in: 'header', name: 'X-Tenant' } },
    );
    @Controller()
    @UseGuard(key)
    class Inside {
      @Get()
      read() {
        return 'in';
      }
    }
    return serveControllers([Inside]);
  },
  ['/', { headers: { 'X-Key': '1' } }],
);

abstract class Documents {
  @Get('/published')
  @Public()
  published(): string {
    return 'published';
  }
}

legal(
  'an override that drops the guards of the method that it overrides',
  '200 "open"',
  () => {
    abstract class Drafts {
      @Get('/draft')
      @UseGuard(AdminGuard)
      draft(): string {
        return 'draft';
      }
    }
    @Controller()
    class Letters extends Drafts {
      @SkipInheritedGuards()
      override draft() {
        return 'open';
      }
    }
    return serveControllers([Letters]);
  },
  '/draft',
);

legal(
  'an inherited method that keeps its own @Public()',
  '200 "published"',
  () => {
    @Controller()
    class Letters extends Documents {}
    return serveControllers([Letters], { guards: [jwtGuard(auth)] });
  },
  '/published',
);

legal(
  'an override of a @Public() method, which is not public',
  '401',
  () => {
    @Controller()
    class Letters extends Documents {
      override published() {
        return 'overridden';
      }
    }
    return serveControllers([Letters], { guards: [jwtGuard(auth)] });
  },
  '/published',
);

legal(
  'an override of a @Public() method that repeats it',
  '200 "overridden"',
  () => {
    @Controller()
    class Letters extends Documents {
      @Public()
      override published() {
        return 'overridden';
      }
    }
    return serveControllers([Letters], { guards: [jwtGuard(auth)] });
  },
  '/published',
);

legal(
  'methods of a subclass of a @Public() class, which are not public',
  '401',
  () => {
    @Public()
    abstract class Site {}
    @Controller()
    class Admin extends Site {
      @Get('/admin')
      read() {
        return 'admin';
      }
    }
    return serveControllers([Admin], { guards: [jwtGuard(auth)] });
  },
  '/admin',
);

legal(
  'a @Public() method of a class with @Roles()',
  '200 "about"',
  () => {
    @Controller()
    @Roles('admin')
    class Admin {
      @Get('/admin')
      read() {
        return 'admin';
      }
      @Get('/about')
      @Public()
      about() {
        return 'about';
      }
    }
    return serveControllers([Admin], { guards: [jwtGuard(auth)] });
  },
  '/about',
);

legal(
  'a method with @Scopes() of a @Public() class',
  '401',
  () => {
    @Controller()
    @Public()
    class Site {
      @Get()
      home() {
        return 'home';
      }
      @Get('/edit')
      @Scopes('site:write')
      edit() {
        return 'edit';
      }
    }
    return serveControllers([Site], { guards: [jwtGuard(auth)] });
  },
  '/edit',
);

legal(
  'guards of two issuers in two plugins',
  '401',
  async () => {
    const other = createJwtAuth({
      issuer: 'https://partner.example.com/',
      audience: 'https://api.example.com',
      secret: 'another secret of thirty-two bytes or more',
    });
    const app = createApp().use(errorHandler());
    for (const [prefix, guard] of [
      ['/own', jwtGuard(auth)],
      ['/partner', jwtGuard(other)],
    ] as const) {
      const router = createRouter();
      const container = createContainer();
      await app.plugin(
        controllersPlugin({ router, container, controllers: [Pages], prefix, guards: [guard] }),
      );
      app.route('/', router);
    }
    return app;
  },
  '/partner/account',
);

legal('jwtGuard() on classes instead of the plugin', '200 "home"', () => {
  @Controller()
  @UseGuard(jwtGuard(auth))
  class Site {
    @Get()
    @Public()
    home() {
      return 'home';
    }
  }
  return serveControllers([Site]);
});

legal('a controller that is registered alone behind a class as guard', '403', () => {
  @Controller()
  class Inside {
    @Get()
    read() {
      return 'in';
    }
  }
  const router = createRouter();
  registerController(router, Inside, { container: createContainer(), guards: [AdminGuard] });
  return createApp().use(errorHandler()).route('/', router);
});

legal('a guard with dependencies that are registered later', '200 "in"', () => {
  const Allowed = token<ReadonlySet<string>>('Allowed');
  @Service()
  class Listed implements CanActivate {
    constructor(@Inject(Allowed) readonly allowed: ReadonlySet<string>) {}
    canActivate(ctx: GuardContext) {
      return this.allowed.has(ctx.ip);
    }
  }
  @Controller()
  @UseGuard(Listed)
  class Inside {
    @Get()
    read() {
      return 'in';
    }
  }
  const container = createContainer();
  container.register(Allowed, { useFactory: async () => new Set(['127.0.0.1']) });
  return serveControllers([Inside], { container });
});

legal('@Public() on a method of a base class that restricts the others', '200 "open"', () => {
  @UseGuard(jwtGuard(auth))
  @Scopes('reports:write')
  abstract class Reports {
    @Get()
    @Public()
    open() {
      return 'open';
    }

    @Get('/closed')
    closed() {
      return 'closed';
    }
  }
  @Controller()
  class Sales extends Reports {}
  return serveControllers([Sales]);
});

legal('@Public() on an override that drops inherited guards', '200 "open"', () => {
  abstract class Reports {
    @Get()
    @Scopes('reports:write')
    list() {
      return 'closed';
    }
  }
  @Controller()
  class Sales extends Reports {
    @Public()
    @SkipInheritedGuards()
    override list() {
      return 'open';
    }
  }
  return serveControllers([Sales], { guards: [jwtGuard(auth)] });
});

legal('a decorator of your own as metadata', '200 "ok"', () => {
  const seen: unknown[] = [];
  const remember = (...declaration: unknown[]) => void seen.push(declaration);
  const target = defineController('/', {
    metadata: [remember],
    routes: ({ get }) => ({ read: get('/', { metadata: [remember] }, () => 'ok') }),
  });
  return serveControllers([target]);
});
