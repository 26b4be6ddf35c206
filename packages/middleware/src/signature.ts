import type { KeyObject } from 'node:crypto';

/** Loads node:crypto when a function needs it, because an import would load it with the package. */
export function loadCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}

/** Turns secrets into keys for {@link hmac}. */
export function createKeys(secrets: readonly (string | Uint8Array)[]): readonly KeyObject[] {
  const { createSecretKey } = loadCrypto();
  return secrets.map((secret) => createSecretKey(Buffer.from(secret)));
}

/** Returns the HMAC-SHA256 of a text in base64url. RFC 2104 */
export function hmac(key: KeyObject, text: string): string {
  return loadCrypto().createHmac('sha256', key).update(text).digest('base64url');
}

/**
 * Compares two texts in constant time. Signatures are compared in their encoded form, because base64url has several
 * encodings of the same bytes.
 */
export function isEqual(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && loadCrypto().timingSafeEqual(bytes, others);
}
