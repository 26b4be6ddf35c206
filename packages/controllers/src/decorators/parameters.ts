import type { IncomingHttpHeaders } from 'node:http';
import { isStandardSchema, type StandardSchema } from '@fairlead/core';
import {
  anything,
  boolean,
  describeValue,
  isClass,
  isPlainObject,
  type Kinds,
  kind,
} from '@fairlead/options';
import type { MethodMetadata } from '../metadata/class-metadata.js';
import {
  type AllValuesOptions,
  describeParameter,
  type Given,
  type ParamDecorator,
  type ParameterMetadata,
  type ParameterSource,
  type ParamOptions,
  type StringRecord,
  type Transform,
  type Validated,
} from '../metadata/parameter.js';
import { createDecorator, type Fault, PARAMETER, type Reading, readOptions } from './decorator.js';

/**
 * Extracts the request body, or one of its fields. Required unless `required: false`.
 *
 * @param field - Name of an own property of the body. By default, the whole body is extracted.
 * @param options - Schema, presence, default and transform.
 */
export function Body<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, unknown>> = Transform<Validated<S, unknown>>,
  D = never,
>(
  field: string,
  options?: ParamOptions<Validated<S, unknown>, T, D, S>,
): ParamDecorator<Given<Validated<S, unknown>, T, D, S>>;
export function Body<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, unknown>> = Transform<Validated<S, unknown>>,
  D = never,
>(
  options?: ParamOptions<Validated<S, unknown>, T, D, S>,
): ParamDecorator<Given<Validated<S, unknown>, T, D, S>>;
export function Body(...values: readonly unknown[]): unknown {
  return sourceDecorator('Body', 'body', values, true);
}

/**
 * Extracts all route parameters, or one, decoded. Required unless `required: false`.
 *
 * @param name - Name in the pattern: `id` for `/:id`. By default, all are extracted as an object of
 *   strings.
 * @param options - Schema, presence, default and transform.
 */
export function Param<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, string>> = Transform<Validated<S, string>>,
  D = never,
>(
  name: string,
  options?: ParamOptions<Validated<S, string>, T, D, S>,
): ParamDecorator<Given<Validated<S, string>, T, D, S>>;
export function Param<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, StringRecord>> = Transform<Validated<S, StringRecord>>,
  D = never,
>(
  options?: ParamOptions<Validated<S, StringRecord>, T, D, S>,
): ParamDecorator<Given<Validated<S, StringRecord>, T, D, S>>;
export function Param(...values: readonly unknown[]): unknown {
  return sourceDecorator('Param', 'param', values, true);
}

/**
 * Extracts all query parameters, or the first value of one. Optional unless `required: true`.
 *
 * @param name - Name of one parameter. By default, all are extracted as an object of strings, with the
 *   first value of each.
 * @param options - Schema, presence, default and transform. With `all: true`, every value is extracted, as a
 *   non-empty array.
 */
export function Query<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, string[]>> = Transform<Validated<S, string[]>>,
  D = never,
>(
  name: string,
  options: AllValuesOptions<Validated<S, string[]>, T, D, S>,
): ParamDecorator<Given<Validated<S, string[]>, T, D, S>>;
export function Query<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, string>> = Transform<Validated<S, string>>,
  D = never,
>(
  name: string,
  options?: ParamOptions<Validated<S, string>, T, D, S>,
): ParamDecorator<Given<Validated<S, string>, T, D, S>>;
export function Query<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, StringRecord>> = Transform<Validated<S, StringRecord>>,
  D = never,
>(
  options?: ParamOptions<Validated<S, StringRecord>, T, D, S>,
): ParamDecorator<Given<Validated<S, StringRecord>, T, D, S>>;
export function Query(...values: readonly unknown[]): unknown {
  return sourceDecorator('Query', 'query', values, false);
}

