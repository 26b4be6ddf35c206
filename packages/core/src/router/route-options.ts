import {
  arrayOf,
  explainUndescribedStatus,
  isPlainObject,
  type Kinds,
  kind,
  object,
  oneOf,
  routeDocumentation,
  routeResponse,
  routeStatus,
  routeVersion,
  schemaKind,
} from '@fairlead/options';
import {
  acceptsAbsence,
  type DeclaredOutput,
  isStandardSchema,
  type JsonSchema,
  type ReadonlyDeep,
  type SchemaOutput,
  type StandardSchema,
} from '@fairlead/schemas';
import { isSecurity, type Security } from '../annotations/documentation.js';
import type { Context } from '../context/context.js';
import type { Next } from '../exchange/after-next.js';
import type { Params, RawInputs, State } from '../exchange/exchange.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { responseSchemas, typeBodies } from '../schema/content.js';
import type { RouteInput } from '../schema/text-inputs.js';
import { assertOptions } from '../setup/options.js';
import { SetupError } from '../setup/setup-error.js';
import type { ExpandedPath, NamedParams, PathParams } from './pattern.js';

/** What tools need to know about a route, for documentation. */
export interface RouteDocumentation {
  /** One line. */
  readonly summary?: string;
  /** May contain Markdown. */
  readonly description?: string;
  /** Groups that the route belongs to. */
  readonly tags?: readonly string[];
  /** Whether the route is deprecated, or since when. Clients learn dates from headers. */
  readonly deprecated?: boolean | Deprecation;
  /** Identifies the route in generated documents and clients. */
  readonly operationId?: string;
  /** Whether generated documents leave the route out. */
  readonly hidden?: boolean;
  /**
   * Why everyone may call the route. It documents, and exempts from nothing: with `createApp({ access: 'declared' })`, a
   * route that authenticates requests must not have it.
   */
  readonly public?: string;
  /** Members that generated documents add to the operation, such as `{ 'x-internal': true }`. */
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>>;
  /**
   * Statuses of errors that the route responds with, besides those that its other options imply: `[404, 409]`,
   * or with the codes of each status: `{ 404: ['USER_NOT_FOUND'] }`.
   */
  readonly errors?: readonly number[] | Readonly<Record<number, readonly string[]>>;
  /** Whether the route is a tool for agents, for `@fairlead/mcp`; false by default. */
  readonly tool?: boolean | RouteTool;
}

/** When a route was deprecated, and what clients should do. Responses have it as headers. */
export interface Deprecation {
  /** The day, such as `2026-01-31`: `Deprecation`. RFC 9745 */
  readonly since: string;
  /** The day from which on the route may be gone: `Sunset`. RFC 8594. The start warns from then on. */
  readonly sunset?: string;
  /** What to call instead, a URL or a path: `Link` with `rel="successor-version"`. */
  readonly replacement?: string;
  /** A page that explains it, a URL or a path: `Link` with `rel="deprecation"`. */
  readonly link?: string;
}

/** A route as a tool for agents. */
export interface RouteTool {
  /** 1 to 128 letters, digits, `_`, `-` and `.`; by default the operation ID, or method and path. */
  readonly name?: string;
  /** What the tool does, and when to use it; by default the summary and description of the route. */
  readonly description?: string;
}

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

type NumberOf<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** A schema for each status from 200 to 599. */
type StatusSchemas = {
  readonly [Status in NumberOf<`${2 | 3 | 4 | 5}${Digit}${Digit}`>]?: StandardSchema | JsonSchema;
};

/**
 * The responses of a route: a Standard Schema or a JSON Schema for every successful status, or one for each status.
 */
export type ResponseSchemas = StandardSchema | JsonSchema | StatusSchemas;

