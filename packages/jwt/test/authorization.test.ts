import 'reflect-metadata';
import {
  Controller,
  controllersPlugin,
  createCustomParamDecorator,
  describeRoutes,
  Get,
  type GuardFn,
  Post,
  UseGuard,
  UseMiddleware,
} from '@fairlead/controllers';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  intended,
  type Middleware,
} from '@fairlead/core';
import { type Constructor, createContainer } from '@fairlead/di';
import { createDocument } from '@fairlead/openapi';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { jwtGuard, Public, Roles, Scopes } from '../src/controllers.js';
import { createJwtAuth, requireRole, requireScope } from '../src/index.js';
import { EXPECTED, rejectionOf, SECRET, sign } from './support/issuer.js';

const auth = createJwtAuth({ ...EXPECTED, secret: SECRET });
const CurrentSubject = createCustomParamDecorator((ctx) => auth.token(ctx).claims.sub);

@Controller('/users')
@Roles('user', 'admin')
class UsersController {
  @Get()
  list(@CurrentSubject subject: string | undefined) {
    return { subject };
  }

  @Post()
  @Scopes('users:read', 'users:write')
  create() {
    return { subject: 'created' };
  }

  @Get('/audit')
  @Roles('admin')
  audit() {
    return { subject: 'audited' };
  }
}

@Controller('/status')
class StatusController {
  @Get()
  @Public()
  read() {
    return 'up';
  }
}

/** Starts controllers, and returns the warnings of the startup. */
async function warningsOf(
  controller: Constructor,
  options: { guards?: readonly GuardFn[]; prepare?: (app: Application) => unknown } = {},
): Promise<readonly string[]> {
  const { guards = [], prepare } = options;
  const warn = vi.fn<(message: string) => void>();
  const logger = { debug: () => undefined, warn };
  const router = createRouter();
  const app = createApp().use(errorHandler());
  prepare?.(app);
  const container = createContainer();
  await app.plugin(
    controllersPlugin({ router, container, controllers: [controller], guards, logger }),
  );
  app.route('/', router).seal();
  return warn.mock.calls.map(([message]) => message);
}

describe('the start', () => {
  @Controller('/above')
  class Above {
    @Get()
    @Roles('admin')
    @UseGuard(jwtGuard(auth))
    list() {
      return [];
    }
  }

  @Controller('/only')
  class Only {
    @Get()
    @Roles('admin')
    list() {
      return [];
    }
  }

  it.each<[string, Constructor, Parameters<typeof warningsOf>[1], string]>([
    ['above the guard that verifies tokens', Above, {}, 'Above.list'],
    ['without one', Only, {}, 'Only.list'],
  ])('warns of @Roles() %s', async (_, controller, options, name) => {
    const [message, ...others] = await warningsOf(controller, options);
    expect(others).toEqual([]);
    expect(message).toContain(
      `@Roles() on ${name} reads what auth.middleware or jwtGuard(auth) provides, but nothing before it provides that.\n  At: `,
    );
    expect(message).toMatch(
      /list auth\.middleware or jwtGuard\(auth\) above it\. If that is not necessary, pass guards: intended\(\[\]\) to the plugin, with intended\(\) of @fairlead\/core\.$/,
    );
  });

  it.each<[string, Constructor, Parameters<typeof warningsOf>[1]]>([
    ['after jwtGuard()', Only, { guards: [jwtGuard(auth)] }],
    ['above jwtGuard() if the plugin has one', Above, { guards: [jwtGuard(auth)] }],
    [
      'after the middleware of the application',
      Only,
      { prepare: (app) => app.use(auth.middleware) },
    ],
    [
      'after a middleware that may verify',
      Only,
      { prepare: (app) => app.use((_ctx, next) => next()) },
    ],
    ['after a guard that may verify', Only, { guards: [async () => true] }],
    ['with marked guards', Only, { guards: intended([]) }],
  ])('does not warn of @Roles() %s', async (_, controller, options) => {
    expect(await warningsOf(controller, options)).toEqual([]);
  });
});

