import { type Context, isHttpError, ValidationError, type ValidationIssue } from '@fairlead/core';
import {
  createInputReader,
  isPromiseLike,
  requireParsedBody,
  unknownPath,
  validateValue,
} from '@fairlead/core/extend';
import { MissingParameterError, ParameterInjectionError } from '../errors.js';
import {
  describeParameter,
  isInputSource,
  type ParameterDefinition,
  type ParameterMetadata,
  type ParameterSource,
} from '../metadata/parameter.js';
import { catching, chain } from '../promise.js';

/** Returns a promise only if one of the arguments needs it. */
export type ReadArguments = (ctx: Context) => unknown[] | PromiseLike<unknown[]>;

/**
 * Converts an extracted value, or adds what is wrong with it to the issues. After an issue, the functions of
 * the application do not run.
 */
type Conversion = (value: unknown, issues: ValidationIssue[]) => unknown;

interface Reader {
  readonly extract: (ctx: Context) => unknown;
  readonly convert: Conversion;
  /** Whether a value that is present needs no conversion. */
  readonly isPlain: boolean;
}

class MissingIssue implements ValidationIssue {
  readonly source: ParameterSource;
  readonly path: readonly string[];
  readonly message = 'is required';

  constructor({ source, name }: ParameterMetadata) {
    this.source = source;
    this.path = pathOf(source, name);
  }
}

function pathOf(source: ParameterSource, name: string | undefined): [string, ...string[]] {
  return name === undefined ? [source] : [source, name];
}

/**
 * Creates the function that reads all arguments of a method, one after another. It throws a `ValidationError` with
 * the issues of all parameters, or a `MissingParameterError` if parameters are missing and the others valid.
 *
 * @param invalidParams - 404 for a `NotFoundError` instead, if a path parameter is invalid or missing.
 */
export function createReadArguments(
  parameters: readonly ParameterDefinition[],
  handler: string,
  invalidParams?: 404,
): ReadArguments {
  const readers: Reader[] = [];
  for (const parameter of parameters) {
    readers[parameter.index] = createReader(parameter, handler);
  }
  const takesBody = parameters.some(({ source }) => source === 'body');
  const read = (
    ctx: Context,
    // Allocated with its final size, because an array that grows would take six times the memory.
    values: unknown[] = new Array(readers.length),
    issues: ValidationIssue[] = [],
    start = 0,
  ): unknown[] | PromiseLike<unknown[]> => {
    if (takesBody && start === 0) {
      const checking = requireParsedBody(ctx);
      if (checking !== undefined) return readAfter(checking, ctx);
    }
    for (let index = start; index < readers.length; index += 1) {
      const reader = readers[index];
      const extracted = reader?.extract(ctx);
      values[index] = extracted;
      if (reader === undefined || (reader.isPlain && extracted !== undefined)) continue;
      const value = reader.convert(extracted, issues);
      if (isPromiseLike(value)) return continueAfter(value, ctx, values, issues, index);
      values[index] = value;
    }
    if (issues.length > 0) throw refusal(ctx, issues, handler, invalidParams);
    return values;
  };
  // Functions in the one above would make each request allocate what they close over.
  const readAfter = (checking: Promise<void>, ctx: Context) => checking.then(() => read(ctx));
  const continueAfter = (
    value: PromiseLike<unknown>,
    ctx: Context,
    values: unknown[],
    issues: ValidationIssue[],
    index: number,
  ) =>
    value.then((settled) => {
      values[index] = settled;
      return read(ctx, values, issues, index + 1);
    });
  return read;
}

function refusal(
  ctx: Context,
  issues: readonly ValidationIssue[],
  handler: string,
  invalidParams: 404 | undefined,
): Error {
  if (invalidParams === 404 && issues.some(({ source }) => source === 'param'))
    return unknownPath(ctx.path);
  const status = ctx.validationStatus;
  const [first] = issues;
  if (!(first instanceof MissingIssue) || issues.some((one) => !(one instanceof MissingIssue))) {
    return new ValidationError(issues, { status });
  }
  const parameter = describeParameter(first.source, first.path[1]);
  return new MissingParameterError({ parameter, handler }, issues, status);
}

