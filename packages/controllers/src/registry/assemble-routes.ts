import type { Handler, Middleware } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import { createGuardPipeline, type GuardCheck } from '../guards/guard-pipeline.js';
import { type Call, intercept } from '../interceptors/intercept.js';
import type { Interceptor } from '../interceptors/interceptor.js';
import { createReadArguments } from '../invocation/arguments.js';
import { createInvoker } from '../invocation/invoker.js';
import { createPrepare, createRespond, type ResponsePlan } from '../invocation/respond.js';
import type { ResponseWriters, WriteJson } from '../invocation/response-writers.js';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import { type RouteValues, setRouteValues } from '../metadata/route-values.js';
import { chain } from '../promise.js';
import { rememberRoute } from './built-routes.js';
import { createGuardCheck } from './create-guard-check.js';
import { createStep } from './create-step.js';
import type { BuiltRoute, ControllerDefinition, RouteDefinition } from './definition.js';
import type { Instances, Supply, SupplyToken } from './instances.js';
import { joinPath } from './join-path.js';
import type { Hold } from './request-scopes.js';
import { type Subject, wrongInstance } from './subject.js';

/** What the routes of a controller are put together with. */
export interface Assembly {
  /** Precedes the path of each route. */
  readonly prefix: string;
  /** Precedes the middleware of each route. */
  readonly middleware: readonly MiddlewareReference[];
  readonly instances: Instances;
  readonly writers: ResponseWriters;
}

type Method = (...values: unknown[]) => unknown;

/**
 * Builds the routes of a controller that was checked: everything that a request needs is looked up
 * here, once.
 *
 * @throws {ControllerResolutionError} 500, when the container fails to build an instance, or
 *   supplies something that is no guard, no middleware or no interceptor.
 */
export function assembleRoutes(
  { name, controller: target, routes }: ControllerDefinition,
  assembly: Assembly,
): readonly BuiltRoute[] {
  const subject: Subject = { text: `the controller ${name}`, controller: target };
  const controller = assembly.instances.supply(target, subject);
  return Object.freeze(routes.map((route) => assembleRoute(route, target, controller, assembly)));
}

function assembleRoute(
  route: RouteDefinition,
  target: Constructor,
  controller: Supply,
  { prefix, middleware, instances, writers }: Assembly,
): BuiltRoute {
  const supplies = [controller];
  const supply: SupplyToken = (token, text) => {
    const subject: Subject = { text: `${text} of ${route.handler}`, controller: target };
    const supplied = instances.supply(token, subject);
    supplies.push(supplied);
    return { supplied, subject };
  };
  const references = Object.freeze([...middleware, ...route.middleware]);
  const steps = references.map((reference) => createStep('middleware', reference, supply));
  const checks = route.guards.map((guard, index) => createGuardCheck(guard, index, supply));
  const interceptors = route.interceptors.map((reference) =>
    createStep('interceptor', reference, supply),
  );
  const write = writers.of(route.response);
  const values = route.metadata.size > 0 ? [valuesStep(route.metadata)] : [];
  const isScoped =
    instances.hasScopes && supplies.some(({ perRequest }) => perRequest !== undefined);
  const scope = isScoped ? [instances.scopeMiddleware] : [];
  const hold: Hold = isScoped ? instances.hold : (run) => run;
  const invoker = createRouteInvoker(route, { controller, checks, interceptors, write, hold });
  const built: BuiltRoute = Object.freeze({
    ...route,
    path: joinPath(prefix, route.path),
    middleware: references,
    handlers: Object.freeze([...values, ...scope, ...steps.map(hold), invoker]),
  });
  rememberRoute(invoker, built);
  return built;
}

function valuesStep(values: RouteValues): Middleware {
  return (ctx, next) => {
    setRouteValues(ctx, values);
    return next();
  };
}

/** What a route's method is called with and within. */
interface RouteParts {
  readonly controller: Supply;
  readonly checks: readonly GuardCheck[];
  readonly interceptors: readonly Interceptor[];
  readonly write: WriteJson | undefined;
  readonly hold: Hold;
}

function createRouteInvoker(
  route: RouteDefinition,
  { controller, checks, interceptors, write, hold }: RouteParts,
): Handler {
  const { handler, parameters, status, headers, redirect } = route;
  const takesResponse = parameters.some(({ source }) => source === 'res');
  const plan: ResponsePlan = { handler, status, headers, redirect, takesResponse, write };
  const invoker = createInvoker({
    admit: createGuardPipeline(checks, handler),
    readArguments: createReadArguments(parameters, handler),
    prepare: createPrepare(plan),
    call: intercept(hold(createCall(route, controller)), interceptors.map(hold)),
    respond: createRespond(plan),
  });
  return Object.defineProperty(hold(invoker), 'name', { value: handler });
}

function createCall(route: RouteDefinition, controller: Supply): Call {
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

/** A container may supply a stand-in for a controller: its methods are called, not the class's. */
function methodOf(instance: unknown, { methodName, handler }: RouteDefinition): Method {
  const method: unknown = (instance as Record<string | symbol, unknown> | null | undefined)?.[
    methodName
  ];
  if (typeof method === 'function') return method as Method;
  throw wrongInstance(
    'object with this method',
    { text: `the controller of ${handler}` },
    instance,
  );
}
