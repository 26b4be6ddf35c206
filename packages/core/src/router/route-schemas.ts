import { NO_CONTENT_STATUSES } from '@fairlead/options';
import { json } from '../body/parsers.js';
import { aborted } from '../body/read-body.js';
import type { AnyContext, Context } from '../context/context.js';
import { noParser, refuseContext } from '../context/context-errors.js';
import {
  BadRequestError,
  InternalServerError,
  isHttpError,
  UnsupportedMediaTypeError,
  unknownPath,
  ValidationError,
  type ValidationIssue,
} from '../errors/http-error.js';
import { EXCHANGE, hasUnreadBody } from '../exchange/exchange.js';
import { acceptQuery, isJson, parseMediaType } from '../exchange/media-type.js';
import type { Next } from '../exchange/next.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isPromiseLike } from '../promise.js';
import { responseSchemas, typeBodies } from '../schema/content.js';
import { isStandardSchema, type StandardSchema, validateValue } from '../schema/schema.js';
import { acceptsAbsence } from '../schema/structure.js';
import { createFormReader, createTextReader, type TextInput } from '../schema/text-inputs.js';
import type { RouteOptions } from './route-options.js';

/** The members of an exchange that receive what schemas produce. */
const FIELDS = {
  param: 'params',
  query: 'query',
  header: 'requestHeaders',
  body: 'requestBody',
} as const;

interface ValidatedInput {
  readonly source: keyof typeof FIELDS;
  readonly schema: StandardSchema;
  readonly read: (ctx: AnyContext) => unknown;
}

/**
 * Creates the function that validates a request and replaces its inputs with what the schemas produced.
 *
 * @param route - The route, such as `POST /users`, for messages.
 * @returns Undefined for a route without schemas. The function returns a promise only for an asynchronous
 *   schema.
 * @throws {ValidationError} From that function, with the issues of all inputs.
 * @throws {NotFoundError} From that function, for invalid path parameters with `invalidParams: 404`.
 */
