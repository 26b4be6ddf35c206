import type { Context, Next, Router } from '@fairlead/core';
import { createContainer, token } from '@fairlead/di';
import { describe, expectTypeOf, it } from 'vitest';
import {
  applyDecorators,
  Body,
  type CanActivate,
  type ClassInterceptor,
  type ClassMiddleware,
  Controller,
  type ControllersPluginOptions,
  controllersPlugin,
  createCustomParamDecorator,
  createRouteMetadata,
  type DiscoveryResult,
  discoverControllers,
  Get,
  type GuardContext,
  type GuardFn,
  Header,
  type Interceptor,
  Param,
  type PluginState,
  Query,
  type RegisteredController,
  type RequestContext,
  type RouteDefinition,
  registerController,
  type StandardSchema,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';

declare const schema: StandardSchema<string, number>;
declare const router: Router;

class Tracing implements ClassMiddleware, ClassInterceptor {
  constructor(readonly name: string) {}
  use(_ctx: Context, next: Next) {
    return next();
  }
  intercept(_ctx: Context, next: () => unknown) {
    return next();
  }
}

describe('options', () => {
  it('require a router only', () => {
    type Required = 'router';
    expectTypeOf<Pick<ControllersPluginOptions, Required>>().toExtend<ControllersPluginOptions>();
    // @ts-expect-error the router is missing
    controllersPlugin({ root: '.' });
  });

  it('accept a container of @fairlead/di, or one with only resolve', () => {
    expectTypeOf(createContainer()).toExtend<ControllersPluginOptions['container']>();
    expectTypeOf<{ resolve<T>(): T }>().toExtend<ControllersPluginOptions['container']>();
  });

  it('accept a path or a URL as root', () => {
    expectTypeOf<ControllersPluginOptions['root']>().toEqualTypeOf<string | URL | undefined>();
  });
});

describe('results', () => {
  it('have their types', () => {
    expectTypeOf(controllersPlugin).returns.toHaveProperty('state').toEqualTypeOf<PluginState>();
    expectTypeOf(discoverControllers).returns.resolves.toEqualTypeOf<DiscoveryResult[]>();
    expectTypeOf(registerController).returns.toEqualTypeOf<RegisteredController>();
    expectTypeOf<PluginState['controllers']>().toEqualTypeOf<readonly RegisteredController[]>();
  });
});

describe('middleware and interceptors', () => {
  it('are functions, classes and tokens', () => {
    UseMiddleware((_ctx, next) => next(), Tracing, 'token', token<ClassMiddleware>('tracing'));
    UseInterceptor((_ctx, next) => next(), Tracing, 'token', token<ClassInterceptor>('tracing'));
    controllersPlugin({ router, middleware: [Tracing], interceptors: [Tracing] });
    // @ts-expect-error a class without use is not a middleware
    UseMiddleware(class {});
    // @ts-expect-error a class without intercept is not an interceptor
    UseInterceptor(class {});
    // @ts-expect-error a class without canActivate is not a guard
    controllersPlugin({ router, guards: [Tracing] });
  });
});

describe('guards', () => {
  it('are functions, classes and tokens', () => {
    class RoleGuard implements CanActivate {
      constructor(readonly role: string) {}
      canActivate(ctx: GuardContext) {
        return ctx.path === this.role;
      }
    }
    UseGuard((ctx) => ctx.path === '/', RoleGuard, 'token', Symbol('token'));
    UseGuard(token<GuardFn>('guard'), token<CanActivate>('guard'));
    expectTypeOf<GuardContext>().toEqualTypeOf<Context>();
    // @ts-expect-error a class without canActivate is not a guard
    UseGuard(class {});
    // @ts-expect-error a guard returns a boolean
    UseGuard(() => 'yes');
    // @ts-expect-error a number is not a middleware
    UseMiddleware(7);
  });
});

describe('parameter decorators', () => {
  it('check the transform against the extracted type', () => {
    Query('page', { transform: Number });
    Query('page', { transform: (page) => page.trim() });
    Query({ transform: (query) => Object.keys(query) });
    Param('id', { transform: schema });
    Body({ transform: (body: { name: string }) => body.name });
    // @ts-expect-error a query parameter is a string
    Query('page', { transform: (page: number) => page });
    Query('tag', { all: true, transform: (tags) => tags.join() });
    Header({ transform: (headers) => headers['content-type'] });
    Param({ transform: (params) => Object.keys(params) });
    // @ts-expect-error every value of a query parameter is an array
    Query('tag', { all: true, transform: (tags: number) => tags });
    // @ts-expect-error a header does not repeat
    Header('X-Tag', { all: true });
  });

  it('created from a function work with and without parentheses', () => {
    const User = createCustomParamDecorator(async (ctx) => ctx.path);
    class UserController {
      read(
        @User user: string,
        @User() again: string,
        @User({ transform: (path) => path.length }) length: number,
      ) {
        return [user, again, length];
      }
    }
    expectTypeOf<UserController>().toHaveProperty('read');
    // @ts-expect-error the transform takes the awaited result of the function
    User({ transform: (path: number) => path });
  });
});

describe('route decorators', () => {
  it('decorate methods', () => {
    class PropertyController {
      // @ts-expect-error a property is not a method
      @Get() property = 1;
      @Get() method() {}
    }
    expectTypeOf<PropertyController>().toHaveProperty('method');
  });
});

describe('applyDecorators', () => {
  it('returns a decorator for the common targets of all', () => {
    type Either = ClassDecorator & MethodDecorator;
    expectTypeOf(applyDecorators(UseGuard(), UseMiddleware())).toEqualTypeOf<Either>();
    expectTypeOf(applyDecorators(Get(), UseGuard())).toEqualTypeOf<MethodDecorator>();
    const decorate = applyDecorators(Controller(), UseGuard());
    class PlainController {
      // @ts-expect-error it is for classes
      @decorate
      read() {}
    }
    decorate(PlainController);
    // @ts-expect-error no declaration is both a class and a method
    applyDecorators(Controller(), Get());
  });
});

describe('route metadata', () => {
  it('has the type that it was created with', () => {
    const Roles = createRouteMetadata<readonly string[]>('roles');
    expectTypeOf(Roles.get).returns.toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<RouteDefinition>().toExtend<Parameters<typeof Roles.get>[0]>();
    // @ts-expect-error roles are a list
    Roles('admin');
  });
});

describe('interceptors', () => {
  it('take the context and return any value', () => {
    UseInterceptor((ctx, next) => [ctx.path, next()], 'token', token<Interceptor>('typed'));
    // @ts-expect-error an interceptor is a function
    UseInterceptor({});
  });
});

describe('RequestContext', () => {
  it('is interchangeable with a context', () => {
    expectTypeOf<RequestContext>().toExtend<Context>();
    expectTypeOf<Context>().toExtend<RequestContext>();
  });
});
