import { type Context, createApp, createRouter, intended, type Middleware } from '@fairlead/core';
import { type Constructor, type Container, createContainer, Service } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import {
  buildRoutes,
  type CanActivate,
  Controller,
  ControllerRegistry,
  Ctx,
  createRouteMetadata,
  describeRoutes,
  Get,
  type Guard,
  type GuardContext,
  type GuardFn,
  registerController,
  SkipInheritedGuards,
  UseGuard,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message } from './support/message.js';
import { serve } from './support/serve.js';

const locationOf = locationsIn(import.meta.url);

const Roles = createRouteMetadata<readonly string[]>('roles');
const Cost = createRouteMetadata<number>('cost');

const hasRole: GuardFn = (ctx) => {
  const roles = Roles.get(ctx);
  return roles === undefined || roles.includes(ctx.get('x-role') ?? '');
};

const reportCost: Middleware = (ctx, next) => {
  ctx.set('X-Cost', String(Cost.get(ctx)));
  return next();
};

@Roles(['admin'])
@Cost(1)
abstract class BaseController {
  @Get('/base')
  base(@Ctx() ctx: Context): unknown {
    return [Roles.get(ctx), Cost.get(ctx)];
  }

  @Get('/changed')
  @Roles(['reader'])
  @Cost(2)
  changed(@Ctx() ctx: Context): unknown {
    return [Roles.get(ctx), Cost.get(ctx)];
  }
}

@Controller()
@UseGuard(hasRole)
@Cost(3)
class DerivedController extends BaseController {
  @Cost(4)
  override changed(ctx: Context) {
    return super.changed(ctx);
  }
}

@Controller('/plain')
class PlainController {
  @Get()
  read(@Ctx() ctx: Context) {
    return { cost: Cost.get(ctx) ?? 'none' };
  }
}

const options = { controllers: [DerivedController, PlainController], middleware: [reportCost] };

const Tags = createRouteMetadata<readonly string[]>('tags', {
  merge: (outer, inner) => [...outer, ...inner],
});

@Tags(['base'])
abstract class TaggedBaseController {
  @Get('/changed')
  @Tags(['overridden'])
  changed(@Ctx() ctx: Context): unknown {
    return Tags.get(ctx);
  }

  @Get('/inherited')
  inherited(@Ctx() ctx: Context): unknown {
    return Tags.get(ctx);
  }
}

@Controller('/tagged')
@Tags(['class above'])
@Tags(['class below'])
class TaggedController extends TaggedBaseController {
  @Tags(['method'])
  override changed(ctx: Context) {
    return super.changed(ctx);
  }
}

@Controller('/stacked')
class StackedController {
  @Get()
  @Cost(1)
  @Cost(2)
  read(@Ctx() ctx: Context) {
    return Cost.get(ctx);
  }
}

describe('metadata with merge', () => {
  it('merges base classes, the class, overridden methods and the method, in this order', async () => {
    const { fetch } = await serve({ controllers: [TaggedController] });
    const changed = await fetch('/tagged/changed');
    expect(await changed.json()).toEqual([
      'base',
      'class above',
      'class below',
      'overridden',
      'method',
    ]);
  });

  it('keeps a value that nothing merges with', async () => {
    const { fetch } = await serve({ controllers: [TaggedController] });
    const inherited = await fetch('/tagged/inherited');
    expect(await inherited.json()).toEqual(['base', 'class above', 'class below']);
  });

  it('is merged in the definition', () => {
    const [changed] = new ControllerRegistry().register(TaggedController).routes;
    expect(Tags.get({ metadata: changed?.metadata ?? new Map() })).toHaveLength(5);
  });
});

describe('metadata of a route', () => {
  it('is that of the upper one of two decorators', async () => {
    const { fetch } = await serve({ controllers: [StackedController] });
    expect(await (await fetch('/stacked')).json()).toBe(1);
  });

  it('is read by middleware, guards and the method', async () => {
    const { fetch } = await serve(options);
    expect((await fetch('/base')).status).toBe(403);
    const allowed = await fetch('/base', { headers: { 'x-role': 'admin' } });
    expect(await allowed.json()).toEqual([['admin'], 3]);
    expect(allowed.headers.get('x-cost')).toBe('3');
  });

  it("prefers the method's over the class's, each from the nearest class that declares it", async () => {
    const { fetch } = await serve(options);
    const changed = await fetch('/changed', { headers: { 'x-role': 'reader' } });
    expect(await changed.json()).toEqual([['reader'], 4]);
  });

  it('is undefined if no decorator sets it', async () => {
    const { fetch } = await serve(options);
    const plain = await fetch('/plain');
    expect(await plain.json()).toEqual({ cost: 'none' });
    expect(plain.headers.get('x-cost')).toBe('undefined');
  });

  it('adds no handler to a route without any', () => {
    expect(buildRoutes(PlainController)[0]?.handlers).toHaveLength(1);
  });

  it('is in the definition, by its decorator', () => {
    const [base, changed] = new ControllerRegistry().register(DerivedController).routes;
    const values = [...(base?.metadata ?? [])].map(([{ name }, value]) => [name, value]);
    expect(values).toEqual([
      ['cost', 3],
      ['roles', ['admin']],
    ]);
    expect(Roles.get({ metadata: changed?.metadata ?? new Map() })).toEqual(['reader']);
  });
});

