import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { setWithin } from '@fairlead/options';
import { conflict } from './errors.js';
import { formatMembers, parseMembers } from './members.js';
import {
  type Backend,
  type Found,
  idOf,
  type Lifetimes,
  lifetimesOf,
  type OpenSession,
} from './session.js';

/** A session that is in a cookie. */
export interface CookieFound extends Found {
  /** Whether the cookie must be set again: it is old, or an old key has encrypted it. */
  readonly isStale: boolean;
}

/** A cookie is set again after this part of its idle timeout. */
const STALE_AFTER = 0.1;

/** The cookies that need not be decrypted again. The oldest is forgotten first. */
const MAX_REMEMBERED = 1_000;

/** The sessions whose end is remembered. The oldest is forgotten first. */
const MAX_ENDED = 10_000;

/**
 * Keeps sessions in encrypted cookies. A session that ends also ends for other cookies with it, but only in
 * this process.
 *
 * @param scope - The name and path of the cookie. A cookie of another scope does not decrypt.
 */
export function cookieSessions(
  keys: readonly (string | Uint8Array)[],
  scope: string,
  lifetimes: Lifetimes,
): Backend<CookieFound> {
  const ciphers = keys.map((key) => new Cipher(key, `fairlead-session 1 ${scope}`));
  const remembered = new Map<string, OpenCookie>();
  /** The IDs of sessions that were rotated or destroyed. */
  const ended = new Map<string, true>();
  const write = (id: string, created: number, session: OpenSession<CookieFound>): string => {
    const values = formatMembers(session.members);
    const remember = session.remember === undefined ? '' : `,${session.remember}`;
    const text = `[${JSON.stringify(id)},${created},${Date.now()},${values}${remember}]`;
    return (ciphers[0] as Cipher).encrypt(text);
  };
  /** Decrypts a cookie, unless it was received before. */
  const open = (cookie: string): OpenCookie | undefined => {
    const earlier = remembered.get(cookie);
    if (earlier !== undefined) return earlier;
    const opened = openCookie(ciphers, cookie);
    if (opened !== undefined) setWithin(remembered, MAX_REMEMBERED, cookie, opened);
    return opened;
  };
  return {
    find(cookie) {
      const opened = open(cookie);
      if (opened === undefined) return undefined;
      const { id, created, seen, members, remember, isOutdated } = opened;
      const { idleTimeout, lifetime } = lifetimesOf(lifetimes, remember);
      const idle = Date.now() - seen;
      if (idle >= idleTimeout || Date.now() - created >= lifetime || ended.has(id))
        return undefined;
      // A remembered session does not end earlier without requests.
      const isOld = remember === undefined && idle >= idleTimeout * STALE_AFTER;
      return { id, created, members, remember, isStale: isOutdated || isOld };
    },
    save(session) {
      const { kept } = session;
      const found = kept ?? session.ended;
      // A response that comes late must not undo a sign-out.
      const hasEnded = found !== undefined && ended.has(found.id);
      if (hasEnded && !session.isDestroyed && (session.isNew || session.isChanged)) {
        throw conflict('another request has ended it');
      }
      if (session.isNew) return write(idOf(session.secret), Date.now(), session);
      if (kept === undefined || hasEnded || !(session.isChanged || kept.isStale)) return undefined;
      return write(kept.id, kept.created, session);
    },
    onCookie(session) {
      if (session.ended !== undefined) setWithin(ended, MAX_ENDED, session.ended.id, true);
    },
    isInCookie: true,
  };
}

/** What a cookie contains. */
interface OpenCookie extends Found {
  /** When the cookie was set, in milliseconds since 1970. */
  readonly seen: number;
  /** Whether an old key has encrypted it. */
  readonly isOutdated: boolean;
}

function openCookie(ciphers: readonly Cipher[], cookie: string): OpenCookie | undefined {
  for (const [index, cipher] of ciphers.entries()) {
    const text = cipher.decrypt(cookie);
    if (text === undefined) continue;
    const [id, created, seen, values, remember]: [string, number, number, object, number?] =
      JSON.parse(text);
    const members = parseMembers(values);
    return { id, created, seen, members, remember, isOutdated: index > 0 };
  }
  return undefined;
}

/** The bytes of a salt: 32 characters in base64url. */
const SALT_BYTES = 24;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The characters of a salt. */
const SALT_LENGTH = (SALT_BYTES / 3) * 4;

/** The keys of other processes that are kept. The oldest is derived again when it is needed. */
const MAX_KEYS = 1_000;

/**
 * Encrypts strings with AES-256-GCM. Each process derives its own keys from the secret and random salts, and
 * a cookie begins with the salt of its key. A secret can therefore encrypt any number of cookies.
 *
 * @see NIST SP 800-38D §8.3
 */
export class Cipher {
  readonly #secret: Uint8Array;
  readonly #context: string;
  readonly #maxCookies: number;
  /** The keys of salts. */
  readonly #keys = new Map<string, KeyObject>();
  #current: { readonly salt: string; readonly key: KeyObject } | undefined;
  #count = 0;

  /**
   * @param context - Another context has other keys.
   * @param maxCookies - The cookies that a key encrypts. Random nonces stay unique among far more: 2³².
   */
  constructor(secret: string | Uint8Array, context: string, maxCookies = 2 ** 24) {
    this.#secret = Buffer.from(secret);
    this.#context = context;
    this.#maxCookies = maxCookies;
  }

  encrypt(text: string): string {
    if (this.#current === undefined || this.#count >= this.#maxCookies) {
      const salt = randomBytes(SALT_BYTES).toString('base64url');
      this.#current = { salt, key: this.#derive(salt) };
      this.#count = 0;
    }
    this.#count += 1;
    const { salt, key } = this.#current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
    const bytes = Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]);
    return salt + bytes.toString('base64url');
  }

  /** Reverses {@link encrypt}. Returns undefined for anything that it has not returned. */
  decrypt(encrypted: string): string | undefined {
    const salt = encrypted.slice(0, SALT_LENGTH);
    const text = encrypted.slice(SALT_LENGTH);
    const bytes = Buffer.from(text, 'base64url');
    // Decoders accept several spellings of the same bytes.
    if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return;
    const known = this.#keys.get(salt);
    const key = known ?? this.#derive(salt);
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const decrypted = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
    try {
      const result = decrypted + decipher.final('utf8');
      // Salts of forged cookies are not kept.
      if (known === undefined) setWithin(this.#keys, MAX_KEYS, salt, key);
      return result;
    } catch {
      // The tag does not match: the cookie was changed, or another key has encrypted it.
      return undefined;
    }
  }

  #derive(salt: string): KeyObject {
    return createSecretKey(Buffer.from(hkdfSync('sha256', this.#secret, salt, this.#context, 32)));
  }
}