describe('requireRole() and requireScope()', () => {
  const needed = 'auth.middleware or jwtGuard(auth)';
  const late = (name: string, where = '') =>
    `${name} reads what ${needed} provides, but runs before it${where}. Register that first, or pass ${name} to intended().`;
  const lacking = (name: string, where = '') =>
    `${name} reads what ${needed} provides, but nothing before it provides that${where}. Register ${needed} first, or pass ${name} to intended().`;
  const [admin, write] = [requireRole('admin'), requireScope('users:write')];
  const users = () => createRouter().get('/', () => []);

  /** Starts an application, and returns its warnings without their locations. */
  function warningsOfApp(app: Application): readonly string[] {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    app.seal();
    const messages = emitWarning.mock.calls.map(([message]) => String(message));
    emitWarning.mockRestore();
    for (const message of messages) expect(message).toMatch(/\n {2}At: test\/authorization/);
    return messages.map((message) => message.replace(/\n.*/, ''));
  }

  it.each<[string, Application, ...warnings: string[]]>([
    [
      'the application',
      createApp().use(admin, auth.middleware).route('/', users()),
      late('requireRole()'),
    ],
    [
      'the application without a token',
      createApp().use(write).route('/', users()),
      lacking('requireScope()'),
    ],
    [
      'a router',
      createApp().route('/users', users().use(admin).use(auth.middleware)),
      late('requireRole()', ' in: GET /users'),
    ],
    [
      'a route',
      createApp().get('/', write, auth.middleware, () => []),
      late('requireScope()', ' in: GET /'),
    ],
    [
      'routes without a token',
      createApp()
        .route('/users', users().use(admin))
        .get('/', admin, write, () => []),
      lacking('requireRole()', ' in: GET /users, GET /'),
      lacking('requireScope()', ' in: GET /'),
    ],
  ])('cause a warning before the middleware that verifies the token, in %s', (_, app, ...all) => {
    expect(warningsOfApp(app)).toEqual(all);
  });

  it.each<[string, Application]>([
    [
      'the middleware of the application',
      createApp().use(auth.middleware, admin).route('/', users().use(write)),
    ],
    ['the middleware of the router', createApp().route('/', users().use(auth.middleware, write))],
    ['the middleware of the route', createApp().get('/', auth.middleware, admin, () => [])],
    [
      'a function that may verify it',
      createApp()
        .use((_ctx, next) => next())
        .get('/', admin, () => []),
    ],
    [
      'nothing, if they are intended',
      createApp().get('/', intended(requireRole('admin')), () => []),
    ],
  ])('cause no warning after %s', (_, app) => {
    expect(warningsOfApp(app)).toEqual([]);
  });

  it('cause a warning about a scope with a comma, unless it is intended', () => {
    const create = (scope: Middleware) =>
      createApp()
        .use(auth.middleware)
        .get('/', scope, () => []);

    expect(warningsOfApp(create(requireScope('a,b')))).toEqual([
      "requireScope() needs a scope that is called 'a,b'. Pass each scope as an argument: 'a', 'b'. If it is one scope, pass the middleware to intended().",
    ]);
    expect(warningsOfApp(create(intended(requireScope('a,b'))))).toEqual([]);
  });

  it('before a guard that verifies the token cause one warning of the middleware', async () => {
    @Controller('/files')
    class Files {
      @Get()
      @UseMiddleware(admin)
      @UseGuard(jwtGuard(auth))
      @Roles('admin')
      list() {
        return [];
      }
    }
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    expect(await warningsOf(Files)).toEqual([]);
    expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining(
        'requireRole() reads what auth.middleware or jwtGuard(auth) provides, but runs before the guards of: GET /files. Use @Roles(), which is a guard, in place of requireRole(), register auth.middleware first, or pass requireRole() to intended().',
      ),
    ]);
    emitWarning.mockRestore();
  });
});

async function createClasses(
  guards: readonly GuardFn[] = [jwtGuard(auth)],
  controllers: readonly Constructor[] = [UsersController, StatusController],
): Promise<Application> {
  const router = createRouter();
  const app = createApp().use(errorHandler({ onError: () => undefined }));
  await app.plugin(
    controllersPlugin({ router, container: createContainer(), controllers, guards }),
  );
  return app.route('/', router);
}

