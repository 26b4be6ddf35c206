import { isStandardSchema, SetupError, type StandardSchema } from '@fairlead/core';
import { mayAccept, throwTogether } from '@fairlead/core/extend';
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
import type { JWTPayload } from 'jose';
import { ALGORITHMS } from './algorithms.js';
import { createKeySource, type JwtKeys, type KeySource } from './keys.js';
import { REMOTE_KEYS_OPTIONS, type RemoteKeysOptions } from './remote-keys.js';

/**
 * Options of {@link createJwtAuth} and {@link signToken}. Pass exactly one of `secret`, `publicKey`,
 * `privateKey` and `jwks`.
 */
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
  /**
   * Seconds for which the tokens of {@link signToken} are valid: from 1 to 31,622,400 (366 days). Default 900
   * (15 minutes).
   */
  readonly expiresIn?: number;
  /** How to fetch the keys from the URL `jwks`. */
  readonly remote?: RemoteKeysOptions;
}

const names = either(
  nonEmptyString,
  kind('a non-empty array of them', (value) => isListOf(value, nonEmptyString.accepts)),
);

const JWT_AUTH_OPTIONS: Kinds<JwtAuthOptions> = {
  // createKeySource() checks the keys.
  secret: anything,
  publicKey: anything,
  privateKey: anything,
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
  expiresIn: integer(1, 31_622_400, 'number of seconds'),
  remote: kind('an object', isPlainObject),
};

function isListOf(value: unknown, accepts: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(accepts);
}

/** The claims that every accepted token has, as JSON. */
const CLAIM_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  iss: ['https://issuer.example.com/'],
  aud: ['api', ['api']],
  exp: [1],
};

/** Finds the claims of every token that the option `claims` rejects, as far as its structure tells. */
function findRejectedClaims(
  call: string,
  { claims, issuer, audience }: JwtAuthOptions,
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

/**
 * Checks the options, and reads the keys.
 *
 * @param call - Begins the messages.
 * @throws {SetupError} `INVALID_OPTION`
 */
export function readOptions(
  call: string,
  options: JwtAuthOptions,
): { readonly keys: KeySource; readonly algorithms: readonly string[] } {
  const problems = [
    ...findOptionProblems(call, options, JWT_AUTH_OPTIONS as Kinds<typeof options>),
    ...findOptionProblems(`${call.slice(0, -1)}{ remote })`, options?.remote, REMOTE_KEYS_OPTIONS),
  ];
  for (const name of ['issuer', 'audience'] as const) {
    if (options?.[name] !== undefined) continue;
    problems.push(
      `${call} needs ${name}, to reject tokens from other issuers and for other audiences. Pass it.`,
    );
  }
  const given = (['secret', 'publicKey', 'privateKey', 'jwks'] as const).filter(
    (name) => options?.[name] !== undefined,
  );
  if (given.length !== 1) {
    const what = given.length === 0 ? 'a key' : `one key, not ${given.join(' and ')}`;
    problems.push(`${call} needs ${what}. Pass either secret, publicKey, privateKey or jwks.`);
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

function createKeys(call: string, options: JwtAuthOptions): KeySource {
  try {
    return createKeySource(options, options.remote ?? {});
  } catch (error) {
    const { message, cause } = error as Error;
    throw new SetupError('INVALID_OPTION', `${call} cannot use ${message}`, { cause });
  }
}