/**
 * Extracts all request headers, or one. Optional unless `required: true`.
 *
 * @param name - Header name, case-insensitive. By default, all are extracted as the object of node:http,
 *   with lower-case names.
 * @param options - Schema, presence, default and transform.
 */
export function Header<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, string>> = Transform<Validated<S, string>>,
  D = never,
>(
  name: string,
  options?: ParamOptions<Validated<S, string>, T, D, S>,
): ParamDecorator<Given<Validated<S, string>, T, D, S>>;
export function Header<
  S extends StandardSchema = never,
  T extends Transform<Validated<S, IncomingHttpHeaders>> = Transform<
    Validated<S, IncomingHttpHeaders>
  >,
  D = never,
>(
  options?: ParamOptions<Validated<S, IncomingHttpHeaders>, T, D, S>,
): ParamDecorator<Given<Validated<S, IncomingHttpHeaders>, T, D, S>>;
export function Header(...values: readonly unknown[]): unknown {
  return sourceDecorator('Header', 'header', values, false);
}

/** Injects the context. */
export function Ctx(): ParameterDecorator;
export function Ctx(...values: readonly unknown[]): unknown {
  return plainDecorator('Ctx', 'ctx', values);
}

/** Injects Node's request. */
export function Req(): ParameterDecorator;
export function Req(...values: readonly unknown[]): unknown {
  return plainDecorator('Req', 'req', values);
}

/**
 * Injects Node's response. A method that neither returns a value nor responds through the context must write
 * and end it.
 */
export function Res(): ParameterDecorator;
export function Res(...values: readonly unknown[]): unknown {
  return plainDecorator('Res', 'res', values);
}

/** Creates a decorator that takes no arguments. */
function plainDecorator(
  name: string,
  source: ParameterSource,
  values: readonly unknown[],
): unknown {
  const parameter = { source, name: undefined, required: false, extract: undefined };
  const read = () => readParameter(`@${name}()`, parameter, undefined);
  return createDecorator({ name, target: PARAMETER, takes: 0, read }, values);
}

/** Creates a decorator that takes a name, options, or both. */
function sourceDecorator(
  decorator: string,
  source: ParameterSource,
  values: readonly unknown[],
  required: boolean,
): unknown {
  const read = (first: unknown, second: unknown): Reading<MethodMetadata> => {
    const isHeader = source === 'header';
    if (typeof first === 'string' && (isHeader ? HEADER_NAME : ANY_NAME).test(first)) {
      const kinds = source === 'query' ? ALL_VALUES_OPTIONS : PARAM_OPTIONS;
      const parameter = { source, name: first, required, extract: undefined };
      return readParameter(`@${decorator}('${first}')`, parameter, second, kinds);
    }
    const call = `@${decorator}()`;
    const parameter = { source, name: undefined, required, extract: undefined };
    if (second === undefined && typeof first !== 'string')
      return readParameter(call, parameter, first);
    const reading = readParameter(call, parameter, second);
    return first === undefined ? reading : { ...reading, faults: [nameFault(call, first)] };
  };
  const target = source === 'header' ? HEADER_PARAMETER : PARAMETER;
  return createDecorator({ name: decorator, target, takes: 2, read }, values);
}

/** Other frameworks set response headers with this decorator on a method. */
const HEADER_PARAMETER = {
  ...PARAMETER,
  fix: `${PARAMETER.fix.slice(0, -1)}, or use @SetHeader(name, value) to set a response header.`,
};

const ANY_NAME = /./s;

/** A token. RFC 9110 §5.1, §5.6.2 */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function nameFault(call: string, name: unknown): Fault {
  const fix = typeof name === 'string' ? 'pass a valid name, or no name.' : 'pass a string.';
  return { problem: `${call} cannot use ${describeValue(name)} as name.`, fix };
}

/** Options of any decorator of a source. */
type SourceOptions = ParamOptions & Partial<Pick<AllValuesOptions, 'all'>>;

