import { type Application, type Context, createApp, createRouter } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { createContainer, Inject, Service, token } from '@fairlead/di';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  Controller,
  type ControllersPluginOptions,
  Ctx,
  controllersPlugin,
  createRouteMetadata,
  defineController,
  Get,
  HttpCode,
  Param,
  Post,
  Redirect,
  StartError,
  UseGuard,
  UseMiddleware,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';
import { controllerSource, writeTree } from './support/tree.js';

const locationOf = locationsIn(import.meta.url);

interface Queue {
  send(): void;
}

const QUEUE = token<Queue>('Queue');

class Database {}

@Service()
class Mailer {
  constructor() {
    throw new TypeError("Cannot read properties of undefined (reading 'host')");
  }
}

/** The titles of the problems of an error. */
function titlesOf(error: unknown): string[] {
  const { problems }: { readonly problems?: readonly Error[] } = error as StartError;
  return (problems ?? [error as Error]).map((problem) => problem.message.split('\n')[0] ?? '');
}

/** Installs a plugin that must fail, and returns its error. */
function installError(app: Application, options: Partial<ControllersPluginOptions>) {
  const plugin = controllersPlugin({
    router: createRouter(),
    container: createContainer(),
    ...options,
  });
  return app.plugin(plugin).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a startup', () => {
  @Controller('/orders')
  class OrdersController {
    constructor(
      @Inject(QUEUE) readonly queue: Queue,
      readonly mailer: Mailer,
    ) {}

    @Get('/:id', { sumary: 'Read' } as object)
    read() {}
  }

  @Controller('/items')
  class ItemsController {
    constructor(readonly database: Database) {}

    @Get()
    list() {}
  }

  it('reports five mistakes of different phases on one screen', async () => {
    const root = await writeTree({
      'a.ts': controllerSource('A'),
      'b.ts': controllerSource('B').replace('export', ''),
    });
    const container = createContainer().register(QUEUE, {
      useFactory: () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:5672')),
    });
    const controllers = [OrdersController, ItemsController];
    const error = await installError(createApp(), {
      root,
      container,
      controllers,
      strict: true,
      strictt: true,
    } as object);

    expect(error).toBeInstanceOf(StartError);
    expect(titlesOf(error)).toEqual([
      "controllersPlugin() has no option 'strictt'. Did you mean 'strict'?",
      'Discovery failed: B has @Controller(), but its file does not export it, so its routes are not registered.',
      "Cannot register the route OrdersController.read: @Get() has no option 'sumary'. Did you mean 'summary'?",
      'Cannot resolve the controller ItemsController: Nothing provides Database (parameter 0 of ItemsController).',
      expect.stringMatching(/^Cannot resolve .*: Building token\(Queue\) failed: connect ECONN/),
      expect.stringMatching(/^Cannot resolve .*: Building Mailer failed: Cannot read properties/),
    ]);
    const rows = String(error)
      .split('\n')
      .reduce((count, line) => count + Math.max(1, Math.ceil(line.length / 100)), 0);
    expect(rows).toBeLessThanOrEqual(40);
  });

  it('reports problems of the application with those of a plugin', async () => {
    const app = createApp()
      .route(
        '/',
        createRouter().get('/orders', () => {}),
      )
      .route(
        '/',
        createRouter().get('/orders', () => {}),
      );
    const error = await installError(app, { controllers: [ItemsController] });

    expect(titlesOf(error)).toEqual([
      expect.stringContaining('Nothing provides Database'),
      expect.stringContaining('GET /orders matches the same paths as GET /orders'),
    ]);
  });

  it('leaves the problems of the application to seal() if the plugin has none', async () => {
    const app = createApp()
      .route(
        '/',
        createRouter().get('/orders', () => {}),
      )
      .route(
        '/',
        createRouter().get('/orders', () => {}),
      );

    const logger = { debug() {}, warn() {} };
    expect(await installError(app, { controllers: [], logger })).toBeUndefined();
    expect(() => app.seal()).toThrow('GET /orders');
  });

  it('reports what a controller without routes cannot resolve', async () => {
    @Controller()
    class EmptyController {
      constructor(readonly database: Database) {}
    }
    const error = await failStart([EmptyController]);

    expect(titlesOf(error)).toEqual([
      'EmptyController has no routes.',
      expect.stringContaining('Nothing provides Database'),
    ]);
  });

  it('does not build what depends on something that failed', async () => {
    const log: string[] = [];
    class Failing {
      static readonly inject = [QUEUE] as const;
      constructor() {
        log.push('failing');
      }

      canActivate() {
        return true;
      }
    }
    const container = createContainer()
      .register(QUEUE, {
        useFactory: () => {
          log.push('queue');
          throw new Error('no queue');
        },
      })
      .register(Failing);
    @Controller('/1')
    @UseGuard(Failing)
    class FirstController {
      static readonly inject = [Failing] as const;
      @Get()
      read() {}
    }
    @Controller('/2')
    class SecondController extends FirstController {}

    const error = await failStart([FirstController, SecondController], { container });
    expect(titlesOf(error)).toEqual([expect.stringContaining('no queue')]);
    expect(log).toEqual(['queue']);
  });

  it('reports instances of the wrong kind together with other problems, each once', async () => {
    @Controller('/1')
    @UseMiddleware('audit')
    class FirstController {
      @Get()
      list() {}

      @Get('/:id')
      @UseGuard('admin')
      @UseGuard()
      read() {}
    }
    @Controller('/2')
    @UseMiddleware('audit')
    class SecondController {
      @Get()
      list() {}
    }
    const container = createContainer()
      .register('audit', { useValue: 7 })
      .register('admin', { useValue: {} });
    const error = await failStart([FirstController, SecondController], { container });

    expect(titlesOf(error)).toEqual([
      expect.stringContaining('FirstController.read: @UseGuard() has no arguments'),
      expect.stringContaining(
        "the middleware 'audit' of FirstController.list: the container returned 7",
      ),
      expect.stringContaining(
        "the guard 'admin' of FirstController.read: the container returned an",
      ),
    ]);
  });

  it('builds singletons that only a request-scoped controller needs', async () => {
    @Controller()
    @Service({ scope: 'request' })
    class SessionController {
      constructor(readonly mailer: Mailer) {}

      @Get()
      read() {}
    }
    const error = await failStart([SessionController]);

    expect(titlesOf(error)).toEqual([expect.stringContaining('Building Mailer failed')]);
  });
});

