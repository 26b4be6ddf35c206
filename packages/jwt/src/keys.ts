import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  type JsonWebKey,
  KeyObject,
  type webcrypto,
} from 'node:crypto';
import { types } from 'node:util';
import { describeValue, isPlainObject } from '@fairlead/options';
import { createLocalJWKSet, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose';
import { ASYMMETRIC, algorithmsOf, assertUsable, SECRET_SIZES } from './algorithms.js';
import { RemoteKeys, type RemoteKeysOptions } from './remote-keys.js';

/** One of something, or several. */
type Listed<Type> = Type | readonly Type[];

type Asymmetric = string | JWK | KeyObject | webcrypto.CryptoKey;

/**
 * The keys of {@link JwtAuthOptions}: exactly one of `secret`, `publicKey`, `privateKey` and `jwks`. To rotate
 * keys, add a new one in front, and remove the old one once its tokens have expired.
 */
export interface JwtKeys {
  /**
   * The secret that the issuer shares with this service: at least as many bytes as the hash of the algorithm,
   * 32 for HS256. A string is encoded as UTF-8. With several, the first one signs, and all verify.
   */
  readonly secret?: Listed<string | Uint8Array>;
  /** The public key of the issuer: PEM (SPKI or X.509), a JWK, a KeyObject or a CryptoKey. Or several. */
  readonly publicKey?: Listed<Asymmetric>;
  /**
   * The private key of this service, which signs: PEM (PKCS #8, PKCS #1 or SEC 1), a JWK, a KeyObject or a
   * CryptoKey. With several, the first one signs, and all verify.
   */
  readonly privateKey?: Listed<Asymmetric>;
  /** The keys of the issuer: the URL of its JSON Web Key Set, or the set itself. */
  readonly jwks?: string | URL | JSONWebKeySet;
}

/** What jose verifies and signs with. */
export type UsableKey = Awaited<ReturnType<JWTVerifyGetKey>>;

/** Finds the keys for tokens. */
export interface KeySource {
  /** The algorithms that the keys can be used with. */
  readonly algorithms: readonly string[];
  /** Finds the keys that may have signed a token. All of them can be used with its algorithm. */
  readonly find: (...token: Parameters<JWTVerifyGetKey>) => Promise<readonly UsableKey[]>;
  /** The key that signs; undefined if this service only verifies. */
  readonly signer?: Signer;
}

/** A key that signs tokens. */
export interface Signer {
  /** The `kid` of its tokens. */
  readonly id: string;
  readonly algorithms: readonly string[];
  readonly keyFor: (algorithm: string) => UsableKey;
}

/** A key of a service that knows all of them. */
interface LocalKey extends Signer {
  readonly verifier: (algorithm: string) => UsableKey;
}

/**
 * Creates the source of the keys.
 *
 * @param keys - Exactly one of the keys.
 * @throws {Error} When a key cannot be used. The message completes `createJwtAuth() cannot use …`.
 */
export function createKeySource(
  { secret, publicKey, privateKey, jwks }: JwtKeys,
  remote: RemoteKeysOptions,
): KeySource {
  if (secret !== undefined) return signing(listOf('secret', secret, fromSecret));
  if (publicKey !== undefined) return fromKeys(listOf('publicKey', publicKey, fromPublicKey));
  if (privateKey !== undefined) return signing(listOf('privateKey', privateKey, fromPrivateKey));
  const find =
    typeof jwks === 'string' || jwks instanceof URL
      ? new RemoteKeys(readUrl(jwks), remote).find
      : fromKeySet(jwks);
  return { algorithms: ASYMMETRIC, find: async (...token) => [await find(...token)] };
}

/** Reads an option that is a key or an array of keys. Messages name the element. */
function listOf(
  name: string,
  given: unknown,
  read: (value: unknown, name: string) => LocalKey,
): readonly LocalKey[] {
  if (!Array.isArray(given)) return [read(given, name)];
  if (given.length === 0) throw new Error(`[] as ${name}. Pass at least one.`);
  return given.map((value: unknown, index) => read(value, `${name}[${index}]`));
}

function fromKeys(keys: readonly LocalKey[]): KeySource {
  return {
    algorithms: [...new Set(keys.flatMap(({ algorithms }) => algorithms))],
    async find({ alg = '', kid }) {
      const usable = keys.filter(({ algorithms }) => algorithms.includes(alg));
      const named = usable.filter(({ id }) => id === kid);
      // Another library may have signed the token, without a kid or with another one.
      return (named.length > 0 ? named : usable).map(({ verifier }) => verifier(alg));
    },
  };
}

function signing(keys: readonly LocalKey[]): KeySource {
  const [signer] = keys;
  return { ...fromKeys(keys), ...(signer && { signer }) };
}

function fromSecret(secret: unknown, name: string): LocalKey {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw new Error(`${describeValue(secret)} as ${name}. Use a string or bytes.`);
  }
  const bytes = Buffer.from(secret as string);
  if (bytes.includes('-----BEGIN ')) {
    throw new Error(
      `a PEM key as ${name}, because public keys are known to everybody. Use publicKey, or privateKey to sign.`,
    );
  }
  const algorithms = Object.entries(SECRET_SIZES).flatMap(([algorithm, size]) =>
    bytes.length >= size ? algorithm : [],
  );
  if (algorithms.length === 0) {
    throw new Error(
      `a secret of ${bytes.length} bytes as ${name}. Use at least 32 random bytes, such as from openssl rand -base64 32.`,
    );
  }
  const secretKey = createSecretKey(bytes);
  // jose would import a KeyObject again for each token.
  const keys = new Map(
    algorithms.map((algorithm) => {
      const hmac = { name: 'HMAC', hash: `SHA-${algorithm.slice('HS'.length)}` };
      return [algorithm, secretKey.toCryptoKey(hmac, false, ['sign', 'verify'])];
    }),
  );
  const keyFor = (algorithm: string) => keys.get(algorithm) ?? secretKey;
  // Reveals no more of the secret than a signature.
  const id = createHmac('sha256', secretKey).update('kid').digest('base64url').slice(0, 16);
  return { id, algorithms, keyFor, verifier: keyFor };
}

