import { describeValue } from '@fairlead/options';
import type { State } from '../exchange/exchange.js';
import { METHODS } from '../node-http.js';
import { SetupError } from '../setup/setup-error.js';
import type {
  AddRoute,
  FirstArgument,
  HandlerResult,
  PlainHandlers,
  ResponseValue,
  RouteOptions,
  RouteParams,
  ValidatedHandler,
  ValidatedHandlers,
} from './route-options.js';

/** The method of a route that handles every method. */
export const ALL = 'ALL';

/** A method or pattern, or several of them. */
export type List = string | readonly string[];

/** A method that registers routes. */
export type Callee = (...args: never[]) => unknown;

/** Adds a route to an application or a router. */
export const ADD_ROUTE: unique symbol = Symbol('addRoute');

/** Registers routes, with one method for each HTTP method. */
export abstract class RouteMethods<PrefixParams, S extends State> {
  /** Registers a route for GET, and for HEAD unless the pattern has a HEAD route. */
  readonly get: AddRoute<PrefixParams, S, this> = this.#methodFor('GET');

  /** Registers a route for POST. */
  readonly post: AddRoute<PrefixParams, S, this> = this.#methodFor('POST');

  /** Registers a route for PUT. */
  readonly put: AddRoute<PrefixParams, S, this> = this.#methodFor('PUT');

  /** Registers a route for PATCH. */
  readonly patch: AddRoute<PrefixParams, S, this> = this.#methodFor('PATCH');

  /** Registers a route for DELETE. */
  readonly delete: AddRoute<PrefixParams, S, this> = this.#methodFor('DELETE');

  /** Registers a route for QUERY: a search, safe as with GET, with a body (RFC 10008). */
  readonly query: AddRoute<PrefixParams, S, this> = this.#methodFor('QUERY');

  /** Registers a route for HEAD. */
  readonly head: AddRoute<PrefixParams, S, this> = this.#methodFor('HEAD');

  /** Registers a route for OPTIONS. */
  readonly options: AddRoute<PrefixParams, S, this> = this.#methodFor('OPTIONS');

  /** Registers a route for every method that has no other route with this pattern. */
  readonly all: AddRoute<PrefixParams, S, this> = this.#methodFor(ALL);

  /**
   * Registers a route. Consecutive routes of an application take precedence as in a router, and its middleware
   * runs before the routes that are registered after it.
   *
   * @param method - `ALL` or a method from `http.METHODS` except CONNECT, in any case; or an array of them.
   * @param pattern - Static text, parameters such as `:name`, and a final `*name` or optional parameters `:name?`;
   *   relative to the mount prefix. Or an array of patterns.
   * @param options - Schemas and documentation of the route; optional.
   * @param handlers - Middleware of this route, then its handler.
   * @throws {SealedError} When the application or the router is sealed. The start reports any other problem, such as
   *   a second route with an equivalent pattern, an invalid pattern, option or method, or a missing handler.
   */
  on<
    Path extends string,
    const Options extends RouteOptions,
    const Output extends HandlerResult<ResponseValue<Options>>,
  >(
    method: string | readonly string[],
    pattern: Path | readonly Path[],
    options: Options,
    handler: ValidatedHandler<Options, RouteParams<PrefixParams, Path>, S, Output>,
  ): this;
  on<
    Path extends string,
    const Options extends RouteOptions,
    const Output extends HandlerResult<ResponseValue<Options>>,
    Sets extends readonly unknown[],
  >(
    method: string | readonly string[],
    pattern: Path | readonly Path[],
    options: Options,
    ...handlers: ValidatedHandlers<Options, RouteParams<PrefixParams, Path>, S, Sets, Output>
  ): this;
  on<Path extends string, Sets extends readonly unknown[]>(
    method: string | readonly string[],
    pattern: Path | readonly Path[],
    ...handlers: PlainHandlers<RouteParams<PrefixParams, Path>, S, Sets>
  ): this;
  // When more than three overloads reject a call, TypeScript explains only why the last one does.
  on<
    Path extends string,
    const First,
    const Output extends HandlerResult<ResponseValue<First>>,
    A extends object = State,
  >(
    method: string | readonly string[],
    pattern: Path | readonly Path[],
    first: FirstArgument<First, RouteParams<PrefixParams, Path>, NoInfer<S> & A>,
    handler: ValidatedHandler<First, RouteParams<PrefixParams, Path>, NoInfer<S & A>, Output>,
  ): this;
  on(method: List, pattern: List, ...rest: readonly unknown[]): this {
    return this[ADD_ROUTE](method, pattern, rest, this.on);
  }

  /**
   * @internal
   * @param callee - The method that the application has called.
   */
  abstract [ADD_ROUTE](method: List, pattern: List, rest: readonly unknown[], callee: Callee): this;

  #methodFor(method: string): AddRoute<PrefixParams, S, this> {
    const add = (pattern: List, ...rest: readonly unknown[]): this =>
      this[ADD_ROUTE](method, pattern, rest, add);
    return add;
  }
}

/** Returns the call that registers a route, for messages. */
export function nameCall(owner: string, method: unknown, pattern: unknown): string {
  const name = typeof method === 'string' ? method.toLowerCase() : 'on';
  const list = Array.isArray(pattern) ? `[${pattern.map(describeValue).join(', ')}]` : '';
  return `${owner}.${name}(${typeof pattern === 'string' ? `'${pattern}'` : list})`;
}

/**
 * Validates the method of a route.
 *
 * @param method - `ALL` or a method that node:http supports, in any case.
 * @returns The method in upper case.
 * @throws {SetupError} `INVALID_METHOD`, when no request can have the method.
 */
export function parseMethod(method: unknown): string {
  const upper = typeof method === 'string' ? method.toUpperCase() : '';
  // node:http closes the connection of a CONNECT request.
  if (upper === ALL || (METHODS.includes(upper) && upper !== 'CONNECT')) return upper;
  const hint = method === 'error' ? ' To receive errors, pass onError to createApp().' : '';
  throw new SetupError(
    'INVALID_METHOD',
    `A route cannot handle the method ${describeValue(method)}. Use 'ALL', or a method from http.METHODS except CONNECT.${hint}`,
  );
}