describe('one problem for each cause', () => {
  it('lists who needs what nothing provides', async () => {
    const controllers = Array.from({ length: 10 }, (_, index) => {
      @Controller(`/${index}`)
      class Generated {
        constructor(readonly database: Database) {}

        @Get()
        read() {}
      }
      return Object.defineProperty(Generated, 'name', { value: `C${index}` });
    });
    const error = await failStart(controllers);

    expect(titlesOf(error)).toEqual([
      'Cannot resolve the controller C0: Nothing provides Database (parameter 0 of C0; also needed by C1, C2, C3 and 6 more).',
    ]);
  });

  it('counts the classes for which the compiler emitted no types', async () => {
    const controllers = Array.from({ length: 4 }, (_, index) => {
      class Generated {
        constructor(readonly database: Database) {}

        read() {}
      }
      const descriptor = { value: Generated.prototype.read };
      Get()(Generated.prototype, 'read', descriptor);
      Controller(`/${index}`)(Generated);
      return Object.defineProperty(Generated, 'name', { value: `C${index}` });
    });
    const error = await failStart(controllers);

    expect(titlesOf(error)).toEqual([
      expect.stringMatching(/emitted no types .* The same applies to C1, C2 and C3\.$/),
    ]);
  });

  const response = { 200: z.object({}) };
  const undescribed = (handler: string) =>
    `Cannot register the route ${handler}: its status is 201, but its response describes only 200.`;

  it('reports a decorator once, however many paths it has', async () => {
    @Controller('/users')
    class Users {
      @Get('/:id?', { response })
      @HttpCode(201)
      read() {
        return {};
      }

      @Get(['/first', '/second'], { response, status: 201 })
      list() {
        return {};
      }
    }
    const pages = defineController('/pages', {
      routes: ({ on }) => ({
        list: on(
          ['GET', 'POST'],
          ['/first', '/second'],
          { response, status: 201 } as object,
          () => ({}),
        ),
      }),
    });
    expect(titlesOf(await failStart([Users, pages]))).toEqual([
      undescribed('Users.read'),
      undescribed('Users.list'),
      undescribed('pages.list'),
    ]);
  });

  it('reports each decorator of a method', async () => {
    @Controller('/users')
    class Users {
      @Get('/:id?', { response })
      @Post('/', { response: { 202: z.object({}) } })
      @HttpCode(201)
      read() {
        return {};
      }
    }
    expect(titlesOf(await failStart([Users]))).toEqual([
      undescribed('Users.read'),
      undescribed('Users.read').replace('200', '202'),
    ]);
  });

  it('reports a method once, however many classes inherit it', async () => {
    abstract class Base {
      @Get('/old')
      @Redirect('')
      old() {}

      @Get('/new', { response, status: 201 })
      renewed() {
        return {};
      }
    }
    @Controller('/first')
    class First extends Base {}
    @Controller('/second')
    class Second extends Base {}
    const error = await failStart([First, Second]);
    expect(titlesOf(error)).toEqual([
      'Cannot register the route Base.old: the URL of its redirect is empty.',
      undescribed('Base.renewed'),
    ]);
    expect(error.message).toContain(locationOf('Base', "@Get('/old')"));
  });

  it('reports a method of each class that declares it', async () => {
    abstract class Base {
      @Get('/old')
      @Redirect('')
      old() {}
    }
    @Controller('/first')
    class First extends Base {
      override old() {}
    }
    @Controller('/second')
    class Second extends Base {
      @Redirect('/:url')
      override old() {}
    }
    expect(titlesOf(await failStart([First, Second]))).toEqual([
      'Cannot register the route First.old: the URL of its redirect is empty.',
      expect.stringMatching(/^Cannot register the route Second\.old: .*':url'/),
    ]);
  });

  it('reports guards that an exemption of the same method contradicts once', async () => {
    const signedIn = () => true;
    const Open = createRouteMetadata<boolean>('Open', {
      describedGuard: 'sign-in',
      exempts: (isOpen) => isOpen,
    });
    const admin = describeFunction(signedIn, { role: 'guard', name: 'admin', after: ['sign-in'] });
    abstract class Base {
      @Get()
      @Open(true)
      @UseGuard(admin)
      read() {}
    }
    @Controller('/first')
    class First extends Base {}
    @Controller('/second')
    class Second extends Base {}
    expect(titlesOf(await failStart([First, Second]))).toEqual([
      'Cannot register the route Base.read: @Open() opens what admin of the same method restricts.',
    ]);
  });
});

