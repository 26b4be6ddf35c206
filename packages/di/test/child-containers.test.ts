import { describe, expect, it } from 'vitest';
import {
  all,
  type Container,
  createContainer,
  Inject,
  InjectAll,
  type Lazy,
  lazy,
  Optional,
  optional,
  type Provider,
  type RegisterOptions,
  type Scope,
  Service,
  type Token,
} from '../src/index.js';

class Tenant {
  constructor(readonly name: string) {}
}

/** Something that needs a tenant. */
interface Consumer {
  readonly token: Token;
  readonly provider: Provider;
  /** Returns the names of the tenants that an instance has. */
  read(instance: never): readonly (string | undefined)[];
}

const ofClass = (
  token: Token,
  read: (instance: never) => readonly (string | undefined)[],
): Consumer => ({ token, provider: { useClass: token as never }, read });

type One = { readonly tenant: Tenant };
const one = ({ tenant }: One) => [tenant.name];

/** Creates a consumer for each form of injection, as a class that needs no registration. */
const CLASSES: Readonly<Record<string, (scope: Scope) => Consumer>> = {
  'an emitted type': (scope) => {
    @Service({ scope })
    class Users {
      constructor(readonly tenant: Tenant) {}
    }
    return ofClass(Users, one);
  },
  '@Inject()': (scope) => {
    @Service({ scope })
    class Users {
      constructor(@Inject(Tenant) readonly tenant: unknown) {}
    }
    return ofClass(Users, one);
  },
  'static inject': (scope) => {
    class Users {
      static readonly inject = [Tenant] as const;
      static readonly scope = scope;
      constructor(readonly tenant: Tenant) {}
    }
    return ofClass(Users, one);
  },
  '@InjectAll()': (scope) => {
    @Service({ scope })
    class Users {
      constructor(@InjectAll(Tenant) readonly tenants: readonly Tenant[]) {}
    }
    return ofClass(Users, ({ tenants }: Users) => tenants.map(({ name }) => name));
  },
  'all()': (scope) => {
    class Users {
      static readonly inject = [all(Tenant)] as const;
      static readonly scope = scope;
      constructor(readonly tenants: readonly Tenant[]) {}
    }
    return ofClass(Users, ({ tenants }: Users) => tenants.map(({ name }) => name));
  },
  '@Inject(lazy())': (scope) => {
    @Service({ scope })
    class Users {
      constructor(@Inject(lazy(() => Tenant)) readonly tenant: Lazy<Tenant>) {}
    }
    return ofClass(Users, ({ tenant }: Users) => [tenant.value.name]);
  },
  'lazy()': (scope) => {
    class Users {
      static readonly inject = [lazy(() => Tenant)] as const;
      static readonly scope = scope;
      constructor(readonly tenant: Lazy<Tenant>) {}
    }
    return ofClass(Users, ({ tenant }: Users) => [tenant.value.name]);
  },
  'a class in between that nothing registers': (scope) => {
    class Database {
      static readonly inject = [Tenant] as const;
      constructor(readonly tenant: Tenant) {}
    }
    class Users {
      static readonly inject = [Database] as const;
      static readonly scope = scope;
      constructor(readonly database: Database) {}
    }
    return ofClass(Users, ({ database }: Users) => [database.tenant.name]);
  },
  'a cycle of lazy dependencies': (scope) => {
    class Users {
      static readonly inject = [lazy(() => Posts)];
      static readonly scope = scope;
      constructor(readonly posts: Lazy<Posts>) {}
    }
    class Posts {
      static readonly inject = [lazy(() => Users), Tenant] as const;
      static readonly scope = scope;
      constructor(
        readonly users: Lazy<Users>,
        readonly tenant: Tenant,
      ) {}
    }
    return ofClass(Users, ({ posts }: Users) => [posts.value.tenant.name]);
  },
  'a base class': (scope) => {
    @Service()
    class Base {
      constructor(readonly tenant: Tenant) {}
    }
    @Service({ scope })
    class Users extends Base {}
    return ofClass(Users, one);
  },
};

/** Creates the consumers that need no tenant if nothing provides it. */
const OPTIONAL: Readonly<Record<string, (scope: Scope) => Consumer>> = {
  '@Optional()': (scope) => {
    @Service({ scope })
    class Users {
      constructor(@Optional() readonly tenant?: Tenant) {}
    }
    return ofClass(Users, ({ tenant }: Users) => [tenant?.name]);
  },
  'optional()': (scope) => {
    class Users {
      static readonly inject = [optional(Tenant)] as const;
      static readonly scope = scope;
      constructor(readonly tenant: Tenant | undefined) {}
    }
    return ofClass(Users, ({ tenant }: Users) => [tenant?.name]);
  },
};

