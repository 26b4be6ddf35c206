import { type Context, createApp, createRouter, type Next, type Router } from '@fairlead/core';
import {
  type Constructor,
  type Container,
  createContainer,
  Inject,
  type Lazy,
  lazy,
  type Scope,
  Service,
} from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import {
  buildRoutes,
  Controller,
  Ctx,
  controllersPlugin,
  defineController,
  Get,
  registerController,
  UseGuard,
  UseInterceptor,
} from '../src/index.js';

class Tenant {
  constructor(readonly name: string) {}
}

/** Controllers with `GET /`, which returns the name of a tenant. */
const STYLES: Readonly<Record<string, (scope: Scope) => Constructor>> = {
  'a value': (scope) =>
    defineController('/', {
      inject: { tenant: Tenant },
      scope,
      routes: ({ get }) => ({ read: get('/', (_ctx, { tenant }) => tenant.name) }),
    }),
  'a value with a lazy dependency': (scope) =>
    defineController('/', {
      inject: { tenant: lazy(() => Tenant) },
      scope,
      routes: ({ get }) => ({ read: get('/', (_ctx, { tenant }) => tenant.value.name) }),
    }),
  'a value with a service in between': (scope) => {
    class Users {
      static readonly inject = [Tenant] as const;
      constructor(readonly tenant: Tenant) {}
    }
    return defineController('/', {
      inject: { users: Users },
      scope,
      routes: ({ get }) => ({ read: get('/', (_ctx, { users }) => users.tenant.name) }),
    });
  },
  'a class with static inject': (scope) => {
    @Controller()
    class Users {
      static readonly inject = [Tenant] as const;
      static readonly scope = scope;
      constructor(readonly tenant: Tenant) {}
      @Get()
      read() {
        return this.tenant.name;
      }
    }
    return Users;
  },
  'a class with @Inject()': (scope) => {
    @Controller()
    @Service({ scope })
    class Users {
      constructor(@Inject(lazy(() => Tenant)) readonly tenant: Lazy<Tenant>) {}
      @Get()
      read() {
        return this.tenant.value.name;
      }
    }
    return Users;
  },
  'a class with an emitted type': (scope) => {
    @Controller()
    @Service({ scope })
    class Users {
      constructor(readonly tenant: Tenant) {}
      @Get()
      read() {
        return this.tenant.name;
      }
    }
    return Users;
  },
  'a class with a guard': (scope) => {
    @Service({ scope })
    class Guard {
      constructor(readonly tenant: Tenant) {}
      canActivate(ctx: Context) {
        ctx.set('x-tenant', this.tenant.name);
        return true;
      }
    }
    @Controller()
    @UseGuard(Guard)
    class Users extends Echo {}
    return Users;
  },
  'a class with an interceptor': (scope) => {
    @Service({ scope })
    class Rename {
      constructor(readonly tenant: Tenant) {}
      intercept() {
        return this.tenant.name;
      }
    }
    @Controller()
    @UseInterceptor(Rename)
    class Users extends Echo {}
    return Users;
  },
  'a value with middleware and a guard': (scope) => {
    class Name {
      static readonly inject = [Tenant] as const;
      static readonly scope = scope;
      constructor(readonly tenant: Tenant) {}
      use(ctx: Context, next: Next) {
        ctx.set('x-tenant', this.tenant.name);
        return next();
      }
    }
    class Guard {
      static readonly inject = [Tenant] as const;
      static readonly scope = scope;
      constructor(readonly tenant: Tenant) {}
      canActivate(ctx: Context) {
        return ctx.responseHeaders.get('x-tenant') === this.tenant.name;
      }
    }
    return defineController('/', {
      middleware: [Name],
      guards: [Guard],
      routes: ({ get }) => ({ read: get('/', (ctx) => ctx.responseHeaders.get('x-tenant')) }),
    });
  },
};

class Echo {
  @Get()
  read(@Ctx() ctx: Context): unknown {
    return ctx.responseHeaders.get('x-tenant');
  }
}

/** Serves a controller from a container, and returns the name that it responds with. */
type Serve = (target: Constructor, container: Container) => Promise<unknown>;

const send = async (router: Router): Promise<unknown> =>
  (await createApp().route('/', router).request('/')).json();

const WAYS: Readonly<Record<string, Serve>> = {
  'controllersPlugin()': async (target, container) => {
    const router = createRouter();
    const app = createApp();
    await app.plugin(controllersPlugin({ router, controllers: [target], container }));
    return (await app.route('/', router).request('/')).json();
  },
  'registerController()': (target, container) => {
    const router = createRouter();
    registerController(router, target, { container });
    return send(router);
  },
  'buildRoutes()': (target, container) => {
    const router = createRouter();
    for (const { method, path, handlers } of buildRoutes(target, { container })) {
      router.on(method, path, ...handlers);
    }
    return send(router);
  },
};

const SCOPES: readonly Scope[] = ['singleton', 'transient', 'request'];

const cases = Object.entries(STYLES).flatMap(([style, create]) =>
  SCOPES.flatMap((scope) =>
    Object.entries(WAYS).map(([way, serve]) => [style, scope, way, create, serve] as const),
  ),
);

const provide = (container: Container, name: string) =>
  container.register(Tenant, { useValue: new Tenant(name) });

describe.each(cases)('%s of a %s, registered by %s', (_style, scope, _way, create, serve) => {
  it('gets what the parent provides if the child does not', async () => {
    const child = provide(createContainer(), 'parent').createChild();
    expect(await serve(create(scope), child)).toBe('parent');
  });

  it('gets what only the child provides', async () => {
    const child = provide(createContainer().createChild(), 'child');
    expect(await serve(create(scope), child)).toBe('child');
  });

  it('gets what the container provides that it is registered with, in any order', async () => {
    const parent = provide(createContainer(), 'parent');
    const child = provide(parent.createChild(), 'child');
    const grandchild = provide(child.createChild(), 'grandchild');
    const sibling = provide(parent.createChild(), 'sibling');
    const target = create(scope);
    const names: unknown[] = [];
    for (const container of [child, parent, grandchild, sibling]) {
      names.push(await serve(target, container));
    }
    expect(names).toEqual(['child', 'parent', 'grandchild', 'sibling']);
  });
});

it.each(['a value', 'a class with static inject', 'a class with @Inject()'])(
  '%s gets what the parent provides if the parent registers it as a singleton',
  async (style) => {
    const target = STYLES[style]?.('singleton') as Constructor;
    const parent = provide(createContainer(), 'parent').register(target);
    const child = provide(parent.createChild(), 'child');
    expect(await WAYS['registerController()']?.(target, child)).toBe('parent');
  },
);

it('a controller has a state of its own in each container', async () => {
  @Controller()
  class Counter {
    static readonly inject = [] as const;
    #count = 0;
    @Get()
    count() {
      this.#count += 1;
      return this.#count;
    }
  }
  const parent = createContainer();
  const serve = WAYS['registerController()'] as Serve;
  expect(await serve(Counter, parent)).toBe(1);
  expect(await serve(Counter, parent)).toBe(2);
  expect(await serve(Counter, parent.createChild())).toBe(1);
});
