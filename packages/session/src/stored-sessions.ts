import { throwTogether } from '@fairlead/core/extend';
import { describeValue, within } from '@fairlead/options';
import { conflict, SessionError, unavailable } from './errors.js';
import { formatMembers, type Members, merge, parseMembers } from './members.js';
import {
  type Backend,
  type Found,
  idOf,
  type Lifetimes,
  lifetimesOf,
  type OpenSession,
  ownerOf,
} from './session.js';

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
   * @param owner - Who owns the string from now on; undefined if that does not change.
   * @returns Whether the string was written. Rejects when the store is full.
   */
  write(
    key: string,
    text: string,
    ttl: number,
    expected: string | undefined,
    owner?: SessionOwner,
  ): Promise<boolean>;
  /**
   * Deletes a key.
   *
   * @param expected - The string that the key must have; undefined to delete any.
   * @returns Whether the key had the expected string, and was deleted.
   */
  delete(key: string, expected: string | undefined): Promise<boolean>;
  /**
   * Deletes all strings of an owner. Without this method, sessions cannot have the option `user`.
   *
   * @param except - A key to keep.
   */
  deleteOwned?(owner: string, except: string | undefined): Promise<void>;
}

/** The owner of a stored session: a user. */
export interface SessionOwner {
  /** Identifies the user. */
  readonly id: string;
  /** Milliseconds for which the store must know the owner of the string. */
  readonly ttl: number;
}

/**
 * Ends all sessions of a user, on all devices, such as when an administrator locks an account. In a request of the
 * user, call `destroyOthers()` of the session.
 *
 * @param store - The store of `session({ store, user })`.
 * @param user - The value of the member that the option `user` names.
 * @throws {SetupError} `INVALID_OPTION`, when the store does not know the owners of sessions, or the user is not a
 *   JSON value.
 */
export async function endSessions(store: SessionStore, user: unknown): Promise<void> {
  const owner = ownerOf(JSON.stringify(user));
  if (owner === undefined) {
    const given = describeValue(user);
    throwTogether([`endSessions() cannot use ${given} as a user. Pass a value such as 'ada'.`]);
  }
  if (store?.deleteOwned === undefined) {
    throwTogether([
      'endSessions() cannot use this store: it has no method deleteOwned(). Use createRedisStore() or createMemoryStore(), or implement it.',
    ]);
  }
  await store.deleteOwned?.(owner ?? '', undefined);
}

/** A session that is in a store. */
export interface StoredFound extends Found {
  /** The text in the store. */
  readonly text: string;
}

/** What a write replaces: the text of a session, or nothing. */
interface Replaced extends Pick<Found, 'created' | 'remember'> {
  readonly text: string | undefined;
  /** The owner that the store knows. */
  readonly owned: string | undefined;
}

/** How often a request tries to save a session that others keep changing. */
const MAX_ATTEMPTS = 10;

/** 256 random bits in base64url, and how long the session is remembered. */
const SECRET = /^[\w-]{43}(?:\.(\d{7,11}))?$/;

/**
 * Keeps sessions in a store. The cookie is a secret, and the key in the store is its hash.
 *
 * @param timeout - Milliseconds until a call of the store counts as failed.
 * @param maxBytes - The size of a session as JSON.
 * @param scope - The name and path of the cookie. A session of another scope is not found.
 */
