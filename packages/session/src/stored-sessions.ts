import { conflict, unavailable } from './errors.js';
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
   * @returns Whether the string was written.
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
 */
export function storedSessions(
  store: SessionStore,
  timeout: number,
  { idleTimeout, lifetime }: Lifetimes,
): Backend<StoredFound> {
  const find = async (id: string): Promise<StoredFound | undefined> => {
    const text = await within(timeout, () => store.read(id, idleTimeout));
    if (text === undefined) return undefined;
    const [created, values]: [number, object] = parse(text);
    if (Date.now() - created >= lifetime) return undefined;
    return { id, created, members: parseMembers(values), text };
  };

  /** Repeats a change until no other request has changed the session in between. */
  const retry = async (
    first: StoredFound,
    changed: Members,
    change: (found: StoredFound, members: Members) => Promise<boolean>,
  ): Promise<Members> => {
    let found = first;
    let members = changed;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (await within(timeout, () => change(found, members))) return members;
      const current = await find(found.id);
      if (current === undefined) throw conflict('another request has ended it');
      const merged = merge(found.members, members, current.members);
      if (typeof merged === 'string') throw conflict(`another request has changed '${merged}'`);
      found = current;
      members = merged;
    }
    throw conflict('other requests keep changing it');
  };

  const create = async (secret: string, members: Members): Promise<string> => {
    const text = format(Date.now(), members);
    const write = () => store.write(idOf(secret), text, idleTimeout, undefined);
    if (!(await within(timeout, write))) throw conflict('its new id is in use');
    return secret;
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
        const merged = await retry(ended, members, ({ id, text }) => store.delete(id, text));
        return create(session.secret, merged);
      }
      if (session.isNew) return create(session.secret, members);
      if (kept !== undefined && session.isChanged) {
        await retry(kept, members, ({ id, created, text }, merged) =>
          store.write(id, format(created, merged), idleTimeout, text),
        );
      }
      return undefined;
    },
    isInCookie: false,
  };
}

function format(created: number, members: Members): string {
  return `[${created},${formatMembers(members)}]`;
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
