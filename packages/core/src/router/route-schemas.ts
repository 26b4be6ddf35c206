import { aborted } from '../body/read-body.js';
import {
  type Context,
  hasUnreadBody,
  internals,
  JSON_TYPE,
  noParser,
  type RouteWriter,
} from '../context.js';
import {
  InternalServerError,
  isHttpError,
  UnsupportedMediaTypeError,
  ValidationError,
  type ValidationStatus,
} from '../errors/http-error.js';
import { SetupError } from '../errors/setup-error.js';
import { isPromiseLike } from '../next.js';
import {
  isStandardSchema,
  keysOf,
  type StandardSchema,
  toJsonSchema,
  type ValidationIssue,
  validateValue,
} from '../schema.js';
import { type RouteOptions, responseSchemas } from './route-options.js';

/** Serializes a value as JSON. */
export type WriteJson = (value: unknown) => string;

/**
 * Compiles a JSON Schema (draft-07) to a function that serializes values. `fast-json-stringify` is such a
 * compiler.
 *
 * @throws For an invalid schema. The function throws for a value that it cannot serialize.
 */
export type CompileResponse = { bivariant(schema: object): WriteJson }['bivariant'];

/** How an application applies the schemas of its routes. */
export interface SchemaPolicy {
  /** Status of requests that schemas reject. */
  readonly status: ValidationStatus;
  /** Whether responses are validated. */
  readonly check: boolean;
  /** Returns the compiled writer of a schema; undefined if nothing compiles schemas. */
  readonly writerOf: (schema: object) => WriteJson | undefined;
}

/**
 * Creates the policy of an application.
 *
 * @param compile - Without it, responses are written by `JSON.stringify`.
 */
export function createSchemaPolicy(
  compile: CompileResponse | undefined,
  check: boolean,
  status: ValidationStatus,
): SchemaPolicy {
  const writers = new Map<object, WriteJson | undefined>();
  return Object.freeze({
    status,
    check,
    writerOf(schema: object) {
      if (compile === undefined) return undefined;
      if (!writers.has(schema)) writers.set(schema, compileSchema(schema, compile));
      return writers.get(schema);
    },
  });
}

function compileSchema(schema: object, compile: CompileResponse): WriteJson | undefined {
  const jsonSchema = toJsonSchema(schema, 'output', 'draft-07');
  if (jsonSchema === undefined) return undefined;
  const write: unknown = compile(jsonSchema);
  if (typeof write === 'function') return write as WriteJson;
  throw new TypeError('compileResponse did not return a function');
}

/** A part of a request that a schema validates. */
interface ValidatedInput {
  readonly source: 'param' | 'query' | 'header' | 'body';
  readonly schema: StandardSchema;
  readonly read: (ctx: Context) => unknown;
}

/**
 * Creates the function that validates a request and replaces its inputs with what the schemas produced.
 *
 * @param route - The route, such as `POST /users`, for messages.
 * @param status - Status of the error for a request that schemas reject.
 * @returns Undefined for a route without schemas. The function returns a promise only for an asynchronous
 *   schema.
 * @throws {ValidationError} From that function, with the issues of all inputs.
 */
export function createValidate(
  route: string,
  { params, query, headers, body }: RouteOptions,
  status: ValidationStatus,
): ((ctx: Context) => void | Promise<void>) | undefined {
  const inputs: ValidatedInput[] = [];
  if (params) inputs.push({ source: 'param', schema: params, read: (ctx) => ctx.params });
  if (query) inputs.push({ source: 'query', schema: query, read: createQueryReader(query) });
  if (headers) inputs.push({ source: 'header', schema: headers, read: (ctx) => ctx.headers });
  if (body) inputs.push({ source: 'body', schema: body, read: (ctx) => ctx.body });
  if (inputs.length === 0) return undefined;

  const finish = (ctx: Context, outputs: readonly unknown[], issues: ValidationIssue[]): void => {
    if (issues.length > 0) throw new ValidationError(issues, { status });
    for (const [index, { source }] of inputs.entries()) {
      if (source === 'body') ctx.body = outputs[index];
      else internals.setInput(ctx, source, outputs[index]);
    }
  };
  const validate = (ctx: Context): void | Promise<void> => {
    const issues: ValidationIssue[] = [];
    const outputs: unknown[] = [];
    let isAsync = false;
    try {
      for (const input of inputs) {
        const output = validateInput(ctx, input, route, issues);
        isAsync ||= isPromiseLike(output);
        outputs.push(output);
      }
    } catch (error) {
      // Otherwise, a rejection of a promise that nothing awaits would end the process.
      if (isAsync) void Promise.allSettled(outputs);
      throw error;
    }
    if (!isAsync) return finish(ctx, outputs, issues);
    return Promise.all(outputs).then((settled) => {
      const ordered = inputs.flatMap((input) =>
        issues.filter(({ source }) => source === input.source),
      );
      finish(ctx, settled, ordered);
    });
  };
  if (body === undefined) return validate;
  return (ctx) => {
    const checking = requireParsedBody(ctx);
    return checking === undefined ? validate(ctx) : checking.then(() => validate(ctx));
  };
}