function createFunctions(): Application {
  const users = createRouter()
    .use(auth.middleware, requireRole('user', 'admin'))
    .get('/', (ctx) => ({ subject: ctx.state.jwt.claims.sub }))
    .post('/', requireScope('users:read', 'users:write'), () => ({ subject: 'created' }))
    .get('/audit', requireRole('admin'), () => ({ subject: 'audited' }));
  return createApp()
    .use(errorHandler({ onError: () => undefined }))
    .route('/users', users)
    .get('/status', () => 'up');
}

describe.each([
  ['classes', createClasses],
  ['functions', async () => createFunctions()],
])('in %s', (_, create) => {
  const send = async (method: string, path: string, claims?: object) => {
    const authorization =
      claims === undefined ? {} : { authorization: `Bearer ${await sign({ ...claims })}` };
    return (await create()).request(path, { method, headers: authorization });
  };

  it('a route needs a token unless it is public', async () => {
    expect((await send('GET', '/status')).status).toBe(200);
    expect(await rejectionOf(await send('GET', '/users'))).toMatchObject({
      status: 401,
      code: 'TOKEN_REQUIRED',
    });
  });

  it('a token with one of the roles is allowed, and its claims are readable', async () => {
    const response = await send('GET', '/users', { roles: ['user', 1] });
    expect(await response.json()).toEqual({ subject: 'ada' });
  });

  it.each([
    {},
    { roles: [] },
    { roles: 'user' },
    { roles: { user: true } },
    { roles: ['User', 'user '] },
  ])('a token with %o lacks a role', async (claims) => {
    const message = 'The token needs the role user or admin.';
    expect(await rejectionOf(await send('GET', '/users', claims))).toEqual({
      status: 403,
      code: 'INSUFFICIENT_SCOPE',
      detail: message,
      challenge: `Bearer realm="api", error="insufficient_scope", error_description="${message}"`,
    });
  });

  it('the roles of a method add to those of its class or router', async () => {
    expect((await send('GET', '/users/audit', { roles: ['admin'] })).status).toBe(200);
    expect((await send('GET', '/users/audit', { roles: ['user'] })).status).toBe(403);
  });

  it.each([
    { scope: 'users:write other users:read' },
    { scp: ['users:read', 'users:write'] },
    { scp: 'users:read users:write' },
  ])('a token with %o has the scopes', async (claims) => {
    expect((await send('POST', '/users', { roles: ['user'], ...claims })).status).toBe(200);
  });

  it.each([
    {},
    { scope: 'users:write' },
    { scope: 'users:readusers:write' },
    { scope: ['users:read'] },
  ])('a token with %o lacks a scope', async (claims) => {
    const message = 'The token needs the scope users:read users:write.';
    expect(await rejectionOf(await send('POST', '/users', { roles: ['user'], ...claims }))).toEqual(
      {
        status: 403,
        code: 'INSUFFICIENT_SCOPE',
        detail: message,
        challenge: `Bearer realm="api", error="insufficient_scope", error_description="${message}", scope="users:read users:write"`,
      },
    );
  });

  it('an OpenAPI document shows the scheme, the scopes, and each role that is enough', async () => {
    const { paths, components } = createDocument(await create(), {
      info: { title: 'Users', version: '1.0.0' },
    });
    expect(paths['/users']?.post).toMatchObject({
      security: [
        { bearer: ['user', 'users:read', 'users:write'] },
        { bearer: ['admin', 'users:read', 'users:write'] },
      ],
    });
    expect(paths['/users']?.get).toMatchObject({
      security: [{ bearer: ['user'] }, { bearer: ['admin'] }],
    });
    expect(paths['/users/audit']?.get).toMatchObject({ security: [{ bearer: ['admin'] }] });
    expect(paths['/status']?.get).toMatchObject({ security: [] });
    expect(components?.responses).toHaveProperty('Unauthorized.headers.WWW-Authenticate');
    expect(paths['/status']?.get).not.toHaveProperty('responses.401');
    expect(components?.securitySchemes).toEqual({
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    });
  });
});

