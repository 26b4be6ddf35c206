import { describeToken } from '@fairlead/di';
import { type Guard, type GuardFn, isCanActivate, isGuardClass } from '../guards/guard.js';
import { type GuardCheck, guardName } from '../guards/guard-pipeline.js';
import { chain } from '../promise.js';
import type { SupplyToken } from './instances.js';
import { type Subject, wrongInstance } from './subject.js';

/**
 * Makes the check that a guard stands for.
 *
 * @param guard - A function as it is; a class or token is asked for.
 * @param index - Place among the route's guards.
 * @throws {ControllerResolutionError} 500, when the container supplies no guard.
 */
export function createGuardCheck(guard: Guard, index: number, supply: SupplyToken): GuardCheck {
  const name = guardName(guard, index);
  if (typeof guard === 'function' && !isGuardClass(guard)) return { name, ask: guard };
  const { supplied, subject } = supply(guard, `the guard ${describeToken(guard)}`);
  if (supplied.perRequest === undefined) return { name, ask: asGuard(supplied.instance, subject) };
  if ('instance' in supplied) asGuard(supplied.instance, subject);
  return {
    name,
    ask: (ctx) => chain(supplied.perRequest(ctx), (value) => asGuard(value, subject)(ctx)),
  };
}

function asGuard(instance: unknown, subject: Subject): GuardFn {
  if (typeof instance === 'object' && instance !== null && isCanActivate(instance)) {
    return (ctx) => instance.canActivate(ctx);
  }
  if (typeof instance === 'function' && !isGuardClass(instance)) return instance as GuardFn;
  throw wrongInstance('function and no object with canActivate()', subject, instance);
}
