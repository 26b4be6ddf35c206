import {
  boolean,
  describeValue,
  findOptionProblems,
  isClass,
  type Kinds,
  nearestName,
  oneOf,
} from '@fairlead/options';
import { type Dependency, findTokenMistake, Injection, type Resolved } from './dependency.js';
import { InvalidProviderError, type Mistake } from './errors/injection-errors.js';
import type { Injectable, Injectables } from './static-inject.js';
import { type Constructor, isToken, type Token, writeToken } from './token.js';

/**
 * How long an instance lives: as long as its container (`singleton`), for one resolution
 * (`transient`), or as long as the request scope that resolved it (`request`).
 */
export type Scope = 'singleton' | 'transient' | 'request';

/** Provides an existing value. The container never disposes it. */
export interface ValueProvider<T> {
  /** The value, which is returned unchanged. */
  readonly useValue: T;
}

/** Provides instances of a class. */
export interface ClassProvider<T, C extends Constructor<T> = Constructor<T>> {
  /** The class. The container resolves its constructor parameters. */
  readonly useClass: Injectable<C>;
}

/** TypeScript infers the list from `inject` alone, not from the parameters, which may be optional. */
type Arguments<D> = D extends infer L extends readonly Dependency[] ? Resolved<L> : never;

/** Provides the return value of a function. A returned promise is awaited. */
export interface FactoryProvider<T, D extends readonly Dependency[] = readonly Dependency[]> {
  /** Called with the instances of `inject`. */
  readonly useFactory: (...dependencies: Arguments<D>) => T | Promise<T>;
  /** The dependencies that become the factory's arguments, in order. */
  readonly inject?: Injectables<D>;
}

/** Provides the instance of another token: an alias. */
export interface ExistingProvider<T> {
  /** The token to resolve instead. */
  readonly useExisting: Token<T>;
}

/** Creates the instances of a token. A provider is exactly one of these kinds. */
export type Provider<
  T = unknown,
  D extends readonly Dependency[] = readonly Dependency[],
  C extends Constructor<T> = Constructor<T>,
> = ValueProvider<T> | ClassProvider<T, C> | FactoryProvider<T, D> | ExistingProvider<T>;

/** Options of `container.register`. */
export interface RegisterOptions {
  /** Default: the scope that `@Service` or `static scope` sets on the class, otherwise `singleton`. */
  readonly scope?: Scope;
  /** Adds to the token's providers instead of replacing them. Default false. */
  readonly multi?: boolean;
  /**
   * Whether `initialize` builds the singleton of a class or factory even if nothing depends on it.
   * Default: what `@Service` or `static eager` sets on the class, otherwise false.
   */
  readonly eager?: boolean;
}

export const SCOPE = oneOf('singleton', 'transient', 'request');

const REGISTER_OPTIONS: Kinds<RegisterOptions> = { scope: SCOPE, multi: boolean, eager: boolean };

/** What a provider has exactly one of. */
export const KINDS = ['useValue', 'useClass', 'useFactory', 'useExisting'] as const;

/** The keys that each kind of provider may have besides its own. */
const OTHER_KEYS: Readonly<Record<string, readonly string[]>> = { useFactory: ['inject'] };

/**
 * Checks the arguments of a registration, and returns the provider.
 *
 * @param provider - Undefined to use the token, a class, as its own provider.
 */
export function checkRegistration(
  method: 'register' | 'override',
  token: Token,
  provider: Provider | undefined,
  options: RegisterOptions | undefined,
): Provider {
  // Most providers, of which a start registers thousands.
  if (provider === undefined && options === undefined && isConstructor(token))
    return { useClass: token };
  const call = `container.${method}()`;
  const mistake = findRegisteredTokenMistake(token, method);
  if (mistake !== undefined) throw new InvalidProviderError(token, [mistake], method);
  const registered =
    provider === undefined && isConstructor(token) ? { useClass: token } : provider;
  const mistakes = [
    ...findProviderMistakes(registered, `container.${method}(${writeToken(token)}`),
    ...findOptionProblems(call, options, REGISTER_OPTIONS).map((problem) => ({ problem })),
  ];
  if (mistakes.length === 0) mistakes.push(...findMisplacedOptions(registered, options));
  if (registered === undefined || mistakes.length > 0) {
    throw new InvalidProviderError(token, mistakes, method);
  }
  return registered;
}

