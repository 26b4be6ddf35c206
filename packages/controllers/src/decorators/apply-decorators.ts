import 'reflect-metadata';
import type { Constructor } from '@fairlead/di';
import { assertExperimental } from '../metadata/assert-experimental.js';

/**
 * Makes one decorator of several: it has their effect when they are written one below another, in
 * this order.
 *
 * @param decorators - For classes, for methods, or for either: the result is for what all of them are.
 */
export function applyDecorators(
  ...decorators: readonly (ClassDecorator & MethodDecorator)[]
): ClassDecorator & MethodDecorator;
export function applyDecorators(...decorators: readonly MethodDecorator[]): MethodDecorator;
export function applyDecorators(
  ...decorators: readonly ((target: Constructor) => unknown)[]
): (target: Constructor) => void;
export function applyDecorators(...decorators: readonly unknown[]): unknown {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): unknown => {
    assertExperimental('applyDecorators', key);
    return key === undefined
      ? Reflect.decorate(decorators as ClassDecorator[], target as Constructor)
      : Reflect.decorate(decorators as MethodDecorator[], target, key, descriptor);
  };
}
