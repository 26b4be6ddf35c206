import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Container, createContainer } from './container.js';
import { Inject } from './decorators/inject.js';
import { Service } from './decorators/service.js';
import { token } from './dependency.js';
import { InvalidProviderError } from './errors/injection-errors.js';

@Service()
class Clock {
  now = 7;
}

@Service()
class Greeter {
  constructor(readonly clock: Clock) {}
}

@Service({ scope: 'transient' })
class Note {
  constructor(readonly greeter: Greeter) {}
}

const Port = token<number>('Port');

let container: Container;
beforeEach(() => {
  container = createContainer();
});

describe('Container.resolve', () => {
  it('builds a class with the instances of its parameters', () => {
    const greeter = container.resolve(Greeter);

    expect(greeter).toBeInstanceOf(Greeter);
    expect(greeter.clock).toBe(container.resolve(Clock));
  });

  it('returns the same singleton and a new transient each time', () => {
    expect(container.resolve(Greeter)).toBe(container.resolve(Greeter));
    expect(container.resolve(Note)).not.toBe(container.resolve(Note));
    expect(container.resolve(Note).greeter).toBe(container.resolve(Greeter));
  });

  it('shares no instance with another container', () => {
    expect(createContainer().resolve(Clock)).not.toBe(container.resolve(Clock));
  });

  it('resolves each kind of provider', () => {
    container
      .register(Port, { useValue: 8080 })
      .register('url', { useFactory: (port) => `http://localhost:${port}`, inject: [Port] })
      .register('clock', { useClass: Clock })
      .register('same clock', { useExisting: 'clock' });

    expect(container.resolve('url')).toBe('http://localhost:8080');
    expect(container.resolve('clock')).toBeInstanceOf(Clock);
    expect(container.resolve('same clock')).toBe(container.resolve('clock'));
    expect(container.resolve('clock')).not.toBe(container.resolve(Clock));
  });

  it('returns falsy values, including undefined', () => {
    container.register('none', { useValue: undefined }).register('zero', { useValue: 0 });

    expect(container.resolve('none')).toBeUndefined();
    expect(container.resolve('zero')).toBe(0);
  });

  it('builds a registered class without a decorator', () => {
    class Plain {}

    expect(container.register(Plain).resolve(Plain)).toBeInstanceOf(Plain);
  });
});

describe('Container.isBuilt', () => {
  it.each<[string, (container: Container) => unknown, boolean]>([
    ['a value', (all) => all.register('token', { useValue: 1 }), true],
    ['a singleton', (all) => all.register('token', { useClass: Clock }), false],
    [
      'a singleton that was resolved',
      (all) => all.register('token', { useClass: Clock }).resolve('token'),
      true,
    ],
    [
      'an alias of one that was resolved',
      (all) =>
        all
          .register('token', { useExisting: 'other' })
          .register('other', { useClass: Clock })
          .resolve('other'),
      true,
    ],
    [
      'a transient that was resolved',
      (all) => all.register('token', { useClass: Clock }, { scope: 'transient' }).resolve('token'),
      false,
    ],
    ['a token that nothing provides', () => {}, false],
  ])('tells of %s whether its instance exists', (_name, prepare, built) => {
    prepare(container);

    expect(container.isBuilt('token')).toBe(built);
  });
});

describe('Container.isShared', () => {
  it.each<[string, (container: Container) => unknown, boolean]>([
    ['a value', (all) => all.register('token', { useValue: 1 }), true],
    ['a singleton', (all) => all.register('token', { useClass: Clock }), true],
    [
      'a transient',
      (all) => all.register('token', { useClass: Clock }, { scope: 'transient' }),
      false,
    ],
    [
      'a request-scoped token',
      (all) => all.register('token', { useFactory: () => 1 }, { scope: 'request' }),
      false,
    ],
    ['a token that nothing provides', () => {}, false],
    [
      'an alias of a singleton',
      (all) =>
        all.register('token', { useExisting: 'other' }).register('other', { useClass: Clock }),
      true,
    ],
    [
      'an alias of a transient',
      (all) =>
        all
          .register('token', { useExisting: 'other' })
          .register('other', { useClass: Clock }, { scope: 'transient' }),
      false,
    ],
    ['an alias of itself', (all) => all.register('token', { useExisting: 'token' }), false],
  ])('tells of %s whether it is', (_name, register, shared) => {
    register(container);

    expect([container.isShared('token'), container.createChild().isShared('token')]).toEqual([
      shared,
      shared,
    ]);
  });

  it('follows an alias of the parent in the container that is asked', () => {
    container.register('token', { useExisting: 'other' }).register('other', { useValue: 1 });
    const child = container.createChild();
    child.register('other', { useFactory: () => ({}) }, { scope: 'transient' });

    expect([child.isShared('token'), container.isShared('token')]).toEqual([false, true]);
  });

  it('builds nothing', () => {
    const useFactory = vi.fn(() => 1);
    container.register('token', { useFactory });

    expect(container.isShared('token')).toBe(true);
    expect(useFactory).not.toHaveBeenCalled();
  });
});