export function createValidate(
  route: string,
  { params, query, headers, body, invalidParams }: RouteOptions,
): ((ctx: AnyContext) => void | Promise<void>) | undefined {
  const schemas = [
    ['param', params],
    ['query', query],
    ['header', headers],
    ['body', body],
  ] as const;
  const inputs = schemas.flatMap(([source, schema]): readonly ValidatedInput[] =>
    schema === undefined ? [] : [{ source, schema, read: createInputReader({ source }, schema) }],
  );
  if (inputs.length === 0) return undefined;

  const finish = (
    ctx: AnyContext,
    outputs: readonly unknown[],
    issues: ValidationIssue[],
  ): void => {
    if (issues.length > 0) {
      if (invalidParams === 404 && issues.some(({ source }) => source === 'param'))
        throw unknownPath(ctx.path);
      throw new ValidationError(issues, { status: ctx.validationStatus });
    }
    const exchange: Record<(typeof FIELDS)[ValidatedInput['source']], unknown> = ctx[EXCHANGE];
    for (const [index, { source }] of inputs.entries()) exchange[FIELDS[source]] = outputs[index];
  };
  const failSchema = (source: string, cause: unknown): never => {
    if (isHttpError(cause)) throw cause;
    const message = `Validating the ${source} of ${route} failed. Correct the schema that threw the error in cause.`;
    throw new InternalServerError(message, { code: 'SCHEMA_FAILED', cause });
  };
  const validate = (ctx: AnyContext): void | Promise<void> => {
    const issues: ValidationIssue[] = [];
    const outputs: unknown[] = [];
    let isAsync = false;
    try {
      for (const { source, schema, read } of inputs) {
        const value = read(ctx);
        let output: unknown;
        try {
          output = validateValue(schema, value, [source], issues);
        } catch (cause) {
          failSchema(source, cause);
        }
        if (isPromiseLike(output)) {
          isAsync = true;
          output = output.then(undefined, (cause) => failSchema(source, cause));
        }
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
 * Makes sure that the body of a request was read, before a schema or a handler reads the parsed body. Without a
 * parser before the route, it parses JSON as `json()` does by default. Requests without a body or with an empty one
 * pass, and so do those whose body was set or has already been read.
 *
 * @returns A promise only for a body that it parses, or one without `Content-Length`, which may be empty.
 * @throws {UnsupportedMediaTypeError} 415, with `Accept`, and `Accept-Query` for QUERY, when no parser reads the body's
 *   type; 415 `BODY_NOT_READ`, when the body is JSON and the route declares none.
 * @throws {BadRequestError} 400 `BODY_ABORTED`, when the client disconnects before it sends any byte.
 * @throws {HttpError} Same as `json()`.
 * @see RFC 9110 §15.5.16
 */
export function requireParsedBody(ctx: AnyContext): void | Promise<void> {
  const exchange = ctx[EXCHANGE] ?? refuseContext('requireParsedBody()', ctx);
  if (exchange.requestBody !== undefined || !hasUnreadBody(exchange)) return;
  const parsing = parseDeclaredBody(ctx);
  return parsing === undefined ? refuseUnreadBody(ctx) : parsing.then(() => refuseUnreadBody(ctx));
}

/** The parser of routes without one, created for the first of them. */
let parseJson: Middleware | undefined;

/**
 * Parses the JSON body of a route that declares a body and has no parser before it, as `json()` does by default. Does
 * nothing for other routes, other media types, and a body that was set or read.
 *
 * @throws {HttpError} Same as `json()`.
 */
export function parseDeclaredBody(ctx: AnyContext): Promise<void> | undefined {
  const exchange = ctx[EXCHANGE] ?? refuseContext('parseDeclaredBody()', ctx);
  if (exchange.route?.parsesJson !== true || exchange.requestBody !== undefined) return undefined;
  if (!hasUnreadBody(exchange)) return undefined;
  parseJson ??= json();
  // Only route functions depend on what the schemas of the route produce.
  return parseJson(ctx as Context, () => undefined) as Promise<void> | undefined;
}

/** @returns A promise only for a body without `Content-Length`, which may be empty. */
function refuseUnreadBody(ctx: AnyContext): void | Promise<void> {
  if (!hasUnreadBody(ctx[EXCHANGE])) return;
  if (ctx.get('Content-Length') !== undefined) throw unreadBody(ctx);
  return new Promise((resolve, reject) => {
    const stream = ctx.bodyStream();
    if (stream.destroyed) reject(aborted());
    // The stream keeps flowing after the first chunk, which keeps the connection usable.
    stream.once('data', () => reject(unreadBody(ctx))).once('end', resolve);
    stream.once('close', () => reject(aborted()));
  });
}

/**
 * Middleware of every QUERY route, which checks that a request names the media type of its body.
 *
 * @throws {BadRequestError} 400 `MISSING_CONTENT_TYPE`, with `Accept-Query`.
 * @see RFC 10008 §2, §2.1
 */
export function requireMediaType(ctx: AnyContext, next: Next): void | Promise<void> {
  if (ctx.get('Content-Type') !== undefined) return next();
  const mediaTypes = ctx[EXCHANGE].route?.mediaTypes ?? [];
  const [example = 'application/json'] = mediaTypes;
  throw new BadRequestError(
    `A QUERY request needs a Content-Type. Send the one of its body, such as ${example}.`,
    { code: 'MISSING_CONTENT_TYPE', headers: acceptQuery(mediaTypes) },
  );
}

function unreadBody(ctx: AnyContext): UnsupportedMediaTypeError {
  const type = ctx.get('Content-Type');
  const declared = ctx[EXCHANGE].route?.mediaTypes ?? [];
  const essence = parseMediaType(type ?? '').essence;
  const isTaken = declared.length === 0 ? isJson(essence) : declared.includes(essence);
  if (type !== undefined && isTaken && hasUnreadBody(ctx[EXCHANGE])) return noParser(type);
  const accepted = declared.length === 0 ? ['application/json'] : declared;
  const list = [accepted.slice(0, -1).join(', '), accepted.at(-1)].filter(Boolean).join(' or ');
  return new UnsupportedMediaTypeError(
    `The body has ${type ? `the type ${type}` : 'no Content-Type'}. Send it as ${list}.`,
    {
      headers: {
        Accept: accepted.join(', '),
        ...(ctx.method === 'QUERY' && acceptQuery(declared)),
      },
    },
  );
}

/**
 * Creates the function that reads an input for its schema. What is text in the request becomes what the schema accepts.
 *
 * @throws {UnsupportedMediaTypeError} 415, from that function, when the schema of a body is a `content()` that does not
 *   describe the media type of the body.
 */
export function createInputReader(
  input: TextInput,
  schema: StandardSchema,
): (ctx: AnyContext) => unknown {
  const withType =
    input.source === 'body' && input.name === undefined ? typeBodies(schema) : undefined;
  // The inputs are still text when it reads them.
  if (withType === undefined)
    return createTextReader(input, schema) as (ctx: AnyContext) => unknown;
  const convert = createFormReader(schema);
  return (ctx) => {
    const { body } = ctx;
    if (body === undefined) return undefined;
    const { essence } = parseMediaType(ctx.get('Content-Type') ?? '');
    const typed = withType(essence, convert(essence, body));
    if (typed === undefined) throw unreadBody(ctx);
    return typed;
  };
}

/**
 * Whether a response of a route may have no body, as far as the structure of the schema of its status tells.
 *
 * @param status - Undefined for a result that is undefined: whether any successful response may be empty.
 */
export function mayBeEmpty(options: RouteOptions, status?: number): boolean {
  if (status === undefined) {
    const successes = [...responseSchemas(options).keys()].filter((key) => key < 300);
    return successes.length === 0 || successes.some((key) => mayBeEmpty(options, key));
  }
  if (NO_CONTENT_STATUSES.has(status)) return true;
  const schemas = responseSchemas(options);
  const schema = schemas.get(status) ?? (status < 300 ? schemas.get(0) : undefined);
  return schema === undefined || (isStandardSchema(schema) && acceptsAbsence(schema) !== false);
}
