import { createApp, createRouter, type VersionSource } from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  buildRoutes,
  Controller,
  type ControllersPluginOptions,
  controllersPlugin,
  defineController,
  Get,
  registerController,
} from '../src/index.js';

@Controller({ prefix: '/users', version: '1' })
class UsersController {
  @Get('/:id')
  find() {
    return 'class 1';
  }
}

@Controller({ prefix: '/users', version: '2' })
class UsersController2 {
  @Get('/:id')
  find() {
    return 'class 2';
  }
}

const users3 = defineController('/users', {
  version: '3',
  routes: ({ get }) => ({ find: get('/:id', () => 'value 3') }),
});

const everyVersion = defineController('/users', {
  routes: ({ get }) => ({ show: get('/:name', () => 'every version') }),
});

const VERSIONS = createVersions({ header: 'X-Api-Version', default: '1' });

/** Starts an application with controllers. Returns a function that requests a path with a version. */
async function start(
  options: Partial<ControllersPluginOptions>,
  versions: VersionSource | false = VERSIONS,
) {
  const router = createRouter();
  const app = createApp(versions === false ? {} : { versions });
  const container = createContainer();
  await app.plugin(
    controllersPlugin({
      router,
      container,
      controllers: [UsersController, UsersController2, users3],
      ...options,
    }),
  );
  app.route('/', router);
  return async (path: string, version?: string) => {
    const headers = { ...(version && { 'X-Api-Version': version }) };
    const response = await app.request(path, { headers });
    return response.ok ? response.json() : response.status;
  };
}

describe('the version of a controller', () => {
  it('is the one that requests name if the application has versions', async () => {
    const request = await start({ prefix: '/api' });
    const versions = [undefined, '1', '2', '3', '4'];
    const bodies = versions.map((version) => request('/api/users/7', version));
    expect(await Promise.all(bodies)).toEqual(['class 1', 'class 1', 'class 2', 'value 3', 400]);
    expect(await request('/api/2/users/7')).toBe(404);
  });

  it('is part of paths in other applications, and if the plugin says so', async () => {
    const request = await start({}, false);
    expect(await request('/2/users/7')).toBe('class 2');
    const inPath = await start({ versionIn: 'path' });
    expect(await inPath('/3/users/7', '1')).toBe('value 3');
    expect(await inPath('/users/7', '1')).toBe(404);
  });

  it('is part of paths of single controllers, unless requests name it', async () => {
    const router = createRouter();
    registerController(router, UsersController);
    registerController(router, UsersController2, { versionIn: 'request' });
    const app = createApp({
      versions: createVersions({ header: 'X-Api-Version', default: '2' }),
    }).route('/', router);
    expect(await (await app.request('/1/users/7')).json()).toBe('class 1');
    expect(await (await app.request('/users/7')).json()).toBe('class 2');
    const [route] = buildRoutes(UsersController2, { versionIn: 'request' });
    expect(route).toMatchObject({ path: '/users/:id', options: { version: '2' } });
  });

  it('makes two routes of one version a conflict, which names the other controller', async () => {
    @Controller({ prefix: '/users', version: '/2/' })
    class OtherController {
      @Get('/:name')
      read() {}
    }
    const controllers = [UsersController, UsersController2, OtherController];
    await expect(start({ controllers })).rejects.toThrow(
      'GET /users/:name matches the same paths as GET /users/:id of UsersController2.find',
    );
  });

  it.each([
    ['before', [users3, everyVersion], 'users.show', '3/users.find'],
    ['after', [everyVersion, users3], '3/users.find', 'users.show'],
  ])(
    'conflicts with routes without one, whose controller the error names: %s',
    async (_, controllers, added, existing) => {
      await expect(start({ controllers })).rejects.toThrow(
        new RegExp(
          String.raw`route ${added}: .* same paths as GET /users/:\w+ of ${existing} \(.*\)\.\n.*\n.*Fix: change one of the two paths, or give both routes a version\.$`,
        ),
      );
    },
  );

  it('fails the start if a header cannot have it', async () => {
    @Controller({ prefix: '/notes', version: '2+beta' })
    class NotesController {
      @Get('/:id')
      read() {}
    }
    await expect(start({ controllers: [NotesController] })).rejects.toThrow(
      /got '2\+beta'.*Fix: correct the argument of @Controller\(\)\./s,
    );
  });

  it('fails the start if requests cannot name it', async () => {
    const request = await start({ versionIn: 'request' }, false);
    await expect(request('/users/7')).rejects.toThrow('Pass the result of createVersions()');
  });
});
