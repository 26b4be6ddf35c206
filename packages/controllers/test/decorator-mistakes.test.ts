import { type Context, json } from '@fairlead/core';
import { type Constructor, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import * as controllers from '../src/index.js';
import { ControllerRegistry, StartError } from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { decoratorsIn } from './support/locations.js';
import { schema } from './support/schema.js';

/** A decorator, or a decorator without its parentheses. The compiler does not check JavaScript. */
// biome-ignore lint/suspicious/noConfusingVoidType: decorators return nothing
type Loose = (...values: readonly unknown[]) => Loose & void;

const locationOf = decoratorsIn(import.meta.url);
const loose = controllers as unknown as Readonly<Record<keyof typeof controllers, Loose>>;
const { Body, Controller, Ctx, Get, Header, HttpCode, Param, Post, Query, Redirect, Req } = loose;
const { SetHeader, SkipInheritedGuards, UseGuard, UseInterceptor, UseMiddleware } = loose;
const { applyDecorators } = loose;
const Roles = controllers.createRouteMetadata('Roles') as unknown as Loose;
const Tenant = controllers.createCustomParamDecorator(function Tenant(ctx: Context) {
  return ctx.path;
}) as unknown as Loose;

const Admin = controllers.createDecoratorFactory("@Admin('all')", (name: string) =>
  controllers.applyDecorators(controllers.SetHeader('X-Admin', name)),
) as unknown as Loose;

class ParseIntPipe {
  transform(text: string) {
    return Number.parseInt(text, 10);
  }
}
class UserDto {}
class AuthGuard {
  canActivate() {
    return true;
  }
}
class Log {
  use() {}
}
class Timing {
  intercept() {}
}
const userSchema = schema((value) => ({ value }));
const classSchema = Object.assign(class Schema {}, userSchema);

/** Returns the problems of a controller, without the lines for their location. */
function problemsOf(target: unknown): string[] {
  try {
    new ControllerRegistry().register(target as Constructor);
    return [];
  } catch (error) {
    const problems = error instanceof StartError ? error.problems : [error as Error];
    return problems.map((problem) => problem.message.replace(/\n {2}At: .*/, ''));
  }
}

function codeOf(target: unknown): unknown {
  try {
    return new ControllerRegistry().register(target as Constructor);
  } catch (error) {
    return (error as { readonly code: unknown }).code;
  }
}

function onClass(decorator: Loose) {
  @Controller('/users')
  @decorator
  class UsersController {
    @Get()
    read() {}
  }
  return UsersController;
}

function onMethod(decorator: Loose) {
  @Controller('/users')
  class UsersController {
    @Get()
    @decorator
    read() {}
  }
  return UsersController;
}

/** A method whose only route decorator is the given one. */
function onRoute(decorator: Loose) {
  @Controller('/users')
  class UsersController {
    @decorator
    @HttpCode(201)
    read() {}
  }
  return UsersController;
}

function onParameter(decorator: Loose) {
  @Controller('/users')
  class UsersController {
    @Post()
    read(@decorator _value: unknown) {}
  }
  return UsersController;
}

function onController(decorator: Loose) {
  @decorator
  class UsersController {
    @Get()
    read() {}
  }
  return UsersController;
}

const ofClass = (problem: string, fix?: string) =>
  text(`routes of UsersController: ${problem}`, fix);
const ofMethod = (problem: string, fix?: string) =>
  text(`route UsersController.read: ${problem}`, fix);
const text = (problem: string, fix?: string) =>
  `Cannot register the ${problem}${fix === undefined ? '' : `\n  Fix: ${fix}`}`;

describe('a decorator accepts', () => {
  it.each([
    onController(Controller()),
    onController(Controller(undefined)),
    onController(Controller({ prefix: 'users', version: '/v2/' })),
    onController(Controller(Object.create(null))),
    onRoute(Get('', { status: 201, tags: [], response: userSchema })),
    onRoute(Get(undefined, { response: classSchema })),
    onMethod(UseGuard(AuthGuard, () => true, 'token', Symbol('token'), token('token'))),
    onMethod(Redirect('/path')),
    onMethod(Roles(UserDto)),
    onClass(Roles(UserDto)),
    onParameter(Tenant),
    onParameter(Tenant()),
    onParameter(Tenant('data', { required: true })),
    onParameter(Body({ transform: classSchema })),
    onParameter(Param('id', { transform: Number })),
    onParameter(Param('id', { transform: BigInt, required: false, default: '1' })),
    onParameter(Param(undefined, { transform: (value: unknown) => value })),
    onParameter(Query('tags', { all: true })),
    onParameter(Header(Object.freeze({ transform: JSON.stringify }))),
  ])('what is valid: case %#', (target) => {
    expect(problemsOf(target)).toEqual([]);
  });
});

describe('schemas of inputs among the options of a route', () => {
  it.each([
    ['body', 'Body'],
    ['query', 'Query'],
    ['params', 'Param'],
    ['headers', 'Header'],
  ])('%s', (option, decorator) => {
    const problems = problemsOf(onMethod(Post('/', { [option]: {} })));
    expect(problems).toEqual([
      expect.stringContaining(
        `@Post() has no option '${option}'. Validate it where the method receives it, with @${decorator}({ schema }).`,
      ),
    ]);
  });
});

describe('arguments of @Controller()', () => {
  it.each([
    [
      { path: '/users' },
      "@Controller() has no option 'path'. Remove it, or use prefix or version.",
    ],
    [{ prefx: '/users' }, "@Controller() has no option 'prefx'. Did you mean 'prefix'?"],
    [{ prefix: 5 }, 'prefix of @Controller() must be a string: got 5.'],
    [
      { version: 2 },
      "version of @Controller() must be one segment of a path, such as 'v2': got 2.",
    ],
    [
      { version: 'v1/a' },
      "version of @Controller() must be one segment of a path, such as 'v2': got 'v1/a'.",
    ],
    [
      { version: 'v 1' },
      "version of @Controller() must be one segment of a path, such as 'v2': got 'v 1'.",
    ],
    [
      { version: '' },
      "version of @Controller() must be one segment of a path, such as 'v2': got ''.",
    ],
  ])('%j', (options, problem) => {
    expect(problemsOf(onController(Controller(options)))).toEqual([ofClass(problem)]);
  });

  it.each([[['/a', '/b'], "['/a', '/b']"] as const, [5, '5'] as const, [null, 'null'] as const])(
    '%j instead of a prefix',
    (value, described) => {
      expect(problemsOf(onController(Controller(value)))).toEqual([
        ofClass(
          `@Controller() cannot use ${described} as prefix.`,
          "pass a string, such as '/users', or an object { prefix, version }.",
        ),
      ]);
    },
  );

  it('more than one', () => {
    expect(problemsOf(onController(Controller('/users', { version: 'v2' })))).toEqual([
      ofClass('@Controller() takes at most one argument.', 'remove the others.'),
    ]);
  });

  it('twice on a class', () => {
    expect(problemsOf(onClass(Controller('/other')))).toEqual([
      ofClass('the class has two @Controller() decorators.', 'keep one.'),
    ]);
  });

  it('are the only problem if all routes of several classes would collide', async () => {
    const wrong = [Controller({ path: '/a' }), Controller({ path: '/b' })];
    const error = await failStart(wrong.map(onController));
    expect(error).toMatchObject({ problems: { length: 2 } });
  });
});

describe('arguments of a decorator of a method', () => {
  it.each([
    [
      onRoute(Get({ path: '/x' })),
      '@Get() cannot use an object as path.',
      "pass a string, such as '/:id', or an array of strings, and options after it.",
    ],
    [onRoute(Get([])), '@Get() cannot use [] as path.', 'pass at least one path.'],
    [onRoute(Get('/x', { sumary: 'x' })), "@Get() has no option 'sumary'. Did you mean 'summary'?"],
    [onRoute(Get('/a', '/b')), "options of @Get() must be an object: got '/b'."],
    [onRoute(Get('/a', null)), 'options of @Get() must be an object: got null.'],
    [onRoute(Get('/a', {}, {})), '@Get() takes at most 2 arguments.', 'remove the others.'],
    [
      onRoute(Post('/', { status: '201' })),
      "status of @Post() must be an integer from 200 to 599: got '201'.",
    ],
    [
      onRoute(Get('/', { response: UserDto })),
      '@Get() cannot use the class UserDto as a schema. A class describes nothing at run time. Make it a schema, as in class UserDto extends schemaClass(schema) {}.',
    ],
    [
      onRoute(Get('/', { response: [UserDto] })),
      '@Get() cannot use [the class UserDto] as a schema. Use the array of your schema library, such as z.array(Book.schema).',
    ],
    [
      onMethod(HttpCode('201')),
      "@HttpCode() cannot use '201' as status.",
      'use an integer from 200 to 599.',
    ],
    [
      onMethod(HttpCode(99)),
      '@HttpCode() cannot use 99 as status.',
      'use an integer from 200 to 599.',
    ],
    [
      onMethod(SetHeader('x')),
      "@SetHeader() cannot use 'x' and undefined as name and value.",
      'pass two strings.',
    ],
    [
      onMethod(SetHeader('X Text', 'a')),
      `@SetHeader() cannot send the header 'X Text': TypeError [ERR_INVALID_HTTP_TOKEN]: Header name must be a valid HTTP token ["X Text"].`,
      'correct the name or the value.',
    ],
    [
      onMethod(SetHeader('X-Text', 'a\r\nb')),
      `@SetHeader() cannot send the header 'X-Text': TypeError [ERR_INVALID_CHAR]: Invalid character in header content ["X-Text"].`,
      'correct the name or the value.',
    ],
    [
      onMethod(Redirect()),
      '@Redirect() cannot use undefined as URL.',
      "pass a string, such as '/path'.",
    ],
    [
      onMethod(Redirect('/', '301')),
      "@Redirect() cannot use '301' as status.",
      'use an integer from 300 to 399.',
    ],
    [
      onMethod(SkipInheritedGuards('all')),
      '@SkipInheritedGuards() takes no arguments.',
      'remove them.',
    ],
    [onMethod(Roles('a', 'b')), '@Roles() takes at most one argument.', 'remove the others.'],
    [
      onMethod(applyDecorators([HttpCode(201)])),
      'applyDecorators() cannot use [the function decorator] as a decorator.',
      'pass each decorator as an argument.',
    ],
  ])('case %#', (target, problem, fix?: string) => {
    expect(problemsOf(target)).toEqual([ofMethod(problem, fix)]);
    expect(codeOf(target)).toBe('ROUTE_REGISTRATION');
  });
});

describe('arguments of a decorator of a parameter', () => {
  const needsPipe = (call: string, described: string, start = `${call.slice(0, -1)}, `) =>
    [
      `${call} cannot use ${described} as options.`,
      `write ${start}{ transform: (value) => … }).`,
    ] as const;

  it.each([
    [
      onParameter(Body({ transfrom: Number })),
      "@Body() has no option 'transfrom'. Did you mean 'transform'?",
    ],
    [
      onParameter(Body(userSchema)),
      '@Body() cannot use an object as options.',
      'write @Body({ schema }).',
    ],
    [
      onParameter(Body('user', classSchema)),
      "@Body('user') cannot use the class Schema as options.",
      "write @Body('user', { schema }).",
    ],
    [
      onParameter(Body({ schema: userSchema, transform: classSchema })),
      '@Body() has two schemas: one in schema and one in transform.',
      'combine them into one schema, or pass a function as transform.',
    ],
    [
      onParameter(Body({ schema: UserDto })),
      '@Body() cannot use the class UserDto as a schema. A class describes nothing at run time. Make it a schema, as in class UserDto extends schemaClass(schema) {}.',
    ],
    [
      onRoute(Get('/', { response: { 200: UserDto } })),
      '@Get() cannot use the class UserDto as a schema. A class describes nothing at run time. Make it a schema, as in class UserDto extends schemaClass(schema) {}.',
    ],
    [
      onParameter(Body({ schema: [UserDto] })),
      '@Body() cannot use [the class UserDto] as a schema. Use the array of your schema library, such as z.array(Book.schema).',
    ],
    [onParameter(Body(UserDto)), ...needsPipe('@Body()', 'the class UserDto', '@Body(')],
    [
      onParameter(Param('id', ParseIntPipe)),
      ...needsPipe("@Param('id')", 'the class ParseIntPipe'),
    ],
    [
      onParameter(Param('id', new ParseIntPipe())),
      ...needsPipe("@Param('id')", 'an instance of ParseIntPipe'),
    ],
    [
      onParameter(Param('id', Number)),
      "@Param('id') cannot use the class Number as options.",
      "write @Param('id', { transform: Number }).",
    ],
    [
      onParameter(Param('id', (value: unknown) => value)),
      "@Param('id') cannot use a function as options.",
      "write @Param('id', { transform: (value) => … }).",
    ],
    [
      onParameter(Query('a', 'b')),
      "@Query('a') cannot use 'b' as options.",
      'pass an object, such as { required: true }.',
    ],
    [onParameter(Query(5, {})), '@Query() cannot use 5 as name.', 'pass a string.'],
    [
      onParameter(Header('X-Id', { transform: 'Number' })),
      "transform of @Header('X-Id') must be a function (value) => result, or a Standard Schema: got 'Number'.",
    ],
    [
      onParameter(Query('a', { required: 'yes' })),
      "required of @Query('a') must be true or false: got 'yes'.",
    ],
    [
      onParameter(Query({ all: true })),
      "@Query() has no option 'all'. Remove it, or use schema, required, default or transform.",
    ],
    [onParameter(Query('a', {}, {})), '@Query() takes at most 2 arguments.', 'remove the others.'],
    [onParameter(Ctx('x')), '@Ctx() takes no arguments.', 'remove them.'],
    [onParameter(Req('x')), '@Req() takes no arguments.', 'remove them.'],
    [
      onParameter(Tenant({ requird: true })),
      "@Tenant() has no option 'requird'. Did you mean 'required'?",
    ],
    [
      onParameter(Tenant('data', ParseIntPipe)),
      '@Tenant(…) cannot use the class ParseIntPipe as options.',
      'write @Tenant(…, { transform: (value) => … }).',
    ],
  ])('case %#', (target, problem, fix?: string) => {
    expect(problemsOf(target)).toEqual([ofMethod(problem, fix)]);
    expect(codeOf(target)).toBe('ROUTE_REGISTRATION');
  });

  it.each([ParseIntPipe, Date, Map])('a class that needs new as a transform: %o', (transform) => {
    const target = onParameter(Param('id', { transform }));
    expect(problemsOf(target)).toEqual([
      ofMethod(
        `transform of @Param('id') must be a function (value) => result, or a Standard Schema: got the class ${transform.name}.`,
      ),
    ]);
  });

  it('must not be decorated twice', () => {
    @Controller()
    class UsersController {
      @Post()
      read(@Query('page') @Body() @Tenant _value: unknown) {}
    }
    expect(problemsOf(UsersController)).toEqual([
      ofMethod(
        'parameter 0 has two decorators: for the body and the custom parameter.',
        'keep one.',
      ),
      ofMethod(
        "parameter 0 has two decorators: for the query parameter 'page' and the body.",
        'keep one.',
      ),
    ]);
  });
});

describe('guards, middleware and interceptors', () => {
  const pass = 'pass a function, a class or a token.';

  it.each([
    [
      UseGuard(undefined),
      '@UseGuard() cannot use undefined as guard 0.',
      `${pass} If an import cycle is the cause, move the import to a separate file.`,
    ],
    [UseGuard('token', 5), '@UseGuard() cannot use 5 as guard 1.', pass],
    [
      UseGuard(new AuthGuard()),
      '@UseGuard() cannot use an instance of AuthGuard as guard 0.',
      'pass the class, or (ctx) => instance.canActivate(ctx).',
    ],
    [
      UseMiddleware(json),
      '@UseMiddleware() cannot use the function json as middleware 0, because it is a factory.',
      'call it: json().',
    ],
    [
      UseMiddleware(AuthGuard as never),
      '@UseMiddleware() cannot use the class AuthGuard as middleware 0, because it has no method use().',
      'pass it as a guard, because it has canActivate(): to @UseGuard() or the option guards.',
    ],
    [
      UseGuard(Log as never),
      '@UseGuard() cannot use the class Log as guard 0, because it has no method canActivate().',
      'pass it as middleware, because it has use(): to @UseMiddleware() or the option middleware.',
    ],
    [
      UseGuard(Timing as never),
      '@UseGuard() cannot use the class Timing as guard 0, because it has no method canActivate().',
      'pass it as an interceptor, because it has intercept(): to @UseInterceptor() or the option interceptors.',
    ],
    [
      UseGuard(() => true, null as never),
      '@UseGuard() cannot use null as guard 1.',
      'pass a function, a class or a token.',
    ],
    [
      UseGuard(() => true, {} as never),
      '@UseGuard() cannot use an object as guard 1.',
      'pass a function, a class or a token.',
    ],
    [UseMiddleware(), '@UseMiddleware() has no arguments.', 'pass middleware, or remove it.'],
    [UseInterceptor(), '@UseInterceptor() has no arguments.', 'pass an interceptor, or remove it.'],
    [
      UseGuard(),
      '@UseGuard() has no arguments, so it guards nothing.',
      'pass at least one guard, or remove it.',
    ],
  ])('case %#: %s', (decorator, problem, fix) => {
    expect(problemsOf(onMethod(decorator))).toEqual([ofMethod(problem, fix)]);
    expect(problemsOf(onClass(decorator))).toEqual([ofClass(problem, fix)]);
  });

  it('report that there is no guard with a code of its own', () => {
    expect(codeOf(onMethod(UseGuard()))).toBe('NO_GUARDS');
  });
});

describe('a decorator without parentheses', () => {
  const missing = (decorator: string, example: string) =>
    [`@${decorator} is missing its parentheses.`, `write ${example}.`] as const;

  it.each([
    [onRoute(Get), 'Get', '@Get()'],
    [onMethod(HttpCode), 'HttpCode', '@HttpCode(201)'],
    [onMethod(SetHeader), 'SetHeader', "@SetHeader('Cache-Control', 'no-store')"],
    [onMethod(Redirect), 'Redirect', "@Redirect('/path')"],
    [onMethod(UseGuard), 'UseGuard', '@UseGuard(guard)'],
    [onMethod(UseMiddleware), 'UseMiddleware', '@UseMiddleware(middleware)'],
    [onMethod(SkipInheritedGuards), 'SkipInheritedGuards', '@SkipInheritedGuards()'],
    [onMethod(Roles), 'Roles', '@Roles(value)'],
    [
      onMethod(applyDecorators),
      'applyDecorators',
      '@applyDecorators() with decorators as its arguments',
    ],
    [onMethod(applyDecorators(HttpCode)), 'HttpCode', '@HttpCode(201)'],
    [onMethod(Admin), 'Admin', "@Admin('all')"],
    [onMethod(Admin(UserDto)), 'Admin', "@Admin('all')"],
    [onParameter(Body), 'Body', '@Body()'],
    [onParameter(Ctx), 'Ctx', '@Ctx()'],
  ])('case %# is the only problem of its method', (target, name, example) => {
    expect(problemsOf(target)).toEqual([ofMethod(...missing(name, example))]);
    expect(codeOf(target)).toBe('MISSING_PARENTHESES');
  });

  it.each([
    [onController(Controller), 'Controller', '@Controller()'],
    [onClass(UseGuard), 'UseGuard', '@UseGuard(guard)'],
    [onClass(UseInterceptor), 'UseInterceptor', '@UseInterceptor(interceptor)'],
    [onClass(Roles), 'Roles', '@Roles(value)'],
    [onClass(Admin), 'Admin', "@Admin('all')"],
  ])('case %# is the only problem of its class, which keeps its name', (target, name, example) => {
    expect(target.name).toBe('UsersController');
    expect(new target()).toBeInstanceOf(target);
    expect(problemsOf(target)).toEqual([ofClass(...missing(name, example))]);
  });

  it('above @Controller() keeps the controller', () => {
    @UseGuard
    @Controller()
    class UsersController {
      @Get()
      read() {}
    }
    expect(problemsOf(UsersController)).toEqual([
      ofClass(...missing('UseGuard', '@UseGuard(guard)')),
    ]);
  });

  it('that is compiled as a standard decorator reports that', () => {
    const decorate = () => Get(() => {}, { kind: 'method', name: 'read' });
    expect(decorate).toThrow(expect.objectContaining({ code: 'STANDARD_DECORATOR' }));
  });
});

describe('a decorator in the wrong place', () => {
  const onStatic = (decorator: Loose) => {
    @Controller()
    class UsersController {
      @decorator
      static read() {}
    }
    return UsersController;
  };
  const onProperty = (decorator: Loose) => {
    @Controller()
    class UsersController {
      @decorator
      read = () => {};
    }
    return UsersController;
  };
  const onAccessor = (decorator: Loose) => {
    @Controller()
    class UsersController {
      @decorator
      get read() {
        return 1;
      }
    }
    return UsersController;
  };
  const onConstructor = (decorator: Loose) => {
    @Controller()
    class UsersController {
      constructor(@decorator readonly value: unknown) {}

      @Get()
      read() {}
    }
    return UsersController;
  };
  const toMethod = 'move it to an instance method.';
  const toParameter = 'move it to a parameter of an instance method.';
  const toEither = 'move it to the class or to an instance method.';

  it.each([
    [onStatic(Get()), '@Get() cannot decorate a static method.', 'remove the keyword static.'],
    [onStatic(Get), '@Get() cannot decorate a static method.', 'remove the keyword static.'],
    [
      onStatic(UseGuard('a')),
      '@UseGuard() cannot decorate a static method.',
      'remove the keyword static.',
    ],
    [onProperty(Get()), '@Get() cannot decorate a property.', 'make it a method: read() { … }.'],
    [onProperty(Get), '@Get() cannot decorate a property.', 'make it a method: read() { … }.'],
    [onAccessor(Get()), '@Get() cannot decorate an accessor.', 'make it a method: read() { … }.'],
    [onProperty(Ctx()), '@Ctx() cannot decorate a property.', toParameter],
    [onProperty(Tenant), '@Tenant() cannot decorate a property.', toParameter],
    [onMethod(Body()), '@Body() cannot decorate a method.', toParameter],
    [onMethod(Tenant), '@Tenant() cannot decorate a method.', toParameter],
    [
      onMethod(Query('/search')),
      '@Query() cannot decorate a method.',
      'move it to a parameter of an instance method, or use @QueryRoute(path) to handle QUERY requests.',
    ],
    [onMethod(Controller()), '@Controller() cannot decorate a method.', 'move it to the class.'],
    [onStatic(Admin), '@Admin() cannot decorate a static method.', 'remove the keyword static.'],
    [onParameter(UseGuard('a')), '@UseGuard() cannot decorate parameter 0.', toEither],
    [onParameter(Get()), '@Get() cannot decorate parameter 0.', toMethod],
    [
      onParameter(applyDecorators(Body())),
      'applyDecorators() cannot decorate a parameter.',
      'write the decorators of a parameter one after the other.',
    ],
  ])('case %#', (target, problem, fix) => {
    expect(problemsOf(target)).toEqual([ofMethod(problem, fix)]);
  });

  it.each([
    [onClass(HttpCode(201)), '@HttpCode() cannot decorate a class.', toMethod],
    [onClass(Get('/x')), '@Get() cannot decorate a class.', toMethod],
    [onClass(Get), '@Get() cannot decorate a class.', toMethod],
    [onClass(Body(UserDto)), '@Body() cannot decorate a class.', toParameter],
    [onConstructor(Body()), '@Body() cannot decorate parameter 0 of the constructor.', toParameter],
    [onConstructor(Body), '@Body() cannot decorate parameter 0 of the constructor.', toParameter],
  ])('case %# of a class', (target, problem, fix) => {
    expect(problemsOf(target)).toContain(ofClass(problem, fix));
  });

  it('has a code', () => {
    expect(codeOf(onProperty(Get()))).toBe('DECORATOR_PLACE');
  });

  it('is a static property or a parameter of a static method', () => {
    @Controller()
    class UsersController {
      @Get()
      static property = 1;

      static read(@Body() _body: unknown) {}
    }
    expect(problemsOf(UsersController)).toEqual([
      text('route UsersController.property: @Get() cannot decorate a static property.', toMethod),
      ofMethod(
        '@Body() cannot decorate parameter 0 of a static method.',
        'remove the keyword static.',
      ),
    ]);
  });
});

describe('the problems of decorators', () => {
  it('have the location of the decorator, and are reported with all others', async () => {
    const error = await failStart([LocatedController as Constructor]);
    expect((error as StartError).problems.map((problem) => problem.message)).toEqual([
      `Cannot register the route LocatedController.create: @Tenant() has no option 'requird'. Did you mean 'required'?
  At: ${locationOf('@Tenant({ requird: true })')}`,
      `Cannot register the route LocatedController.create: @Body() has no option 'transfrom'. Did you mean 'transform'?
  At: ${locationOf("@Body({ transfrom: 'a' })")}`,
      `Cannot register the route LocatedController.create: @HttpCode is missing its parentheses.
  At: ${locationOf("@Controller('/located')")}
  Fix: write @HttpCode(201).`,
      `Cannot register the route LocatedController.create: @Post() has no option 'sumary'. Did you mean 'summary'?
  At: ${locationOf("@Post('/', { sumary: 'a' })")}`,
    ]);
  });

  it('of a base class are reported once for all its subclasses', async () => {
    class Base {
      @HttpCode(99)
      read() {}
    }
    class One extends Base {
      @Get('/one')
      override read() {}
    }
    class Two extends Base {
      @Get('/two')
      override read() {}
    }
    const subclasses = [One, Two].map((target) => {
      Reflect.decorate([controllers.Controller()], target);
      return target;
    });
    const error = await failStart(subclasses);
    expect(error.message).toMatch(/^Cannot register the route Base\.read: @HttpCode\(\) cannot/);
  });
});

@Controller('/located')
class LocatedController {
  @Post('/', { sumary: 'a' })
  @HttpCode
  create(
    @Body({ transfrom: 'a' })
    _body: unknown,
    @Tenant({ requird: true })
    _tenant: unknown,
    _undecorated: unknown,
  ) {}
}
