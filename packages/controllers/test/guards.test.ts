import { type Context, type Next, UnauthorizedError } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { createContainer, Service, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  type CanActivate,
  type ClassInterceptor,
  type ClassMiddleware,
  Controller,
  Ctx,
  defineController,
  Get,
  type GuardContext,
  type GuardFn,
  Query,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { serve } from './support/serve.js';

const allow: GuardFn = () => true;
const allowLater: GuardFn = async () => true;
function deny(): boolean {
  return false;
}
const denyLater: GuardFn = async () => false;
const denyWith = (verdict: unknown): GuardFn => {
  return () => verdict as boolean;
};
const roles = (...allowed: string[]): GuardFn =>
  function roles(ctx) {
    return allowed.includes(ctx.get('x-role') ?? '');
  };
const note =
  (text: string): GuardFn =>
  (ctx) => {
    ctx.state.notes = [...((ctx.state.notes as string[] | undefined) ?? []), text];
    return true;
  };
const stop: GuardFn = (ctx) => {
  throw new UnauthorizedError(String(ctx.state.notes));
};

@Service()
class Users {
  find(name: string | undefined) {
    return name === 'Bearer ada' ? { role: 'admin' } : undefined;
  }
}

/** Without `@Service()`, so that the plugin registers it. */
class AuthGuard implements CanActivate {
  static readonly inject = [Users] as const;
  constructor(private readonly users: Users) {}

  async canActivate(ctx: GuardContext): Promise<boolean> {
    ctx.state.user = this.users.find(ctx.get('authorization'));
    return ctx.state.user !== undefined && ctx.path === '/class';
  }
}

const ADMIN = token<GuardFn>('ADMIN');

@Controller()
class GuardedController {
  @Get('/allowed')
  @UseGuard(allow, allowLater)
  allowed() {
    return {};
  }

  @Get('/denied')
  @UseGuard(allow)
  @UseGuard(deny)
  denied() {
    return {};
  }

  @Get('/denied/later')
  @UseGuard(denyLater)
  deniedLater() {
    return {};
  }

  @Get('/roles')
  @UseGuard(roles('admin', 'owner'))
  roles() {
    return {};
  }

  @Get('/nameless')
  @UseGuard(allow, denyWith(false))
  nameless() {
    return {};
  }

  @Get('/class')
  @UseGuard(AuthGuard)
  class() {
    return {};
  }

  @Get('/token')
  @UseGuard(ADMIN)
  token() {
    return {};
  }

  @Get('/string-token')
  @UseGuard('admin')
  stringToken() {
    return {};
  }

  @Get('/described')
  @UseGuard(describeFunction(() => false, { name: 'hasRole', role: 'guard' }))
  described() {
    return {};
  }

  @Get('/breaks')
  @UseGuard(() => {
    throw new Error('database is down');
  })
  breaks() {
    return {};
  }

  @Get('/before')
  @UseGuard(deny)
  before(@Query('missing', { required: true }) missing: string) {
    return { missing };
  }
}

@Controller('/order')
@UseGuard(note('class 1'), note('class 2'))
@UseGuard(note('class 3'))
class OrderController {
  @UseGuard(note('method 1'))
  @Get()
  @UseGuard(note('method 2'), note('method 3'), stop)
  read() {
    return {};
  }
}

function application() {
  const container = createContainer();
  container.register(ADMIN, { useValue: deny });
  container.register('admin', { useValue: { canActivate: denyLater } });
  return serve({ container, controllers: [GuardedController, OrderController] });
}

describe('UseGuard', () => {
  it('allows a request if every guard does', async () => {
    const { fetch } = await application();
    expect((await fetch('/allowed')).status).toBe(200);
  });

  it.each([
    ['/denied', 'deny'],
    ['/denied/later', 'denyLater'],
    ['/roles', 'roles'],
    ['/nameless', 'guard#1'],
    ['/described', 'hasRole'],
    ['/class', 'AuthGuard'],
    ['/token', 'token(ADMIN)'],
    ['/string-token', "'admin'"],
  ])('responds to %s with 403 and the name of the guard that denied', async (path, guard) => {
    const { fetch } = await application();
    const response = await fetch(path);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      code: 'GUARD_REJECTED',
      error: `Access denied by ${guard}.`,
      guard,
    });
  });

  it('calls a guard from a factory', async () => {
    const { fetch } = await application();
    expect((await fetch('/roles', { headers: { 'x-role': 'owner' } })).status).toBe(200);
  });

  it('calls a guard class that the container has built', async () => {
    const { fetch } = await application();
    const headers = { authorization: 'Bearer ada' };
    expect((await fetch('/class', { headers })).status).toBe(200);
  });

  it("calls the class's guards, then the method's, each from top to bottom", async () => {
    const { fetch } = await application();
    expect(await (await fetch('/order')).json()).toMatchObject({
      status: 401,
      error: 'class 1,class 2,class 3,method 1,method 2,method 3',
    });
  });

  it('responds with 500, not 403, if a guard throws an error other than an HttpError', async () => {
    const { fetch, hidden } = await application();
    expect((await fetch('/breaks')).status).toBe(500);
    expect(hidden).toMatchObject([{ message: 'database is down' }]);
  });

  it('runs before parameters are read', async () => {
    const { fetch } = await application();
    expect((await fetch('/before')).status).toBe(403);
  });
});

