import { includesType, isJson, joinWords } from '@fairlead/options';
import { json } from '../body/parsers.js';
import type { AnyContext, Context } from '../context/context.js';
import { aborted, noParser, refuseContext } from '../context/context-errors.js';
import { BadRequestError, UnsupportedMediaTypeError } from '../errors/http-error.js';
import type { Next } from '../exchange/after-next.js';
import { EXCHANGE, hasUnreadBody } from '../exchange/exchange.js';
import { acceptQuery, parseMediaType } from '../exchange/media-type.js';
import type { Middleware } from '../pipeline/pipeline.js';

/**
 * Makes sure that the body of a request was read, before a schema or a handler reads the parsed body. Without a
 * parser before the route, it parses JSON as `json()` does by default. Requests without a body or with an empty one
 * pass, and so do those whose body was set or has already been read.
 *
 * @returns A promise only for a body that it parses, or one without `Content-Length`, which may be empty.
 * @throws {UnsupportedMediaTypeError} 415, with `Accept`, and `Accept-Query` for QUERY, when no parser reads the body's
 *   type; 415 `BODY_NOT_READ`, when the route takes that type, or the body is JSON and the route declares none.
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

export function unreadBody(ctx: AnyContext): UnsupportedMediaTypeError {
  const type = ctx.get('Content-Type');
  const declared = ctx[EXCHANGE].route?.mediaTypes ?? [];
  const essence = parseMediaType(type ?? '').essence;
  const isTaken =
    declared.length === 0
      ? isJson(essence)
      : declared.some((range) => includesType(range, essence));
  if (type !== undefined && isTaken && hasUnreadBody(ctx[EXCHANGE])) return noParser(type);
  const accepted = declared.length === 0 ? ['application/json'] : declared;
  return new UnsupportedMediaTypeError(
    `The body has ${type ? `the type ${type}` : 'no Content-Type'}. Send it as ${joinWords(accepted, 'or')}.`,
    {
      headers: {
        Accept: accepted.join(', '),
        ...(ctx.method === 'QUERY' && acceptQuery(declared)),
      },
    },
  );
}
