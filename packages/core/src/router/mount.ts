import { named } from '@fairlead/options';
import { mediaTypesOf, opensWebSocket, roleOf } from '../annotations/description.js';
import type { AnyContext, Context } from '../context/context.js';
import type { Next } from '../exchange/after-next.js';
import {
  EXCHANGE,
  type Exchange,
  type MatchedRoute,
  type RouteTable,
} from '../exchange/exchange.js';
import { decodeParams } from '../exchange/params.js';
import { type Branch, compose, type Middleware, traceMiddleware } from '../pipeline/pipeline.js';
import { Sample } from '../pipeline/sample.js';
import { traced } from '../pipeline/tracing.js';
import { isPromiseLike } from '../promise.js';
import { appendHeader } from '../response/headers.js';
import { namedTypes } from '../schema/content.js';
import {
  createRouteWriter,
  createSender,
  mayBeEmpty,
  type SchemaPolicy,
} from '../schema/response-writer.js';
import { requireMediaType } from './declared-body.js';
import { announceDeprecation } from './deprecation.js';
import { takesRequest } from './fetch-handler.js';
import {
  type PathRules,
  type Pattern,
  parsePrefix,
  type Segment,
  significantSegments,
} from './pattern.js';
import { ALL } from './route-methods.js';
import { defaultStatus, handlerParts, type RouteOptions } from './route-options.js';
import type { AnyRouter } from './router.js';
import { type Match, Tree } from './tree.js';
import { createValidate } from './validate-request.js';
import type { VersionSource } from './version-source.js';

export interface MountedRouter {
  /** May contain parameters. */
  readonly prefix: string;
  readonly router: AnyRouter;
  /** Whether the application created the router for its own routes. */
  readonly isOwn?: boolean;
}

export interface MountedRoute {
  readonly method: string;
  /** The full pattern, with the prefix. */
  readonly pattern: Pattern;
  readonly options: RouteOptions;
  readonly handlers: readonly Middleware[];
  /** What runs for its requests, in order: middleware of the application, then the handlers. */
  readonly functions: readonly Middleware[];
}

export interface PrefixedMiddleware {
  /** May contain parameters. `/` is for all paths. */
  readonly prefix: string;
  readonly middleware: readonly Middleware[];
}

/** What one call has registered on an application. */
export type Entry = PrefixedMiddleware | MountedRouter;

/**
 * Creates the tree of a prefix. It matches the path of the prefix and the paths below it, for all methods.
 */
function createPrefixTree(prefix: readonly Segment[], rules: PathRules): Tree<true> {
  const tree = new Tree<true>(rules);
  const kept = significantSegments({ segments: prefix }, { ...rules, strict: false });
  tree.insert(ALL, { segments: [...kept, { kind: 'wildcard', names: ['*'] }] }, true);
  return tree;
}

/** Creates the function that tells whether a path equals a prefix or is below it. */
export function createPrefixMatch(
  prefix: readonly Segment[],
  rules: PathRules,
): (path: string) => boolean {
  const tree = createPrefixTree(prefix, rules);
  // Any method would do.
  return (path) => tree.find('GET', path) !== undefined;
}

/** Creates the step that runs middleware for the paths that equal a prefix or are below it. */
export function createPrefixStep(
  { prefix, middleware }: PrefixedMiddleware,
  rules: PathRules,
): Branch {
  const { names, segments } = parsePrefix(prefix);
  const run = compose(middleware.map(traceMiddleware));
  const tree = createPrefixTree(segments, rules);
  const sample = new Sample();
  return Object.freeze({
    starts: tree.starts(),
    choose(exchange: Exchange<Context>): Middleware | undefined {
      const match = tree.find(exchange.method, exchange.target.path);
      if (match === undefined) return undefined;
      if (sample.next()) exchange.isObserved = true;
      if (names.length > 0) {
        // The value of the added wildcard is the last one, which has no name.
        const params = decodeParams({ names, endsInWildcard: false }, match.rawParams);
        exchange.prefixParams = { ...exchange.prefixParams, ...params };
        exchange.params = undefined;
      }
      return run;
    },
  });
}