function findRegisteredTokenMistake(token: unknown, method: string): Mistake | undefined {
  const mistake = findTokenMistake(token);
  if (mistake === undefined) return undefined;
  if (Array.isArray(token)) {
    return { ...mistake, fix: `call container.${method}() once for each provider.` };
  }
  if (typeof token !== 'object' || token === null || !('provide' in token)) return mistake;
  const provided = token.provide;
  const name = isToken(provided) ? writeToken(provided) : 'token';
  const [kind = 'useValue'] = KINDS.filter((each) => each in token);
  const problem = 'the first argument is the token, not an object with provide.';
  return { problem, fix: `write container.${method}(${name}, { ${kind} }).` };
}

/** @param call - The start of the call, for the fix. */
function findProviderMistakes(provider: unknown, call: string): Mistake[] {
  const pass = `${call}, { ${KINDS.join(' | ')} })`;
  if (provider === undefined) return [{ problem: 'it has no provider.', fix: `write ${pass}.` }];
  if (typeof provider !== 'object' || provider === null || Array.isArray(provider)) {
    const kind = isClass(provider)
      ? `useClass: ${provider.name}`
      : typeof provider === 'function'
        ? 'useFactory'
        : 'useValue';
    const problem = `the provider is ${describeValue(provider)} instead of an object.`;
    return [{ problem, fix: `write ${call}, { ${kind} }).` }];
  }
  const used = KINDS.filter((kind) => kind in provider);
  const [kind] = used;
  const allowed = kind === undefined ? [...KINDS, 'inject'] : [kind, ...(OTHER_KEYS[kind] ?? [])];
  const unknown = Object.keys(provider).filter((key) => !allowed.includes(key));
  if (kind === undefined) {
    const suggested = unknown.map((key) => ({ key, nearest: nearestName(key, KINDS) }));
    const found = suggested.find(({ nearest }) => nearest !== undefined);
    const problem = `the provider has none of ${KINDS.join(', ')}.`;
    const fix = found
      ? `rename ${found.key} to ${found.nearest}.`
      : `write ${pass}. If the object is the instance, wrap it in { useValue }.`;
    return [{ problem, fix }];
  }
  if (used.length > 1) {
    const problem = `the provider has ${used.join(' and ')}.`;
    return [{ problem, fix: 'remove all but one of them.' }];
  }
  return [
    ...unknown.map((key) => describeUnknownKey(key, kind, allowed)),
    ...findKindMistakes(provider, kind),
  ];
}

function describeUnknownKey(key: string, kind: string, allowed: readonly string[]): Mistake {
  const problem = `a provider with ${kind} has no option '${key}'.`;
  if (key === 'provide') return { problem, fix: 'remove it. The token is the first argument.' };
  if (Object.hasOwn(REGISTER_OPTIONS, key)) {
    return { problem, fix: `pass { ${key} } as the third argument.` };
  }
  if (key === 'inject') {
    const fix =
      kind === 'useClass'
        ? 'list the dependencies of a class in its `static inject`, or mark its parameters with @Inject(token).'
        : 'remove it. Only a factory has dependencies to inject.';
    return { problem, fix };
  }
  const nearest = nearestName(key, allowed);
  return { problem, fix: nearest === undefined ? 'remove it.' : `rename it to ${nearest}.` };
}

function findKindMistakes(provider: object, kind: (typeof KINDS)[number]): Mistake[] {
  const value: unknown = Reflect.get(provider, kind);
  if (kind === 'useClass') return isConstructor(value) ? [] : [describeNoClass(value)];
  if (kind === 'useFactory') return findFactoryMistakes(value, Reflect.get(provider, 'inject'));
  const mistake = kind === 'useExisting' ? findTokenMistake(value) : undefined;
  if (mistake === undefined) return [];
  return [{ ...mistake, problem: `useExisting is not a token: ${mistake.problem}` }];
}

function describeNoClass(value: unknown): Mistake {
  const problem = `useClass is not a class but ${describeValue(value)}.`;
  if (value === undefined) {
    const fix = 'check its import. It is undefined while two modules import each other.';
    return { problem, fix };
  }
  if (typeof value === 'function') return { problem, fix: 'use useFactory for a function.' };
  const isInstance = typeof value === 'object' && value !== null;
  return { problem, fix: isInstance ? 'use useValue for an instance.' : 'pass a class.' };
}

