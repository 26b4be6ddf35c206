import { createHash, randomBytes } from 'node:crypto';
import { types } from 'node:util';
import type { Context } from '@fairlead/core';
import { assertOptions } from '@fairlead/core/extend';
import { describeValue, integer, isPlainObject, type Kinds } from '@fairlead/options';
import { SessionError } from './errors.js';
import { isEqual, type Members } from './members.js';

/** Options of {@link Session.rotate}. */
export interface RotateOptions {
  /**
   * Milliseconds until the session ends, with or without requests: from an hour to 400 days. The cookie then
   * persists after the browser is closed. Default: the session ends as the options of `session()` determine.
   */
  readonly remember?: number | undefined;
}

/** 400 days: clients do not keep cookies for longer. RFC 6265bis §5.5 */
export const LONGEST = 34_560_000_000;

const ROTATE_OPTIONS: Kinds<RotateOptions> = {
  remember: integer(3_600_000, LONGEST, 'number of milliseconds'),
};

/**
 * The session of a request, in `ctx.state.session`. It is saved after the handler has run, even when the
 * handler throws, and only if it has changed. A client without a session gets one, and its cookie, with the
 * first member.
 *
 * @typeParam Data - The members of the session by name. Their values must be JSON values.
 */
export interface Session<Data extends object = Record<string, unknown>> {
  /**
   * Identifies the session. Undefined without a session. It is not the value of the cookie, so it may be
   * logged.
   */
  readonly id: string | undefined;
  /** Returns a copy of a member, or undefined. */
  get<Name extends keyof Data & string>(name: Name): Data[Name] | undefined;
  /**
   * Sets a member. Undefined deletes it. Keeps a copy, so later changes to the value have no effect.
   *
   * @param value - Null, a boolean, a finite number, a string, or arrays and plain objects of them. A Date is
   *   read back as a string. Members of objects that are undefined are left out.
   * @throws {SessionError} 500 `INVALID_SESSION_VALUE`, when JSON cannot represent the value or a part of it.
   *   500 `SESSION_CLOSED`, when the response was sent or the session was saved. 500 `OUTSIDE_SESSION_PATH`,
   *   when the path of the request is not below the option `path`.
   */
  set<Name extends keyof Data & string>(name: Name, value: Data[Name] | undefined): void;
  /**
   * Gives the session a new ID and a new lifetime, and ends the old one. Keeps the members. Call it when a
   * user signs in or gains privileges: an ID that somebody else has planted or seen is then useless.
   *
   * @param options - `remember`, for users who want to stay signed in on this device.
   * @throws {SessionError} 500 `SESSION_CLOSED` or `OUTSIDE_SESSION_PATH`, as for {@link set}.
   * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
   */
  rotate(options?: RotateOptions): void;
  /**
   * Ends the session and deletes its cookie. Members that are set later start a new session.
   *
   * @throws {SessionError} 500 `SESSION_CLOSED` or `OUTSIDE_SESSION_PATH`, as for {@link set}.
   */
  destroy(): void;
  /**
   * Ends the other sessions of the user, on all devices. Call {@link destroy}, too, to sign out everywhere. The
   * option `user` of `session()` names the member that identifies the user.
   *
   * @throws {SessionError} 500 `SESSION_WITHOUT_USER`, when that member is not set, or there is no option `user`.
   *   500 `SESSION_CLOSED` or `OUTSIDE_SESSION_PATH`, as for {@link set}.
   */
  destroyOthers(): void;
}

/** A session that was found for a cookie. */
export interface Found {
  readonly id: string;
  /** When the session began, in milliseconds since 1970. */
  readonly created: number;
  readonly members: Members;
  /** Milliseconds until the session ends, if it is remembered. */
  readonly remember: number | undefined;
}

/** When sessions expire, in milliseconds. */
export interface Lifetimes {
  readonly idleTimeout: number;
  readonly lifetime: number;
}

/** Returns when a session expires. */
export function lifetimesOf(usual: Lifetimes, remember: number | undefined): Lifetimes {
  return remember === undefined ? usual : { idleTimeout: remember, lifetime: remember };
}

