import { type Context, createApp, createRouter, type Middleware } from '@fairlead/core';
import { createContainer, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  All,
  type ClassInterceptor,
  Controller,
  controllersPlugin,
  createRouteMetadata,
  describeRoutes,
  formatRoutes,
  Get,
  Post,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';

const Scope = createRouteMetadata<string>('scope');
const AUDIT = token<Middleware>('AUDIT');
const pass: Middleware = (_ctx, next) => next();
const isAdmin = () => true;

@Controller('/users')
@UseGuard(isAdmin)
@UseMiddleware(AUDIT)
class UsersController {
  @Get('/:id')
  @UseInterceptor(function envelope(_ctx, next) {
    return { data: next() };
  })
  read() {}

  @Post('/', { status: 201, errors: { 409: ['NAME_TAKEN'] } })
  @Scope('write')
  @UseGuard(() => true)
  create() {}
}

@Controller()
class OpenController {
  @All('/open')
  any() {}
}

class Timing implements ClassInterceptor {
  intercept(_ctx: Context, next: () => unknown) {
    return next();
  }
}

async function build() {
  const container = createContainer().register(AUDIT, { useValue: (_ctx, next) => next() });
  const router = createRouter().use(function ofRouter(_ctx, next) {
    return next();
  });
  const app = createApp();
  await app.plugin(
    controllersPlugin({
      router,
      container,
      controllers: [UsersController, OpenController],
      guards: [
        function isKnown() {
          return true;
        },
      ],
      middleware: [pass],
      interceptors: [Timing],
    }),
  );
  const functions = createRouter()
    .get('/:id', pass, function show() {})
    .delete('/', () => {});
  return app.route('/notes', functions).route('/api', router);
}

describe('describeRoutes', () => {
  it('lists functional and class routes with whole paths, in the order of registration', async () => {
    const routes = describeRoutes(await build());
    expect(routes.map(({ definition, ...shown }) => shown)).toEqual([
      {
        method: 'GET',
        path: '/notes/:id',
        handler: 'show',
        guards: [],
        middleware: ['pass'],
        interceptors: [],
      },
      {
        method: 'DELETE',
        path: '/notes',
        handler: '(anonymous)',
        guards: [],
        middleware: [],
        interceptors: [],
      },
      {
        method: 'GET',
        path: '/api/users/:id',
        handler: 'UsersController.read',
        guards: ['isKnown', 'isAdmin'],
        middleware: ['ofRouter', 'pass', 'token(AUDIT)'],
        interceptors: ['Timing', 'envelope'],
      },
      {
        method: 'POST',
        path: '/api/users',
        handler: 'UsersController.create',
        guards: ['isKnown', 'isAdmin', 'guard#2'],
        middleware: ['ofRouter', 'pass', 'token(AUDIT)'],
        interceptors: ['Timing'],
      },
      {
        method: 'ALL',
        path: '/api/open',
        handler: 'OpenController.any',
        guards: ['isKnown'],
        middleware: ['ofRouter', 'pass'],
        interceptors: ['Timing'],
      },
    ]);
  });

  it("returns the definition of controllers' routes", async () => {
    const [show, , , create] = describeRoutes(await build());
    expect(show?.definition).toBeUndefined();
    expect(create?.definition).toMatchObject({
      methodName: 'create',
      status: 201,
      options: { errors: { 409: ['NAME_TAKEN'] } },
    });
    expect(Scope.get({ metadata: create?.definition?.metadata ?? new Map() })).toBe('write');
  });
});

describe('formatRoutes', () => {
  it('aligns the columns', async () => {
    const table = [
      'METHOD  PATH            HANDLER                 GUARDS                     MIDDLEWARE                    INTERCEPTORS',
      'GET     /notes/:id      show                                               pass',
      'DELETE  /notes          (anonymous)',
      'GET     /api/users/:id  UsersController.read    isKnown, isAdmin           ofRouter, pass, token(AUDIT)  Timing, envelope',
      'POST    /api/users      UsersController.create  isKnown, isAdmin, guard#2  ofRouter, pass, token(AUDIT)  Timing',
      'ALL     /api/open       OpenController.any      isKnown                    ofRouter, pass                Timing',
    ];
    expect(formatRoutes(describeRoutes(await build()))).toBe(table.join('\n'));
  });

  it('omits empty columns', () => {
    const app = createApp().route(
      '/',
      createRouter().get('/', function home() {}),
    );
    expect(formatRoutes(describeRoutes(app))).toBe('METHOD  PATH  HANDLER\nGET     /     home');
  });

  it('returns an empty string for no routes', () => {
    expect(formatRoutes([])).toBe('');
  });
});
