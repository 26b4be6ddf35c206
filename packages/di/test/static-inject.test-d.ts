import { describe, expectTypeOf, it } from 'vitest';
import {
  all,
  type Constructor,
  container,
  Inject,
  InjectAll,
  type Lazy,
  lazy,
  optional,
  Repository,
  Service,
  type Token,
  token,
} from '../src/index.js';

class Clock {
  now() {
    return 0;
  }
}
class Mailer {
  send(text: string) {
    return text;
  }
}
class Rows<Row> {
  readonly rows: Row[] = [];
  add(row: Row) {
    this.rows.push(row);
  }
}
abstract class Store {
  abstract find(id: string): string;
}
class Pool {
  private constructor(readonly url: string) {}
  static open() {
    return new Pool('');
  }
}
const Url = token<string>('Url');

class Reports {
  static inject = [Mailer, Clock] as const;
  constructor(
    readonly mailer: Mailer,
    readonly clock: Clock,
  ) {}
}
class Swapped {
  static inject = [Clock, Mailer] as const;
  constructor(
    readonly mailer: Mailer,
    readonly clock: Clock,
  ) {}
}
class Short {
  static inject = [Mailer] as const;
  constructor(
    readonly mailer: Mailer,
    readonly clock: Clock,
  ) {}
}
class Maybe {
  static inject = [optional(Mailer)] as const;
  constructor(readonly mailer: Mailer) {}
}
class Nested {
  static inject = [Swapped] as const;
  constructor(readonly swapped: Swapped) {}
}
class Untyped {
  static inject = [Clock, Mailer];
  constructor(
    readonly mailer: Mailer,
    readonly clock: Clock,
  ) {}
}
class Everything {
  static inject = [
    Mailer,
    Rows,
    Store,
    Pool,
    Url,
    'name',
    optional(Clock),
    optional(Rows),
    all(Rows),
    lazy(() => Rows),
    lazy(() => Everything),
  ] as const;
  constructor(
    readonly mailer: Mailer,
    readonly rows: Rows<number>,
    readonly store: Store,
    readonly pool: Pool,
    readonly url: string,
    readonly name: Date,
    readonly clock: Clock | undefined,
    readonly maybe: Rows<number> | undefined,
    readonly every: Rows<number>[],
    readonly later: Lazy<Rows<number>>,
    readonly own: Lazy<Everything>,
  ) {}
}

describe('a class whose static inject lists what its constructor takes', () => {
  it('is registered, decorated, injected and resolved', () => {
    container.register(Reports).register('reports', { useClass: Reports });
    container.override('reports', { useClass: Reports }, { multi: true });
    container.register(Everything);
    container.register('factory', {
      inject: [Reports, Everything, Url],
      useFactory: (reports, { url }) => [reports.clock.now(), url],
    });
    Service()(Reports);
    Repository()(Reports);
    class Receiver {
      constructor(
        @Inject(Reports) readonly one: Reports,
        @InjectAll(Reports) readonly every: Reports[],
        @Inject(lazy(() => Receiver)) readonly own: Lazy<Receiver>,
      ) {}
    }
    expectTypeOf(container.resolve(Receiver)).toEqualTypeOf<Receiver>();
    expectTypeOf(container.resolve(Reports)).toEqualTypeOf<Reports>();
    expectTypeOf(container.resolveAll(Reports)).toEqualTypeOf<Reports[]>();
    expectTypeOf(container.resolveAsync(Reports)).toEqualTypeOf<Promise<Reports>>();
  });

  it('may leave out parameters with a default value, and list more than it takes', () => {
    class Fewer {
      static inject = [Clock] as const;
      constructor(
        readonly clock: Clock,
        readonly mailer = new Mailer(),
      ) {}
    }
    class More {
      static inject = [Clock, Mailer] as const;
      constructor(readonly clock: Clock) {}
    }
    class Rest {
      static inject = [Clock, Mailer, Mailer] as const;
      readonly mailers: readonly Mailer[];
      constructor(
        readonly clock: Clock,
        ...mailers: Mailer[]
      ) {
        this.mailers = mailers;
      }
    }
    container.register(Fewer).register(More).register(Rest);
  });

  it('may be abstract, generic or a class expression', () => {
    abstract class Base {
      static inject = [Clock] as const;
      constructor(readonly clock: Clock) {}
      abstract run(): void;
    }
    class Box<Item> {
      static inject = [Clock, Mailer] as const;
      constructor(
        readonly clock: Clock,
        readonly item: Item,
      ) {}
    }
    container.register(Base, { useExisting: Base }).register(Box);
    container.register(Box, { useClass: Box<Mailer> });
    container.register('class', {
      useClass: class {
        static inject = [Clock] as const;
        constructor(readonly clock: Clock) {}
      },
    });
    container.register(
      class {
        static inject = [] as const;
        readonly name = 'class';
      },
    );
  });

  it('may depend on a class that depends on it lazily', () => {
    class Egg {
      static inject = [lazy(() => Hen)] as const;
      constructor(readonly hen: Lazy<Hen>) {}
    }
    class Hen {
      static inject = [Egg] as const;
      constructor(readonly egg: Egg) {}
    }
    container.register(Egg).register(Hen);
  });
});

describe('a class whose static inject lists something else', () => {
  it('does not compile where it is registered', () => {
    // @ts-expect-error the order differs
    container.register(Swapped);
    // @ts-expect-error the order differs
    container.register('reports', { useClass: Swapped });
    // @ts-expect-error the order differs
    container.override('reports', { useClass: Swapped });
    // @ts-expect-error the clock is missing
    container.register(Short);
    // @ts-expect-error the mailer may be undefined
    container.register(Maybe);
    // @ts-expect-error the order differs in what it depends on
    container.register(Nested);
    container.register('class', {
      // @ts-expect-error it lists a clock
      useClass: class {
        static inject = [Clock] as const;
        constructor(readonly mailer: Mailer) {}
      },
    });
  });

  it('does not compile where it is decorated or injected', () => {
    // @ts-expect-error the order differs
    Service()(Swapped);
    // @ts-expect-error the order differs
    Repository()(Swapped);
    // @ts-expect-error the order differs
    container.register('factory', { inject: [Url, Swapped], useFactory: (url) => url });
    // @ts-expect-error the order differs
    Inject(Swapped);
    // @ts-expect-error the order differs
    InjectAll(Swapped);
  });

  it('resolves to a type that says so', () => {
    // @ts-expect-error the order differs
    container.resolve(Swapped).clock.now();
    // @ts-expect-error the order differs
    container.resolveAll(Swapped).map(({ clock }) => clock);
    // @ts-expect-error the order differs
    container.resolveAsync(Swapped).then(({ clock }) => clock);
  });

  it('is compared with its own constructor if it inherits static inject', () => {
    class Same extends Reports {}
    class Other extends Reports {
      constructor(readonly url: string) {
        super(new Mailer(), new Clock());
      }
    }
    container.register(Same);
    // @ts-expect-error the base class lists a mailer
    container.register(Other);
  });
});

it('a plain array and the type of any class tell nothing about the order', () => {
  container.register(Untyped);
  expectTypeOf(container.resolve(Untyped)).toEqualTypeOf<Untyped>();
  const add = <T>(given: Constructor<T>, key: Token<T>): T => {
    container.register(given).register(key, { useClass: given });
    return container.resolve(key);
  };
  add(Untyped, Untyped);
});