/** Schemas and documentation of a route. */
export interface RouteOptions extends RouteDocumentation {
  /** Validates the path parameters. Its output becomes `ctx.params`. */
  readonly params?: StandardSchema;
  /**
   * Status of requests whose path parameters a schema rejects: 404, as for an unknown path. By default, that of other
   * invalid requests.
   */
  readonly invalidParams?: 404;
  /** Validates the query parameters. Its output becomes `ctx.query`. */
  readonly query?: StandardSchema;
  /** Validates the headers, by lower-case name. Its output becomes `ctx.headers`. */
  readonly headers?: StandardSchema;
  /** Validates the parsed body. Its output becomes `ctx.body`. `content()` has a schema for each media type. */
  readonly body?: StandardSchema;
  /**
   * Describes successful responses, or those of each status: `{ 201: User }`. A Standard Schema or a JSON
   * Schema. Handlers return what the schema produces. Members that it does not describe are removed. The result of
   * `content()` describes other media types, headers and examples.
   */
  readonly response?: ResponseSchemas;
  /**
   * Status of the response unless the handler sets one: 200 to 599. By default the status of `response`
   * if that has a single successful one, or else 200.
   */
  readonly status?: number;
  /** Inputs that the handlers read and validate themselves. */
  readonly inputs?: readonly RouteInput[];
  /**
   * The version of the route, for an application with the option `versions`. Routes of different versions may have the
   * same pattern. A route without one is for all versions.
   */
  readonly version?: string;
  /** Ways to authenticate. A request needs all of them, and one of each `{ anyOf }`. */
  readonly security?: readonly Security[];
}

/** The parts of a request as the schemas of a route produce them. */
export interface ValidatedInputs<Options> {
  readonly query: Validated<Options, 'query', RawInputs['query']>;
  readonly headers: Validated<Options, 'headers', RawInputs['headers']>;
  readonly body: Validated<Options, 'body', unknown>;
  readonly response: ResponseValue<Options>;
}

/** The path parameters as the schema of a route produces them. */
export type ValidatedParams<Options, P extends object> =
  Validated<Options, 'params', P> extends infer Output extends object ? Output : P;

type Validated<Options, Name extends string, Raw> = Options extends {
  readonly [Key in Name]: infer Schema extends StandardSchema;
}
  ? SchemaOutput<Schema>
  : Raw;

/** The values that a route may respond with; unknown without a `response`. */
export type ResponseValue<Options> = Options extends { readonly response: infer Response }
  ? Response extends StandardSchema
    ? Returnable<Response>
    : [Successful<keyof Response>] extends [never]
      ? unknown
      : StatusValue<Response>
  : unknown;

/** The statuses below 300. */
type Successful<Status> = Status extends number
  ? `${Status}` extends `2${string}`
    ? Status
    : never
  : never;

/** The values of all statuses. A member with another name makes it never. */
type StatusValue<Response> = [Exclude<keyof Response, number>] extends [never]
  ? Known<Returnable<Response[keyof Response]>>
  : never;

type Returnable<Schema> = Schema extends { readonly '~returned': infer Value }
  ? Value
  : ReadonlyDeep<DeclaredOutput<Schema>>;

/** A type, or unknown for the responses of a route that describes only statuses without a body. */
type Known<Value> = [Value] extends [never] ? unknown : Value;

/** What the handler of a route may return. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return what ctx.json() returns
export type Returned<Value> = unknown extends Value ? unknown : Value | Response | undefined | void;

/** What a handler may return, at once or as a promise. */
export type HandlerResult<Value> = Returned<Value> | Promise<Returned<Value>>;

/**
 * The parameters of a route: those of its path, and those of its router's declared prefix. For a union of paths, those
 * that only some of them have are optional.
 */
export type RouteParams<PrefixParams, Path extends string> = string extends Path
  ? Params
  : NamedParams<ExpandedPath<Path>, keyof PrefixParams & string>;

/**
 * A function of a route, which gets the parameters of the route and the state that the middleware before
 * it has set.
 */
