import {
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  KeyObject,
  type webcrypto,
} from 'node:crypto';
import { types } from 'node:util';
import { describeValue, isPlainObject } from '@fairlead/options';
import { createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose';
import { ASYMMETRIC, algorithmsOf, SECRET_SIZES } from './algorithms.js';
import { RemoteKeys, type RemoteKeysOptions } from './remote-keys.js';

/** The keys of {@link JwtAuthOptions}: exactly one of `secret`, `publicKey` and `jwks`. */
export interface JwtKeys {
  /**
   * The secret that the issuer shares with this service: at least as many bytes as the hash of the algorithm,
   * 32 for HS256. A string is encoded as UTF-8.
   */
  readonly secret?: string | Uint8Array;
  /** The public key of the issuer: PEM (SPKI or X.509), a JWK, a KeyObject or a CryptoKey. */
  readonly publicKey?: string | JWK | KeyObject | webcrypto.CryptoKey;
  /** The keys of the issuer: the URL of its JSON Web Key Set, or the set itself. */
  readonly jwks?: string | URL | JSONWebKeySet;
}

/** Finds the keys for tokens. */
export interface KeySource {
  /** The algorithms that the keys can be used with. */
  readonly algorithms: readonly string[];
  readonly find: JWTVerifyGetKey;
}

/**
 * Creates the source of the keys.
 *
 * @param keys - Exactly one of the keys.
 * @throws {Error} When the key cannot be used. The message completes `createJwtAuth() cannot use …`.
 */
export function createKeySource(
  { secret, publicKey, jwks }: JwtKeys,
  remote: RemoteKeysOptions,
): KeySource {
  if (secret !== undefined) return fromSecret(secret);
  if (publicKey !== undefined) return fromPublicKey(publicKey);
  if (typeof jwks === 'string' || jwks instanceof URL) {
    return { algorithms: ASYMMETRIC, find: new RemoteKeys(readUrl(jwks), remote).find };
  }
  return { algorithms: ASYMMETRIC, find: fromKeySet(jwks) };
}

function fromSecret(secret: unknown): KeySource {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw new Error(`${describeValue(secret)} as secret. Use a string or bytes.`);
  }
  const bytes = Buffer.from(secret as string);
  if (bytes.includes('-----BEGIN ')) {
    throw new Error(
      'a PEM key as secret, because public keys are known to everybody. Use publicKey.',
    );
  }
  const algorithms = Object.entries(SECRET_SIZES).flatMap(([name, size]) =>
    bytes.length >= size ? name : [],
  );
  if (algorithms.length === 0) {
    throw new Error(
      `a secret of ${bytes.length} bytes. Use at least 32 random bytes, such as from openssl rand -base64 32.`,
    );
  }
  const secretKey = createSecretKey(bytes);
  // jose would import a KeyObject again for each token.
  const keys = new Map(
    algorithms.map((name) => {
      const algorithm = { name: 'HMAC', hash: `SHA-${name.slice('HS'.length)}` };
      return [name, secretKey.toCryptoKey(algorithm, false, ['verify'])];
    }),
  );
  return { algorithms, find: async ({ alg = '' }) => keys.get(alg) ?? secretKey };
}

function fromPublicKey(value: NonNullable<JwtKeys['publicKey']>): KeySource {
  const key = toKeyObject(value);
  if (key.type !== 'public') {
    const fix = key.type === 'secret' ? 'Use secret.' : 'Use the public key of the pair.';
    throw new Error(`a ${key.type} key as publicKey. ${fix}`);
  }
  const known = algorithmsOf(key);
  const { alg } = isPlainObject(value) ? (value as JWK) : {};
  const algorithms = alg === undefined ? known : known.filter((name) => name === alg);
  if (algorithms.length === 0) {
    const type = `${key.asymmetricKeyType}${alg === undefined ? '' : ` for ${alg}`}`;
    throw new Error(`a key of type ${type} as publicKey. Use a key for ${ASYMMETRIC.join(', ')}.`);
  }
  return { algorithms, find: async () => key };
}

function toKeyObject(value: NonNullable<JwtKeys['publicKey']>): KeyObject {
  if (types.isKeyObject(value)) return value;
  if (types.isCryptoKey(value)) return KeyObject.from(value);
  const isPrivate =
    typeof value === 'string'
      ? value.includes('PRIVATE KEY-----')
      : isPlainObject(value) && 'd' in value;
  if (isPrivate) {
    throw new Error('a private key as publicKey. Use the public key of the pair.');
  }
  if (isPlainObject(value) && (value as JWK).kty === 'oct') {
    throw new Error('a secret key as publicKey. Use secret.');
  }
  try {
    if (typeof value === 'string') return createPublicKey(value);
    if (isPlainObject(value)) return createPublicKey({ key: value as JsonWebKey, format: 'jwk' });
  } catch (cause) {
    if (typeof value === 'string' && value.includes('\\n')) {
      throw new Error(
        "this publicKey, which contains '\\' and 'n' instead of line breaks. Replace them: publicKey.replaceAll('\\\\n', '\\n').",
        { cause },
      );
    }
    throw new Error('this publicKey. Use PEM (SPKI or X.509), a JWK, a KeyObject or a CryptoKey.', {
      cause,
    });
  }
  const given = describeValue(value);
  throw new Error(`${given} as publicKey. Use PEM, a JWK, a KeyObject or a CryptoKey.`);
}

function readUrl(value: string | URL): URL {
  if (!URL.canParse(String(value))) {
    throw new Error(`${describeValue(value)} as jwks. Use a URL that begins with https://.`);
  }
  const url = new URL(value);
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) {
    throw new Error(
      `'${url.protocol}' as the protocol of jwks, because others could forge the keys. Use https:.`,
    );
  }
  return url;
}

function fromKeySet(jwks: unknown): JWTVerifyGetKey {
  const keys: unknown = isPlainObject(jwks) ? Reflect.get(jwks, 'keys') : undefined;
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isPublicJwk)) {
    throw new Error('this jwks. Use a URL, or an object { keys } with at least one public JWK.');
  }
  return createLocalJWKSet({ keys });
}

function isPublicJwk(key: unknown): key is JWK {
  return isPlainObject(key) && !('d' in key) && Reflect.get(key, 'kty') !== 'oct';
}
