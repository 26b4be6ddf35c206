import { beforeEach, describe, expect, it } from 'vitest';
import { type Container, createContainer } from './container.js';
import { Inject } from './decorators/inject.js';
import { Service } from './decorators/service.js';
import { token } from './dependency.js';
import { DisposedError, InvalidProviderError } from './errors/injection-errors.js';

const SERVICE: unique symbol = Symbol.for('fairlead:service');

const Level = token<string>('Level');

@Service()
class Logger {
  constructor(@Inject(Level) readonly level: string) {}
}

const fake = { level: 'fake' };

let parent: Container;
beforeEach(() => {
  parent = createContainer().register(Level, { useValue: 'info' });
});

describe('a child container', () => {
  it('sees the providers and singletons of its parent', () => {
    const child = parent.createChild();

    expect(child.has(Level)).toBe(true);
    expect(child.resolve(Logger)).toBe(parent.resolve(Logger));
  });

  it('can override providers without changing its parent', () => {
    const child = parent.createChild().register(Level, { useValue: 'debug' });

    expect(child.resolve(Level)).toBe('debug');
    expect(parent.resolve(Level)).toBe('info');
  });

  it('applies its providers to what it builds, but not to the singletons that its parent registers', () => {
    const child = parent.createChild().register(Level, { useValue: 'debug' });
    expect(child.resolve(Logger).level).toBe('debug');
    parent.register(Logger);
    expect(child.resolve(Logger).level).toBe('info');
    child.register(Logger);

    expect(child.resolve(Logger).level).toBe('debug');
    expect(parent.resolve(Logger).level).toBe('info');
  });

  it('sees providers that its parent registers later', () => {
    const child = parent.createChild();
    expect(child.resolve(Level)).toBe('info');
    parent.register(Level, { useValue: 'error' });

    expect(child.resolve(Level)).toBe('error');
  });

  it('hides all providers of a token in its parent', () => {
    const child = parent.createChild().register(Level, { useValue: 'debug' }, { multi: true });

    expect(child.resolveAll(Level)).toEqual(['debug']);
  });

  it('is disposed without its parent, and cannot be used after its parent is disposed', async () => {
    const [first, second] = [parent.createChild(), parent.createChild()];
    await first.dispose();
    expect(second.resolve(Level)).toBe('info');
    await parent.dispose();

    expect(() => second.resolve(Level)).toThrow(DisposedError);
  });
});

describe('registerDefault', () => {
  class Plain {
    readonly level: string = 'plain';
  }

  it('registers a class once, and for each child that asks for it', () => {
    const instance = parent.registerDefault(Plain).registerDefault(Plain).resolve(Plain);
    const child = parent.createChild();
    expect([parent.resolve(Plain), child.resolve(Plain)]).toEqual([instance, instance]);
    const own = child.registerDefault(Plain).resolve(Plain);

    expect(own).toBeInstanceOf(Plain);
    expect(own).not.toBe(instance);
    expect(parent.resolve(Plain)).toBe(instance);
  });

  it('keeps the instance of a class that needs no registration', () => {
    const logger = parent.resolve(Logger);

    expect(parent.registerDefault(Logger).resolve(Logger)).toBe(logger);
    expect(parent.createChild().registerDefault(Logger).resolve(Logger)).not.toBe(logger);
  });

  it.each([
    ['is registered in a parent', (all: Container) => all.register(Plain, { useValue: fake })],
    ['is overridden', (all: Container) => all.override(Plain, { useValue: fake })],
  ])('changes nothing for a class that %s', (_name, register) => {
    register(parent);

    expect(parent.createChild().registerDefault(Plain).resolve(Plain)).toBe(fake);
  });

  it('gives way to a later registration', () => {
    const child = parent.createChild().registerDefault(Plain).register(Plain, { useValue: fake });

    expect(child.resolve(Plain)).toBe(fake);
  });

  it('lets children build the class from their own providers', () => {
    class Users {
      constructor(@Inject(Level) readonly level: string) {}
    }
    parent.registerDefault(Users);
    const child = parent.createChild().register(Level, { useValue: 'debug' });

    expect([parent.resolve(Users).level, child.resolve(Users).level]).toEqual(['info', 'debug']);
  });

  it('fails in a disposed container', async () => {
    await parent.dispose();

    expect(() => parent.registerDefault(Plain)).toThrow(DisposedError);
  });

  it('rejects what is not a class', () => {
    expect(() => parent.registerDefault((() => 1) as never)).toThrow(InvalidProviderError);
  });
});

describe('snapshot and restore', () => {
  it('restore the registered providers', () => {
    const snapshot = parent.snapshot();
    parent.register(Level, { useValue: 'debug' }).register('extra', { useValue: 1 });
    parent.restore(snapshot);

    expect(parent.resolve(Level)).toBe('info');
    expect(parent.has('extra')).toBe(false);
  });

  it('drop singletons built in between', () => {
    const snapshot = parent.snapshot();
    parent.register(Level, { useValue: 'debug' });
    expect(parent.resolve(Logger).level).toBe('debug');
    parent.restore(snapshot);

    expect(parent.resolve(Logger).level).toBe('info');
  });

  it('keep singletons built before', () => {
    const logger = parent.resolve(Logger);
    const snapshot = parent.snapshot();
    parent.register(Logger);
    expect(parent.resolve(Logger)).not.toBe(logger);
    parent.restore(snapshot);

    expect(parent.resolve(Logger)).toBe(logger);
  });

  it('discard singletons that were built in between', () => {
    parent.register(Logger);
    const snapshot = parent.snapshot();
    parent.register(Level, { useValue: 'debug' });
    expect(parent.resolve(Logger).level).toBe('debug');
    parent.restore(snapshot);

    expect(parent.resolve(Logger).level).toBe('info');
  });

  it('work more than once', () => {
    const snapshot = parent.snapshot();
    parent.register(Level, { useValue: 'one' });
    parent.restore(snapshot);
    parent.register(Level, { useValue: 'two' });
    parent.restore(snapshot);

    expect(parent.resolveAll(Level)).toEqual(['info']);
  });
});

it('builds a subclass of a class that another package marks as a service, and needs no registration', () => {
  class Marked {
    static readonly inject = [] as const;
    static readonly [SERVICE] = true;
    readonly port = 80;
  }
  class Settings extends Marked {}
  class Plain extends Logger {}

  const container = createContainer();
  expect(container.resolve(Settings)).toBeInstanceOf(Settings);
  expect(container.resolve(Settings)).toBe(container.resolve(Settings));
  expect(container.has(Plain)).toBe(false);
});
