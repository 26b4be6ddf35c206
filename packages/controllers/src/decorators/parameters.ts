import type { IncomingHttpHeaders } from 'node:http';
import { methodMetadata } from '../metadata/class-metadata.js';
import type {
  AllValuesOptions,
  Given,
  ParamDecorator,
  ParameterMetadata,
  ParameterSource,
  ParamOptions,
  Transform,
} from '../metadata/parameter.js';
import { isStandardSchema } from '../metadata/standard-schema.js';

/** All route parameters, or all query parameters. */
type StringRecord = Readonly<Record<string, string>>;

/**
 * Extracts the request body, or one of its fields. Required unless `required: false`.
 *
 * @param field - Name of an own property of the body. By default, the whole body is extracted.
 * @param options - Presence, default and transform.
 */
export function Body<T extends Transform = Transform, D = never>(
  options?: ParamOptions<unknown, T, D>,
): ParamDecorator<Given<unknown, T, D>>;
export function Body<T extends Transform = Transform, D = never>(
  field: string,
  options?: ParamOptions<unknown, T, D>,
): ParamDecorator<Given<unknown, T, D>>;
export function Body(field?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return sourceDecorator('Body', 'body', field, options, true);
}

/**
 * Extracts all route parameters, or one, decoded. Required unless `required: false`.
 *
 * @param name - Name in the pattern: `id` for `/:id`. By default, all are extracted as an object of
 *   strings.
 * @param options - Presence, default and transform.
 */
export function Param<T extends Transform<StringRecord> = Transform<StringRecord>, D = never>(
  options?: ParamOptions<StringRecord, T, D>,
): ParamDecorator<Given<StringRecord, T, D>>;
export function Param<T extends Transform<string> = Transform<string>, D = never>(
  name: string,
  options?: ParamOptions<string, T, D>,
): ParamDecorator<Given<string, T, D>>;
export function Param(name?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return sourceDecorator('Param', 'param', name, options, true);
}

/**
 * Extracts all query parameters, or the first value of one. Optional unless `required: true`.
 *
 * @param name - Name of one parameter. By default, all are extracted as an object of strings, with the
 *   first value of each.
 * @param options - Presence, default and transform. With `all: true`, every value is extracted, as a
 *   non-empty array.
 */
export function Query<T extends Transform<StringRecord> = Transform<StringRecord>, D = never>(
  options?: ParamOptions<StringRecord, T, D>,
): ParamDecorator<Given<StringRecord, T, D>>;
export function Query<T extends Transform<string[]> = Transform<string[]>, D = never>(
  name: string,
  options: AllValuesOptions<T, D>,
): ParamDecorator<Given<string[], T, D>>;
export function Query<T extends Transform<string> = Transform<string>, D = never>(
  name: string,
  options?: ParamOptions<string, T, D>,
): ParamDecorator<Given<string, T, D>>;
export function Query(name?: string | ParamOptions, options?: ParamOptions): ParameterDecorator {
  return sourceDecorator('Query', 'query', name, options, false);
}

/**
 * Extracts all request headers, or one. Optional unless `required: true`.
 *
 * @param name - Header name, case-insensitive. By default, all are extracted as the object of node:http,
 *   with lower-case names.
 * @param options - Presence, default and transform.
 */
export function Header<
  T extends Transform<IncomingHttpHeaders> = Transform<IncomingHttpHeaders>,
  D = never,
>(
  options?: ParamOptions<IncomingHttpHeaders, T, D>,
): ParamDecorator<Given<IncomingHttpHeaders, T, D>>;
export function Header<T extends Transform<string> = Transform<string>, D = never>(
  name: string,
  options?: ParamOptions<string, T, D>,
): ParamDecorator<Given<string, T, D>>;
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

/** Options of any decorator of a source. */
type SourceOptions = ParamOptions & Partial<Pick<AllValuesOptions, 'all'>>;

function sourceDecorator(
  decorator: string,
  source: ParameterSource,
  nameOrOptions: string | SourceOptions | undefined,
  options: SourceOptions | undefined,
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
  options: SourceOptions = {},
): ParameterDecorator {
  const metadata: ParameterMetadata = Object.freeze({
    ...defaults,
    all: options.all ?? false,
    required: options.required ?? defaults.required,
    default: options.default,
    transform: transformOf(options),
  });
  return (target, key, index) => {
    methodMetadata(target, key, decorator).parameters.set(index, metadata);
  };
}

/** Returns the transform as a function that needs no receiver: options may be an instance of a class. */
function transformOf(options: SourceOptions): Transform | undefined {
  const { transform } = options;
  if (typeof transform !== 'function' || isStandardSchema(transform)) return transform;
  return transform.bind(options);
}
