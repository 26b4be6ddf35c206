import { createApp, createRouter } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import type { Constructor } from '@fairlead/di';
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
    expect(await statusOf(Skipping, '/locked')).toBe(204);
    expect(await statusOf(Inheriting, '/locked')).toBe(204);
    expect(await statusOf(Overriding, '/locked')).toBe(403);
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
    const security = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } };
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
