import { type Context, isHttpError } from '@fairlead/core';
import { describeValue } from '@fairlead/options';
import {
  type HandlerParameter,
  MissingParameterError,
  ParameterInjectionError,
  ParameterValidationError,
  type ValidationIssue,
  type ValidationStatus,
} from '../errors/request-errors.js';
import {
  describeParameter,
  type ParameterDefinition,
  type ParameterMetadata,
  type Transform,
  type TransformFunction,
} from '../metadata/parameter.js';
import {
  isSchemaResult,
  isStandardSchema,
  type StandardSchema,
  type StandardSchemaIssue,
} from '../metadata/standard-schema.js';
import { catching, chain, isPromiseLike } from '../promise.js';

/** Reads the arguments of a method from a request; a promise only if one of them needs it. */
export type ReadArguments = (ctx: Context) => unknown[] | PromiseLike<unknown[]>;

/** Reads one value from a request. */
type ReadValue = (ctx: Context) => unknown;

/**
 * Creates the function that reads all arguments of a method, one after another.
 *
 * @param parameters - In any order. Parameters between them are undefined.
 * @param handler - The method, as `UsersController.create`.
 * @param status - Status of the errors for missing and invalid values.
 */
export function createReadArguments(
  parameters: readonly ParameterDefinition[],
  handler: string,
  status: ValidationStatus,
): ReadArguments {
  const readers: ReadValue[] = [];
  for (const parameter of parameters) {
    readers[parameter.index] = createReader(parameter, handler, status);
  }
  const all = Array.from(readers, (read) => read ?? (() => undefined));
  // Allocated with its final size, because an array that grows would take six times the memory.
  return (ctx) => readFrom(all, ctx, new Array(all.length), 0);
}

function readFrom(
  readers: readonly ReadValue[],
  ctx: Context,
  values: unknown[],
  start: number,
): unknown[] | PromiseLike<unknown[]> {
  for (let index = start; index < values.length; index += 1) {
    const value = readers[index]?.(ctx);
    if (isPromiseLike(value)) {
      return value.then((settled) => {
        values[index] = settled;
        return readFrom(readers, ctx, values, index + 1);
      });
    }
    values[index] = value;
  }
  return values;
}

/** What the errors of a parameter need to know. */
interface ReaderTarget extends HandlerParameter {
  /** Where the value is in a request, as `['body', 'name']`. */
  readonly path: readonly string[];
  readonly status: ValidationStatus;
}

/** Creates the function that extracts one argument, checks its presence and converts it. */
function createReader(
  parameter: ParameterMetadata,
  handler: string,
  status: ValidationStatus,
): ReadValue {
  const { source, name, required, transform } = parameter;
  const target: ReaderTarget = {
    parameter: describeParameter(source, name),
    handler,
    path: name === undefined ? [source] : [source, name],
    status,
  };
  const failWith =
    (failure: 400 | 500) =>
    (error: unknown): never => {
      throw isHttpError(error) ? error : new ParameterInjectionError(target, error, failure);
    };
  const conversion = transform && createConversion(transform, target);
  // A function receives the client's value, which may be the cause. A schema must not throw.
  const failConversion = failWith(isStandardSchema(transform) ? 500 : 400);
  const present = conversion && catching(conversion.present, failConversion);
  const absent = conversion && catching(conversion.absent, failConversion);
  const convert = (extracted: unknown): unknown => {
    const value = extracted === undefined ? parameter.default : extracted;
    if (value !== undefined) return present === undefined ? value : present(value);
    if (required) throw missingParameter(target);
    return absent === undefined ? value : absent(value);
  };
  const extract = createExtract(parameter);
  // The other sources return no promises, and throw nothing but the 415 of `ctx.body`.
  if (source !== 'custom') return (ctx) => convert(extract(ctx));
  const extractCustom = catching(extract, failWith(500));
  return (ctx) => {
    const extracted = extractCustom(ctx);
    return chain(extracted, convert);
  };
}

/** Creates the function that extracts a parameter's value; undefined if it is absent. */
function createExtract({ source, name, all, extract }: ParameterMetadata): ReadValue {
  const key = name ?? '';
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

/** Creates the error for a required parameter that a request lacks. */
function missingParameter(target: ReaderTarget): MissingParameterError {
  const issues = [{ path: target.path, message: 'is required' }];
  return new MissingParameterError(target, issues, target.status);
}

/** Converts the value of a parameter. */
interface Conversion {
  /** Converts a present value. */
  readonly present: (value: unknown) => unknown;
  /** Returns the value for an optional parameter that is absent. */
  readonly absent: (value: undefined) => unknown;
}

/**
 * Creates the conversion for a transform. A function only receives present values. A schema also
 * receives an absent one, for which it may define a default. If it rejects that, the optional
 * parameter stays undefined.
 */
function createConversion(transform: Transform, target: ReaderTarget): Conversion {
  if (!isStandardSchema(transform)) {
    const convert: TransformFunction = transform;
    return { present: (value) => convert(value), absent: (value) => value };
  }
  return {
    present: (value) =>
      validate(transform, value, (issues) => {
        throw new ParameterValidationError(
          target,
          issues.map((issue) => toValidationIssue(issue, target.path)),
          target.status,
        );
      }),
    absent: (value) => validate(transform, value, () => undefined),
  };
}

function validate(
  schema: StandardSchema,
  value: unknown,
  reject: (issues: readonly StandardSchemaIssue[]) => unknown,
): unknown {
  return chain(schema['~standard'].validate(value), (result) => {
    if (!isSchemaResult(result)) {
      throw new TypeError(
        `validate() returned ${describeValue(result)}, which has neither a value nor an array of issues. Return { value } or { issues }.`,
      );
    }
    return result.issues === undefined ? result.value : reject(result.issues);
  });
}

function toValidationIssue(issue: StandardSchemaIssue, prefix: readonly string[]): ValidationIssue {
  const within = (issue.path ?? []).map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'symbol' ? String(key) : key;
  });
  return { path: [...prefix, ...within], message: issue.message };
}
