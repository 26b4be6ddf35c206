import type { Middleware } from '@fairlead/core';
import { describeToken } from '@fairlead/di';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import { chain } from '../promise.js';
import type { SupplyToken } from './instances.js';
import { wrongInstance } from './wrong-instance.js';

/**
 * Makes the function that a middleware reference stands for.
 *
 * @throws {ControllerResolutionError} 500, when the container supplies no function.
 */
export function createMiddleware(reference: MiddlewareReference, supply: SupplyToken): Middleware {
  if (typeof reference === 'function') return reference;
  const subject = `the middleware ${describeToken(reference)}`;
  const asMiddleware = (instance: unknown): Middleware => {
    if (typeof instance === 'function') return instance as Middleware;
    throw wrongInstance('function (ctx, next)', subject, instance);
  };
  const supplied = supply(reference, subject);
  if (supplied.perRequest === undefined) return asMiddleware(supplied.instance);
  return (ctx, next) => chain(supplied.perRequest(ctx), (value) => asMiddleware(value)(ctx, next));
}