export type RouteFunction<P extends object, S extends State> = (
  ctx: Context<P, S>,
  next: Next,
) => unknown;

/** The context in the handler of a route with options: its inputs are what the schemas produced. */
export type ValidatedContext<Options, P extends object, S extends State> = Context<
  ValidatedParams<Options, P>,
  S,
  ValidatedInputs<Options>
>;

/**
 * The handler of a route with options. It returns what the response schema produces, unless it responds
 * through `ctx`.
 */
export type ValidatedHandler<
  Options,
  P extends object,
  S extends State,
  Result = HandlerResult<ResponseValue<Options>>,
> = (ctx: ValidatedContext<Options, P, S>, next: Next) => Result;

/**
 * Middleware, of which each function may set members of `ctx.state`. TypeScript infers such a list as a whole, so a
 * function expression in it needs types for its parameters, unless it is the last one.
 *
 * @typeParam Sets - What each function sets.
 */
export type MiddlewareList<P extends object, S extends State, Sets extends readonly unknown[]> = {
  readonly [Index in keyof Sets]: RouteFunction<P, S & Sets[Index]>;
};

/** The arguments of `use()`: middleware, of which the last function gets what the others set, and sets `A`. */
export type MiddlewareArguments<
  S extends State,
  Sets extends readonly unknown[],
  A extends object,
> = readonly [
  ...MiddlewareList<Params, S, Sets>,
  RouteFunction<Params, NoInfer<S & SetByAll<Sets>> & A>,
];

/**
 * What the first argument of `app.use()` must be: a prefix if it is a string, or else middleware. The branch of `never`
 * lets TypeScript infer the argument.
 */
export type PrefixOrMiddleware<Argument, S extends State> = Argument extends string
  ? string
  : [Argument] extends [never]
    ? Argument
    : Middleware<S>;

/** All members of `ctx.state` that a list of middleware sets. */
export type SetByAll<Sets extends readonly unknown[]> = Sets extends readonly [
  infer First,
  ...infer Rest,
]
  ? First & SetByAll<Rest>
  : unknown;

/** Middleware of a route without options, then its handler. */
export type PlainHandlers<
  P extends object,
  S extends State,
  Sets extends readonly unknown[],
  Result = unknown,
> = readonly [
  ...middleware: MiddlewareList<P, S, Sets>,
  handler: (ctx: Context<P, S & SetByAll<Sets>>, next: Next) => Result,
];

/** Middleware of a route with options, then its handler. */
export type ValidatedHandlers<
  Options,
  P extends object,
  S extends State,
  Sets extends readonly unknown[],
  Result = HandlerResult<ResponseValue<Options>>,
> = readonly [
  ...middleware: MiddlewareList<P, S, Sets>,
  handler: ValidatedHandler<Options, P, S & SetByAll<Sets>, Result>,
];

/** Rejects options that have members other than those of routes. Unknown if they have none, so that they stay weak. */
export type OnlyRouteOptions<
  Options,
  Other extends PropertyKey = Exclude<keyof Options, keyof RouteOptions>,
> = [Other] extends [never] ? unknown : { readonly [Name in Other]: never };

/**
 * What the argument after the pattern must be: middleware if it is a function, or else options. The branch of `never`
 * lets TypeScript infer the argument.
 */
export type FirstArgument<Argument, P extends object, S extends State> = Argument extends (
  ...values: never[]
) => unknown
  ? RouteFunction<P, S>
  : [Argument] extends [never]
    ? Argument
    : RouteOptions;

/**
 * Registers a route: a pattern or an array of them, optionally its schemas and documentation, middleware of this
 * route, then its handler.
 *
 * The handler's return value becomes the response, unless it responds through `ctx`. The state that
 * middleware declares is part of `ctx.state` in the handler.
 *
 * @typeParam PrefixParams - Parameters of the prefix at which the router is mounted.
 * @typeParam S - Members of `ctx.state` that middleware has set.
 * @typeParam Result - The router or application.
 */
