import { beforeEach, describe, expect, it } from 'vitest';
import { classNeeding } from '../../test/classes.js';
import { locationAfter } from '../../test/location.js';
import { resolveError } from '../../test/resolve-error.js';
import { type Container, createContainer } from '../container.js';
import { Inject, Optional } from '../decorators/inject.js';
import { Service } from '../decorators/service.js';
import { type Lazy, lazy, optional } from '../dependency.js';
import type { Token } from '../token.js';
import {
  ConstructionError,
  CyclicDependencyError,
  type InjectionError,
  UnknownTokenError,
} from './injection-errors.js';

let container: Container;
beforeEach(() => {
  container = createContainer();
});

class Unmarked {}

/** Returns the first problem of a token. */
function problemOf(token: Token): Partial<InjectionError> {
  return container.validate([token])[0] ?? {};
}

describe('an unknown token', () => {
  it('is reported with the parameter that needs it and the full path', () => {
    @Service()
    class Repo {
      constructor(
        readonly first: Unmarked,
        @Optional() readonly second?: Unmarked,
      ) {}
    }
    @Service()
    class App {
      constructor(readonly repo: Repo) {}
    }
    const error = resolveError(container, App);

    expect(error).toBeInstanceOf(UnknownTokenError);
    expect(error).toMatchObject({
      name: 'UnknownTokenError',
      code: 'DI_UNKNOWN_TOKEN',
      token: Unmarked,
      parameter: 0,
      path: [App, Repo, Unmarked],
      message:
        'Nothing provides Unmarked (parameter 0 of Repo).\n' +
        `  At: ${error.location}\n` +
        '  Path: App → Repo → Unmarked\n' +
        '  Fix: add @Service() to Unmarked. If it is not your class, register how to create it: ' +
        'container.register(Unmarked, { useFactory: () => … }). If it is abstract, register a subclass: ' +
        'container.register(Unmarked, { useClass: TheSubclass }).',
    });
  });

  it('names the function that makes a dependency of `static inject` optional', () => {
    class App {
      static readonly inject = ['url'] as const;
      constructor(readonly url: string) {}
    }
    expect(() => container.resolve(App)).toThrow('useExisting, or pass optional(token).');
  });

  it('names it for a class with `static inject` that another token or a subclass provides', () => {
    class App {
      static readonly inject = ['url'] as const;
      constructor(readonly url: string) {}
    }
    class Web extends App {}
    container.register('app', { useClass: App });

    expect(() => container.resolve('app')).toThrow('useExisting, or pass optional(token).');
    expect(() => container.register(Web).resolve(Web)).toThrow('or pass optional(token).');
  });

  it('names no decorator for a factory or an alias', () => {
    container
      .register('port', { useFactory: (url) => url, inject: ['url'] })
      .register('since', { useFactory: (date) => date, inject: [Date] })
      .register('host', { useFactory: (lost) => lost, inject: [optional(undefined as never)] })
      .register('address', { useExisting: 'url' });

    expect(problemOf('port').message).toMatch(/or pass optional\(token\)\.$/);
    expect(problemOf('since').message).toMatch(/, and list it in `inject`\.$/);
    expect(problemOf('host').message).toMatch(
      /Fix: for a class, pass `lazy\(\(\) => TheClass\)`, or move [^@]+$/,
    );
    const error = problemOf('address');
    expect(error.message).toContain("Nothing provides 'url' (the alias 'address').");
    expect(error.message).toMatch(/useClass, useFactory or useExisting\.$/);
    expect(error.parameter).toBeUndefined();
  });

  it('is reported when it is resolved directly', () => {
    expect(resolveError(container, Unmarked).message).toContain(
      'Nothing provides Unmarked.\n  Fix: ',
    );
    expect(() => container.resolve('url')).toThrow("container.register('url', { useValue: …");
    expect(() => container.resolveAll('url')).toThrow(UnknownTokenError);
    expect(() => container.resolve(undefined as never)).toThrow(
      'Nothing provides undefined: the token is undefined.\n  Fix: check its import.',
    );
  });

  it('is reported only when a lazy handle is read', () => {
    @Service()
    class Late {
      constructor(@Inject(lazy(() => Unmarked)) readonly unmarked: Lazy<Unmarked>) {}
    }
    const late = container.resolve(Late);

    expect(() => late.unmarked.value).toThrow(UnknownTokenError);
    container.register(Unmarked);
    expect(late.unmarked.value).toBeInstanceOf(Unmarked);
  });
});

