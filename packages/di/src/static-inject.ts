import type { Injection } from './dependency.js';
import type { Class, InjectionToken } from './token.js';

/**
 * Says that the `static inject` of a class lists something else than its constructor takes. It exists only in types:
 * no class has these members, so the class does not compile where it is registered or injected.
 *
 * @typeParam Target - The class.
 * @typeParam Listed - The instances that `static inject` lists.
 * @typeParam Taken - The parameters of the constructor.
 */
export interface WrongInject<Target, Listed, Taken> {
  readonly 'static inject must list what the constructor takes': Target;
  readonly 'it lists': Listed;
  readonly 'the constructor takes': Taken;
}

/**
 * `unknown` for classes whose `static inject` fits their constructor, and {@link WrongInject} for another one.
 *
 * Only a tuple, as of `as const`, tells the order. A class with a plain array fits, as does one without a public
 * constructor, and anything that is not a class. Also checks the classes that the tuple lists.
 */
export type CheckedInject<Target> = [WrongOf<Target>] extends [never] ? unknown : WrongOf<Target>;

/** `never` for what fits. */
type WrongOf<Target, Seen = never> = Target extends Class & {
  readonly inject: infer List extends readonly unknown[];
}
  ? number extends List['length']
    ? never
    : Target extends abstract new (
          ...parameters: infer Taken
        ) => unknown
      ? Target extends abstract new (
          ...dependencies: Received<List, Taken>
        ) => unknown
        ? [Target] extends [Seen]
          ? never
          : WrongOf<List[number], Seen | Target>
        : WrongInject<Target, Received<List, Taken>, Taken>
      : never
  : never;

/**
 * A class whose `static inject` fits its constructor: see {@link CheckedInject}. A member has the result, because a
 * compiler that needs it at once could not infer the type of `static inject` in a class expression.
 */
export type Injectable<Target> = Target & { readonly prototype: CheckedInject<Target> };

/** A class whose `static inject` does not fit its constructor. */
export type Misfit<Target> = Target & (unknown extends CheckedInject<Target> ? never : unknown);

/** A list whose classes fit: see {@link CheckedInject}. */
export type Injectables<List extends readonly unknown[]> = List & CheckedInject<List[number]>;

/** The arguments that a constructor receives. */
type Received<List extends readonly unknown[], Taken extends readonly unknown[]> = {
  [Index in keyof List]: ReceivedOne<List[Index], Index extends keyof Taken ? Taken[Index] : never>;
};

/** Strings and symbols carry no type. The prototype of a generic class fits each of its types. */
type ReceivedOne<Listed, Parameter> =
  Listed extends Injection<infer T>
    ? Narrowed<T, Parameter>
    : Listed extends InjectionToken<infer T>
      ? T
      : Listed extends { readonly prototype: infer T }
        ? T
        : never;

/** `lazy()`, `optional()` and `all()` know a generic class only with `unknown` as its types. */
type Narrowed<T, Parameter> = [Parameter] extends [T]
  ? undefined extends T
    ? undefined extends Parameter
      ? Parameter
      : T
    : Parameter
  : T;
