import type { IncomingMessage } from 'node:http';
import { type Context, createApp, type Middleware } from '@fairlead/core';
import { type Constructor, type Container, token } from '@fairlead/di';
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
declare const authenticate: Middleware<{ user: string }>;

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
  // @ts-expect-error a value is not an object with members of a store
  createTestApp({ overrides: [[Store, { useValue: 7 }]] });
  // @ts-expect-error `fnd` is not a member
  createTestApp({ overrides: [[Store, { useValue: { fnd: () => undefined } }]] });
  // @ts-expect-error a class must have all members
  createTestApp({ overrides: [[Store, { useClass: class {} }]] });
  // @ts-expect-error another token must have all members
  createTestApp({ overrides: [[Store, { useExisting: token<Partial<Store>>('Partial') }]] });
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

interface Notes {
  find(id: string): Promise<string | undefined>;
  add(text: string): Promise<string>;
  count: number;
  close?(): Promise<void>;
}
const NOTES = token<Notes>('Notes');
const Lookup = token<(name: string) => Promise<boolean>>('Lookup');
const Names = token<readonly string[]>('Names');
/** A literal that the compiler has met before the union. It sorts a union in that order. */
const EARLIER = 'earlier';
const Zone = token<{ name: string; offset: number } | 'local'>('Zone');
const Era = token<{ name: string; start: number } | typeof EARLIER>('Era');
class AsyncGuard {
  readonly #log: string[] = [];
  async canActivate(ctx: Context): Promise<boolean> {
    return this.#log.includes(ctx.path);
  }
}

it('a fake may lack members', () => {
  createTestApp({
    overrides: [
      [NOTES, { useValue: {} }],
      [NOTES, { useValue: { find: async () => 'Ada' } }],
      [NOTES, { useFactory: async () => ({ count: 1 }) }],
      [NOTES, { useValue: { count: undefined, close: undefined } }],
      [Zone, { useValue: { name: 'UTC' } }],
      [Zone, { useValue: 'local' }],
      [Era, { useValue: { name: 'now' } }],
      [Era, { useValue: EARLIER }],
    ],
  });
  // @ts-expect-error an array is complete
  createTestApp({ overrides: [[Names, { useValue: [undefined] }]] });
});

it('a fake may be synchronous where the original is asynchronous', () => {
  createTestApp({
    overrides: [
      [AsyncGuard, { useValue: { canActivate: () => true } }],
      [AsyncGuard, { useValue: { canActivate: (ctx) => ctx.path === '/' } }],
      [AsyncGuard, { useValue: { canActivate: async () => true } }],
      [NOTES, { useValue: { find: () => undefined, add: (text) => text.trim() } }],
      [NOTES, { useFactory: () => ({ find: (id) => id, close: () => undefined }) }],
      [Lookup, { useValue: (name) => name.length > 0 }],
    ],
  });
  // @ts-expect-error a string is not a boolean
  createTestApp({ overrides: [[AsyncGuard, { useValue: { canActivate: () => 'yes' } }]] });
  // @ts-expect-error the original is synchronous
  createTestApp({ overrides: [[Store, { useValue: { find: async () => undefined } }]] });
});

it('app creates an application, and excludes the options for controllers', () => {
  const app = (container: Container) => createApp().use(() => void container);
  createTestApp({ app, overrides: [[Port, { useValue: 1 }]], onError: () => undefined });
  createTestApp({ app: async (container) => app(container) });
  // @ts-expect-error the controllers are those of the application
  createTestApp({ app, controllers });
  // @ts-expect-error the middleware is that of the application
  createTestApp({ app, before: [] });
  // @ts-expect-error a string is not an application
  createTestApp({ app: () => 'app' });
  // @ts-expect-error a string is not a number
  createTestApp({ app, overrides: [[Port, { useValue: '1' }]] });
});

it('before and after accept middleware with any state', () => {
  type Before = NonNullable<TestAppOptions['before']>[number];
  expectTypeOf<Middleware<{ user: string }>>().toExtend<Before>();
  createTestApp({
    before: [(ctx, next) => (ctx.path === '/' ? next() : undefined), authenticate],
    after: [authenticate],
  });
  // @ts-expect-error middleware of Express has other parameters
  createTestApp({ before: [(req: IncomingMessage, _res: unknown) => req.url] });
});

it('router and container are not options', () => {
  type Excluded = Extract<keyof TestAppOptions, 'router' | 'container' | 'disposeContainer'>;
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
