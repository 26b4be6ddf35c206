import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import {
  applyDecorators,
  Body,
  type ClassInterceptor,
  type ClassMiddleware,
  Controller,
  Ctx,
  controllersPlugin,
  createCustomParamDecorator,
  defineController,
  Get,
  Head,
  HttpCode,
  Param,
  Post,
  Query,
  RequestContext,
  registerController,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '@fairlead/controllers';
import {
  BadRequestError,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  json,
  type Next,
  notFoundHandler,
  schemaClass,
} from '@fairlead/core';
import { type Constructor, createContainer, Inject, Service, token } from '@fairlead/di';
import { z } from 'zod';
import { serveControllers } from '../applications.js';
import { post } from '../mistake.js';
import { legal, silence, warned } from './program.js';

abstract class ReadController<T> {
  protected abstract find(id: string): T;

  @Get('/:id')
  read(@Param('id') id: string): unknown {
    return this.find(id);
  }
}

legal(
  'an abstract base controller with a type parameter',
  '200 {"id":"7"}',
  () => {
    @Controller('/users')
    class Users extends ReadController<{ id: string }> {
      protected find(id: string) {
        return { id };
      }
    }
    return serveControllers([Users]);
  },
  '/users/7',
);

legal(
  'two controllers that inherit the same routes',
  '200 "b7"',
  () => {
    @Controller('/a')
    class A extends ReadController<string> {
      protected find = (id: string) => `a${id}`;
    }
    @Controller('/b')
    class B extends ReadController<string> {
      protected find = (id: string) => `b${id}`;
    }
    return serveControllers([A, B]);
  },
  '/b/7',
);

legal(
  'a mixin that adds routes',
  '200 ["listed"]',
  () => {
    const Listed = <Base extends Constructor<object>>(base: Base) => {
      abstract class WithList extends (base as new (...values: never[]) => object) {
        @Get()
        list() {
          return ['listed'];
        }
      }
      return WithList;
    };
    @Controller('/things')
    class Things extends Listed(Object) {}
    return serveControllers([Things]);
  },
  '/things',
);

legal(
  'a function that returns a controller',
  '200 "cats"',
  () => {
    const resource = (name: string) => {
      @Controller(`/${name}`)
      class Resource {
        @Get()
        list() {
          return name;
        }
      }
      return Resource;
    };
    return serveControllers([resource('dogs'), resource('cats')]);
  },
  '/cats',
);

legal(
  'a controller without methods of its own',
  '200 "7"',
  () => {
    abstract class Base {
      @Get('/:id')
      read(@Param('id') id: string) {
        return id;
      }
    }
    @Controller('/x')
    class X extends Base {}
    return serveControllers([X]);
  },
  '/x/7',
);

legal(
  'a method with two routes',
  '200 "both"',
  () => {
    @Controller()
    class Both {
      @Get('/old')
      @Get('/new')
      read() {
        return 'both';
      }
    }
    return serveControllers([Both]);
  },
  '/new',
);

legal(
  'a method for HEAD beside one for GET',
  '200',
  () => {
    @Controller()
    class Files {
      @Get('/file')
      read() {
        return 'file';
      }
      @Head('/file')
      check(@Ctx() ctx: Context) {
        ctx.status = 200;
      }
    }
    return serveControllers([Files]);
  },
  ['/file', { method: 'HEAD' }],
);

legal('static, private, symbol and accessor members beside routes', '200 "ok"', () => {
  const hidden = Symbol('hidden');
  @Controller()
  class Mixed {
    static create() {
      return new Mixed();
    }
    #count = 0;
    get count() {
      return this.#count;
    }
    [hidden]() {
      return 'ok';
    }
    #answer() {
      this.#count += 1;
      return this[hidden]();
    }
    @Get()
    read() {
      return this.#answer();
    }
  }
  return serveControllers([Mixed]);
});