export function storedSessions(
  store: SessionStore,
  timeout: number,
  maxBytes: number,
  lifetimes: Lifetimes,
  scope: string,
  user?: string,
): Backend<StoredFound> {
  const find = async (
    id: string,
    remember: number | undefined,
  ): Promise<StoredFound | undefined> => {
    const { idleTimeout, lifetime } = lifetimesOf(lifetimes, remember);
    const text = await ask(timeout, () => store.read(id, idleTimeout));
    if (text === undefined) return undefined;
    const [created, values, found] = parse(text);
    if (found !== scope) return undefined;
    if (Date.now() - created < lifetime) {
      return { id, created, members: parseMembers(values), remember, text };
    }
    // Each read has extended its life in the store.
    await ask(timeout, () => store.delete(id, text));
    return undefined;
  };

  /** @throws {SessionError} 500 `SESSION_TOO_LARGE` */
  const format = (created: number, members: Members): string => {
    const text = `[${created},${formatMembers(members)}]`;
    const size = Buffer.byteLength(text);
    if (size > maxBytes) throw tooLarge(size, maxBytes, members);
    return `${text.slice(0, -1)},${JSON.stringify(scope)}]`;
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
      const current = await find(found.id, found.remember);
      if (current === undefined) throw conflict('another request has ended it');
      const merged = merge(found.members, members, current.members);
      if (typeof merged === 'string') throw conflict(`another request has changed '${merged}'`);
      found = current;
      members = merged;
    }
    throw conflict('other requests keep changing it');
  };

  const ownerIn = (members: Members): string | undefined =>
    user === undefined ? undefined : ownerOf(members.get(user));

  const write = (
    id: string,
    members: Members,
    { created, remember, text, owned }: Replaced,
  ): Promise<boolean> => {
    const { idleTimeout, lifetime } = lifetimesOf(lifetimes, remember);
    const owner = ownerIn(members);
    const ttl = created + lifetime - Date.now();
    const changed = owner === undefined || owner === owned ? [] : [{ id: owner, ttl }];
    const formatted = format(created, members);
    return ask(timeout, () => store.write(id, formatted, idleTimeout, text, ...changed));
  };

  const create = async (id: string, members: Members, remember: number | undefined) => {
    const created = Date.now();
    const isNew = await write(id, members, {
      created,
      remember,
      text: undefined,
      owned: undefined,
    });
    if (!isNew) throw conflict('its new id is in use');
  };

  /**
   * Replaces a session by a new one, unless another request has changed it. Both calls of the store start
   * together, so that no other session takes the place of the old one in a full store. The session of a user
   * begins first: if somebody ends all of them meanwhile, the old one is missing, or the new one is found.
   */
  const replace = async (
    old: StoredFound,
    { secret, remember }: OpenSession<StoredFound>,
    members: Members,
  ): Promise<boolean> => {
    const id = idOf(secret);
    const isOwned = ownerIn(old.members) !== undefined;
    if (isOwned) await create(id, members, remember);
    const [deletion, creation] = await Promise.allSettled([
      ask(timeout, () => store.delete(old.id, old.text)),
      isOwned ? undefined : create(id, members, remember),
    ]);
    if (deletion.status === 'rejected') throw deletion.reason;
    if (deletion.value && creation.status === 'rejected') throw creation.reason;
    if (!deletion.value) await ask(timeout, () => store.delete(id, undefined));
    return deletion.value;
  };

  return {
    find(cookie) {
      const [match, remember] = SECRET.exec(cookie) ?? [];
      if (match === undefined) return undefined;
      return find(idOf(cookie), remember === undefined ? undefined : Number(remember));
    },
    async save(session) {
      const { kept, ended, members, isDestroyed } = session;
      if (ended !== undefined && isDestroyed) {
        await ask(timeout, () => store.delete(ended.id, undefined));
      }
      if (session.isNew && ended !== undefined && !isDestroyed) {
        // The new session must have what other requests have changed in the old one.
        await retry(ended, members, (found, merged) => replace(found, session, merged));
      } else if (session.isNew) {
        await create(idOf(session.secret), members, session.remember);
      } else if (kept !== undefined && session.isChanged) {
        await retry(kept, members, (found, merged) =>
          write(found.id, merged, { ...found, owned: ownerIn(found.members) }),
        );
      }
      const { owner } = session;
      if (owner !== undefined) {
        const own = session.isNew ? idOf(session.secret) : kept?.id;
        await ask(timeout, async () => store.deleteOwned?.(owner, own));
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

/** Returns when a session began, its members, and its scope. */
function parse(text: string): [number, object, string?] {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** @throws {ServiceUnavailableError} 503 `SESSION_STORE_UNAVAILABLE`, when the call fails or takes too long. */
async function ask<T>(timeout: number, call: () => Promise<T>): Promise<T> {
  const late = () => new Error(`The session store did not respond within ${timeout} ms.`);
  try {
    return await within(timeout, late, call);
  } catch (cause) {
    throw unavailable(cause);
  }
}
