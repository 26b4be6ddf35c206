import type {
  Context,
  HandlerResult,
  PathParams,
  ResponseValue,
  RouteContract,
  RouteOptions,
  RouteParams,
  State,
  ValidatedContext,
} from '@fairlead/core';
import type { ContractOf } from '@fairlead/core/extend';
import type {
  CheckedInject,
  Constructor,
  Dependency,
  Injectables,
  InjectionToken,
  Resolved,
  Scope,
} from '@fairlead/di';
import type { Exemption } from '../decorators/custom.js';
import type { RouteMethod } from '../metadata/class-metadata.js';
import type { Guard, MiddlewareReference, SharedReferences } from '../metadata/references.js';

/** What a client needs to know about a controller. It exists only in types. */
export interface ControllerContract {
  /** Version segment before the prefix; empty by default. */
  readonly version: string;
  /** Leading path of every route. */
  readonly prefix: string;
  /** The routes, by name. */
  readonly routes: Readonly<Record<string, RouteContract>>;
}

/** A controller that {@link defineController} has created. It can be passed wherever a controller class can be. */
export interface ControllerValue<Contract extends ControllerContract = ControllerContract>
  extends Constructor<object> {
  /** Exists only in types. */
  readonly '~contract'?: Contract;
}

/**
 * A route of {@link defineController}, from one of the functions that `routes` receives. Its contract is a union if it
 * has several paths.
 */
export interface ValueRoute<Contract extends RouteContract = RouteContract> {
  /** In upper case; `ALL` for every method. */
  readonly method: Contract['method'];
  /** The pattern, without the prefix of the controller. */
  readonly path: Contract['path'];
  /** Exists only in types. */
  readonly '~contract'?: Contract;
}

/** The instances that handlers receive, by name. */
export type Injected<Inject> = {
  readonly [Name in keyof Inject]: Inject[Name] extends Dependency
    ? Resolved<[Inject[Name]]>[0]
    : never;
};

/** Options of {@link defineController} and of its routes. */
export interface SharedValueOptions<Decorator> extends Partial<SharedReferences> {
  /**
   * The results of decorators, such as `SetHeader('Vary', 'Accept')` or those of `createRouteMetadata()`.
   * They have the same effect as on a class or a method.
   */
  readonly metadata?: readonly Decorator[];
  /** Groups of the routes in generated documents. Those of the controller precede those of a route. */
  readonly tags?: readonly string[];
}

/** Options of a route of {@link defineController}. */
export interface ValueRouteOptions
  extends Omit<RouteOptions, 'inputs' | 'security' | 'tags' | 'version'>,
    SharedValueOptions<MethodDecorator> {}

/** Options of {@link defineController}. */
export interface ControllerValueOptions<
  Version,
  Prefix extends string,
  Inject,
  Routes,
  Shared extends readonly MiddlewareReference[] = readonly MiddlewareReference[],
  Guards extends readonly Guard[] = readonly Guard[],
> extends SharedValueOptions<ClassDecorator> {
  /** Run before the guards of each route, after all middleware. The handlers have the types of the state that they set. */
  readonly guards?: Injectables<Guards>;
  /** Runs before the middleware of each route. The handlers have the types of the state that it sets. */
  readonly middleware?: Injectables<Shared>;
  /** Version segment before the prefix: `v2` turns `/users` into `/v2/users`. */
  readonly version?: Version;
  /** The dependencies of the handlers, by name. A handler receives their instances as its second argument. */
  readonly inject?: Inject & { readonly [Name in keyof Inject]: CheckedInject<Inject[Name]> };
  /** How long the injected instances live. Default: `singleton`. */
  readonly scope?: Scope;
  /** Returns the routes by name, each created by one of the functions that it receives. */
  readonly routes: (
    builders: RouteBuilders<
      Prefix,
      Injected<Inject>,
      StateOf<Shared, 'use'>,
      StateOf<Guards, 'canActivate'>
    >,
  ) => Routes;
}

/**
 * The functions that create routes, one for each method. `all` handles methods without another route, and `on`
 * several methods.
 */
export type RouteBuilders<Prefix extends string, Instances, S = unknown, G = unknown> = {
  readonly [Name in Lowercase<RouteMethod>]: RouteBuilder<Uppercase<Name>, Prefix, Instances, S, G>;
} & { readonly on: MethodsBuilder<Prefix, Instances, S, G> };

/**
 * Creates a route. Its handler receives the context and the injected instances. What it returns becomes the
 * response, unless it responds through `ctx`.
 */
export interface RouteBuilder<
  Method extends string,
  Prefix extends string,
  Instances,
  S = unknown,
  G = unknown,