const PARAM_OPTIONS: Kinds<ParamOptions> = {
  schema: kind('a Standard Schema, such as z.object({ … })', isStandardSchema),
  required: boolean,
  default: anything,
  transform: kind('a function (value) => result, or a Standard Schema', isTransform),
};

const ALL_VALUES_OPTIONS: Kinds<SourceOptions> = { ...PARAM_OPTIONS, all: boolean };

/** The classes of the language that convert a value when they are called without `new`. */
const CONVERTERS: ReadonlySet<unknown> = new Set([Number, String, Boolean, BigInt, Object, Array]);

function isTransform(value: unknown): value is Transform {
  if (isStandardSchema(value)) return true;
  return typeof value === 'function' && (!isClass(value) || CONVERTERS.has(value));
}

/**
 * Reads the options of a parameter decorator.
 *
 * @param call - The decorator with its other arguments, for messages.
 * @param parameter - Metadata that the decorator implies. Options override it.
 * @param value - What the caller passed as options.
 * @param kinds - Every option of the decorator.
 */
export function readParameter(
  call: string,
  parameter: Pick<ParameterMetadata, 'source' | 'name' | 'required' | 'extract'>,
  value: unknown,
  kinds: Partial<Kinds<SourceOptions>> = PARAM_OPTIONS,
): Reading<MethodMetadata> {
  const { options, faults } = mayBeOptions(value)
    ? readOptions<SourceOptions>(call, value, kinds)
    : { options: {}, faults: [optionsFault(call, value)] };
  const { schema, transform, required } = options;
  const isSchema = isStandardSchema(transform);
  const metadata: ParameterMetadata = Object.freeze({
    ...parameter,
    all: options.all ?? false,
    required: required ?? parameter.required,
    isRequiredSet: required !== undefined,
    default: options.default,
    schema: schema ?? (isSchema ? transform : undefined),
    transform: isSchema ? undefined : transform,
  });
  return {
    faults: isSchema && schema !== undefined ? [...faults, twoSchemasFault(call)] : faults,
    check: ({ parameters }, { index }) => {
      const other = parameters.get(index);
      return other && repeatedFault(index, metadata, other);
    },
    apply: ({ parameters }, { index }) => void parameters.set(index, metadata),
  };
}

/** Whether a value is an object literal, or undefined. A schema and an instance of a class are not. */
function mayBeOptions(value: unknown): boolean {
  return value === undefined || (isPlainObject(value) && !isStandardSchema(value));
}

/** Explains that a value is not an object with options. Often it is the schema or the transform. */
function optionsFault(call: string, value: unknown): Fault {
  const problem = `${call} cannot use ${describeValue(value)} as options.`;
  const isPipe = typeof value === 'object' && value !== null && 'transform' in value;
  if (typeof value !== 'function' && !isPipe && !isStandardSchema(value)) {
    return { problem, fix: 'pass an object, such as { required: true }.' };
  }
  const start = call.endsWith('()') ? call.slice(0, -1) : `${call.slice(0, -1)}, `;
  return { problem, fix: `write ${start}${optionsText(value)}).` };
}

function optionsText(value: unknown): string {
  return isStandardSchema(value) ? '{ schema }' : `{ transform: ${transformText(value)} }`;
}

function transformText(value: unknown): string {
  const name: unknown = isTransform(value) ? Reflect.get(value, 'name') : '';
  return typeof name === 'string' && name !== '' ? name : '(value) => …';
}

function twoSchemasFault(call: string): Fault {
  const problem = `${call} has two schemas: one in schema and one in transform.`;
  return { problem, fix: 'combine them into one schema, or pass a function as transform.' };
}

function repeatedFault(index: number, one: ParameterMetadata, other: ParameterMetadata): Fault {
  const sources = [one, other].map(({ source, name }) => describeParameter(source, name));
  const problem = `parameter ${index} has two decorators: for the ${sources.join(' and the ')}.`;
  return { problem, fix: 'keep one.' };
}
