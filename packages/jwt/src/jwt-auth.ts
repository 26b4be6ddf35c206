import type { AnyContext, Middleware, SchemaOutput, StandardSchema, State } from '@fairlead/core';
import { describe, describeFactories } from '@fairlead/core/extend';
import { describeValue } from '@fairlead/options';
import { errors, type JWTPayload } from 'jose';
import { invalidToken, readToken } from './challenge.js';
import { type JwtAuthOptions, readOptions } from './options.js';
import { BEARER, JWT, SENDS, type VerifiedToken, verifiedToken } from './verified-token.js';
import { createVerifier } from './verifier.js';

/** Verifies the bearer tokens of requests. */
export interface JwtAuth<Claims = JWTPayload> {
  /**
   * Middleware that verifies the token of a request and sets `ctx.state.jwt`. It throws the same errors as
   * {@link verify}.
   */
  readonly middleware: Middleware<{ jwt: VerifiedToken<Claims> }>;
  /**
   * Verifies the token of a request, and sets `ctx.state.jwt`.
   *
   * @throws {UnauthorizedError} 401 `TOKEN_REQUIRED` without a token, or `INVALID_TOKEN`.
   * @throws {BadRequestError} 400 `INVALID_REQUEST`, with several `Authorization` headers.
   * @throws {ServiceUnavailableError} 503 `JWKS_UNAVAILABLE`, when the keys of the issuer cannot be fetched.
   */
  verify(ctx: AnyContext): Promise<VerifiedToken<Claims>>;
  /**
   * Returns the token of a request that was verified before.
   *
   * @throws {InternalServerError} 500 `TOKEN_NOT_VERIFIED`, when no token was verified.
   */
  token(ctx: AnyContext): VerifiedToken<Claims>;
}

/**
 * Creates middleware and a verifier for bearer tokens: JSON Web Tokens that are signed, have an expiration
 * time, and are from `issuer` for `audience`.
 *
 * Rejected requests receive 401 with a challenge, see {@link JwtAuth.verify}.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid, or a key cannot be
 *   used.
 * @see RFC 6750; RFC 7519; RFC 8725
 */
export function createJwtAuth<
  Claims extends object = JWTPayload,
  Schema extends StandardSchema | undefined = undefined,
>(
  options: JwtAuthOptions<Schema>,
): JwtAuth<Schema extends StandardSchema ? SchemaOutput<Schema> : JWTPayload & Claims>;
export function createJwtAuth(
  options: JwtAuthOptions<StandardSchema | undefined>,
): JwtAuth<unknown> {
  const { keys, algorithms } = readOptions('createJwtAuth()', options);
  const { issuer, audience, type, clockTolerance = 5, maxTokenLength = 8_192 } = options;
  const { claims: schema, realm = 'api', scopes = scopesOf, roles = rolesOf } = options;
  const verifyToken = createVerifier(keys.find, {
    algorithms: [...algorithms],
    issuer: [issuer].flat(),
    audience: [audience].flat(),
    clockTolerance,
    requiredClaims: ['exp'],
    ...(type !== undefined && { typ: type }),
  });

  const verify = async (ctx: AnyContext): Promise<VerifiedToken> => {
    const token = readToken(ctx, maxTokenLength, realm);
    const payload = await verifyToken(token).catch((error: unknown) => {
      throw toHttpError(error, realm);
    });
    const claims = schema === undefined ? payload : await validate(schema, payload, realm);
    const verified = Object.freeze({
      claims,
      scopes: assertList('scopes', scopes(payload)),
      roles: assertList('roles', roles(payload)),
      realm,
    });
    ctx.state.jwt = verified;
    return verified;
  };

  const middleware: Middleware<State> = async function jwt(ctx: AnyContext, next) {
    await verify(ctx);
    return next();
  };
  const isRemote = typeof options.jwks === 'string' || options.jwks instanceof URL;
  const isUnused = options.remote !== undefined && !isRemote;
  describe(middleware, {
    name: JWT[0],
    role: 'middleware',
    security: BEARER,
    guard: JWT[1],
    audiences: [audience].flat(),
    sends: SENDS,
    warning: () => (isUnused ? UNUSED_REMOTE : undefined),
  });

  return Object.freeze<JwtAuth<unknown>>({
    middleware: middleware as JwtAuth<unknown>['middleware'],
    verify,
    token: verifiedToken,
  });
}

const UNUSED_REMOTE =
  'createJwtAuth() ignores remote, because it fetches no keys. Pass a URL as jwks, remove remote, or pass the middleware to intended().';

describeFactories(createJwtAuth);

/**
 * Returns the result of an option. A string would pass a check for any of its substrings.
 *
 * @throws {TypeError} When it is not an array.
 */
function assertList(option: 'roles' | 'scopes', names: unknown): readonly string[] {
  if (Array.isArray(names)) return names;
  throw new TypeError(
    `The option ${option} of createJwtAuth() returned ${describeValue(names)}. Return an array of strings, which is empty for a token without ${option}.`,
  );
}

/** Validates claims. Clients do not see what is wrong with them. */
async function validate(
  schema: StandardSchema,
  payload: JWTPayload,
  realm: string,
): Promise<unknown> {
  const result = await schema['~standard'].validate(payload);
  if (result.issues !== undefined) throw invalidToken(realm, 'The claims are not accepted.');
  return result.value;
}

/** Converts the errors that a token causes. Others are those of a key, and stay as they are. */
function toHttpError(error: unknown, realm: string): unknown {
  if (!(error instanceof errors.JOSEError)) return error;
  return invalidToken(realm, describeError(error));
}

/** Describes an error of a token in a fixed text, without anything from the token. */
function describeError(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return CLAIMS.missing;
    return CLAIMS[error.claim] ?? 'The claims are not accepted.';
  }
  return ERRORS[error.code] ?? 'The token is malformed.';
}

const CLAIMS: Readonly<Record<string, string>> & { readonly missing: string } = {
  missing: 'The token needs the claims iss, aud and exp.',
  iss: 'The token is from another issuer.',
  aud: 'The token is for another audience.',
  nbf: 'The token is not valid yet.',
  typ: 'The token has another type.',
};

const ERRORS: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: 'The algorithm of the token is not allowed.',
  ERR_JOSE_NOT_SUPPORTED: 'The token uses an extension or algorithm that is not supported.',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'Several keys match the token. It needs a kid.',
  ERR_JWKS_NO_MATCHING_KEY: 'No key of the issuer matches the token.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature is not valid.',
};

/** RFC 8693 §4.2 and RFC 9068 §2.2.3 use `scope`, other issuers `scp`. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const value = scope ?? scp;
  return typeof value === 'string' ? value.split(' ').filter(Boolean) : stringsOf(value);
}

function rolesOf({ roles }: JWTPayload): readonly string[] {
  return stringsOf(roles);
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