/** Keeps sessions. */
export interface Backend<Kept extends Found> {
  /** Returns the session of a cookie; undefined for a cookie without one. */
  find(cookie: string): Kept | undefined | Promise<Kept | undefined>;
  /** Saves what has changed. Returns the value of the cookie to set; undefined to leave it. */
  save(session: OpenSession<Kept>): string | undefined | Promise<string | undefined>;
  /** Called once the response sets or deletes the cookie. */
  readonly onCookie?: (session: OpenSession<Kept>) => void;
  /** Whether the changes of a session that continues are lost without a new cookie. */
  readonly isInCookie: boolean;
}

/** A {@link Session}, and what saves it. */
export class OpenSession<Kept extends Found> implements Session {
  /** The session that the request's cookie has; undefined without one, and once it is rotated or destroyed. */
  #kept: Kept | undefined;
  /** The session that must end. */
  #ended: Kept | undefined = undefined;
  #members: Map<string, string>;
  #isDestroyed = false;
  #isClosed = false;
  #secret: string | undefined = undefined;
  #remember: number | undefined;
  #owner: string | undefined = undefined;
  readonly #ctx: Context;
  readonly #user: string | undefined;
  /** The path of requests that have the session. */
  readonly path: string;

  /**
   * @param user - The member that identifies the user.
   * @param path - The path of the cookie.
   */
  constructor(ctx: Context, found: Kept | undefined, user?: string, path = '/') {
    this.path = path;
    this.#ctx = ctx;
    this.#user = user;
    this.#kept = found;
    this.#remember = found?.remember;
    this.#members = new Map(found?.members);
  }

