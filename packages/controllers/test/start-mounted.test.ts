import { createApp, createRouter, intended, type Router } from '@fairlead/core';
import { type Constructor, createContainer } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import {
  All,
  Controller,
  controllersPlugin,
  Get,
  Param,
  registerController,
  StartError,
} from '../src/index.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';

const locationOf = locationsIn(import.meta.url);

@Controller('/notes')
class NotesController {
  @Get('/:id/:part')
  read(@Param('ID') id: string) {
    return id;
  }
}

@Controller('/plain')
class PlainController {
  @Get()
  read(@Param('id') id: string) {
    return id;
  }
}

@Controller('/files')
class FilesController {
  @All('/named/*path')
  named(@Param('path') path: string) {
    return path;
  }

  @Get('/rest/*')
  rest(@Param('*') rest: string) {
    return rest;
  }
}

@Controller('/tenant')
class TenantController {
  @Get()
  read(@Param('tenant') tenant: string) {
    return tenant;
  }
}

@Controller('/pages')
class PagesController {
  @Get()
  @Get('/:page')
  list(@Param('page', { required: false }) page = '1') {
    return page;
  }

  @Get('/default')
  @Get('/default/:page')
  byDefault(@Param('page', { default: '1' }) page: string) {
    return page;
  }
}

@Controller('/images')
class ImagesController {
  @Get('/:width-:height/:file.png')
  read(
    @Param('width') width: string,
    @Param('height') height: string,
    @Param('file') file: string,
  ) {
    return { width, height, file };
  }
}

@Controller('/required')
class RequiredController {
  @Get()
  @Get('/:page')
  list(@Param('page') page: string) {
    return page;
  }
}

@Controller('/optional')
class OptionalController {
  @Get()
  read(@Param('tenant', { required: false }) tenant?: string) {
    return tenant;
  }
}

/** Creates an application with the plugin, whose router is mounted at prefixes. */
async function install(
  controllers: readonly Constructor[],
  prefixes: readonly string[],
  router: Router = createRouter(),
  warn: (message: string) => void = vi.fn(),
) {
  const app = createApp();
  const logger = { warn, debug: warn };
  await app.plugin(
    controllersPlugin({ router, container: createContainer(), controllers, logger }),
  );
  for (const prefix of prefixes) app.route(prefix, router);
  return app;
}

describe('an application seals', () => {
  it.each([
    ['parameters of routes, including wildcards', FilesController, ['/']],
    ['parameters with text around them', ImagesController, ['/']],
    ['parameters of a mount prefix', TenantController, ['/:tenant']],
    ['parameters of one of several mount prefixes', TenantController, ['/:tenant', '/own']],
    ['optional parameters of one route of the method', PagesController, ['/']],
  ])('with %s', async (_, controller, prefixes) => {
    const app = await install([controller], prefixes);
    expect(() => app.seal()).not.toThrow();
  });

  it('with a router that is mounted through another router', async () => {
    const router = createRouter();
    const outer = createRouter().route('/:tenant', router);
    const app = await install([TenantController], [], router);
    expect((await app.route('/', outer).request('/a/tenant')).status).toBe(200);
  });

  it('with a plugin without routes and without a mounted router', async () => {
    const app = createApp();
    const logger = { debug() {}, warn() {} };
    await app.plugin(controllersPlugin({ router: createRouter(), logger }));
    expect(() => app.seal()).not.toThrow();
  });

  it('with unchecked routes of registerController', async () => {
    const router = createRouter();
    registerController(router, NotesController, { container: createContainer() });
    expect((await createApp().route('/', router).request('/notes/1/2')).status).toBe(400);
  });
});

