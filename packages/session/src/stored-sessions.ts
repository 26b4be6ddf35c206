import { conflict, SessionError, unavailable } from './errors.js';
import { formatMembers, type Members, merge, parseMembers } from './members.js';
import { type Backend, type Found, idOf, type Lifetimes } from './session.js';

/**
 * Stores strings by key, each until its time to live ends. Every method is atomic. All processes of an
 * application must share the store.
 */
export interface SessionStore {
  /**
   * Returns the string stored under a key, or undefined. Extends its life.
   *
   * @param ttl - Milliseconds until the string expires, from now.
   */
  read(key: string, ttl: number): Promise<string | undefined>;
  /**
   * Writes a string if the key has the expected one.
   *
   * @param ttl - Milliseconds until the string expires, from now.
   * @param expected - The string to replace; undefined for a key without one.
   * @returns Whether the string was written. Rejects when the store is full.
   */
  write(key: string, text: string, ttl: number, expected: string | undefined): Promise<boolean>;
  /**
   * Deletes a key.
   *
   * @param expected - The string that the key must have; undefined to delete any.
   * @returns Whether the key had the expected string, and was deleted.
   */
  delete(key: string, expected: string | undefined): Promise<boolean>;
}

/** A session that is in a store. */
export interface StoredFound extends Found {
  /** The text in the store. */
  readonly text: string;
}

/** How often a request tries to save a session that others keep changing. */
const MAX_ATTEMPTS = 10;

/** 256 random bits in base64url. */
const SECRET = /^[\w-]{43}$/;

/**
 * Keeps sessions in a store. The cookie is a secret, and the key in the store is its hash.
 *
 * @param timeout - Milliseconds until a call of the store counts as failed.
 * @param maxBytes - The size of a session as JSON.
 */
export function storedSessions(
  store: SessionStore,
  timeout: number,
  maxBytes: number,
  { idleTimeout, lifetime }: Lifetimes,
): Backend<StoredFound> {
  const find = async (id: string): Promise<StoredFound | undefined> => {
    const text = await within(timeout, () => store.read(id, idleTimeout));
    if (text === undefined) return undefined;
    const [created, values]: [number, object] = parse(text);
    if (Date.now() - created < lifetime) {
      return { id, created, members: parseMembers(values), text };
    }
    // Each read has extended its life in the store.
    await within(timeout, () => store.delete(id, text));
    return undefined;
  };

  /** @throws {SessionError} 500 `SESSION_TOO_LARGE` */
  const format = (created: number, members: Members): string => {
    const text = `[${created},${formatMembers(members)}]`;
    const size = Buffer.byteLength(text);
    if (size > maxBytes) throw tooLarge(size, maxBytes, members);
    return text;
  };

  /** Repeats a change until no other request has changed the session in between. */
  const retry = async (
    first: StoredFound,
    changed: Members,
    change: (found: StoredFound, members: Members) => Promise<boolean>,
  ): Promise<void> => {
    let found = first;
    let members = changed;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (await change(found, members)) return;
      const current = await find(found.id);
      if (current === undefined) throw conflict('another request has ended it');
      const merged = merge(found.members, members, current.members);
      if (typeof merged === 'string') throw conflict(`another request has changed '${merged}'`);
      found = current;
      members = merged;
    }
    throw conflict('other requests keep changing it');
  };

  const create = async (id: string, text: string): Promise<void> => {
    const isNew = await within(timeout, () => store.write(id, text, idleTimeout, undefined));
    if (!isNew) throw conflict('its new id is in use');
  };

  /**
   * Replaces a session by a new one, unless another request has changed it. Both calls of the store start
   * together, so that no other session takes the place of the old one in a full store.
   */
  const replace = async (old: StoredFound, id: string, members: Members): Promise<boolean> => {
    const text = format(Date.now(), members);
    const [deletion, creation] = await Promise.allSettled([
      within(timeout, () => store.delete(old.id, old.text)),
      create(id, text),
    ]);
    if (deletion.status === 'rejected') throw deletion.reason;
    if (deletion.value && creation.status === 'rejected') throw creation.reason;
    if (!deletion.value) await within(timeout, () => store.delete(id, text));
    return deletion.value;
  };

  return {
    find: (cookie) => (SECRET.test(cookie) ? find(idOf(cookie)) : undefined),
    async save(session) {
      const { kept, ended, members, isDestroyed } = session;
      if (ended !== undefined && isDestroyed) {
        await within(timeout, () => store.delete(ended.id, undefined));
      }
      if (session.isNew && ended !== undefined && !isDestroyed) {
        // The new session must have what other requests have changed in the old one.
        const id = idOf(session.secret);
        await retry(ended, members, (found, merged) => replace(found, id, merged));
      } else if (session.isNew) {
        await create(idOf(session.secret), format(Date.now(), members));
      } else if (kept !== undefined && session.isChanged) {
        await retry(kept, members, ({ id, created, text }, merged) => {
          const changed = format(created, merged);
          return within(timeout, () => store.write(id, changed, idleTimeout, text));
        });
      }
      return session.isNew ? session.secret : undefined;
    },
    isInCookie: false,
  };
}

function tooLarge(size: number, maxBytes: number, members: Members): SessionError {
  const [largest = ''] =
    [...members].sort(([, one], [, other]) => other.length - one.length)[0] ?? [];
  return new SessionError(
    'SESSION_TOO_LARGE',
    `Cannot save the session: it has ${size} bytes as JSON, and its largest member is '${largest}', but maxBytes of session() is ${maxBytes}. Keep the data in your database, or raise maxBytes.`,
  );
}

function parse(text: string): [number, object] {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** @throws {ServiceUnavailableError} 503 `SESSION_STORE_UNAVAILABLE`, when the call fails or takes too long. */
async function within<T>(timeout: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`The session store did not respond within ${timeout} ms.`);
    timer = setTimeout(reject, timeout, error);
  });
  try {
    return await Promise.race([call(), late]);
  } catch (cause) {
    throw unavailable(cause);
  } finally {
    clearTimeout(timer);
  }
}
