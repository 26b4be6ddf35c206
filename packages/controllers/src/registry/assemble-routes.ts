import type { Context, Handler, Middleware } from '@fairlead/core';
import { describeToken, type Token } from '@fairlead/di';
import { ControllerResolutionError } from '../errors/controller-resolution-error.js';
import { type Guard, type GuardFn, isCanActivate, isGuardClass } from '../guards/guard.js';
import { createGuardPipeline, type GuardCheck, guardName } from '../guards/guard-pipeline.js';
import { createReadArguments } from '../invocation/arguments.js';
import { createInvoker } from '../invocation/invoker.js';
import { chain } from '../invocation/promise.js';
import { createPrepare, createRespond, type ResponsePlan } from '../invocation/respond.js';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import type { BuiltRoute, ControllerDefinition, RouteDefinition } from './definition.js';
import type { Instances, Supply } from './instances.js';
import { joinPath } from './join-path.js';

/** What the routes of a controller are put together with. */
export interface Assembly {
  /** Precedes the path of each route. */
  readonly prefix: string;
  /** Precedes the middleware of each route. */
  readonly middleware: readonly MiddlewareReference[];
  readonly instances: Instances;
}

type Method = (...values: unknown[]) => unknown;

/**
 * Builds the routes of a controller that was checked: everything that a request needs is looked up
 * here, once.
 *
 * @throws {ControllerResolutionError} 500, when the container fails to build an instance, or
 *   supplies something that is no guard or no middleware.
 */
export function assembleRoutes(
  definition: ControllerDefinition,
  assembly: Assembly,
): readonly BuiltRoute[] {
  const { instances } = assembly;
  const controller = instances.supply(definition.controller, `the controller ${definition.name}`);
  return Object.freeze(
    definition.routes.map((route) => {
      const supplies = [controller];
      const supply = (token: Token, subject: string): Supply => {
        const found = instances.supply(token, `${subject} of ${route.handler}`);
        supplies.push(found);
        return found;
      };
      const middleware = [...assembly.middleware, ...route.middleware].map((reference) =>
        createMiddleware(reference, supply),
      );
      const checks = route.guards.map((guard, index) => createCheck(guard, index, supply));
      const invoker = createRouteInvoker(route, controller, checks);
      const isScoped = supplies.some(({ perRequest }) => perRequest !== undefined);
      const scope = isScoped ? [instances.scopeMiddleware] : [];
      return Object.freeze({
        ...route,
        path: joinPath(assembly.prefix, route.path),
        handlers: Object.freeze([...scope, ...middleware, invoker]),
      });
    }),
  );
}

type SupplyToken = (token: Token, subject: string) => Supply;

function createMiddleware(reference: MiddlewareReference, supply: SupplyToken): Middleware {
  if (typeof reference === 'function') return reference;
  const subject = `the middleware ${describeToken(reference)}`;
  const asMiddleware = (value: unknown): Middleware => {
    if (typeof value === 'function') return value as Middleware;
    throw notA('function (ctx, next)', subject, value);
  };
  const supplied = supply(reference, subject);
  if (supplied.perRequest === undefined) return asMiddleware(supplied.instance);
  return (ctx, next) => chain(supplied.perRequest(ctx), (value) => asMiddleware(value)(ctx, next));
}

function createCheck(guard: Guard, index: number, supply: SupplyToken): GuardCheck {
  const name = guardName(guard, index);
  if (typeof guard === 'function' && !isGuardClass(guard)) return { name, ask: guard };
  const subject = `the guard ${describeToken(guard)}`;
  const supplied = supply(guard, subject);
  if (supplied.perRequest === undefined) return { name, ask: asGuard(supplied.instance, subject) };
  return {
    name,
    ask: (ctx) => chain(supplied.perRequest(ctx), (value) => asGuard(value, subject)(ctx)),
  };
}

function asGuard(value: unknown, subject: string): GuardFn {
  if (typeof value === 'object' && value !== null && isCanActivate(value)) {
    return (ctx) => value.canActivate(ctx);
  }
  if (typeof value === 'function') return value as GuardFn;
  throw notA('function and no object with canActivate()', subject, value);
}

function notA(expected: string, subject: string, value: unknown): ControllerResolutionError {
  const problem = `the container supplies ${describeValue(value)}, which is no ${expected}. Register one.`;
  return new ControllerResolutionError(subject, problem);
}

function describeValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return `an object of ${value.constructor?.name ?? 'no class'}`;
}

function createRouteInvoker(
  route: RouteDefinition,
  controller: Supply,
  checks: readonly GuardCheck[],
): Handler {
  const { handler, parameters, status, headers, redirect } = route;
  const takesResponse = parameters.some(({ source }) => source === 'res');
  const plan: ResponsePlan = { handler, status, headers, redirect, takesResponse };
  const invoker = createInvoker({
    admit: createGuardPipeline(checks),
    readArguments: createReadArguments(parameters, handler),
    call: createCall(route, controller, createPrepare(plan)),
    respond: createRespond(plan),
  });
  return Object.defineProperty(invoker, 'name', { value: handler });
}

function createCall(
  route: RouteDefinition,
  controller: Supply,
  prepare: (ctx: Context) => void,
): (ctx: Context, values: unknown[]) => unknown {
  if (controller.perRequest === undefined) {
    const { instance } = controller;
    const method = methodOf(instance, route);
    return (ctx, values) => {
      prepare(ctx);
      return method.apply(instance, values);
    };
  }
  return (ctx, values) =>
    chain(controller.perRequest(ctx), (instance) => {
      prepare(ctx);
      return methodOf(instance, route).apply(instance, values);
    });
}

/** A container may supply a stand-in for a controller: its methods are called, not the class's. */
function methodOf(instance: unknown, { methodName, handler }: RouteDefinition): Method {
  const method: unknown = (instance as Record<string | symbol, unknown> | null | undefined)?.[
    methodName
  ];
  if (typeof method === 'function') return method as Method;
  throw notA('object with this method', `the controller of ${handler}`, instance);
}