const isOwner: GuardFn = (ctx) => ctx.get('x-owner') === String(Owner.get(ctx));
const Owner = createRouteMetadata<string>('Owner', { guard: isOwner });

abstract class OwnedController {
  @Get('/owned')
  @UseGuard(isOwner)
  owned() {}
}

@Controller('/notes')
class NotesController extends OwnedController {
  @Get()
  @Owner('Ada')
  list() {}

  @Get('/:id')
  @Owner('Ada')
  @UseGuard(isOwner)
  read() {}

  @Owner('Ada')
  @SkipInheritedGuards()
  override owned() {}
}

@Controller('/drafts')
@Owner('Grace')
class DraftsController {
  @Get()
  list() {}
}

describe('metadata for a guard', () => {
  it('stops the startup if the guard does not check a route with a value', async () => {
    const error = await failStart([NotesController, DraftsController]);
    expect(error).toMatchObject({
      code: 'GUARD_MISSING',
      message: message(
        '@Owner() has no effect on NotesController.owned, NotesController.list and DraftsController.list: the guard isOwner does not check the requests.',
        `At: ${locationOf('NotesController')}`,
        'Fix: add isOwner to the option guards, or decorate the class or the method with @UseGuard(isOwner).',
      ),
    });
    expect(() => registerController(createRouter(), DraftsController)).toThrow(
      '@Owner() has no effect on DraftsController.list',
    );
    const options = { guards: intended([]) };
    expect(() => registerController(createRouter(), DraftsController, options)).not.toThrow();
  });

  describe('warns of other guards, which may do the work of the guard', () => {
    @Service()
    class SignedIn implements CanActivate {
      readonly canActivate = (ctx: GuardContext) => Open.get(ctx) === true;
    }
    @Service()
    class LoggedIn extends SignedIn {}
    const Open = createRouteMetadata<boolean>('Open', { guard: SignedIn, exempts: (open) => open });

    @Controller('/pages')
    class PagesController {
      @Get()
      @Open(true)
      read() {}
    }
    const other: GuardFn = () => true;

    function createOtherClass(): Constructor<CanActivate> {
      @Service()
      class Other implements CanActivate {
        canActivate() {
          return true;
        }
      }
      return Other;
    }

    async function warningsOf(
      guards: readonly Guard[] | undefined,
      container: Container = createContainer(),
    ): Promise<readonly string[]> {
      const warn = vi.fn();
      const logger = { warn, debug: warn };
      await serve({ controllers: [PagesController], container, ...(guards && { guards }), logger });
      return warn.mock.calls.map(([text]) => text);
    }

    it.each<[string, readonly Guard[] | undefined]>([
      ['no guard', undefined],
      ['another function', [other]],
      ['another class', [createOtherClass()]],
    ])('%s', async (_, guards) => {
      expect(await warningsOf(guards)).toEqual([
        expect.stringMatching(
          /^\[controllers\] @Open\(\) may have no effect on PagesController.read: SignedIn is not one of the guards\.\n {2}At: .*:\d+\n {2}Fix: .* pass that guard to intended\(\) of @fairlead\/core\.$/,
        ),
      ]);
    });

    it.each<[string, readonly Guard[]]>([
      ['an empty list, which leaves the route open', []],
      ['the class', [SignedIn]],
      ['a subclass', [LoggedIn]],
      ['a token of the class', ['signed-in']],
      ['a token of the class for each request', ['per request']],
      ['an intended function', [intended(() => true)]],
      ['an intended class', [intended(createOtherClass())]],
      ['an intended list', intended([other])],
    ])('but not of %s', async (_, guards) => {
      const container = createContainer().register('signed-in', { useExisting: LoggedIn });
      container.register(LoggedIn);
      container.register('per request', { useClass: LoggedIn }, { scope: 'request' });
      expect(await warningsOf(guards, container)).toEqual([]);
    });
  });

  it('is in effect behind a guard of the plugin', async () => {
    const { fetch } = await serve({ controllers: [DraftsController], guards: [isOwner] });
    expect((await fetch('/drafts')).status).toBe(403);
    expect((await fetch('/drafts', { headers: { 'x-owner': 'Grace' } })).status).toBe(204);
  });

  it('does not count a guard that exempts the route, although other guards still apply', async () => {
    const isKnown: GuardFn = (ctx) => Open.get(ctx) === 'all' || ctx.get('x-user') === 'Ada';
    const Open = createRouteMetadata<string>('Open', {
      guard: isKnown,
      exempts: (to) => to === 'all',
    });
    @Controller('/pages')
    @UseGuard(isKnown, () => true)
    class PagesController {
      @Get('/all')
      @Open('all')
      all() {}

      @Get('/some')
      @Open('some')
      some() {}
    }
    const router = createRouter();
    registerController(router, PagesController);
    const app = createApp().route('/', router);

    expect(describeRoutes(app).map(({ path, guards }) => [path, guards])).toEqual([
      ['/pages/all', ['guard#1']],
      ['/pages/some', ['isKnown', 'guard#1']],
    ]);
    expect((await app.request('/pages/all')).status).toBe(204);
    expect((await app.request('/pages/some')).status).toBe(403);
  });

  it('needs a guard', () => {
    expect(() => createRouteMetadata('Owner', { guard: {} as GuardFn })).toThrow(
      'guard of createRouteMetadata() must be a guard: a function, a class or a token: got an object.',
    );
  });
});
