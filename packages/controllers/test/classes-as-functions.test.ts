import { type Context, createApp, createRouter, type Handler, type Next } from '@fairlead/core';
import { createContainer, Service, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  buildRoutes,
  type CanActivate,
  type ClassInterceptor,
  type ClassMiddleware,
  Controller,
  type ControllersPluginOptions,
  Delete,
  Get,
  Redirect,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { serve } from './support/serve.js';

@Service()
class Journal {
  readonly lines: string[] = [];
}

@Service()
class Audit implements ClassMiddleware, CanActivate, ClassInterceptor {
  constructor(private readonly journal: Journal) {}

  use(ctx: Context, next: Next) {
    this.journal.lines.push(`middleware ${ctx.path}`);
    return next();
  }

  canActivate(ctx: Context) {
    this.journal.lines.push(`guard ${ctx.path}`);
    return ctx.query.deny === undefined;
  }

  intercept(ctx: Context, next: () => unknown) {
    this.journal.lines.push(`interceptor ${ctx.path}`);
    return { intercepted: next() };
  }
}

const ALL = ['middleware /', 'guard /', 'interceptor /'];

@Controller()
class PlainController {
  @Get()
  read() {
    return 'read';
  }
}

@Controller()
@UseMiddleware(Audit)
@UseGuard(Audit)
@UseInterceptor(Audit)
class ClassController extends PlainController {}

@Controller()
class MethodController {
  @Get()
  @UseMiddleware(Audit)
  @UseGuard(Audit)
  @UseInterceptor(Audit)
  read() {
    return 'read';
  }
}

const everywhere: Partial<ControllersPluginOptions> = {
  guards: [Audit],
  middleware: [Audit],
  interceptors: [Audit],
};

describe('a class as middleware, guard and interceptor', () => {
  it.each([
    ['of a class', ClassController, {}],
    ['of a method', MethodController, {}],
    ['of the plugin', PlainController, everywhere],
  ])('%s is built by the container, once', async (_, controller, options) => {
    const container = createContainer();
    const { fetch } = await serve({ container, controllers: [controller], ...options });
    expect(await (await fetch('/')).json()).toEqual({ intercepted: 'read' });
    expect(container.resolve(Journal).lines).toEqual(ALL);
    expect((await fetch('/?deny')).status).toBe(403);
  });

  it('is resolved for each request if it is request-scoped', async () => {
    @Service({ scope: 'request' })
    class Visit {
      static count = 0;
      readonly number = ++Visit.count;
    }
    @Service({ scope: 'request' })
    class Numbering implements ClassMiddleware, ClassInterceptor {
      constructor(private readonly visit: Visit) {}

      use(ctx: Context, next: Next) {
        ctx.set('X-Visit', String(this.visit.number));
        return next();
      }

      intercept(_ctx: Context, next: () => unknown) {
        return [this.visit.number, next()];
      }
    }
    const options = { middleware: [Numbering], interceptors: [Numbering] };
    const { fetch } = await serve({ controllers: [PlainController], ...options });
    const [first, second] = [await fetch('/'), await fetch('/')];
    expect([first.headers.get('x-visit'), await first.json()]).toEqual(['1', [1, 'read']]);
    expect([second.headers.get('x-visit'), await second.json()]).toEqual(['2', [2, 'read']]);
  });

  it('may be replaced on its instance after the start', async () => {
    const container = createContainer();
    const { fetch } = await serve({ container, controllers: [PlainController], ...everywhere });
    container.resolve(Audit).canActivate = () => false;
    expect((await fetch('/')).status).toBe(403);
  });

  it('may stand behind a token', async () => {
    const container = createContainer();
    const AUDIT = token<Audit>('AUDIT');
    container.register(AUDIT, { useExisting: Audit });
    const { fetch } = await serve({
      container,
      controllers: [PlainController],
      guards: [AUDIT],
      middleware: [AUDIT],
      interceptors: [AUDIT],
    });
    expect(await (await fetch('/')).json()).toEqual({ intercepted: 'read' });
    expect(container.resolve(Journal).lines).toEqual(ALL);
  });

  it('is named in the error for a second call of next()', async () => {
    class Doubled implements ClassMiddleware {
      async use(_ctx: Context, next: Next) {
        await next();
        await next();
      }
    }
    const { fetch, hidden } = await serve({
      controllers: [PlainController],
      middleware: [Doubled],
    });
    expect((await fetch('/')).status).toBe(500);
    expect(hidden).toMatchObject([{ message: expect.stringContaining("'Doubled'") }]);
  });
});

describe('options of registerController and buildRoutes', () => {
  it('apply to every route of the class', async () => {
    const container = createContainer();
    const options = { container, ...everywhere };
    const { routes } = registerController(createRouter(), PlainController, options);
    const built = buildRoutes(PlainController, options);
    for (const [route] of [routes, built]) {
      expect(route).toMatchObject(everywhere);
      expect(route?.handlers.map(({ name }) => name)).toEqual(['Audit', 'PlainController.read']);
    }
  });
});

describe('a handler of buildRoutes()', () => {
  @Controller()
  class EmptyController {
    @Delete('/now')
    now() {}

    @Delete('/later')
    async later() {}

    @Get('/elsewhere')
    @Redirect('/there')
    async elsewhere() {}
  }

  it.each([
    ['itself', (handler: Handler) => handler],
    [
      'in another function',
      (handler: Handler): Handler =>
        async (ctx, next) =>
          handler(ctx, next),
    ],
  ])('records a redirect or an empty response, registered %s', async (_, wrap) => {
    const app = createApp();
    for (const { method, path, handlers } of buildRoutes(EmptyController))
      app.on(method, path, wrap(handlers.at(-1) as Handler));
    expect((await app.request('/now', { method: 'DELETE' })).status).toBe(204);
    expect((await app.request('/later', { method: 'DELETE' })).status).toBe(204);
    const redirect = await app.request('/elsewhere');
    expect([redirect.status, redirect.headers.get('Location')]).toEqual([302, '/there']);
  });
});

describe('guards and interceptors of the plugin', () => {
  const note = (text: string) => (ctx: Context) => {
    ctx.state.notes = [...((ctx.state.notes as string[] | undefined) ?? []), text];
    return true;
  };
  const wrap = (text: string) => (ctx: Context, next: () => unknown) => {
    note(text)(ctx);
    return next();
  };

  @UseGuard(note('base guard'))
  @UseInterceptor(wrap('base interceptor'))
  abstract class BaseController {
    @UseGuard(note('overridden guard'))
    @UseInterceptor(wrap('overridden interceptor'))
    read(): unknown {
      return undefined;
    }
  }

  @Controller()
  @UseGuard(note('class guard'))
  @UseInterceptor(wrap('class interceptor'))
  class OrderController extends BaseController {
    @Get()
    @UseMiddleware((ctx, next) => {
      note('method middleware')(ctx);
      return next();
    })
    @UseGuard(note('method guard'))
    @UseInterceptor(wrap('method interceptor'))
    override read() {
      return 'read';
    }
  }

  it('come before those of base classes, the class, overridden methods and the method', async () => {
    const seen: unknown[] = [];
    const { fetch } = await serve({
      controllers: [OrderController],
      guards: [note('plugin guard')],
      interceptors: [
        wrap('plugin interceptor'),
        (ctx, next) => {
          const result = next();
          seen.push(...(ctx.state.notes as string[]));
          return result;
        },
      ],
    });
    expect((await fetch('/')).status).toBe(200);
    expect(seen).toEqual([
      'method middleware',
      'plugin guard',
      'base guard',
      'class guard',
      'overridden guard',
      'method guard',
      'plugin interceptor',
      'base interceptor',
      'class interceptor',
      'overridden interceptor',
      'method interceptor',
    ]);
  });

  it('apply to several controllers', async () => {
    @Controller('/second')
    class SecondController extends PlainController {}
    const { fetch } = await serve({
      controllers: [PlainController, SecondController],
      guards: [(ctx) => ctx.get('X-Key') === 'secret'],
    });
    const headers = { 'X-Key': 'secret' };
    expect((await fetch('/')).status).toBe(403);
    expect((await fetch('/second')).status).toBe(403);
    expect((await fetch('/second', { headers })).status).toBe(200);
  });
});
