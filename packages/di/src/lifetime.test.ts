import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Container, createContainer } from './container.js';
import { all, type Lazy, lazy } from './dependency.js';
import { AsyncDisposalError, DisposedError } from './errors/injection-errors.js';

let container: Container;
let log: string[];

class Pool {
  [Symbol.dispose]() {
    log.push('pool');
  }
}

class Store {
  static inject = [Pool] as const;
  constructor(readonly pool: Pool) {}
  async [Symbol.asyncDispose]() {
    log.push('store');
  }
}

class Broken {
  [Symbol.dispose]() {
    log.push('broken');
    throw new Error('stuck');
  }
}

beforeEach(() => {
  log = [];
  container = createContainer().register(Pool).register(Store).register(Broken);
});

describe('Container.dispose', () => {
  it('disposes instances, newest first', async () => {
    container.resolve(Store);
    await container.dispose();

    expect(log).toEqual(['store', 'pool']);
  });

  it('disposes nothing when nothing was built', async () => {
    await container.dispose();

    expect(log).toEqual([]);
  });

  it('does not dispose registered values or transients', async () => {
    container
      .register('value', { useValue: new Pool() })
      .register('transient', { useClass: Pool }, { scope: 'transient' });
    container.resolve('value');
    container.resolve('transient');
    await container.dispose();

    expect(log).toEqual([]);
  });

  describe('leaves an instance that a factory passes on to its owner:', () => {
    const passOn = { useFactory: (pool: unknown) => pool, inject: [Pool] };

    it('a singleton, from a request-scoped factory', async () => {
      container.register('own', passOn, { scope: 'request' });
      for (const scope of [container.createScope(), container.createScope()]) {
        scope.resolve('own');
        await scope[Symbol.asyncDispose]();
      }
      expect(log).toEqual([]);
      await container.dispose();

      expect(log).toEqual(['pool']);
    });

    it('one of the parent, from a factory of a child', async () => {
      const child = container.createChild().register('own', passOn);
      child.resolve('own');
      await child.dispose();
      expect(log).toEqual([]);
      await container.dispose();

      expect(log).toEqual(['pool']);
    });

    it('one that is injected later, or with others, into an asynchronous factory', async () => {
      const child = container
        .createChild()
        .register('lazy', {
          useFactory: async (pool: Lazy<Pool>) => pool.value,
          inject: [lazy(() => Pool)],
        })
        .register('all', { useFactory: async ([pool]: Pool[]) => pool, inject: [all(Pool)] })
        .register('many', passOn, { multi: true });
      await child.resolveAsync('lazy');
      await child.resolveAsync('all');
      child.resolveAll('many');
      await child.dispose();

      expect(log).toEqual([]);
    });

    it('a value', async () => {
      const scoped = container
        .register('value', { useValue: new Pool() })
        .register('own', { useFactory: (value: unknown) => value, inject: ['value'] })
        .register('request', { useFactory: () => new Pool() }, { scope: 'request' })
        .register(
          'scoped',
          { useFactory: (value: unknown) => value, inject: ['request'] },
          { scope: 'request' },
        );
      scoped.resolve('own');
      const scope = container.createScope().register('request', { useValue: new Pool() });
      scope.resolve('scoped');
      await scope[Symbol.asyncDispose]();
      await container.dispose();

      expect(log).toEqual([]);
    });

    it('but disposes a transient that a singleton keeps', async () => {
      container
        .register('transient', { useClass: Pool }, { scope: 'transient' })
        .register('own', { useFactory: (pool: unknown) => pool, inject: ['transient'] });
      container.resolve('own');
      await container.dispose();

      expect(log).toEqual(['pool']);
    });
  });

  it('waits for Symbol.dispose that returns a promise, and throws what it rejects with', async () => {
    container.register('async', {
      useFactory: () => ({ [Symbol.dispose]: async () => Promise.reject(new Error('stuck')) }),
    });
    container.resolve('async');
    const error = await container.dispose().catch((reason) => reason);

    expect(error.errors).toEqual([new Error('stuck')]);
  });

  it('disposes all instances despite failures, and throws one AggregateError', async () => {
    container.resolve(Pool);
    container.resolve(Broken);
    container.resolve(Store);
    const error = await container.dispose().catch((reason) => reason);

    expect(log).toEqual(['store', 'broken', 'pool']);
    expect(error).toBeInstanceOf(AggregateError);
    expect(error.errors).toEqual([new Error('stuck')]);
  });

  it('disposes instances only once when called several times', async () => {
    container.resolve(Store);
    await Promise.all([container.dispose(), container.dispose()]);
    await container[Symbol.asyncDispose]();

    expect(log).toEqual(['store', 'pool']);
  });

  it('disposes an instance shared by two tokens only once', async () => {
    container.register('pool', { useFactory: (pool) => pool, inject: [Pool] });
    container.resolve('pool');
    await container.dispose();

    expect(log).toEqual(['pool']);
  });

  it('waits for a running build and disposes its instance', async () => {
    container.register('async', { useFactory: async () => new Pool() });
    const resolving = container.resolveAsync('async');
    const disposing = container.dispose();

    await expect(resolving).rejects.toThrow(DisposedError);
    await disposing;
    expect(log).toEqual(['pool']);
  });

  it('disposes instances of replaced providers', async () => {
    container.resolve(Pool);
    container.register(Pool);
    container.resolve(Pool);
    await container.dispose();

    expect(log).toEqual(['pool', 'pool']);
  });

  it('throws on resolving and registering afterwards', async () => {
    container.resolve(Pool);
    await container.dispose();

    expect(() => container.resolve(Pool)).toThrow(DisposedError);
    expect(() => container.register(Pool)).toThrow(DisposedError);
    await expect(container.resolveAsync(Pool)).rejects.toThrow(DisposedError);
  });
});

