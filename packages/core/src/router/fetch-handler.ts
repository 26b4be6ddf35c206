import {
  arrayOf,
  boolean,
  describeValue,
  fn,
  type Kinds,
  kind,
  routeDocumentation,
} from '@fairlead/options';
import { describe } from '../annotations/description.js';
import { parseLimit } from '../body/parsers.js';
import type { Context } from '../context/context.js';
import { requestOf } from '../context/context-errors.js';
import { createWebRequest } from '../context/web-request.js';
import { InternalServerError } from '../errors/http-error.js';
import { closingOf, EXCHANGE, type State } from '../exchange/exchange.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isResponse } from '../response/record.js';
import { assertOptions } from '../setup/options.js';
import { SetupError } from '../setup/setup-error.js';
import type { MiddlewareList, RouteDocumentation, RouteOptions } from './route-options.js';
import { createShield } from './shield.js';

/** A function that takes a web `Request`, such as the handler of a library, or an object with such a function. */
export type FetchHandler =
  | ((request: Request) => Response | Promise<Response>)
  | { fetch(request: Request): Response | Promise<Response> };

/**
 * Options of `mount()`.
 *
 * @typeParam Sets - The members of `ctx.state` that each middleware sets.
 */
export interface MountOptions<
  P extends object = object,
  S extends State = State,
  Sets extends readonly unknown[] = readonly unknown[],
> extends RouteDocumentation {
  /** Whether the URL of the `Request` lacks the prefix; false by default. */
  readonly strip?: boolean;
  /** Largest body, in bytes or as a string such as `'64kb'`; `'1mb'` by default. */
  readonly limit?: number | string;
  /** Middleware that runs before the handler. */
  readonly middleware?: MiddlewareList<P, S, Sets>;
  /** Whether generated documents leave it out; true by default. */
  readonly hidden?: boolean;
}

const KINDS: Kinds<MountOptions> = {
  strip: boolean,
  limit: kind(
    "a number of bytes or a string such as '64kb'",
    (value) => !Number.isNaN(parseLimit(value)),
  ),
  middleware: arrayOf(fn, 'an array of functions'),
  ...routeDocumentation,
};

/** The options of routes whose handler takes the whole request, so that parsers leave its body. */
const taking = new WeakSet<RouteOptions>();

/** Whether the handler of a route takes the whole request. */
export function takesRequest(options: RouteOptions): boolean {
  return taking.has(options);
}

/**
 * Creates the route of a mounted handler.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid, or the handler is no function.
 */
export function createFetchRoute(
  call: string,
  handler: unknown,
  options: MountOptions,
): { readonly options: RouteOptions; readonly handlers: readonly Middleware[] } {
  assertOptions(call, options, KINDS);
  const { strip = false, limit = '1mb', middleware = [], ...documentation } = options;
  const fetch: unknown =
    typeof handler === 'function' ? handler : Reflect.get(Object(handler), 'fetch');
  if (typeof fetch !== 'function') {
    const text = `${call} received ${describeValue(handler)} instead of a function (request) => Response. Pass the handler, or an object with the method fetch().`;
    throw new SetupError('INVALID_OPTION', text);
  }
  const run = createHandler(
    call,
    (request) => fetch.call(handler, request),
    strip,
    parseLimit(limit),
  );
  const route: RouteOptions = { hidden: true, ...documentation };
  taking.add(route);
  const shielded = describe(run, { enter: createShield });
  return { options: route, handlers: [...(middleware as readonly Middleware[]), shielded] };
}

function createHandler(
  call: string,
  fetch: (request: Request) => unknown,
  strip: boolean,
  limit: number,
): Middleware {
  return async function mounted(ctx: Context) {
    const exchange = ctx[EXCHANGE];
    const ending = new AbortController();
    const signal = AbortSignal.any([ctx.signal, ending.signal]);
    const path = strip ? pathBelow(exchange.route?.pattern ?? '', ctx.path) : ctx.path;
    const response = await fetch(createWebRequest(exchange, { path, signal, limit }));
    if (!isResponse(response)) {
      throw new InternalServerError(
        `The handler of ${call} returned ${describeValue(response)} for ${requestOf(exchange)}. Return a Response.`,
      );
    }
    if (response.body !== null) endWhenClosing(ctx, closingOf(exchange), ending);
    return response;
  };
}

/** Aborts what still produces a response when the server closes, so that the shutdown does not wait for it. */
function endWhenClosing(ctx: Context, closing: AbortSignal, ending: AbortController): void {
  const end = (): void => ending.abort(closing.reason);
  if (closing.aborted) end();
  closing.addEventListener('abort', end, { once: true });
  ctx.onFinish(() => closing.removeEventListener('abort', end));
}

/** Returns the part of a path that the wildcard at the end of a pattern matches. */
function pathBelow(pattern: string, path: string): string {
  const depth = pattern.split('/').length - 1;
  return `/${path.split('/').slice(depth).join('/')}`;
}
