import type { ServerResponse } from 'node:http';
import { describeValue, isJson } from '@fairlead/options';
import {
  BadRequestError,
  InternalServerError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
} from '../errors/http-error.js';
import { type Exchange, hasBody, hasUnreadBody, isFilled } from '../exchange/exchange.js';
import { parseMediaType } from '../exchange/media-type.js';
import { getHeader } from '../response/headers.js';
import { reset } from '../response/record.js';
import { explainOtherCopy } from '../setup/package-copies.js';

/** Names a request for messages, by its route if it has one. */
export function requestOf({ method, route, target }: Exchange): string {
  return `${method} ${route?.pattern ?? target.path}`;
}

/** Creates the error for a body that nothing parses, although the route takes it: a mistake of the application. */
export function noParser(type: string): UnsupportedMediaTypeError {
  const { essence } = parseMediaType(type);
  const fix = isJson(essence)
    ? 'Add app.use(json()), or declare the body of the route.'
    : `Add a parser before it, such as text({ type: '${essence}' }).`;
  const cause = new Error(`No middleware parses ${essence} before this route. ${fix}`);
  const options = { code: 'BODY_NOT_READ', report: true, cause };
  return new UnsupportedMediaTypeError(
    `Cannot read the body of type ${describeValue(type)}.`,
    options,
  );
}

/** Creates the error for a body that was read before, and whose bytes were not kept. */
export function bodyAlreadyRead(exchange: Exchange): InternalServerError {
  return new InternalServerError(
    `The body of ${requestOf(exchange)} has already been read. Let its parser keep the bytes, as json({ rawBody: true }) does, or leave the body with the option skip.`,
    { code: 'BODY_ALREADY_READ' },
  );
}

/** Creates the error for a client that disconnects while it sends a body. */
export function aborted(): BadRequestError {
  return new BadRequestError('The client disconnected before the body was complete.', {
    code: 'BODY_ABORTED',
  });
}

/** @param limit - In bytes. */
export function bodyTooLarge(limit: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`The body exceeds the limit of ${limit} bytes.`);
}

/**
 * Checks that a body was read, unless a response was recorded, which error handlers and loggers see.
 *
 * @throws {UnsupportedMediaTypeError} 415 `BODY_NOT_READ`
 */
export function assertBodyRead(exchange: Exchange): void {
  const { body, req, res } = exchange;
  if (body !== undefined || res.headersSent || !hasUnreadBody(exchange)) return;
  const { 'content-type': type } = req.headers;
  if (type !== undefined && isJson(parseMediaType(type).essence)) throw noParser(type);
  const unread =
    type === undefined
      ? 'a body without a Content-Type'
      : `the body of type ${describeValue(type)}`;
  throw new UnsupportedMediaTypeError(
    `Cannot read ${unread}. Send a supported media type, such as application/json.`,
    { code: 'BODY_NOT_READ' },
  );
}

/**
 * Throws the error for a context from another copy of core, or for a value that is not a context.
 *
 * @param user - The call that needs the exchange of the context, for the message.
 */
export function refuseContext(user: string, ctx: unknown): never {
  const reason = explainOtherCopy(ctx);
  throw reason === undefined
    ? new TypeError(`${user} received ${describeValue(ctx)} instead of a context. Pass it ctx.`)
    : new InternalServerError(`${user} cannot use the context of the request. ${reason}`, {
        code: 'MIXED_COPIES',
      });
}

/** Creates the error for a response that was recorded too late to be sent. */
export function lateResponse(exchange: Exchange): Error {
  return new Error(
    `A response to ${requestOf(exchange)} came after the response was sent. Await or return every promise, including that of next().`,
  );
}

/** Whether a response was recorded, but the raw response has been started otherwise, and nothing ends it. */
export function isDropped({ res, body, status, takenOver }: Exchange): boolean {
  return isStarted(res) && !takenOver && (body !== undefined || status !== undefined);
}

/** Whether a raw response has started, and nothing has ended it or pipes into it. */
export function isStarted(res: ServerResponse): boolean {
  if (!res.headersSent || res.writableEnded || res.destroyed) return false;
  return res.listenerCount('unpipe') === 0;
}

/** Creates the error for a recorded response that cannot be sent. */
export function droppedResponse(exchange: Exchange): Error {
  return new Error(
    `The response to ${requestOf(exchange)} cannot be sent, because something has written to ctx.res. Write only to ctx.takeOver(), and in Express middleware before next(), with res.end().`,
  );
}

/** Creates the error for a value that cannot be serialized. */
export function notJson(exchange: Exchange, cause: unknown): TypeError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const fix = reason.includes('BigInt') ? '. Convert it, as in String(id).' : '';
  const message = `Cannot send the response body of ${requestOf(exchange)} as JSON: ${reason}${fix}`;
  return new TypeError(message, { cause });
}

/**
 * Discards a returned value that would be sent as JSON with another type.
 *
 * @throws {TypeError} When the type is not JSON.
 */
export function assertJsonType(exchange: Exchange, value: unknown): void {
  const type = String(getHeader(exchange, 'Content-Type'));
  const { essence } = parseMediaType(type);
  if (isJson(essence)) return;
  const returned = typeof value === 'string' ? 'the text' : 'the value, formatted as text,';
  const request = requestOf(exchange);
  reset(exchange);
  throw new TypeError(
    `Cannot send the body of ${request} as JSON: its Content-Type is '${type}'. Pass ${returned} to ctx.send(), or do not set the header.`,
  );
}

/** What middleware did wrong in a request. */
export const mistakes = new WeakMap<object, string>();

/** The functions that ended the pipeline of a request without a response, by name. */
export const silent = new WeakMap<object, string>();

/**
 * Checks that a request was answered, when nothing that could respond to it is left to run. After an error, the following
 * requests are observed, so that their errors name the function.
 *
 * @throws {InternalServerError} 500 `NO_RESPONSE`.
 */
export function assertResponse(exchange: Exchange, ctx: object): void {
  const { res, status, environment } = exchange;
  if (isFilled(exchange) || res.headersSent || res.destroyed) return;
  // The response may lack a body that it requires.
  if (status !== undefined && !lacksBody(exchange)) return;
  environment.sample.restart();
  const message = mistakes.get(ctx) ?? describeNoResponse(exchange, silent.get(ctx));
  throw new InternalServerError(message, { code: 'NO_RESPONSE' });
}

/** Whether the schema of the matched route requires a body, and the response has none. */
function lacksBody({ method, route, status = 200 }: Exchange): boolean {
  return method !== 'HEAD' && route?.mayBeEmpty?.(status) === false;
}

function describeNoResponse(exchange: Exchange, silent: string | undefined): string {
  const { req, res, route, requestBody } = exchange;
  const request = requestOf(exchange);
  if (res.listenerCount('unpipe') > 0)
    return `A stream is piped into ctx.res, which does not respond to ${request}. Return the stream, or pipe it into ctx.takeOver().`;
  if (!hasBody(req) && requestBody !== undefined)
    return `Setting ctx.body does not respond to ${request}: it is the body of the request. Return a value, or pass it to ctx.json().`;
  if (lacksBody(exchange))
    return `The route ${request} sent no body, but its response schema requires one. Return a value from its handler, respond through ctx, or describe 204 in response.`;
  const reason = silent === undefined ? '' : `: '${silent}' neither responded nor called next()`;
  return route === undefined
    ? `No middleware responded to ${request}${reason}. Make sure that every middleware responds, or awaits or returns next().`
    : `The route ${request} sent no response${reason}. Return a value from its handler or respond through ctx, and make sure that every middleware awaits or returns next().`;
}
