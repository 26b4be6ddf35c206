import 'reflect-metadata';
import {
  Controller,
  controllersPlugin,
  Get,
  type GuardFn,
  Post,
  registerController,
  UseGuard,
} from '@fairlead/controllers';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  intended,
  UnauthorizedError,
} from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { createContainer } from '@fairlead/di';
import { createDocument } from '@fairlead/openapi';
import { expect, it } from 'vitest';
import { type RateLimitStore, rateLimit, rateLimitGuard } from '../src/index.js';
import { limitOf } from './support/limit.js';

const signedIn: GuardFn = (ctx) => {
  const user = ctx.get('X-User');
  if (user === undefined) throw new UnauthorizedError('Sign in.');
  ctx.state.user = user;
  return true;
};

const perUser = { duration: 60, key: (ctx: Context) => String(ctx.state.user) };

@Controller('/reports')
@UseGuard(signedIn, rateLimitGuard({ ...perUser, points: 3, name: 'reports' }))
class ReportsController {
  @Get()
  list() {
    return [];
  }

  @Post()
  @UseGuard(rateLimitGuard({ ...perUser, points: 1, name: 'create' }))
  create() {
    return {};
  }
}

async function createClasses(): Promise<Application> {
  const router = createRouter();
  const app = createApp().use(errorHandler());
  const controllers = [ReportsController];
  await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
  return app.route('/', router);
}

const as = (user: string, method = 'GET') => ({ method, headers: { 'X-User': user } });

it('a guard limits each signed-in user', async () => {
  const app = await createClasses();
  const send = async (user: string) => limitOf(await app.request('/reports', as(user)));
  for (const left of [2, 1, 0]) {
    expect(await send('ada')).toMatchObject({ status: 200, limit: `"reports";r=${left};t=60` });
  }
  expect(await send('ada')).toMatchObject({ status: 429, retry: '60' });
  expect(await send('bob')).toMatchObject({ status: 200 });
  expect((await app.request('/reports')).status).toBe(401);
});

it('the guard of a method adds to that of its class with another name', async () => {
  const app = await createClasses();
  expect(limitOf(await app.request('/reports', as('ada', 'POST')))).toMatchObject({
    status: 200,
    limit: '"reports";r=2;t=60, "create";r=0;t=60',
  });
  expect((await app.request('/reports', as('ada', 'POST'))).status).toBe(429);
  expect((await app.request('/reports', as('ada'))).status).toBe(200);
});

/** Creates an application with a guard of the plugin, of each class and of some methods. */
async function createLevels() {
  const limit = (points: number, name?: string) =>
    rateLimitGuard({ points, duration: 60, ...(name !== undefined && { name }) });
  const burst = limit(100, 'burst');

  class Base {
    @Get('/overridden')
    @UseGuard(limit(5))
    overridden() {
      return '';
    }
  }
  @Controller('/levels')
  @UseGuard(limit(20), burst)
  class Levels extends Base {
    @Get()
    inherits() {
      return '';
    }

    @Get('/own')
    @UseGuard(limit(10))
    own() {
      return '';
    }

    @Get('/both')
    @UseGuard(limit(1, 'first'), limit(2, 'second'))
    both() {
      return '';
    }

    @Get('/pair')
    @UseGuard(limit(6), limit(7))
    pair() {
      return '';
    }

    @UseGuard(limit(4))
    override overridden() {
      return '';
    }
  }
  @Controller('/plain')
  class Plain {
    @Get()
    plain() {
      return '';
    }
  }
  @Controller('/sub')
  @UseGuard(limit(15))
  class Sub extends Levels {}

  const router = createRouter();
  const app = createApp().use(errorHandler());
  const controllers = [Levels, Plain, Sub];
  const guards = [limit(50)];
  await app.plugin(
    controllersPlugin({ router, container: createContainer(), controllers, guards }),
  );
  return app.route('/', router);
}

it.each([
  ['/plain', '"default";q=50;w=60'],
  ['/levels', '"default";q=20;w=60, "burst";q=100;w=60'],
  ['/levels/own', '"burst";q=100;w=60, "default";q=10;w=60'],
  ['/levels/both', '"default";q=20;w=60, "burst";q=100;w=60, "first";q=1;w=60, "second";q=2;w=60'],
  ['/levels/pair', '"burst";q=100;w=60, "default";q=6;w=60, "default";q=7;w=60'],
  ['/levels/overridden', '"burst";q=100;w=60, "default";q=4;w=60'],
  ['/sub', '"burst";q=100;w=60, "default";q=15;w=60'],
  ['/sub/own', '"burst";q=100;w=60, "default";q=10;w=60'],
])('the innermost guard of each name limits %s', async (path, policy) => {
  const app = await createLevels();
  expect(limitOf(await app.request(path))).toMatchObject({ status: 200, policy });
});

it('a limit that a method replaces counts nothing for it', async () => {
  const app = await createLevels();
  for (let sent = 0; sent < 10; sent += 1) await app.request('/levels/own');
  expect((await app.request('/levels/own')).status).toBe(429);
  expect(limitOf(await app.request('/levels'))).toMatchObject({
    limit: '"default";r=19;t=60, "burst";r=88;t=60',
  });
});

