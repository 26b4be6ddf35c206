import 'reflect-metadata';
import * as connect from '@fairlead/connect';
import * as controllers from '@fairlead/controllers';
import * as core from '@fairlead/core';
import { findMisuse } from '@fairlead/core/extend';
import { type Constructor, createContainer } from '@fairlead/di';
import * as webhooks from '@fairlead/jobs/webhooks';
import * as jwt from '@fairlead/jwt';
import * as jwtControllers from '@fairlead/jwt/controllers';
import * as mcp from '@fairlead/mcp';
import * as metrics from '@fairlead/metrics';
import * as middleware from '@fairlead/middleware';
import * as multipart from '@fairlead/multipart';
import * as openapi from '@fairlead/openapi';
import * as openTelemetry from '@fairlead/opentelemetry';
import { isClass } from '@fairlead/options';
import * as pino from '@fairlead/pino';
import * as rateLimit from '@fairlead/rate-limit';
import * as session from '@fairlead/session';
import * as serveStatic from '@fairlead/static';
import * as transactions from '@fairlead/transactions';
import * as redisKeys from '@fairlead/transactions/redis';
import * as websocket from '@fairlead/websocket';
import { expect, it } from 'vitest';

const {
  applyDecorators,
  Controller,
  controllersPlugin,
  defineController,
  Get,
  HttpCode,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} = controllers;
const { createApp, createRouter } = core;

const EXPORTS: Readonly<Record<string, unknown>> = {
  ...{ ...connect, ...controllers, ...core, ...jwt, ...jwtControllers, ...mcp, ...metrics },
  ...{ ...middleware, ...multipart, ...openapi, ...openTelemetry, ...pino, ...rateLimit },
  ...{ ...session, ...serveStatic, ...transactions, ...redisKeys, ...webhooks, ...websocket },
};

/** The exported functions that create neither middleware, guards and decorators, nor what has them. */
const OTHERS = [
  ...['attachment', 'buildRoutes', 'content', 'createDocument'],
  ...['createLogger', 'createMemoryStore', 'createRooms', 'createTransactions'],
  ...['createWebhookSecret', 'csrfTokens', 'currentContext', 'defineController'],
  ...['defineWebhooks', 'deleteCookie', 'describeError', 'describeOperations'],
  ...['describeRoute', 'describeRoutes', 'discoverControllers', 'download'],
  ...['endSessions', 'eventStream', 'findTracingProblem', 'flushTelemetry'],
  ...['formatRoutes', 'getControllersFromResults', 'getErrorsFromResults', 'idempotencyTable'],
  ...['intended', 'isConflict', 'isHttpError', 'isStandardSchema', 'isUnreachable'],
  ...['listen', 'logErrors', 'manageTelemetry', 'nameRoutes'],
  ...['networkOf', 'parseJson', 'parts', 'printDocument'],
  ...['rateLimitsOf', 'readCookies', 'registerController', 'requireMatch'],
  ...['schemaClass', 'secured', 'sendEvents', 'sendFile'],
  ...['setCookie', 'signedCookies', 'signToken', 'signWebhook'],
  ...['toJsonSchema'],
];

const factories = Object.entries(EXPORTS).filter(([, value]) => findMisuse(value) !== undefined);

/** What a start refuses wherever functions handle requests: a factory or a decorator, and the fix. */
const MISUSED: readonly (readonly [string, unknown, fix: string])[] = [
  ...factories.map(([name, value]) => [name, value, 'all it: '] as const),
  ['Roles()', jwtControllers.Roles('admin'), 'ove it above a class or a method, or to metadata'],
  ['Public()', jwtControllers.Public(), 'ove it above a class or a method'],
  ['HttpCode()', HttpCode(201), 'ove it above a class or a method'],
  ['applyDecorators()', applyDecorators(HttpCode(201)), 'ove it above a class or a method'],
];

const allow = () => true;