/** The return value of the guards below. */
let verdict: unknown;

/** A thenable of another library: its `then` returns nothing. */
const thenable = {
  // biome-ignore lint/suspicious/noThenProperty: a guard may return one.
  then(resolve: (value: unknown) => void): void {
    queueMicrotask(() => resolve(verdict));
  },
};

class ReturningGuard implements CanActivate {
  canActivate() {
    return verdict as boolean;
  }
}
class ReturningLaterGuard implements CanActivate {
  async canActivate() {
    return verdict as boolean;
  }
}

@Controller()
class ReturningController {
  @Get('/returning')
  @UseGuard(function returning() {
    return verdict as boolean;
  })
  returning() {
    return {};
  }

  @Get('/returningLater')
  @UseGuard(async function returningLater() {
    return verdict as boolean;
  })
  returningLater() {
    return {};
  }

  @Get('/thenable')
  @UseGuard(function thenableGuard() {
    return thenable as unknown as Promise<boolean>;
  })
  thenable() {
    return {};
  }

  @Get('/class')
  @UseGuard(ReturningGuard)
  class() {
    return {};
  }

  @Get('/classLater')
  @UseGuard(ReturningLaterGuard)
  classLater() {
    return {};
  }
}

class Observable {}

describe.each([
  ['returning', 'returning'],
  ['returningLater', 'returningLater'],
  ['thenable', 'thenableGuard'],
  ['class', 'ReturningGuard'],
  ['classLater', 'ReturningLaterGuard'],
])('the guard of ReturningController.%s', (method, guard) => {
  async function request(returned: unknown) {
    verdict = returned;
    const { fetch, hidden } = await serve({ controllers: [ReturningController] });
    const response = await fetch(`/${method}`);
    return { status: response.status, body: await response.json(), hidden };
  }

  it('allows with true', async () => {
    expect(await request(true)).toEqual({ status: 200, body: {}, hidden: [] });
  });

  it.each([false, null, undefined])('denies with %s', async (returned) => {
    const { status, body, hidden } = await request(returned);
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'GUARD_REJECTED', guard });
    expect(hidden).toEqual([]);
  });

  it.each([
    [0, 'number'],
    [1, 'number'],
    [1n, 'bigint'],
    ['', 'string'],
    ['true', 'string'],
    [Symbol('true'), 'symbol'],
    [{ allowed: false }, 'Object'],
    [Object.create(null), 'object'],
    [[true], 'Array'],
    [new Boolean(true), 'Boolean'],
    [new Error('denied'), 'Error'],
    [new Observable(), 'Observable'],
  ])('denies with a logged 500 if it returns %o', async (returned, type) => {
    const { status, body, hidden } = await request(returned);
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'INVALID_GUARD', error: 'Internal Server Error' });
    expect(hidden).toMatchObject([
      {
        name: 'ControllerError',
        code: 'INVALID_GUARD',
        message: `The guard ${guard} of ReturningController.${method} returned a value of type ${type}, so the request was denied. Return true to allow a request, or false to deny it.`,
      },
    ]);
  });

  it('denies with a logged 500 if it is a factory that was not called', async () => {
    const { status, hidden } = await request(deny);
    expect(status).toBe(500);
    expect(hidden).toMatchObject([
      {
        code: 'INVALID_GUARD',
        message: expect.stringContaining(`If ${guard} is a factory, call it.`),
      },
    ]);
  });
});

