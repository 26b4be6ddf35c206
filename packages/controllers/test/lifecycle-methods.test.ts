import { type ContainerInterface, createContainer, Inject, Service } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { Controller, Get, UseGuard } from '../src/index.js';
import { serve } from './support/serve.js';

const log: string[] = [];

@Controller()
class HealthController {
  @Get()
  read() {}
}

describe('lifecycle methods of other frameworks', () => {
  class Base {
    onModuleInit() {
      log.push('called');
    }
  }

  @Service({ scope: 'request' })
  class Database extends Base {
    onModuleDestroy() {}
  }

  @Service()
  class Guard {
    canActivate() {
      return true;
    }
    beforeApplicationShutdown() {}
  }

  @Controller()
  @UseGuard(Guard)
  @Service({ scope: 'request' })
  class HookedController {
    constructor(
      readonly database: Database,
      @Inject('mailer') readonly mailer: unknown,
    ) {}
    @Get()
    read() {}
    onApplicationBootstrap() {}
  }

  class Mailer {
    onApplicationShutdown() {}
  }

  const warnings = async (options: Parameters<typeof serve>[0]) => {
    const warn = vi.fn();
    await serve({ ...options, logger: { debug: vi.fn(), warn } });
    return warn.mock.calls.flat();
  };

  it('cause one warning that names all of them and the replacement', async () => {
    const container = createContainer().register('mailer', { useClass: Mailer });

    expect(await warnings({ container, controllers: [HookedController] })).toEqual([
      '[controllers] nothing calls the lifecycle methods ' +
        'HookedController.onApplicationBootstrap(), Guard.beforeApplicationShutdown(), ' +
        'Database.onModuleInit(), Database.onModuleDestroy(), Mailer.onApplicationShutdown().\n' +
        '  Fix: do startup work in the constructor or in an asynchronous factory, with eager: true ' +
        'if nothing depends on the class. Release resources in [Symbol.asyncDispose]() or ' +
        '[Symbol.dispose](), which app.close() calls. If your code calls them, pass the class to intended().',
    ]);
    expect(log).toEqual([]);
  });

  it('cause a warning for the controllers of another container', async () => {
    const container: ContainerInterface = {
      resolve: (() => ({ canActivate() {}, read() {} })) as ContainerInterface['resolve'],
    };

    expect(await warnings({ container, controllers: [HookedController] })).toEqual([
      expect.stringContaining(
        'HookedController.onApplicationBootstrap(), Guard.beforeApplicationShutdown().',
      ),
    ]);
  });

  it('cause no warning in classes that are never built', async () => {
    const container = createContainer().register(Mailer);

    expect(await warnings({ container, controllers: [HealthController] })).toEqual([]);
  });
});
