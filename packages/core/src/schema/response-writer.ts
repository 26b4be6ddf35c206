import { atLine, isIntended, isJson, NO_CONTENT_STATUSES } from '@fairlead/options';
import {
  acceptsAbsence,
  compileDescribed,
  type DescribedSchema,
  isStandardSchema,
  type KeepDescribed,
  removedPaths,
  type StandardSchema,
  toJsonSchema,
} from '@fairlead/schemas';
import type { AnyContext } from '../context/context.js';
import { InternalServerError } from '../errors/http-error.js';
import { EXCHANGE, isFilled, type JsonWriter, type RouteWriter } from '../exchange/exchange.js';
import { parseMediaType } from '../exchange/media-type.js';
import { isPromiseLike } from '../promise.js';
import { getHeader } from '../response/headers.js';
import { isBody, isResponse } from '../response/record.js';
import { JSON_TYPE } from '../response/rewrite-json.js';
import { serialize } from '../response/serialize-json.js';
import { SetupError } from '../setup/setup-error.js';
import {
  contentOf,
  type DescribesResponses,
  findMediaType,
  type MediaTypeDescription,
  namedTypes,
  responseSchemas,
} from './content.js';
import { keysOf } from './validate-value.js';

/** Serializes a value as JSON. */
export type WriteJson = (value: unknown) => string;

/**
 * Compiles a JSON Schema (draft-07) to a function that serializes values. `fast-json-stringify` is such a
 * compiler.
 *
 * @throws For an invalid schema. The function throws for a value that it cannot serialize.
 */
export type CompileResponse = { bivariant(schema: object): WriteJson }['bivariant'];

/**
 * What happens to parts of a response that its schema does not describe: they are removed, or the
 * application is trusted not to send any.
 */
export type ResponsePolicy = 'remove' | 'trust';

/** How an application applies the schemas of its routes. */
export interface SchemaPolicy {
  /** Whether responses are validated. */
  readonly check: boolean;
  readonly responses: ResponsePolicy;
  /** Returns the compiled writer of a schema; undefined if nothing compiles schemas. */
  readonly writerOf: (schema: object) => WriteJson | undefined;
  /** Returns what a schema describes. */
  readonly describe: (schema: object) => DescribedSchema;
}

/**
 * Creates the policy of an application.
 *
 * @param compile - Without it, responses are written by `JSON.stringify`.
 */
export function createSchemaPolicy(
  compile: CompileResponse | undefined,
  check: boolean,
  responses: ResponsePolicy,
): SchemaPolicy {
  return Object.freeze({
    check,
    responses,
    writerOf: remember((schema) => compile && compileSchema(schema, compile)),
    describe: remember(compileDescribed),
  });
}

/** Calls a function once for each schema. Routes may share schemas. */
function remember<Result>(compute: (schema: object) => Result): (schema: object) => Result {
  const results = new Map<object, Result>();
  return (schema) => {
    if (!results.has(schema)) results.set(schema, compute(schema));
    return results.get(schema) as Result;
  };
}

function compileSchema(schema: object, compile: CompileResponse): WriteJson | undefined {
  const jsonSchema = toJsonSchema(schema, 'output', 'draft-07');
  if (jsonSchema === undefined) return undefined;
  const write: unknown = compile(jsonSchema);
  if (typeof write === 'function') return write as WriteJson;
  throw new TypeError('compileResponse did not return a function');
}

/**
 * Creates the function that sends the results of a route whose responses have media types other than JSON.
 *
 * @returns Undefined for a route without such responses.
 */
export function createSender(
  options: DescribesResponses,
): ((ctx: AnyContext, result: unknown) => void) | undefined {
  const types = new Map(
    [...responseSchemas(options)].flatMap(([status, schema]) => {
      const named = namedTypes(schema);
      const text = named.find((type) => !isJson(type));
      return named.length === 0 ? [] : [[status, { text, json: named.find(isJson) }] as const];
    }),
  );
  if (types.size === 0) return undefined;
  return (ctx, result) => {
    const exchange = ctx[EXCHANGE];
    const { status = 200 } = exchange;
    const { text, json } = types.get(status) ?? (status < 300 ? types.get(0) : undefined) ?? {};
    const isText = typeof result === 'string';
    const isBytes = isBody(result);
    // ctx.json() determines the type of other values.
    const type = isText ? text : isBytes ? (text ?? json) : undefined;
    const isSettled = isResponse(result) || isFilled(exchange);
    if (type === undefined || isSettled || exchange.phase !== 'open') return ctx.respond(result);
    const present = getHeader(exchange, 'Content-Type');
    const isJsonText = isText && isJson(parseMediaType(String(present ?? type)).essence);
    const hasType = isBytes && Boolean(Reflect.get(result, 'type'));
    if (present === undefined && !type.includes('*') && !hasType) ctx.set('Content-Type', type);
    if (isText && !isJsonText) ctx.send(result);
    else ctx.respond(result);
  };
}