legal('a route method with a symbol as its name', '200 "symbol"', () => {
  const read = Symbol('read');
  @Controller()
  class Symbols {
    @Get()
    [read]() {
      return 'symbol';
    }
  }
  return serveControllers([Symbols]);
});

legal('a parameter with a default value that only other methods pass', '200 10', () => {
  @Controller()
  class Lists {
    @Get()
    list(limit = 10) {
      return limit;
    }
    all() {
      return this.list(1_000);
    }
  }
  return serveControllers([Lists]);
});

legal('a decorator of another library that replaces the method', '200 "HELLO"', () => {
  const Upper = (_target: object, _key: string, descriptor: PropertyDescriptor) => {
    const inner: () => string = descriptor.value;
    descriptor.value = function upper(this: unknown) {
      return inner.call(this).toUpperCase();
    };
  };
  @Controller()
  class Greetings {
    @Get()
    @Upper
    read() {
      return 'hello';
    }
  }
  return serveControllers([Greetings]);
});

legal(
  'a decorator of another library that returns a subclass',
  '200 "traced"',
  () => {
    const Traced = <T extends Constructor<{ read(): string }>>(target: T) =>
      class extends (target as Constructor<{ read(): string }>) {
        override read() {
          return 'traced';
        }
      } as unknown as T;
    @Controller('/t')
    @Traced
    class Greetings {
      @Get()
      read() {
        return 'hello';
      }
    }
    return serveControllers([Greetings]);
  },
  '/t',
);

legal('metadata of another library on a controller and its methods', '200 "hello"', () => {
  @Reflect.metadata('audit', true)
  @Controller()
  class Greetings {
    @Reflect.metadata('audit', 'method')
    @Get()
    read() {
      return 'hello';
    }
  }
  return serveControllers([Greetings]);
});

legal(
  'decorators of your own for routes',
  '201 "made"',
  () => {
    const Create = (path: string) => applyDecorators(Post(path), HttpCode(201));
    @Controller()
    class Things {
      @Create('/things')
      create() {
        return 'made';
      }
    }
    return serveControllers([Things]);
  },
  post('/things', {}),
);

legal(
  'a parameter of the prefix of the mount',
  '200 "acme"',
  async () => {
    @Controller('/users')
    class Users {
      @Get()
      list(@Param('tenant') tenant: string) {
        return tenant;
      }
    }
    const router = createRouter();
    const app = createApp().use(errorHandler(), json());
    await app.plugin(
      controllersPlugin({ router, container: createContainer(), controllers: [Users] }),
    );
    return app.route('/tenants/:tenant', router as never).use(notFoundHandler());
  },
  '/tenants/acme/users',
);

legal('a method that reads the client with @Ctx() and returns nothing', '202', () => {
  @Controller()
  class Jobs {
    @Get()
    run(@Ctx() ctx: Context) {
      ctx.status = 202;
    }
  }
  return serveControllers([Jobs]);
});

legal(
  'two plugins with two containers',
  '200 "admin"',
  async () => {
    const Name = token<string>('Name');
    @Controller()
    class Names {
      constructor(@Inject(Name) readonly name: string) {}
      @Get()
      read() {
        return this.name;
      }
    }
    const app = createApp().use(errorHandler());
    for (const name of ['public', 'admin']) {
      const router = createRouter();
      const container = createContainer().register(Name, { useValue: name });
      await app.plugin(
        controllersPlugin({ router, container, controllers: [Names], prefix: `/${name}` }),
      );
      app.route('/', router);
    }
    return app.use(notFoundHandler());
  },
  '/admin',
);

legal(
  'two plugins that share a container and a router',
  '200 "b"',
  async () => {
    @Controller('/a')
    class A {
      @Get()
      read() {
        return 'a';
      }
    }
    @Controller('/b')
    class B {
      @Get()
      read() {
        return 'b';
      }
    }
    const app = createApp().use(errorHandler());
    const router = createRouter();
    const container = createContainer();
    await app.plugin(controllersPlugin({ router, container, controllers: [A] }));
    await app.plugin(controllersPlugin({ router, container, controllers: [B] }));
    return app.route('/', router).use(notFoundHandler());
  },
  '/b',
);

