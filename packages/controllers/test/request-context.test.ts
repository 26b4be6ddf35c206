import type { Context } from '@fairlead/core';
import { type ContainerInterface, createContainer, Service } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { type CanActivate, Controller, Get, RequestContext, UseGuard } from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { serve } from './support/serve.js';

@Service({ scope: 'request' })
class Locale {
  constructor(private readonly ctx: RequestContext) {}

  get name() {
    return this.ctx.get('accept-language') ?? 'en';
  }
}

@Service({ scope: 'transient' })
class LocaleGuard implements CanActivate {
  constructor(
    private readonly ctx: RequestContext,
    private readonly locale: Locale,
  ) {}

  canActivate(ctx: Context) {
    return ctx === this.ctx && this.locale.name !== 'xx';
  }
}

@Controller('/greeting')
@UseGuard(LocaleGuard)
@Service({ scope: 'request' })
class GreetingController {
  static readonly inject = [Locale, RequestContext] as const;

  constructor(
    private readonly locale: Locale,
    private readonly ctx: Context,
  ) {}

  @Get()
  read() {
    return { locale: this.locale.name, path: this.ctx.path };
  }
}

@Controller()
class KeepingController {
  constructor(readonly ctx: RequestContext) {}

  @Get()
  read() {
    return {};
  }
}

describe('RequestContext', () => {
  it.each([
    ['a container', createContainer()],
    ['a child container', createContainer().createChild()],
  ])(
    'is the context of the request for services, guards and controllers of %s',
    async (_, container) => {
      const { fetch } = await serve({ container, controllers: [GreetingController] });
      const french = await fetch('/greeting', { headers: { 'accept-language': 'fr' } });
      expect(await french.json()).toEqual({ locale: 'fr', path: '/greeting' });
      const danish = await fetch('/greeting', { headers: { 'accept-language': 'da' } });
      expect(await danish.json()).toEqual({ locale: 'da', path: '/greeting' });
      const denied = await fetch('/greeting', { headers: { 'accept-language': 'xx' } });
      expect(denied.status).toBe(403);
    },
  );

  it('cannot be injected into a singleton', async () => {
    const error = await failStart([KeepingController]);
    expect(error).toMatchObject({ cause: { code: 'DI_CAPTURED_SCOPE' } });
    expect(error.message).toContain('KeepingController would capture RequestContext');
  });

  it('cannot be resolved in a scope that no route has opened', () => {
    const scope = createContainer().createScope();
    expect(() => scope.resolve(Locale)).toThrow('RequestContext is only available in the scope');
  });

  it('can be registered in a scope that no route has opened', () => {
    const scope = createContainer().createScope();
    const ctx = { get: () => 'de' } as unknown as Context;
    scope.register(RequestContext, { useValue: ctx });
    expect(scope.resolve(Locale).name).toBe('de');
  });

  it('stops the startup with a container that has no scopes', async () => {
    const resolve = (token: unknown) =>
      token === KeepingController ? new KeepingController(new RequestContext()) : undefined;
    const container: ContainerInterface = { resolve: resolve as ContainerInterface['resolve'] };
    const error = await failStart([KeepingController], { container });
    expect(error).toMatchObject({ code: 'CONTROLLER_RESOLUTION', cause: { code: 'NO_REQUEST' } });
  });

  it('of another copy of the package stops the startup with the files of both', async () => {
    vi.resetModules();
    const other = await import('../src/index.js');
    @Service({ scope: 'request' })
    class Translator {
      static readonly inject = [other.RequestContext] as const;
      constructor(readonly ctx: Context) {}
    }
    @Controller('/texts')
    @Service({ scope: 'request' })
    class TextController {
      static readonly inject = [Translator] as const;
      constructor(readonly translator: Translator) {}
      @Get()
      read() {
        return this.translator.ctx.path;
      }
    }
    const { message } = await failStart([TextController]);
    const file = 'src/instances/request-scopes.ts';
    expect(message).toContain(
      `Cannot resolve the controller TextController: it depends on the RequestContext of another copy of @fairlead/controllers. The copies are ${file} and ${file}.`,
    );
    expect(message).toContain('\n  At: test/request-context.test.ts:');
    expect(message).toContain('\n  Fix: install one version of @fairlead/controllers.');
  });

  it('is not registered in a container that does not know it', async () => {
    const container = createContainer();
    const other: ContainerInterface = {
      resolve: (token) => container.resolve(token),
      has: () => false,
      createScope: () => container.createScope(),
    };
    @Controller()
    @Service({ scope: 'request' })
    class PlainController {
      @Get()
      read() {
        return { plain: true };
      }
    }
    const { fetch } = await serve({ container: other, controllers: [PlainController] });
    expect(await (await fetch('/')).json()).toEqual({ plain: true });
  });

  it('is what an override provides', async () => {
    const container = createContainer().override(RequestContext, {
      useValue: { path: '/fake' } as never,
    });
    @Controller()
    @Service({ scope: 'request' })
    class PathController {
      constructor(readonly ctx: RequestContext) {}
      @Get()
      read() {
        return this.ctx.path;
      }
    }
    const { fetch } = await serve({ container, controllers: [PathController] });
    expect(await (await fetch('/')).json()).toBe('/fake');
  });
});
