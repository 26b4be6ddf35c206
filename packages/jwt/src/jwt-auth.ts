import {
  type AnyContext,
  isStandardSchema,
  type Middleware,
  type SchemaOutput,
  SetupError,
  type StandardSchema,
  type State,
} from '@fairlead/core';
import { describe, describeFactories, mayAccept, throwTogether } from '@fairlead/core/extend';
import {
  anything,
  describeValue,
  either,
  findOptionProblems,
  fn,
  integer,
  isPlainObject,
  type Kinds,
  kind,
  nonEmptyString,
} from '@fairlead/options';
import { errors, type JWTPayload } from 'jose';
import { ALGORITHMS } from './algorithms.js';
import { invalidToken, readToken } from './challenge.js';
import { createKeySource, type JwtKeys, type KeySource } from './keys.js';
import { REMOTE_KEYS_OPTIONS, type RemoteKeysOptions } from './remote-keys.js';
import { BEARER, JWT, SENDS, type VerifiedToken, verifiedToken } from './verified-token.js';
import { createVerifier } from './verifier.js';

/** Options of {@link createJwtAuth}. Pass exactly one of `secret`, `publicKey` and `jwks`. */
export interface JwtAuthOptions<
  Schema extends StandardSchema | undefined = StandardSchema | undefined,
> extends JwtKeys {
  /** The `iss` claim that tokens must have. With several, tokens must have one of them. */
  readonly issuer: string | readonly string[];
  /** The `aud` claim that tokens must contain. With several, tokens must contain one of them. */
  readonly audience: string | readonly string[];
  /**
   * The algorithms that tokens may use. Default: those of the key; for `jwks`, RS256 to RS512, PS256 to PS512,
   * ES256 to ES512, EdDSA and Ed25519.
   */
  readonly algorithms?: readonly string[];
  /** Validates the claims, and determines their type. Tokens that it rejects are invalid. */
  readonly claims?: Schema;
  /** The `typ` header that tokens must have, such as `at+jwt` for access tokens of RFC 9068. */
  readonly type?: string;
  /** The seconds by which clocks may differ, for `exp` and `nbf`: from 0 to 300. Default 5. */
  readonly clockTolerance?: number;
  /** The longest token in characters. Default 8,192. */
  readonly maxTokenLength?: number;
  /** The `realm` of challenges: printable ASCII without `"` and `\`. Default `api`. */
  readonly realm?: string;
  /** Returns the scopes of a token. Default: `scope`, or else `scp`, as text or as an array. */
  readonly scopes?: (claims: JWTPayload) => readonly string[];
  /** Returns the roles of a token. Default: `roles`, an array. */
  readonly roles?: (claims: JWTPayload) => readonly string[];
  /** How to fetch the keys from the URL `jwks`. */
  readonly remote?: RemoteKeysOptions;
}

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

const names = either(
  nonEmptyString,
  kind('a non-empty array of them', (value) => isListOf(value, nonEmptyString.accepts)),
);

const JWT_AUTH_OPTIONS: Kinds<JwtAuthOptions> = {
  // createKeySource() checks the keys.
  secret: anything,
  publicKey: anything,
  jwks: anything,
  issuer: names,
  audience: names,
  algorithms: kind(`a non-empty array of ${ALGORITHMS.join(', ')}`, (value) =>
    isListOf(value, (name) => ALGORITHMS.some((known) => known === name)),
  ),
  claims: kind('a Standard Schema, such as a zod schema', isStandardSchema),
  type: nonEmptyString,
  clockTolerance: integer(0, 300, 'number of seconds'),
  maxTokenLength: integer(1),
  realm: kind(
    'printable ASCII without quotes and backslashes',
    (value) => typeof value === 'string' && /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(value),
  ),
  scopes: fn,
  roles: fn,
  remote: kind('an object', isPlainObject),
};

function isListOf(value: unknown, accepts: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(accepts);
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
  const { keys, algorithms } = readOptions(options);
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

/** @throws {SetupError} `INVALID_OPTION` */
/** The claims that every accepted token has, as JSON. */
const CLAIM_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  iss: ['https://issuer.example.com/'],
  aud: ['api', ['api']],
  exp: [1],
};

/** Finds the claims of every token that the option `claims` rejects, as far as its structure tells. */
function findRejectedClaims(
  call: string,
  { claims, issuer, audience }: JwtAuthOptions<StandardSchema | undefined>,
): readonly string[] {
  if (claims === undefined) return [];
  const values = {
    ...CLAIM_VALUES,
    iss: [issuer].flat(),
    aud: [[audience].flat(), ...[audience].flat()],
  };
  const rejected = Object.entries(values).filter(
    ([name, all]) => !all.some((value) => mayAccept(claims, { [name]: value })),
  );
  if (rejected.length === 0) return [];
  const names = rejected.map(([name]) => name).join(', ');
  return [
    `claims of ${call} rejects every token, because it does not accept ${names} as tokens have them: iss and aud are strings, and exp is a number of seconds. Accept other claims, as z.object() does, or describe ${names}, as in exp: z.number().`,
  ];
}

function readOptions(options: JwtAuthOptions<StandardSchema | undefined>): {
  readonly keys: KeySource;
  readonly algorithms: readonly string[];
} {
  const call = 'createJwtAuth()';
  const problems = [
    ...findOptionProblems(call, options, JWT_AUTH_OPTIONS as Kinds<typeof options>),
    ...findOptionProblems('createJwtAuth({ remote })', options?.remote, REMOTE_KEYS_OPTIONS),
  ];
  for (const name of ['issuer', 'audience'] as const) {
    if (options?.[name] !== undefined) continue;
    problems.push(
      `${call} needs ${name}, to reject tokens from other issuers and for other audiences. Pass it.`,
    );
  }
  const given = (['secret', 'publicKey', 'jwks'] as const).filter(
    (name) => options?.[name] !== undefined,
  );
  if (given.length !== 1) {
    const what = given.length === 0 ? 'a key' : `one key, not ${given.join(' and ')}`;
    problems.push(`${call} needs ${what}. Pass either secret, publicKey or jwks.`);
  }
  throwTogether(problems);
  throwTogether(findRejectedClaims(call, options));
  const keys = createKeys(call, options);
  const { algorithms = keys.algorithms } = options;
  const unusable = algorithms.filter((name) => !keys.algorithms.includes(name));
  if (unusable.length > 0) {
    const problem = `${call} cannot use ${describeValue(unusable)} as algorithms of this key.`;
    throw new SetupError('INVALID_OPTION', `${problem} Use ${keys.algorithms.join(', ')}.`);
  }
  return { keys, algorithms };
}

function createKeys(call: string, options: JwtAuthOptions<StandardSchema | undefined>): KeySource {
  try {
    return createKeySource(options, options.remote ?? {});
  } catch (error) {
    const { message, cause } = error as Error;
    throw new SetupError('INVALID_OPTION', `${call} cannot use ${message}`, { cause });
  }
}