it('the challenge names a single scope that is missing', async () => {
  const app = createApp()
    .use(errorHandler(), auth.middleware, requireScope('users:read'))
    .get('/', () => 'ok');
  const headers = { Authorization: `Bearer ${await sign()}` };
  const response = await app.request('/', { headers });
  expect(response.headers.get('WWW-Authenticate')).toMatch(/, scope="users:read"$/);
});

it('roles without a verified token are a 500 that names the fix', async () => {
  const onError = vi.fn();
  const app = createApp()
    .use(errorHandler({ onError }))
    .get('/', requireRole('admin'), () => 'ok')
    .get('/token', (ctx) => auth.token(ctx).claims);
  for (const path of ['/', '/token']) expect((await app.request(path)).status).toBe(500);
  expect(onError).toHaveBeenCalledTimes(2);
  expect(onError).toHaveBeenCalledWith(
    expect.objectContaining({
      code: 'TOKEN_NOT_VERIFIED',
      message:
        'No token was verified for GET / yet. Add the middleware of createJwtAuth(), or list jwtGuard() before what reads the token. Guards run after all middleware: those of the plugin, then of the class, then of the method, from top to bottom.',
    }),
    expect.anything(),
  );
  const headers = { Authorization: `Bearer ${await sign({ roles: ['admin'] })}` };
  expect(
    (await (await createClasses([], [UsersController])).request('/users', { headers })).status,
  ).toBe(500);
});

it('a token that is read on a public route is a 500 that names @Public()', async () => {
  @Controller('/news')
  class NewsController {
    @Get()
    @Public()
    list(@CurrentSubject subject: string | undefined) {
      return { subject };
    }
  }
  const onError = vi.fn();
  const router = createRouter();
  const app = createApp().use(errorHandler({ onError }));
  const [container, controllers] = [createContainer(), [NewsController]];
  await app.plugin(controllersPlugin({ router, container, controllers, guards: [jwtGuard(auth)] }));
  expect((await app.route('/', router).request('/news')).status).toBe(500);
  expect(onError).toHaveBeenCalledWith(
    expect.objectContaining({
      code: 'TOKEN_NOT_VERIFIED',
      message:
        'No token was verified for GET /news, because @Public() exempts the route from jwtGuard(). Remove @Public(), or call auth.verify(ctx) before you read the token.',
    }),
    expect.anything(),
  );
});

it('the guards of routes are listed', async () => {
  const routes = describeRoutes(await createClasses());
  expect(routes.map(({ path, guards }) => [path, guards])).toContainEqual([
    '/users/audit',
    ['jwt', 'hasRole', 'hasRole'],
  ]);
});

it('a guard that @Public() skips is not listed', async () => {
  @Controller('/news')
  class NewsController {
    @Get()
    @Public()
    list() {
      return [];
    }

    @Get('/drafts')
    drafts() {
      return [];
    }
  }
  const router = createRouter();
  const app = createApp().route('/', router);
  const [container, controllers, guards] = [createContainer(), [NewsController], [jwtGuard(auth)]];
  await app.plugin(controllersPlugin({ router, container, controllers, guards }));
  expect(describeRoutes(app).map(({ path, guards }) => [path, guards])).toEqual([
    ['/news', []],
    ['/news/drafts', ['jwt']],
  ]);
});

it('a public route without the guard causes a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  await createClasses([() => true]);
  expect(warn.mock.calls).toEqual([
    [
      expect.stringContaining(
        '@Public() may have no effect on StatusController.read: jwtGuard(auth) is not one of the guards.',
      ),
    ],
  ]);
});

