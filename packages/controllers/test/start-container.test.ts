import { createContainer, Service, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { Controller, Get, StartError, UseGuard, UseMiddleware } from '../src/index.js';
import { failStart } from './support/fail-start.js';

@Controller()
class WorkingController {
  @Get('/works')
  read() {
    return {};
  }
}

class Database {
  constructor(readonly url: string) {}
}

@Service()
class Repository {
  constructor(readonly database: Database) {}
}

@Controller('/repository')
class RepositoryController {
  constructor(readonly repository: Repository) {}

  @Get()
  read() {
    return {};
  }
}

const MISSING = token<() => boolean>('MISSING');

describe('install rejects, having registered nothing, for', () => {
  it('a dependency that the container cannot supply, with its path', async () => {
    const error = await failStart([RepositoryController]);
    expect(error).toMatchObject({ name: 'ControllerResolutionError', status: 500 });
    expect(error.message).toMatch(
      /^Cannot resolve the controller RepositoryController: [\s\S]*RepositoryController → Repository → Database/,
    );
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/^DI_/) });
  });

  it('a guard or a middleware that the container cannot supply', async () => {
    @Controller()
    @UseGuard(MISSING)
    @UseMiddleware('missing')
    class TokenController {
      @Get()
      read() {
        return {};
      }
    }
    const error = await failStart([TokenController], { middleware: [Symbol('log')] });
    expect(error).toBeInstanceOf(StartError);
    expect((error as StartError).problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('the middleware Symbol(log) of the plugin'),
      expect.stringContaining('the guard token(MISSING) of TokenController.read'),
      expect.stringContaining("the middleware 'missing' of TokenController.read"),
    ]);
  });

  it('a token of something that is no guard or no middleware', async () => {
    @Controller()
    @UseGuard('guard')
    class TokenController {
      @Get()
      read() {
        return {};
      }
    }
    const container = createContainer();
    container.register('guard', { useValue: { activate: true } });
    container.register('middleware', { useValue: 7 });
    const guard = await failStart([TokenController], { container });
    expect(guard.message).toContain('object of Object, which is no function and no object');
    const middleware = await failStart([WorkingController], {
      container,
      middleware: ['middleware'],
    });
    expect(middleware.message).toContain('supplies 7, which is no function (ctx, next)');
  });

  it('a constructor that throws', async () => {
    @Controller()
    class ThrowingController {
      constructor() {
        throw new Error('no database');
      }

      @Get()
      read() {
        return {};
      }
    }
    const error = await failStart([ThrowingController, WorkingController]);
    expect(error).toMatchObject({ name: 'ControllerResolutionError' });
    expect(error.message).toContain('ThrowingController');
  });

  it('an asynchronous provider that fails', async () => {
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
    container.register('later', { useFactory: () => Promise.reject(new Error('unreachable')) });
    const error = await failStart([AsyncController], { container });
    expect(error).toMatchObject({ name: 'ControllerResolutionError' });
  });

  it('what a container without validate cannot resolve', async () => {
    const resolve = (): never => {
      throw new Error('not mine');
    };
    const error = await failStart([WorkingController, RepositoryController], {
      container: { resolve },
    });
    expect((error as StartError).problems.map(({ message }) => message)).toEqual([
      'Cannot resolve the controller WorkingController: not mine',
      'Cannot resolve the controller RepositoryController: not mine',
    ]);
  });
});
