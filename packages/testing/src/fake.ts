import type {
  ClassProvider,
  ExistingProvider,
  FactoryProvider,
  Token,
  ValueProvider,
} from '@fairlead/di';
import { isPlainObject } from '@fairlead/options';
import { MissingMemberError } from './errors.js';

/** A function that a fake replaces. */
type AnyFunction = (...args: never[]) => unknown;

/** A value that a fake cannot split into members. */
type Whole = string | number | bigint | boolean | symbol | null | undefined | readonly unknown[];

/** A function that may return the value of a promise without the promise. */
type MaybeSync<F> = F extends (...args: infer Args) => Promise<infer Value>
  ? (...args: Args) => Value | Promise<Value>
  : F;

/**
 * A replacement for `T` with all of its public members. A plain object can replace a class with
 * private ones. A function may be synchronous where the original is asynchronous.
 */
export type Replacement<T> = unknown extends T
  ? T
  : T extends Whole | (abstract new (...args: never[]) => unknown)
    ? T
    : T extends AnyFunction
      ? MaybeSync<T>
      : { [Member in keyof T]: MaybeSync<T[Member]> };

/** A {@link Replacement} that may lack members of an object. Reading a missing one throws. */
export type Fake<T> = unknown extends T
  ? T
  : T extends Whole | AnyFunction | (abstract new (...args: never[]) => unknown)
    ? Replacement<T>
    : { [Member in keyof T]?: MaybeSync<T[Member]> | undefined };

/** The provider of an override. Objects may be incomplete; classes and other tokens may not. */
export type FakeProvider<T> =
  | ValueProvider<Fake<T>>
  | FactoryProvider<Fake<T>>
  | ClassProvider<Replacement<T>>
  | ExistingProvider<Replacement<T>>;

/**
 * Makes the objects of an override throw when a missing member is read.
 *
 * @param report - Receives the error first, because the application may catch it.
 */
export function strictProvider<T>(
  token: Token,
  provider: FakeProvider<T>,
  report: (error: MissingMemberError) => void,
): FakeProvider<T> {
  if (typeof provider !== 'object' || provider === null) return provider;
  const strict = <V>(value: V): V => toStrict(token, value, report);
  if ('useValue' in provider) return { ...provider, useValue: strict(provider.useValue) };
  if (!('useFactory' in provider) || typeof provider.useFactory !== 'function') return provider;
  const { useFactory } = provider;
  const make: typeof useFactory = (...dependencies) => {
    const made = useFactory(...dependencies);
    return made instanceof Promise ? made.then(strict) : strict(made);
  };
  return { ...provider, useFactory: make };
}

/** Members that runtimes, test runners and serializers read to identify an object. */
const PROBES: ReadonlySet<string> = new Set([
  'asymmetricMatch',
  'hasAttribute',
  'inspect',
  'nodeType',
  'tagName',
  'then',
  'toJSON',
]);

/** Instances of classes stay as they are, because a proxy has no access to private members. */
function toStrict<T>(token: Token, value: T, report: (error: MissingMemberError) => void): T {
  if (!isPlainObject(value) || !(hasMethods(value) || isService(token))) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      if (key in target || typeof key === 'symbol' || PROBES.has(key) || /^[$@_]/.test(key)) {
        return Reflect.get(target, key, receiver);
      }
      const error = new MissingMemberError(token, key);
      report(error);
      throw error;
    },
  });
}

/** Whether an object has methods. An object without any may lack optional members of the original. */
function hasMethods(value: object): boolean {
  const members = Object.values(Object.getOwnPropertyDescriptors(value));
  return members.some(({ value: member }) => typeof member === 'function');
}

/** Whether a token is a class with methods. */
function isService(token: Token): boolean {
  return typeof token === 'function' && Object.getOwnPropertyNames(token.prototype).length > 1;
}
