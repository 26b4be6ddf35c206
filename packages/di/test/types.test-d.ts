import { expectTypeOf, it } from 'vitest';
import {
  all,
  type Container,
  type ContainerInterface,
  container,
  createContainer,
  Inject,
  type Lazy,
  lazy,
  optional,
  type RequestScope,
  type ScopeInterface,
  Service,
  type Token,
  token,
} from '../src/index.js';

interface Options {
  readonly level: string;
}
abstract class Store {
  abstract get(id: string): string;
}
class MemoryStore extends Store {
  constructor(readonly options: Options) {
    super();
  }
  get(id: string) {
    return id;
  }
  clear() {}
}
const Port = token<number>('Port');
const MyStore = token<MemoryStore>('MyStore');

it('resolve returns the type of its token', () => {
  expectTypeOf(container.resolve(Port)).toEqualTypeOf<number>();
  expectTypeOf(container.resolve(Store)).toEqualTypeOf<Store>();
  expectTypeOf(container.resolve(MemoryStore)).toEqualTypeOf<MemoryStore>();
  expectTypeOf(container.resolve('url')).toEqualTypeOf<unknown>();
  expectTypeOf(container.resolve<string>('url')).toEqualTypeOf<string>();
  expectTypeOf(container.resolveAsync(Port)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(container.resolveAll(Port)).toEqualTypeOf<number[]>();
  expectTypeOf(container.createScope().resolve(Port)).toEqualTypeOf<number>();
});

it('register checks a provider against the type of its token', () => {
  container.register(Port, { useValue: 1 });
  container.register(Port, { useFactory: async () => 1 });
  container.register(Port, { useFactory: (port?: number) => port ?? 1 });
  // @ts-expect-error nothing provides the parameter
  container.register(Port, { useFactory: (port: number) => port });
  container.register(Store, { useClass: MemoryStore });
  container.register(Store, { useExisting: MyStore });
  // @ts-expect-error a string is not a number
  container.register(Port, { useValue: '1' });
  // @ts-expect-error a factory of strings does not create numbers
  container.register(Port, { useFactory: () => '1' });
  // @ts-expect-error a MemoryStore has more than a Store
  container.register(MyStore, { useExisting: Store });
  // @ts-expect-error an abstract class cannot be instantiated
  container.register(Store, { useClass: Store });
  // @ts-expect-error an abstract class cannot be instantiated
  container.register(Store);
  // @ts-expect-error the scope does not exist
  container.register(Port, { useValue: 1 }, { scope: 'forever' });
});

it('override checks a provider like register', () => {
  container.override(Port, { useValue: 1 }, { multi: true });
  container.override(Store, {
    useFactory: (port) => new MemoryStore({ level: `${port}` }),
    inject: [Port],
  });
  // @ts-expect-error a string is not a number
  container.override(Port, { useValue: '1' });
  expectTypeOf(container.unusedOverrides()).toEqualTypeOf<Token[]>();
});

it('eager is a boolean', () => {
  Service({ eager: true });
  container.register(Store, { useClass: MemoryStore }, { eager: true });
  // @ts-expect-error a string is not a boolean
  Service({ eager: 'yes' });
  // @ts-expect-error a string is not a boolean
  container.register(Store, { useClass: MemoryStore }, { eager: 'yes' });
});

it('a factory receives the types of its dependencies', () => {
  container.register('x', {
    inject: [Port, Store, optional(Port), all(Port), lazy(() => Store)],
    useFactory: (port, store, maybe, ports, later) => {
      expectTypeOf(port).toEqualTypeOf<number>();
      expectTypeOf(store).toEqualTypeOf<Store>();
      expectTypeOf(maybe).toEqualTypeOf<number | undefined>();
      expectTypeOf(ports).toEqualTypeOf<number[]>();
      expectTypeOf(later).toEqualTypeOf<Lazy<Store>>();
    },
  });
  container.register('y', { inject: ['url'], useFactory: (url: string) => url });
  // @ts-expect-error Port is a number
  container.register('z', { inject: [Port], useFactory: (port: string) => port });
});

it('decorators apply to classes and constructor parameters only', () => {
  @Service({ scope: 'request' })
  class Right {
    constructor(@Inject(Port) readonly port: number) {}
  }
  class Wrong {
    // @ts-expect-error properties are not injected
    @Inject(Port) port = 1;
    // @ts-expect-error methods are not injected
    run(@Inject(Port) _port: number) {}
  }
  expectTypeOf(container.resolve(Right)).toEqualTypeOf<Right>();
  expectTypeOf<typeof Wrong>().toExtend<Token<Wrong>>();
});

it('typed tokens of different types are not interchangeable', () => {
  expectTypeOf(Port).toExtend<Token<number>>();
  expectTypeOf(Port).not.toExtend<Token<string>>();
});

it('a custom container only needs resolve', () => {
  const least: ContainerInterface = {
    resolve<T>(wanted: Token<T>): T {
      return container.resolve(wanted);
    },
  };
  expectTypeOf(least.resolve(Port)).toEqualTypeOf<number>();
  expectTypeOf(createContainer()).toEqualTypeOf<Container>();
  expectTypeOf<Container>().toExtend<ContainerInterface>();
  expectTypeOf(container.createScope()).toEqualTypeOf<RequestScope>();
  expectTypeOf<RequestScope>().toExtend<ScopeInterface>();
});

it('registering a value in a scope returns the scope', () => {
  const scope = container.createScope();
  expectTypeOf(scope.register(Port, { useValue: 1 })).toEqualTypeOf<RequestScope>();
});