> {
  /**
   * @param path - Pattern below the prefix of the controller, such as `/:id`, or an array of patterns.
   * @param handler - Handles requests.
   */
  <Path extends string, Result, A extends object = State>(
    path: Path | readonly Path[],
    handler: PlainHandler<Prefix, Path, State & S & G & A, Instances, Result>,
  ): ValueRoute<ContractOf<Method, Path, PathParams<Prefix>, unknown, Result>>;
  /**
   * @param path - Pattern below the prefix of the controller, such as `/:id`, or an array of patterns.
   * @param options - Schemas, guards, status and documentation of the route.
   * @param handler - Handles requests. It returns what the response schema produces.
   */
  <
    Path extends string,
    const Options extends ValueRouteOptions,
    const Result extends HandlerResult<ResponseValue<Options>>,
    A extends object = State,
  >(
    path: Path | readonly Path[],
    options: CheckedOptions<Options>,
    handler: Handler<Options, Prefix, Path, S & A, G, Instances, Result>,
  ): ValueRoute<ContractOf<Method, Path, PathParams<Prefix>, Options, Result>>;
}

/** Creates a route for several methods, such as `['PUT', 'PATCH']`, with the other arguments of {@link RouteBuilder}. */
export interface MethodsBuilder<Prefix extends string, Instances, S = unknown, G = unknown> {
  <const Method extends RouteMethod, Path extends string, Result, A extends object = State>(
    methods: Method | readonly Method[],
    path: Path | readonly Path[],
    handler: PlainHandler<Prefix, Path, State & S & G & A, Instances, Result>,
  ): ValueRoute<ContractOf<Method, Path, PathParams<Prefix>, unknown, Result>>;
  <
    const Method extends RouteMethod,
    Path extends string,
    const Options extends ValueRouteOptions,
    const Result extends HandlerResult<ResponseValue<Options>>,
    A extends object = State,
  >(
    methods: Method | readonly Method[],
    path: Path | readonly Path[],
    options: CheckedOptions<Options>,
    handler: Handler<Options, Prefix, Path, S & A, G, Instances, Result>,
  ): ValueRoute<ContractOf<Method, Path, PathParams<Prefix>, Options, Result>>;
}

type PlainHandler<
  Prefix extends string,
  Path extends string,
  S extends State,
  Instances,
  Result,
> = (ctx: Context<ParamsOf<Prefix, Path>, S>, instances: Instances) => Result;

type Handler<Options, Prefix extends string, Path extends string, S, G, Instances, Result> = (
  ctx: ValidatedContext<
    Options,
    ParamsOf<Prefix, Path>,
    State & S & ListState<Options, 'middleware', 'use'> & GuardState<Options, G>
  >,
  instances: Instances,
) => Result;

/** The members of `ctx.state` that the guards of a controller and of a route set, unless the route is exempt. */
type GuardState<Options, G> = Options extends {
  readonly metadata: readonly (infer Decorator)[];
}
  ? [Extract<Decorator, Exemption>] extends [never]
    ? G & ListState<Options, 'guards', 'canActivate'>
    : unknown
  : G & ListState<Options, 'guards', 'canActivate'>;

/**
 * What the options of a route must be. An object literal must not have other members, which TypeScript does not check
 * for a type that it infers. The branch of `never` lets it infer the options.
 */
type CheckedOptions<Options> = [Options] extends [never]
  ? Options
  : ValueRouteOptions & CheckedMembers<Options>;

/** Requires that the classes that a route lists have a fitting `static inject`. */
type CheckedMembers<Options> = {
  readonly [Name in keyof Options & keyof ValueRouteOptions]?: Name extends keyof SharedReferences
    ? Options[Name] extends readonly unknown[]
      ? Injectables<Options[Name]>
      : unknown
    : Options[Name];
};

type ListState<Options, Name extends string, Method extends string> = Options extends {
  readonly [Key in Name]: infer List extends readonly unknown[];
}
  ? StateOf<List, Method>
  : unknown;

/**
 * The members of `ctx.state` that a list of middleware or guards sets. Only a tuple says which.
 *
 * @typeParam Method - The method of their classes.
 */
type StateOf<List extends readonly unknown[], Method extends string> = List extends readonly [
  infer First,
  ...infer Rest,
]
  ? SetBy<First, Method> & StateOf<Rest, Method>
  : unknown;

/** The members of `ctx.state` that a function, a class with a method, or a typed token for either sets. */
type SetBy<Reference, Method extends string> =
  Reference extends InjectionToken<infer Provided>
    ? SetBy<Provided, Method>
    : Reference extends Constructor<infer Instance>
      ? SetBy<Instance, Method>
      : Reference extends { readonly [Name in Method]: infer Run }
        ? SetBy<Run, Method>
        : Reference extends (ctx: infer Ctx, ...rest: never[]) => unknown
          ? Ctx extends { readonly state: infer S }
            ? S
            : unknown
          : unknown;

type ParamsOf<Prefix extends string, Path extends string> = RouteParams<PathParams<Prefix>, Path>;