export interface AddRoute<PrefixParams, S extends State, Result> {
  <
    Path extends string,
    const Options extends RouteOptions,
    const Output extends HandlerResult<ResponseValue<Options>>,
  >(
    pattern: Path | readonly Path[],
    options: Options & OnlyRouteOptions<Options>,
    handler: ValidatedHandler<Options, RouteParams<PrefixParams, Path>, S, Output>,
  ): Result;
  <
    Path extends string,
    const Options extends RouteOptions,
    const Output extends HandlerResult<ResponseValue<Options>>,
    A extends object = State,
    B extends object = State,
  >(
    pattern: Path | readonly Path[],
    options: Options & OnlyRouteOptions<Options>,
    first: RouteFunction<RouteParams<PrefixParams, Path>, NoInfer<S> & A>,
    second: RouteFunction<RouteParams<PrefixParams, Path>, NoInfer<S & A> & B>,
    handler: ValidatedHandler<Options, RouteParams<PrefixParams, Path>, S & A & B, Output>,
  ): Result;
  <
    Path extends string,
    const Options extends RouteOptions,
    const Output extends HandlerResult<ResponseValue<Options>>,
    Sets extends readonly unknown[],
  >(
    pattern: Path | readonly Path[],
    options: Options & OnlyRouteOptions<Options>,
    ...handlers: ValidatedHandlers<Options, RouteParams<PrefixParams, Path>, S, Sets, Output>
  ): Result;
  <Path extends string, A extends object = State, B extends object = State>(
    pattern: Path | readonly Path[],
    first: RouteFunction<RouteParams<PrefixParams, Path>, NoInfer<S> & A>,
    second: RouteFunction<RouteParams<PrefixParams, Path>, NoInfer<S & A> & B>,
    handler: RouteFunction<RouteParams<PrefixParams, Path>, S & A & B>,
  ): Result;
  <Path extends string, Sets extends readonly unknown[]>(
    pattern: Path | readonly Path[],
    ...handlers: PlainHandlers<RouteParams<PrefixParams, Path>, S, Sets>
  ): Result;
  // When more than three overloads reject a call, TypeScript explains only why the last one does: one of these.
  <
    Path extends string,
    const First,
    const Output extends HandlerResult<ResponseValue<First>>,
    A extends object = State,
  >(
    pattern: Path | readonly Path[],
    first: FirstArgument<First, RouteParams<PrefixParams, Path>, NoInfer<S> & A>,
    handler: ValidatedHandler<First, RouteParams<PrefixParams, Path>, NoInfer<S & A>, Output>,
  ): Result;
  <
    Path extends string,
    const First,
    const Output extends HandlerResult<ResponseValue<First>>,
    A extends object = State,
    B extends object = State,
  >(
    pattern: Path | readonly Path[],
    first: FirstArgument<First, RouteParams<PrefixParams, Path>, NoInfer<S> & A>,
    second: RouteFunction<RouteParams<PrefixParams, Path>, NoInfer<S & A> & B>,
    handler: ValidatedHandler<First, RouteParams<PrefixParams, Path>, NoInfer<S & A & B>, Output>,
  ): Result;
  <
    Path extends string,
    const First,
    const Output extends HandlerResult<ResponseValue<First>>,
    A extends object = State,
    B extends object = State,
    C extends object = State,
  >(
    pattern: Path | readonly Path[],
    first: FirstArgument<First, RouteParams<PrefixParams, Path>, NoInfer<S> & A>,
    second: RouteFunction<RouteParams<PrefixParams, Path>, NoInfer<S & A> & B>,
    third: RouteFunction<RouteParams<PrefixParams, Path>, NoInfer<S & A & B> & C>,
    handler: ValidatedHandler<
      First,
      RouteParams<PrefixParams, Path>,
      NoInfer<S & A & B & C>,
      Output
    >,
  ): Result;
}

