import { createApp, createRouter } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { type Constructor, createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  Controller,
  createRouteMetadata,
  describeRoutes,
  Get,
  type GuardFn,
  registerController,
  SkipInheritedGuards,
  UseGuard,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';

const signedIn: GuardFn = (ctx) => Open.get(ctx) === true || ctx.get('x-user') !== undefined;
const Open = createRouteMetadata<boolean>('Open', { guard: signedIn, exempts: (open) => open });
const hasKey: GuardFn = (ctx) => ctx.get('x-key') === 'secret';

/** Returns the status of a request to a controller behind the guard. */
async function statusOf(target: Constructor, path: string): Promise<number> {
  const router = createRouter();
  registerController(router, target, { guards: [signedIn] });
  return (await createApp().route('/', router).request(path)).status;
}

abstract class Pages {
  @Get('/open')
  @Open(true)
  open() {}

  @Get('/locked')
  @UseGuard(hasKey)
  locked() {}
}

@Open(true)
abstract class OpenPages {
  @Get('/base')
  base() {}
}

describe('an exemption', () => {
  it('belongs to a method that a subclass inherits', async () => {
    @Controller()
    class Derived extends Pages {}
    expect(await statusOf(Derived, '/open')).toBe(204);
  });

  it('does not belong to a method that a subclass declares anew', async () => {
    @Controller()
    class Plain extends Pages {
      override open() {}
    }
    class Between extends Pages {
      override open() {}
    }
    @Controller()
    class Below extends Between {}
    @Controller()
    class Decorated extends Pages {
      @Get('/other')
      override open() {}
    }
    @Controller()
    class Repeated extends Pages {
      @Open(true)
      override open() {}
    }
    expect(await statusOf(Plain, '/open')).toBe(403);
    expect(await statusOf(Below, '/open')).toBe(403);
    expect(await statusOf(Decorated, '/other')).toBe(403);
    expect(await statusOf(Repeated, '/open')).toBe(204);
  });

  it('does not belong to a field that replaces the method', async () => {
    abstract class Methods {
      @Get('/open')
      @Open(true)
      open(): unknown {
        return 'open';
      }
    }
    abstract class Between extends Methods {
      override open = () => 'secret';
    }
    @Controller()
    class Below extends Between {}
    @Controller()
    class Assigned extends Methods {
      constructor() {
        super();
        this.open = this.open.bind(this);
      }
    }
    @Controller()
    class Decorated extends Methods {
      override open = () => 'secret';
    }
    Reflect.decorate([Get('/other')], Decorated.prototype, 'open');
    expect(await statusOf(Below, '/open')).toBe(403);
    expect(await statusOf(Assigned, '/open')).toBe(403);
    expect(await statusOf(Decorated, '/other')).toBe(403);
  });

  it('belongs to a method that its own class binds in the constructor', async () => {
    abstract class Bound {
      constructor() {
        this.open = this.open.bind(this);
      }

      @Get('/open')
      @Open(true)
      open() {}
    }
    @Controller()
    class Derived extends Bound {}
    expect(await statusOf(Derived, '/open')).toBe(204);
  });

  it('of a class does not belong to its subclasses', async () => {
    @Controller()
    class Derived extends OpenPages {
      @Get('/own')
      own() {}
    }
    @Controller()
    class Same extends OpenPages {}
    @Controller()
    @Open(true)
    class Repeated extends OpenPages {}
    expect(await statusOf(Derived, '/own')).toBe(403);
    expect(await statusOf(Same, '/base')).toBe(403);
    expect(await statusOf(Repeated, '/base')).toBe(204);
  });

  it('by @SkipInheritedGuards() does not belong to a further override', async () => {
    @Controller()
    @Open(true)
    class Skipping extends Pages {
      @SkipInheritedGuards()
      override locked() {}
    }
    @Controller()
    @Open(true)
    class Inheriting extends Skipping {}
    @Controller()
    @Open(true)
    class Overriding extends Skipping {
      override locked() {}
    }
    @Controller()
    @Open(true)
    class Replacing extends Skipping {
      override locked = () => {};
    }
    expect(await statusOf(Skipping, '/locked')).toBe(204);
    expect(await statusOf(Inheriting, '/locked')).toBe(204);
    expect(await statusOf(Overriding, '/locked')).toBe(403);
    expect(await statusOf(Replacing, '/locked')).toBe(403);
  });
});

describe('an exemption from a guard that a factory creates', () => {
  const Public = createRouteMetadata<boolean>('Public', {
    describedGuard: 'sign-in',
    exempts: (isPublic) => isPublic,
  });
  const createSignIn = (): GuardFn =>
    describeFunction((ctx) => Public.get(ctx) === true, { role: 'guard', name: 'sign-in' });
  const createAdmin = (): GuardFn =>
    describeFunction(() => true, { role: 'guard', name: 'admin', after: ['sign-in'] });

  it('concerns guards with its name, and those that follow them', () => {
    @Controller()
    @UseGuard(createSignIn(), createAdmin(), hasKey)
    class Files {
      @Get('/open')
      @Public(true)
      open() {}

      @Get('/closed')
      @Public(false)
      closed() {}
    }
    const router = createRouter();
    registerController(router, Files);
    const described = describeRoutes(createApp().route('/', router));
    expect(described.map(({ path, guards }) => [path, guards.length])).toEqual([
      ['/open', 1],
      ['/closed', 3],
    ]);
    expect(described[0]?.guards).toEqual(['hasKey']);
  });

  it('concerns what tools read about a route', () => {
    const security = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
    const signIn = describeFunction(createSignIn(), { security });
    @Controller()
    @UseGuard(signIn)
    class Files {
      @Get('/open')
      @Public(true)
      open() {}

      @Get('/closed')
      closed() {}
    }
    const router = createRouter();
    registerController(router, Files);
    expect(router.routes.map(({ pattern, options }) => [pattern, options?.security])).toEqual([
      ['/open', undefined],
      ['/closed', [security]],
    ]);
  });

  it('of a class does not concern a method with a guard that follows it', () => {
    @Controller()
    @Public(true)
    class Files {
      @Get('/open')
      open() {}

      @Get('/admin')
      @UseGuard(createAdmin())
      admin() {}
    }
    const router = createRouter();
    registerController(router, Files, { guards: [createSignIn()] });
    const described = describeRoutes(createApp().route('/', router));
    expect(described.map(({ path, guards }) => [path, guards.length])).toEqual([
      ['/open', 0],
      ['/admin', 2],
    ]);
  });

  it('contradicts a guard of the same method or class that follows it', () => {
    class Files {
      @Get('/method')
      @Public(true)
      @UseGuard(createSignIn(), createAdmin())
      method() {}

      @Get('/restricted')
      @Public(false)
      @UseGuard(createSignIn(), createAdmin())
      restricted() {}
    }
    @Controller('/plain')
    class Plain extends Files {}
    @Controller('/open')
    @Public(true)
    @UseGuard(createSignIn(), createAdmin())
    class Open extends Files {}
    const problemsOf = (target: Constructor): unknown => {
      try {
        registerController(createRouter(), target);
      } catch (error) {
        return (error as Error).message.match(/@Public\(\) opens what .*? restricts/g);
      }
      return undefined;
    };
    const ofMethod = '@Public() opens what admin of the same method restricts';
    expect(problemsOf(Plain)).toEqual([ofMethod]);
    expect(problemsOf(Open)).toEqual([
      ofMethod,
      '@Public() opens what admin of the same class restricts',
    ]);
  });
});

describe('an exemption from what a base class demands', () => {
  const Public = createRouteMetadata<boolean>('Public', {
    describedGuard: 'sign-in',
    exempts: (isPublic) => isPublic,
  });
  const signIn: GuardFn = describeFunction((ctx) => Public.get(ctx) === true, {
    role: 'guard',
    name: 'sign-in',
  });
  const admin: GuardFn = describeFunction((ctx) => Public.get(ctx) === true, {
    role: 'guard',
    name: 'admin',
    after: ['sign-in'],
  });

  abstract class Admins {
    @Get('/list')
    list() {}

    @Get('/open')
    @Public(true)
    open() {}
  }
  UseGuard(admin)(Admins);

  abstract class Methods {
    @Get('/list')
    @UseGuard(admin)
    list() {}
  }

  @Controller()
  @Public(true)
  class ByClass extends Admins {}

  @Controller()
  class ByOverride extends Admins {
    @Public(true)
    override list() {}
  }

  @Controller()
  class ByOwnMethod extends Admins {
    @Get('/own')
    @Public(true)
    own() {}
  }

  @Controller()
  class BySkippingOverride extends Admins {
    @Public(true)
    @SkipInheritedGuards()
    override list() {}
  }

  abstract class Between extends Admins {
    @Get('/between')
    @Public(true)
    between() {}
  }
  @Controller()
  class ByClassBetween extends Between {}

  const Opened = (Base: typeof Admins) => {
    abstract class Mixed extends Base {
      @Public(true)
      override list() {}
    }
    return Mixed;
  };
  @Controller()
  class ByMixin extends Opened(Admins) {}

  @Controller()
  class ByOverrideOfMethod extends Methods {
    @Public(true)
    override list() {}
  }

  @UseGuard(signIn)
  abstract class SignedIn {
    @Get('/list')
    list() {}
  }
  @Controller()
  class FromSignIn extends SignedIn {
    @Public(true)
    override list() {}
  }

  @UseGuard(signedIn)
  abstract class ByFunction {
    @Get('/list')
    list() {}
  }
  @Controller()
  @Open(true)
  class FromFunction extends ByFunction {}

  const problemOf = (target: Constructor): string | undefined => {
    try {
      registerController(createRouter(), target, { guards: [signIn, signedIn] });
      return undefined;
    } catch (error) {
      return (error as Error).message.replace(/\n {2}At: .*/, '');
    }
  };
  const moved = (guard: string, base: string) =>
    `move ${guard} from ${base} to the classes and methods that need it.`;

  it.each([
    [ByClass, 'routes of ByClass', 'Public', 'admin', 'Admins', moved('admin', 'Admins')],
    [ByOverride, 'route ByOverride.list', 'Public', 'admin', 'Admins', moved('admin', 'Admins')],
    [ByOwnMethod, 'route ByOwnMethod.own', 'Public', 'admin', 'Admins', moved('admin', 'Admins')],
    [
      BySkippingOverride,
      'route BySkippingOverride.list',
      'Public',
      'admin',
      'Admins',
      moved('admin', 'Admins'),
    ],
    [
      ByClassBetween,
      'route Between.between',
      'Public',
      'admin',
      'Admins',
      moved('admin', 'Admins'),
    ],
    [ByMixin, 'route Mixed.list', 'Public', 'admin', 'Admins', moved('admin', 'Admins')],
    [
      ByOverrideOfMethod,
      'route ByOverrideOfMethod.list',
      'Public',
      'admin',
      'Methods',
      'add @SkipInheritedGuards() to the method.',
    ],
    [
      FromSignIn,
      'route FromSignIn.list',
      'Public',
      'sign-in',
      'SignedIn',
      moved('sign-in', 'SignedIn'),
    ],
    [
      FromFunction,
      'routes of FromFunction',
      'Open',
      'signedIn',
      'ByFunction',
      moved('signedIn', 'ByFunction'),
    ],
  ])('is a problem of %o', (target, place, decorator, guard, base, fix) => {
    expect(problemOf(target)).toBe(
      `Cannot register the ${place}: @${decorator}() opens what ${guard} of the base class ${base} restricts.\n  Fix: remove @${decorator}(), or ${fix}`,
    );
  });

  class Auth {
    canActivate() {
      return false;
    }
  }

  it.each([
    ['a token', 'auth'],
    ['a class', Auth],
  ])('is a problem if the container has the guard for %s', (_name, reference) => {
    @UseGuard(reference)
    abstract class Guarded {
      @Get('/list')
      list() {}
    }
    @Controller()
    class Opened extends Guarded {
      @Public(true)
      override list() {}
    }
    const container = createContainer().register<unknown>(reference, { useValue: signIn });
    expect(() => registerController(createRouter(), Opened, { container })).toThrow(
      '@Public() opens what sign-in of the base class Guarded restricts.',
    );
  });

  it('is a problem if the container creates the guard for each request', () => {
    const Exempt = createRouteMetadata<boolean>('Exempt', { guard: Auth, exempts: (it) => it });
    @UseGuard('auth')
    abstract class Guarded {
      @Get('/list')
      list() {}
    }
    @Controller()
    @Exempt(true)
    class Opened extends Guarded {}
    const container = createContainer();
    container.register('auth', { useClass: Auth }, { scope: 'request' });
    expect(() => registerController(createRouter(), Opened, { container })).toThrow(
      '@Exempt() opens what Auth of the base class Guarded restricts.',
    );
  });

  it('is one problem for all classes that inherit it', async () => {
    @Controller('/below')
    class Below extends Between {}
    const error = await failStart([ByClassBetween, Below]);
    expect(error.message).toMatch(
      /^Cannot register the route Between\.between: .*\n {2}At: .*\n.*$/,
    );
  });

  it('may stand in the base class itself, or replace the guards of an overridden method', () => {
    @Controller()
    class Inheriting extends Admins {}
    @Controller()
    class Skipping extends Methods {
      @Public(true)
      @SkipInheritedGuards()
      override list() {}
    }
    @Controller()
    @Public(true)
    class FromPlugin extends Pages {}
    @Controller()
    class NotExempt extends Admins {
      @Public(false)
      override list() {}
    }
    const legal = [Inheriting, Skipping, FromPlugin, NotExempt];
    expect(legal.map(problemOf)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('of a class leaves a method closed that its base class restricts', () => {
    @Controller()
    @Public(true)
    class Opened extends Methods {
      @Get('/own')
      own() {}
    }
    const router = createRouter();
    registerController(router, Opened, { guards: [signIn] });
    const described = describeRoutes(createApp().route('/', router));
    expect(described.map(({ path, guards }) => [path, guards.length])).toEqual([
      ['/list', 2],
      ['/own', 0],
    ]);
  });
});
