import { describe, expect, it } from 'vitest';
import { type Constructor, createContainer, isEager, type Scope, Service } from './index.js';

/** Whether a container that registers a class resolves one instance of it. */
const isShared = (target: Constructor, options = {}) => {
  const container = createContainer().register(target, { useClass: target }, options);
  return new Set([container.resolve(target), container.resolve(target)]).size === 1;
};

describe('static scope', () => {
  it('sets the scope of a class with static inject, which needs no registration', () => {
    class Visit {
      static inject = [];
      static scope = 'request';
      readonly name = 'Visit';
    }
    const container = createContainer();
    const scope = container.createScope();
    expect(scope.resolve(Visit)).toBe(scope.resolve(Visit));
    expect(container.createScope().resolve(Visit)).not.toBe(scope.resolve(Visit));
    expect(() => container.resolve(Visit)).toThrow('it is request-scoped');
  });

  it('sets the scope of a registered class', () => {
    class Draft {
      static scope = 'transient';
      readonly name = 'Draft';
    }
    expect(isShared(Draft)).toBe(false);
  });

  it('is inherited, as statics are', () => {
    class Base {
      static scope = 'transient';
      readonly name = 'Base';
    }
    class Draft extends Base {}
    expect(isShared(Draft)).toBe(false);
  });

  it('applies to a class with @Service() without a scope', () => {
    @Service()
    class Draft {
      static scope = 'transient';
      readonly name = 'Draft';
    }
    expect(isShared(Draft)).toBe(false);
  });

  it('is overridden by @Service({ scope }), and both by a registration', () => {
    @Service({ scope: 'singleton' })
    class Draft {
      static scope = 'transient';
      readonly name = 'Draft';
    }
    expect(isShared(Draft)).toBe(true);
    expect(isShared(Draft, { scope: 'transient' satisfies Scope })).toBe(false);
  });
});

describe('static eager', () => {
  it('makes initialize() build a registered class', async () => {
    let built = 0;
    class Worker {
      static eager = true;
      constructor() {
        built += 1;
      }
    }
    const container = createContainer().register(Worker);
    await container.initialize();
    expect([container.eagerTokens(), built]).toEqual([[Worker], 1]);
  });

  it('makes a class with static inject an eager service', () => {
    class Worker {
      static inject = [];
      static eager = true;
      readonly name = 'Worker';
    }
    class Other {
      static eager = true;
      readonly name = 'Other';
    }
    expect([Worker, Other].map(isEager)).toEqual([true, false]);
  });
});