describe('a lazy handle that outlives its container', () => {
  it('throws DisposedError, even when the singleton is deeper in the graph', async () => {
    class Outer {
      static inject = [lazy(() => Store)] as const;
      constructor(readonly store: Lazy<Store>) {}
    }
    container.register(Outer).register(Store, { useClass: Store }, { scope: 'transient' });
    const outer = container.resolve(Outer);
    await container.dispose();

    expect(() => outer.store.value).toThrow(DisposedError);
  });
});

describe('an instance with both kinds of disposal', () => {
  class Both {
    [Symbol.dispose]() {
      log.push('disposed synchronously');
    }
    async [Symbol.asyncDispose]() {
      log.push('disposed asynchronously');
    }
  }

  it('is disposed as its container is', async () => {
    container.register(Both).resolve(Both);
    await container.dispose();
    const other = createContainer().register(Both);
    other.resolve(Both);
    other[Symbol.dispose]();

    expect(log).toEqual(['disposed asynchronously', 'disposed synchronously']);
  });
});

describe('Container[Symbol.dispose]', () => {
  it('disposes synchronously disposable instances', () => {
    container.resolve(Pool);
    container[Symbol.dispose]();
    container[Symbol.dispose]();

    expect(log).toEqual(['pool']);
    expect(() => container.resolve(Pool)).toThrow(DisposedError);
  });

  it('throws, and disposes nothing, when an instance needs asynchronous disposal', () => {
    container.resolve(Store);

    const dispose = () => container[Symbol.dispose]();
    expect(dispose).toThrow(AsyncDisposalError);
    expect(dispose).toThrow('Store');
    expect(log).toEqual([]);
    expect(container.resolve(Store)).toBeInstanceOf(Store);
  });

  it('throws while a build is running, and names its token', async () => {
    container.register('async', { useFactory: async () => 1 });
    const resolving = container.resolveAsync('async');

    expect(() => container[Symbol.dispose]()).toThrow(AsyncDisposalError);
    expect(() => container[Symbol.dispose]()).toThrow("Cannot dispose 'async' synchronously");
    await resolving;
  });

  it.each([
    ['has created an instance', async () => new Pool(), ['pool']],
    ['has failed', () => Promise.reject(new Error('refused')), []],
  ])(
    'disposes synchronously after an asynchronous build %s',
    async (_how, useFactory, disposed) => {
      container.register('async', { useFactory });
      await Promise.allSettled([container.resolveAsync('async')]);
      container[Symbol.dispose]();

      expect(log).toEqual(disposed);
    },
  );

  it('throws for Symbol.dispose that returns a promise, and warns of what it rejects with', async () => {
    const warned = once(process, 'warning');
    container.register('async', {
      useFactory: () => ({ [Symbol.dispose]: async () => Promise.reject(new Error('stuck')) }),
    });
    container.resolve(Pool);
    container.resolve('async');

    expect(() => container[Symbol.dispose]()).toThrow(
      expect.objectContaining({
        errors: [expect.objectContaining({ code: 'DI_ASYNC_DISPOSAL' })],
      }),
    );
    expect(log).toEqual(['pool']);
    expect(await warned).toEqual([new Error('stuck')]);
  });

  it('disposes all instances despite failures, and throws one AggregateError', () => {
    container.resolve(Pool);
    container.resolve(Broken);

    expect(() => container[Symbol.dispose]()).toThrow(AggregateError);
    expect(log).toEqual(['broken', 'pool']);
  });
});
