import {
  Body,
  Controller,
  createCustomParamDecorator,
  Get,
  type GuardFn,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  Redirect,
  SetHeader,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '@fairlead/controllers';
import { type Context, schemaClass } from '@fairlead/core';
import { Inject, InjectAll, Service } from '@fairlead/di';
import { z } from 'zod';
import { serveControllers } from '../src/applications.js';
import { area, post } from '../src/mistake.js';

const mistake = area('Options of decorators');

class ParseIntPipe {
  transform(value: string) {
    return Number.parseInt(value, 10);
  }
}

class AuthGuard {
  canActivate() {
    return false;
  }
}

const UserSchema = z.object({ name: z.string() });
const someone = post('/users', { name: 7 });

mistake(
  '`@Controller({ path })`, as in NestJS',
  { compiler: "'path'", startup: "has no option 'path'" },
  () => {
    @Controller({ path: '/users' })
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Controller(['/users', '/people'])`, as in NestJS",
  { compiler: 'string[]', startup: '@Controller()' },
  () => {
    @Controller(['/users', '/people'])
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  '`@Controller({ prefix, version: 2 })`, a number',
  { compiler: "'number'", startup: 'version' },
  () => {
    @Controller({ prefix: '/users', version: 2 })
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/2/users',
);

mistake(
  "`@Controller({ prefix, version: '2' })`, as in NestJS",
  { never: 'The path starts with /2.' },
  () => {
    @Controller({ prefix: '/users', version: '2' })
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/v2/users',
);

mistake(
  "`@Controller('/users', { version })`, a second argument",
  { compiler: 'arguments', startup: 'at most one argument' },
  () => {
    @Controller('/users', { version: 'v2' })
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/v2/users',
);

mistake(
  "`@Get('/', { statsu })`",
  { compiler: "'statsu'", startup: "Did you mean 'status'?" },
  () => {
    @Controller('/users')
    class Users {
      @Get('/', { statsu: 203 })
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Get('/', { status: '203' })`",
  { compiler: "'string'", startup: 'an integer from 200 to 599' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/', { status: '203' })
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Get('/', { errors: { 404: 'GONE' } })`",
  { compiler: "'string'", startup: "Did you mean ['GONE']?" },
  () => {
    @Controller('/users')
    class Users {
      @Get('/', { errors: { 404: 'GONE' } })
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  '`@Get({ status })`, options without a path',
  { compiler: "'readonly string[]'", startup: /@Get\(\)/ },
  () => {
    @Controller('/users')
    class Users {
      @Get({ status: 203 })
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Post('/', 201)`",
  { compiler: 'no properties in common', startup: 'must be an object' },
  () => {
    @Controller('/users')
    class Users {
      @Post('/', 201)
      create() {
        return {};
      }
    }
    return serveControllers([Users]);
  },
  post('/users', {}),
);

mistake(
  "`@Get('/users', guard)`, a guard as in Express",
  { compiler: 'RouteDecoratorOptions', startup: 'must be an object' },
  () => {
    const signedIn: GuardFn = () => false;
    @Controller()
    class Users {
      @Get('/users', signedIn)
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Get('/', { response })` with a name",
  { compiler: "'string'", startup: 'must be a JSON Schema' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/', { response: 'User' })
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake(
  "`@Get('/', { response: [Book] })` with a class of `schemaClass()`",
  { compiler: "'(typeof Book)[]'", startup: 'z.array(Book.schema)' },
  () => {
    class Book extends schemaClass(z.object({ title: z.string() })) {}
    @Controller('/books')
    class Books {
      @Get('/', { response: [Book] })
      list() {
        return [];
      }
    }
    return serveControllers([Books]);
  },
  '/books',
);

mistake(
  "`@HttpCode('201')`",
  { compiler: "'string'", startup: 'an integer from 200 to 599' },
  () => {
    @Controller()
    class Users {
      @Get()
      @HttpCode('201')
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@HttpCode()`', { compiler: 'arguments', startup: 'an integer from 200 to 599' }, () => {
  @Controller()
  class Users {
    @Get()
    @HttpCode()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@HttpCode(99)`', { startup: 'an integer from 200 to 599' }, () => {
  @Controller()
  class Users {
    @Get()
    @HttpCode(99)
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@HttpCode(204)` on a method that returns a value',
  { never: 'A 204 has no body.' },
  () => {
    @Controller()
    class Users {
      @Get()
      @HttpCode(204)
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@Post(path, { body })`', { compiler: "'body'", startup: '@Body({ schema })' }, () => {
  @Controller()
  class Users {
    @Post('/', { body: z.object({}) })
    create() {
      return {};
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@HttpCode(200)` with a `response` for another status',
  { startup: 'add a schema for 200' },
  () => {
    @Controller()
    class Users {
      @Get('/', { response: { 201: { type: 'object' } } })
      @HttpCode(200)
      list() {
        return {};
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`@SetHeader('X-Version')` without a value",
  { compiler: 'arguments', startup: 'X-Version' },
  () => {
    @Controller()
    class Users {
      @Get()
      @SetHeader('X-Version')
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@SetHeader({ name: value })`', { compiler: 'arguments', startup: '@SetHeader()' }, () => {
  @Controller()
  class Users {
    @Get()
    @SetHeader({ 'X-Version': '2' })
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake("`@SetHeader('X Version', '2')`", { startup: '@SetHeader()' }, () => {
  @Controller()
  class Users {
    @Get()
    @SetHeader('X Version', '2')
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  "`@Header('Cache-Control', 'no-store')` on a method, as in NestJS",
  { compiler: 'TS2559', startup: '@SetHeader' },
  () => {
    @Controller()
    class Users {
      @Get()
      @Header('Cache-Control', 'no-store')
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake("`@Redirect('/new', '301')`", { compiler: "'string'", startup: '300 to 399' }, () => {
  @Controller()
  class Users {
    @Get()
    @Redirect('/new', '301')
    list() {}
  }
  return serveControllers([Users]);
});

mistake('`@Redirect()`', { compiler: 'arguments', startup: 'URL' }, () => {
  @Controller()
  class Users {
    @Get()
    @Redirect()
    list() {}
  }
  return serveControllers([Users]);
});

mistake('`@Redirect({ url })`', { compiler: "'string'", startup: 'URL' }, () => {
  @Controller()
  class Users {
    @Get()
    @Redirect({ url: '/new' })
    list() {}
  }
  return serveControllers([Users]);
});

mistake('`@UseGuard()` without a guard', { startup: 'at least one guard' }, () => {
  @Controller()
  class Users {
    @Get()
    @UseGuard()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseMiddleware()` without middleware', { startup: '@UseMiddleware()' }, () => {
  @Controller()
  class Users {
    @Get()
    @UseMiddleware()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseInterceptor()` without an interceptor', { startup: '@UseInterceptor()' }, () => {
  @Controller()
  class Users {
    @Get()
    @UseInterceptor()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseGuard([AuthGuard])`, in an array', { compiler: '[]', startup: 'guard 0' }, () => {
  @Controller()
  class Users {
    @Get()
    @UseGuard([AuthGuard])
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@UseGuard(new AuthGuard())`, an instance',
  { compiler: "'AuthGuard'", startup: /class|new/ },
  () => {
    @Controller()
    class Users {
      @Get()
      @UseGuard(new AuthGuard())
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`@UseGuard('auth')`, a token that is not registered",
  { startup: "register('auth'" },
  () => {
    @Controller()
    class Users {
      @Get()
      @UseGuard('auth')
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@UseGuard(undefined)`, from an import cycle',
  { compiler: "'undefined'", startup: 'import cycle' },
  () => {
    @Controller()
    class Users {
      @Get()
      @UseGuard(undefined)
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  'a guard class with `canactivate`',
  { compiler: "'canActivate'", startup: 'canActivate(ctx)' },
  () => {
    class AdminGuard {
      canactivate() {
        return true;
      }
    }
    @Controller()
    @UseGuard(AdminGuard)
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  'a guard class in `@UseMiddleware()`',
  { compiler: "'use'", startup: 'to @UseGuard() or the option guards' },
  () => {
    @Controller()
    @UseMiddleware(AuthGuard)
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  'a middleware class with `handle` instead of `use`',
  { compiler: "'use'", startup: 'use(ctx, next)' },
  () => {
    class LogMiddleware {
      handle(_ctx: Context, next: () => unknown) {
        return next();
      }
    }
    @Controller()
    @UseMiddleware(LogMiddleware)
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`next.handle()` in an interceptor, as in NestJS',
  { compiler: "'handle'", request: 'next.handle is not a function' },
  () => {
    class Envelope {
      intercept(_ctx: Context, next: () => unknown) {
        return next.handle();
      }
    }
    @Controller()
    @UseInterceptor(Envelope)
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`@Service({ scoped: 'request' })`, which creates a singleton",
  { compiler: "'scoped'", startup: "Did you mean 'scope'?" },
  () => {
    @Service({ scoped: 'request' })
    class Audit {}
    @Controller()
    class Users {
      constructor(readonly audit: Audit) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake("`@Service({ scope: 'REQUEST' })`", { compiler: '"REQUEST"', startup: "'request'" }, () => {
  @Service({ scope: 'REQUEST' })
  class Audit {}
  @Controller()
  class Users {
    constructor(readonly audit: Audit) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  "`@Service('users')`, as in typedi",
  { compiler: '"users"', startup: 'must be an object' },
  () => {
    @Service('users')
    class Store {}
    @Controller()
    class Users {
      constructor(readonly store: Store) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@Service({ singleton })`',
  { compiler: "'singleton'", startup: "has no option 'singleton'" },
  () => {
    @Service({ singleton: false })
    class Store {}
    @Controller()
    class Users {
      constructor(readonly store: Store) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake("`@Service({ eager: 'yes' })`", { compiler: "'string'", startup: 'true or false' }, () => {
  @Service({ eager: 'yes' })
  class Store {}
  @Controller()
  class Users {
    constructor(readonly store: Store) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake("`@Service({ eager: true, scope: 'request' })`", { startup: 'remove eager' }, () => {
  @Service({ eager: true, scope: 'request' })
  class Store {}
  @Controller()
  class Users {
    constructor(readonly store: Store) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@Inject()` without a token', { compiler: 'arguments', startup: '@Inject' }, () => {
  @Controller()
  class Users {
    constructor(@Inject() readonly store: object) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@Inject({ token })`', { compiler: 'TS2322', startup: /token/ }, () => {
  @Controller()
  class Users {
    constructor(@Inject({ token: 'store' }) readonly store: object) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@InjectAll()` without a token', { compiler: 'arguments', startup: '@InjectAll' }, () => {
  @Controller()
  class Users {
    constructor(@InjectAll() readonly stores: object[]) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Body({ transfrom })`, which skips validation',
  { compiler: 'TS2769', startup: "Did you mean 'transform'?" },
  () => {
    @Controller('/users')
    class Users {
      @Post()
      create(@Body({ transfrom: UserSchema }) user: unknown) {
        return user;
      }
    }
    return serveControllers([Users]);
  },
  someone,
);

mistake(
  '`@Body(UserSchema)`, a schema of zod instead of options',
  { compiler: 'TS2769', startup: 'schema' },
  () => {
    @Controller('/users')
    class Users {
      @Post()
      create(@Body(UserSchema) user: unknown) {
        return user;
      }
    }
    return serveControllers([Users]);
  },
  someone,
);

mistake(
  "`@Body('name', z.string())`, a schema instead of options",
  { compiler: 'TS1239', startup: 'schema' },
  () => {
    @Controller('/users')
    class Users {
      @Post()
      create(@Body('name', z.string()) name: string) {
        return name;
      }
    }
    return serveControllers([Users]);
  },
  someone,
);

mistake(
  '`@Body(UserDto)`, a class',
  { compiler: 'TS2769', startup: 'UserDto' },
  () => {
    class UserDto {
      name = '';
    }
    @Controller('/users')
    class Users {
      @Post()
      create(@Body(UserDto) user: UserDto) {
        return user;
      }
    }
    return serveControllers([Users]);
  },
  someone,
);

mistake(
  "`@Param('id', ParseIntPipe)`, as in NestJS",
  { compiler: 'Did you mean to call it?', startup: 'transform' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id')
      read(@Param('id', ParseIntPipe) id: number) {
        return id + 1;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Param('id', Number)`, a function instead of options",
  { compiler: "'NumberConstructor'", startup: 'transform' },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id')
      read(@Param('id', Number) id: number) {
        return id + 1;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  '`@Param({ name })`',
  { compiler: 'TS2769', startup: "has no option 'name'" },
  () => {
    @Controller('/users')
    class Users {
      @Get('/:id')
      read(@Param({ name: 'id' }) id: string) {
        return id;
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

mistake(
  "`@Query('tag', { all: 'true' })`",
  { compiler: 'TS2769', startup: 'true or false' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('tag', { all: 'true' }) tags: string[]) {
        return tags ?? [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`@Query('page', { defaultValue })`",
  { compiler: "'defaultValue'", startup: "has no option 'defaultValue'" },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { defaultValue: '1' }) page: string) {
        return page ?? null;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`@Query('page', { required: 'false' })`",
  { compiler: "'boolean | undefined'", startup: 'true or false' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('page', { required: 'false' }) page: string) {
        return page;
      }
    }
    return serveControllers([Users]);
  },
  '/?page=2',
);

mistake("`@Header(['Accept'])`", { compiler: 'TS2769', startup: '@Header()' }, () => {
  @Controller()
  class Users {
    @Get()
    list(@Header(['Accept']) accept: unknown) {
      return typeof accept;
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`createCustomParamDecorator()` without a function',
  { compiler: 'arguments', startup: 'function' },
  () => {
    const Locale = createCustomParamDecorator();
    @Controller()
    class Users {
      @Get()
      list(@Locale() locale: unknown) {
        return typeof locale;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`createCustomParamDecorator((data, ctx) => …)`, the parameters swapped, as in NestJS',
  { compiler: 'TS2345', request: 'ctx.get is not a function' },
  () => {
    const Agent = createCustomParamDecorator((name: string, ctx: Context) => ctx.get(name));
    @Controller()
    class Users {
      @Get()
      list(@Agent('user-agent') agent: string) {
        return agent;
      }
    }
    return serveControllers([Users]);
  },
);
