import { beforeEach, describe, expect, it } from 'vitest';
import { type Container, createContainer } from './container.js';
import { Service } from './decorators/service.js';
import { lazy, optional, token } from './dependency.js';

const Port = token<number>('Port');

@Service()
class Clock {
  now() {
    return 7;
  }
}

@Service()
class Greeter {
  static readonly inject = [Clock] as const;
  constructor(readonly clock: Clock) {}
}

let container: Container;
beforeEach(() => {
  container = createContainer();
});

describe('Container.override', () => {
  it('wins over providers registered before and after it', () => {
    container.register(Port, { useValue: 1 }).override(Port, { useValue: 2 });
    expect(container.resolve(Port)).toBe(2);

    container.register(Port, { useValue: 3 });
    expect(container.resolve(Port)).toBe(2);
    expect(container.resolveAll(Port)).toEqual([2]);
  });

  it('never builds the providers that it replaces', async () => {
    const fail = () => {
      throw new Error('built');
    };
    container.override(Port, { useValue: 2 }).register(Port, { useFactory: fail });
    await container.initialize();

    expect(container.resolve(Port)).toBe(2);
  });

  it('reaches dependencies at any depth, and classes that nobody registers', () => {
    const clock = new Clock();
    container.override(Clock, { useValue: clock });

    expect(container.resolve(Greeter).clock).toBe(clock);
    expect(container.createScope().resolve(Greeter).clock).toBe(clock);
  });

  it('reaches parents and children, also their registrations', () => {
    const child = container.createChild().register(Port, { useValue: 1 });
    child.override(Port, { useValue: 2 });

    expect(container.resolve(Port)).toBe(2);
    expect(child.createChild().register(Port, { useValue: 3 }).resolve(Port)).toBe(2);
  });

  it('keeps its singleton when other tokens are registered', () => {
    container.override(Clock, { useFactory: () => new Clock() });
    const clock = container.resolve(Clock);
    container.register(Port, { useValue: 1 }).register(Clock);

    expect(container.resolve(Clock)).toBe(clock);
  });

  it('disposes what it has built', async () => {
    const log: string[] = [];
    const pool = { [Symbol.dispose]: () => log.push('disposed') };
    container.override('pool', { useFactory: () => pool }).resolve('pool');
    await container.dispose();

    expect(log).toEqual(['disposed']);
  });

  it('adds to the providers of its token with `multi`', () => {
    container
      .override('tag', { useValue: 'x' }, { multi: true })
      .override('tag', { useValue: 'y' }, { multi: true })
      .register('tag', { useValue: 'a' })
      .register('tag', { useValue: 'b' }, { multi: true });

    expect(container.resolveAll('tag')).toEqual(['a', 'b', 'x', 'y']);
    expect(container.createChild().resolveAll('tag')).toEqual(['a', 'b', 'x', 'y']);
    expect(container.resolve('tag')).toBe('y');
  });

  it('replaces an earlier override, and collects several with `multi`', () => {
    container
      .override('tag', { useValue: 'x' })
      .override('tag', { useValue: 'y' })
      .override('tag', { useValue: 'z' }, { multi: true })
      .register('tag', { useValue: 'a' });

    expect(container.resolveAll('tag')).toEqual(['y', 'z']);
  });

  it('ends when a snapshot from before it is restored', () => {
    container.register(Port, { useValue: 1 });
    const snapshot = container.snapshot();
    container.override(Port, { useValue: 2 });
    expect(container.resolve(Port)).toBe(2);
    container.restore(snapshot);

    expect(container.resolve(Port)).toBe(1);
  });

  it('refuses an invalid provider or token, and a disposed container', async () => {
    const invalid = { code: 'DI_INVALID_PROVIDER' };
    expect(() => container.override(Port, {} as { useValue: number })).toThrow(
      expect.objectContaining(invalid),
    );
    expect(() => container.override(7 as unknown as string, { useValue: 1 })).toThrow(
      expect.objectContaining(invalid),
    );
    await container.dispose();
    expect(() => container.override(Port, { useValue: 1 })).toThrow(
      expect.objectContaining({ code: 'DI_DISPOSED' }),
    );
  });
});

describe('Container.unusedOverrides', () => {
  const uses: readonly (readonly [string, (container: Container) => unknown])[] = [
    ['is resolved', (used) => used.resolve(Clock)],
    ['is resolved in a scope', (used) => used.createScope().resolve(Clock)],
    ['is resolved in a child', (used) => used.createChild().resolve(Clock)],
    ['is looked up', (used) => used.has(Clock)],
    ['is registered', (used) => used.register(Clock)],
    ['is a dependency of a resolved class', (used) => used.resolve(Greeter)],
    ['is a dependency of a validated class', (used) => used.validate([Greeter])],
    [
      'is a lazy dependency of a validated factory',
      (used) => {
        const inject = [lazy(() => Clock)] as const;
        return used.register('later', { useFactory: (clock) => clock, inject }).validate();
      },
    ],
    [
      'is an optional dependency of a validated factory',
      (used) => {
        const inject = [optional(Clock)] as const;
        return used.register('maybe', { useFactory: (clock) => clock, inject }).validate();
      },
    ],
  ];

  it.each(uses)('does not list a token that %s', (_, use) => {
    container.override(Clock, { useClass: Clock });
    expect(container.unusedOverrides()).toEqual([Clock]);
    use(container);

    expect(container.unusedOverrides()).toEqual([]);
  });

  it('does not list a token that was registered before', () => {
    container.register(Clock).override(Clock, { useClass: Clock });

    expect(container.unusedOverrides()).toEqual([]);
  });

  it('lists a token that is a dependency of unused classes only', () => {
    container.override(Clock, { useClass: Clock }).override(Port, { useValue: 1 });
    container.override(Greeter, { useClass: Greeter });
    container.validate();
    container.resolve(Port);

    expect(container.unusedOverrides()).toEqual([Clock, Greeter]);
  });
});

describe('Container.tokens', () => {
  it('lists registered tokens and classes that were looked up, also of parents', () => {
    const child = container.register(Port, { useValue: 1 }).createChild();
    child.register('x', { useValue: 1 }).register(Port, { useValue: 2 });
    child.resolve(Greeter);

    expect(child.tokens()).toEqual(['x', Port, Greeter, Clock]);
    expect(createContainer().tokens()).toEqual([]);
  });
});
