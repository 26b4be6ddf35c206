import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type Context,
  type Middleware,
  type Next,
  type Router,
  type StandardSchema,
  schemaClass,
} from '@fairlead/core';
import { createContainer, token } from '@fairlead/di';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  applyDecorators,
  Body,
  type CanActivate,
  type ClassInterceptor,
  type ClassMiddleware,
  Controller,
  type ControllersPluginOptions,
  Ctx,
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
  type ParamDecorator,
  type PluginState,
  Post,
  Query,
  type RegisteredController,
  type RequestContext,
  type RouteDefinition,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';

declare const schema: StandardSchema<string, number>;
declare const callableSchema: StandardSchema<string, number> & ((value: unknown) => string | Error);
declare const unknownSchema: StandardSchema<unknown>;
declare const router: Router;
declare const authenticate: Middleware<{ user: User }>;

/** A schema whose types are only in its function. */
const plainSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'string' ? { value } : { issues: [{ message: 'is no text' }] },
  },
} as const;

interface User {
  readonly name: string;
  readonly age: number;
}
declare const user: User;

class ParsePipe {
  transform(text: string) {
    return Number(text);
  }
}

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

  it('may set any state', () => {
    UseMiddleware(authenticate, token<Middleware<{ user: User }>>('authenticate'));
    controllersPlugin({ router, middleware: [authenticate] });
    registerController(router, Tracing, { middleware: [authenticate] });
    UseMiddleware((ctx, next) => {
      expectTypeOf(ctx).toEqualTypeOf<Context>();
      expectTypeOf(next).toEqualTypeOf<Next>();
    });
    // @ts-expect-error middleware of Express has other parameters
    UseMiddleware((req: IncomingMessage, _res: unknown, _next: () => void) => req.url);
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
    // @ts-expect-error a class needs new
    Param('id', { transform: ParsePipe });
    // @ts-expect-error a class is not an object of options
    Param('id', ParsePipe);
    // @ts-expect-error a function is not an object of options
    Param('id', Number);
    // @ts-expect-error a schema is not an object of options
    Body(schema);
    // @ts-expect-error a misspelled option
    Body({ transfrom: Number });
  });

  it('have one error for wrong options, where they are', () => {
    class PageController {
      list(
        @Query('page', {
          // @ts-expect-error a misspelled option
          shema: schema,
        })
        page: number,
        @Param('id', {
          // @ts-expect-error a misspelled option
          trasform: Number,
        })
        id: number,
        @Query('size', {
          // @ts-expect-error not a boolean
          required: 'false',
        })
        size: number,
        // @ts-expect-error the schema gives a number
        @Query('limit', { schema })
        limit: string,
      ) {
        return [page, id, size, limit];
      }
    }
    expectTypeOf<PageController['list']>().returns.toEqualTypeOf<(string | number)[]>();
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

describe("a parameter's type", () => {
  const Key = createCustomParamDecorator((ctx) => ctx.get('X-Key'));
  const Untyped = createCustomParamDecorator((ctx) => ctx.state.user);
  const UserMember = createCustomParamDecorator((_ctx, key: keyof User) => user[key]);
  const Fallback = createCustomParamDecorator((_ctx, fallback?: string) => fallback ?? 'none');
  const AllValues = createCustomParamDecorator((ctx) => ctx.query);
  const toNumbers = (query: Readonly<Record<string, string>>): Record<string, number> =>
    Object.fromEntries(Object.keys(query).map((name) => [name, 1]));
  const PageNumber = Query('page', { transform: Number });

  it('accepts what the decorator gives', () => {
    class AcceptedController<Entity, Id extends string> {
      strings(
        @Param('id') id: string,
        @Query('page') page: string | undefined,
        @Query('sort') sort?: string,
        @Header('X-Tag') tag = 'none',
      ) {
        return [id, page, sort, tag];
      }

      wholes(
        @Query() query: Record<string, string>,
        @Query() page: { page?: string },
        @Param() params: Readonly<Record<string, string>>,
        @Header() headers: IncomingHttpHeaders,
        @Query('t', { all: true }) tags: string[],
        @Body() body: User,
        @Body('name') name: string,
      ) {
        return [query, page, params, headers, tags, body, name];
      }

      transforms(
        @Query('page', { transform: Number }) page: number,
        @PageNumber again: number,
        @Query('page', { transform: async (page) => page.length }) later: number,
        @Body({ transform: (body: { name: string }) => body.name }) name: string,
        @Query('t', { all: true, transform: (tags) => new Set(tags) }) tags: Set<string>,
        @Body('date', { transform: JSON.parse }) parsed: Date,
        @Param('id', { transform: (): never => undefined as never }) never: string,
      ) {
        return [page, again, later, name, tags, parsed, never];
      }

      schemas(
        @Query('page', { transform: schema }) page: number,
        @Query('page', { transform: callableSchema }) callable: number,
        @Body({ transform: plainSchema }) plain: string,
        @Body({ transform: unknownSchema }) unknown: User,
      ) {
        return [page, callable, plain, unknown];
      }

      defaults(
        @Query('page', { default: '1' }) page: string,
        @Query('page', { default: null }) orNull: string | null,
        @Query('page', { default: '1', transform: Number }) number: number,
        @Key({ default: 'none' }) key: string,
      ) {
        return [page, orNull, number, key];
      }

      custom(
        @Key key: string | undefined,
        @Key() optional?: string,
        @Key({ required: true }) required = '',
        @Untyped untyped: User = user,
        @UserMember('name') name = '',
        @UserMember('age') age = 0,
        @UserMember('age', { transform: (value: number) => new Date(value) }) date = new Date(),
        @Fallback fallback = '',
        @Fallback('other') other = '',
      ) {
        return [key, optional, required, untyped, name, age, date, fallback, other];
      }

      // biome-ignore lint/suspicious/noExplicitAny: it is what is tested
      wide(@PageNumber page: any, @PageNumber again: unknown, @PageNumber object: object | number) {
        return [page, again, object];
      }

      generic<Value extends number>(
        @PageNumber page: Value,
        @Param('id') id: Id,
        @Body() it: Entity,
      ) {
        return [page, id, it];
      }

      static ofClass(@PageNumber page: number) {
        return page;
      }

      constructor(@PageNumber readonly page: string) {
        this.hidden(page);
      }

      protected visible(@PageNumber page: string) {
        return page;
      }

      private hidden(@PageNumber page: string) {
        return page;
      }

      rest(@PageNumber ...pages: number[]) {
        return pages;
      }
    }
    expectTypeOf<AcceptedController<User, string>>().toHaveProperty('strings');
    expectTypeOf(PageNumber).toExtend<ParameterDecorator>();
    expectTypeOf(PageNumber).toEqualTypeOf<ParamDecorator<number>>();
  });

  it('accepts optional members that are text', () => {
    class AcceptedController<Entity> {
      read(
        @Query() { page = '1' }: { page?: string },
        @Query() query: { readonly page?: string | number; size?: string | undefined } = {},
        @Query() either: { page?: string } | Readonly<Record<string, string>>,
        @Query() partial: Partial<Record<'page' | 'size', string>> | undefined,
        @Param() params: { id?: string; [name: string]: string },
        @Header() headers: { 'x-tenant'?: string; 'set-cookie'?: string[] | undefined },
        @AllValues values: { page?: string },
        @Query() generic: Partial<Entity>,
        @Query() object: object,
        @Query({ schema: z.object({ page: z.number().optional() }) }) read: {
          page?: number | undefined;
        },
      ) {
        return [page, query, either, partial, params, headers, values, generic, object, read];
      }
    }
    expectTypeOf<AcceptedController<User>>().toHaveProperty('read');
  });

  it('does not compile for optional members that are not text', () => {
    class Search {
      page?: number;
      sort?: string;
    }
    class RefusedController {
      // @ts-expect-error a query parameter is a string
      query(@Query() { page = 1 }: { page?: number }) {
        return page;
      }
      // @ts-expect-error a query parameter is a string
      flag(@Query() query?: { sort?: string; all?: boolean }) {
        return query;
      }
      // @ts-expect-error a query parameter is one string
      list(@Query() query: { tags?: string[] } | undefined) {
        return query;
      }
      // @ts-expect-error a query parameter is any string
      literal(@Query() query: { sort?: 'asc' | 'desc' }) {
        return query;
      }
      // @ts-expect-error a query parameter is a string
      ofClass(@Query() query: Search) {
        return query;
      }
      // @ts-expect-error a query parameter is a string
      partial(@Query() query: Partial<User>) {
        return query;
      }
      // @ts-expect-error a route parameter is a string
      param(@Param() { id }: { id?: number }) {
        return id;
      }
      // @ts-expect-error a header is a string
      header(@Header() headers: { 'x-page'?: number }) {
        return headers;
      }
      // @ts-expect-error a header is one string
      headers(@Header() headers: { 'x-tag'?: string[] }) {
        return headers;
      }
      // @ts-expect-error the function returns strings
      custom(@AllValues values: { page?: number }) {
        return values;
      }
      // @ts-expect-error the transform returns numbers
      transformed(@Query({ transform: toNumbers }) query: { page?: string }) {
        return query;
      }
    }
    expectTypeOf<RefusedController>().toHaveProperty('query');
  });

  it('does not compile for anything else', () => {
    class RefusedController<Entity> {
      // @ts-expect-error a route parameter is a string
      param(@Param('id') id: number) {
        return id;
      }
      // @ts-expect-error the function returns a number
      transform(@Query('page', { transform: Number }) page: string) {
        return page;
      }
      // @ts-expect-error the promise is of a number
      later(@Query('page', { transform: async (page) => page.length }) page: Promise<number>) {
        return page;
      }
      // @ts-expect-error the function may return undefined
      maybe(@Param('id', { transform: (id) => id.at(0) }) id: string) {
        return id;
      }
      // @ts-expect-error the schema's output is a number
      schema(@Query('page', { transform: schema }) page: string) {
        return page;
      }
      // @ts-expect-error the schema's output is a number, although it can be called, too
      callable(@Query('page', { transform: callableSchema }) page: string) {
        return page;
      }
      // @ts-expect-error the schema's output is a string
      plain(@Body({ transform: plainSchema }) page: number) {
        return page;
      }
      // @ts-expect-error the default is a number
      defaulted(@Query('page', { default: 1 }) page: string) {
        return page;
      }
      // @ts-expect-error all values are an array
      all(@Query('t', { all: true }) tags: string) {
        return tags;
      }
      // @ts-expect-error the query is an object
      whole(@Query() query: string) {
        return query;
      }
      // @ts-expect-error the default of the parameter is a number
      inferred(@Query('page') page = 1) {
        return page;
      }
      // @ts-expect-error the function may return undefined
      custom(@Key key: string) {
        return key;
      }
      // @ts-expect-error no member of the user is a date
      member(@UserMember('name') name: Date) {
        return name;
      }
      // @ts-expect-error the transform returns a date
      transformed(@UserMember('age', { transform: (age: number) => new Date(age) }) age: number) {
        return age;
      }
      // @ts-expect-error it requires a key
      bare(@UserMember name: string) {
        return name;
      }
      // @ts-expect-error a string is not a list of entities
      generic(@Query('id') entities: Entity[]) {
        return entities;
      }
      // @ts-expect-error each value is a number
      rest(@PageNumber ...pages: string[]) {
        return pages;
      }
      // @ts-expect-error it takes a string
      static ofClass(@PageNumber page: string) {
        return page;
      }
    }
    expectTypeOf<RefusedController<User>>().toHaveProperty('param');
    // @ts-expect-error it requires a key
    UserMember();
    // @ts-expect-error a user has no such key
    UserMember('email');
    // @ts-expect-error the transform takes a member of a user
    UserMember('age', { transform: (age: Date) => age });
  });
});

describe('a schema', () => {
  const Search = z.object({ page: z.coerce.number() });
  class Found extends schemaClass(Search) {
    get next() {
      return this.page + 1;
    }
  }

  it("determines the parameter's type", () => {
    class AcceptedController {
      read(
        @Query({ schema: Search }) search: { page: number },
        @Query({ schema: Found }) found: Found,
        @Query() own: Found,
        @Query('page', { schema: z.coerce.number().default(1) }) page: number,
        @Query('page', { schema, default: '1' }) fallback: number,
        @Query('t', { all: true, schema: z.array(z.string()) }) tags: string[],
        @Param('id', { schema }) id: number,
        @Param('id', { schema, transform: (value) => value.toFixed() }) text: string,
        @Header('X-Tenant', { schema: z.enum(['a', 'b']) }) tenant: 'a' | 'b',
        @Body({ schema: Found }) body: Found,
        @Body({ schema: Found, transform: (value) => value.next }) next: number,
      ) {
        return [search, found, own, page, fallback, tags, id, text, tenant, body, next];
      }
    }
    class RefusedController {
      // @ts-expect-error the output of the schema is a number
      query(@Query('page', { schema }) page: string) {
        return page;
      }
      // @ts-expect-error the page is a number
      whole(@Query({ schema: Search }) search: { page: string }) {
        return search;
      }
      // @ts-expect-error members are missing
      other(@Query({ schema: z.object({ limit: z.string() }) }) search: Found) {
        return search;
      }
      // @ts-expect-error the transform returns a date
      transformed(@Param('id', { schema, transform: (id) => new Date(id) }) id: number) {
        return id;
      }
      // @ts-expect-error the page is a number
      body(@Body({ schema: Found }) found: { page: string }) {
        return found;
      }
    }
    expectTypeOf<AcceptedController>().toHaveProperty('read');
    expectTypeOf<RefusedController>().toHaveProperty('query');
    // @ts-expect-error the transform gets a number
    Param('id', { schema, transform: (id: string) => id });
    // @ts-expect-error a class without a schema is not a schema
    Body({ schema: ParsePipe });
  });

  it('determines what a method returns', () => {
    const response = { 200: Search, 404: z.object({ missing: z.string() }) };
    const wrapped: object = z.object({ data: z.number() });
    const Read = () => applyDecorators(Get('/', { response: Search }), UseGuard());
    class AcceptedController {
      @Get('/', { response: Search }) sync() {
        return { page: 1, more: true };
      }
      @Get('/', { response: Search, status: 203 }) async later() {
        return { page: 1 };
      }
      @Get('/', { response }) either(@Param('id') id: string) {
        return id === '' ? { missing: id } : { page: 1 };
      }
      @Get('/', { response: Found }) members() {
        return { page: 1 };
      }
      @Get('/', { response: Search }) untyped(@Ctx() ctx: Context) {
        ctx.json({ anything: true });
      }
      @Get('/', { response: Search }) web() {
        return Response.json({});
      }
      @Get('/', { response: { type: 'object' } }) jsonSchema() {
        return 1;
      }
      @Get('/', { response: wrapped }) intercepted() {
        return 1;
      }
      @Get('/', { status: 200 }) free() {
        return 1;
      }
      @Read() combined() {
        return { page: 1 };
      }
      @Get('/', { response: Search }) protected hidden() {
        return { page: 1 };
      }
    }
    class RefusedController {
      // @ts-expect-error the page is a number
      @Get('/', { response: Search }) sync() {
        return { page: '1' };
      }
      // @ts-expect-error the page is missing
      @Post('/', { response: Search }) async later() {
        return {};
      }
      // @ts-expect-error neither has these members
      @Get('/', { response }) either() {
        return { name: '' };
      }
      // @ts-expect-error the page is a number
      @Read() combined() {
        return { page: '1' };
      }
    }
    expectTypeOf<AcceptedController>().toHaveProperty('sync');
    expectTypeOf<RefusedController>().toHaveProperty('sync');
    // @ts-expect-error a misspelled option
    Get('/', { response: Search, sumary: '' });
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

it('@Controller() is for classes that can be instantiated', () => {
  // @ts-expect-error discovery would instantiate it
  @Controller()
  abstract class Base {
    @Get()
    read() {}
  }
  @Controller()
  class Own<T> extends Base {
    constructor(readonly value: T) {
      super();
    }
  }
  expectTypeOf(new Own(1).value).toEqualTypeOf<number>();
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
    createRouteMetadata<readonly string[]>('tags', {
      merge: (classValue, methodValue) => [...classValue, ...methodValue],
    });
    // @ts-expect-error merging returns a list
    createRouteMetadata<readonly string[]>('tags', { merge: (classValue) => classValue[0] });
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
