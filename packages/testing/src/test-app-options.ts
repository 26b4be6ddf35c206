import type { ControllersPluginOptions, GuardFn } from '@fairlead/controllers';
import {
  type AnyMiddleware,
  type Application,
  type ApplicationOptions,
  type ErrorHandlerOptions,
} from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import type { Constructor, Container, RegisterOptions, Token } from '@fairlead/di';
import {
  anything,
  arrayOf,
  findOptionProblems,
  fn,
  isClass,
  type Kinds,
  kind,
} from '@fairlead/options';
import type { FakeProvider } from './fake.js';

/** Options of {@link createTestApp} for every application. */
export interface CommonTestOptions<Types extends readonly unknown[] = readonly unknown[]> {
  /**
   * Providers that replace those of the application, including those that it registers later:
   * `[token, provider, options?]`.
   */
  readonly overrides?: Overrides<Types>;
  /**
   * Functions that replace guard functions of controllers: `[guard, replacement]`. Override a guard class
   * with `overrides`.
   */
  readonly guardOverrides?: readonly GuardOverride[];
  /**
   * Called with every error that `errorHandler` reports: errors whose message is hidden from the client, and
   * errors whose `report` is true. With this option, a call does not reject with a hidden error, but resolves
   * with the generic response.
   */
  readonly onError?: NonNullable<ErrorHandlerOptions['onError']>;
}

/** Options of {@link createTestApp} that test your own application. */
export interface ApplicationTestOptions<Types extends readonly unknown[] = readonly unknown[]>
  extends CommonTestOptions<Types> {
  /**
   * Creates the application with the container of the test, which it must pass to
   * `controllersPlugin`. May be asynchronous.
   */
  readonly app: (container: Container) => Application | Promise<Application>;
}

/**
 * Options of {@link createTestApp} that test controllers: all options of `controllersPlugin` except
 * the router and the container, which are new for each application, and options for the surrounding
 * application, three of which are those of `createApp`.
 */
export interface TestAppOptions<Types extends readonly unknown[] = readonly unknown[]>
  extends CommonTestOptions<Types>,
    Omit<ControllersPluginOptions, 'router' | 'container' | 'disposeContainer' | 'controllers'>,
    Pick<ApplicationOptions, 'compileResponse' | 'validationStatus' | 'versions'> {
  /** Excludes the options for controllers: see {@link ApplicationTestOptions}. */
  readonly app?: never;
  /** Classes to register in addition to those discovered in `root`. */
  readonly controllers?: readonly Constructor[];
  /** Whether to fail when `root` is missing, or a file in it cannot be imported. Default true. */
  readonly strict?: boolean;
  /** Called with the new container, to register the providers of the application. */
  readonly register?: (container: Container) => unknown;
  /** Middleware that runs for every request, before `json()` and the routes. */
  readonly before?: readonly AnyMiddleware[];
  /** Middleware that runs for requests without a matching route, before the not-found handler. */
  readonly after?: readonly AnyMiddleware[];
}

/** A list of overrides. `Types` lists the types of their tokens. */
export type Overrides<Types extends readonly unknown[]> = {
  readonly [Index in keyof Types]: Override<Types[Index]>;
};

/** The arguments of `container.override`. The provider must match the type of the token. */
export type Override<T> = readonly [
  token: Token<T>,
  // Infers no type from the provider. Unlike `FakeProvider<NoInfer<T>>`, it distributes over a union.
  provider: [T] extends [infer Type] ? FakeProvider<Type> : never,
  options?: RegisterOptions,
];

/** A guard function that a controller uses, and the function to call instead. */
export type GuardOverride = readonly [guard: GuardFn, replacement: GuardFn];

const MIDDLEWARE = arrayOf(fn, 'an array of middleware');

/** The container checks what an override contains. */
const OVERRIDES = arrayOf(
  kind(
    'an override',
    (value) => Array.isArray(value) && (value.length === 2 || value.length === 3),
  ),
  'an array of [token, provider, options?]',
);

const GUARD_OVERRIDE_LIST = arrayOf(
  kind(
    'a pair of functions',
    (value) => Array.isArray(value) && value.length === 2 && value.every(fn.accepts),
  ),
  'an array of [guard, replacement] with functions',
);

const OPTIONS: Kinds<TestAppOptions> = {
  app: fn,
  overrides: OVERRIDES,
  guardOverrides: GUARD_OVERRIDE_LIST,
  onError: fn,
  register: fn,
  before: MIDDLEWARE,
  after: MIDDLEWARE,
  // `createApp` and `controllersPlugin` check their own options.
  controllers: anything,
  root: anything,
  include: anything,
  exclude: anything,
  strict: anything,
  prefix: anything,
  guards: anything,
  middleware: anything,
  interceptors: anything,
  versionIn: anything,
  compileResponse: anything,
  validationStatus: anything,
  versions: anything,
  debug: anything,
  logger: anything,
};

/** Options that can be combined with `app`. */
const WITH_APP: ReadonlySet<string> = new Set(['app', 'overrides', 'guardOverrides', 'onError']);

const CALL = 'createTestApp()';

/**
 * Checks the options of `createTestApp`.
 *
 * @throws {SetupError} `INVALID_OPTION`, with every problem.
 */
export function assertTestOptions(options: TestAppOptions | ApplicationTestOptions): void {
  const problems =
    options === undefined
      ? [`${CALL} needs options. Pass an object.`]
      : findOptionProblems<object>(CALL, options, OPTIONS);
  problems.push(
    ...findGuardClasses(options?.guardOverrides),
    ...findCombinationProblems(options ?? {}),
  );
  throwTogether(problems);
}

/** Finds classes in `guardOverrides`, which replaces functions by functions. */
function findGuardClasses(pairs: readonly GuardOverride[] = []): string[] {
  if (!GUARD_OVERRIDE_LIST.accepts(pairs)) return [];
  return pairs.flatMap(([guard, replacement]) => {
    if (isClass(guard)) {
      return `${CALL} cannot replace the class ${guard.name} with guardOverrides. Use overrides: [[${guard.name}, { useValue: { canActivate: () => true } }]].`;
    }
    if (!isClass(replacement)) return [];
    return `${CALL} cannot use the class ${replacement.name} as a replacement in guardOverrides. Use a function.`;
  });
}

/** Finds the options for controllers next to `app`. */
function findCombinationProblems(options: TestAppOptions | ApplicationTestOptions): string[] {
  if (options.app === undefined) return [];
  return Object.entries(options).flatMap(([name, value]) => {
    const isCombinable = WITH_APP.has(name) || !Object.hasOwn(OPTIONS, name);
    if (value === undefined || isCombinable) return [];
    return `${CALL} cannot combine app with ${name}. Configure ${name} in the function that creates the application.`;
  });
}