interface ComposedRoute extends MatchedRoute {
  readonly run: Middleware;
  /** Responds to preflights for the route: its last `cors()`, if it has one. */
  readonly preflight: Middleware | undefined;
  readonly sample: Sample;
  readonly takesRequest: boolean;
  readonly opens: boolean;
  readonly version: string | undefined;
}

/**
 * Wraps the last function of a route, so that it gets a validated request and the route's status, and its return
 * value becomes the response.
 */
function wrapHandler(original: Middleware, route: string, options: RouteOptions): Middleware {
  const name = original.name || 'handler';
  const validation = createValidate(route, options);
  const validate = validation && traced('validation', route, validation);
  const status = defaultStatus(options);
  const sender = createSender(options);
  const write = sender ?? ((ctx: AnyContext, value: unknown) => ctx.respond(value));
  const published = traced('serialization', route, write);
  const send = published === write ? sender : published;
  const parts = handlerParts.get(original);
  const handler = parts?.run ?? traced('handler', name, original);
  const convert = parts?.convert;
  const respond: Middleware = (ctx, next) => {
    if (status !== undefined) {
      // Its value was checked when the route was registered.
      const exchange = ctx[EXCHANGE];
      if (exchange.phase === 'open') exchange.status = status;
    }
    const result = handler(ctx, next);
    if (result !== undefined && isPromiseLike(result)) return sendAfter(result, ctx);
    const value = convert === undefined ? result : convert(ctx, result);
    if (value === undefined) return;
    return send ? send(ctx, value) : ctx.respond(value);
  };
  // In `respond()` and `validated()`, these functions would make each request allocate what they close over.
  const sendAfter = (result: PromiseLike<unknown>, ctx: Context) =>
    Promise.resolve(result).then((settled) => {
      const value = convert === undefined ? settled : convert(ctx, settled);
      return send ? send(ctx, value) : ctx.respond(value);
    });
  const respondAfter = (validating: Promise<void>, ctx: Context, next: Next) =>
    validating.then(() => respond(ctx, next));
  const validated: Middleware = (ctx, next) => {
    const validating = validate?.(ctx);
    return validating === undefined ? respond(ctx, next) : respondAfter(validating, ctx, next);
  };
  const wrapped = validate === undefined ? respond : validated;
  return named(name, wrapped);
}

/** Whether a schema or the handler of a route reads the parsed body, as far as its options tell. */
function readsBody({ body, inputs = [] }: RouteOptions): boolean {
  return body !== undefined || inputs.some(({ source }) => source === 'body');
}

/** Returns the media types of bodies that a route accepts: those of its `content()`, or else of its parsers. */
function bodyTypes(
  { body, inputs = [] }: RouteOptions,
  functions: readonly Middleware[],
): readonly string[] {
  const schemas = [body, ...inputs.map(({ source, schema }) => source === 'body' && schema)];
  const named = schemas.flatMap(namedTypes);
  return named.length > 0 ? named : mediaTypesOf(functions);
}

/** Returns the media types of the bodies that a route describes; none unless it does. */
export function declaredTypes(
  options: RouteOptions,
  functions: readonly Middleware[],
): readonly string[] {
  if (!readsBody(options)) return [];
  const types = bodyTypes(options, functions);
  return types.length > 0 ? types : ['application/json'];
}

/** The routes of a mounted router. */
export interface MountedRoutes extends Omit<RouteTable, 'takesRequest'>, Branch {
  /** Whether the route that matches takes the whole request; undefined if no route matches. */
  takesRequest(exchange: Exchange): boolean | undefined;
  /** Returns the versions of the routes that match a path; undefined without versions. */
  versions?(path: string): readonly string[];
}

/**
 * Composes the pipeline of each route of a router, and returns the step that selects one for a request.
 *
 * @param policy - How the application applies the schemas of its routes.
 * @param problems - Receives the errors of response schemas that cannot be compiled.
 * @param unknown - Receives the routes whose response schemas are unknown in part, by reason.
 * @param source - Where requests name versions.
 */