describe('an application warns of', () => {
  async function warningsOf(
    controller: Constructor,
    prefixes: readonly string[],
    router?: Router,
  ): Promise<readonly string[]> {
    const warn = vi.fn();
    (await install([controller], prefixes, router, warn)).seal();
    return warn.mock.calls.map(([text]) => text);
  }

  it('a router that is not mounted, unless it is intended', async () => {
    expect(await warningsOf(NotesController, [])).toEqual([
      message(
        '[controllers] the routes of the controllers are unreachable: their router is not mounted.',
        "Fix: mount it: app.route('/', router). If another application mounts it, pass the router to intended().",
      ),
    ]);
    expect(await warningsOf(NotesController, [], intended(createRouter()))).toEqual([]);
  });

  it('an optional parameter that no route of its method has, unless the class is intended', async () => {
    expect(await warningsOf(OptionalController, ['/tenants/:tenant'])).toEqual([]);
    expect(await warningsOf(OptionalController, ['/'])).toEqual([
      message(
        "[controllers] parameter 0 of OptionalController.read is never present: @Param('tenant') does not match a parameter of GET /optional.",
        `At: ${locationOf('OptionalController', '@Get')}`,
        "Fix: add '/:tenant' to the path, or remove the parameter. If it may always be absent, pass the class to intended().",
      ),
    ]);
    expect(await warningsOf(intended(OptionalController), ['/'])).toEqual([]);
  });
});

describe('an application does not seal for', () => {
  it('a @Param() that is not in the pattern', async () => {
    const app = await install([NotesController], ['/api/:version']);
    expect(() => app.seal()).toThrow(
      expect.objectContaining({
        name: 'RouteRegistrationError',
        handler: 'NotesController.read',
        message: message(
          "Cannot register the route NotesController.read: @Param('ID') does not match a parameter of GET /api/:version/notes/:id/:part.",
          `At: ${locationOf('NotesController', '@Get')}`,
          "Fix: use one of 'version', 'id', 'part', or add '/:ID' to the path.",
        ),
      }),
    );
  });

  it('a @Param() of a pattern without parameters', async () => {
    const app = await install([PlainController], ['/', '/again']);
    expect(() => app.seal()).toThrow(
      message(
        "Cannot register the route PlainController.read: @Param('id') does not match a parameter of GET /plain or GET /again/plain.",
        `At: ${locationOf('PlainController', '@Get')}`,
        "Fix: add '/:id' to the path, or remove the parameter.",
      ),
    );
  });

  it('a required parameter that one route of its method lacks', async () => {
    const app = await install([RequiredController], ['/']);
    expect(() => app.seal()).toThrow("@Param('page') does not match a parameter of GET /required.");
  });

  it('a @Param() that is in no pattern of its method, which is one problem', async () => {
    @Controller('/users')
    class UsersController {
      @Get('/:id?')
      read(@Param('idd') id: string) {
        return id;
      }
    }
    const app = await install([UsersController], ['/']);
    expect(() => app.seal()).toThrow(
      message(
        "Cannot register the route UsersController.read: @Param('idd') does not match a parameter of GET /users or GET /users/:id.",
        `At: ${locationOf('UsersController', '@Get')}`,
        "Fix: use 'id', or add '/:idd' to the path.",
      ),
    );
  });

  it('a required parameter that several routes of its method lack, which is one problem', async () => {
    @Controller('/teams')
    class TeamsController {
      @Get(['/', '/:id', '/all'])
      read(@Param('id') id: string) {
        return id;
      }
    }
    const app = await install([TeamsController], ['/']);
    expect(() => app.seal()).toThrow(
      message(
        "Cannot register the route TeamsController.read: @Param('id') does not match a parameter of GET /teams or GET /teams/all.",
        `At: ${locationOf('TeamsController', '@Get')}`,
        'Fix: pass { required: false }, or remove the path without the parameter.',
      ),
    );
  });

  it('each @Param() of a method that is not in the pattern', async () => {
    @Controller('/users')
    class UsersController {
      @Get('/:id?')
      read(@Param('a') _a: string, @Param('b') _b: string) {}
    }
    const app = await install([UsersController], ['/']);
    expect(() => app.seal()).toThrow('The controllers cannot start: 2 problems.');
  });

  it('several problems, in one error', async () => {
    const app = await install([NotesController, PlainController], ['/']);
    expect(() => app.seal()).toThrow(StartError);
    expect(() => app.seal()).toThrow('The controllers cannot start: 2 problems.');
  });
});