/**
 * Checks that a parser has read the body of a request before a schema validates it. Requests without a body
 * or with an empty one pass, and so do those whose body middleware has already read.
 *
 * @returns A promise only for a body without `Content-Length` that nothing has read. It may be empty.
 * @throws {UnsupportedMediaTypeError} 415, with `Accept`, when no parser before the route reads the body's
 *   type; 415 `BODY_NOT_READ`, when the body is JSON and there is no parser.
 * @throws {BadRequestError} 400 `BODY_ABORTED`, when the client disconnects before it sends any byte.
 * @see RFC 9110 §15.5.16
 */
export function requireParsedBody(ctx: Context): void | Promise<void> {
  internals.assertOwn('requireParsedBody()', ctx);
  if (internals.bodyOf(ctx) !== undefined || !hasUnreadBody(ctx)) return;
  if (ctx.get('Content-Length') !== undefined) throw unreadBody(ctx);
  return hasBytes(ctx).then((found) => {
    if (found) throw unreadBody(ctx);
  });
}

/** Whether a chunked body contains any byte. Discards the body. */
function hasBytes(ctx: Context): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stream = ctx.bodyStream();
    if (stream.destroyed) reject(aborted());
    // The stream keeps flowing after the first chunk, which keeps the connection usable.
    stream.once('data', () => resolve(true)).once('end', () => resolve(false));
    stream.once('close', () => reject(aborted()));
  });
}

/** Creates the error for a body that no parser has read. */
function unreadBody(ctx: Context): UnsupportedMediaTypeError {
  const type = ctx.get('Content-Type');
  const declared = internals.mediaTypesOf(ctx);
  if (declared.length === 0 && type !== undefined && JSON_TYPE.test(type)) return noParser(type);
  const accepted = declared.length === 0 ? ['application/json'] : declared;
  const list = [accepted.slice(0, -1).join(', '), accepted.at(-1)].filter(Boolean).join(' or ');
  return new UnsupportedMediaTypeError(
    `The body has ${type ? `the type ${type}` : 'no Content-Type'}. Send it as ${list}.`,
    { headers: { Accept: accepted.join(', ') } },
  );
}

function validateInput(
  ctx: Context,
  { source, schema, read }: ValidatedInput,
  route: string,
  issues: ValidationIssue[],
): unknown {
  const value = read(ctx);
  const fail = (error: unknown): never => {
    throw isHttpError(error) ? error : schemaFailed(source, route, error);
  };
  try {
    const output = validateValue(schema, value, [source], issues);
    return isPromiseLike(output) ? output.then(undefined, fail) : output;
  } catch (error) {
    return fail(error);
  }
}

function schemaFailed(source: string, route: string, cause: unknown): InternalServerError {
  return new InternalServerError(
    `Validating the ${source} of ${route} failed. Correct the schema that threw the error in cause.`,
    { code: 'SCHEMA_FAILED', cause },
  );
}

/**
 * Creates the function that reads the query for a schema of the whole query. Members that take an array
 * get every value, and others the first one.
 *
 * @param schema - Converts to JSON Schema. Otherwise, no member is known to take an array.
 */
