import type { IncomingHttpHeaders } from 'node:http';
import { methodMetadata } from '../metadata/class-metadata.js';
import type {
  AllValuesOptions,
  ParameterMetadata,
  ParameterSource,
  ParamOptions,
} from '../metadata/parameter.js';

/**
 * Extracts the request body, or one of its fields. Required unless `required: false`.
 *
 * @param field - Name of an own property of the body. By default, the whole body is extracted.
 * @param options - Presence, default and transform.
 */
export function Body(options?: ParamOptions): ParameterDecorator;
export function Body(field: string, options?: ParamOptions): ParameterDecorator;
export function Body(field?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return sourceDecorator('Body', 'body', field, options, true);
}

/**
 * Extracts all route parameters, or a decoded one. Required unless `required: false`.
 *
 * @param name - Name in the pattern: `id` for `/:id`. By default, all are extracted as an object of
 *   strings.
 * @param options - Presence, default and transform.
 */
export function Param(options?: ParamOptions<Readonly<Record<string, string>>>): ParameterDecorator;
export function Param(name: string, options?: ParamOptions<string>): ParameterDecorator;
export function Param(name?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return sourceDecorator('Param', 'param', name, options, true);
}

/**
 * Extracts all query parameters, or the first value of one. Optional unless `required: true`.
 *
 * @param name - Name of one parameter. By default, all are extracted as an object of strings, with the
 *   first value of each.
 * @param options - Presence, default and transform. With `all: true`, every value is extracted, as an
 *   array that is not empty.
 */
export function Query(options?: ParamOptions<Record<string, string>>): ParameterDecorator;
export function Query(name: string, options: AllValuesOptions): ParameterDecorator;
export function Query(name: string, options?: ParamOptions<string>): ParameterDecorator;
export function Query(name?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return sourceDecorator('Query', 'query', name, options, false);
}

/**
 * Extracts all request headers, or one. Optional unless `required: true`.
 *
 * @param name - Header name, case-insensitive. By default, all are extracted as node's object with
 *   lower-case names.
 * @param options - Presence, default and transform.
 */
export function Header(options?: ParamOptions<IncomingHttpHeaders>): ParameterDecorator;
export function Header(name: string, options?: ParamOptions<string>): ParameterDecorator;
export function Header(name?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return sourceDecorator('Header', 'header', name, options, false);
}

/** Injects the context. */
export function Ctx(): ParameterDecorator {
  return sourceDecorator('Ctx', 'ctx', undefined, undefined, false);
}

/** Injects node's request. */
export function Req(): ParameterDecorator {
  return sourceDecorator('Req', 'req', undefined, undefined, false);
}

/**
 * Injects node's response. A method that neither returns a value nor responds through the context
 * must write and end it.
 */
export function Res(): ParameterDecorator {
  return sourceDecorator('Res', 'res', undefined, undefined, false);
}

function sourceDecorator(
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
 * Creates a parameter decorator.
 *
 * @param decorator - Its name, for messages.
 * @param defaults - Metadata that the decorator implies.
 * @param options - The user's options, which override it.
 */
export function parameterDecorator(
  decorator: string,
  defaults: Pick<ParameterMetadata, 'source' | 'name' | 'required' | 'extract'>,
  options: ParamOptions & Partial<Pick<AllValuesOptions, 'all'>> = {},
): ParameterDecorator {
  const metadata: ParameterMetadata = Object.freeze({
    ...defaults,
    all: options.all ?? false,
    required: options.required ?? defaults.required,
    default: options.default,
    transform: options.transform,
  });
  return (target, key, index) => {
    methodMetadata(target, key, decorator).parameters.set(index, metadata);
  };
}