describe('@Param() names are reported', () => {
  @Controller('/notes')
  class NotesController {
    @Get('/:id')
    read(@Param('ID') id: string) {
      return id;
    }
  }

  @Controller('/tenants')
  class TenantController {
    @Get()
    read(@Param('tenant') tenant: string) {
      return tenant;
    }
  }

  @Controller('/files')
  class FilesController {
    @Get('/:name')
    read(@Param(':name') name: string) {
      return name;
    }
  }

  it('during the installation if no pattern can contain them', async () => {
    const error = await failStart([FilesController]);
    expect(titlesOf(error)).toEqual([
      "Cannot register the route FilesController.read: @Param(':name') does not match a parameter of GET /files/:name.",
    ]);
    expect(error.message).toContain("Fix: use 'name'.");
  });

  it('with other problems if the route has a parameter of a similar name', async () => {
    const controllers = [NotesController, TenantController, FilesController];
    expect(titlesOf(await failStart(controllers, { prefix: '/api' }))).toEqual([
      expect.stringContaining(
        "@Param(':name') does not match a parameter of GET /api/files/:name.",
      ),
      expect.stringContaining("@Param('ID') does not match a parameter of GET /api/notes/:id."),
    ]);
  });

  it('with other problems if nothing reads the parameter of the route', async () => {
    @Controller('/clocks')
    class ClocksController {
      @Get('/:id')
      read(@Param('clock') clock: string) {
        return clock;
      }

      @Get('/:id/raw')
      raw(@Param('tenant') _tenant: string, @Ctx() ctx: Context) {
        return ctx.params;
      }

      @Get('/:id/times/:time')
      time(
        @Param('tenant') _tenant: string,
        @Param('id') _id: string,
        @Param('time') time: string,
      ) {
        return time;
      }
    }
    expect(titlesOf(await failStart([ClocksController, FilesController]))).toEqual([
      expect.stringContaining("@Param(':name') does not match a parameter of GET /files/:name."),
      expect.stringContaining("@Param('clock') does not match a parameter of GET /clocks/:id."),
    ]);
  });

  it('with other problems, once for all paths of a method', async () => {
    @Controller('/clocks')
    class ClocksController {
      @Get('/:id?')
      @Post('/all/:zone')
      read(@Param('clock') clock: string) {
        return clock;
      }
    }
    expect(titlesOf(await failStart([ClocksController, FilesController]))).toEqual([
      expect.stringContaining("@Param(':name') does not match a parameter of GET /files/:name."),
      expect.stringContaining(
        "@Param('clock') does not match a parameter of GET /clocks or GET /clocks/:id or POST /clocks/all/:zone.",
      ),
    ]);
  });

  it('not before the router is mounted if a mount prefix may contain them', async () => {
    const options = { controllers: [NotesController, TenantController] };
    expect(await installError(createApp(), options)).toBeUndefined();
  });
});

describe('a factory that does not settle', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is named in one warning after 10 seconds, with the known problems, and awaited', async () => {
    const { promise, resolve } = Promise.withResolvers<Queue>();
    const container = createContainer().register(QUEUE, { useFactory: () => promise });
    const logger = { debug: vi.fn(), warn: vi.fn<(text: string) => void>() };
    @Controller()
    class QueueController {
      constructor(@Inject(QUEUE) readonly queue: Queue) {}

      @Get()
      @HttpCode(99)
      read() {}
    }
    const failing = installError(createApp(), {
      container,
      logger,
      controllers: [QueueController],
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(logger.warn).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(logger.warn.mock.calls.flat()).toEqual([
      `[controllers] ${message(
        'still waiting for token(Queue) after 10 seconds.',
        'Fix: make its factory settle, for example with a timeout.',
      )}`,
      expect.stringContaining('the startup will fail: Cannot register the route QueueController'),
    ]);
    resolve({ send() {} });
    expect(titlesOf(await failing)).toEqual([expect.stringContaining('QueueController.read')]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not named if it settles in time', async () => {
    const container = createContainer().register(QUEUE, {
      useFactory: async () => ({ send() {} }),
    });
    const logger = { debug: vi.fn(), warn: vi.fn() };
    @Controller()
    class QueueController {
      constructor(@Inject(QUEUE) readonly queue: Queue) {}

      @Get()
      read() {}
    }
    expect(
      await installError(createApp(), { container, logger, controllers: [QueueController] }),
    ).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
    expect(logger.warn).not.toHaveBeenCalled();
  });
});
