import {
  InternalServerError,
  type SchemaInput,
  SetupError,
  type StandardSchema,
} from '@fairlead/core';
import { describeValue, isPlainObject, joinWords } from '@fairlead/options';
import { type JWTPayload, SignJWT } from 'jose';
import { type JwtAuthOptions, readOptions } from './options.js';

/** The claims that {@link signToken} sets. */
type OwnClaim = 'iss' | 'aud' | 'iat' | 'exp';

/**
 * The claims of a token to sign: `sub`, `roles`, `scope` and others, as JSON values. With the option `claims`,
 * what its schema accepts. {@link signToken} sets `iss`, `aud`, `iat` and `exp`.
 */
export type TokenClaims<Schema extends StandardSchema | undefined = undefined> = {
  readonly [Name in OwnClaim]?: never;
} & {
  readonly sub?: string;
  readonly jti?: string;
  readonly [name: string]: unknown;
} & (Schema extends StandardSchema ? Omit<SchemaInput<Schema>, OwnClaim> : unknown);

/** What is known of an options object once it was used. */
interface Preparation {
  readonly header: { readonly alg: string; readonly kid: string; readonly typ?: string };
  readonly key: Parameters<SignJWT['sign']>[0];
}

const preparations = new WeakMap<object, Preparation>();

/**
 * Signs a token that `createJwtAuth()` accepts with the same options. The token is from the first `issuer`, for
 * the first `audience`, and valid for `expiresIn` seconds. The first key signs it, with the first of `algorithms`
 * that it can be used with, and its header names the key (`kid`).
 *
 * @param claims - Who the token is for (`sub`), and what for. Do not include secrets: clients can read them.
 * @param options - Those of `createJwtAuth()`, with `secret` or `privateKey`. Pass the same object each time: its
 *   keys are then read once.
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid, or no key can sign.
 * @throws {InternalServerError} 500 `INVALID_CLAIMS`, when `createJwtAuth()` would not accept the claims.
 * @see RFC 7519 §4.1; RFC 7515 §4.1.4
 */
export async function signToken<Schema extends StandardSchema | undefined = undefined>(
  claims: TokenClaims<Schema>,
  options: JwtAuthOptions<Schema>,
): Promise<string>;
export async function signToken(claims: JWTPayload, options: JwtAuthOptions): Promise<string> {
  const { header, key } = prepare(options);
  const { issuer, audience, expiresIn = 900, maxTokenLength = 8_192 } = options;
  assertClaims(claims);
  const iat = Math.floor(Date.now() / 1_000);
  const [iss = ''] = [issuer].flat();
  const [aud = ''] = [audience].flat();
  const payload = { ...claims, iss, aud, iat, exp: iat + expiresIn };
  const token = await new SignJWT(payload).setProtectedHeader(header).sign(key);
  await assertAccepted(payload, options.claims);
  if (token.length <= maxTokenLength) return token;
  const length = `the token has ${token.length} characters, but maxTokenLength is ${maxTokenLength}`;
  throw invalidClaims(`${length}. Keep the data in your database, or raise maxTokenLength.`);
}

/** @throws {SetupError} `INVALID_OPTION` */
function prepare(options: JwtAuthOptions): Preparation {
  const known = preparations.get(options);
  if (known !== undefined) return known;
  const { keys, algorithms } = readOptions('signToken()', options);
  const { signer } = keys;
  if (signer === undefined) {
    throw new SetupError(
      'INVALID_OPTION',
      'signToken() cannot sign with the key of an issuer, which only verifies. Pass secret or privateKey.',
    );
  }
  const algorithm = algorithms.find((name) => signer.algorithms.includes(name));
  if (algorithm === undefined) {
    throw new SetupError(
      'INVALID_OPTION',
      `signToken() cannot use ${describeValue(algorithms)} as algorithms of the first key, which signs. Use ${joinWords(signer.algorithms, 'or')}.`,
    );
  }
  const type = options.type === undefined ? {} : { typ: options.type };
  const header = { alg: algorithm, kid: signer.id, ...type };
  const prepared = { header, key: signer.keyFor(algorithm) };
  preparations.set(options, prepared);
  return prepared;
}

const OWN: Readonly<Record<OwnClaim, string>> = {
  iss: 'the option issuer',
  aud: 'the option audience',
  iat: 'the time',
  exp: 'the option expiresIn',
};

/** @throws {InternalServerError} 500 `INVALID_CLAIMS` */
function assertClaims(claims: JWTPayload): void {
  if (!isPlainObject(claims)) {
    throw invalidClaims(`they are ${describeValue(claims)}. Pass an object, such as { sub: id }.`);
  }
  for (const [name, from] of Object.entries(OWN)) {
    if (!(name in claims)) continue;
    throw invalidClaims(`signToken() sets ${name} from ${from}. Remove it from the claims.`);
  }
  for (const name of ['sub', 'jti'] as const) {
    const value: unknown = claims[name];
    if (!(name in claims) || (typeof value === 'string' && value !== '')) continue;
    const fix =
      typeof value === 'number' ? `Use String(${name}).` : `Pass it, or leave ${name} out.`;
    throw invalidClaims(`${name} must be a non-empty string: got ${typeof value}. ${fix}`);
  }
}

/** @throws {InternalServerError} 500 `INVALID_CLAIMS` */
async function assertAccepted(payload: JWTPayload, schema: StandardSchema | undefined) {
  // What a client will send back.
  const result = await schema?.['~standard'].validate(JSON.parse(JSON.stringify(payload)));
  if (result?.issues === undefined) return;
  const [{ path = [], message } = { message: '' }] = result.issues;
  const name = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  const where = name === '' ? '' : ` at ${name}`;
  throw invalidClaims(`the schema of the option claims rejects them${where}: ${message}`);
}

function invalidClaims(problem: string): InternalServerError {
  return new InternalServerError(`Cannot sign a token with these claims: ${problem}`, {
    code: 'INVALID_CLAIMS',
  });
}
