import {
  type AnyContext,
  BadRequestError,
  ForbiddenError,
  type HttpError,
  UnauthorizedError,
} from '@fairlead/core';

/**
 * Reads the bearer token of a request from its `Authorization` header. Tokens in the query, the body and
 * cookies are ignored.
 *
 * @param maxLength - Longest token, in characters. A longer one is rejected before it is parsed.
 * @throws {UnauthorizedError} 401, without a bearer token, or when it is malformed or too long.
 * @throws {BadRequestError} 400, with several `Authorization` headers.
 * @see RFC 6750 §2.1
 */
export function readToken(ctx: AnyContext, maxLength: number, realm: string): string {
  const [authorization, ...others] = ctx.req.headersDistinct.authorization ?? [];
  if (others.length > 0) throw severalCredentials(realm);
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) throw noToken(realm);
  const token = authorization.slice('Bearer'.length).trimStart();
  if (token.length > maxLength) {
    throw invalidToken(realm, `The token is longer than ${maxLength} characters.`);
  }
  if (!/^[\w.~+/-]+=*$/.test(token)) throw invalidToken(realm, 'The token is malformed.');
  return token;
}

/** RFC 6750 §3.1: a request without credentials receives no error code. */
function noToken(realm: string): HttpError {
  return new UnauthorizedError('Send a bearer token in the Authorization header.', {
    code: 'TOKEN_REQUIRED',
    headers: challenge({ realm }),
  });
}

function severalCredentials(realm: string): HttpError {
  const message = 'The request has several Authorization headers. Send one.';
  return new BadRequestError(message, {
    code: 'INVALID_REQUEST',
    headers: challenge({ realm, error: 'invalid_request', error_description: message }),
  });
}

/**
 * Creates the error for a token that is not accepted.
 *
 * @param message - A fixed text, without `"` and `\`. Clients see it.
 */
export function invalidToken(realm: string, message: string): HttpError {
  return new UnauthorizedError(message, {
    code: 'INVALID_TOKEN',
    headers: challenge({ realm, error: 'invalid_token', error_description: message }),
  });
}

/**
 * Creates the error for a valid token that lacks a scope or role.
 *
 * @param scopes - The scopes that a request needs, if it needs scopes.
 */
export function insufficientScope(
  realm: string,
  message: string,
  scopes: readonly string[] = [],
): HttpError {
  const scope = scopes.length > 0 ? { scope: scopes.join(' ') } : {};
  return new ForbiddenError(message, {
    code: 'INSUFFICIENT_SCOPE',
    headers: challenge({
      realm,
      error: 'insufficient_scope',
      error_description: message,
      ...scope,
    }),
  });
}

/** @see RFC 6750 §3; RFC 9110 §11.6.1 */
function challenge(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const list = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return { 'WWW-Authenticate': `Bearer ${list.join(', ')}` };
}
