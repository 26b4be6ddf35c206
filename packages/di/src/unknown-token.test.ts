import { markIntended } from '@fairlead/options';
import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { classNeeding } from '../test/classes.js';
import { locationAfter } from '../test/location.js';
import { resolveError } from '../test/resolve-error.js';
import { type Container, createContainer, container as defaultContainer } from './container.js';
import { Inject } from './decorators/inject.js';
import { Service } from './decorators/service.js';
import { all, lazy, optional, token } from './dependency.js';
import type { Provider } from './provider.js';
import { describeToken, type Token } from './token.js';

let container: Container;
beforeEach(() => {
  container = createContainer();
});

/** Returns the message of the only problem of a graph. */
function problemOf(root: Token): string {
  const [problem, ...others] = container.validate([root]);
  expect(others).toEqual([]);
  return problem?.message ?? 'no problem';
}

describe('the error of an unknown token names', () => {
  it('a registered token with the same name', () => {
    container.register(token('Mailer'), { useValue: 1 });

    expect(problemOf(token('Mailer'))).toBe(
      'Nothing provides token(Mailer): another token with the same name is registered.\n' +
        '  Fix: create the token once, export it, and import it in both places. If you need two tokens, register it first: container.register(token, { useValue: … }), or with useClass, useFactory or useExisting.',
    );
  });

  it.each<[string, Token, Token, string, string, string]>([
    ['a string', 'db', Symbol.for('db'), 'token', "'db'", 'use it here'],
    ['a symbol', Symbol.for('db'), 'db', "'db'", "Symbol.for('db')", 'use it here'],
    ['a typed token', token('db'), 'db', "'db'", 'token(db)', 'import it and use it here'],
  ])(
    '%s with the same name, after how to register the one that is missing',
    (_name, registered, asked, argument, other, use) => {
      container.register(registered, { useValue: 1 });

      expect(problemOf(asked)).toBe(
        `Nothing provides ${describeToken(asked)}: ${other}, which is provided, is a different token.\n  Fix: register it first: container.register(${argument}, { useValue: … }), or with useClass, useFactory or useExisting. If you meant ${other}, ${use}.`,
      );
    },
  );

  it('what a class lacks before a token with its name', () => {
    class Stored {
      constructor(readonly path: string) {}
    }
    class Needing {
      static readonly inject = [Stored] as const;
      constructor(readonly stored: Stored) {}
    }
    container.register(token<Stored>('Stored'), { useValue: new Stored('') });
    const { message } = resolveError(container, Needing);

    expect(message).toContain('Nothing provides Stored (parameter 0 of Needing).\n');
    expect(message).toContain(
      'Fix: add `static inject = [...]` to Stored, with the dependency of each parameter.',
    );
    expect(message).toContain(
      'token(Stored), which is provided, is a different token: if you meant that one, import it and use it here.',
    );
  });

  it('a decorated class with the same name', () => {
    const decorated = { Scheduler: class {} }.Scheduler;
    Service()(decorated);
    const sameName = { Scheduler: class {} }.Scheduler;

    expect(container.has(decorated)).toBe(true);
    expect(problemOf('Scheduler')).toContain('If you meant Scheduler, use it here.');
    expect(problemOf(sameName)).toContain(
      'Nothing provides Scheduler: another class has the same name.\n  Fix: import the class from the same module in both places, because a module that is loaded twice has two classes. If they are two classes, add @Service() to Scheduler.',
    );
  });

  it('a registered token with a similar name', () => {
    container.override('database', { useValue: 1 });

    expect(problemOf('databse')).toContain(
      "Nothing provides 'databse'.\n  Fix: use 'database', which is registered, or register 'databse'.",
    );
  });

  it.each<[string, Token, Token]>([
    ['a typed token', token('Upload'), token('Uploads')],
    ['a class', { Upload: class {} }.Upload, token('Uploads')],
    ['a string', 'Upload', token('Uploads')],
  ])('no token with a similar name and another type for %s', (_name, asked, registered) => {
    container.register(registered, { useValue: 1 });

    expect(problemOf(asked)).not.toContain('Uploads');
  });

  it('the subclass of an abstract class', () => {
    abstract class Mailer {}
    @Service()
    class SmtpMailer extends Mailer {}

    expect(SmtpMailer.prototype).toBeInstanceOf(Mailer);
    expect(problemOf(Mailer)).toContain(
      'Fix: register its subclass: container.register(Mailer, { useClass: SmtpMailer }). If you need Mailer itself, add @Service() to Mailer.',
    );
  });

  it.each([Map, Date, URL, AbortController])('a token for the built-in %o', (type) => {
    const message = problemOf(classNeeding('Needs', type));

    expect(message).toContain(
      `Nothing provides ${type.name} (parameter 0 of Needs): it is a built-in class.`,
    );
    expect(message).toContain(
      `create a token with the type of the parameter, as in token<Type>('My${type.name}')`,
    );
    expect(message).toContain('list it in `static inject`, or mark the parameter');
    expect(message).not.toContain('@Service()');
  });

  it('a child container that registers it', () => {
    const grandchild = container.createChild().createChild().register('tenant', { useValue: 1 });

    expect(problemOf('tenant')).toContain(
      "Nothing provides 'tenant': only a child container registers it.\n  Fix: register it in this container, or resolve from the other one.",
    );
    expect(grandchild.resolve('tenant')).toBe(1);
  });

  it('how a singleton of a parent container receives what only a child registers', () => {
    const register = (owner: Container) =>
      owner.register('mailer', { useFactory: (tenant) => ({ tenant }), inject: ['tenant'] });
    const child = register(container).createChild().register('tenant', { useValue: 1 });

    expect(() => child.resolve('mailer')).toThrow(
      "Nothing provides 'tenant' (parameter 0 of 'mailer'): only a child container registers it.",
    );
    expect(() => child.resolve('mailer')).toThrow(
      "Fix: register it where 'mailer' is registered, or 'mailer' in the child container, too: the container that",
    );
    expect(register(child).resolve('mailer')).toEqual({ tenant: 1 });
  });

  it('the default container that registers it', () => {
    const secret = token<string>('Secret');
    defaultContainer.register(secret, { useValue: '' });

    expect(problemOf(secret)).toContain('only another container registers it.');
  });

  it('another container if the default one is asked', () => {
    const secret = token<string>('Secret');
    container.register(secret, { useValue: '' });

    expect(() => defaultContainer.resolve(secret)).toThrow('only another container registers it.');
    expect(container.has(secret)).toBe(true);
  });

  it('no unrelated container, nor one that is disposed', async () => {
    const unrelated = createContainer().register('host', { useValue: 1 });
    const child = container.createChild().register('host', { useValue: 1 });
    await child.dispose();

    expect(problemOf('host')).toContain("Nothing provides 'host'.\n  Fix: register it first:");
    expect(unrelated.has('host')).toBe(true);
  });

  it('where the class is decorated that needs it', () => {
    // Located
    @Service()
    class Located {
      constructor(@Inject('nowhere') readonly value: unknown) {}
    }
    const [problem] = container.validate([Located]);
    const location = locationAfter(import.meta.url, '    // Located').replace(
      /:(\d+):\d+$/,
      (_, line) => `:${Number(line) + 1}:6`,
    );

    expect(problem?.location).toBe(location);
    expect(problem?.message).toContain(`(parameter 0 of Located).\n  At: ${location}\n  Path: `);
  });
});

