import { beforeEach, describe, expect, it } from 'vitest';
import { locationAfter } from '../test/location.js';
import { resolveError } from '../test/resolve-error.js';
import { type Container, createContainer } from './container.js';
import { Inject } from './decorators/inject.js';
import { Service } from './decorators/service.js';
import { type Lazy, lazy, token } from './dependency.js';
import {
  CapturedScopeError,
  DisposedError,
  InvalidProviderError,
  OutOfScopeError,
} from './errors/injection-errors.js';

const RequestId = token<string>('RequestId');

@Service({ scope: 'request' })
class Audit {
  constructor(@Inject(RequestId) readonly requestId: string) {}
}

@Service({ scope: 'transient' })
class Handler {
  constructor(
    readonly audit: Audit,
    @Inject(lazy(() => Audit)) readonly later: Lazy<Audit>,
  ) {}
}

@Service()
class Shared {}

let container: Container;
beforeEach(() => {
  container = createContainer().register(
    RequestId,
    { useFactory: () => 'made by the factory' },
    { scope: 'request' },
  );
});

describe('a request scope', () => {
  it('returns one instance per scope', () => {
    const scope = container.createScope();
    const other = container.createScope();

    expect(scope.resolve(Audit)).toBe(scope.resolve(Audit));
    expect(scope.resolve(Audit)).not.toBe(other.resolve(Audit));
  });

  it('shares the singletons of its container', () => {
    const scope = container.createScope();

    expect(scope.resolve(Shared)).toBe(container.resolve(Shared));
  });

  it('injects its instances into transients, also through lazy handles', () => {
    const scope = container.createScope();
    const handler = scope.resolve(Handler);

    expect(scope.resolve(Handler)).not.toBe(handler);
    expect(handler.audit).toBe(scope.resolve(Audit));
    expect(handler.later.value).toBe(handler.audit);
  });

  it('accepts its own values for request-scoped tokens', () => {
    const scope = container.createScope();
    scope.register(RequestId, { useValue: 'r-1' });

    expect(scope.resolve(Audit).requestId).toBe('r-1');
    expect(container.createScope().resolve(Audit).requestId).toBe('made by the factory');
  });

  it('rejects a value for a token that is not request-scoped', () => {
    const scope = container.createScope();

    expect(() => scope.register(Shared, { useValue: new Shared() })).toThrow(InvalidProviderError);
  });

  it('builds an asynchronous instance once per scope', async () => {
    container.register('user', { useFactory: async () => ({}) }, { scope: 'request' });
    const scope = container.createScope();
    const [first, second] = await Promise.all([
      scope.resolveAsync('user'),
      scope.resolveAsync('user'),
    ]);

    expect(first).toBe(second);
    expect(scope.resolve('user')).toBe(first);
    expect(await container.createScope().resolveAsync('user')).not.toBe(first);
  });

  it('disposes its instances and cannot resolve anything afterwards', async () => {
    const log: string[] = [];
    class Transaction {
      async [Symbol.asyncDispose]() {
        log.push('rolled back');
      }
    }
    container.register(Transaction, { useClass: Transaction }, { scope: 'request' });
    const scope = container.createScope();
    scope.resolve(Transaction);
    await scope[Symbol.asyncDispose]();

    expect(log).toEqual(['rolled back']);
    expect(() => scope.resolve(Shared)).toThrow(DisposedError);
    expect(container.resolve(Shared)).toBeInstanceOf(Shared);
  });

  it('disposes its instances synchronously', () => {
    const log: string[] = [];
    class Transaction {
      [Symbol.dispose]() {
        log.push('rolled back');
      }
    }
    container.register(Transaction, { useClass: Transaction }, { scope: 'request' });
    const scope = container.createScope();
    scope.resolve(Transaction);
    scope[Symbol.dispose]();

    expect(log).toEqual(['rolled back']);
    expect(() => scope.resolve(Shared)).toThrow(DisposedError);
  });

  it('rejects an instance that is built after its disposal has begun', async () => {
    container.register('user', { useFactory: async () => ({}) }, { scope: 'request' });
    const scope = container.createScope();
    const resolving = scope.resolveAsync('user');
    const disposing = scope[Symbol.asyncDispose]();

    await expect(resolving).rejects.toThrow(DisposedError);
    await disposing;
  });

  it('cannot resolve anything after its container is disposed', async () => {
    const scope = container.createScope();
    await container.dispose();

    expect(() => scope.resolve(Shared)).toThrow(DisposedError);
  });
});

describe('a request-scoped token outside a scope', () => {
  it('throws with the path to it', () => {
    const resolve = () => container.resolve(Handler);

    expect(resolve).toThrow(OutOfScopeError);
    expect(resolve).toThrow('Path: Handler → Audit');
  });

  it('throws with the place where its class is decorated', () => {
    const location = locationAfter(import.meta.url, "@Service({ scope: 'request' })");
    const [file, line] = location.split(':');

    expect(() => container.resolve(Audit)).toThrow(`\n  At: ${file}:${line}:2\n`);
  });
});

describe('a singleton that would capture a request-scoped instance', () => {
  it('is no class with methods if a factory creates it', () => {
    @Service({ scope: 'request' })
    class Visit {}
    const container = createContainer();
    container.register('read', { useFactory: (visit: Visit) => () => visit, inject: [Visit] });

    expect(() => container.resolve('read')).toThrow(
      /Fix: set the scope of 'read' to 'request' or 'transient'\.$/,
    );
  });

  @Service()
  class Cache {
    constructor(readonly handler: Handler) {}
  }

  it('throws, even in a scope', () => {
    const resolve = () => container.createScope().resolve(Cache);

    expect(resolve).toThrow(CapturedScopeError);
    expect(resolve).toThrow('The singleton Cache would capture Audit');
    expect(resolve).toThrow('Path: Cache → Handler → Audit');
    expect(resolve).toThrow(/\n {2}At: src\/scope\.test\.ts:\d+:4\n/);
  });

  it('throws the same error after the transients between them were planned', () => {
    @Service({ scope: 'transient' })
    class Page {
      constructor(
        readonly shared: Shared,
        readonly handler: Handler,
      ) {}
    }
    @Service()
    class PageCache {
      constructor(readonly page: Page) {}
    }
    @Service()
    class AuditLog {
      constructor(readonly audit: Audit) {}
    }
    container.createScope().resolve(Page);

    expect(resolveError(container, Cache)).toMatchObject({
      name: 'CapturedScopeError',
      path: [Cache, Handler, Audit],
    });
    expect(resolveError(container, PageCache)).toMatchObject({
      name: 'CapturedScopeError',
      path: [PageCache, Page, Handler, Audit],
    });
    expect(resolveError(container, AuditLog)).toMatchObject({
      name: 'CapturedScopeError',
      path: [AuditLog, Audit],
    });
  });
});