describe('Container.register', () => {
  it('replaces the earlier provider and the singleton built from it', () => {
    container.register(Port, { useValue: 1 });
    expect(container.resolve(Port)).toBe(1);
    container.register(Port, { useValue: 2 });

    expect(container.resolve(Port)).toBe(2);
    expect(container.resolveAll(Port)).toEqual([2]);
  });

  it('rebuilds transients with the replaced dependency', () => {
    const Temperature = token<number>('Temperature');
    @Service({ scope: 'transient' })
    class Display {
      constructor(@Inject(Temperature) readonly degrees: number) {}
    }
    container.register(Temperature, { useValue: 20 });
    expect(container.resolve(Display).degrees).toBe(20);
    container.register(Temperature, { useValue: 30 });

    expect(container.resolve(Display).degrees).toBe(30);
  });

  it('resolves the last of several providers, and all of them in order', () => {
    container
      .register(Port, { useValue: 1 }, { multi: true })
      .register(Port, { useFactory: () => 2 }, { multi: true });

    expect(container.resolve(Port)).toBe(2);
    expect(container.resolveAll(Port)).toEqual([1, 2]);
  });

  it('injects the last of several providers', () => {
    @Service()
    class Server {
      constructor(@Inject(Port) readonly port: number) {}
    }
    container
      .register(Port, { useValue: 1 }, { multi: true })
      .register(Port, { useValue: 2 }, { multi: true });

    expect(container.resolve(Server).port).toBe(2);
  });

  it('overrides the scope of a decorated class', () => {
    container.register(Clock, { useClass: Clock }, { scope: 'transient' });

    expect(container.resolve(Clock)).not.toBe(container.resolve(Clock));
  });

  it.each([
    ['no kind', {}, 'the provider has none of useValue, useClass, useFactory, useExisting'],
    ['two kinds', { useValue: 1, useClass: Clock }, 'the provider has useValue and useClass'],
    ['an arrow function as its class', { useClass: () => 1 }, 'useClass is not a class'],
    ['a number as its factory', { useFactory: 1 }, 'useFactory is not a function'],
    ['a number as inject', { useFactory: () => 1, inject: 1 }, 'inject is not an array'],
    ['an undefined dependency', { useFactory: () => 1, inject: [undefined] }, 'entry 0 of inject'],
    ['an undefined alias', { useExisting: undefined }, 'useExisting is not a token'],
    ['null instead of an object', null, 'the provider is null instead of an object'],
  ])('rejects a provider with %s', (_name, provider, message) => {
    const register = () => container.register(Port, provider as never);

    expect(register).toThrow(InvalidProviderError);
    expect(register).toThrow(message);
  });

  it('rejects a scope that does not exist or does not apply', () => {
    const provider = { useValue: 1 };

    expect(() => container.register(Port, provider, { scope: 'forever' as never })).toThrow(
      "scope of container.register() must be 'singleton', 'transient' or 'request': got 'forever'.",
    );
    expect(() => container.register(Port, provider, { scope: 'request' })).toThrow(
      'useValue takes no scope',
    );
    expect(() =>
      container.register(Port, { useExisting: token<number>('Other') }, { scope: 'transient' }),
    ).toThrow('useExisting takes no scope');
  });

  it('rejects an invalid token', () => {
    expect(() => container.register(undefined as never)).toThrow(InvalidProviderError);
  });
});
