import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createApp, createRouter, type Router } from '@fairlead/core';
import {
  type ContainerInterface,
  createContainer,
  Inject,
  Service,
  type Token,
} from '@fairlead/di';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  All,
  Controller,
  controllersPlugin,
  Get,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { serve } from './support/serve.js';

@Service()
class Clock {
  now() {
    return 'noon';
  }
}

@Controller('/time')
class TimeController {
  constructor(private readonly clock: Clock) {}

  @Get()
  read() {
    return { now: this.clock.now() };
  }

  @All('/any')
  any() {
    return { any: true };
  }
}

@Controller()
class BareController {
  @Get('bare/')
  read() {
    return { bare: true };
  }
}

describe('controllers', () => {
  it('registers exactly the listed classes, each once', async () => {
    const { plugin } = await serve({
      controllers: [TimeController, BareController, TimeController],
    });
    expect(plugin.state.controllers.map(({ name }) => name)).toEqual([
      'TimeController',
      'BareController',
    ]);
  });
});

describe('without root and controllers', () => {
  it('the plugin warns that there is nothing to register', async () => {
    const logger = { debug: vi.fn(), warn: vi.fn() };
    const { plugin } = await serve({ logger });
    expect(logger.warn.mock.calls).toEqual([
      ['[controllers] no controllers to register: set root, or pass the options to intended()'],
    ]);
    expect(plugin.state).toEqual({ controllers: [], routeCount: 0, initialized: true });
  });

  it('a subscriber of the channel prints the warning instead of the logger', async () => {
    const print = vi.fn(
      (warning: unknown) => void Object.assign(Object(warning), { printed: true }),
    );
    subscribe('fairlead:warning', print);
    onTestFinished(() => void unsubscribe('fairlead:warning', print));
    const logger = { debug: vi.fn(), warn: vi.fn() };
    await serve({ logger });
    expect(print).toHaveBeenCalledOnce();
    expect(logger.warn).not.toHaveBeenCalled();
  });
});

describe('a start without problems', () => {
  it('captures the stacks of its calls, none for a route, and formats none', async () => {
    const { prepareStackTrace } = Error;
    const format = vi.fn();
    const capture = vi.spyOn(Error, 'captureStackTrace');
    onTestFinished(() => {
      Object.assign(Error, { prepareStackTrace });
      capture.mockRestore();
    });
    Error.prepareStackTrace = format;
    const controllers = [TimeController, BareController];
    const router = createRouter();
    const plugin = controllersPlugin({ router, container: createContainer(), controllers });
    await createApp().plugin(plugin);
    expect(capture.mock.calls.map(([, callee]) => callee?.name)).toEqual([
      'controllersPlugin',
      'createApp',
      'plugin',
    ]);
    expect(format).not.toHaveBeenCalled();
  });
});

describe('a second copy of this package', () => {
  it('reads the decorators of the first', async () => {
    vi.resetModules();
    const core = await import('@fairlead/core');
    const copy = await import('../src/index.js');
    expect(copy.controllersPlugin).not.toBe(controllersPlugin);
    const router = core.createRouter();
    const plugin = copy.controllersPlugin({
      router,
      container: createContainer(),
      controllers: [TimeController],
    });
    await core.createApp().plugin(plugin);
    expect(plugin.state.routeCount).toBe(2);
  });
});

describe('a router of another copy of core', () => {
  it.each([
    [
      'controllersPlugin()',
      (router: Router) =>
        createApp().plugin(controllersPlugin({ router, controllers: [BareController] })),
    ],
    ['registerController()', async (router: Router) => registerController(router, BareController)],
  ])('is an error of %s that names the fix', async (call, register) => {
    vi.resetModules();
    const { createRouter: createOther } = await import('@fairlead/core');
    const problem = `${call} cannot use the router: it belongs to a different copy of @fairlead/core than the one that @fairlead/controllers uses.`;
    const error = { code: 'INVALID_OPTION', message: expect.stringContaining(problem) };
    await expect(register(createOther())).rejects.toMatchObject(error);
    await register(createRouter());
  });
});