it('a limit that replaces another in one store counts its requests, too', async () => {
  const counts = new Map<string, number>();
  const store: RateLimitStore = {
    add: async (key, points) => {
      counts.set(key, (counts.get(key) ?? 0) + points);
      return { points: counts.get(key) ?? 0, msBeforeNext: 1_000 };
    },
  };
  const limit = (points: number) => rateLimitGuard({ points, duration: 60, name: 'files', store });

  @Controller('/files')
  @UseGuard(limit(100))
  class FilesController {
    @Get()
    list() {
      return [];
    }

    @Get('/archive')
    @UseGuard(limit(2))
    archive() {
      return [];
    }
  }
  const router = createRouter();
  registerController(router, FilesController);
  const app = createApp().use(errorHandler()).route('/', router);
  await app.request('/files');
  await app.request('/files');
  expect((await app.request('/files/archive')).status).toBe(429);
  expect((await app.request('/files')).status).toBe(200);
  expect([...counts]).toEqual([['files:127.0.0.1', 4]]);
});

it('applications with the same controllers count separately', async () => {
  for (const app of [await createClasses(), await createClasses()]) {
    expect((await app.request('/reports', as('ada', 'POST'))).status).toBe(200);
  }
});

it('rateLimitGuard() checks its options, and is a factory', () => {
  expect(() => Reflect.apply(rateLimitGuard, undefined, [{ points: 1 }])).toThrow(
    'rateLimitGuard() needs duration.',
  );
  expect(descriptionOf(rateLimitGuard)?.role).toBe('factory');
});

it('is refused where middleware belongs', () => {
  const guard = rateLimitGuard({ points: 1, duration: 60 });
  expect(() => createApp().use(guard).seal()).toThrow(
    'app.use() received the guard rateLimit, which never calls next(). Use rateLimit(), or list the guard in @UseGuard() of @fairlead/controllers.',
  );
});

it('causes a warning if its duration may be in milliseconds, unless it is intended', async () => {
  const limit = (name: string) => rateLimitGuard({ points: 9, duration: 60_000, name });
  const shared = limit('shared');
  @Controller()
  class Users {
    @Get()
    @UseGuard(limit('own'), intended(limit('intended')))
    list() {
      return [];
    }

    @Post()
    add() {}
  }
  const warnings: string[] = [];
  const logger = { debug() {}, warn: (message: string) => void warnings.push(message) };
  const options = { container: createContainer(), controllers: [Users], guards: [shared], logger };
  await createApp().plugin(controllersPlugin({ router: createRouter(), ...options }));
  const message =
    '[controllers] rateLimitGuard() has windows of 60000 seconds. If you mean milliseconds, pass duration: 60; otherwise pass its result to intended().\n  At: test/guard.test.ts:';
  expect(warnings).toEqual([expect.stringContaining(message), expect.stringContaining(message)]);
});

it('causes a warning if it counts together with a limit of another size', async () => {
  const store: RateLimitStore = { add: async () => ({ points: 1, msBeforeNext: 1_000 }) };
  const limit = (points: number) => rateLimitGuard({ points, duration: 60, name: 'files', store });
  const hundred = limit(100);
  @Controller('/files')
  @UseGuard(hundred)
  class Files {
    @Get()
    @UseGuard(limit(2))
    list() {}
  }
  const warnings: string[] = [];
  const logger = { debug() {}, warn: (message: string) => void warnings.push(message) };
  const options = { container: createContainer(), controllers: [Files], logger };
  await createApp().plugin(controllersPlugin({ router: createRouter(), ...options }));
  expect(warnings).toEqual([
    expect.stringContaining(
      "[controllers] rateLimitGuard() has 2 points per 60 s, but counts together with a limit of 100 points per 60 s, because both have the name 'files' and the same store. Pass another name, or pass its result to intended().\n  At: test/guard.test.ts:",
    ),
  ]);
});

it('documents show the headers and the responses of limits, as middleware and as guards', async () => {
  const app = await createClasses();
  app.use(rateLimit({ points: 1, duration: 60, onFailure: 'closed' })).get('/', () => 'ok');
  const { paths, components } = createDocument(app, { info: { title: 'Limits', version: '1' } });
  const { responses } = Object(paths['/']?.get);

  expect(Object.keys(responses)).toEqual(['200', '429', '503', 'default']);
  expect(Object.keys(responses[200].headers)).toEqual(['RateLimit-Policy', 'RateLimit']);
  expect(Object.keys(Object(paths['/reports']?.post).responses)).toContain('429');
  expect(components.responses?.TooManyRequests).toHaveProperty('headers.Retry-After');
});

it('documents have no 401 and 403 for a route with only a limit', async () => {
  @Controller('/open')
  class Open {
    @Get()
    @UseGuard(rateLimitGuard({ points: 1, duration: 60 }))
    list() {}
  }
  const router = createRouter();
  const app = createApp().route('/', router);
  await app.plugin(
    controllersPlugin({ router, container: createContainer(), controllers: [Open] }),
  );
  const { paths } = createDocument(app, { info: { title: 'Limits', version: '1' } });
  const operation = Object(paths['/open']?.get);
  expect(Object.keys(operation.responses)).toEqual(['200', '429', 'default']);
});

it.each<[string, GuardFn[], number]>([
  ['before', [rateLimitGuard({ ...perUser, points: 1, after: 'signedIn' }), signedIn], 1],
  ['after', [signedIn, rateLimitGuard({ ...perUser, points: 1, after: 'signedIn' })], 0],
])('a guard %s the one that it has to run after', async (_, guards, count) => {
  @Controller('/tasks')
  class Tasks {
    @Get()
    list() {
      return [];
    }
  }
  const warnings: string[] = [];
  const logger = { debug() {}, warn: (message: string) => void warnings.push(message) };
  const options = { container: createContainer(), controllers: [Tasks], guards, logger };
  const router = createRouter();
  const app = createApp().route('/', router);
  await app.plugin(controllersPlugin({ router, ...options }));
  await app.request('/tasks');
  const text = 'reads what signedIn provides, but nothing before it provides that';
  expect(warnings).toEqual(Array(count).fill(expect.stringContaining(text)));
});
