import { createApp, createRouter } from '@fairlead/core';
import { type Constructor, createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  buildRoutes,
  Controller,
  controllersPlugin,
  defineController,
  describeRoutes,
  formatRoutes,
  Get,
  Param,
  Post,
  Put,
  registerController,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { serve } from './support/serve.js';

const id = z.coerce.number().int();

@Controller('/users')
class UsersController {
  @Get('/:id?', { operationId: 'users' })
  read(@Param('id', { required: false }) given: string | undefined) {
    return { id: given ?? null };
  }

  @Get(['/by-name/:name', '/named/:name'])
  find(@Param('name') name: string) {
    return { name };
  }

  @Put(['/x/:id', '/y/:id'])
  @Post('/x/:id?')
  save(@Param('id', { schema: z.string().default('new') }) key: string) {
    return { key };
  }

  @Get('/strict/:id', { invalidParams: 404 })
  strict(@Param('id', { schema: id }) key: number) {
    return { key };
  }
}

const users = defineController('/users', {
  routes: ({ get, on }) => ({
    read: get('/:id?', { operationId: 'users' }, ({ params }) => ({ id: params.id ?? null })),
    find: get(['/by-name/:name', '/named/:name'], ({ params }) => ({ name: params.name })),
    save: on(['PUT', 'POST'], ['/x/:id?', '/y/:id'], ({ params }) => ({ key: params.id ?? 'new' })),
    strict: get('/strict/:id', { params: z.object({ id }), invalidParams: 404 }, ({ params }) => ({
      key: params.id,
    })),
  }),
});

describe.each<[string, Constructor]>([
  ['a class', UsersController],
  ['a value', users],
])('the patterns of %s', (_, controller) => {
  const start = () => serve({ controllers: [controller], prefix: '/api' });

  it.each<[method: string, path: string, body: object]>([
    ['GET', '/users', { id: null }],
    ['GET', '/users/7', { id: '7' }],
    ['GET', '/users/by-name/ada', { name: 'ada' }],
    ['GET', '/users/named/ada', { name: 'ada' }],
    ['POST', '/users/x', { key: 'new' }],
    ['POST', '/users/x/1', { key: '1' }],
    ['PUT', '/users/y/2', { key: '2' }],
    ['GET', '/users/strict/3', { key: 3 }],
  ])('handle %s %s', async (method, path, body) => {
    const response = await (await start()).fetch(`/api${path}`, { method });
    expect([response.status, await response.json()]).toEqual([200, body]);
  });

  it('reject parameters with 404 if the route says so', async () => {
    const response = await (await start()).fetch('/api/users/strict/x');
    expect(await response.json()).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      detail: 'No route matches /api/users/strict/x.',
    });
  });

  it('are one route each, with the options that they share', async () => {
    const router = createRouter();
    const app = createApp();
    const container = createContainer();
    await app.plugin(controllersPlugin({ router, controllers: [controller], container }));
    app.route('/api', router);
    const table = formatRoutes(describeRoutes(app).filter(({ method }) => method === 'GET'));
    const paths = table.split('\n').map((line) => line.split(/ +/)[1]);
    expect(paths).toEqual([
      'PATH',
      '/api/users',
      '/api/users/:id',
      '/api/users/by-name/:name',
      '/api/users/named/:name',
      '/api/users/strict/:id',
    ]);
    const [first, second] = app.routes();
    expect(second?.options).toBe(first?.options);
    expect(first?.options).toMatchObject({ operationId: 'users' });
  });

  it('are in the definition', () => {
    const paths = buildRoutes(controller, { container: createContainer(), prefix: '/v1' });
    expect(paths.slice(0, 4).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/users',
      'GET /v1/users/:id',
      'GET /v1/users/by-name/:name',
      'GET /v1/users/named/:name',
    ]);
  });
});

@Controller('/files/')
class FilesController {
  @Get('/:id?')
  list() {
    return 'list';
  }

  @Get('/by/:name/')
  read() {
    return 'read';
  }
}

const files = defineController('/files/', {
  routes: ({ get }) => ({
    list: get('/:id?', () => 'list'),
    read: get('/by/:name/', () => 'read'),
  }),
});

const filesRouter = createRouter({ strict: true }).route(
  '/files/',
  createRouter({ strict: true })
    .get('/:id?', () => 'list')
    .get('/by/:name/', () => 'read'),
);

describe.each<[string, Constructor | undefined]>([
  ['functions', undefined],
  ['a class', FilesController],
  ['a value', files],
])('a strict router with %s', (_, controller) => {
  it.each<[path: string, status: number]>([
    ['/files/', 200],
    ['/files', 404],
    ['/files/7', 200],
    ['/files/7/', 404],
    ['/files/by/a/', 200],
    ['/files/by/a', 404],
  ])('responds to %s with %i', async (path, status) => {
    const router = controller === undefined ? filesRouter : createRouter({ strict: true });
    const app = createApp();
    if (controller !== undefined)
      registerController(router, controller, { container: createContainer() });
    app.route('/', router);
    expect((await app.request(path)).status).toBe(status);
  });
});

describe('the startup rejects', () => {
  it.each<[string, Constructor, string]>([
    ['an empty array of paths', controllerOf(Get([])), '@Get() cannot use [] as path.\n'],
    [
      'a path in an array that is not a string',
      controllerOf(Get(['/a', 7 as unknown as string])),
      '@Get() cannot use 7 as path.',
    ],
    [
      'equal paths',
      controllerOf(Get(['/a', '/a/'])),
      'GET /a/ matches the same paths as GET /a of Broken.read',
    ],
    [
      'an optional parameter that is not at the end',
      controllerOf(Get('/:a?/b')),
      "Pass an array of paths: ['/b', '/:a/b'].",
    ],
    [
      'an empty array of methods',
      defineController('/a', { routes: ({ on }) => ({ none: on([], '/', () => 1) }) }),
      "on([], '/') cannot use [] as methods.",
    ],
    [
      'a method that does not exist',
      defineController('/a', {
        routes: ({ on }) => ({ none: on(['GET', 'FETCH' as 'PUT'], '/', () => 1) }),
      }),
      "on(['GET', 'FETCH'], '/') cannot use ['GET', 'FETCH'] as methods.",
    ],
    [
      'an empty array of paths of a value',
      defineController('/a', { routes: ({ get }) => ({ none: get([], () => 1) }) }),
      'get([]) cannot use [] as path.',
    ],
  ])('%s', async (_, controller, problem) => {
    expect((await failStart([controller])).message).toContain(problem);
  });

  it('a required parameter of a path that may be without it', async () => {
    @Controller('/users')
    class RequiredController {
      @Get('/:id?')
      read(@Param('id') given: string) {
        return given;
      }
    }
    await expect(serve({ controllers: [RequiredController] })).rejects.toThrow(
      /@Param\('id'\) does not match a parameter of GET \/users\..*Fix: pass \{ required: false \}, or remove the path without the parameter\./s,
    );
  });
});

it('the startup explains how to rename a parameter with a hyphen', async () => {
  @Controller('/users')
  class HyphenController {
    @Get('/:user-id')
    read(@Param('user-id') id: string) {
      return id;
    }
  }
  await expect(serve({ controllers: [HyphenController] })).rejects.toThrow(
    "Fix: write ':userId' instead of ':user-id' in the path, and use 'userId'.",
  );
});

/** Creates a controller with a decorator on its only method. */
function controllerOf(decorator: MethodDecorator): Constructor {
  @Controller()
  class Broken {
    @decorator
    read() {
      return 1;
    }
  }
  return Broken;
}