describe('a cycle', () => {
  it('is reported from the repeated class back to itself', () => {
    const A = classNeeding('A');
    const B = classNeeding('B', A);
    const C = classNeeding('C', B);
    A.inject = [classNeeding('Sound'), C];
    const error = resolveError(container, classNeeding('Root', C));

    expect(error).toBeInstanceOf(CyclicDependencyError);
    expect(error).toMatchObject({ code: 'DI_CYCLE', token: C, path: [C, B, A, C] });
    expect(error.message).toContain('C → B → A → C');
    expect(error.message).toContain('lazy(');
  });

  it('is fixed without decorators if a class has `static inject`, whatever its token', () => {
    const Listed = classNeeding('Listed', 'other');
    container
      .register(Listed)
      .register('other', { useExisting: 'more' })
      .register('more', { useClass: classNeeding('More', Listed) });
    const fix =
      'Fix: move what both sides need into a third class, or make one side lazy with `static inject = [lazy(() => TheClass)]` for `name: Lazy<TheClass>` and read `name.value` after construction.';

    expect(() => container.resolve(Listed)).toThrow(fix);
    expect(() => container.resolve('more')).toThrow(fix);
  });

  it('is fixed with a decorator if all of its classes have decorators', () => {
    @Service()
    class Even {
      constructor(@Inject(Symbol.for('odd')) readonly odd: unknown) {}
    }
    @Service()
    class Odd {
      constructor(readonly even: Even) {}
    }
    container.register(Symbol.for('odd'), { useClass: Odd });

    expect(resolveError(container, Even).message).toContain(
      'make one side lazy with `@Inject(lazy(() => TheClass)) name: Lazy<TheClass>` and read',
    );
  });

  it('is reported for aliases of each other', () => {
    container.register('a', { useExisting: 'b' }).register('b', { useExisting: 'a' });

    const resolve = () => container.resolve('a');

    expect(resolve).toThrow("'a' depends on itself: 'a' → 'b' → 'a'.\n  At: src/errors/");
    expect(resolve).toThrow('Fix: register one of the tokens with { useValue }, { useClass } or');
    expect(resolve).not.toThrow('lazy');
  });

  it('is reported for factories with the fix for factories', () => {
    container
      .register('a', { useFactory: (b) => b, inject: ['b'] })
      .register('b', { useExisting: 'a' });

    expect(() => container.resolve('a')).toThrow('`inject: [lazy(() => token)]`');
  });

  it('is reported when a lazy handle is read during construction', () => {
    @Service()
    class Hasty {
      constructor(@Inject(lazy(() => Hasty)) self: Lazy<unknown>) {
        void self.value;
      }
    }
    const error = resolveError(container, Hasty);

    expect(error).toBeInstanceOf(ConstructionError);
    expect(error.cause).toBeInstanceOf(CyclicDependencyError);
  });
});

describe('a constructor that throws', () => {
  const thrown = new TypeError('no disk');

  @Service()
  class Disk {
    constructor() {
      throw thrown;
    }
  }
  @Service()
  class Files {
    constructor(readonly disk: Disk) {}
  }

  it('is reported with its path and the thrown error as the cause', () => {
    const error = resolveError(container, Files);

    expect(error).toBeInstanceOf(ConstructionError);
    expect(error).toMatchObject({ code: 'DI_CONSTRUCTION_FAILED', path: [Files, Disk] });
    expect(error.message).toContain(`Building Disk failed: no disk\n  At: ${error.location}\n`);
    expect(error.location).toMatch(/^src\/errors\/injection-errors\.test\.ts:\d+:4$/);
    expect(error.cause).toBe(thrown);
  });

  it('is called again by the next resolve', () => {
    let calls = 0;
    container.register('flaky', {
      useFactory: () => {
        calls += 1;
        throw thrown;
      },
    });

    expect(() => container.resolve('flaky')).toThrow(ConstructionError);
    expect(() => container.resolve('flaky')).toThrow(ConstructionError);
    expect(calls).toBe(2);
  });

  it('is reported with the call that registered a factory', () => {
    const useFactory = () => {
      throw thrown;
    };
    const inThisContainer = container;
    inThisContainer.register('here', { useFactory });
    const location = locationAfter(import.meta.url, 'inThisContainer.');

    expect(() => container.resolve('here')).toThrow(`\n  At: ${location}\n`);
  });
});