function findFactoryMistakes(useFactory: unknown, inject: unknown = []): Mistake[] {
  if (typeof useFactory !== 'function') {
    const problem = `useFactory is not a function but ${describeValue(useFactory)}.`;
    return [{ problem, fix: 'pass a function that returns the instance, or use useValue.' }];
  }
  if (isClass(useFactory)) {
    const problem = `useFactory is ${describeValue(useFactory)}.`;
    return [{ problem, fix: 'use useClass for a class.' }];
  }
  if (!Array.isArray(inject)) {
    const problem = `inject is not an array of dependencies but ${describeValue(inject)}.`;
    return [{ problem, fix: 'write inject: [token].' }];
  }
  // Spreading turns the holes of an array, which flatMap() skips, into undefined.
  const dependencies: readonly unknown[] = [...inject];
  const mistakes = dependencies.flatMap((entry, index) => {
    const mistake = entry instanceof Injection ? undefined : findTokenMistake(entry);
    return mistake === undefined
      ? []
      : { ...mistake, problem: `entry ${index} of inject is not a token: ${mistake.problem}` };
  });
  if (hasUnprovided(useFactory, inject.length)) {
    const count = useFactory.length === 1 ? '1 parameter' : `${useFactory.length} parameters`;
    const problem = `useFactory takes ${count}, but inject lists ${inject.length}.`;
    const { name } = useFactory;
    const list = 'list one dependency for each parameter in inject. If a parameter is optional';
    // The function may be imported.
    const isNamed = name !== '' && name !== 'useFactory';
    const orWrap = isNamed ? `, or write { useFactory: () => ${name}() }` : '';
    mistakes.push({ problem, fix: `${list}, give it a default value${orWrap}.` });
  }
  return mistakes;
}

/**
 * Whether a function has a parameter that needs a dependency and has none. The source of a function with optional
 * parameters, such as `randomUUID()`, compares them with undefined. That of a native one is unknown.
 */
function hasUnprovided(factory: { readonly length: number }, provided: number): boolean {
  if (factory.length <= provided) return false;
  const source = Function.prototype.toString.call(factory);
  if (source.includes('[native code]')) return false;
  const [start = '', one, list = ''] =
    /^(?:async\s*)?(?:([\w$]+)\s*=>|[^(]*\(([^)]*)\))/.exec(source) ?? [];
  const names = (one ?? list).split(',').slice(provided, factory.length);
  const body = source.slice(start.length);
  return !names.every((name) => allowsAbsence(name.trim(), body));
}

/** Whether the body of a function reads a parameter in a way that only makes sense if it may be undefined. */
function allowsAbsence(name: string, body: string): boolean {
  if (!/^[\w$]+$/.test(name)) return false;
  const one = name.replaceAll('$', '\\$');
  const compared = `(?<![\\w$.])${one}\\s*(?:\\?\\?|\\?\\.|\\|\\||&&|\\?(?![?.])|[!=]==?\\s*(?:undefined|null|void 0)\\b)`;
  return new RegExp(
    `${compared}|typeof ${one}\\b|!${one}(?![\\w$.(])|\\(${one}\\)\\s*(?:\\{|return\\b)`,
  ).test(body);
}

/** Finds options that do not apply to the kind of provider. */
function findMisplacedOptions(
  provider: Provider | undefined = { useValue: undefined },
  { scope, eager }: RegisterOptions = {},
): Mistake[] {
  const [kind] = KINDS.filter((each) => each in provider);
  if (kind !== 'useValue' && kind !== 'useExisting') return [];
  const given = { scope: scope !== undefined, eager: eager === true };
  const misplaced = (['scope', 'eager'] as const).filter((option) => given[option]);
  return misplaced.map((option) => {
    const problem = `${kind} takes no ${option} because it creates no instance.`;
    return { problem, fix: `remove ${option}, or use useClass or useFactory.` };
  });
}

/** Explains why an eager provider must be a singleton. */
export function describeEagerScope(scope: string): Mistake {
  const problem = `an eager provider must be a singleton, but its scope is '${scope}'.`;
  return { problem, fix: "remove eager, or set the scope to 'singleton'." };
}

/** Classes have a prototype. Arrow functions, methods and async functions have none. */
function isConstructor(value: unknown): value is Constructor {
  return typeof value === 'function' && value.prototype !== undefined;
}
