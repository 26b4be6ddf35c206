import type { Context } from '@fairlead/core';
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
  const decorator = (options: ParamOptions | undefined): ParameterDecorator =>
    parameterDecorator(
      extract.name || 'CustomParam',
      { source: 'custom', name: undefined, required: false, extract },
      options,
    );
  function custom(target: object, key: string | symbol | undefined, index: number): void;
  function custom(options?: ParamOptions<Awaited<Value>>): ParameterDecorator;
  function custom(
    ...given:
      | [options?: ParamOptions<Awaited<Value>>]
      | [target: object, key: string | symbol | undefined, index: number]
  ): ParameterDecorator | void {
    // Only a decorator that stands without parentheses is called with a parameter's index.
    if (given.length === 3) return decorator(undefined)(...given);
    return decorator(given[0]);
  }
  return custom;
}
