import { createContainer, Inject, Service } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { Controller, defineController, Get, UseGuard, UseMiddleware } from '../src/index.js';
import { serve } from './support/serve.js';

describe('a request-scoped controller', () => {
  it('may depend on an asynchronous provider', async () => {
    @Controller()
    @Service({ scope: 'request' })
    class LateController {
      constructor(@Inject('tenant') private readonly tenant: string) {}

      @Get()
      read() {
        return { tenant: this.tenant };
      }
    }
    const container = createContainer();
    container.register('tenant', { useFactory: async () => 'acme' }, { scope: 'request' });
    const { fetch } = await serve({ container, controllers: [LateController] });
    expect(await (await fetch('/')).json()).toEqual({ tenant: 'acme' });
  });

  it('responds with 500 and a ControllerResolutionError if an asynchronous provider fails', async () => {
    @Controller()
    @Service({ scope: 'request' })
    class LateController {
      constructor(@Inject('tenant') readonly tenant: string) {}

      @Get()
      read() {}
    }
    const container = createContainer();
    const useFactory = () => Promise.reject(new Error('unreachable'));
    container.register('tenant', { useFactory }, { scope: 'request' });
    const { fetch, hidden } = await serve({ container, controllers: [LateController] });
    expect((await fetch('/')).status).toBe(500);
    expect(hidden).toMatchObject([{ name: 'ControllerResolutionError' }]);
  });

  it('responds with 500 and a ControllerResolutionError if it cannot be built', async () => {
    @Controller()
    @Service({ scope: 'request' })
    class BrokenController {
      constructor() {
        throw new Error('pool exhausted');
      }

      @Get()
      read() {
        return {};
      }
    }
    const { fetch, hidden } = await serve({ controllers: [BrokenController] });
    const response = await fetch('/');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('pool exhausted');
    expect(hidden).toMatchObject([{ name: 'ControllerResolutionError' }]);
  });
});

describe('an asynchronous dependency of a transient', () => {
  class Transaction {
    constructor(@Inject('transaction') readonly transaction: object) {}
  }

  @Service({ scope: 'transient' })
  class TransactionGuard extends Transaction {
    canActivate() {
      return true;
    }
  }

  @Service({ scope: 'transient' })
  class TransactionMiddleware extends Transaction {
    use(_ctx: unknown, next: () => unknown) {
      return next();
    }
  }

  @Controller()
  @Service({ scope: 'transient' })
  class TransactionController extends Transaction {
    @Get()
    read() {}
  }

  @Controller()
  class GuardedController {
    @Get()
    @UseGuard(TransactionGuard)
    read() {}
  }

  @Controller()
  class WrappedController {
    @Get()
    @UseMiddleware(TransactionMiddleware)
    read() {}
  }

  const transactions = defineController('/', {
    scope: 'request',
    inject: { transaction: 'transaction' },
    routes: ({ get }) => ({ read: get('/', () => undefined) }),
  });

  it.each([
    ['controller', TransactionController],
    ['guard', GuardedController],
    ['middleware', WrappedController],
    ['value', transactions],
  ])('is built once for each request to a %s', async (_, controller) => {
    const useFactory = vi.fn(async () => ({}));
    const container = createContainer();
    container.register('transaction', { useFactory }, { scope: 'transient' });
    const { fetch } = await serve({ container, controllers: [controller] });
    expect((await fetch('/')).status).toBe(204);
    expect(useFactory).toHaveBeenCalledTimes(1);
  });
});