function createReader(parameter: ParameterDefinition, handler: string): Reader {
  const { source, schema, transform } = parameter;
  const extract = createExtract(parameter);
  const convert = createConversion(parameter, handler);
  // The other sources return no promises, and throw nothing but the 415 of `ctx.body`.
  if (source !== 'custom') return { extract, convert, isPlain: !schema && !transform };
  const extractCustom = catching(extract, failWith(parameter, handler, 500));
  return {
    extract: (ctx) => ctx,
    convert: (ctx, issues) =>
      issues.length > 0
        ? undefined
        : chain(extractCustom(ctx as Context), (extracted) => convert(extracted, issues)),
    isPlain: false,
  };
}

/** Creates the function that replaces what a function or schema of the application throws. */
function failWith(
  { source, name }: ParameterMetadata,
  handler: string,
  status: 400 | 500,
): (error: unknown) => never {
  const parameter = describeParameter(source, name);
  return (error) => {
    if (isHttpError(error)) throw error;
    throw new ParameterInjectionError({ parameter, handler }, error, status);
  };
}

function createExtract(parameter: ParameterMetadata): (ctx: Context) => unknown {
  const { source, name, all, schema, extract } = parameter;
  const key = name ?? '';
  if (schema !== undefined && isInputSource(source))
    return createInputReader({ source, name, all }, schema);
  switch (source) {
    case 'body':
      return name === undefined ? (ctx) => ctx.body : (ctx) => ownProperty(ctx.body, key);
    case 'param':
      return name === undefined ? (ctx) => ctx.params : (ctx) => ctx.params[key];
    case 'query':
      if (name === undefined) return (ctx) => ctx.query;
      return all ? (ctx) => allValues(ctx, name) : (ctx) => ctx.query[name];
    case 'header':
      return name === undefined ? (ctx) => ctx.headers : (ctx) => ctx.get(name);
    case 'ctx':
      return (ctx) => ctx;
    case 'req':
      return (ctx) => ctx.req;
    case 'res':
      return (ctx) => ctx.res;
    case 'custom':
      return extract ?? (() => undefined);
  }
}

/** A query parameter without any value is absent. */
function allValues(ctx: Context, name: string): string[] | undefined {
  const values = ctx.searchParams.getAll(name);
  return values.length === 0 ? undefined : values;
}

/** Ignores inherited properties: the field `constructor` is absent unless the client sent it. */
function ownProperty(body: unknown, key: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, key)) return undefined;
  return (body as Record<string, unknown>)[key];
}

/** Creates the function that checks that a value is present, and converts it: by its schema, then its transform. */
function createConversion(parameter: ParameterMetadata, handler: string): Conversion {
  const { source, name, required, isRequiredSet, default: fallback, schema, transform } = parameter;
  const path = pathOf(source, name);
  // A function receives the client's value, which may be the cause. A schema must not throw.
  const run = transform && catching(transform, failWith(parameter, handler, 400));
  const apply: Conversion | undefined =
    run && ((value, issues) => (value === undefined || issues.length > 0 ? value : run(value)));
  const failSchema = failWith(parameter, handler, 500);
  const schemaDecides = schema !== undefined && !isRequiredSet;
  return (extracted, issues) => {
    const value = extracted === undefined ? fallback : extracted;
    if (value === undefined && !schemaDecides) {
      if (required) issues.push(new MissingIssue(parameter));
      return undefined;
    }
    if (schema === undefined) return apply ? apply(value, issues) : value;
    let output: unknown;
    try {
      output = validateValue(schema, value, path, issues);
    } catch (error) {
      return failSchema(error);
    }
    if (!isPromiseLike(output)) return apply ? apply(output, issues) : output;
    return output.then((settled) => (apply ? apply(settled, issues) : settled), failSchema);
  };
}
