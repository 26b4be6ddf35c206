import { describe, expect, it, vi } from 'vitest';
import { classNeeding } from '../test/classes.js';
import { type Container, createContainer } from './container.js';
import { Inject, Optional } from './decorators/inject.js';
import { Service } from './decorators/service.js';
import { type Lazy, lazy, optional } from './dependency.js';
import type { Token } from './token.js';

class Unmarked {}

@Service({ scope: 'request' })
class Audit {}

class NoMetadata {
  constructor(readonly unmarked: Unmarked) {}
}

const Cache = classNeeding('Cache', Audit);
const Chicken = classNeeding('Chicken');
const Egg = classNeeding('Egg', Chicken, Chicken);
Chicken.inject = [Egg];
const App = classNeeding('App', Unmarked, Cache, 'url', Egg, NoMetadata, Unmarked);

/** The first line of each problem. */
function problemsOf(container: Container, roots: Token[]): string[] {
  return container.validate(roots).map((problem) => problem.message.split('\n')[0] ?? '');
}

describe('Container.validate', () => {
  it('reports a hole in `static inject`', () => {
    const Users = classNeeding('Users', 'clock', 'url');
    delete Users.inject[0];

    expect(problemsOf(createContainer(), [Users])[0]).toContain('parameter 0 of Users');
  });

  it('reports every problem of the graph once, in the order of the parameters', () => {
    const container = createContainer().register(NoMetadata);

    expect(problemsOf(container, [App, App])).toEqual([
      'Nothing provides Unmarked (parameter 0 of App).',
      'The singleton Cache would capture Audit, which lives for one request.',
      "Nothing provides 'url' (parameter 2 of App).",
      'Cannot build NoMetadata: the type of its constructor parameter 0 is unknown, because the class has neither `static inject` nor a decorator.',
      'Egg depends on itself: Egg → Chicken → Egg.',
    ]);
  });

  it('reports a captured service once if two parameters have it', () => {
    const Mailer = classNeeding('Mailer', Audit, optional(Audit), Audit);

    expect(problemsOf(createContainer(), [Mailer])).toEqual([
      'The singleton Mailer would capture Audit, which lives for one request.',
    ]);
  });

  it('reports a captured service once if two lazy parameters have it', () => {
    const handle = lazy(() => Audit);

    for (const Mailer of [
      classNeeding('Mailer', handle, handle),
      classNeeding('Mailer', handle, Audit),
    ]) {
      expect(problemsOf(createContainer(), [Mailer])).toEqual([
        'The singleton Mailer would capture Audit, which lives for one request.',
      ]);
    }
  });

  describe('of a transient with a lazy request-scoped dependency', () => {
    const Logger = classNeeding(
      'Logger',
      lazy(() => Audit),
      lazy(() => Audit),
    );
    const register = () =>
      createContainer().register(Logger, { useClass: Logger }, { scope: 'transient' });

    it('reports each singleton that holds it, with the path', () => {
      const Users = classNeeding('Users', Logger);
      const Orders = classNeeding('Orders', 'log', Users);
      const Jobs = classNeeding(
        'Jobs',
        lazy(() => Logger),
      );
      const container = register().register('log', { useExisting: Logger });

      const problems = container.validate([Users, Orders, Jobs]);
      expect(problems.map(({ path }) => path)).toEqual([
        [Users, Logger, Audit],
        [Jobs, Logger, Audit],
        [Orders, 'log', Logger, Audit],
      ]);
      expect(problems.map(({ name }) => name)).toEqual(Array(3).fill('CapturedScopeError'));
    });

    it('reports those that hold it through a lazy dependency of another transient', () => {
      const Buffer = classNeeding(
        'Buffer',
        lazy(() => Logger),
      );
      const Users = classNeeding('Users', Buffer);
      const Admin = classNeeding('Admin', Users);
      const container = register().register(Buffer, { useClass: Buffer }, { scope: 'transient' });

      expect(container.validate([Admin]).map(({ path }) => path)).toEqual([
        [Admin, Users, Buffer, Logger, Audit],
      ]);
    });

    it('accepts it in what is built for a request', () => {
      const Page = classNeeding('Page', Logger);
      const View = classNeeding('View', Logger);
      const container = register()
        .register(Page, { useClass: Page }, { scope: 'request' })
        .register(View, { useClass: View }, { scope: 'transient' });

      expect(container.validate()).toEqual([]);
    });
  });

  it('names the singletons that would capture a corrected one through a lazy dependency', () => {
    const Invoices = classNeeding('Invoices', Audit);
    const Report = classNeeding(
      'Report',
      lazy(() => Invoices),
    );

    expect(
      createContainer()
        .validate([Invoices, Report])
        .map(({ message }) => message),
    ).toEqual([
      expect.stringContaining('set the scope of Invoices, and that of Report, which would then'),
    ]);
  });

  it('names the singletons that would capture a corrected one, so that one round is enough', () => {
    const Invoices = classNeeding('Invoices', Audit);
    const Report = classNeeding('Report', Invoices);
    const Customers = classNeeding('Customers', 'page');
    const container = createContainer().register(
      'page',
      { useClass: Report },
      { scope: 'transient' },
    );
    const roots = [Report, Customers];

    expect(container.validate(roots).map(({ message }) => message)).toEqual([
      expect.stringContaining(
        "\n  Fix: set the scope of Invoices, and that of Report and Customers, which would then capture it, to 'request' or 'transient'",
      ),
    ]);
    for (const useClass of [Invoices, ...roots]) {
      container.register(useClass, { useClass }, { scope: 'request' });
    }
    expect(container.validate(roots)).toEqual([]);
  });

  it('reports the full path to each problem', () => {
    const problems = createContainer().register(NoMetadata).validate([App]);

    expect(problems.map((problem) => problem.path)).toEqual([
      [App, Unmarked],
      [App, Cache, Audit],
      [App, 'url'],
      [App, NoMetadata],
      [Egg, Chicken, Egg],
    ]);
  });

  it('reports the same problems on every call, and after a failed resolve', () => {
    const container = createContainer();
    const first = problemsOf(container, [App]);
    expect(() => container.resolve(App)).toThrow();

    expect(problemsOf(container, [App])).toEqual(first);
  });

  it('reports roots that nothing provides', () => {
    const container = createContainer();

    expect(problemsOf(container, ['url', Unmarked])).toEqual([
      "Nothing provides 'url'.",
      'Nothing provides Unmarked.',
    ]);
  });

  it('checks everything registered when called without roots', () => {
    const container = createContainer().register(Cache).register('a', { useExisting: 'b' });

    expect(problemsOf(container, [])).toEqual([]);
    expect(container.validate()).toHaveLength(2);
  });

  it('follows lazy dependencies and reports their paths', () => {
    const Late = classNeeding(
      'Late',
      lazy(() => NoMetadata),
      lazy(() => Audit),
      optional('url'),
    );
    const container = createContainer().register(NoMetadata);

    expect(container.validate([Late]).map((problem) => problem.path)).toEqual([
      [Late, NoMetadata],
      [Late, Audit],
    ]);
  });

  it('reports each of several overlapping cycles once', () => {
    const A = classNeeding('A');
    const B = classNeeding('B', A);
    const C = classNeeding('C', A, B);
    A.inject = [B, C];

    expect(
      createContainer()
        .validate([A])
        .map((problem) => problem.path),
    ).toEqual([
      [A, B, A],
      [A, C, A],
      [A, C, B, A],
    ]);
  });

  it('reports a cycle through a misspelled token, and one behind it', () => {
    const Users = classNeeding('Users', 'databse');
    const Other = classNeeding('Other', 'otherr');
    const Beside = classNeeding('Beside');
    Beside.inject = [Beside];
    const container = createContainer()
      .register('database', { useFactory: () => 1, inject: [Users] })
      .register('other', { useFactory: () => 1, inject: [Beside] });

    expect(container.validate([Users, Other]).map((problem) => problem.path)).toEqual([
      [Users, 'databse'],
      [Other, 'otherr'],
      [Users, 'database', Users],
      [Beside, Beside],
    ]);
  });

  it('reports what a misspelled token of several providers leads to, which is the last one', () => {
    const create = (token: Token) => ({ useFactory: () => 1, inject: [token] });
    const container = createContainer()
      .register('stores', create('first'), { multi: true })
      .register('stores', create('last'), { multi: true });

    expect(problemsOf(container, [classNeeding('Users', 'storess')]).slice(1)).toEqual([
      "Nothing provides 'last' (parameter 0 of 'stores').",
    ]);
  });

  it('reports what a misspelled root leads to', () => {
    const container = createContainer().register('app', { useFactory: () => 1, inject: ['url'] });

    expect(problemsOf(container, ['appp'])).toEqual([
      "Nothing provides 'appp'.",
      expect.stringContaining("Nothing provides 'url'"),
    ]);
  });

  it('reports at most 100 cycles', () => {
    const classes = Array.from({ length: 12 }, (_, index) => classNeeding(`Class${index}`));
    for (const each of classes) each.inject = classes;

    expect(createContainer().validate([classes[0] ?? 'none'])).toHaveLength(100);
  });

  it('accepts an optional lazy dependency that nothing provides', () => {
    class Careless {
      constructor(@Optional() @Inject(lazy(() => Unmarked)) readonly later: Lazy<unknown>) {}
    }
    const container = createContainer().register(Careless);

    expect(container.validate()).toEqual([]);
    expect(container.resolve(Careless).later.value).toBeUndefined();
  });

  it('accepts a lazy cycle', () => {
    const Owner = classNeeding('Owner');
    const Pet = classNeeding('Pet', Owner);
    Owner.inject = [lazy(() => Pet)];

    expect(createContainer().validate([Pet, Owner])).toEqual([]);
  });

  it('accepts a request-scoped root', () => {
    expect(createContainer().validate([Audit])).toEqual([]);
  });

  it('constructs nothing and calls no factory', () => {
    const make = vi.fn();
    const container = createContainer().register('made', { useFactory: make });
    container.validate(['made']);

    expect(make).not.toHaveBeenCalled();
  });
});
