import { type Constructor, token } from '@fairlead/di';
import { expectTypeOf, it } from 'vitest';
import { createTestApp, type TestApp, type TestAppOptions } from '../src/index.js';

class Clock {
  readonly #offset = 0;
  private readonly zone = 'UTC';

  now(): Date {
    return new Date(this.#offset + this.zone.length);
  }
}
abstract class Store {
  abstract find(id: string): string | undefined;
}
class MemoryStore extends Store {
  find(id: string) {
    return id;
  }
}
const Port = token<number>('Port');
const Mode = token<'on' | 'off'>('Mode');
const Check = token<(name: string) => boolean>('Check');
declare const controllers: readonly Constructor[];

it('an override must match its token', () => {
  createTestApp({
    controllers,
    overrides: [
      [Port, { useValue: 1 }],
      [Port, { useFactory: async () => 1 }],
      [Mode, { useValue: 'on' }],
      [Check, { useValue: (name) => name.length > 0 }],
      [Store, { useClass: MemoryStore }],
      [Store, { useValue: { find: () => undefined } }],
      [Store, { useExisting: MemoryStore }],
      ['text', { useValue: 'anything' }],
      [Symbol('symbol'), { useValue: undefined }, { multi: true }],
    ],
  });
  // @ts-expect-error a string is not a number
  createTestApp({ overrides: [[Port, { useValue: '1' }]] });
  // @ts-expect-error a factory of strings does not create numbers
  createTestApp({ overrides: [[Port, { useFactory: () => '1' }]] });
  // @ts-expect-error the mode is unknown
  createTestApp({ overrides: [[Mode, { useValue: 'up' }]] });
  // @ts-expect-error the function takes a number
  createTestApp({ overrides: [[Check, { useValue: (name: number) => name > 0 }]] });
  // @ts-expect-error `find` is missing
  createTestApp({ overrides: [[Store, { useValue: {} }]] });
  // @ts-expect-error `find` returns a number
  createTestApp({ overrides: [[Store, { useValue: { find: () => 1 } }]] });
  // @ts-expect-error the scope does not exist
  createTestApp({ overrides: [['x', { useValue: 1 }, { scope: 'forever' }]] });
  createTestApp({
    overrides: [
      [Port, { useValue: 1 }],
      // @ts-expect-error a number is not a mode, because each override has a separate type
      [Mode, { useValue: 1 }],
    ],
  });
});

it('a plain object can replace a class with private members', () => {
  createTestApp({ overrides: [[Clock, { useValue: { now: () => new Date(0) } }]] });
  // @ts-expect-error `now` must return a date
  createTestApp({ overrides: [[Clock, { useValue: { now: () => 0 } }]] });
});

it('router and container are not options', () => {
  type Excluded = Extract<keyof TestAppOptions, 'router' | 'container'>;
  expectTypeOf<Excluded>().toBeNever();
});

it('a helper can accept options and pass them on', () => {
  const start = (options: TestAppOptions) => createTestApp({ prefix: '/api', ...options });
  expectTypeOf(start).returns.resolves.toEqualTypeOf<TestApp>();
  start({ overrides: [[Port, { useValue: 1 }]] });
});

it('a request accepts the options of fetch, and json', () => {
  type Init = Parameters<TestApp['request']>[1];
  expectTypeOf<{ method: string; json: unknown; signal: AbortSignal }>().toExtend<Init>();
  expectTypeOf<TestApp>().toExtend<AsyncDisposable>();
});
