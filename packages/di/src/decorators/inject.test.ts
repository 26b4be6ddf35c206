import { beforeEach, describe, expect, it } from 'vitest';
import { type Container, createContainer } from '../container.js';
import { all, type Lazy, lazy, optional, token } from '../dependency.js';
import { Inject, InjectAll, Optional } from './inject.js';
import { Service } from './service.js';

@Service()
class Clock {
  now = 7;
}

@Service()
class Greeter {
  constructor(readonly clock: Clock) {}
}

const Port = token<number>('Port');

let container: Container;
beforeEach(() => {
  container = createContainer();
});

describe('@Inject, @Optional and @InjectAll', () => {
  @Service()
  class Server {
    constructor(
      @Inject(Port) readonly port: number,
      @Optional() @Inject('host') readonly host: string = 'localhost',
      @InjectAll('plugin') readonly plugins: string[],
    ) {}
  }

  it('determine what a parameter receives', () => {
    container
      .register(Port, { useValue: 1 })
      .register('plugin', { useValue: 'a' })
      .register('plugin', { useValue: 'b' }, { multi: true });

    expect(container.resolve(Server)).toEqual({ port: 1, host: 'localhost', plugins: ['a', 'b'] });
  });

  it('may be applied after a resolution that failed without them', () => {
    class Late {
      constructor(readonly port: number) {}
    }
    container.register(Port, { useValue: 1 }).register(Late);
    expect(() => container.resolve(Late)).toThrow('constructor parameter 0 is unknown');
    Inject(Port)(Late, undefined, 0);

    expect(container.resolve(Late).port).toBe(1);
  });

  it('keep the default of an optional parameter with a primitive type', () => {
    @Service()
    class Limited {
      constructor(@Optional() readonly limit: number = 10) {}
    }

    expect(container.resolve(Limited).limit).toBe(10);
  });

  it.each([
    ['a union', Object],
    ['an array', Array],
  ])('report an optional parameter whose type is %s as erased', (_type, type) => {
    class Hopes {
      constructor(readonly dep: unknown) {}
    }
    Optional()(Hopes, undefined, 0);
    Reflect.defineMetadata('design:paramtypes', [type], Hopes);
    container.register(Hopes);

    expect(container.validate([Hopes])).toEqual([
      expect.objectContaining({ code: 'DI_ERASED_TYPE', parameter: 0 }),
    ]);
  });

  it('inject an empty array when an optional @InjectAll has no provider', () => {
    @Service()
    class Host {
      constructor(@Optional() @InjectAll('nobody') readonly plugins: string[]) {}
    }

    expect(container.resolve(Host).plugins).toEqual([]);
  });
});

describe('static inject', () => {
  it('declares dependencies without metadata', () => {
    class Report {
      static inject = [Clock, optional(Port), all(Clock), lazy(() => Greeter)] as const;
      constructor(
        readonly clock: Clock,
        readonly port: number | undefined,
        readonly clocks: Clock[],
        readonly greeter: Lazy<Greeter>,
      ) {}
    }
    const report = container.resolve(Report);

    expect(report.port).toBeUndefined();
    expect(report.clocks).toEqual([report.clock]);
    expect(report.greeter.value.clock).toBe(report.clock);
  });
});

describe('inheritance', () => {
  class Base {
    static inject = [Clock] as const;
    constructor(readonly clock: Clock) {}
  }

  it('injects the parameters of the base into a subclass without a constructor', () => {
    @Service()
    class Derived extends Base {}
    @Service()
    class Marked extends Greeter {}

    expect(container.resolve(Derived).clock).toBe(container.resolve(Clock));
    expect(container.resolve(Marked).clock).toBe(container.resolve(Clock));
  });

  it('ignores the parameters of a built-in base', () => {
    @Service()
    class Registry extends Error {}

    expect(container.resolve(Registry).message).toBe('');
  });

  it('does not inherit the definition', () => {
    class Undecorated extends Clock {}

    expect(container.has(Undecorated)).toBe(false);
  });
});

describe('lazy dependencies', () => {
  it('let two classes depend on each other', () => {
    @Service()
    class Parent {
      constructor(@Inject(lazy(() => Child)) readonly child: Lazy<Child>) {}
    }
    @Service()
    class Child {
      constructor(readonly parent: Parent) {}
    }
    const parent = container.resolve(Parent);

    expect(parent.child.value.parent).toBe(parent);
    expect(parent.child.value).toBe(container.resolve(Child));
  });
});
