import { InternalServerError } from '../errors/http-error.js';
import type { Exchange, JsonWriter, RouteWriter } from '../exchange/exchange.js';
import { getHeader } from './headers.js';
import { replaceBody } from './record.js';
import { serialize } from './serialize-json.js';

/** The default `Content-Type` of JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns the `Content-Type` that JSON would be sent with. */
export function jsonTypeOf(exchange: Exchange, writer: RouteWriter): string {
  const { status = 200, defaultType } = exchange;
  const present = getHeader(exchange, 'Content-Type');
  return present === undefined || present === defaultType
    ? writer.typeFor(status)
    : String(present);
}

/**
 * Writes JSON again whose status or `Content-Type` has changed, so that the response schema of what is sent applies.
 *
 * @throws {InternalServerError} 500 `RESPONSE_SCHEMA`, when the response schema does not describe the response, or the
 *   body was replaced, such as by compression.
 */
export function rewriteJson(exchange: Exchange, written: JsonWriter): void {
  const { route, body, status = 200, method, phase, takenOver, res } = exchange;
  if (route?.writer === undefined || body === undefined) return;
  if (phase !== 'open' || takenOver || res.headersSent) return;
  const type = getHeader(exchange, 'Content-Type');
  const writer = route.writer.find(status, String(type ?? route.writer.typeFor(status)));
  // What no schema describes, such as an error, stays as it was written.
  if (writer === written || writer === serialize) return;
  if (typeof body !== 'string') {
    throw new InternalServerError(
      `The response of ${method} ${route.pattern} changed to ${status} with the Content-Type '${String(type)}' after its body was written and encoded.\n  Fix: set the status and the Content-Type before the body.`,
      { code: 'RESPONSE_SCHEMA' },
    );
  }
  replaceBody(exchange, writer(JSON.parse(body)));
}
