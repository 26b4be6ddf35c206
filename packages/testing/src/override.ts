import type { Provider, RegisterOptions, Token } from '@fairlead/di';

/**
 * What may stand in for a `T`: anything with its public members, so that a class with private ones
 * can be replaced by a plain object.
 */
export type Fake<T> = unknown extends T
  ? T
  : T extends ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown)
    ? T
    : { [Member in keyof T]: T[Member] };

/** The arguments of `container.register`: the provider has to fit the token. */
export type Override<T> = readonly [
  token: Token<T>,
  provider: Provider<Fake<NoInfer<T>>>,
  options?: RegisterOptions,
];

/** A list of overrides; `Types` has what each token stands for. */
export type Overrides<Types extends readonly unknown[]> = {
  readonly [Index in keyof Types]: Override<Types[Index]>;
};