describe('an optional token whose name is nearly that of a provided one', () => {
  class Notes {
    static readonly inject = [optional('cachee')] as const;
    constructor(readonly cache: unknown) {}
  }
  class IntendedNotes extends Notes {}
  const createNotes = (cache: unknown) => new Notes(cache);
  let warnings: MockInstance;
  beforeEach(() => {
    warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  });

  it.each<[string, Provider]>([
    ['class', { useClass: Notes }],
    ['factory', { useFactory: createNotes, inject: [optional('cachee')] }],
  ])('is a warning of the start for a %s', async (kind, provider) => {
    container.register('cache', { useValue: 1 }).register('notes', provider);
    await container.initialize();
    await container.initialize();

    expect(warnings).toHaveBeenCalledOnce();
    const problem =
      "Nothing provides the optional 'cachee' (parameter 0 of 'notes'), so it is undefined. 'cache' is registered.\n";
    const fix = `\n  Fix: use 'cache', or pass the ${kind} to intended().`;
    const options = { type: 'FairleadWarning', code: 'FAIRLEAD_OPTIONAL' };
    expect(warnings).toHaveBeenCalledWith(expect.stringContaining(problem), options);
    expect(warnings).toHaveBeenCalledWith(expect.stringContaining(fix), options);
  });

  it('is a warning for a token of another kind with the same name', async () => {
    const cache = token<unknown>('cachee');
    container.register(cache, { useValue: 1 }).register('notes', { useClass: Notes });
    await container.initialize();

    expect(warnings).toHaveBeenCalledOnce();
    expect(warnings.mock.calls[0]?.[0]).toMatch(
      /so it is undefined\. token\(cachee\) is registered\.[\s\S]*Fix: use token\(cachee\), or pass the class to intended\(\)\.$/,
    );
  });

  it('is a warning for another token with the same name', async () => {
    const [one, other] = [token<unknown>('cache'), token<unknown>('cache')];
    const inject = [optional(other)];
    container
      .register(one, { useValue: 1 })
      .register('notes', { useFactory: (cache: unknown) => cache, inject });
    await container.initialize();

    expect(warnings).toHaveBeenCalledOnce();
    expect(warnings.mock.calls[0]?.[0]).toMatch(
      /so it is undefined\. Another token token\(cache\) is registered\.[\s\S]*Fix: create the token once, and import it, or pass the factory to intended\(\)\.$/,
    );
  });

  it.each<[string, string, Provider]>([
    ['if the class is marked', 'cache', { useClass: markIntended(IntendedNotes) }],
    ['if the names differ', 'mailer', { useClass: Notes }],
    ['if it is provided', 'cachee', { useClass: Notes }],
    ['of another word', 'smtp.host', { useFactory: createNotes, inject: [optional('smtp.port')] }],
    ['of another part', 'tenantId', { useFactory: createNotes, inject: [optional('tenantIp')] }],
  ])('is no warning %s', async (_name, registered, provider) => {
    container.register(registered, { useValue: 1 }).register('notes', provider);
    await container.initialize();

    expect(warnings).not.toHaveBeenCalled();
  });
});