export function createMount(
  rules: PathRules,
  routes: readonly MountedRoute[],
  policy: SchemaPolicy,
  problems: Error[],
  unknown: Map<string, Map<string, RouteOptions>>,
  source: VersionSource | undefined,
): MountedRoutes {
  const tree = new Tree<ComposedRoute>(rules);
  const composed: (readonly [string, Pattern, ComposedRoute])[] = [];
  for (const { method, pattern, options, handlers, functions } of routes) {
    const name = `${method} ${pattern.text}`;
    const steps = handlers.map((handler, index) =>
      index === handlers.length - 1
        ? wrapHandler(handler, name, options)
        : traceMiddleware(handler, index),
    );
    if (method === 'QUERY') steps.splice(-1, 0, requireMediaType);
    if (typeof options.deprecated === 'object')
      steps.unshift(announceDeprecation(options.deprecated));
    const [first, ...others] = steps;
    // A single handler needs no pipeline: its `next` is the `next` of the mounted router.
    const run = first !== undefined && others.length === 0 ? first : compose(steps);
    const { text, names, endsInWildcard } = pattern;
    const writer = createRouteWriter(name, options, policy, problems, unknown);
    const declaresBody = readsBody(options);
    const isQuery = method === 'QUERY' && !declaresBody;
    const parsesJson = declaresBody && mediaTypesOf(functions).length === 0;
    const mediaTypes = (isQuery ? bodyTypes : declaredTypes)(options, functions);
    const preflight = handlers.findLast((handler) => roleOf(handler) === 'cors');
    const route: ComposedRoute = {
      pattern: text,
      names,
      endsInWildcard,
      isDeprecated: Boolean(options.deprecated),
      mediaTypes,
      parsesJson,
      takesRequest: takesRequest(options),
      opens: opensWebSocket(handlers),
      version: options.version,
      writer,
      mayBeEmpty: options.response && ((status) => mayBeEmpty(options, status)),
      run,
      preflight,
      sample: new Sample(),
    };
    tree.insert(method, pattern, route);
    composed.push([method, pattern, route]);
  }
  const known = [...new Set(composed.flatMap(([, , { version }]) => version ?? []))];
  const versioned =
    source && known.length > 0
      ? source.index(() => new Tree<ComposedRoute>(rules), tree, composed)
      : undefined;
  /** Returns the versions that a request asks for. Caches learn what the response depends on. */
  const readVersions = (exchange: Exchange): readonly string[] => {
    appendHeader(exchange, 'Vary', source?.header ?? 'Accept');
    return source?.requested(exchange.req.headers) ?? [];
  };
  /** Finds the route that responds to a preflight, which names no version. */
  const findPreflight = ({ req, target }: Exchange): Match<ComposedRoute> | undefined => {
    const { 'access-control-request-method': method } = req.headers;
    if (method === undefined) return undefined;
    const { path } = target;
    const others = known.map((version) => versioned?.find(method, path, [version]));
    return [tree.find(method, path), ...others].find((match) => match?.value.preflight);
  };
  return Object.freeze({
    starts: tree.starts(),
    choose(exchange: Exchange<Context>): Middleware | undefined {
      const { method, target } = exchange;
      let own = tree.find(method, target.path);
      if (own?.value.version !== undefined)
        own = versioned?.find(method, target.path, readVersions(exchange));
      const match = own ?? (method === 'OPTIONS' ? findPreflight(exchange) : undefined);
      if (match === undefined) return undefined;
      exchange.route = match.value;
      exchange.rawParams = match.rawParams;
      exchange.params = undefined;
      if (own === undefined) return match.value.preflight;
      if (match.value.sample.next()) exchange.isObserved = true;
      return match.value.run;
    },
    methods: (path: string, exchange: Exchange) =>
      versioned?.isVersioned(path)
        ? versioned.methods(path, readVersions(exchange), exchange.method === 'OPTIONS')
        : tree.methods(path),
    ...(versioned && { versions: (path: string) => versioned.versions(path) }),
    takesRequest({ method, target: { path }, req }: Exchange): boolean | undefined {
      let match = tree.find(method, path);
      if (match?.value.version !== undefined)
        match = versioned?.find(method, path, source?.requested(req.headers) ?? []);
      return match?.value.takesRequest;
    },
    opens: (path: string) => tree.find('GET', path)?.value.opens ?? false,
    queryTypes: (path: string) => tree.find('QUERY', path)?.value.mediaTypes ?? [],
  });
}
