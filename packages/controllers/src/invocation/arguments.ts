import {
  type Context,
  createQueryReader,
  isHttpError,
  ValidationError,
  type ValidationIssue,
  validateValue,
} from '@fairlead/core';
import { MissingParameterError, ParameterInjectionError } from '../errors/request-errors.js';
import {
  describeParameter,
  type ParameterDefinition,
  type ParameterMetadata,
} from '../metadata/parameter.js';
import { catching, chain, isPromiseLike } from '../promise.js';

/** Reads the arguments of a method from a request; a promise only if one of them needs it. */
export type ReadArguments = (ctx: Context) => unknown[] | PromiseLike<unknown[]>;

/**
 * Reads one value from a request, and adds what is wrong with it to the issues. After an issue, the
 * functions of the application do not run.
 */
type ReadValue = (ctx: Context, issues: ValidationIssue[]) => unknown;

/** The issues of required parameters that are absent, with the parameters. */
type MissingParameters = Map<ValidationIssue, string>;

/**
 * Creates the function that reads all arguments of a method, one after another.
 *
 * @param parameters - In any order. Parameters between them are undefined.
 * @param handler - The method, as `UsersController.create`.
 * @throws {ValidationError} From that function, with the issues of all parameters.
 * @throws {MissingParameterError} From that function, when parameters are missing and the others valid.
 */
export function createReadArguments(
  parameters: readonly ParameterDefinition[],
  handler: string,
): ReadArguments {
  const missing: MissingParameters = new Map();
  const readers: ReadValue[] = [];
  for (const parameter of parameters) {
    readers[parameter.index] = createReader(parameter, handler, missing);
  }
  const all = Array.from(readers, (read) => read ?? (() => undefined));
  const refuse = (ctx: Context, issues: readonly ValidationIssue[]): never => {
    const [first] = issues.flatMap((issue) => missing.get(issue) ?? []);
    const status = ctx.validationStatus;
    if (first === undefined || !issues.every((issue) => missing.has(issue))) {
      throw new ValidationError(issues, { status });
    }
    throw new MissingParameterError({ parameter: first, handler }, issues, status);
  };
  const readFrom = (
    ctx: Context,
    values: unknown[],
    issues: ValidationIssue[],
    start: number,
  ): unknown[] | PromiseLike<unknown[]> => {
    for (let index = start; index < values.length; index += 1) {
      const value = all[index]?.(ctx, issues);
      if (isPromiseLike(value)) {
        return value.then((settled) => {
          values[index] = settled;
          return readFrom(ctx, values, issues, index + 1);
        });
      }
      values[index] = value;
    }
    return issues.length === 0 ? values : refuse(ctx, issues);
  };
  // Allocated with its final size, because an array that grows would take six times the memory.
  return (ctx) => readFrom(ctx, new Array(all.length), [], 0);
}

/** Creates the function that extracts one argument, checks its presence, and validates and converts it. */
function createReader(
  parameter: ParameterMetadata,
  handler: string,
  missing: MissingParameters,
): ReadValue {
  const { source, name, required, isRequiredSet, schema } = parameter;
  const label = describeParameter(source, name);
  const path: [string, ...string[]] = name === undefined ? [source] : [source, name];
  const absent: ValidationIssue = Object.freeze({ source, path, message: 'is required' });
  missing.set(absent, label);
  const failWith =
    (failure: 400 | 500) =>
    (error: unknown): never => {
      if (isHttpError(error)) throw error;
      throw new ParameterInjectionError({ parameter: label, handler }, error, failure);
    };
  const convert = createConversion(parameter, path, failWith);
  const schemaDecides = schema !== undefined && !isRequiredSet;
  const receive: (extracted: unknown, issues: ValidationIssue[]) => unknown = (
    extracted,
    issues,
  ) => {
    const value = extracted === undefined ? parameter.default : extracted;
    if (value !== undefined || schemaDecides) return convert(value, issues);
    if (required) issues.push(absent);
    return undefined;
  };
  const extract = createExtract(parameter);
  // The other sources return no promises, and throw nothing but the 415 of `ctx.body`.
  if (source !== 'custom') return (ctx, issues) => receive(extract(ctx), issues);
  const extractCustom = catching(extract, failWith(500));
  return (ctx, issues) => {
    if (issues.length > 0) return undefined;
    return chain(extractCustom(ctx), (extracted) => receive(extracted, issues));
  };
}

/** Creates the function that extracts a parameter's value; undefined if it is absent. */
function createExtract(parameter: ParameterMetadata): (ctx: Context) => unknown {
  const { source, name, all, schema, extract } = parameter;
  const key = name ?? '';
  switch (source) {
    case 'body':
      return name === undefined ? (ctx) => ctx.body : (ctx) => ownProperty(ctx.body, key);
    case 'param':
      return name === undefined ? (ctx) => ctx.params : (ctx) => ctx.params[key];
    case 'query':
      if (name === undefined) return schema ? createQueryReader(schema) : (ctx) => ctx.query;
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

/** Converts the value of a parameter, or adds what is wrong with it to the issues. */
type Conversion = (value: unknown, issues: ValidationIssue[]) => unknown;

/** Creates the conversion of a parameter: by its schema, and then by its transform. */
function createConversion(
  { schema, transform }: ParameterMetadata,
  path: readonly [string, ...string[]],
  failWith: (failure: 400 | 500) => (error: unknown) => never,
): Conversion {
  // A function receives the client's value, which may be the cause.
  const run = transform && catching(transform, failWith(400));
  const apply: Conversion = (value, issues) =>
    run === undefined || value === undefined || issues.length > 0 ? value : run(value);
  if (schema === undefined) return apply;
  // A schema must not throw.
  const validate = catching(
    (value: unknown, issues: ValidationIssue[]) => validateValue(schema, value, path, issues),
    failWith(500),
  );
  return (value, issues) => chain(validate(value, issues), (output) => apply(output, issues));
}
