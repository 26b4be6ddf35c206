import { type Context, InternalServerError } from '@fairlead/core';

/** A token that was verified. */
export interface VerifiedToken<Claims = unknown> {
  /** The claims of the token, or what the schema made of them. */
  readonly claims: Claims;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  /** The `realm` of the challenges. */
  readonly realm: string;
}

/** What messages call that which verifies tokens. */
export const JWT = 'auth.middleware or jwtGuard(auth)';

/** How requests authenticate, for OpenAPI documents. */
export const BEARER = Object.freeze({
  name: 'bearer',
  scheme: Object.freeze({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }),
});

/**
 * Returns the token that was verified for a request.
 *
 * @throws {InternalServerError} 500 `TOKEN_NOT_VERIFIED`, when none was.
 */
export function verifiedToken<Claims = unknown>(ctx: Context): VerifiedToken<Claims> {
  const { jwt } = ctx.state;
  // Only verify() sets it.
  if (jwt !== undefined) return jwt as VerifiedToken<Claims>;
  throw new InternalServerError(
    `No token was verified for ${ctx.method} ${ctx.pattern ?? ctx.path}. Add the middleware of createJwtAuth(), or list jwtGuard() before anything that reads the token.`,
    { code: 'TOKEN_NOT_VERIFIED' },
  );
}
