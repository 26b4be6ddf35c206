import type { ParameterMetadata, ParameterSource, ParamOptions } from '../metadata/parameter.js';
import { methodMetadata } from '../metadata/storage.js';

/**
 * Extracts the request body, or one field of it. Required unless `required: false`.
 *
 * @param field - Name of an own member of the body; the whole body without it.
 * @param options - Presence, default and transform.
 */
export function Body(options?: ParamOptions): ParameterDecorator;
export function Body(field: string, options?: ParamOptions): ParameterDecorator;
export function Body(field?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return named('Body', 'body', field, options, true);
}

/**
 * Extracts a route parameter, decoded. Required unless `required: false`.
 *
 * @param name - As in the pattern: `id` for `/:id`.
 * @param options - Presence, default and transform.
 */
export function Param(name: string, options?: ParamOptions<string>): ParameterDecorator {
  return named('Param', 'param', name, options, true);
}

/**
 * Extracts all query parameters, or the first value of one. Optional unless `required: true`.
 *
 * @param name - Name of one parameter; all of them, as an object of strings, without it.
 * @param options - Presence, default and transform.
 */
export function Query(options?: ParamOptions<Record<string, string>>): ParameterDecorator;
export function Query(name: string, options?: ParamOptions<string>): ParameterDecorator;
export function Query(
  name?: string | ParamOptions<Record<string, string>>,
  options?: ParamOptions<string>,
): ParameterDecorator {
  return named('Query', 'query', name, options, false);
}

/**
 * Extracts a request header. Optional unless `required: true`.
 *
 * @param name - In any case.
 * @param options - Presence, default and transform.
 */
export function Header(name: string, options?: ParamOptions<string>): ParameterDecorator {
  return named('Header', 'header', name, options, false);
}

/** Hands over the whole context. */
export function Ctx(): ParameterDecorator {
  return named('Ctx', 'ctx', undefined, undefined, false);
}

/** Hands over node's request. */
export function Req(): ParameterDecorator {
  return named('Req', 'req', undefined, undefined, false);
}

/**
 * Hands over node's response. A method that takes it and returns undefined, without answering
 * through the context, writes and ends the response itself.
 */
export function Res(): ParameterDecorator {
  return named('Res', 'res', undefined, undefined, false);
}

function named(
  decorator: string,
  source: ParameterSource,
  nameOrOptions: string | ParamOptions | undefined,
  options: ParamOptions | undefined,
  required: boolean,
): ParameterDecorator {
  const name = typeof nameOrOptions === 'string' ? nameOrOptions : undefined;
  const given = typeof nameOrOptions === 'object' ? nameOrOptions : options;
  return parameterDecorator(decorator, { source, name, required, extract: undefined }, given);
}

/**
 * Makes a parameter decorator.
 *
 * @param decorator - Its name, for messages.
 * @param stated - What the decorator itself states.
 * @param options - What the user states; it wins.
 */
export function parameterDecorator(
  decorator: string,
  stated: Pick<ParameterMetadata, 'source' | 'name' | 'required' | 'extract'>,
  options: ParamOptions = {},
): ParameterDecorator {
  const metadata: ParameterMetadata = Object.freeze({
    ...stated,
    required: options.required ?? stated.required,
    default: options.default,
    transform: options.transform,
  });
  return (target, key, index) => {
    methodMetadata(target, key, decorator).parameters.set(index, metadata);
  };
}