/** The writers of the responses that a schema describes. */
interface Writers {
  /** Returns the writer for a media type. */
  readonly find: (status: number, type: string) => JsonWriter;
  /** The type of JSON unless the handler sets one. */
  readonly type: string;
}

/** The writers of a route. They are one object, because each request reads those of its route from memory. */
class StatusWriters implements RouteWriter {
  readonly #route: string;
  /** Those of each status; undefined if all successful ones have the same. */
  readonly #byStatus: ReadonlyMap<number, Writers> | undefined;
  readonly #ofSuccess: Writers | undefined;
  /** Whether JSON of a successful status that nothing describes is refused. */
  readonly #isStrict: boolean;

  constructor(route: string, byStatus: ReadonlyMap<number, Writers>, isTrusted: boolean) {
    this.#route = route;
    this.#ofSuccess = byStatus.get(0);
    const statuses = [...byStatus.keys()];
    this.#byStatus = statuses.every((status) => status === 0) ? undefined : byStatus;
    this.#isStrict = !isTrusted && statuses.some((status) => status < 300);
  }

  typeFor(status: number): string {
    return this.#writersOf(status)?.type ?? JSON_TYPE;
  }

  find(status: number, type: string): JsonWriter {
    const writers = this.#writersOf(status);
    if (writers !== undefined) return writers.find(status, type);
    const isRefused = this.#isStrict && status < 300 && !NO_CONTENT_STATUSES.has(status);
    if (!isRefused) return serialize;
    return refuse(undescribedStatus(this.#route, status, [...(this.#byStatus?.keys() ?? [])]));
  }

  #writersOf(status: number): Writers | undefined {
    return this.#byStatus?.get(status) ?? (status < 300 ? this.#ofSuccess : undefined);
  }
}

/**
 * Creates the writers of the responses of a route.
 *
 * @param route - The route, such as `GET /users`, for messages.
 * @param problems - Receives a {@link SetupError} `INVALID_RESPONSE_SCHEMA` for each schema that cannot be
 *   compiled.
 * @param unknown - Receives the route, if JSON Schema or JSON cannot express parts of its schemas. The key describes
 *   these parts.
 * @returns Undefined for a route whose responses are written like those without a schema. Its writers throw an
 *   {@link InternalServerError} 500 `RESPONSE_SCHEMA` for a response that does not match its schema or, unless the
 *   application trusts responses, for JSON of a status or a media type that `response` does not describe.
 */
export function createRouteWriter(
  route: string,
  options: DescribesResponses,
  policy: SchemaPolicy,
  problems: Error[],
  unknown: Map<string, Map<string, DescribesResponses>>,
): RouteWriter | undefined {
  const isTrusted = policy.responses === 'trust' && !policy.check;
  let isNeeded = !isTrusted;
  const compile = (schema: object, isKnown: boolean): JsonWriter => {
    let compiled: WriteJson | undefined;
    try {
      compiled = policy.writerOf(schema);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `Cannot compile the response schema of ${route}: ${reason}\n  Fix: use a schema that JSON Schema can express.${atLine(options)}`;
      problems.push(new SetupError('INVALID_RESPONSE_SCHEMA', message, { cause }));
      return serialize;
    }
    if (isTrusted && compiled === undefined) return serialize;
    const described = policy.describe(schema);
    const key = explainUnknown(described, compiled);
    if (key !== undefined && policy.responses !== 'trust' && !isKnown && !isIntended(schema)) {
      unknown.set(key, (unknown.get(key) ?? new Map()).set(route, options));
    }
    isNeeded = true;
    return createWriter(route, schema, policy, described, compiled);
  };
  const isKnown = isIntended(options.response);
  const byStatus = new Map<number, Writers>();
  for (const [status, schema] of responseSchemas(options)) {
    const description = contentOf(schema);
    if (description === undefined) {
      const writer = compile(schema, isKnown);
      byStatus.set(status, { find: () => writer, type: JSON_TYPE });
      continue;
    }
    const { mediaTypes } = description;
    const writers = new Map(
      mediaTypes
        .filter(({ type }) => type === undefined || isJson(type) || type.includes('*'))
        .map((one) => [one, compile(one.schema, isKnown || isIntended(schema))] as const),
    );
    const find = (sent: number, type: string): JsonWriter => {
      const { essence } = parseMediaType(type);
      const found = findMediaType(mediaTypes, essence, isJson(essence));
      const writer = found && writers.get(found);
      if (writer !== undefined || isTrusted) return writer ?? serialize;
      return refuse(undescribedType(route, sent, mediaTypes, essence));
    };
    const named = mediaTypes.flatMap(({ type = 'application/json' }) => type).find(isJson);
    const type = named === undefined || named === 'application/json' ? JSON_TYPE : named;
    if (type !== JSON_TYPE) isNeeded = true;
    byStatus.set(status, { find, type });
  }
  if (byStatus.size === 0 || !isNeeded) return undefined;
  return new StatusWriters(route, byStatus, isTrusted);
}

function refuse(message: string): JsonWriter {
  return () => {
    throw new InternalServerError(message, { code: 'RESPONSE_SCHEMA' });
  };
}

function undescribedStatus(route: string, status: number, described: readonly number[]): string {
  return `The response of ${route} has the status ${status}, but its response describes only ${described.join(' and ')}.\n  Fix: add a schema for ${status} to response, or change the status.`;
}

function undescribedType(
  route: string,
  status: number,
  mediaTypes: readonly MediaTypeDescription[],
  type: string,
): string {
  const types = mediaTypes.flatMap((one) => one.type ?? []);
  const described = types.length === 0 ? 'no body' : `only ${types.join(' and ')}`;
  const alternative =
    types.length === 0 ? 'send no body' : `send ${types.join(' or ')}, with that Content-Type`;
  return `The response ${status} of ${route} is JSON of the type '${type}', but content() describes ${described}.\n  Fix: ${alternative}, or add '${type}' to content().`;
}

function createWriter(
  route: string,
  schema: object,
  { check, responses }: SchemaPolicy,
  { keep, hasBranches }: DescribedSchema,
  compiled: WriteJson | undefined,
): JsonWriter {
  const write =
    compiled &&
    ((value: unknown): string => {
      try {
        return compiled(value);
      } catch (cause) {
        throw mismatch(route, [cause instanceof Error ? cause.message : String(cause)], cause);
      }
    });
  const remove = responses === 'trust' ? undefined : keep;
  // A compiled writer may choose another branch, or refuse members that the branch does not have.
  const removeFirst = hasBranches ? remove : undefined;
  return (value, stringify) => {
    if (check) checkResponse(route, schema, keep, value, (stringify ?? JSON.stringify)(value));
    const isCompiled = stringify === undefined && write !== undefined;
    const needed = isCompiled ? removeFirst : remove;
    const kept = needed === undefined ? value : removeFrom(value, needed);
    return serialize(kept, isCompiled ? write : stringify);
  };
}

/** Removes what a schema does not describe, but keeps errors, which cannot be sent. */
function removeFrom(value: unknown, keep: KeepDescribed): unknown {
  if (value instanceof Error) return value;
  try {
    return keep(value);
  } catch (error) {
    // The error of JSON names the path of a cycle.
    if (error instanceof RangeError) JSON.stringify(value);
    throw error;
  }
}

const MAX_UNDESCRIBED = 5;

/**
 * Validates what clients would receive.
 *
 * @param result - What `text` is the JSON of.
 */
function checkResponse(
  route: string,
  schema: object,
  keep: KeepDescribed | undefined,
  result: unknown,
  text: string | undefined,
): void {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  const issues = isStandardSchema(schema) ? validateResponse(route, schema, value) : [];
  const problems = issues.map(({ keys, message }) =>
    keys.length === 0 ? message : `${keys.join('.')}: ${message}`,
  );
  const undescribed = keep === undefined ? [] : removedPaths(value, keep(value));
  for (const path of undescribed.slice(0, MAX_UNDESCRIBED)) {
    problems.push(`${path}: the schema does not describe it`);
  }
  if (undescribed.length > MAX_UNDESCRIBED) {
    problems.push(`${undescribed.length - MAX_UNDESCRIBED} more like this`);
  }
  if (problems.length === 0) return;
  const hasDate = issues.some(({ keys }) => valueAt(result, keys) instanceof Date);
  throw mismatch(route, problems, undefined, hasDate ? DATE_FIX : undefined);
}

const DATE_FIX =
  'describe the text of dates, which JSON writes as in "2026-01-31T09:30:00.000Z", such as z.iso.datetime() in zod.';

function valueAt(value: unknown, keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);
}