legal(
  'a plugin without controllers, and one that is registered alone',
  '200 "alone"',
  async () => {
    @Controller('/alone')
    class Alone {
      @Get()
      read() {
        return 'alone';
      }
    }
    const router = createRouter();
    const container = createContainer();
    registerController(router, Alone, { container });
    return createApp().route('/', router);
  },
  '/alone',
);

legal('a controller that a factory builds', '200 "built"', () => {
  @Controller()
  class Built {
    constructor(readonly text: string) {}
    @Get()
    read() {
      return this.text;
    }
  }
  const container = createContainer().register(Built, { useFactory: () => new Built('built') });
  return serveControllers([Built], { container });
});

legal('a controller that is registered as an instance', '200 "instance"', () => {
  @Controller()
  class Fixed {
    constructor(readonly text: string) {}
    @Get()
    read() {
      return this.text;
    }
  }
  const container = createContainer().register(Fixed, { useValue: new Fixed('instance') });
  return serveControllers([Fixed], { container });
});

legal('a controller that is a proxy of an instance', '200 "seen 1"', () => {
  @Controller()
  class Inner {
    read() {
      return 'inner';
    }
    @Get()
    list() {
      return this.read();
    }
  }
  let calls = 0;
  const proxy = new Proxy(new Inner(), {
    get(target, key) {
      if (key === 'read') return () => `seen ${++calls}`;
      return Reflect.get(target, key);
    },
  });
  const container = createContainer().register(Inner, { useValue: proxy });
  return serveControllers([Inner], { container });
});

legal('a container of another library that only resolves', '200 "other"', () => {
  @Controller()
  class Greetings {
    readonly text = 'other';
    @Get()
    read() {
      return this.text;
    }
  }
  const instances = new Map<unknown, unknown>([[Greetings, new Greetings()]]);
  const container = { resolve: <T>(key: unknown) => instances.get(key) as T };
  return serveControllers([Greetings], { container: container as never });
});

legal('a child container for a controller as a value', '200 "child"', () => {
  const Text = token<string>('Text');
  const greetings = defineController('/', {
    inject: { text: Text },
    routes: ({ get }) => ({ read: get('/', (_ctx, { text }) => text) }),
  });
  const parent = createContainer().register(Text, { useValue: 'parent' });
  const container = parent.createChild().register(Text, { useValue: 'child' });
  return serveControllers([greetings], { container });
});

legal('a container of another library that only resolves, with values', '200 "other"', () => {
  const greetings = defineController('/', {
    inject: { text: token<string>('Text') },
    routes: ({ get }) => ({ read: get('/', (_ctx, { text }) => text) }),
  });
  const container = { resolve: () => 'other' };
  return serveControllers([greetings], { container: container as never });
});

legal('a factory whose parameter is optional', '200 36', () => {
  const Id = token<string>('Id');
  const createPrefix = (prefix?: string) => prefix ?? '';
  @Controller()
  class Ids {
    constructor(
      @Inject(Id) readonly id: string,
      @Inject('prefix') readonly prefix: string,
    ) {}
    @Get()
    read() {
      return (this.prefix + this.id).length;
    }
  }
  const container = createContainer()
    .register(Id, { useFactory: randomUUID })
    .register('prefix', { useFactory: createPrefix });
  return serveControllers([Ids], { container });
});

legal('a child container for the controllers', '200 "child"', () => {
  const Text = token<string>('Text');
  @Controller()
  class Greetings {
    constructor(@Inject(Text) readonly text: string) {}
    @Get()
    read() {
      return this.text;
    }
  }
  const parent = createContainer().register(Text, { useValue: 'parent' });
  const container = parent.createChild().register(Text, { useValue: 'child' }).register(Greetings);
  return serveControllers([Greetings], { container });
});

