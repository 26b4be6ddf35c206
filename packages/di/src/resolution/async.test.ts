import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Container, createContainer } from '../container.js';
import { Inject } from '../decorators/inject.js';
import { Service } from '../decorators/service.js';
import { all, type Lazy, lazy, token } from '../dependency.js';
import {
  AsyncProviderError,
  ConstructionError,
  DisposedError,
} from '../errors/injection-errors.js';
import { describePath } from '../token.js';

interface Connection {
  readonly url: string;
}

const Url = token<string>('Url');
const Database = token<Connection>('Database');

@Service()
class Users {
  constructor(@Inject(Database) readonly database: Connection) {}
}

@Service()
class Api {
  constructor(readonly users: Users) {}
}

let container: Container;
const connect = vi.fn(async (url: string): Promise<Connection> => ({ url }));

beforeEach(() => {
  connect.mockClear();
  container = createContainer()
    .register(Url, { useFactory: async () => 'db:' })
    .register(Database, { useFactory: connect, inject: [Url] });
});

describe('resolveAsync', () => {
  it('waits for every asynchronous factory in the graph', async () => {
    const api = await container.resolveAsync(Api);

    expect(api.users.database).toEqual({ url: 'db:' });
  });

  it('builds a singleton once for concurrent callers', async () => {
    const [first, second, users] = await Promise.all([
      container.resolveAsync(Api),
      container.resolveAsync(Api),
      container.resolveAsync(Users),
    ]);

    expect(first).toBe(second);
    expect(first.users).toBe(users);
    expect(connect).toHaveBeenCalledOnce();
  });

  it('builds a new transient for each caller', async () => {
    container.register('id', { useFactory: async () => ({}) }, { scope: 'transient' });

    expect(await container.resolveAsync('id')).not.toBe(await container.resolveAsync('id'));
  });

  it('collects synchronous and asynchronous providers of a token in order', async () => {
    class Plugins {
      static inject = [all<string>('plugin')] as const;
      constructor(readonly names: string[]) {}
    }
    container
      .register('plugin', { useFactory: async () => 'a' }, { multi: true })
      .register('plugin', { useValue: 'b' }, { multi: true });

    expect((await container.resolveAsync(Plugins)).names).toEqual(['a', 'b']);
  });

  it('does not keep a failed build', async () => {
    connect.mockRejectedValueOnce(new Error('refused'));

    await expect(container.resolveAsync(Api)).rejects.toThrow(ConstructionError);
    await expect(container.resolveAsync(Api)).resolves.toBeInstanceOf(Api);
  });

  it('reports the failed provider, its path and the cause', async () => {
    const refused = new Error('refused');
    connect.mockRejectedValueOnce(refused);
    const error = await container.resolveAsync(Api).catch((reason) => reason);

    expect(error).toBeInstanceOf(ConstructionError);
    expect(describePath(error.path)).toBe('Api → Users → token(Database)');
    expect(error.cause).toBe(refused);
  });

  it('does not await an instance that has a then method', async () => {
    class Query {
      // biome-ignore lint/suspicious/noThenProperty: the point of this test
      then() {
        return 'never called';
      }
    }
    class Search {
      static inject = [Query, Database] as const;
      constructor(
        readonly query: Query,
        readonly database: Connection,
      ) {}
    }
    container.register(Query);

    expect((await container.resolveAsync(Search)).query).toBeInstanceOf(Query);
  });

  it('rejects when the container is disposed during the build', async () => {
    const resolving = container.resolveAsync(Api);
    const disposing = container.dispose();

    await expect(resolving).rejects.toThrow(DisposedError);
    await disposing;
  });
});

describe('resolve with an asynchronous provider', () => {
  it('throws before the provider has settled, and names it', () => {
    const resolve = () => container.resolve(Api);

    expect(resolve).toThrow(AsyncProviderError);
    expect(resolve).toThrow('Path: Api → Users → token(Database) → token(Url)');
    expect(resolve).toThrow(/\n {2}At: src\/resolution\/async\.test\.ts:\d+:\d+\n/);
    expect(resolve).toThrow('Fix: call `await container.initialize()` once before');
  });

  it.each(['transient', 'request'] as const)('advises on a %s one by its scope', async (scope) => {
    const later = createContainer();
    later
      .register('later', { useFactory: async () => 1 }, { scope })
      .register(
        'reader',
        { useFactory: (one: Lazy<number>) => one, inject: [lazy<number>(() => 'later')] },
        { scope },
      );
    await later.initialize();
    await using resolver = later.createScope();
    const advice = 'Fix: call `await resolveAsync(...)` instead of `resolve`, or remove lazy()';

    expect(() => resolver.resolve('later')).toThrow(advice);
    expect(() => resolver.resolve<Lazy<number>>('reader').value).toThrow(advice);
    expect(await resolver.resolveAsync('later')).toBe(1);
  });

  it('leaves no unhandled rejection when the factory it called fails later', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const failing = { useFactory: () => Promise.reject(new Error('refused')) };
    container.register('id', failing, { scope: 'transient' });

    expect(() => container.resolve('id')).toThrow(AsyncProviderError);
    // Node reports unhandled rejections before the next turn of the event loop.
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('returns the instance afterwards', async () => {
    const api = await container.resolveAsync(Api);

    expect(container.resolve(Api)).toBe(api);
  });

  it('returns a promise that was registered as a value', async () => {
    const value = Promise.resolve(1);
    container.register('promise', { useValue: value });

    expect(container.resolve('promise')).toBe(value);
  });
});

describe('initialize', () => {
  it('builds the asynchronous singletons reachable from the roots', async () => {
    await container.initialize([Api]);

    expect(container.resolve(Api).users.database.url).toBe('db:');
  });

  it('builds what only lazy dependencies reach', async () => {
    class Reports {
      static inject = [lazy(() => Database)] as const;
      constructor(readonly database: Lazy<Connection>) {}
    }
    await container.register(Reports).initialize([Reports]);

    expect(container.resolve(Reports).database.value).toEqual({ url: 'db:' });
  });

  it('builds every registered asynchronous singleton when called without roots', async () => {
    await container.initialize();

    expect(container.resolve(Database).url).toBe('db:');
  });

  it('constructs only the instances of factories and their dependencies', async () => {
    const build = vi.fn();
    class Idle {
      constructor() {
        build();
      }
    }
    await container.register(Idle).initialize();

    expect(build).not.toHaveBeenCalled();
  });

  it('calls no factory of a transient or request-scoped token', async () => {
    const make = vi.fn(() => 1);
    container
      .register('transient', { useFactory: make }, { scope: 'transient' })
      .register('request', { useFactory: make }, { scope: 'request' });
    await container.initialize();

    expect(make).not.toHaveBeenCalled();
  });

  it('rejects with the first wiring problem', async () => {
    await expect(container.initialize(['nobody'])).rejects.toThrow("Nothing provides 'nobody'");
    expect(connect).not.toHaveBeenCalled();
  });

  it('rejects when a factory fails, and can be retried', async () => {
    connect.mockRejectedValueOnce(new Error('refused'));

    await expect(container.initialize([Api])).rejects.toThrow('Building token(Database) failed');
    await expect(container.initialize([Api])).resolves.toBeUndefined();
  });
});