describe('statics that are wrong', () => {
  it.each([
    [
      'scope',
      { scope: 'Request' },
      "static scope of the class must be 'singleton', 'transient' or 'request': got 'Request'.\n  Fix: if the static is not meant for the container, rename it.",
    ],
    [
      'eager',
      { eager: 'yes' },
      "static eager of the class must be true or false: got 'yes'.\n  Fix: if the static is not meant for the container, rename it.",
    ],
    [
      'eager, with another scope than singleton',
      { eager: true, scope: 'request' },
      "an eager provider must be a singleton, but its scope is 'request'.\n  Fix: remove eager, or set the scope to 'singleton'.",
    ],
  ])('are reported with the path: %s', (_, statics, text) => {
    class Visit {
      static inject = [];
      readonly name = 'Visit';
    }
    Object.assign(Visit, statics);
    class Page {
      static inject = [Visit];
      constructor(readonly visit: Visit) {}
    }
    const [error, ...others] = createContainer().validate([Page, Visit]);
    expect(others).toEqual([]);
    expect(error?.message).toBe(`Cannot build Visit: ${text}\n  Path: Page → Visit`);
    expect(() => createContainer().resolve(Visit)).toThrow('Cannot build Visit');
  });

  @Service({ eager: true })
  class Worker {
    static inject = [];
    static scope = 'request';
    readonly name = 'Worker';
  }
  @Service({ scope: 'transient' })
  class Draft {
    static eager = true;
    readonly name = 'Draft';
  }
  class Visit {
    static eager = true;
    static scope = 'request';
    readonly name = 'Visit';
  }

  it.each<[string, Constructor, Scope]>([
    ['@Service({ eager }) and static scope', Worker, 'request'],
    ['@Service({ scope }) and static eager', Draft, 'transient'],
    ['two statics of a registered class', Visit, 'request'],
  ])('are reported with other problems if they contradict each other: %s', (_, target, scope) => {
    class Page {
      static inject = [target, 'missing'];
      constructor(
        readonly dependency: unknown,
        readonly other: unknown,
      ) {}
    }
    const container = createContainer().register(target);
    const [error, other, ...others] = container.validate([Page]);
    expect(error?.message).toBe(
      `Cannot build ${target.name}: an eager provider must be a singleton, but its scope is '${scope}'.\n  Fix: remove eager, or set the scope to 'singleton'.\n  Path: Page → ${target.name}`,
    );
    expect(other?.message).toContain("Nothing provides 'missing'");
    expect(others).toEqual([]);
    expect(container.eagerTokens()).toEqual([target]);
    expect(() => container.resolve(target)).toThrow(`Cannot build ${target.name}`);
  });

  it('are reported with the problems of the dependencies', () => {
    class Job {
      static inject = ['missing'];
      static eager = true;
      static scope = 'transient';
      constructor(readonly other: unknown) {}
    }
    const names = createContainer()
      .validate([Job])
      .map(({ name }) => name);
    expect(names).toEqual(['InvalidProviderError', 'UnknownTokenError']);
  });

  it.each([{ eager: false }, { scope: 'singleton' as const }])(
    'do not contradict each other if the registration decides with %o',
    (options) => {
      for (const target of [Worker, Draft, Visit] as Constructor[]) {
        const container = createContainer().register(target, { useClass: target }, options);
        expect(container.validate()).toEqual([]);
        expect(container.createScope().resolve(target)).toBeInstanceOf(target);
      }
    },
  );

  it('leave a class eager, so that an application that does not use it reports them', () => {
    expect([Worker, Draft].map(isEager)).toEqual([true, true]);
  });

  it('are not for the container if the class has no static inject', () => {
    class GitHub {
      static scope = 'read:user';
      static eager = 1;
      readonly name = 'GitHub';
    }
    expect(isShared(GitHub)).toBe(true);
    expect(createContainer().register(GitHub).validate()).toEqual([]);
  });
});

describe('an unknown class', () => {
  class Almanac {}
  class Atlas {
    constructor(readonly url: string) {}
  }

  it.each([
    [Almanac, 'add `static inject = []` to Almanac.'],
    [Atlas, 'add `static inject = [...]` to Atlas, with the dependency of each parameter.'],
  ])('gets a fix without decorators if its dependent has static inject', (dependency, fix) => {
    class Page {
      static inject = [dependency];
      constructor(readonly dependency: unknown) {}
    }
    const [error] = createContainer().validate([Page]);
    expect(error?.message).toContain(`Fix: ${fix}`);
  });
});

describe('an inherited static inject', () => {
  class Base {
    static readonly inject = ['url'] as const;
    constructor(readonly url: string) {}
  }

  it('lists the dependencies of a registered subclass with a constructor of its own', () => {
    class Passing extends Base {
      constructor(
        url: string,
        readonly more = 1,
      ) {
        super(url);
      }
    }
    const container = createContainer().register('url', { useValue: 'a' }).register(Passing);
    expect(container.resolve(Passing)).toMatchObject({ url: 'a', more: 1 });
    expect(container.register('alias', { useClass: Passing }).resolve('alias')).toBeInstanceOf(
      Passing,
    );
  });

  it('has to list all that it needs', () => {
    class Longer extends Base {
      constructor(
        url: string,
        readonly name: string,
      ) {
        super(url);
      }
    }
    const container = createContainer().register('url', { useValue: 'a' });
    container.register('longer', { useClass: Longer as Constructor });
    expect(() => container.resolve('longer')).toThrow(
      'the type of its constructor parameter 1 is unknown, because `static inject` has too few entries',
    );
  });
});