describe('@Public()', () => {
  const statusOf = async (controller: Constructor, path: string): Promise<number> =>
    (await (await createClasses(undefined, [controller])).request(path)).status;

  @Controller()
  @Roles('admin')
  @Scopes('site')
  class Admin {
    @Get('/about')
    @Public()
    about() {}

    @Get('/inherited')
    inherited() {}
  }

  @Controller()
  @Public()
  class Site {
    @Get('/home')
    home() {}

    @Get('/roles')
    @Roles('admin')
    roles() {}

    @Get('/scopes')
    @Scopes('site')
    scopes() {}
  }

  it('of a method opens it, although its class has @Roles() and @Scopes()', async () => {
    expect(await statusOf(Admin, '/about')).toBe(204);
    expect(await statusOf(Admin, '/inherited')).toBe(401);
    const [about] = describeRoutes(await createClasses(undefined, [Admin]));
    expect(about).toMatchObject({ path: '/about', guards: [] });
  });

  it('of a class does not open methods with @Roles() or @Scopes()', async () => {
    expect(await statusOf(Site, '/home')).toBe(204);
    expect(await statusOf(Site, '/roles')).toBe(401);
    expect(await statusOf(Site, '/scopes')).toBe(401);
  });

  it('is not inherited by methods that a subclass declares anew, and by subclasses', async () => {
    @Controller()
    class Derived extends Admin {
      override about() {}
    }
    @Controller()
    class Members extends Site {}
    expect(await statusOf(Derived, '/about')).toBe(401);
    expect(await statusOf(Members, '/home')).toBe(401);
  });

  it('stops the startup on what itself has @Roles() or @Scopes()', async () => {
    @Controller()
    class Methods {
      @Get('/above')
      @Public()
      @Roles('admin')
      above() {}

      @Get('/below')
      @Scopes('site')
      @Public()
      below() {}
    }
    @Controller()
    @Roles('admin')
    @Public()
    class Whole {
      @Get('/whole')
      read() {}
    }
    const error: Error = await createClasses(undefined, [Methods, Whole]).catch((reason) => reason);
    expect(error.message).toContain(
      'Methods.above: @Public() opens what @Roles() of the same method restricts.',
    );
    expect(error.message).toContain(
      'Methods.below: @Public() opens what @Scopes() of the same method restricts.',
    );
    expect(error.message).toContain(
      'Whole: @Public() opens what @Roles() of the same class restricts.',
    );
    expect(error.message).toContain('Fix: remove one of the two.');
  });
});

it('@Roles above the guard that verifies denies every request', async () => {
  @Controller('/wrong')
  @Roles('admin')
  @UseGuard(jwtGuard(auth))
  class WrongController {
    @Get()
    read() {
      return 'secret';
    }
  }
  const router = createRouter();
  const app = createApp().use(errorHandler({ onError: () => undefined }));
  await app.plugin(
    controllersPlugin({ router, container: createContainer(), controllers: [WrongController] }),
  );
  app.route('/', router);
  const headers = { Authorization: `Bearer ${await sign({ roles: ['admin'] })}` };
  expect((await app.request('/wrong', { headers })).status).toBe(500);
});

it.each<[() => unknown, string]>([
  [() => Reflect.apply(requireScope, undefined, []), 'requireScope() needs at least one argument'],
  [
    () => requireScope('a b'),
    "requireScope() cannot use 'a b'. Pass each one as an argument: 'a', 'b'.",
  ],
  [() => requireScope('a"b'), "requireScope() cannot use 'a\"b'. Use visible ASCII without spaces"],
  [() => requireRole('a"'), "requireRole() cannot use 'a\"'."],
  [() => Reflect.apply(requireRole, undefined, [['admin']]), "requireRole() cannot use ['admin']."],
  [() => Roles(''), "@Roles() cannot use ''."],
  [() => Scopes('ä'), "@Scopes() cannot use 'ä'."],
])('invalid names are refused: %s', (call, message) => {
  expect(call).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    }),
  );
});