describe('container', () => {
  it('provides the dependencies of controllers', async () => {
    const container = createContainer();
    container.register(Clock, { useValue: { now: () => 'midnight' } });
    const { fetch } = await serve({ container, controllers: [TimeController] });
    expect(await (await fetch('/time')).json()).toEqual({ now: 'midnight' });
  });

  it('needs only resolve, which is called once at startup and then for each request', async () => {
    const resolve = vi.fn((token: Token) => {
      expect(token).toBe(TimeController);
      return new TimeController({ now: () => `call ${resolve.mock.calls.length}` });
    });
    const container: ContainerInterface = { resolve: resolve as ContainerInterface['resolve'] };
    const { fetch } = await serve({ container, controllers: [TimeController] });
    expect(resolve).toHaveBeenCalledOnce();
    expect(await (await fetch('/time')).json()).toEqual({ now: 'call 2' });
    expect(await (await fetch('/time')).json()).toEqual({ now: 'call 3' });
  });

  it.each([
    [true, 1, 1],
    [false, 0, 2],
  ])('may report whether an instance is shared: %s', async (shared, startup, afterTwo) => {
    const resolve = vi.fn(() => new TimeController({ now: () => 'custom' }));
    const container: ContainerInterface = {
      resolve: resolve as ContainerInterface['resolve'],
      isShared: () => shared,
    };
    const { fetch } = await serve({ container, controllers: [TimeController] });
    expect(resolve).toHaveBeenCalledTimes(startup);
    await fetch('/time');
    await fetch('/time');
    expect(resolve).toHaveBeenCalledTimes(afterTwo);
  });

  it.each([
    ['guard', UseGuard('token')],
    ['middleware', UseMiddleware('token')],
    ['interceptor', UseInterceptor('token')],
  ])('that returns no %s for its token stops the startup', async (kind, decorator) => {
    @Controller()
    @decorator
    class TokenController {
      @Get()
      read() {}
    }
    const resolve = (token: Token) => (token === 'token' ? 7 : new TokenController());
    const container: ContainerInterface = { resolve: resolve as ContainerInterface['resolve'] };
    const error = await failStart([TokenController], { container });
    expect(error.message).toContain(
      `Cannot resolve the ${kind} 'token' of TokenController.read: the container returned 7`,
    );
  });

  it('that returns an object without the method of a route stops the startup', async () => {
    const resolve = () => ({});
    const container: ContainerInterface = { resolve: resolve as ContainerInterface['resolve'] };
    const error = await failStart([BareController], { container });
    expect(error).toMatchObject({ code: 'CONTROLLER_RESOLUTION' });
  });

  it('builds its asynchronous providers at startup', async () => {
    @Controller()
    class AsyncController {
      constructor(@Inject('config') private readonly config: { name: string }) {}

      @Get()
      read() {
        return this.config;
      }
    }
    const container = createContainer();
    container.register('config', { useFactory: async () => ({ name: 'loaded' }) });
    const { fetch } = await serve({ container, controllers: [AsyncController] });
    expect(await (await fetch('/')).json()).toEqual({ name: 'loaded' });
  });
});

describe('plugin.state', () => {
  it('is empty before the plugin is installed', () => {
    const plugin = controllersPlugin({ router: createRouter(), controllers: [TimeController] });
    expect(plugin.state).toEqual({ controllers: [], routeCount: 0, initialized: false });
    expect(plugin.state).toSatisfy(Object.isFrozen);
  });

  it('describes the registered controllers after the plugin is installed, with All() as one route', async () => {
    const { plugin } = await serve({ prefix: '/api', controllers: [TimeController] });
    expect(plugin.state).toMatchObject({
      controllers: [
        {
          controller: TimeController,
          name: 'TimeController',
          prefix: '/time',
          routes: [
            { method: 'GET', path: '/api/time', handler: 'TimeController.read' },
            { method: 'ALL', path: '/api/time/any', handler: 'TimeController.any' },
          ],
        },
      ],
      routeCount: 2,
      initialized: true,
    });
    expect(plugin.state).toSatisfy(Object.isFrozen);
  });

  it('does not change if the installation fails', async () => {
    class NoController {}
    const plugin = controllersPlugin({ router: createRouter(), controllers: [NoController] });
    await expect(createApp().plugin(plugin)).rejects.toThrow('NoController');
    expect(plugin.state.initialized).toBe(false);
  });

  it('contains the options of routes', async () => {
    const response = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ value: 1 }) },
    } as const;
    @Controller()
    class DocumentedController {
      @Get('/', {
        summary: 'Reads',
        description: 'Reads it',
        tags: ['a'],
        deprecated: true,
        response,
      })
      read() {
        return {};
      }
    }
    const { plugin } = await serve({ controllers: [DocumentedController] });
    expect(plugin.state.controllers[0]?.routes[0]).toMatchObject({
      summary: 'Reads',
      description: 'Reads it',
      tags: ['a'],
      deprecated: true,
      response,
    });
  });
});

describe('debug', () => {
  it('logs nothing by default', async () => {
    const logger = { debug: vi.fn(), warn: vi.fn() };
    await serve({ logger, controllers: [TimeController] });
    expect(logger.debug).not.toHaveBeenCalled();
  });

  it('logs each registered class, each route and the count', async () => {
    const logger = { debug: vi.fn(), warn: vi.fn() };
    await serve({ logger, debug: true, prefix: '/api', controllers: [TimeController] });
    expect(logger.debug.mock.calls.flat()).toEqual([
      '[controllers] registered TimeController',
      '[controllers] GET /api/time',
      '[controllers] ALL /api/time/any',
      '[controllers] registered 2 routes',
    ]);
  });

  it('logs to stderr without a logger', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    await serve({ debug: true, controllers: [BareController] });
    expect(stderr.mock.calls).toContainEqual(['[controllers] GET /bare/']);
  });
});

describe('registerController', () => {
  it('registers a single controller on a router', async () => {
    const router = createRouter();
    const container = createContainer();
    const registered = registerController(router, TimeController, { container, prefix: '/api' });
    expect(registered.routes.map(({ path }) => path)).toEqual(['/api/time', '/api/time/any']);
    const app = createApp().route('/', router);
    expect(await (await app.request('/api/time')).json()).toEqual({ now: 'noon' });
  });

  it('explains that asynchronous providers must be built first', () => {
    @Controller()
    class AsyncController {
      static readonly inject = ['later'] as const;
      constructor(readonly later: string) {}

      @Get()
      read() {
        return this.later;
      }
    }
    const container = createContainer();
    container.register('later', { useFactory: async () => 'value' });
    expect(() => registerController(createRouter(), AsyncController, { container })).toThrow(
      /Cannot resolve the controller AsyncController[\s\S]*initialize/,
    );
  });
});