describe('a list of the providers of a token', () => {
  class Rules {
    static readonly inject = [all('rule')] as const;
    constructor(readonly rules: unknown[]) {}
  }
  class IntendedRules extends Rules {}
  const multi = { multi: true };
  let warnings: MockInstance;
  beforeEach(() => {
    warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    container.register('rule', { useValue: 'a' }, multi);
  });

  it('is a warning of the start if a registration replaced one of them', async () => {
    container.register('rule', { useValue: 'b' }).register('rules', { useClass: Rules });
    await container.initialize();
    await container.initialize();

    expect(warnings).toHaveBeenCalledOnce();
    const [message, options] = warnings.mock.calls[0] ?? [];
    expect(message).toContain(
      "parameter 0 of 'rules' lists the providers of 'rule', but a registration without multi replaced those before it.\n",
    );
    expect(message).toContain('\n  At: src/unknown-token.test.ts:');
    expect(message).toContain(
      '\n  Fix: register each of them with { multi: true }, or pass the class to intended().',
    );
    expect(options).toEqual({ type: 'FairleadWarning', code: 'FAIRLEAD_REPLACED' });
  });

  it.each<[string, () => unknown]>([
    ['all are registered with multi', () => container.register('rule', { useValue: 1 }, multi)],
    ['another one is overridden', () => container.override('rule', { useValue: 1 })],
    [
      'nothing lists them',
      () => container.register('rules', { useValue: 1 }).register('rule', { useValue: 2 }),
    ],
    [
      'the class is marked',
      () =>
        container
          .register('rule', { useValue: 1 })
          .register('rules', { useClass: markIntended(IntendedRules) }),
    ],
  ])('is no warning if %s', async (_name, change) => {
    container.register('rules', { useClass: Rules });
    change();
    await container.initialize();

    expect(warnings).not.toHaveBeenCalled();
  });
});

describe('a lazy dependency', () => {
  it.each([
    ['undefined', undefined, 'lazy() received undefined. Two modules import each other,'],
    ['a number', 5, 'Nothing provides 5 (parameter 0 of Late): the token is 5.'],
    ['a list', lazy(() => Map), 'the token is a result of lazy(), optional() or all().'],
  ])('on %s is a problem', (_name, value, message) => {
    expect(
      problemOf(
        classNeeding(
          'Late',
          lazy(() => value as never),
        ),
      ),
    ).toContain(message);
  });
});

describe('a dependency that several classes need', () => {
  it('is one problem, which names some of them and has all paths', () => {
    class Missing {}
    const classes = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => classNeeding(name, 'x', Missing));
    container.register('x', { useValue: 1 });
    const [problem, ...others] = container.validate([...classes, classNeeding('A', Missing)]);

    expect(others).toEqual([]);
    expect(problem?.message).toContain(
      'Nothing provides Missing (parameter 1 of A; also needed by B, C, D and 3 more).\n',
    );
    expect(problem?.paths.slice(0, 2)).toEqual([
      [classes[0], Missing],
      [classes[1], Missing],
    ]);
  });

  it('is one problem even if it is also a root', () => {
    const Needs = classNeeding('Needs', 'url');

    expect(container.validate(['url', Needs]).map(({ message }) => message)).toEqual([
      expect.stringContaining("Nothing provides 'url' (also needed by Needs).\n"),
    ]);
  });
});

describe('classes without emitted types', () => {
  it('are one problem', () => {
    const untyped = ['A', 'B', 'C'].map((name) => {
      class Untyped {
        constructor(readonly value: unknown) {}
      }
      Reflect.defineMetadata('elsewhere', name, Untyped);
      container.register(name, { useClass: Untyped });
      return name;
    });
    const problems = container.validate(untyped);

    expect(problems.map(({ message }) => message.split('\n')[0])).toEqual([
      'Cannot build Untyped: the type of its constructor parameter 0 is unknown, because the compiler ' +
        "emitted no types for the decorated class. The same applies to 'B' and 'C'.",
    ]);
    expect(problems.map(({ paths }) => paths)).toEqual([[['A'], ['B'], ['C']]]);
  });
});