function fromPublicKey(value: unknown, name: string): LocalKey {
  const key = toKeyObject(value, name, 'public');
  return { ...describeKey(key, value, name), keyFor: () => key, verifier: () => key };
}

function fromPrivateKey(value: unknown, name: string): LocalKey {
  const key = toKeyObject(value, name, 'private');
  const verifier = createPublicKey(key);
  return { ...describeKey(verifier, value, name), keyFor: () => key, verifier: () => verifier };
}

/** Describes a key by its public one, and by the members `alg` and `kid` of a JWK. */
function describeKey(key: KeyObject, value: unknown, name: string) {
  const known = algorithmsOf(key, name);
  const { alg, kid = thumbprintOf(key) } = isPlainObject(value) ? (value as JWK) : {};
  const algorithms = alg === undefined ? known : known.filter((one) => one === alg);
  if (algorithms.length === 0) {
    const type = `${key.asymmetricKeyType}${alg === undefined ? '' : ` for ${alg}`}`;
    throw new Error(`a key of type ${type} as ${name}. Use a key for ${ASYMMETRIC.join(', ')}.`);
  }
  return { id: kid, algorithms };
}

/** @see RFC 7638 §3 */
function thumbprintOf(key: KeyObject): string {
  const { crv, e, kty, n, x, y } = key.export({ format: 'jwk' });
  return hash('sha256', JSON.stringify({ crv, e, kty, n, x, y }), 'base64url');
}

const FORMATS = {
  public: 'PEM (SPKI or X.509), a JWK, a KeyObject or a CryptoKey',
  private:
    'PEM (PKCS #8, PKCS #1 or SEC 1) without a passphrase, a JWK, a KeyObject or a CryptoKey',
};

function toKeyObject(value: unknown, name: string, type: 'public' | 'private'): KeyObject {
  const given = typeOf(value);
  if (given !== undefined && given !== type) {
    throw new Error(`a ${given} key as ${name}. ${fixOf(given, type)}`);
  }
  if (types.isKeyObject(value)) return value;
  if (types.isCryptoKey(value)) return KeyObject.from(value);
  const create = type === 'public' ? createPublicKey : createPrivateKey;
  try {
    if (typeof value === 'string') return create(value);
    if (isPlainObject(value)) return create({ key: value as JsonWebKey, format: 'jwk' });
  } catch (cause) {
    if (typeof value === 'string' && value.includes('\\n')) {
      throw new Error(
        `this ${name}, which contains '\\' and 'n' instead of line breaks. Replace them: ${name}.replaceAll('\\\\n', '\\n').`,
        { cause },
      );
    }
    throw new Error(`this ${name}. Use ${FORMATS[type]}.`, { cause });
  }
  throw new Error(
    `${describeValue(value)} as ${name}. Use PEM, a JWK, a KeyObject or a CryptoKey.`,
  );
}

/** Returns the type of a key, as far as it shows without reading the key. */
function typeOf(value: unknown): string | undefined {
  if (types.isKeyObject(value) || types.isCryptoKey(value)) return value.type;
  if (typeof value === 'string') {
    const [, label] = /-----BEGIN (?:[A-Z]+ )*(PRIVATE|PUBLIC) KEY-----/.exec(value) ?? [];
    return label?.toLowerCase();
  }
  if (!isPlainObject(value)) return undefined;
  const { kty, d } = value as JWK;
  if (kty === 'oct') return 'secret';
  if (d !== undefined) return 'private';
  return kty === undefined ? undefined : 'public';
}

function fixOf(given: string, type: 'public' | 'private'): string {
  if (given === 'secret') return 'Use secret.';
  return type === 'public'
    ? 'Use the public key of the pair, or privateKey to sign.'
    : 'Use the private key of the pair, or publicKey to verify only.';
}

function readUrl(value: string | URL): URL {
  if (!URL.canParse(String(value))) {
    // It may have a password.
    const shown = String(value).includes('@') ? 'this URL' : describeValue(value);
    throw new Error(`${shown} as jwks. Use a URL that begins with https://.`);
  }
  const url = new URL(value);
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) {
    throw new Error(
      `'${url.protocol}' as the protocol of jwks, because others could forge the keys. Use https:.`,
    );
  }
  // The error of fetch() would show them in the log.
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'a URL with a user name or a password as jwks, because fetch() rejects it. Remove them from the URL.',
    );
  }
  return url;
}

function fromKeySet(jwks: unknown): JWTVerifyGetKey {
  const keys: unknown = isPlainObject(jwks) ? Reflect.get(jwks, 'keys') : undefined;
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isPublicJwk)) {
    throw new Error('this jwks. Use a URL, or an object { keys } with at least one public JWK.');
  }
  for (const [index, key] of keys.entries()) assertUsable(key, `jwks.keys[${index}]`);
  return createLocalJWKSet({ keys });
}

function isPublicJwk(key: unknown): key is JWK {
  return isPlainObject(key) && !('d' in key) && Reflect.get(key, 'kty') !== 'oct';
}
