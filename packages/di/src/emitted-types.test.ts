import { markIntended } from '@fairlead/options';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { type Container, createContainer } from './container.js';
import { Inject, InjectAll } from './decorators/inject.js';
import { Service } from './decorators/service.js';
import { type Lazy, lazy, token } from './dependency.js';
import type { Constructor } from './token.js';

let container: Container;
let warnings: MockInstance;
beforeEach(() => {
  container = createContainer();
  warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the codes and messages of the warnings that the start of a class prints, without places. */
async function warningsOf(target: Constructor): Promise<readonly string[]> {
  await container.register(target).initialize([target]);
  return warnings.mock.calls.map(([message, { code }]) =>
    `${code}: ${message}`.replace(/\n {2}At: .*/, ''),
  );
}

@Service()
class Users {
  find() {
    return 'ada';
  }
}

@Service()
class Orders {
  open() {
    return [];
  }
}

@Service()
class CachedUsers extends Users {}

abstract class Finder {
  abstract find(): string;
}

@Service()
class Directory {
  find() {
    return 'bob';
  }
}

const RULES = token<string>('rules');

describe('a parameter whose type is a class that its decorator does not inject', () => {
  it('is a warning of the start if another class is injected', async () => {
    @Service()
    class Report {
      constructor(
        @Inject(Users) readonly users: Users,
        @Inject(Users) readonly orders: Orders,
      ) {}
    }
    expect(await warningsOf(Report)).toEqual([
      'FAIRLEAD_INJECTED: parameter 1 of Report receives Users, but its type is Orders, which is another class.\n  Fix: write @Inject(Orders), or pass the class to intended().',
    ]);
  });

  it('is a warning if a lazy handle is injected, also for a class that inherits the constructor', async () => {
    @Service()
    class Authors {
      constructor(@Inject(lazy(() => Users)) readonly users: Users) {}
    }
    @Service()
    class Writers extends Authors {}
    expect(await warningsOf(Writers)).toEqual([
      'FAIRLEAD_INJECTED: parameter 0 of Writers receives a handle whose value is Users, but its type is Users.\n  Fix: write Lazy<Users>, and read its value, or pass the class to intended().',
    ]);
  });

  it('is a warning if a list is injected', async () => {
    container.register(RULES, { useValue: 'a' }, { multi: true });
    @Service()
    class Checks {
      constructor(@InjectAll(RULES) readonly rules: Set<string>) {}
    }
    expect(await warningsOf(Checks)).toEqual([
      'FAIRLEAD_INJECTED: parameter 0 of Checks receives a list of the providers of token(rules), but its type is Set.\n  Fix: write the type of a list, or pass the class to intended().',
    ]);
  });

  it('is none for a base class, a subclass, an interface, a class with the same methods, or what a factory creates', async () => {
    const FINDER = token<Finder>('finder');
    container
      .register(RULES, { useValue: 'a' }, { multi: true })
      .register(FINDER, { useFactory: () => new Directory() })
      .register(Users, { useClass: CachedUsers });
    @Service()
    class Report {
      constructor(
        @Inject(CachedUsers) readonly base: Users,
        @Inject(Users) readonly own: CachedUsers,
        @Inject(Directory) readonly finder: Finder,
        @Inject(Directory) readonly alike: Users,
        @Inject(FINDER) readonly made: Orders,
        @Inject(lazy(() => Users)) readonly later: Lazy<Users>,
        @InjectAll(RULES) readonly rules: readonly string[],
        @InjectAll(RULES) readonly some: Iterable<string>,
      ) {}
    }
    expect(await warningsOf(Report)).toEqual([]);
  });

  it('is none if the class is intended, or lists its dependencies itself', async () => {
    @Service()
    class Report {
      constructor(@Inject(Users) readonly orders: Orders) {}
    }
    @Service()
    class Listed {
      static readonly inject = [Users] as const;
      constructor(readonly users: Users) {}
    }
    expect(await warningsOf(markIntended(Report))).toEqual([]);
    expect(await warningsOf(Listed)).toEqual([]);
  });
});
