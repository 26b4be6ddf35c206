import type { Context } from '@fairlead/core';
import { describeToken, type InjectionToken } from '@fairlead/di';
import { chain } from '../promise.js';
import type { SupplyToken } from './instances.js';
import { wrongInstance } from './subject.js';

/** A middleware or an interceptor; they differ in what `next` returns. */
type Step<Next> = (ctx: Context, next: Next) => unknown;

/**
 * Makes the function that a reference to a middleware or an interceptor stands for.
 *
 * @param kind - What it is, for messages.
 * @throws {ControllerResolutionError} 500, when the container supplies no function.
 */
export function createStep<Next>(
  kind: 'middleware' | 'interceptor',
  reference: Step<Next> | InjectionToken<Step<Next>> | string | symbol,
  supply: SupplyToken,
): Step<Next> {
  if (typeof reference === 'function') return reference;
  const { supplied, subject } = supply(reference, `the ${kind} ${describeToken(reference)}`);
  const asStep = (instance: unknown): Step<Next> => {
    if (typeof instance === 'function') return instance as Step<Next>;
    throw wrongInstance('function (ctx, next)', subject, instance);
  };
  if (supplied.perRequest === undefined) return asStep(supplied.instance);
  if ('instance' in supplied) asStep(supplied.instance);
  return (ctx, next) => chain(supplied.perRequest(ctx), (value) => asStep(value)(ctx, next));
}