describe('a class whose instances have the method as a property', () => {
  @Service()
  class Keys implements CanActivate {
    readonly canActivate = (ctx: GuardContext) => ctx.get('x-key') === 'secret';
  }
  @Service()
  class Derived extends Keys {}
  @Service()
  class Name implements ClassMiddleware {
    readonly use = (ctx: Context, next: Next) => {
      ctx.state.name = 'Ada';
      return next();
    };
  }
  @Service()
  class Envelope implements ClassInterceptor {
    readonly intercept = (_ctx: Context, next: () => unknown) => ({ data: next() });
  }

  it.each([Keys, Derived])('is a guard, middleware and an interceptor: %o', async (guard) => {
    @Controller('/keys')
    @UseGuard(guard)
    @UseMiddleware(Name)
    @UseInterceptor(Envelope)
    class KeysController {
      @Get()
      read(@Ctx() ctx: Context) {
        return ctx.state.name;
      }
    }
    const { fetch } = await serve({ controllers: [KeysController] });
    expect((await fetch('/keys')).status).toBe(403);
    const allowed = await fetch('/keys', { headers: { 'x-key': 'secret' } });
    expect(await allowed.json()).toEqual({ data: 'Ada' });
  });

  it('needs it in each instance', async () => {
    @Service()
    class Forgetful {
      /** Only mentions canActivate. */
      readonly isAllowed = 'canActivate' in this;
    }
    @Controller('/keys')
    @UseGuard(Forgetful as never)
    class KeysController {
      @Get()
      read() {}
    }
    const error = await failStart([KeysController]);
    expect(error.message).toContain(
      'Cannot resolve the guard Forgetful of KeysController.read: the container returned an instance of Forgetful, which is not a function or an object with canActivate().',
    );
  });
});

describe('a class whose source does not name the method', () => {
  const methods = { canActivate: () => true };
  const KEY = 'canActivate';

  class Aliased {
    constructor() {
      const self: Record<string, unknown> = this as never;
      for (const [key, value] of Object.entries(methods)) self[key] = value;
    }
  }
  class Returned {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: what some libraries do
      return methods as never;
    }
  }
  class Proxied {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: what some libraries do
      return new Proxy({}, { get: () => () => true }) as never;
    }
  }
  class Computed {
    [KEY] = () => true;
  }
  class Patched {
    constructor() {
      Object.assign(new.target.prototype, methods);
    }
  }
  function Old(this: object) {
    Object.assign(this, methods);
  }
  const OfOld = class OfOld extends (Old as never as new () => object) {};

  describe.each([Aliased, Returned, Proxied, Computed, Patched, OfOld])('%o', (guard) => {
    it.each(['singleton', 'request', 'transient'] as const)(
      'is a guard in the scope %s, as a class and for a token',
      async (scope) => {
        const name = Symbol('guard');
        const container = createContainer()
          .register(guard, { useClass: guard }, { scope })
          .register(name, { useClass: guard }, { scope });
        const checked = defineController('/checked', {
          guards: [guard as never, name],
          routes: ({ get }) => ({ read: get('/', () => 'read') }),
        });
        @Controller('/decorated')
        @UseGuard(guard as never)
        class Decorated {
          @Get()
          read() {
            return 'read';
          }
        }
        const { fetch } = await serve({ controllers: [checked, Decorated], container });
        const responses = [await fetch('/checked'), await fetch('/decorated')];
        expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      },
    );
  });
});
