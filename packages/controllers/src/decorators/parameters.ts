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
 * Extracts a value of type `Value`.
 *
 * @param name - Name of the field, parameter or header.
 * @param options - Schema, presence, default and transform.
 */
type NamedSource<Value> = <
  S extends StandardSchema = never,
  T extends Transform<Validated<S, Value>> = Transform<Validated<S, Value>>,
  D = never,
>(
  name: string,
  options?: ParamOptions<Validated<S, Value>, T, D, S>,
) => ParamDecorator<Given<Validated<S, Value>, T, D, S>>;

/**
 * Extracts everything that a source has.
 *
 * @param options - Schema, presence, default and transform.
 */
type WholeSource<Whole> = <
  S extends StandardSchema = never,
  T extends Transform<Validated<S, Whole>> = Transform<Validated<S, Whole>>,
  D = never,
>(
  options?: ParamOptions<Validated<S, Whole>, T, D, S>,
) => ParamDecorator<Given<Validated<S, Whole>, T, D, S>>;

/**
 * Extracts every value of a repeated query parameter.
 *
 * @param name - Name of the parameter.
 * @param options - With `all: true`; the values are a non-empty array.
 */
type RepeatedSource = <
  S extends StandardSchema = never,
  T extends Transform<Validated<S, string[]>> = Transform<Validated<S, string[]>>,
  D = never,
>(
  name: string,
  options: AllValuesOptions<Validated<S, string[]>, T, D, S>,
) => ParamDecorator<Given<Validated<S, string[]>, T, D, S>>;

/** Extracts the request body, or one of its fields. Required unless `required: false`. */
export const Body: NamedSource<unknown> & WholeSource<unknown> = sourceDecorator(
  'Body',
  'body',
  true,
);

/**
 * Extracts one route parameter, decoded: `id` for `/:id`; or all, as an object of strings. Required unless
 * `required: false`.
 */
export const Param: NamedSource<string> & WholeSource<StringRecord> = sourceDecorator(
  'Param',
  'param',
  true,
);

/**
 * Extracts the first value of a query parameter, or with `all: true` every value; or all parameters, as an
 * object of strings with the first value of each. Optional unless `required: true`.
 */
export const Query: RepeatedSource & NamedSource<string> & WholeSource<StringRecord> =
  sourceDecorator('Query', 'query', false);

/**
 * Extracts one request header, case-insensitive; or all, as the object of node:http with lower-case names.
 * Optional unless `required: true`.
 */
export const Header: NamedSource<string> & WholeSource<IncomingHttpHeaders> = sourceDecorator(
  'Header',
  'header',
  false,
);

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
function sourceDecorator<Decorator>(
  name: string,
  source: ParameterSource,
  required: boolean,
): Decorator {
  const isHeader = source === 'header';
  const read = (first: unknown, second: unknown): Reading<MethodMetadata> => {
    if (typeof first === 'string' && (isHeader ? HEADER_NAME : ANY_NAME).test(first)) {
      const kinds = source === 'query' ? ALL_VALUES_OPTIONS : PARAM_OPTIONS;
      const parameter = { source, name: first, required, extract: undefined };
      return readParameter(`@${name}('${first}')`, parameter, second, kinds);
    }
    const call = `@${name}()`;
    const parameter = { source, name: undefined, required, extract: undefined };
    if (second === undefined && typeof first !== 'string')
      return readParameter(call, parameter, first);
    const reading = readParameter(call, parameter, second);
    return first === undefined ? reading : { ...reading, faults: [nameFault(call, first)] };
  };
  // A name, because the call site of a decorator is the nearest function without one.
  function decorate(...values: readonly unknown[]): unknown {
    const target = isHeader ? HEADER_PARAMETER : PARAMETER;
    return createDecorator({ name, target, takes: 2, read }, values);
  }
  // Each constant declares the calls that it accepts.
  return decorate as Decorator;
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