/** What is wrong with a response, with its place. */
interface ResponseIssue {
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

function validateResponse(route: string, schema: StandardSchema, value: unknown): ResponseIssue[] {
  const result = schema['~standard'].validate(value);
  if (isPromiseLike(result)) {
    Promise.resolve(result).catch(() => undefined);
    throw mismatch(route, ['the schema is asynchronous, so that it cannot check responses.']);
  }
  return (result.issues ?? []).map((issue) => ({ keys: keysOf(issue), message: issue.message }));
}

function mismatch(
  route: string,
  problems: readonly string[],
  cause?: unknown,
  fix = 'respond with what the schema produces, or correct the schema.',
): InternalServerError {
  const message = `The response of ${route} does not match its schema: ${problems.join('; ')}\n  Fix: ${fix}`;
  return new InternalServerError(message, { code: 'RESPONSE_SCHEMA', cause });
}

/** Explains, after a subject, what JSON Schema or JSON cannot express of a schema; undefined for nothing. */
function explainUnknown(
  { unknown, bigint }: DescribedSchema,
  compiled: WriteJson | undefined,
): string | undefined {
  // A compiler or the application may write it as a number.
  if (bigint !== undefined && compiled === undefined && !('toJSON' in BigInt.prototype)) {
    const name = bigint === '' ? '' : `, '${bigint}',`;
    return `is a bigint${name} which JSON cannot write, so each is a 500. Describe a string, and return String(${bigint || 'value'})`;
  }
  if (unknown.length === 0) return undefined;
  const reasons = unknown.join(' ');
  if (unknown.every((one) => /\b(?:set|map)\b/i.test(one)))
    return `is a Set or a Map, which JSON cannot write, so each that is not empty is a 500: ${reasons} Describe a list or an object, and convert the value`;
  return `is sent as is, because its schema cannot be converted to JSON Schema: ${reasons} Describe what clients receive, without transforms`;
}

const MAX_ROUTES = 5;

/** Describes what JSON Schema or JSON cannot express. The keys say what, and the values list routes. */
export function describeUnknown(
  unknown: ReadonlyMap<string, ReadonlyMap<string, DescribesResponses>>,
): string[] {
  return [...unknown].map(([reasons, routes]) => {
    const [first] = routes.values();
    const others = routes.size - MAX_ROUTES;
    const listed =
      [...routes.keys()].slice(0, MAX_ROUTES).join(', ') +
      (others > 0 ? ` and ${others} more` : '');
    return `Part of the response of ${listed} ${reasons}, or pass the schema to intended().${atLine(first)}`;
  });
}

/**
 * Whether a response of a route may have no body, as far as the structure of the schema of its status tells.
 *
 * @param status - Undefined for a result that is undefined: whether any successful response may be empty.
 */
export function mayBeEmpty(options: DescribesResponses, status?: number): boolean {
  if (status === undefined) {
    const successes = [...responseSchemas(options).keys()].filter((key) => key < 300);
    return successes.length === 0 || successes.some((key) => mayBeEmpty(options, key));
  }
  if (NO_CONTENT_STATUSES.has(status)) return true;
  const schemas = responseSchemas(options);
  const schema = schemas.get(status) ?? (status < 300 ? schemas.get(0) : undefined);
  return schema === undefined || (isStandardSchema(schema) && acceptsAbsence(schema) !== false);
}
