import { markIntended } from '@fairlead/options';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { type Container, createContainer } from './container.js';
import { all, lazy, optional } from './dependency.js';

let container: Container;
let warnings: MockInstance;
beforeEach(() => {
  container = createContainer();
  warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  vi.stubEnv('NODE_ENV', 'development');
  vi.stubEnv('NODE_TEST_CONTEXT', undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Returns the codes and messages of the warnings that two starts print. */
async function start(): Promise<readonly string[]> {
  await container.initialize();
  await container.initialize();
  return warnings.mock.calls.map(([message, { code }]) => `${code}: ${message}`);
}

class Store {}
class FileStore extends Store {}
const multi = { multi: true };

describe('a second registration of a token', () => {
  const replace = () =>
    container.register(Store, { useClass: Store }).register(Store, { useClass: FileStore });

  it('is a warning of the start', async () => {
    replace();
    expect(await start()).toEqual([
      expect.stringMatching(
        /^FAIRLEAD_REPLACED: A registration of Store replaced another one\.\n {2}At: src\/doubtful-providers\.test\.ts:\d+:\d+\n {2}Fix: remove one of the two, use override\(\) in tests, add \{ multi: true \} to both and inject the list with @InjectAll\(\) or all\(\), or pass the provider to intended\(\)\.$/,
      ),
    ]);
  });

  it.each<[string, () => unknown]>([
    [
      'both have multi',
      () => container.register('a', { useValue: 1 }, multi).register('a', { useValue: 2 }, multi),
    ],
    ['both are the same', () => container.register(Store).register(Store, { useClass: Store })],
    [
      'it overrides the first',
      () => container.register(Store).override(Store, { useClass: FileStore }),
    ],
    [
      'the first is a default',
      () => container.registerDefault(Store).register(Store, { useClass: FileStore }),
    ],
    ['it is of a child', () => container.createChild().register(Store, { useClass: FileStore })],
    [
      'the container has a snapshot',
      () => {
        container.register(Store).snapshot();
        container.register(Store, { useClass: FileStore });
      },
    ],
    [
      'it runs in a test',
      () => {
        vi.stubEnv('NODE_ENV', 'test');
        replace();
      },
    ],
    [
      'it runs in a test of Node.js',
      () => {
        vi.stubEnv('NODE_TEST_CONTEXT', 'child-v8');
        replace();
      },
    ],
    [
      'its provider is marked',
      () => container.register(Store).register(Store, markIntended({ useValue: new FileStore() })),
    ],
    [
      'its class is marked',
      () =>
        container
          .register(Store)
          .register(Store, { useClass: markIntended(class extends Store {}) }),
    ],
  ])('is none if %s', async (_name, register) => {
    container.register('other', { useValue: 1 });
    register();
    expect(await start()).toEqual([]);
  });

  it('is none once the told fix is followed: multi on both, and their list', async () => {
    container.register('rule', { useValue: 1 }, multi).register('rule', { useValue: 2 }, multi);
    container.register('rules', { useFactory: (rules) => rules, inject: [all('rule')] });
    expect(await start()).toEqual([]);
  });

  it('is one warning if a list misses the first', async () => {
    container.register('rule', { useValue: 1 }).register('rule', { useValue: 2 });
    container.register('rules', { useFactory: (rules) => rules, inject: [all('rule')] });
    expect(await start()).toEqual([expect.stringContaining("lists the providers of 'rule'")]);
  });
});

describe('a promise as useValue', () => {
  it('is a warning of the start', async () => {
    container.register('db', { useValue: Promise.resolve(1) });
    expect(await start()).toEqual([
      expect.stringMatching(
        /^FAIRLEAD_INJECTED: The value of 'db' is a promise, so what depends on it receives the promise\.\n {2}At: src\/doubtful-providers\.test\.ts:\d+:\d+\n {2}Fix: write \{ useFactory: \(\) => promise \}, whose promise initialize\(\) awaits, or pass the provider to intended\(\)\.$/,
      ),
    ]);
  });

  it('is none if the promise or the provider is marked', async () => {
    container.register('a', { useValue: markIntended(Promise.resolve(1)) });
    container.register('b', markIntended({ useValue: Promise.resolve(1) }));
    expect(await start()).toEqual([]);
  });
});

describe('undefined as useValue', () => {
  const value = { useValue: undefined };

  it('is a warning of the start for what needs the value', async () => {
    container.register('url', value);
    container.register('db', { useFactory: (url) => [url], inject: ['url'] });
    container.register('cache', { useFactory: (url) => [url], inject: ['url'] });
    expect(await start()).toEqual([
      expect.stringMatching(
        /^FAIRLEAD_INJECTED: parameter 0 of 'db' needs 'url', whose value is undefined\.\n {2}At: src\/doubtful-providers\.test\.ts:\d+:\d+\n {2}Fix: set the value, such as an environment variable, make the parameter optional, or pass the provider to intended\(\)\.$/,
      ),
    ]);
  });

  it('is none if the value is optional, the provider is marked, or nothing needs it', async () => {
    container.register('a', value);
    container.register('b', markIntended({ useValue: undefined }));
    container.register('c', { useValue: null });
    container.register('d', {
      useFactory: (...received) => received,
      inject: [optional('a'), all('a'), 'b', 'c'],
    });
    expect(await start()).toEqual([]);
  });
});

describe('a dependency on one of several providers', () => {
  class Rules {
    static readonly inject = ['rule'] as const;
    constructor(readonly rule: unknown) {}
  }
  class Lazy {
    static readonly inject = [lazy(() => 'rule')] as const;
    constructor(readonly rule: unknown) {}
  }
  const rule = () =>
    container.register('rule', { useValue: 1 }, multi).register('rule', { useValue: 2 }, multi);

  it.each([
    ['of a class', 'class', () => container.register(Rules)],
    ['that is lazy', 'class', () => container.register('rules', { useClass: Lazy })],
    [
      'that is optional',
      'factory',
      () => container.register('rules', { useFactory: (one) => one, inject: [optional('rule')] }),
    ],
    ['of an alias', 'provider', () => container.register('rules', { useExisting: 'rule' })],
  ])('%s is a warning of the start', async (_name, marked, register) => {
    rule();
    register();
    expect(await start()).toEqual([
      expect.stringMatching(
        /^FAIRLEAD_INJECTED: parameter 0 of .* receives only the last of the 2 providers of 'rule'\./,
      ),
    ]);
    expect(warnings.mock.calls[0]?.[0]).toContain(
      `Fix: use @InjectAll() or all() for a list of them, or pass the ${marked} to intended().`,
    );
  });

  it.each<[string, () => unknown]>([
    ['there is one', () => container.register('rule', { useValue: 1 }, multi).register(Rules)],
    ['it is overridden', () => rule().register(Rules).override('rule', { useValue: 1 })],
    [
      'a test adds another one',
      () =>
        container
          .register('rule', { useValue: 1 })
          .register(Rules)
          .override('rule', { useValue: 1 }, multi),
    ],
    [
      'the class is marked',
      () =>
        rule().register('rules', {
          useClass: markIntended(
            class extends Rules {
              static override readonly inject = ['rule'] as const;
            },
          ),
        }),
    ],
  ])('is none if %s', async (_name, register) => {
    register();
    expect(await start()).toEqual([]);
  });
});

describe('a transient that has to be disposed', () => {
  class Connection {
    [Symbol.dispose]() {}
  }
  class Rows {
    static readonly inject = [Connection] as const;
    constructor(readonly connection: Connection) {}
  }
  const transient = { scope: 'transient' } as const;

  it('is a warning of the start for what owns it without disposing anything', async () => {
    container.register(Connection, { useClass: Connection }, transient).register(Rows);
    expect(await start()).toEqual([
      'FAIRLEAD_INJECTED: parameter 0 of Rows receives a new instance of Connection, which nothing disposes: the container disposes no transients, and its owner has no [Symbol.dispose]() or [Symbol.asyncDispose]().\n  Fix: register Connection with the scope request or singleton, dispose it in the owner, or pass the class to intended().',
    ]);
  });

  it.each<[string, () => unknown]>([
    [
      'its owner disposes',
      () =>
        container.register('rows', {
          useClass: class extends Rows {
            [Symbol.dispose]() {}
          },
        }),
    ],
    [
      'its owner is a factory',
      () => container.register('rows', { useFactory: (own: unknown) => own, inject: [Connection] }),
    ],
    [
      'its owner is marked',
      () => container.register('rows', { useClass: markIntended(class extends Rows {}) }),
    ],
  ])('is none if %s', async (_name, register) => {
    container.register(Connection, { useClass: Connection }, transient);
    register();
    expect(await start()).toEqual([]);
  });

  it('is none of another scope', async () => {
    container.register(Connection).register(Rows);
    expect(await start()).toEqual([]);
  });
});