legal(
  'a request-scoped controller with the context',
  '200 "/me"',
  () => {
    @Service({ scope: 'request' })
    @Controller('/me')
    class Me {
      constructor(@Inject(RequestContext) readonly ctx: Context) {}
      @Get()
      read() {
        return this.ctx.path;
      }
    }
    return serveControllers([Me]);
  },
  '/me',
);

legal(
  'middleware and an interceptor as arrow function properties of classes',
  '200 {"data":"Ada"}',
  () => {
    @Service()
    class User implements ClassMiddleware {
      readonly use = (ctx: Context, next: Next) => {
        ctx.state.user = 'Ada';
        return next();
      };
    }
    @Service()
    class Envelope implements ClassInterceptor {
      readonly intercept = async (_ctx: Context, next: () => unknown) => ({ data: await next() });
    }
    @Controller()
    @UseMiddleware(User)
    @UseInterceptor(Envelope)
    class Me {
      @Get()
      read(@Ctx() ctx: Context) {
        return ctx.state.user;
      }
    }
    return serveControllers([Me]);
  },
);

legal('middleware with an optional third parameter on a controller', '200 "info"', () => {
  function audit(ctx: Context, next: Next, level?: string) {
    ctx.state.level = level ?? 'info';
    return next();
  }
  @Controller()
  class Levels {
    @Get()
    @UseMiddleware(audit as never)
    read(@Ctx() ctx: Context) {
      return ctx.state.level;
    }
  }
  return serveControllers([Levels]);
});

legal('an interceptor that caches and does not call next()', '200 1', () => {
  let calls = 0;
  const cached = new Map<string, unknown>();
  @Controller()
  class Counts {
    @Get()
    @UseInterceptor(async (ctx, next) => {
      const value = cached.get(ctx.path) ?? (await next());
      cached.set(ctx.path, value);
      return value;
    })
    count() {
      calls += 1;
      return calls;
    }
  }
  return serveControllers([Counts]);
});

legal(
  'a class with validation rules of its own as the type of the body',
  '201 {"name":"ada"}',
  () => {
    class Names {
      static readonly '~standard' = {
        version: 1 as const,
        vendor: 'own',
        validate: (value: unknown) => ({
          value: { name: String(Object(value).name).toLowerCase() },
        }),
      };
      readonly name: string = '';
    }
    @Controller()
    class Users {
      @Post('/', { status: 201 })
      create(@Body() body: Names) {
        return body;
      }
    }
    return serveControllers([Users]);
  },
  post('/', { name: 'ADA' }),
);

legal(
  'a class with generic methods as the schema of a query',
  '200 2',
  () => {
    class Page extends schemaClass(z.object({ page: z.coerce.number() })) {
      map<T>(transform: (page: number) => T) {
        return transform(this.page);
      }
    }
    @Controller()
    class Lists {
      @Get()
      list(@Query() page: Page) {
        return page.map((value) => value * 2);
      }
    }
    return serveControllers([Lists]);
  },
  '/?page=1',
);