export function createQueryReader(schema: StandardSchema): (ctx: Context) => unknown {
  let arrays: readonly string[] | undefined;
  return (ctx) => {
    arrays ??= arrayMembers(schema);
    if (arrays.length === 0) return ctx.query;
    const query: Record<string, unknown> = Object.assign(Object.create(null), ctx.query);
    for (const name of arrays) {
      const values = ctx.searchParams.getAll(name);
      if (values.length > 0) query[name] = values;
    }
    return query;
  };
}

/** Lists the members of an object that are arrays, as far as the schema converts to JSON Schema. */
function arrayMembers(schema: StandardSchema): readonly string[] {
  const { properties } = inputSchemaOf(schema);
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties)
    .filter(([, member]) => acceptsArray(member))
    .map(([name]) => name);
}

/** Returns an empty object for a schema that cannot be expressed as JSON Schema. */
function inputSchemaOf(schema: StandardSchema): { readonly properties?: unknown } {
  try {
    return toJsonSchema(schema, 'input', 'draft-2020-12') ?? {};
  } catch {
    return {};
  }
}

function acceptsArray(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, anyOf, oneOf }: { type?: unknown; anyOf?: unknown; oneOf?: unknown } = schema;
  if ([type].flat().includes('array')) return true;
  return [anyOf, oneOf].flat().some(acceptsArray);
}

/**
 * Creates the function that serializes the responses of a route.
 *
 * @param route - The route, such as `GET /users`, for messages.
 * @param problems - Receives a {@link SetupError} `INVALID_RESPONSE_SCHEMA` for each schema that cannot be
 *   compiled.
 * @returns Undefined for a route without response schemas, or if the application does not apply them.
 * @throws {InternalServerError} 500 `RESPONSE_SCHEMA`, from that function, when a response does not match
 *   its schema.
 */
export function createRouteWriter(
  route: string,
  options: RouteOptions,
  policy: SchemaPolicy,
  problems: Error[],
): RouteWriter | undefined {
  const writers = new Map<number, WriteJson>();
  for (const [status, schema] of responseSchemas(options)) {
    const write = createWriter(route, schema, policy, problems);
    if (write !== undefined) writers.set(status, write);
  }
  if (writers.size === 0) return undefined;
  const ofSuccess = writers.get(0);
  return (value, status) => {
    const write = writers.get(status) ?? (status < 300 ? ofSuccess : undefined);
    return write === undefined ? toText(value) : write(value);
  };
}

function createWriter(
  route: string,
  schema: object,
  { check, writerOf }: SchemaPolicy,
  problems: Error[],
): WriteJson | undefined {
  let compiled: WriteJson | undefined;
  try {
    compiled = writerOf(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Cannot compile the response schema of ${route}: ${reason}\n  Fix: use a schema that JSON Schema can express.`;
    problems.push(new SetupError('INVALID_RESPONSE_SCHEMA', message, { cause }));
    return undefined;
  }
  const checked = check && isStandardSchema(schema) ? schema : undefined;
  if (compiled === undefined && checked === undefined) return undefined;
  const write = compiled ?? toText;
  return (value) => {
    if (checked !== undefined) checkResponse(route, checked, value);
    try {
      return write(value);
    } catch (cause) {
      throw mismatch(route, [cause instanceof Error ? cause.message : String(cause)], cause);
    }
  };
}

/** Validates what clients would receive. */
function checkResponse(route: string, schema: StandardSchema, value: unknown): void {
  const text = toText(value);
  const result = schema['~standard'].validate(text === undefined ? undefined : JSON.parse(text));
  if (isPromiseLike(result)) {
    Promise.resolve(result).catch(() => undefined);
    throw mismatch(route, ['the schema is asynchronous, so that it cannot check responses.']);
  }
  if (result.issues === undefined) return;
  const problems = result.issues.map((issue) => {
    const path = keysOf(issue).join('.');
    return path === '' ? issue.message : `${path}: ${issue.message}`;
  });
  throw mismatch(route, problems);
}

function mismatch(
  route: string,
  problems: readonly string[],
  cause?: unknown,
): InternalServerError {
  const message = `The response of ${route} does not match its schema: ${problems.join('; ')}\n  Fix: respond with what the schema produces, or correct the schema.`;
  return new InternalServerError(message, { code: 'RESPONSE_SCHEMA', cause });
}

/** Serializes a value without a schema. The context checks the text. */
function toText(value: unknown): string {
  return JSON.stringify(value);
}
