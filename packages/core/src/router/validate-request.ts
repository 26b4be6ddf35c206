import { type StandardSchema } from '@fairlead/schemas';
import type { AnyContext } from '../context/context.js';
import {
  InternalServerError,
  isHttpError,
  unknownPath,
  ValidationError,
  type ValidationIssue,
} from '../errors/http-error.js';
import { EXCHANGE } from '../exchange/exchange.js';
import { parseMediaType } from '../exchange/media-type.js';
import { isPromiseLike } from '../promise.js';
import { typeBodies } from '../schema/content.js';
import { createFormReader, createReader, type TextInput } from '../schema/text-inputs.js';
import { validateValue } from '../schema/validate-value.js';
import { requireParsedBody, unreadBody } from './declared-body.js';
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
  if (withType === undefined) return createReader(input, schema) as (ctx: AnyContext) => unknown;
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