/** Creates consumers that are no classes. */
const PROVIDERS: Readonly<Record<string, () => Consumer>> = {
  'the inject of a factory': () => ({
    token: 'users',
    provider: { useFactory: (tenant) => ({ tenant }), inject: [Tenant] },
    read: one,
  }),
  'a lazy inject of a factory': () => ({
    token: 'users',
    provider: {
      useFactory: (tenant) => ({ tenant }),
      inject: [lazy(() => Tenant)],
    },
    read: ({ tenant }: { readonly tenant: Lazy<Tenant> }) => [tenant.value.name],
  }),
};

const SCOPES: readonly Scope[] = ['singleton', 'transient', 'request'];

/** Creates a container below another. It provides a tenant if it has a name. */
function below(parent: Container | undefined, name: string | undefined): Container {
  const created = parent?.createChild() ?? createContainer();
  return name === undefined ? created : created.register(Tenant, { useValue: new Tenant(name) });
}

/** Creates a parent and its child, with the names of their tenants. */
function family(...names: readonly [string | undefined, string | undefined]) {
  const parent = below(undefined, names[0]);
  return { parent, child: below(parent, names[1]) };
}

/** Reads a consumer from a container, which must also find it valid. */
function tenantsIn(container: Container, { token, read }: Consumer): unknown {
  expect(container.validate([token])).toEqual([]);
  using scope = container.createScope();
  return read(scope.resolve(token) as never);
}

const forms = Object.entries({ ...CLASSES, ...OPTIONAL });
const formsByScope = forms.flatMap(([form, create]) =>
  SCOPES.map((scope) => [form, scope, () => create(scope)] as const),
);
const factories = Object.entries(PROVIDERS);
const alias = (): Consumer => ({
  token: 'tenant',
  provider: { useExisting: Tenant },
  read: ({ name }: Tenant) => [name],
});
const registered: readonly (readonly [string, RegisterOptions, () => Consumer])[] = [
  ...formsByScope.map(([form, scope, create]) => [form, { scope }, create] as const),
  ...factories.flatMap(([form, create]) =>
    SCOPES.map((scope) => [form, { scope }, create] as const),
  ),
  ['an alias', {}, alias],
];
const shared = registered.filter(([, { scope }]) => scope !== 'singleton');
const requiring = [...Object.entries(CLASSES), ...factories].map(
  ([form, create]) => [form, () => create('singleton')] as const,
);
const singletons = [
  ...requiring,
  ...Object.entries(OPTIONAL).map(([form, create]) => [form, () => create('singleton')] as const),
];

describe.each(formsByScope)('%s of a %s that nothing registers', (_form, _scope, create) => {
  it.each([
    ['the parent provides if the child does not', 'parent', undefined, 'parent'],
    ['only the child provides', undefined, 'child', 'child'],
    ['the child provides instead of the parent', 'parent', 'child', 'child'],
  ])('receives what %s, also in a grandchild', (_name, ofParent, ofChild, expected) => {
    const { child } = family(ofParent, ofChild);
    const consumer = create();

    expect(tenantsIn(child, consumer)).toEqual([expected]);
    expect(tenantsIn(child.createChild(), consumer)).toEqual([expected]);
    expect(tenantsIn(child.createChild(), create())).toEqual([expected]);
  });

  it.each([
    ['upwards', ['grandchild', 'sibling', 'child', 'parent']],
    ['downwards', ['parent', 'child', 'sibling', 'grandchild']],
  ] as const)('receives what each container provides that is asked, %s', (_name, order) => {
    const { parent, child } = family('parent', 'child');
    const grandchild = below(child, 'grandchild');
    const containers = { parent, child, grandchild, sibling: below(parent, 'sibling') };
    const consumer = create();

    for (const name of [...order, ...order]) {
      expect(tenantsIn(containers[name], consumer)).toEqual([name]);
    }
  });

  it('follows what the child registers later, and what it restores', () => {
    const { child } = family('parent', undefined);
    const consumer = create();
    expect(tenantsIn(child, consumer)).toEqual(['parent']);
    const snapshot = child.snapshot();
    child.register(Tenant, { useValue: new Tenant('child') });
    expect(tenantsIn(child, consumer)).toEqual(['child']);
    child.restore(snapshot);

    expect(tenantsIn(child, consumer)).toEqual(['parent']);
  });

  it('receives an override, wherever it is made', () => {
    const { parent, child } = family('parent', 'child');
    child.override(Tenant, { useValue: new Tenant('test') });
    const consumer = create();

    expect(tenantsIn(child, consumer)).toEqual(['test']);
    expect(tenantsIn(parent, consumer)).toEqual(['test']);
  });
});

describe.each(registered)('%s of a %o that the child registers', (_form, options, create) => {
  it.each([
    ['only the parent', 'parent', undefined, 'parent'],
    ['only the child', undefined, 'child', 'child'],
    ['the child of the two', 'parent', 'child', 'child'],
  ])('receives what %s provides', (_who, ofParent, ofChild, expected) => {
    const { child } = family(ofParent, ofChild);
    const { token, provider, read } = create();
    child.register(token, provider, options);

    expect(tenantsIn(child, { token, provider, read })).toEqual([expected]);
    expect(tenantsIn(child.createChild(), { token, provider, read })).toEqual([expected]);
  });
});

