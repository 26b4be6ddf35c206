import { cpSync } from 'node:fs';
import { Controller, Get, RequestContext, UseGuard } from '@fairlead/controllers';
import { createApp } from '@fairlead/core';
import {
  all,
  type Constructor,
  type Container,
  createContainer,
  container as globalContainer,
  Inject,
  InjectAll,
  type Lazy,
  lazy,
  Optional,
  Repository,
  Service,
  token,
} from '@fairlead/di';
import { serveControllers } from '../src/applications.js';
import { FILES } from '../src/files.js';
import { area } from '../src/mistake.js';

const mistake = area('Dependency injection');

/** Creates an application with a controller that depends on a class or a token. */
function serveDependent(
  dependency: Constructor | string | symbol | ReturnType<typeof token>,
  register: (container: Container) => unknown = () => undefined,
) {
  @Controller()
  class Users {
    constructor(@Inject(dependency) readonly dependency: unknown) {}
    @Get()
    list() {
      return typeof this.dependency;
    }
  }
  const container = createContainer();
  register(container);
  return serveControllers([Users], { container });
}

class Ledger {
  readonly names = ['Ada'];
}

const PORT = token<number>('Port');

mistake('a class without `@Service()`', { startup: 'add @Service() to Sundial' }, () => {
  class Sundial {}
  @Controller()
  class Users {
    constructor(readonly sundial: Sundial) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  'a class without `@Service()`, which has the name of a service',
  { startup: 'If they are two classes, add @Service() to Store.' },
  () => {
    @Service()
    class Store {}
    const services = { Store };
    return serveDependent(
      class Store {
        readonly services = services;
      },
    );
  },
);

mistake(
  'a class without `@Service()`, which has the name of a registered token',
  { startup: 'Fix: add @Service() to Atlas.' },
  () => {
    class Atlas {}
    return serveDependent(Atlas, (container) => {
      container.register(token('Atlas'), { useValue: [] });
    });
  },
);

mistake(
  'a subclass of a service without `@Service()`',
  { startup: 'add @Service() to Sundial' },
  () => {
    @Service()
    class Base {}
    class Sundial extends Base {}
    return serveDependent(Sundial);
  },
);

mistake(
  'a singleton that holds a transient with a lazy request-scoped dependency',
  { startup: 'would capture RequestContext' },
  () => {
    @Service({ scope: 'transient' })
    class Logger {
      constructor(@Inject(lazy(() => RequestContext)) readonly ctx: Lazy<RequestContext>) {}
    }
    class Names {
      static inject = [Logger] as const;
      constructor(readonly logger: Logger) {}
    }
    return serveDependent(Names);
  },
);

mistake(
  "`@Service({ eager: true })` with `static scope = 'request'`",
  { startup: 'must be a singleton' },
  () => {
    @Service({ eager: true })
    class Worker {
      static inject = [] as const;
      static scope = 'request';
      readonly jobs = 0;
    }
    return serveDependent(Worker);
  },
);

mistake('an abstract class without a provider', { startup: 'useClass' }, () => {
  abstract class Mailer {
    abstract send(): void;
  }
  @Controller()
  class Users {
    constructor(readonly mailer: Mailer) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('an interface as the type of a parameter', { startup: '@Inject(NAME)' }, () => {
  interface Sundial {
    now(): number;
  }
  @Controller()
  class Users {
    constructor(readonly sundial: Sundial) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('a union as the type of a parameter', { startup: '@Inject(NAME)' }, () => {
  @Controller()
  class Users {
    constructor(readonly ledger: Ledger | RegExp) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('a string as the type of a parameter', { startup: '@Inject(NAME)' }, () => {
  @Controller()
  class Users {
    constructor(readonly url: string) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`ledgers: Ledger[]`', { startup: '@InjectAll' }, () => {
  @Controller()
  class Users {
    constructor(readonly ledgers: Ledger[]) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`names: Map<string, string>`', { startup: /^(?!.*@Service\(\) to Map)[\s\S]*Map/ }, () => {
  @Controller()
  class Users {
    constructor(readonly names: Map<string, string>) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`since: Date`', { startup: /^(?!.*@Service\(\) to Date)[\s\S]*Date/ }, () => {
  @Controller()
  class Users {
    constructor(readonly since: Date) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`store: Promise<Ledger>`',
  { startup: /^(?!.*@Service\(\) to Promise)[\s\S]*Promise/ },
  () => {
    @Controller()
    class Users {
      constructor(readonly store: Promise<Ledger>) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "a second `token('Mailer')` instead of the registered one",
  { startup: /same name|registered|another/ },
  () =>
    serveDependent(token('Mailer'), (container) =>
      container.register(token('Mailer'), { useValue: {} }),
    ),
);

mistake(
  "`'db'` instead of the registered `Symbol.for('db')`",
  { startup: "Symbol.for('db')" },
  () => serveDependent('db', (container) => container.register(Symbol.for('db'), { useValue: {} })),
);

mistake("a second `Symbol('db')`", { startup: 'same' }, () =>
  serveDependent(Symbol('db'), (container) => container.register(Symbol('db'), { useValue: {} })),
);

mistake("`'databse'` instead of the registered `'database'`", { startup: "'databse'" }, () =>
  serveDependent('databse', (container) => container.register('database', { useValue: {} })),
);

mistake('the name of a class instead of the class', { startup: /Ledger/ }, () =>
  serveDependent('Ledger', (container) => container.register(Ledger)),
);

mistake('a token that nothing provides', { startup: "container.register('url'" }, () =>
  serveDependent('url'),
);

mistake(
  'a provider in the global container, with another container for the plugin',
  { startup: "'global url'" },
  () => {
    globalContainer.register('global url', { useValue: 'db:' });
    return serveDependent('global url');
  },
);

mistake('two services that need each other', { startup: '[lazy(() => TheClass)]' }, () => {
  class Author {
    static inject: readonly Constructor[] = [];
  }
  class Book {
    static inject = [Author];
    constructor(readonly author: Author) {}
  }
  Author.inject = [Book];
  return serveDependent(Book);
});

mistake(
  'two aliases of each other, which `lazy` cannot fix',
  { startup: 'These are all aliases' },
  () =>
    serveDependent('a', (container) =>
      container.register('a', { useExisting: 'b' }).register('b', { useExisting: 'a' }),
    ),
);

mistake(
  '`lazy(Book)` instead of `lazy(() => Book)`',
  { compiler: 'Book', startup: 'lazy(() =>' },
  () => {
    @Service()
    class Book {}
    @Controller()
    class Users {
      constructor(@Inject(lazy(Book)) readonly book: Lazy<Book>) {}
      @Get()
      list() {
        return typeof this.book.value;
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`lazy` of a class that nothing provides', { startup: 'add @Service() to Sundial' }, () => {
  class Sundial {}
  @Controller()
  class Users {
    constructor(@Inject(lazy(() => Sundial)) readonly sundial: Lazy<Sundial>) {}
    @Get()
    list() {
      return typeof this.sundial.value;
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Inject(lazy(() => Clock)) clock: Clock`, without `.value`',
  { warning: 'write Lazy<Clock>' },
  () => {
    @Service()
    class Clock {
      now() {
        return 0;
      }
    }
    @Controller()
    class Users {
      constructor(@Inject(lazy(() => Clock)) readonly clock: Clock) {}
      @Get()
      list() {
        return this.clock.now();
      }
    }
    return serveControllers([Users]);
  },
);

mistake('a lazy dependency read in the constructor', { startup: 'lazy' }, () => {
  @Service()
  class Author {
    constructor(@Inject(lazy(() => Author)) self: Lazy<Author>) {
      void self.value;
    }
  }
  return serveDependent(Author);
});

mistake(
  '`@Inject(undefined)`, from an import cycle',
  { compiler: "'undefined'", startup: 'lazy' },
  () => {
    @Controller()
    class Users {
      constructor(@Inject(undefined) readonly store: object) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  "`@Inject('primary') @Inject('replica')` on one parameter",
  { startup: 'has another @Inject() or @InjectAll()' },
  () => {
    const container = createContainer()
      .register('primary', { useValue: 1 })
      .register('replica', { useValue: 2 });
    @Controller()
    class Users {
      constructor(@Inject('primary') @Inject('replica') readonly db: number) {}
      @Get()
      list() {
        return this.db;
      }
    }
    return serveControllers([Users], { container });
  },
);

mistake(
  "`register('port', 8080)` without `useValue`",
  { compiler: "'number'", startup: 'useValue' },
  () => serveDependent('port', (container) => container.register('port', 8080)),
);

mistake(
  "`register('config', { url })` without `useValue`",
  { compiler: "'url'", startup: 'useValue' },
  () => serveDependent('config', (container) => container.register('config', { url: 'db:' })),
);

mistake(
  '`register({ provide, useClass })`, as in NestJS',
  { compiler: "'provide'", startup: 'token' },
  () =>
    serveDependent(Ledger, (container) =>
      container.register({ provide: Ledger, useClass: Ledger }),
    ),
);

mistake('`register([Ledger])`', { compiler: '[]', startup: /token|class/ }, () =>
  serveDependent(Ledger, (container) => container.register([Ledger])),
);

mistake('`register(new Ledger())`', { compiler: "'Ledger'", startup: /class/ }, () =>
  serveDependent(Ledger, (container) => container.register(new Ledger())),
);

mistake(
  '`{ useClass: new Ledger() }`',
  { compiler: "'Ledger'", startup: 'useClass is not a class' },
  () =>
    serveDependent(Ledger, (container) => container.register(Ledger, { useClass: new Ledger() })),
);

mistake('`{ useClass: () => new Ledger() }`', { compiler: 'TS2322', startup: 'useFactory' }, () =>
  serveDependent(Ledger, (container) =>
    container.register(Ledger, { useClass: () => new Ledger() }),
  ),
);

mistake('`{ useFactory: Ledger }`, a class', { compiler: 'Ledger', startup: /useClass/ }, () =>
  serveDependent(Ledger, (container) => container.register(Ledger, { useFactory: Ledger })),
);

mistake(
  '`{ useFactory: openStore() }`, the function called',
  { compiler: 'Promise', startup: 'useFactory' },
  () => {
    const openStore = async () => new Ledger();
    return serveDependent(Ledger, (container) =>
      container.register(Ledger, { useFactory: openStore() }),
    );
  },
);

mistake('`{ useFactory, deps }`, as in Angular', { compiler: 'TS2322', startup: 'inject' }, () =>
  serveDependent(Ledger, (container) =>
    container.register(Ledger, { useFactory: (_port: number) => new Ledger(), deps: [PORT] }),
  ),
);

mistake(
  '`useFactory` with a parameter, without `inject`',
  { compiler: 'TS2322', startup: 'inject' },
  () =>
    serveDependent(Ledger, (container) =>
      container.register(Ledger, { useFactory: (_port: number) => new Ledger() }),
    ),
);

mistake('`{ useclass }`', { compiler: "'useclass'", startup: 'useClass' }, () =>
  serveDependent(Ledger, (container) => container.register(Ledger, { useclass: Ledger })),
);

mistake('`{ useClass, useValue }`', { startup: 'useValue and useClass' }, () =>
  serveDependent(Ledger, (container) =>
    container.register(Ledger, { useClass: Ledger, useValue: new Ledger() }),
  ),
);

mistake("`{ useExisting: 'nothing' }`", { startup: "'nothing'" }, () =>
  serveDependent('store', (container) => container.register('store', { useExisting: 'nothing' })),
);

mistake(
  '`useValue: process.env.PORT`, which is not set',
  { compiler: "'undefined'", warning: 'whose value is undefined' },
  () =>
    serveDependent(PORT, (container) => container.register(PORT, { useValue: process.env.PORT })),
);

mistake('a promise as `useValue`', { compiler: 'Promise', warning: 'is a promise, so what' }, () =>
  serveDependent(PORT, (container) =>
    container.register(PORT, { useValue: Promise.resolve(8080) }),
  ),
);

mistake(
  'a factory that returns nothing',
  { compiler: 'void', never: 'undefined is a value.' },
  () =>
    serveDependent(PORT, (container) =>
      container.register(PORT, {
        useFactory: () => {
          new Ledger();
        },
      }),
    ),
);

mistake(
  "`register(…, { scope: 'REQUEST' })`",
  { compiler: '"REQUEST"', startup: "'request'" },
  () =>
    serveDependent(Ledger, (container) =>
      container.register(Ledger, { useClass: Ledger }, { scope: 'REQUEST' }),
    ),
);

mistake("`register(…, { scope: 'request' })` for a value", { startup: 'takes no scope' }, () =>
  serveDependent('store', (container) =>
    container.register('store', { useValue: 1 }, { scope: 'request' }),
  ),
);

mistake(
  '`register(…, { multiple: true })`',
  { compiler: "'multiple'", startup: "has no option 'multiple'" },
  () =>
    serveDependent(Ledger, (container) =>
      container.register(Ledger, { useClass: Ledger }, { multiple: true }),
    ),
);

mistake(
  '`register(…, { singleton: false })`',
  { compiler: "'singleton'", startup: "'singleton'" },
  () =>
    serveDependent(Ledger, (container) =>
      container.register(Ledger, { useClass: Ledger }, { singleton: false }),
    ),
);

mistake('a factory that rejects', { startup: 'no database' }, () =>
  serveDependent('db', (container) =>
    container.register('db', { useFactory: () => Promise.reject(new Error('no database')) }),
  ),
);

mistake('two factories that fail', { startup: /no database[\s\S]*no queue/ }, () => {
  @Controller()
  class Users {
    constructor(
      @Inject('db') readonly db: unknown,
      @Inject('queue') readonly queue: unknown,
    ) {}
    @Get()
    list() {
      return [];
    }
  }
  const container = createContainer()
    .register('db', { useFactory: () => Promise.reject(new Error('no database')) })
    .register('queue', { useFactory: () => Promise.reject(new Error('no queue')) });
  return serveControllers([Users], { container });
});

mistake('a factory that never settles', { warning: "'db'" }, () =>
  serveDependent('db', (container) =>
    container.register('db', { useFactory: () => new Promise(() => undefined) }),
  ),
);

mistake('a constructor that throws', { startup: 'no disk' }, () => {
  @Service()
  class Disk {
    constructor() {
      throw new Error('no disk');
    }
  }
  return serveDependent(Disk);
});

mistake('two constructors that throw', { startup: /no disk[\s\S]*no tape/ }, () => {
  @Service()
  class Disk {
    constructor() {
      throw new Error('no disk');
    }
  }
  @Service()
  class Tape {
    constructor() {
      throw new Error('no tape');
    }
  }
  @Controller('/disk')
  class DiskController {
    constructor(readonly disk: Disk) {}
    @Get()
    read() {
      return 1;
    }
  }
  @Controller('/tape')
  class TapeController {
    constructor(readonly tape: Tape) {}
    @Get()
    read() {
      return 1;
    }
  }
  return serveControllers([DiskController, TapeController]);
});

mistake(
  'a constructor that throws, needed only by a request-scoped controller',
  { startup: 'no disk' },
  () => {
    @Service()
    class Disk {
      constructor() {
        throw new Error('no disk');
      }
    }
    @Service({ scope: 'request' })
    @Controller()
    class Users {
      constructor(readonly disk: Disk) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('a singleton that depends on a request-scoped service', { startup: "'request'" }, () => {
  @Service({ scope: 'request' })
  class Audit {}
  @Service()
  class Names {
    constructor(readonly audit: Audit) {}
  }
  return serveDependent(Names);
});

mistake('a controller of scope singleton with `RequestContext`', { startup: "'request'" }, () => {
  @Controller()
  class Users {
    constructor(readonly ctx: RequestContext) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  'a request-scoped service resolved from the container',
  { request: 'createScope()' },
  () => {
    @Service({ scope: 'request' })
    class Audit {}
    const container = createContainer();
    return createApp().get('/', () => typeof container.resolve(Audit));
  },
);

mistake('an asynchronous provider resolved before it is ready', { startup: 'initialize' }, () => {
  const container = createContainer().register('db', { useFactory: async () => 1 });
  return container.resolve('db');
});

mistake('providers for `@InjectAll`, registered without `multi`', { warning: 'multi' }, () => {
  @Service()
  class Rules {
    constructor(@InjectAll('rule') readonly rules: unknown[]) {}
  }
  return serveDependent(Rules, (container) =>
    container.register('rule', { useValue: 'a' }).register('rule', { useValue: 'b' }),
  );
});

mistake('`@InjectAll` of a token that nothing provides', { startup: "'plugin'" }, () => {
  @Controller()
  class Users {
    constructor(@InjectAll('plugin') readonly plugins: unknown[]) {}
    @Get()
    list() {
      return this.plugins;
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Optional()` for a dependency that somebody forgot to register',
  { never: 'It is optional.' },
  () => {
    @Controller()
    class Users {
      constructor(@Optional() @Inject('db') readonly db?: unknown) {}
      @Get()
      list() {
        return typeof this.db;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@Optional()` for a misspelled name of a registered dependency',
  { warning: "use 'database', or pass the class to intended()" },
  () => {
    @Controller()
    class Users {
      constructor(@Optional() @Inject('databse') readonly database?: unknown) {}
      @Get()
      list() {
        return typeof this.database;
      }
    }
    const container = createContainer().register('database', { useValue: 1 });
    return serveControllers([Users], { container });
  },
);

mistake('`static inject` that is too short', { startup: 'list every parameter' }, () => {
  class Names {
    static inject = [Ledger] as const;
    constructor(
      readonly ledger: Ledger,
      readonly other: Ledger,
    ) {}
  }
  return serveDependent(Names, (container) => container.register(Ledger));
});

mistake(
  "`static scope = 'Request'`",
  { startup: "must be 'singleton', 'transient' or 'request'" },
  () => {
    class Visit {
      static inject = [];
      static scope = 'Request';
      readonly pages = 0;
    }
    return serveDependent(Visit);
  },
);

mistake("`static eager = 'true'`", { startup: 'must be true or false' }, () => {
  class Worker {
    static inject = [];
    static eager = 'true';
    readonly jobs = 0;
  }
  return serveDependent(Worker);
});

mistake(
  "`static eager = true` with `static scope = 'request'`",
  { startup: 'must be a singleton' },
  () => {
    class Worker {
      static inject = [];
      static eager = true;
      static scope = 'request';
      readonly jobs = 0;
    }
    return serveDependent(Worker);
  },
);

mistake(
  '`static scope` of a class without `static inject`, with another value than a scope',
  { never: 'The static may have another purpose.' },
  () => {
    class GitHub {
      static scope = 'read:user';
      readonly names = ['Ada'];
    }
    return serveDependent(GitHub, (container) => container.register(GitHub));
  },
);

mistake(
  'a class without `static inject`, in the `static inject` of another',
  { startup: 'add `static inject = []` to Sundial' },
  () => {
    class Sundial {
      readonly hours = 12;
    }
    class Names {
      static inject = [Sundial];
      constructor(readonly sundial: Sundial) {}
    }
    return serveDependent(Names);
  },
);

mistake(
  '`static inject` in another order than the parameters',
  { never: 'The types are erased.' },
  () => {
    @Service()
    class Clock {}
    class Names {
      static inject = [Clock, Ledger] as const;
      constructor(
        readonly ledger: Ledger,
        readonly clock: Clock,
      ) {}
    }
    return serveDependent(Names, (container) => container.register(Ledger));
  },
);

mistake('`static inject = [undefined]`, from an import cycle', { startup: 'lazy' }, () => {
  class Names {
    static inject = [undefined] as const;
    constructor(readonly ledger: Ledger | undefined) {}
  }
  return serveDependent(Names);
});

mistake('`all` where one instance is expected', { never: 'A list is a value.' }, () => {
  class Names {
    static inject = [all(Ledger)] as const;
    constructor(readonly ledger: Ledger) {}
  }
  return serveDependent(Names, (container) => container.register(Ledger));
});

mistake('`onModuleInit()`, as in NestJS', { warning: 'onModuleInit' }, () => {
  @Service()
  class Worker {
    onModuleInit() {}
  }
  return serveDependent(Worker);
});

mistake(
  '`dispose()` instead of `[Symbol.dispose]()`',
  { never: 'It may be a method of the application.' },
  () => {
    @Service()
    class Pool {
      dispose() {}
    }
    return serveDependent(Pool);
  },
);

mistake('`[Symbol.dispose]()` that throws', { close: 'busy' }, () => {
  @Service()
  class Pool {
    [Symbol.dispose]() {
      throw new Error('busy');
    }
  }
  return serveDependent(Pool);
});

mistake(
  'an eager service that nothing registers',
  { never: 'The container cannot know the class.' },
  () => {
    @Service({ eager: true })
    class Worker {}
    return serveDependent('port', (container) => container.register('port', { useValue: 1 }));
  },
);

mistake(
  'a service with a timer, registered without `eager: true`',
  { never: 'Another service may depend on it later.' },
  () => {
    @Service()
    class Worker {
      readonly timer = setInterval(() => undefined, 60_000).unref();
    }
    return serveDependent('port', (container) =>
      container.register('port', { useValue: 1 }).register(Worker),
    );
  },
);

mistake('a container that is disposed', { startup: 'disposed' }, () =>
  serveDependent(Ledger, (container) => container.register(Ledger).dispose()),
);

mistake(
  'a container of one application used by another, after `close()`',
  { startup: 'create a new container' },
  async () => {
    const container = createContainer();
    @Controller()
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    const first = await serveControllers([Users], { container });
    await first.close();
    return serveControllers([Users], { container });
  },
);

mistake(
  'a guard whose dependency nothing provides',
  { startup: 'add @Service() to Ledger' },
  () => {
    @Service()
    class StoreGuard {
      constructor(readonly ledger: Ledger) {}
      canActivate() {
        return true;
      }
    }
    @Controller()
    @UseGuard(StoreGuard)
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('two copies of `@fairlead/di`', { startup: /copies|copy/ }, async () => {
  const copy = `${FILES}di`;
  cpSync('../../packages/di/src', copy, { recursive: true });
  const other: typeof import('@fairlead/di') = await import(`${copy}/index.js`);
  return serveDependent(other.token('Port'));
});

mistake('`Repository` without parentheses', { compiler: 'TS1238', startup: '()' }, () => {
  @Repository
  class Names {}
  return serveDependent(Names);
});