const schema = schemaKind(isStandardSchema);

const KINDS: Kinds<RouteOptions> = {
  params: schema,
  invalidParams: oneOf(404),
  query: schema,
  headers: schema,
  body: schema,
  response: routeResponse,
  status: routeStatus,
  version: routeVersion,
  inputs: arrayOf(object, 'an array of objects'),
  security: kind(
    'an array of objects { name, scheme } or { anyOf }, where scheme is a Security Scheme Object',
    (value) => Array.isArray(value) && isSecurity(value),
  ),
  ...routeDocumentation,
};

/**
 * Whether the first argument after a pattern is meant as options: a plain object of this or another realm,
 * or an instance of a class that has an option.
 */
export function isRouteOptions(argument: unknown): argument is RouteOptions {
  if (typeof argument !== 'object' || argument === null) return false;
  return (
    isPlainObject(argument) || Object.keys(argument).some((name) => Object.hasOwn(KINDS, name))
  );
}

/**
 * Checks the options of a route.
 *
 * @throws {SetupError} `INVALID_OPTION`, with every problem, and when `response` describes other statuses
 *   than `status`.
 */
export function checkRouteOptions(call: string, options: RouteOptions): void {
  assertOptions(call, options, KINDS);
  if (options.body !== undefined) typeBodies(options.body);
  const conflict = explainUndescribedStatus(options.status, [...responseSchemas(options).keys()]);
  if (conflict === undefined) return;
  const text = `${call} contradicts itself: ${conflict.problem}\n  Fix: ${conflict.fix}`;
  throw new SetupError('INVALID_OPTION', text);
}

/** Lists the inputs of a route: those that its schemas validate, then those that its handlers read. */
export function inputsOf({
  params,
  query,
  headers,
  body,
  inputs = [],
}: RouteOptions): readonly RouteInput[] {
  const own: RouteInput[] = [];
  if (params) own.push({ source: 'param', schema: params, required: true });
  if (query) own.push({ source: 'query', schema: query, required: true });
  if (headers) own.push({ source: 'header', schema: headers, required: true });
  if (body) own.push({ source: 'body', schema: body, required: acceptsAbsence(body) !== true });
  return [...own, ...inputs];
}

/** Returns the codes that a route declares for each status of its errors; none for a status without codes. */
export function errorCodes({
  errors = [],
}: RouteDocumentation): ReadonlyMap<number, readonly string[]> {
  const entries = Object.entries(errors);
  return new Map(
    entries.map(([key, one]) => (Array.isArray(one) ? [Number(key), one] : [one, []])),
  );
}

/** Returns the status of a route's response unless the handler sets one; undefined for 200. */
export function defaultStatus(options: RouteOptions): number | undefined {
  if (options.status !== undefined) return options.status;
  const [status, ...others] = [...responseSchemas(options).keys()].filter((key) => key < 300);
  return status !== undefined && status > 0 && others.length === 0 ? status : undefined;
}

/**
 * The last function of a route. Unless it responds through `ctx`, its return value becomes the response: a
 * JSON value, bytes, a stream, a `Blob`, an async iterable or a web `Response`.
 *
 * @typeParam Path - The pattern, from which `ctx.params` gets its type.
 * @typeParam S - Members of `ctx.state` that middleware has set.
 */
export type Handler<Path extends string = string, S extends object = State> = (
  ctx: Context<PathParams<Path>, State & S>,
  next: Next,
) => unknown;

/** The parts of a handler that publishes its own calls and converts its own results, as those of controllers do. */
export interface HandlerParts {
  readonly run: Handler;
  /** Returns the value to respond with for a settled result. */
  readonly convert: (ctx: Context, result: unknown) => unknown;
}

/** A route runs the parts in place of the handler, which takes one promise less. */
export const handlerParts = new WeakMap<object, HandlerParts>();