legal(
  'a body that the controller takes as a record, and checks itself',
  '200 ["a"]',
  () => {
    @Controller()
    class Anything {
      @Post()
      keys(@Body() body: Record<string, unknown>) {
        return Object.keys(body);
      }
    }
    return serveControllers([Anything]);
  },
  ['/', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' }],
);

legal('a custom parameter decorator that reads nothing of the request', '200 "now"', () => {
  const Now = createCustomParamDecorator(() => 'now');
  @Controller()
  class Clock {
    @Get()
    read(@Now now: string) {
      return now;
    }
  }
  return serveControllers([Clock]);
});

legal(
  'classes with the same name in two controllers',
  '200 "b"',
  () => {
    const createA = () => {
      @Controller('/a')
      class Users {
        @Get()
        read() {
          return 'a';
        }
      }
      return Users;
    };
    const createB = () => {
      @Controller('/b')
      class Users {
        @Get()
        read() {
          return 'b';
        }
      }
      return Users;
    };
    return serveControllers([createA(), createB()]);
  },
  '/b',
);

legal(
  'an anonymous class as a controller',
  '200 "anonymous"',
  () => {
    const decorate = Controller('/anonymous');
    const [Anonymous] = [
      class {
        read() {
          return 'anonymous';
        }
      },
    ];
    const descriptor = Object.getOwnPropertyDescriptor(Anonymous.prototype, 'read');
    Get()(Anonymous.prototype, 'read', descriptor as never);
    decorate(Anonymous);
    return serveControllers([Anonymous]);
  },
  '/anonymous',
);

legal('a service that has methods named like hooks of other frameworks', '200 "started"', () => {
  @Service()
  class Worker {
    state = 'idle';
    start() {
      this.state = 'started';
    }
  }
  @Controller()
  class Workers {
    constructor(readonly worker: Worker) {
      worker.start();
    }
    @Get()
    read() {
      return this.worker.state;
    }
  }
  return serveControllers([Workers]);
});

legal(
  'dependencies that are null, false, zero and functions',
  '200 [null,false,0,"called"]',
  () => {
    const Nothing = token<null>('Nothing');
    const Flag = token<boolean>('Flag');
    const Zero = Symbol('Zero');
    const Call = token<() => string>('Call');
    @Controller()
    class Values {
      constructor(
        @Inject(Nothing) readonly nothing: null,
        @Inject(Flag) readonly flag: boolean,
        @Inject(Zero) readonly zero: number,
        @Inject(Call) readonly call: () => string,
      ) {}
      @Get()
      read() {
        return [this.nothing, this.flag, this.zero, this.call()];
      }
    }
    const container = createContainer()
      .register(Nothing, { useValue: null })
      .register(Flag, { useValue: false })
      .register(Zero, { useValue: 0 })
      .register(Call, { useValue: () => 'called' });
    return serveControllers([Values], { container });
  },
);

legal('built-in classes as tokens', '200 "epoch 0"', () => {
  @Controller()
  class Clock {
    constructor(
      readonly date: Date,
      readonly names: Map<string, string>,
    ) {}
    @Get()
    read() {
      return `${this.names.get('start')} ${this.date.getTime()}`;
    }
  }
  const container = createContainer()
    .register(Date, { useValue: new Date(0) })
    .register(Map, { useValue: new Map([['start', 'epoch']]) });
  return serveControllers([Clock], { container });
});

legal('a generic repository through a token for each type', '200 "users of memory"', () => {
  class Repository<T> {
    constructor(readonly name: string) {}
    readonly rows: T[] = [];
  }
  const UsersRepository = token<Repository<{ id: string }>>('UsersRepository');
  @Controller()
  class Users {
    constructor(@Inject(UsersRepository) readonly users: Repository<{ id: string }>) {}
    @Get()
    read() {
      return this.users.name;
    }
  }
  const container = createContainer().register(UsersRepository, {
    useFactory: async () => new Repository<{ id: string }>('users of memory'),
  });
  return serveControllers([Users], { container });
});

legal('a class whose constructor returns another object', '200 "cached"', () => {
  const cached = { read: () => 'cached' };
  @Service()
  class Cached {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: some libraries do.
      return cached as unknown as Cached;
    }
    read() {
      return 'new';
    }
  }
  @Controller()
  class Values {
    constructor(readonly cache: Cached) {}
    @Get()
    read() {
      return this.cache.read();
    }
  }
  return serveControllers([Values]);
});

@Controller('/beta')
class Beta {
  @Get()
  read() {
    return 'beta';
  }
}