  get id(): string | undefined {
    if (this.#kept !== undefined) return this.#kept.id;
    return this.isNew ? idOf(this.secret) : undefined;
  }

  get(name: string): unknown {
    const text = this.#members.get(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  set(name: string, value: unknown): void {
    this.#assertOpen(`set '${name}'`);
    if (value === undefined) this.#members.delete(name);
    else this.#members.set(name, stringify(name, value));
  }

  rotate(options: RotateOptions = {}): void {
    assertOptions('session.rotate()', options, ROTATE_OPTIONS);
    this.#assertOpen('rotate it');
    this.#end();
    this.#remember = options.remember;
  }

  destroy(): void {
    this.#assertOpen('destroy it');
    this.#end();
    this.#isDestroyed = true;
    this.#members = new Map();
    this.#remember = undefined;
  }

  destroyOthers(): void {
    this.#assertOpen('end the others');
    this.#owner = this.#user === undefined ? undefined : ownerOf(this.#members.get(this.#user));
    if (this.#owner !== undefined) return;
    const problem =
      this.#user === undefined
        ? "session() has no option user. Pass the name of the member that identifies the user, such as user: 'id', and a store"
        : `'${this.#user}' is not set, which identifies the user. Call destroyOthers() before destroy(), and only for users who have signed in`;
    throw new SessionError(
      'SESSION_WITHOUT_USER',
      `Cannot end the other sessions of the user: ${problem}.`,
    );
  }

  #end(): void {
    this.#ended ??= this.#kept;
    this.#kept = undefined;
    this.#secret = undefined;
  }

  /** @throws {SessionError} 500 `SESSION_CLOSED` */
  #assertOpen(action: string): void {
    if (!this.#isClosed && !this.#ctx.res.headersSent) return;
    const reason = this.#isClosed ? 'it was already saved' : 'the response was already sent';
    throw new SessionError(
      'SESSION_CLOSED',
      `Cannot change the session (${action}): ${reason}. Change it before the response, and await every promise.`,
    );
  }

  /** Rejects changes from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** The session that continues; undefined if none does. */
  get kept(): Kept | undefined {
    return this.#kept;
  }

  /** The session that was rotated or destroyed; undefined if none was. */
  get ended(): Kept | undefined {
    return this.#ended;
  }

  get members(): Members {
    return this.#members;
  }

  /** Milliseconds until the session ends, if it is remembered. */
  get remember(): number | undefined {
    return this.#remember;
  }

  /** The owner whose other sessions must end. */
  get owner(): string | undefined {
    return this.#owner;
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  /** Whether a new session must be saved. */
  get isNew(): boolean {
    if (this.#kept !== undefined) return false;
    return this.#members.size > 0 || (this.#ended !== undefined && !this.#isDestroyed);
  }

  get isChanged(): boolean {
    return this.#kept !== undefined && !isEqual(this.#kept.members, this.#members);
  }

  /**
   * 256 random bits, from which the ID of a new session is derived, and how long it is remembered. Whoever changes
   * that changes the ID.
   */
  get secret(): string {
    const suffix = this.#remember === undefined ? '' : `.${this.#remember}`;
    this.#secret ??= randomBytes(32).toString('base64url') + suffix;
    return this.#secret;
  }
}

/** Returns how stores know a user. It does not reveal who that is. */
export function ownerOf(user: string | undefined): string | undefined {
  return user === undefined ? undefined : idOf(`user ${user}`);
}

/** Returns the ID of a session. It does not reveal the secret. */
export function idOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** @throws {SessionError} 500 `INVALID_SESSION_VALUE` */
function stringify(name: string, value: unknown): string {
  const flaw = findFlaw(value, []);
  if (flaw === undefined) return JSON.stringify(value);
  throw new SessionError(
    'INVALID_SESSION_VALUE',
    `Cannot keep '${name}${flaw.path}' in the session: it is ${flaw.found}. Use JSON values: plain objects, arrays, strings, finite numbers, booleans and null.`,
  );
}

/** The levels of objects and arrays in a member: as many as `json()` accepts. More could exhaust the stack. */
const MAX_DEPTH = 1_000;

/** A part of a value that JSON would lose or change. */
interface Flaw {
  /** Leads to the part, such as `[0].price`. */
  readonly path: string;
  /** What the part is. */
  readonly found: string;
}

/**
 * Finds the first flaw of a value. A Date is not a flaw, although it becomes a string.
 *
 * @param parents - The objects and arrays that contain the value. The same after the call, unless it has a flaw.
 */
function findFlaw(value: unknown, parents: unknown[]): Flaw | undefined {
  if (isScalar(value) || (types.isDate(value) && Number.isFinite(value.getTime())))
    return undefined;
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value)) return { path: '', found: describeType(value) };
  if (parents.includes(value)) return { path: '', found: 'an object that contains itself' };
  if (parents.length === MAX_DEPTH)
    return { path: '', found: `nested more than ${MAX_DEPTH} levels deep` };
  parents.push(value);
  const keys = isArray ? undefined : Object.keys(value);
  const members: readonly unknown[] = isArray ? value : Object.values(value);
  for (let index = 0; index < members.length; index += 1) {
    const member = members[index];
    if (isScalar(member) || (member === undefined && !isArray)) continue;
    const flaw = findFlaw(member, parents);
    if (flaw === undefined) continue;
    const step = keys === undefined ? `[${index}]` : `.${keys[index]}`;
    return { ...flaw, path: step + flaw.path };
  }
  parents.pop();
  return undefined;
}

function isScalar(value: unknown): boolean {
  const type = typeof value;
  return type === 'string' || type === 'boolean' || value === null || Number.isFinite(value);
}

/** Describes the type of a value without showing what it contains. */
function describeType(value: unknown): string {
  if (typeof value === 'object')
    return types.isDate(value) ? 'an invalid Date' : describeValue(value);
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}

/** Replaces the session in a request that does not receive its cookie because its path differs. */
export class OutsideSession implements Session {
  readonly #requested: string;
  /** The path of the cookie. */
  readonly path: string;
  /** Whether the request has no session of a shorter path, because a router may ignore how its path differs. */
  readonly excludesShorter: boolean;

  /**
   * @param requested - The path of the request.
   * @param path - The path of the cookie.
   */
  constructor(requested: string, path: string, excludesShorter: boolean) {
    this.#requested = requested;
    this.path = path;
    this.excludesShorter = excludesShorter;
  }

  get id(): undefined {
    return undefined;
  }

  get(): undefined {
    return undefined;
  }

  set(name: string): never {
    throw this.#error(`set '${name}'`);
  }

  rotate(): never {
    throw this.#error('rotate it');
  }

  destroyOthers(): never {
    throw this.#error('end the others');
  }

  destroy(): never {
    throw this.#error('destroy it');
  }

  #error(action: string): SessionError {
    return new SessionError(
      'OUTSIDE_SESSION_PATH',
      `Cannot change the session (${action}) in a request to '${this.#requested}': clients send its cookie only to '${this.path}' and below. Move the route there, or change the option path of session().`,
    );
  }
}
