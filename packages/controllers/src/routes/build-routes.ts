import type { Context, Handler, Middleware } from '@fairlead/core';
import {
  type Constructor,
  type ContainerInterface,
  describeToken,
  container as globalContainer,
  type InjectionToken,
  type Token,
} from '@fairlead/di';
import { checkMiddleware, checkResponses } from '../definition/check-definition.js';
import { ControllerRegistry } from '../definition/controller-registry.js';
import {
  type ControllerDefinition,
  joinPath,
  type RouteDefinition,
} from '../definition/definition.js';
import { throwProblems } from '../errors/startup-errors.js';
import {
  type InstanceSource,
  Instances,
  type Requirement,
  requiredTokens,
  wrongInstance,
} from '../instances/instances.js';
import type { Hold } from '../instances/request-scopes.js';
import { createReadArguments } from '../invocation/arguments.js';
import { createGuardCheck, guardName, type NamedGuard } from '../invocation/guards.js';
import { type CallMethod, createInvoker, intercept } from '../invocation/invoker.js';
import {
  type CompileResponse,
  createPrepareResponse,
  createRecordResponse,
  type ResponsePlan,
  ResponseWriters,
  type WriteJson,
} from '../invocation/response.js';
import { type RouteValues, setRouteValues } from '../metadata/class-metadata.js';
import {
  type Guard,
  type GuardFn,
  type Interceptor,
  isCanActivate,
  isGuardClass,
  type MiddlewareReference,
} from '../metadata/references.js';
import { chain } from '../promise.js';

/** A route that is ready to be registered on a router. */
export interface BuiltRoute extends RouteDefinition {
  /** Path below the plugin's prefix, relative to the router's mount. */
  readonly path: string;
  /** The plugin's middleware, then the class's and the method's. */
  readonly middleware: readonly MiddlewareReference[];
  /** The functions that a router runs. The last one runs the method. */
  readonly handlers: readonly Middleware[];
}

/** Options of `buildRoutes` and `registerController`. */
export interface BuildRoutesOptions {
  /** Precedes the path of each route; empty by default. */
  readonly prefix?: string;
  /** Precedes the middleware of each route; none by default. */
  readonly middleware?: readonly MiddlewareReference[];
  /** Resolves the controller, its guards, middleware and interceptors; the global container by default. */
  readonly container?: ContainerInterface;
  /** Called when disposing a request scope fails; `console.warn` by default. */
  readonly warn?: (message: string) => void;
  /** Compiles the response schemas of routes. Without it, they are not applied. */
  readonly compileResponse?: CompileResponse;
}

/** Everything that building a route needs besides its definition. */
export interface BuildContext {
  readonly prefix: string;
  readonly middleware: readonly MiddlewareReference[];
  readonly instances: Instances;
  readonly writers: ResponseWriters;
}

/**
 * Builds the routes of one controller without registering them.
 *
 * @param target - A class with `@Controller()`, or its definition.
 * @param options - Prefix, middleware and container.
 * @returns Frozen routes with method, path and handlers, in the order of the methods.
 * @throws {ControllerError} 500, like `registerController`, except for collisions.
 */
export function buildRoutes(
  target: Constructor | ControllerDefinition,
  options: BuildRoutesOptions = {},
): readonly BuiltRoute[] {
  const definition =
    typeof target === 'object' && target !== null
      ? target
      : new ControllerRegistry().register(target);
  const context = createBuildContext(options);
  const { middleware, instances, writers } = context;
  throwProblems(checkMiddleware(middleware));
  throwProblems(checkResponses([definition], writers));
  throwProblems(instances.check(requiredTokens([definition], middleware)));
  return buildCheckedRoutes(definition, context);
}

/** Creates the context for building routes from options and their defaults. */
export function createBuildContext({
  prefix = '',
  middleware = [],
  container = globalContainer,
  warn = console.warn,
  compileResponse,
}: BuildRoutesOptions): BuildContext {
  const instances = new Instances(container, warn);
  return { prefix, middleware, instances, writers: new ResponseWriters(compileResponse) };
}

/**
 * Builds the routes of a checked controller. Resolves shared instances now, not for each request.
 *
 * @throws {ControllerResolutionError} 500, when the container cannot resolve an instance, or returns
 *   one of the wrong kind.
 */
export function buildCheckedRoutes(
  { name, controller: target, routes }: ControllerDefinition,
  context: BuildContext,
): readonly BuiltRoute[] {
  const requirement: Requirement = { description: `the controller ${name}`, controller: target };
  const controller = context.instances.sourceOf(target, requirement);
  return Object.freeze(routes.map((route) => buildRoute(route, target, controller, context)));
}

/** Finds the source of a token. The description says what the route uses it for. */
type FindSource = (
  token: Token,
  description: string,
) => { readonly source: InstanceSource; readonly requirement: Requirement };

