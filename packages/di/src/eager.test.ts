import { beforeEach, describe, expect, it } from 'vitest';
import { type Container, createContainer } from './container.js';
import { Inject } from './decorators/inject.js';
import { isEager, Service } from './decorators/service.js';
import { InvalidProviderError } from './errors/injection-errors.js';

let container: Container;
let log: string[];

class Clock {
  constructor() {
    log.push('clock');
  }
}

@Service({ eager: true })
class Worker {
  static readonly inject = [Clock] as const;
  constructor(readonly clock: Clock) {
    log.push('worker');
  }
  [Symbol.dispose]() {
    log.push('worker stopped');
  }
}

@Service()
class Idle {
  constructor() {
    log.push('idle');
  }
}

class Root {
  static readonly inject = [Worker, Idle] as const;
  constructor(
    readonly worker: Worker,
    readonly idle: Idle,
  ) {}
}

const eager = { eager: true };

beforeEach(() => {
  log = [];
  container = createContainer().register(Clock);
});

describe('Container.initialize', () => {
  it('builds registered eager classes and factories, each after its dependencies', async () => {
    container
      .register(Worker)
      .register(Idle)
      .register('poll', { useFactory: async () => log.push('poll'), inject: [] }, eager)
      .register('by option', { useClass: Idle }, eager);
    await container.initialize();

    expect(log).toEqual(['clock', 'worker', 'poll', 'idle']);
  });

  it('builds an eager class that a root depends on, and no other class', async () => {
    container.register('root', { useClass: Root });
    await container.initialize(['root']);

    expect(log).toEqual(['clock', 'worker']);
  });

  it('builds an eager singleton once', async () => {
    await container.initialize([Worker]);
    container.resolve(Worker);
    await container.initialize([Worker]);

    expect(log).toEqual(['clock', 'worker']);
  });

  it('rejects when an eager constructor throws', async () => {
    class Broken {
      constructor() {
        throw new Error('no queue');
      }
    }
    container.register(Broken, { useClass: Broken }, eager);

    await expect(container.initialize()).rejects.toMatchObject({ code: 'DI_CONSTRUCTION_FAILED' });
  });

  it('builds instances that the container disposes', async () => {
    await container.register(Worker).initialize();
    await container.dispose();

    expect(log).toEqual(['clock', 'worker', 'worker stopped']);
  });
});

describe('Container.eagerTokens', () => {
  it('lists eager tokens of the container and its parents', () => {
    const child = container.register(Worker).register(Idle).createChild();
    child.register('poll', { useFactory: () => 1 }, eager);

    expect(child.eagerTokens()).toEqual(['poll', Worker]);
    expect(container.eagerTokens()).toEqual([Worker]);
  });

  it('does not list a token whose provider was replaced', () => {
    container.register(Worker).register(Worker, { useValue: new Worker(new Clock()) });

    expect(container.eagerTokens()).toEqual([]);
  });

  it('does not list a class that the option makes lazy', () => {
    container.register(Worker, { useClass: Worker }, { eager: false });

    expect(container.eagerTokens()).toEqual([]);
  });
});

describe('Container.classesOf', () => {
  it('lists the classes that roots need, each once, and constructs nothing', () => {
    container
      .register('idle', { useClass: Idle })
      .register('made', { useFactory: (worker) => worker, inject: [Worker] })
      .register('same', { useExisting: 'idle' });

    expect(container.classesOf(['same', 'made', Root])).toEqual([Root, Idle, Worker, Clock]);
    expect(log).toEqual([]);
  });
});

describe('Container.instancesOf', () => {
  it('lists the shared instances that roots need and that exist, each once, and constructs nothing', () => {
    const value = {};
    container
      .register('value', { useValue: value })
      .register('same', { useExisting: 'value' })
      .register('made', {
        useFactory: (...all) => all,
        inject: ['value', 'same', Worker],
      });
    expect(container.instancesOf(['made'])).toEqual([value]);
    expect(log).toEqual([]);
    const made = container.resolve('made');
    const instances = container.instancesOf(['made']);
    expect(instances[0]).toBe(made);
    expect(new Set(instances)).toEqual(
      new Set([made, value, container.resolve(Worker), container.resolve(Clock)]),
    );
  });
});

describe('isEager', () => {
  it('is true for a class with the option, and not for its subclasses', () => {
    class Sub extends Worker {}

    expect([Worker, Idle, Clock, Sub].map(isEager)).toEqual([true, false, false, false]);
  });
});

describe('eager', () => {
  const message = (scope: string) => `must be a singleton, but its scope is '${scope}'.`;

  it.each(['request', 'transient'] as const)('is refused with the scope %s', (scope) => {
    const options = { scope, eager: true };

    expect(() => container.register('x', { useClass: Idle }, options)).toThrow(message(scope));
    expect(() => container.register('x', { useFactory: () => 1 }, options)).toThrow(message(scope));
    expect(() => Service(options)(Clock)).toThrow(message(scope));
  });

  it('is refused for a class that is eager by decorator and transient by option', () => {
    const register = () => container.register('x', { useClass: Worker }, { scope: 'transient' });

    expect(register).toThrow(message('transient'));
    expect(register).toThrow("Fix: remove eager, or set the scope to 'singleton'.");
  });

  it('is refused for a class that is request-scoped by decorator', () => {
    @Service({ scope: 'request' })
    class Audit {
      constructor(@Inject('x') readonly x: unknown) {}
    }

    expect(() => container.register(Audit, { useClass: Audit }, eager)).toThrow(message('request'));
  });

  it.each([
    ['useValue', { useValue: 1 }],
    ['useExisting', { useExisting: Clock }],
  ])('is refused for %s, which creates no instance', (kind, provider) => {
    const register = () => container.register('x', provider, eager);

    expect(register).toThrow(InvalidProviderError);
    expect(register).toThrow(`${kind} takes no eager because it creates no instance`);
  });

  it('is refused when it is not a boolean', () => {
    const options = { eager: 'yes' as unknown as boolean };

    expect(() => container.register('x', { useClass: Idle }, options)).toThrow(
      "must be true or false: got 'yes'.",
    );
  });
});
