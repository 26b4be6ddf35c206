import type { SchemaInput, SchemaOutput, StandardSchema } from '@fairlead/schemas';
import type { State } from '../exchange/exchange.js';
import type { ResponseBody } from '../response/record.js';
import type { ExpandedPath } from './pattern.js';
import type {
  FirstArgument,
  HandlerResult,
  OnlyRouteOptions,
  PlainHandlers,
  ResponseValue,
  RouteFunction,
  RouteOptions,
  RouteParams,
  ValidatedHandler,
  ValidatedHandlers,
} from './route-options.js';

/** What a client needs to know about a route. It exists only in types. */
export interface RouteContract {
  /** In upper case; `ALL` for every method; a union for several. */
  readonly method: string;
  /** The pattern, without the prefix of the router or controller. */
  readonly path: string;
  /** The parameters of the path, as the schema accepts them. */
  readonly params: unknown;
  /** The query, as the schema accepts it. */
  readonly query: unknown;
  /** The body, as the schema accepts it. */
  readonly body: unknown;
  /** The bodies of responses, by status. */
  readonly response: unknown;
  /** The statuses of `response`. */
  readonly status: number;
  /** The codes of the problems that the route declares, by status. */
  readonly errors: unknown;
}

/** A route of `router.define()`, from one of the functions that the callback receives. */
export interface DefinedRoute<Contract extends RouteContract = RouteContract> {
  /** Exists only in types. A union for a route with several paths. */
  readonly '~contract': Contract;
}

/**
 * The functions that create routes, one for each method. `all` handles methods without another route, and `on`
 * several methods.
 */
export type RouteBuilders<P, S extends State> = {
  readonly [Name in BuilderName]: RouteBuilder<Uppercase<Name>, P, S>;
} & { readonly on: MethodsBuilder<P, S> };

type BuilderName =
  | ('get' | 'post' | 'put' | 'patch' | 'delete' | 'query')
  | ('head' | 'options' | 'all');

/** Registers a route, and returns it for the record of routes. */
export interface RouteBuilder<Method extends string, P, S extends State> {
  /**
   * @param path - Pattern below the prefix, such as `/:id`, or an array of patterns.
   * @param options - Schemas, status and documentation of the route.
   * @param handler - Returns what the response schema produces.
   */
  <
    Path extends string,
    const Options extends RouteOptions,
    const Result extends HandlerResult<ResponseValue<Options>>,
  >(
    path: Path | readonly Path[],
    options: Options & OnlyRouteOptions<Options>,
    handler: ValidatedHandler<Options, RouteParams<P, Path>, S, Result>,
  ): DefinedRoute<ContractOf<Method, Path, P, Options, Result>>;
  /**
   * @param path - Pattern below the prefix, such as `/:id`, or an array of patterns.
   * @param options - Schemas, status and documentation of the route.
   * @param middleware - Middleware of this route.
   * @param handler - Returns what the response schema produces.
   */
  <
    Path extends string,
    const Options extends RouteOptions,
    const Result extends HandlerResult<ResponseValue<Options>>,
    A extends object = State,
  >(
    path: Path | readonly Path[],
    options: Options & OnlyRouteOptions<Options>,
    middleware: RouteFunction<RouteParams<P, Path>, NoInfer<S> & A>,
    handler: ValidatedHandler<Options, RouteParams<P, Path>, S & A, Result>,
  ): DefinedRoute<ContractOf<Method, Path, P, Options, Result>>;
  /**
   * @param path - Pattern below the prefix, such as `/:id`, or an array of patterns.
   * @param options - Schemas, status and documentation of the route.
   * @param handlers - Middleware of this route, then its handler, which returns what the response schema
   *   produces.
   */
  <
    Path extends string,
    const Options extends RouteOptions,
    const Result extends HandlerResult<ResponseValue<Options>>,
    Sets extends readonly unknown[],
  >(
    path: Path | readonly Path[],
    options: Options & OnlyRouteOptions<Options>,
    ...handlers: ValidatedHandlers<Options, RouteParams<P, Path>, S, Sets, Result>
  ): DefinedRoute<ContractOf<Method, Path, P, Options, Result>>;
  /**
   * @param path - Pattern below the prefix, such as `/:id`, or an array of patterns.
   * @param handlers - Middleware of this route, then its handler.
   */
  <Path extends string, Result, Sets extends readonly unknown[]>(
    path: Path | readonly Path[],
    ...handlers: PlainHandlers<RouteParams<P, Path>, S, Sets, Result>
  ): DefinedRoute<ContractOf<Method, Path, P, unknown, Result>>;
  // When more than three overloads reject a call, TypeScript explains only why the last one does: one of these.
  <
    Path extends string,
    const First,
    const Result extends HandlerResult<ResponseValue<First>>,
    A extends object = State,
  >(
    path: Path | readonly Path[],
    first: FirstArgument<First, RouteParams<P, Path>, NoInfer<S> & A>,
    handler: ValidatedHandler<First, RouteParams<P, Path>, NoInfer<S & A>, Result>,
  ): DefinedRoute<ContractOf<Method, Path, P, First, Result>>;
  <
    Path extends string,
    const First,
    const Result extends HandlerResult<ResponseValue<First>>,
    A extends object = State,
    B extends object = State,
  >(
    path: Path | readonly Path[],
    first: FirstArgument<First, RouteParams<P, Path>, NoInfer<S> & A>,
    second: RouteFunction<RouteParams<P, Path>, NoInfer<S & A> & B>,
    handler: ValidatedHandler<First, RouteParams<P, Path>, NoInfer<S & A & B>, Result>,
  ): DefinedRoute<ContractOf<Method, Path, P, First, Result>>;
}