function buildRoute(
  route: RouteDefinition,
  target: Constructor,
  controller: InstanceSource,
  { prefix, middleware, instances, writers }: BuildContext,
): BuiltRoute {
  const sources = [controller];
  const findSource: FindSource = (token, text) => {
    const requirement = { description: `${text} of ${route.handler}`, controller: target };
    const source = instances.sourceOf(token, requirement);
    sources.push(source);
    return { source, requirement };
  };
  const references = Object.freeze([...middleware, ...route.middleware]);
  const steps = references.map((reference) => createStep('middleware', reference, findSource));
  const guards = route.guards.map((guard, index) => createNamedGuard(guard, index, findSource));
  const interceptors = route.interceptors.map((reference) =>
    createStep('interceptor', reference, findSource),
  );
  const write = writers.of(route.response);
  const values = route.metadata.size > 0 ? [createValuesStep(route.metadata)] : [];
  const isScoped =
    instances.hasScopes && sources.some(({ perRequest }) => perRequest !== undefined);
  const scope = isScoped ? [instances.scopes.middleware] : [];
  const hold: Hold = isScoped ? instances.scopes.hold : (run) => run;
  const invoker = createRouteInvoker(route, { controller, guards, interceptors, write, hold });
  const built: BuiltRoute = Object.freeze({
    ...route,
    path: joinPath(prefix, route.path),
    middleware: references,
    handlers: Object.freeze([...values, ...scope, ...steps.map(hold), invoker]),
  });
  ROUTES.set(invoker, built);
  return built;
}

/** Routes by the last of their handlers. The router keeps only the handlers, not the route. */
const ROUTES = new WeakMap<Middleware, BuiltRoute>();

/** Finds the route that a handler was built for; undefined if the handler is not from a controller. */
export function routeOf(handler: Middleware | undefined): BuiltRoute | undefined {
  return handler === undefined ? undefined : ROUTES.get(handler);
}

function createValuesStep(values: RouteValues): Middleware {
  return (ctx, next) => {
    setRouteValues(ctx, values);
    return next();
  };
}

/** A middleware or an interceptor. They differ in what `next` returns. */
type Step<Next> = (ctx: Context, next: Next) => unknown;

/**
 * Turns a reference to a middleware or an interceptor into a function.
 *
 * @throws {ControllerResolutionError} 500, when the container does not return a function.
 */
function createStep<Next>(
  kind: 'middleware' | 'interceptor',
  reference: Step<Next> | InjectionToken<Step<Next>> | string | symbol,
  findSource: FindSource,
): Step<Next> {
  if (typeof reference === 'function') return reference;
  const { source, requirement } = findSource(reference, `the ${kind} ${describeToken(reference)}`);
  const asStep = (instance: unknown): Step<Next> => {
    if (typeof instance === 'function') return instance as Step<Next>;
    throw wrongInstance('a function (ctx, next)', requirement, instance);
  };
  if (source.perRequest === undefined) return asStep(source.instance);
  if ('instance' in source) asStep(source.instance);
  return (ctx, next) => chain(source.perRequest(ctx), (value) => asStep(value)(ctx, next));
}

/**
 * Turns a guard into a function with a name.
 *
 * @throws {ControllerResolutionError} 500, when the container does not return a guard.
 */
function createNamedGuard(guard: Guard, index: number, findSource: FindSource): NamedGuard {
  const name = guardName(guard, index);
  if (typeof guard === 'function' && !isGuardClass(guard)) return { name, check: guard };
  const { source, requirement } = findSource(guard, `the guard ${describeToken(guard)}`);
  if (source.perRequest === undefined) {
    return { name, check: asGuardFn(source.instance, requirement) };
  }
  if ('instance' in source) asGuardFn(source.instance, requirement);
  return {
    name,
    check: (ctx) => chain(source.perRequest(ctx), (value) => asGuardFn(value, requirement)(ctx)),
  };
}

function asGuardFn(instance: unknown, requirement: Requirement): GuardFn {
  if (typeof instance === 'object' && instance !== null && isCanActivate(instance)) {
    return (ctx) => instance.canActivate(ctx);
  }
  if (typeof instance === 'function' && !isGuardClass(instance)) return instance as GuardFn;
  throw wrongInstance('a function or an object with canActivate()', requirement, instance);
}

/** The parts of a route's invoker. */
interface InvokerParts {
  readonly controller: InstanceSource;
  readonly guards: readonly NamedGuard[];
  readonly interceptors: readonly Interceptor[];
  readonly write: WriteJson | undefined;
  readonly hold: Hold;
}

function createRouteInvoker(
  route: RouteDefinition,
  { controller, guards, interceptors, write, hold }: InvokerParts,
): Handler {
  const { handler, parameters, status, headers, redirect } = route;
  const takesResponse = parameters.some(({ source }) => source === 'res');
  const plan: ResponsePlan = { handler, status, headers, redirect, takesResponse, write };
  const invoker = createInvoker({
    checkGuards: createGuardCheck(guards, handler),
    readArguments: createReadArguments(parameters, handler),
    prepareResponse: createPrepareResponse(plan),
    callMethod: intercept(hold(createCall(route, controller)), interceptors.map(hold)),
    recordResponse: createRecordResponse(plan),
  });
  return Object.defineProperty(hold(invoker), 'name', { value: handler });
}

type Method = (...values: unknown[]) => unknown;

function createCall(route: RouteDefinition, controller: InstanceSource): CallMethod {
  if (controller.perRequest === undefined) {
    const { instance } = controller;
    const method = methodOf(instance, route);
    return (_ctx, values) => method.apply(instance, values);
  }
  if ('instance' in controller) methodOf(controller.instance, route);
  return (ctx, values) =>
    chain(controller.perRequest(ctx), (instance) =>
      methodOf(instance, route).apply(instance, values),
    );
}

/** Reads the method from the instance, because a container may return a replacement. */
function methodOf(instance: unknown, { methodName, handler }: RouteDefinition): Method {
  const method: unknown = (instance as Record<string | symbol, unknown> | null | undefined)?.[
    methodName
  ];
  if (typeof method === 'function') return method as Method;
  const requirement: Requirement = { description: `the controller of ${handler}` };
  throw wrongInstance(`an object with a method ${String(methodName)}()`, requirement, instance);
}
