import type { Context } from '@fairlead/core';
import { assertExperimental } from '../metadata/assert-experimental.js';
import type { ParamOptions } from '../metadata/parameter.js';
import { parameterDecorator } from './parameters.js';

/** A decorator made by {@link createCustomParamDecorator}: written with parentheses or without. */
export interface CustomParamDecorator<Value> {
  /** `@CurrentUser user: User` */
  (target: object, key: string | symbol | undefined, index: number): void;
  /** `@CurrentUser({ required: true }) user: User` */
  (options?: ParamOptions<Value>): ParameterDecorator;
}

/**
 * Makes a parameter decorator of a function. Its source type is `'custom'`, and its value is
 * optional unless `required: true`.
 *
 * @param extract - Reads the value from the context; may return a promise of it. An HttpError that
 *   it throws is answered as it is, anything else as a ParameterInjectionError.
 */
export function createCustomParamDecorator<Value>(
  extract: (ctx: Context) => Value,
): CustomParamDecorator<Awaited<Value>> {
  const decorator = extract.name || 'CustomParam';
  const create = (options?: ParamOptions<Awaited<Value>>): ParameterDecorator =>
    parameterDecorator(
      decorator,
      { source: 'custom', name: undefined, required: false, extract },
      options,
    );
  function custom(target: object, key: string | symbol | undefined, index: number): void;
  function custom(options?: ParamOptions<Awaited<Value>>): ParameterDecorator;
  function custom(
    first?: object,
    key?: string | symbol,
    index?: number,
  ): ParameterDecorator | undefined {
    assertExperimental(decorator, key);
    // Only a decorator that stands without parentheses is called with a parameter's index.
    if (first === undefined || index === undefined) return create(first);
    create()(first, key, index);
    return undefined;
  }
  return custom;
}