/** Registers a route for several methods, such as `['PUT', 'PATCH']`, with the other arguments of {@link RouteBuilder}. */
export interface MethodsBuilder<P, S extends State> {
  <
    const Method extends string,
    Path extends string,
    const Options extends RouteOptions,
    const Result extends HandlerResult<ResponseValue<Options>>,
    Sets extends readonly unknown[],
  >(
    methods: Method | readonly Method[],
    path: Path | readonly Path[],
    options: Options,
    ...handlers: ValidatedHandlers<Options, RouteParams<P, Path>, S, Sets, Result>
  ): DefinedRoute<ContractOf<Method, Path, P, Options, Result>>;
  <const Method extends string, Path extends string, Result, Sets extends readonly unknown[]>(
    methods: Method | readonly Method[],
    path: Path | readonly Path[],
    ...handlers: PlainHandlers<RouteParams<P, Path>, S, Sets, Result>
  ): DefinedRoute<ContractOf<Method, Path, P, unknown, Result>>;
}

/**
 * The contract of a route, or of each of its paths. A conditional type, because declarations of clients contain its
 * result instead of its name, and so do not import it.
 */
export type ContractOf<Method, Path extends string, PrefixParams, Options, Result> =
  ExpandedPath<Path> extends infer One
    ? One extends string
      ? {
          readonly method: Method;
          readonly path: One;
          readonly params: ContractInput<Options, 'params', RouteParams<PrefixParams, One>>;
          readonly query: ContractInput<Options, 'query', RawQuery>;
          readonly body: ContractInput<Options, 'body', unknown>;
          readonly response: {
            readonly [Status in ContractStatus<Options>]: ContractResponse<Options, Status, Result>;
          };
          readonly status: ContractStatus<Options>;
          readonly errors: ContractErrors<Options>;
        }
      : never
    : never;

/** The query without a schema. An inline type, so that declarations of clients do not import it. */
type RawQuery = Readonly<Record<string, string | undefined>>;

/** What a client passes for an input: what its schema accepts. */
type ContractInput<Options, Name extends string, Raw> = Options extends {
  readonly [Key in Name]: infer Schema extends StandardSchema;
}
  ? SchemaInput<Schema>
  : Raw;

/** The statuses of a route: those of its response schemas, and that of its options if none of them is successful. */
type ContractStatus<Options> = Options extends {
  readonly response: Readonly<Record<number, object>>;
}
  ? Extract<keyof Options['response'], number> extends infer Status extends number
    ? [Extract<`${Status}`, `2${string}`>] extends [never]
      ? Status | SingleStatus<Options>
      : Status
    : never
  : SingleStatus<Options>;

/** The codes that a route declares, by status. */
type ContractErrors<Options> = Options extends {
  readonly errors: infer Errors extends Readonly<Record<number, readonly string[]>>;
}
  ? Errors
  : unknown;

type SingleStatus<Options> = Options extends { readonly status: infer Status extends number }
  ? Status
  : 200;

/**
 * The body of a response: what its schema produces, or else what the handler returns. Undefined for a status without
 * a body.
 */
type ContractResponse<Options, Status extends number, Result> = Status extends 204 | 205
  ? undefined
  : Options extends { readonly response: infer Response }
    ? Response extends { readonly [Key in Status]: infer Schema }
      ? Received<Schema>
      : [Extract<keyof Response, number>] extends [never]
        ? Received<Response>
        : SentBody<Result>
    : SentBody<Result>;

/** What a client receives for a schema of a response. */
type Received<Schema> = Schema extends { readonly '~received': infer Value }
  ? Value
  : SchemaOutput<Schema>;

/**
 * What a client receives of what a handler returns: unknown for bodies that are not JSON, and if the handler responds
 * through the context. Of an event stream, only the type of its events, so that declarations of clients do not import
 * it.
 */
type SentBody<Result> =
  Awaited<Result> extends infer Value
    ? Value extends undefined
      ? undefined
      : // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return what ctx.json() returns
        Value extends Response | Exclude<ResponseBody, string> | void
        ? unknown
        : Value extends { readonly '~events': infer Event }
          ? { readonly '~events': Event }
          : Value
    : never;
