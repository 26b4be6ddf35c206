import {
  Body,
  Controller,
  Ctx,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Redirect,
  SetHeader,
  UseGuard,
} from '@fairlead/controllers';
import { Inject, InjectAll, Optional, Service } from '@fairlead/di';
import { Roles } from '@fairlead/jwt/controllers';
import { serveControllers } from '../src/applications.js';
import { area, post } from '../src/mistake.js';

const mistake = area('Places of decorators');

const deny = () => false;

@Service()
class Store {}

mistake(
  '`@Controller` without parentheses',
  { compiler: 'TS1238', startup: '@Controller()' },
  () => {
    @Controller
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@Get` without parentheses', { compiler: 'TS1241', startup: '@Get()' }, () => {
  @Controller()
  class Users {
    @Get
    list() {
      return [];
    }
    @Get('/all')
    all() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@Service` without parentheses', { compiler: 'TS1238', startup: '@Service()' }, () => {
  @Service
  class Names {}
  @Controller()
  class Users {
    constructor(readonly names: Names) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseGuard` without parentheses', { compiler: 'TS1241', startup: '@UseGuard(' }, () => {
  @Controller()
  class Users {
    @Get()
    @UseGuard
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@HttpCode` without parentheses', { compiler: 'decorator', startup: '@HttpCode(' }, () => {
  @Controller()
  class Users {
    @Get()
    @HttpCode
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Body` without parentheses',
  { compiler: 'decorator', startup: '@Body()' },
  () => {
    @Controller()
    class Users {
      @Post()
      create(@Body body: unknown) {
        return body;
      }
    }
    return serveControllers([Users]);
  },
  post('/', {}),
);

mistake('`@Ctx` without parentheses', { compiler: 'decorator', startup: '@Ctx()' }, () => {
  @Controller()
  class Users {
    @Get()
    list(@Ctx ctx: unknown) {
      return typeof ctx;
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Roles` of @fairlead/jwt without parentheses',
  { compiler: 'TS1270', startup: "write @Roles('admin')" },
  () => {
    @Controller()
    class Users {
      @Get()
      @Roles
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@Inject` without parentheses', { compiler: 'decorator', startup: '@Inject(' }, () => {
  @Controller()
  class Users {
    constructor(@Inject readonly store: Store) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Optional` without parentheses',
  { compiler: 'decorator', startup: '@Optional()' },
  () => {
    @Controller()
    class Users {
      constructor(@Optional readonly store?: Store) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@Get()` on a static method', { startup: 'static' }, () => {
  @Controller()
  class Users {
    @Get()
    static list() {
      return [];
    }
    @Get('/all')
    all() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Get()` on a property with an arrow function',
  { compiler: 'decorator', startup: /method/ },
  () => {
    @Controller()
    class Users {
      @Get()
      list = () => [];
    }
    return serveControllers([Users]);
  },
);

mistake('`@Get()` on a getter', { startup: /method/ }, () => {
  @Controller()
  class Users {
    @Get()
    get list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake("`@Get('/users')` on a class", { compiler: 'decorator', startup: '@Controller' }, () => {
  @Get('/users')
  class Users {
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  "`@Controller('/users')` on a method",
  { compiler: 'decorator', startup: '@Controller' },
  () => {
    @Controller()
    class Users {
      @Controller('/users')
      list() {
        return [];
      }
      @Get()
      all() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/users',
);

mistake('`@Service()` on a method', { compiler: 'decorator', startup: '@Service()' }, () => {
  @Controller()
  class Users {
    @Get()
    @Service()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Inject(Store)` on a property, as in NestJS',
  { compiler: 'decorator', startup: '@Inject' },
  () => {
    @Controller()
    class Users {
      @Inject(Store)
      readonly store: Store | undefined;
      @Get()
      list() {
        return typeof this.store;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@Inject(Store)` on a parameter of a route',
  { compiler: 'TS1239', startup: '@Inject' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Inject(Store) store: Store) {
        return typeof store;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@InjectAll(Store)` on a property',
  { compiler: 'decorator', startup: '@InjectAll' },
  () => {
    @Controller()
    class Users {
      @InjectAll(Store)
      readonly stores: Store[] | undefined;
      @Get()
      list() {
        return typeof this.stores;
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  '`@Optional()` on a parameter of a route',
  { compiler: 'TS1239', startup: '@Optional' },
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Optional() @Query('page') page?: string) {
        return page ?? null;
      }
    }
    return serveControllers([Users]);
  },
);

mistake("`@Param('id')` on a parameter of a constructor", { startup: 'instance method' }, () => {
  @Controller()
  class Users {
    constructor(@Param('id') readonly id: string) {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@Body()` on a method',
  { startup: /parameter/ },
  () => {
    @Controller()
    class Users {
      @Post()
      @Body()
      create() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  post('/', {}),
);

mistake(
  "`@Query('/search')` on a method, for a QUERY route",
  { startup: '@QueryRoute(path)' },
  () => {
    @Controller()
    class Users {
      @Query('/search')
      search() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  ['/search', { method: 'QUERY', headers: { 'Content-Type': 'application/json' } }],
);

mistake('`@HttpCode(201)` on a class', { compiler: 'decorator', startup: '@HttpCode' }, () => {
  @Controller()
  @HttpCode(201)
  class Users {
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  "`@SetHeader('X-Version', '2')` on a class",
  { compiler: 'decorator', startup: '@SetHeader' },
  () => {
    @Controller()
    @SetHeader('X-Version', '2')
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake('`@UseGuard(deny)` on a property', { compiler: 'TS1240', startup: /method/ }, () => {
  @Controller()
  class Users {
    @UseGuard(deny)
    readonly name = 'users';
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseGuard(deny)` on a parameter', { compiler: 'TS1239', startup: '@UseGuard' }, () => {
  @Controller()
  class Users {
    @Get()
    list(@UseGuard(deny) @Query('page') page?: string) {
      return page ?? null;
    }
  }
  return serveControllers([Users]);
});

mistake('`@UseGuard(deny)` on a method without a route', { warning: 'add @Get()' }, () => {
  @Controller()
  class Users {
    @UseGuard(deny)
    check() {}
    @Get()
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@HttpCode(201)` and `@Redirect()` on a method without a route',
  { warning: 'add @Get()' },
  () => {
    @Controller()
    class Users {
      @HttpCode(201)
      @Redirect('/')
      check() {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);

mistake(
  'two decorators for the source of one parameter',
  { startup: /[Tt]wo|twice|several/ },
  () => {
    @Controller()
    class Users {
      @Post()
      create(@Body('name') @Query('name') name: string) {
        return name ?? null;
      }
    }
    return serveControllers([Users]);
  },
  post('/', { name: 'Ada' }),
);

mistake(
  "`@Controller('/a')` and `@Controller('/b')` on one class",
  { startup: '@Controller' },
  () => {
    @Controller('/a')
    @Controller('/b')
    class Users {
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
  '/b',
);

mistake('a method parameter without a decorator', { warning: 'no decorator' }, () => {
  @Controller()
  class Users {
    @Get()
    list(page: string) {
      return page ?? null;
    }
  }
  return serveControllers([Users]);
});

mistake(
  'a class with routes and without `@Controller()`',
  { startup: 'decorate the class' },
  () => {
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
  'a subclass of a controller without `@Controller()`',
  { startup: 'decorate the class' },
  () => {
    @Controller('/users')
    class Base {
      @Get()
      list() {
        return [];
      }
    }
    class Users extends Base {}
    return serveControllers([Users]);
  },
);

mistake(
  '`@Controller()` on an abstract class',
  { compiler: 'cannot be abstract', request: 'is not a function' },
  () => {
    @Controller()
    abstract class Base {
      abstract find(): unknown;
      @Get()
      list() {
        return this.find();
      }
    }
    return serveControllers([Base as never]);
  },
);

mistake('a controller without routes', { startup: 'decorate a method' }, () => {
  @Controller('/users')
  class Users {
    list() {
      return [];
    }
  }
  return serveControllers([Users]);
});

mistake(
  '`@UseGuard(deny)` on a service, which is no controller',
  { never: 'The container calls no guards.' },
  () => {
    @Service()
    @UseGuard(deny)
    class Names {}
    @Controller()
    class Users {
      constructor(readonly names: Names) {}
      @Get()
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);
