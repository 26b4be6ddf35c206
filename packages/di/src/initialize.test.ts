import { beforeEach, describe, expect, it, vi } from 'vitest';
import { classNeeding } from '../test/classes.js';
import { type Container, createContainer } from './container.js';
import { Service } from './decorators/service.js';
import { lazy } from './dependency.js';
import {
  ConstructionError,
  InitializationError,
  type InjectionError,
} from './errors/injection-errors.js';
import { describePath } from './token.js';

let container: Container;
let log: string[];

beforeEach(() => {
  log = [];
  container = createContainer();
});

/** Returns a function that logs its name and fails. */
const failing = (name: string) => () => {
  log.push(name);
  throw new Error(`${name} is down`);
};

/** Returns the error that `initialize` rejects with. */
function failureOf(...args: Parameters<Container['initialize']>): Promise<InjectionError> {
  return container.initialize(...args).then(
    () => expect.unreachable('initialize() succeeded'),
    (error: InjectionError) => error,
  );
}

describe('Container.initialize after a failure', () => {
  it('builds everything else, and reports each failure with its path', async () => {
    @Service({ eager: true })
    class Broken {
      static inject = ['cache'] as const;
      constructor() {
        failing('Broken')();
      }
    }
    container
      .register('db', { useFactory: () => Promise.reject(new Error('db is down')) })
      .register('cache', { useFactory: () => log.push('cache') })
      .register('mail', { useFactory: failing('mail') })
      .register('clock', { useFactory: async () => log.push('clock') })
      .register('app', { useFactory: () => log.push('app'), inject: ['db'] });
    const error = await failureOf(['app', 'mail', Broken, 'clock']);

    expect(error).toBeInstanceOf(InitializationError);
    expect(error).toMatchObject({
      code: 'DI_INITIALIZATION_FAILED',
      token: 'mail',
      problems: [{ token: 'mail' }, { token: Broken }, { token: 'db' }],
    });
    expect(error.message).toMatch(
      /^Cannot initialize the container: 3 problems\.\n\n {2}1\. Building 'mail' failed: mail is down\n/,
    );
    expect(error.message).toContain("\n       Path: 'app' → 'db'\n");
    expect(log).toEqual(['mail', 'cache', 'Broken', 'clock']);
  });

  it('rejects with a single failure as it is', async () => {
    container.register('mail', { useFactory: failing('mail') });

    expect(await failureOf()).toBeInstanceOf(ConstructionError);
  });

  it('reports a failure once that reaches several roots, and calls its factory once', async () => {
    container
      .register('now', { useFactory: failing('now') })
      .register('later', { useFactory: async () => failing('later')() });
    for (const name of ['a', 'b', 'c']) {
      const make = vi.fn();
      container.register(name, { useFactory: (..._: never[]) => make(), inject: ['now'] });
      container.register(name.toUpperCase(), { useFactory: make, inject: ['later'] });
    }
    const error = await failureOf(['a', 'b', 'later', 'A', 'B', 'c', 'C']);

    expect(error).toMatchObject({ problems: [{ path: ['a', 'now'] }, { path: ['later'] }] });
    expect(log).toEqual(['now', 'later']);
  });

  it('reports a failed transient once for all singletons that need it', async () => {
    container
      .register('id', { useFactory: failing('id') }, { scope: 'transient' })
      .register('a', { useFactory: () => 1, inject: ['id'] })
      .register('b', { useFactory: () => 2, inject: ['id'] });

    expect(await failureOf(['a', 'b'])).toMatchObject({ path: ['a', 'id'] });
    expect(log).toEqual(['id']);
  });

  it('builds what needs the failed instance only lazily', async () => {
    container
      .register('mail', { useFactory: failing('mail') })
      .register('app', { useFactory: () => log.push('app'), inject: [lazy(() => 'mail')] });
    const error = await failureOf(['mail', 'app']);

    expect(error).toMatchObject({ path: ['mail'] });
    expect(log).toEqual(['mail', 'app']);
  });

  it('tries each failed factory again in the next call', async () => {
    const connect = vi.fn(async () => 'connected').mockRejectedValueOnce(new Error('refused'));
    container.register('db', { useFactory: () => connect() });
    await failureOf();
    await container.initialize();

    expect(container.resolve('db')).toBe('connected');
  });

  it('keeps and disposes what was built', async () => {
    const pool = { [Symbol.dispose]: () => log.push('closed') };
    container
      .register('pool', { useFactory: async () => pool })
      .register('mail', { useFactory: failing('mail') });
    await failureOf();

    expect(container.resolve('pool')).toBe(pool);
    await container.dispose();
    expect(log).toEqual(['mail', 'closed']);
  });
});