/** What a start refuses as a decorator, and the fix. */
const UNDECORATED: readonly (readonly [string, unknown, fix: string])[] = [
  ...factories.map(([name, value]) => {
    const { is } = findMisuse(value) ?? {};
    return [name, value, is === 'decorator' ? 'write ' : 'call it, and pass '] as const;
  }),
  [
    'requireRole()',
    jwt.requireRole('admin'),
    'pass it to UseMiddleware() or the option middleware',
  ],
  ['cors()', middleware.cors(), 'pass it to UseMiddleware()'],
  ['csrfGuard()', middleware.csrfGuard(), 'pass it to UseGuard() or the option guards'],
  [
    'rateLimitGuard()',
    rateLimit.rateLimitGuard({ points: 1, duration: 1 }),
    'pass it to UseGuard() or the option guards',
  ],
  [
    'a guard class',
    class Guard {
      canActivate() {
        return true;
      }
    },
    'pass it as a guard',
  ],
  ['a guard', allow, 'guards belong in guards'],
  ['an asynchronous guard', async () => true, 'guards belong in guards'],
  [
    'an asynchronous guard that fails',
    async (ctx: core.Context) => ctx.get('X-Key') === 'secret',
    'guards belong in guards',
  ],
  ['a guard that fails', (ctx: core.Context) => ctx.get('X') === 'y', 'guards belong in guards'],
  ['middleware', (_ctx: core.Context, next: core.Next) => next(), 'guards belong in guards'],
  ['a factory of decorators', (_name: string) => () => {}, 'if it is a factory, call it'],
];

type Start = (value: never) => unknown;

/** Starts a controller, and throws what is wrong with it. */
const register = (target: Constructor, options?: controllers.BuildRoutesOptions) =>
  registerController(createRouter(), target, options);

const fine = () => defineController('/', { routes: ({ get }) => ({ read: get('/', allow) }) });

const decorated = (decorator: ClassDecorator & MethodDecorator, place: 'class' | 'method') => {
  class Users {
    read() {}
  }
  const { prototype } = Users;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'read');
  const chosen = { class: [[decorator], []], method: [[], [decorator]] } as const;
  const [ofClass, ofMethod] = chosen[place];
  Reflect.decorate([Get('/'), ...ofMethod], prototype, 'read', descriptor);
  return Reflect.decorate([Controller(), ...ofClass], Users) as Constructor;
};

const FUNCTIONS: Readonly<Record<string, Start>> = {
  'app.use()': (value) => createApp().use(value).seal(),
  'app.use(prefix)': (value) => createApp().use('/x', value).seal(),
  'a handler of app.get()': (value) => createApp().get('/', value).seal(),
  'middleware of app.get()': (value) => createApp().get('/', value, allow).seal(),
  'middleware of app.post() with options': (value) =>
    createApp().post('/', { status: 201 }, value, allow).seal(),
  'router.use()': (value) => createApp().route('/', createRouter().use(value)).seal(),
  'middleware of router.on()': (value) =>
    createApp()
      .route('/', createRouter().on('GET', '/', value, allow))
      .seal(),
};

const LISTS = ['guards', 'middleware', 'interceptors'] as const;

const CONTROLLERS: Readonly<Record<string, Start>> = {
  ...Object.fromEntries(
    LISTS.flatMap((list) => [
      [
        `${list} of defineController()`,
        (value: never) =>
          register(
            defineController('/', {
              [list]: [value],
              routes: ({ get }) => ({ read: get('/', allow) }),
            }),
          ),
      ],
      [
        `${list} of a route of defineController()`,
        (value: never) =>
          register(
            defineController('/', {
              routes: ({ get }) => ({ read: get('/', { [list]: [value] } as object, allow) }),
            }),
          ),
      ],
      [
        `${list} of a token`,
        (value: never) => {
          const container = createContainer().register('step', { useValue: value });
          register(fine(), { [list]: ['step'], container });
        },
      ],
      [`${list} of registerController()`, (value: never) => register(fine(), { [list]: [value] })],
      [
        `${list} of controllersPlugin()`,
        (value: never) =>
          createApp().plugin(
            controllersPlugin({
              router: createRouter(),
              controllers: [fine()],
              [list]: [value],
            }),
          ),
      ],
    ]),
  ),
  ...Object.fromEntries(
    [UseGuard, UseMiddleware, UseInterceptor].flatMap((use) =>
      (['class', 'method'] as const).map((place) => [
        `${findMisuse(use)?.name}() of a ${place}`,
        (value: never) => register(decorated(Reflect.apply(use, undefined, [value]), place)),
      ]),
    ),
  ),
};