describe('claims', () => {
  const schema = z.object({ sub: z.string(), tenant: z.coerce.number() });

  it('are what the schema makes of them', async () => {
    const typed = createJwtAuth({ ...EXPECTED, secret: SECRET, claims: schema });
    const app = createApp()
      .use(errorHandler(), typed.middleware)
      .get('/', (ctx) => {
        expectTypeOf(ctx.state.jwt.claims).toEqualTypeOf<{ sub: string; tenant: number }>();
        return typed.token(ctx).claims;
      });
    const send = async (claims: object) =>
      app.request('/', { headers: { Authorization: `Bearer ${await sign({ ...claims })}` } });
    expect(await (await send({ tenant: '7' })).json()).toEqual({ sub: 'ada', tenant: 7 });
    expect(await rejectionOf(await send({ tenant: 'x' }))).toMatchObject({
      status: 401,
      detail: 'The claims are not accepted.',
    });
  });

  it('may have a type without a schema', async () => {
    const { middleware, token } = createJwtAuth<{ tenant: number }>({
      ...EXPECTED,
      secret: SECRET,
    });
    const app = createApp().use(middleware, (ctx) => {
      const { iss, tenant } = token(ctx).claims;
      expectTypeOf(tenant).toEqualTypeOf<number>();
      expectTypeOf(iss).toEqualTypeOf<string | undefined>();
      ctx.json([iss, tenant]);
    });
    const headers = { Authorization: `Bearer ${await sign({ tenant: 7 })}` };
    const claims = await (await app.request('/', { headers })).json();
    expect(claims).toEqual([EXPECTED.issuer, 7]);
  });

  it('give the strings of lists, and the words of a scope with any spaces', async () => {
    const app = createApp()
      .use(errorHandler(), auth.middleware)
      .get('/', (ctx) => {
        const { roles, scopes } = auth.token(ctx);
        return { roles, scopes };
      });
    const token = await sign({ roles: ['admin', 1, null], scope: ' read  write ' });
    const response = await app.request('/', { headers: { Authorization: `Bearer ${token}` } });
    expect(await response.json()).toEqual({ roles: ['admin'], scopes: ['read', 'write'] });
  });

  it('give the roles of the token, even if their schema does not describe them', async () => {
    const { middleware } = createJwtAuth({
      ...EXPECTED,
      secret: SECRET,
      claims: z.object({ sub: z.string() }),
    });
    const app = createApp()
      .use(errorHandler(), middleware, requireRole('admin'))
      .get('/', (ctx) => auth.token(ctx).claims);
    const headers = { Authorization: `Bearer ${await sign({ sub: 'ada', roles: ['admin'] })}` };
    expect(await (await app.request('/', { headers })).json()).toEqual({ sub: 'ada' });
  });

  it('may hold roles and scopes anywhere', async () => {
    const { middleware } = createJwtAuth({
      ...EXPECTED,
      secret: SECRET,
      roles: ({ realm_access }) => (realm_access as { roles: string[] }).roles,
      scopes: () => ['all'],
    });
    const app = createApp()
      .use(errorHandler(), middleware, requireRole('admin'), requireScope('all'))
      .get('/', () => 'ok');
    const token = await sign({ realm_access: { roles: ['admin'] } });
    const headers = { Authorization: `Bearer ${token}` };
    expect((await app.request('/', { headers })).status).toBe(200);
  });

  it.each([
    ['roles', 'superadmin', "'superadmin'"],
    ['roles', undefined, 'undefined'],
    ['scopes', 'users:write', "'users:write'"],
  ])('give no %s if the option returns %j', async (option, result, description) => {
    const onError = vi.fn();
    const { middleware } = createJwtAuth({
      ...EXPECTED,
      secret: SECRET,
      [option]: () => result as unknown as string[],
    });
    const app = createApp()
      .use(errorHandler({ onError }), middleware)
      .get('/roles', requireRole('admin'), () => 'ok')
      .get('/scopes', requireScope('users'), () => 'ok');
    const headers = { Authorization: `Bearer ${await sign()}` };
    expect((await app.request(`/${option}`, { headers })).status).toBe(500);
    expect(String(onError.mock.calls[0]?.[0])).toBe(
      `TypeError: The option ${option} of createJwtAuth() returned ${description}. Return an array of strings, which is empty for a token without ${option}.`,
    );
  });

  it('of a schema that throws are a 500', async () => {
    const broken = z.object({}).transform(() => {
      throw new Error('broken');
    });
    const onError = vi.fn();
    const { middleware } = createJwtAuth({ ...EXPECTED, secret: SECRET, claims: broken });
    const app = createApp().use(errorHandler({ onError }), middleware);
    const headers = { Authorization: `Bearer ${await sign()}` };
    expect((await app.request('/', { headers })).status).toBe(500);
    expect(onError).toHaveBeenCalledTimes(1);
  });
});