describe.each(shared)('%s of a %o that the parent registers', (_form, options, create) => {
  it.each([
    ['only the parent', 'parent', undefined, 'parent'],
    ['only the child', undefined, 'child', 'child'],
    ['the child of the two', 'parent', 'child', 'child'],
  ])('receives what %s provides, but nothing of a sibling', (_who, ofParent, ofChild, expected) => {
    const { parent, child } = family(ofParent, ofChild);
    const sibling = below(parent, 'sibling');
    const { token, provider, read } = create();
    parent.register(token, provider, options);

    expect(tenantsIn(sibling, { token, provider, read })).toEqual(['sibling']);
    expect(tenantsIn(child, { token, provider, read })).toEqual([expected]);
    expect(tenantsIn(child.createChild(), { token, provider, read })).toEqual([expected]);
  });
});

describe.each(singletons)('%s of a singleton that the parent registers', (_form, create) => {
  it('receives only what the parent provides', () => {
    const { parent, child } = family('parent', 'child');
    const { token, provider, read } = create();
    parent.register(token, provider);

    expect(tenantsIn(child, { token, provider, read })).toEqual(['parent']);
    expect(child.resolve(token)).toBe(parent.resolve(token));
  });
});

describe.each(requiring)('%s of a singleton that the parent registers', (_form, create) => {
  it('is refused if only the child provides what it needs', () => {
    const { parent, child } = family(undefined, 'child');
    const { token, provider, read } = create();
    parent.register(token, provider);
    const [problem] = child.validate([token]);

    expect(problem?.message).toContain('only a child container registers it.');
    expect(() => read(child.resolve(token) as never)).toThrow(
      'only a child container registers it',
    );
  });
});

describe.each(forms)('%s', (_form, create) => {
  it('of a singleton shares the instance of the parent unless the child provides what it needs', () => {
    const { parent, child } = family('parent', undefined);
    const other = below(parent, 'other');
    const { token } = create('singleton');

    expect(child.resolve(token)).toBe(parent.resolve(token));
    expect(other.resolve(token)).not.toBe(parent.resolve(token));
    expect(other.resolve(token)).toBe(other.resolve(token));
    expect(other.createChild().resolve(token)).toBe(other.resolve(token));
  });
});

describe('what a child builds of its own', () => {
  class Tenants {
    static readonly inject = [Tenant] as const;
    isDisposed = false;
    constructor(readonly tenant: Tenant) {}
    [Symbol.dispose]() {
      this.isDisposed = true;
    }
  }

  it('is disposed with the child', () => {
    const { parent, child } = family('parent', 'child');
    const [ofParent, ofChild] = [parent.resolve(Tenants), child.resolve(Tenants)];
    child[Symbol.dispose]();

    expect([ofParent.isDisposed, ofChild.isDisposed]).toEqual([false, true]);
  });

  it('lasts through a restore of the child only if it was built before the snapshot', () => {
    const { child } = family('parent', 'child');
    const [before, fresh] = [child.snapshot(), child.resolve(Tenants)];
    const after = child.snapshot();
    child.restore(after);
    expect(child.resolve(Tenants)).toBe(fresh);
    child.restore(before);

    expect(child.resolve(Tenants)).not.toBe(fresh);
  });

  it('is shared, built and listed like everything else', async () => {
    const { child } = family('parent', 'child');
    await child.initialize([Tenants], { singletons: 'all' });

    expect([child.isShared(Tenants), child.isBuilt(Tenants)]).toEqual([true, true]);
    expect(child.classesOf([Tenants])).toEqual([Tenants]);
  });

  it('must not keep what its requests own', () => {
    const { child } = family('parent', undefined);
    child.register(Tenant, { useFactory: () => new Tenant('request') }, { scope: 'request' });
    const [problem] = child.validate([Tenants]);

    expect(problem?.code).toBe('DI_CAPTURED_SCOPE');
    expect(() => child.resolve(Tenants)).toThrow(problem?.message);
  });

  it('includes what a factory of the parent returns for each request, once per scope', () => {
    const { parent, child } = family('parent', 'child');
    const useFactory = ({ name }: Tenant) => ({ name });
    parent.register('session', { useFactory, inject: [Tenant] }, { scope: 'request' });
    class Users {
      static readonly inject = ['session'] as const;
      static readonly scope = 'request';
      constructor(readonly session: { readonly name: string }) {}
    }
    using scope = child.createScope();

    expect(scope.resolve(Users).session).toEqual({ name: 'child' });
    expect(scope.resolve(Users).session).toBe(scope.resolve('session'));
  });
});