describe('Container.initialize with wiring problems', () => {
  it('reports all of them, and builds nothing', async () => {
    container.register('mail', { useFactory: failing('mail') });

    expect(await failureOf(['nobody', 'mail', 'nowhere'])).toMatchObject({
      code: 'DI_INITIALIZATION_FAILED',
      problems: [{ token: 'nobody' }, { token: 'nowhere' }],
    });
    expect(log).toEqual([]);
  });
});

describe('Container.initialize with all singletons', () => {
  class Repository {
    constructor() {
      log.push('repository');
    }
  }
  class Reports {
    constructor() {
      log.push('reports');
    }
  }
  class Sessions {
    static inject = [Repository, lazy(() => Reports)] as const;
    constructor() {
      log.push('sessions');
    }
  }
  const all = { singletons: 'all' } as const;

  beforeEach(() => {
    container
      .register(Repository)
      .register(Reports)
      .register(Sessions, { useClass: Sessions }, { scope: 'request' });
  });

  it('builds what only a request-scoped class needs, except behind a lazy dependency', async () => {
    await container.initialize([Sessions], all);

    expect(log).toEqual(['repository']);
  });

  it('builds factories and eager classes first', async () => {
    container.register('migration', { useFactory: async () => log.push('migration') });
    await container.initialize([Sessions, Reports, 'migration'], all);

    expect(log).toEqual(['migration', 'reports', 'repository']);
  });

  it('reports constructors that throw together with failed factories', async () => {
    container
      .register('broken', { useClass: failingClass() })
      .register('user', { useFactory: (..._) => 1, inject: ['broken'] }, { scope: 'request' })
      .register('db', { useFactory: async () => failing('db')() })
      .register('needs db', { useClass: classNeeding('NeedsDb', 'db') });
    const error = await failureOf(['needs db', 'user', Reports], all);

    expect(error).toMatchObject({
      problems: [{ path: ['needs db', 'db'] }, { path: ['user', 'broken'] }],
    });
    expect(log).toEqual(['db', 'reports', 'broken']);
  });

  function failingClass() {
    return class {
      constructor() {
        failing('broken')();
      }
    };
  }
});

describe('Container.pendingTokens', () => {
  it('lists the factories that initialize waits for', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const make = vi.fn(() => promise);
    container
      .register('slow', { useFactory: make })
      .register('fast', { useFactory: async () => 1 })
      .register('app', { useFactory: (..._) => 2, inject: ['fast', 'slow'] });
    const initialized = container.initialize(['app']);
    await Promise.resolve();
    const pending = container.pendingTokens();
    resolve(1);
    await initialized;

    expect(pending).toEqual(['slow']);
    expect(container.pendingTokens()).toEqual([]);
  });

  it('does not list a factory that failed, nor one of a request', async () => {
    const never = { useFactory: () => new Promise<never>(() => {}) };
    container
      .register('broken', { useFactory: async () => failing('broken')() })
      .register('request', never, { scope: 'request' });
    await failureOf(['broken']);
    void container.createScope().resolveAsync('request');

    expect(container.pendingTokens()).toEqual([]);
  });

  it('lists what only a transient factory waits for', async () => {
    const slow = { useFactory: () => new Promise<never>(() => {}) };
    container.register('slow', slow, { scope: 'transient' });
    void container.createChild().resolveAsync('slow');

    expect(container.pendingTokens().map((token) => describePath([token]))).toEqual(["'slow'"]);
  });
});
