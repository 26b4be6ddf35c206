import { type Context, type HttpError, UnsupportedMediaTypeError } from '@fairlead/core';
import { MissingParameterError, type ParameterPlace } from '../errors/parameter-errors.js';
import type { ParameterSource } from '../metadata/parameter.js';

/**
 * Makes the error for a required parameter that is absent from a request.
 *
 * @param source - Where it was looked for.
 * @param place - The parameter and its method.
 * @returns 400; or 415 `BODY_NOT_READ` for a body that was sent and that no parser has read.
 */
export function absentParameter(
  ctx: Context,
  source: ParameterSource,
  place: ParameterPlace,
): HttpError {
  if (source !== 'body' || !hasUnreadBody(ctx)) return new MissingParameterError(place);
  const type = ctx.get('Content-Type');
  const body = type === undefined ? 'a body without a type' : `a body of type '${type}'`;
  return new UnsupportedMediaTypeError(
    `No parser has read ${body}: send application/json, or install a parser (app.use(json())).`,
    { code: 'BODY_NOT_READ' },
  );
}

/** A body that was read and found empty is undefined too. */
function hasUnreadBody({ body, hasBody, req }: Context): boolean {
  return body === undefined && hasBody && !req.readableDidRead;
}
