import { type AnyContext, InternalServerError } from '@fairlead/core';

/** A token that was verified. */
export interface VerifiedToken<Claims = unknown> {
  /** The claims of the token, or what the schema made of them. */
  readonly claims: Claims;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  /** The `realm` of the challenges. */
  readonly realm: string;
}

/** How messages name the middleware and the guard that verify tokens. */
export const JWT = Object.freeze(['auth.middleware', 'jwtGuard(auth)'] as const);

/** How requests authenticate, for OpenAPI documents. */
export const BEARER = Object.freeze({
  name: 'bearer',
  scheme: Object.freeze({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }),
});

/** What the verification of a token adds to responses, for documents. RFC 6750 §3 */
export const SENDS = Object.freeze({
  responses: { 401: { headers: { 'WWW-Authenticate': 'Why the token was rejected.' } } },
});

/**
 * Returns the token that was verified for a request.
 *
 * @throws {InternalServerError} 500 `TOKEN_NOT_VERIFIED`, when none was.
 */
export function verifiedToken<Claims = unknown>(ctx: AnyContext): VerifiedToken<Claims> {
  const { jwt } = ctx.state;
  // Only verify() sets it.
  if (jwt !== undefined) return jwt as VerifiedToken<Claims>;
  const isExempt = Reflect.get(ctx.state, EXEMPT) === true;
  throw new InternalServerError(
    `No token was verified for ${ctx.method} ${ctx.pattern ?? ctx.path}${isExempt ? FOR_EXEMPT : FOR_OTHERS}`,
    { code: 'TOKEN_NOT_VERIFIED' },
  );
}

/** A global symbol, so that two copies of this package recognize each other's exempt routes. */
const EXEMPT = Symbol.for('fairlead:jwt-exempt');

/** Records that `jwtGuard()` verifies no token of a request, because its route is exempt. */
export function exempt(ctx: AnyContext): void {
  Reflect.set(ctx.state, EXEMPT, true);
}

const FOR_EXEMPT =
  ', because @Public() exempts the route from jwtGuard(). Remove @Public(), or call auth.verify(ctx) before you read the token.';

const FOR_OTHERS =
  ' yet. Add the middleware of createJwtAuth(), or list jwtGuard() before what reads the token. Guards run after all middleware: those of the plugin, then of the class, then of the method, from top to bottom.';
