import { type AnyContext, createApp, createRouter, type Next } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  type CanActivate,
  type ClassInterceptor,
  type ClassMiddleware,
  Controller,
  defineController,
  Get,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';

abstract class Auth implements CanActivate {
  abstract canActivate(): boolean;
}

class Deny extends Auth {
  override canActivate(): boolean {
    return false;
  }
}

abstract class Trace implements ClassMiddleware {
  abstract use(ctx: AnyContext, next: Next): unknown;
}

class HeaderTrace extends Trace {
  override use(ctx: AnyContext, next: Next): unknown {
    ctx.set('X-Trace', 'yes');
    return next();
  }
}

abstract class Wrap implements ClassInterceptor {
  abstract intercept(ctx: AnyContext, next: () => unknown): unknown;
}

class Listed extends Wrap {
  override intercept(_ctx: AnyContext, next: () => unknown): unknown {
    return [next()];
  }
}

@Controller('/guarded')
@UseGuard(Auth)
class Guarded {
  @Get()
  find(): number {
    return 1;
  }
}

@Controller('/wrapped')
@UseMiddleware(Trace)
class Wrapped {
  @Get()
  @UseInterceptor(Wrap)
  find(): number {
    return 1;
  }
}

const guarded = defineController('/guarded', {
  guards: [Auth],
  routes: ({ get }) => ({ find: get('/', () => 1) }),
});

const wrapped = defineController('/wrapped', {
  middleware: [Trace],
  interceptors: [Wrap],
  routes: ({ get }) => ({ find: get('/', () => 1) }),
});

function serve(controller: new (...args: never[]) => object) {
  const container = createContainer()
    .register(Auth, { useClass: Deny })
    .register(Trace, { useFactory: () => new HeaderTrace() })
    .register(Wrap, { useValue: new Listed() });
  const router = createRouter();
  registerController(router, controller, { container });
  return createApp().route('/', router);
}

describe('an abstract class as a token', () => {
  it.each([
    ['a class', Guarded],
    ['a value', guarded],
  ])('is the guard of %s that the container provides', async (_, controller) => {
    const response = await serve(controller).request('/guarded');
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ guard: 'Auth' });
  });

  it.each([
    ['a class', Wrapped],
    ['a value', wrapped],
  ])('is the middleware and the interceptor of %s', async (_, controller) => {
    const response = await serve(controller).request('/wrapped');
    expect(response.headers.get('X-Trace')).toBe('yes');
    expect(await response.json()).toEqual([1]);
  });

  it.each([
    ['nothing', createContainer()],
    ['the class itself', createContainer().register(Auth as never)],
  ])('is an error if the container provides %s for it', (_, container) => {
    expect(() => registerController(createRouter(), Guarded, { container })).toThrow(
      /^Cannot resolve the guard Auth of Guarded\.find: the class Auth has no method canActivate\(\)\.\n {2}At: .+\n {2}Fix: add a method canActivate\(ctx\) to the class, or register a class that has one: container\.register\(Auth, \{ useClass: … \}\)\.$/,
    );
  });
});

describe('a class without the method of its kind', () => {
  class UserDto {}

  it.each([
    [UseGuard(UserDto as never), 'guard', 'canActivate()'],
    [UseMiddleware(UserDto as never), 'middleware', 'use()'],
    [UseInterceptor(UserDto as never), 'interceptor', 'intercept()'],
  ])('is no reference: %#', (decorator, kind, method) => {
    @Controller()
    @decorator
    class Users {
      @Get()
      list(): void {}
    }
    expect(() =>
      registerController(createRouter(), Users, { container: createContainer() }),
    ).toThrow(
      `Cannot resolve the ${kind} UserDto of Users.list: the class UserDto has no method ${method}.`,
    );
  });
});
