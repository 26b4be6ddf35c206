import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

/** The bytes that a secret needs, by algorithm. RFC 7518 §3.2 */
export const SECRET_SIZES: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

const EDDSA = ['EdDSA', 'Ed25519'];

/** The algorithms of an elliptic curve. RFC 7518 §3.4 */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

export const ASYMMETRIC = [...RSA, ...Object.values(CURVES), ...EDDSA];

/** Every algorithm that an allow-list may contain. `none` is not among them. */
export const ALGORITHMS = [...Object.keys(SECRET_SIZES), ...ASYMMETRIC];

/**
 * Returns the algorithms that a public key can be used with.
 *
 * @param name - The option that contains the key.
 * @throws {Error} When the key is too weak.
 */
export function algorithmsOf(
  { asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject,
  name: string,
): string[] {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails;
  switch (asymmetricKeyType) {
    case 'rsa':
      return modulusLength < 2_048 ? weak(modulusLength, name) : RSA;
    case 'ec':
      return [CURVES[namedCurve] ?? []].flat();
    case 'ed25519':
      return EDDSA;
    default:
      return [];
  }
}

/** The curves of keys that verify tokens. RFC 7518 §6.2.1.1, RFC 8037 §2 */
const SET_CURVES: readonly unknown[] = ['P-256', 'P-384', 'P-521', 'Ed25519'];

/**
 * Checks a key of a JSON Web Key Set. Ignores those for other purposes, which no token can select.
 *
 * @param name - The member that contains the key.
 * @throws {Error} When the key is private, malformed or too weak. The message completes `cannot use …`.
 */
export function assertUsable(key: JWK, name: string): void {
  const { kty, crv, d, use = 'sig', key_ops = ['verify'] } = key;
  const operations = [key_ops].flat();
  const isSelected = use === 'sig' && operations.includes('verify');
  if (!isSelected || (kty !== 'RSA' && !SET_CURVES.includes(crv))) return;
  if (d !== undefined) throw new Error(`a private key as ${name}. Use the public key of the pair.`);
  if (operations.length > 1) {
    throw new Error(`several operations as key_ops of ${name}. Use ['verify'] for a public key.`);
  }
  algorithmsOf(readKey(key, name), name);
}

function readKey(key: JWK, name: string): KeyObject {
  try {
    return createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
  } catch (cause) {
    throw new Error(`a malformed key as ${name}. Use one of the issuer's public keys.`, { cause });
  }
}

/** RFC 7518 §3.3, §3.5 */
function weak(bits: number, name: string): never {
  throw new Error(`an RSA key of ${bits} bits as ${name}. Use a key of at least 2048 bits.`);
}