const METADATA: Readonly<Record<string, Start>> = {
  'metadata of defineController()': (value) =>
    register(
      defineController('/', {
        metadata: [value],
        routes: ({ get }) => ({ read: get('/', allow) }),
      }),
    ),
  'metadata of a route of defineController()': (value) =>
    register(
      defineController('/', {
        routes: ({ get }) => ({ read: get('/', { metadata: [value] }, allow) }),
      }),
    ),
  'applyDecorators() as metadata': (value) =>
    register(
      defineController('/', {
        metadata: [applyDecorators(value)],
        routes: ({ get }) => ({ read: get('/', allow) }),
      }),
    ),
};

/** Returns the message of the error that a start has. */
async function messageOf(start: Start, value: unknown): Promise<string> {
  try {
    await start(value as never);
  } catch (error) {
    return (error as Error).message;
  }
  return 'started';
}

/** Lists the values that a place does not refuse with the fix. */
async function startedBy(
  start: Start,
  cases: readonly (readonly [name: string, value: unknown, fix: string])[],
): Promise<readonly unknown[]> {
  const started: unknown[] = [];
  for (const [name, value, fix] of cases) {
    const message = await messageOf(start, value);
    started.push(...[[name, message]].filter(() => !message.includes(fix)));
  }
  return started;
}

it('every function is marked that has to be called first', () => {
  const unmarked = Object.entries(EXPORTS).filter(
    ([, value]) =>
      typeof value === 'function' && !isClass(value) && findMisuse(value) === undefined,
  );

  expect(unmarked.map(([name]) => name).sort()).toEqual(OTHERS.toSorted());
});

it.each(Object.entries({ ...FUNCTIONS, ...CONTROLLERS }))(
  '%s refuses all of them, and decorators',
  async (_place, start) => {
    expect(await startedBy(start, MISUSED)).toEqual([]);
  },
);

it.each(Object.entries(METADATA))(
  '%s refuses all of them, guards and middleware',
  async (_place, start) => {
    expect(await startedBy(start, UNDECORATED)).toEqual([]);
  },
);

it.each([
  ['metadata of defineController()', 'routes of root'],
  ['metadata of a route of defineController()', 'route root.read'],
  ['applyDecorators() as metadata', 'routes of root'],
])('%s names the place and the fix', async (place, subject) => {
  const message = await messageOf(METADATA[place] as Start, jwtControllers.Roles);

  expect(message.replace(/ {2}At: .*\n/, '')).toBe(
    `Cannot register the ${subject}: Roles is missing its parentheses.\n  Fix: write Roles('admin').`,
  );
});

it.each([
  'guards of defineController()',
  'guards of a route of defineController()',
  'guards of registerController()',
  'guards of controllersPlugin()',
  '@UseGuard() of a class',
  '@UseGuard() of a method',
])('%s refuses middleware, which needs next()', async (place) => {
  const middlewares = [
    middleware.cors(),
    jwt.requireRole('admin'),
    core.json(),
    core.errorHandler(),
  ];
  const cases = middlewares.map((one) => [one.name, one, 'pass it as middleware.'] as const);

  expect(await startedBy(CONTROLLERS[place] as Start, cases)).toEqual([]);
});

it('accepts what is called, and functions of the application', async () => {
  const decorate: ClassDecorator & MethodDecorator = () => undefined;
  const target = defineController('/', {
    guards: [allow, middleware.csrfGuard()],
    middleware: [middleware.cors(), (_ctx, next) => next()],
    metadata: [jwtControllers.Public(), decorate, applyDecorators(decorate)],
    routes: ({ get }) => ({ read: get('/', { metadata: [decorate, HttpCode(200)] }, allow) }),
  });
  const router = createRouter();
  registerController(router, target, { warn: () => {} });

  expect((await createApp().route('/', router).request('/')).status).toBe(200);
});
