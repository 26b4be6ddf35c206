import { token } from '@fairlead/di';
import type { Slice } from '../pagination.js';
import type { CreateUserInput, UpdateUserInput, User } from '../user.js';

/** A value, or a promise of it: a store that has the value at hand makes no promise. */
export type Awaitable<T> = T | Promise<T>;

/** One page of users, and how many there are in all, both read at one moment. */
export interface UserPage {
  readonly users: readonly User[];
  readonly total: number;
}

/**
 * Keeps users. Every implementation passes the suite in `test/user-store.test.ts`.
 *
 * Users are listed in the order of their creation, and are frozen or fresh copies: nothing
 * a caller does to one changes the store. When a method has returned (or its promise has
 * been fulfilled), what it wrote is as durable as the store can make it.
 */
export interface UserStore {
  /** Every user, in creation order. */
  list(): Awaitable<readonly User[]>;

  /**
   * Users `offset` to `offset + limit`, in creation order.
   *
   * @param slice - Safe integers; `offset` at least 0, `limit` at least 1.
   */
  page(slice: Slice): Awaitable<UserPage>;

  /** The user with this id, or `undefined` when there is none. */
  find(id: string): Awaitable<User | undefined>;

  /** Adds a user at the end of the list and returns it. */
  create(input: CreateUserInput): Awaitable<User>;

  /** Merges changes over a user and returns it as it is now, or `undefined` when there is none. */
  update(id: string, changes: UpdateUserInput): Awaitable<User | undefined>;

  /** Removes a user; `false` when there is none. Of several deletes of one user one is told `true`. */
  delete(id: string): Awaitable<boolean>;

  /** Resolves when the store can answer now. @throws {StoreError} When it cannot. */
  check(): Awaitable<void>;

  /** Releases files and connections. A second call does nothing; any other call after it fails. */
  close(): Awaitable<void>;
}

/** The token under which a container holds the store. */
export const USER_STORE = token<UserStore>('UserStore');