warned(
  'a router of controllers that is mounted only if a feature is on',
  'their router is not mounted',
  '404',
  async (isSilenced) => {
    const router = silence(isSilenced, createRouter());
    const app = createApp();
    await app.plugin(
      controllersPlugin({ router, container: createContainer(), controllers: [Beta] }),
    );
    return app;
  },
  '/beta',
);

warned(
  'a router of controllers that another application mounts',
  'their router is not mounted',
  '200 "beta"',
  async (isSilenced) => {
    const router = silence(isSilenced, createRouter());
    const owner = createApp();
    await owner.plugin(
      controllersPlugin({ router, container: createContainer(), controllers: [Beta] }),
    );
    owner.seal();
    return createApp().route('/', router);
  },
  '/beta',
);

/** Each call returns another class. */
function createTenantController(): Constructor {
  @Controller('/names')
  class Names {
    @Get()
    read(@Param('tenant', { required: false }) tenant?: string) {
      return tenant ?? 'nobody';
    }
  }
  return Names;
}

warned(
  'a controller with a parameter of the prefix, mounted without the prefix',
  "@Param('tenant') does not match a parameter of GET /names",
  '200 "nobody"',
  (isSilenced) => serveControllers([silence(isSilenced, createTenantController())]),
  '/names',
);

legal(
  'a controller with an optional parameter of one of two prefixes',
  '200 "nobody"',
  async () => {
    const router = createRouter();
    const app = createApp();
    const controllers = [createTenantController()];
    await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
    return app.route('/tenants/:tenant', router as never).route('/', router);
  },
  '/names',
);

warned(
  'guards on a method whose route a subclass adds',
  'the method Base.secret has no route',
  '200 "base"',
  (isSilenced) => {
    @Controller('/base')
    class Base {
      @Get()
      read() {
        return 'base';
      }
      @UseGuard(() => false)
      secret() {
        return 'secret';
      }
    }
    @Controller('/derived')
    class Derived extends Base {
      @Get('/secret')
      override secret() {
        return super.secret();
      }
    }
    return serveControllers([silence(isSilenced, Base), Derived]);
  },
  '/base',
);

warned(
  'a service whose onModuleInit() the program calls itself',
  'onModuleInit()',
  '200 "ready"',
  (isSilenced) => {
    @Service()
    class Cache {
      state = 'empty';
      onModuleInit() {
        this.state = 'ready';
      }
    }
    silence(isSilenced, Cache);
    @Controller()
    class States {
      constructor(readonly cache: Cache) {
        cache.onModuleInit();
      }
      @Get()
      read() {
        return this.cache.state;
      }
    }
    return serveControllers([States]);
  },
);

warned(
  'a class as the type of a body that the method validates itself',
  'nothing validates parameters whose type is a class',
  '200 "Ada"',
  (isSilenced) => {
    class Person {
      name = '';
    }
    silence(isSilenced, Person);
    @Controller()
    class People {
      @Post()
      create(@Body() body: Person) {
        if (typeof body.name !== 'string') throw new BadRequestError('name must be a string');
        return body.name;
      }
    }
    return serveControllers([People]);
  },
  post('/', { name: 'Ada' }),
);

warned(
  'a plugin that has no controllers yet',
  'no controllers to register',
  '404',
  async (isSilenced) => {
    const router = createRouter();
    const options = silence(isSilenced, { router, container: createContainer() });
    const app = createApp();
    await app.plugin(controllersPlugin(options));
    return app.route('/', router);
  },
);

warned(
  'an optional parameter that only other methods pass',
  'parameter 1 of Reports.read has no decorator',
  '200 "7 short"',
  (isSilenced) => {
    @Controller()
    class Reports {
      @Get('/:id')
      read(@Param('id') id: string, form?: string) {
        return `${id} ${form ?? 'short'}`;
      }
      all() {
        return this.read('7', 'long');
      }
    }
    return serveControllers([silence(isSilenced, Reports)]);
  },
  '/7',
);
