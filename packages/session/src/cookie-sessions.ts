import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { formatMembers, parseMembers } from './members.js';
import { type Backend, type Found, idOf, type Lifetimes, type OpenSession } from './session.js';

/** A session that is in a cookie. */
export interface CookieFound extends Found {
  /** Whether the cookie must be set again: it is old, or an old key has encrypted it. */
  readonly isStale: boolean;
}

/** A cookie is set again after this part of its idle timeout. */
const STALE_AFTER = 0.1;

/**
 * Keeps sessions in encrypted cookies.
 *
 * @param name - The name of the cookie. A cookie of another name does not decrypt.
 */
export function cookieSessions(
  keys: readonly (string | Uint8Array)[],
  name: string,
  { idleTimeout, lifetime }: Lifetimes,
): Backend<CookieFound> {
  const secrets = keys.map((key) => createSecretKey(Buffer.from(key)));
  const context = `fairlead-session 1 ${name}`;
  const write = (id: string, created: number, session: OpenSession<CookieFound>): string => {
    const values = formatMembers(session.members);
    const text = `[${JSON.stringify(id)},${created},${Date.now()},${values}]`;
    return encrypt(secrets[0] as KeyObject, context, text);
  };
  return {
    find(cookie) {
      for (const [index, secret] of secrets.entries()) {
        const text = decrypt(secret, context, cookie);
        if (text === undefined) continue;
        const [id, created, seen, values]: [string, number, number, object] = JSON.parse(text);
        const idle = Date.now() - seen;
        if (idle >= idleTimeout || Date.now() - created >= lifetime) return undefined;
        const isStale = index > 0 || idle >= idleTimeout * STALE_AFTER;
        return { id, created, members: parseMembers(values), isStale };
      }
      return undefined;
    },
    save(session) {
      if (session.isNew) return write(idOf(session.secret), Date.now(), session);
      const { kept } = session;
      if (kept === undefined || !(session.isChanged || kept.isStale)) return undefined;
      return write(kept.id, kept.created, session);
    },
    isInCookie: true,
  };
}

const SALT_BYTES = 32;
const TAG_BYTES = 16;

/**
 * Encrypts a text with AES-256-GCM. Each cookie has its own key and nonce, derived from a random salt, so
 * there is no limit on the number of cookies per secret.
 *
 * @see NIST SP 800-38D §8.3
 */
function encrypt(secret: KeyObject, context: string, text: string): string {
  const salt = randomBytes(SALT_BYTES);
  const { key, nonce } = derive(secret, salt, context);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([salt, ...encrypted, cipher.getAuthTag()]).toString('base64url');
}

/** Reverses {@link encrypt}. Returns undefined for anything that it has not returned. */
function decrypt(secret: KeyObject, context: string, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64url');
  // Decoders accept several spellings of the same bytes.
  if (bytes.length < SALT_BYTES + TAG_BYTES || bytes.toString('base64url') !== encrypted) return;
  const { key, nonce } = derive(secret, bytes.subarray(0, SALT_BYTES), context);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(SALT_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    // The tag does not match: the cookie was changed, or another key has encrypted it.
    return undefined;
  }
}

/**
 * Derives a key and a nonce with HMAC-SHA-512, whose output is as long as one block needs.
 *
 * @see NIST SP 800-108 §4.1
 */
function derive(
  secret: KeyObject,
  salt: Buffer,
  context: string,
): { key: KeyObject; nonce: Buffer } {
  const bytes = createHmac('sha512', secret).update(`${context}\0`).update(salt).digest();
  // Ciphers take three times as long with a key of bytes.
  return { key: createSecretKey(bytes.subarray(0, 32)), nonce: bytes.subarray(32, 44) };
}
