import { token } from '@fairlead/di';
import type { Awaitable } from '../awaitable.js';
import type { Slice } from '../pagination.js';
import type { CreateUserInput, UpdateUserInput, User } from '../user.js';

/** A page of users, and how many there are in all, both read at one moment. */
export interface UserPage {
  /** Those of the page who go into one batch: all of them, unless they are many or large. */
  readonly users: readonly User[];
  readonly total: number;
}

/**
 * Keeps users. Every implementation passes the suites in `test/user-store*.test.ts`.
 *
 * Users are listed in the order of their creation, and are frozen or fresh copies: nothing
 * a caller does to one changes the store. When a method has returned (or its promise has
 * been fulfilled), what it wrote is as durable as the store can make it. Every method fails
 * with a {@link StoreError}.
 */
export interface UserStore {
  /**
   * Every user, or those of a stretch of the list, in creation order and in batches of bounded
   * size, none of them empty. A user who is there from the first batch to the last is listed
   * once; one who comes or goes meanwhile may be listed or not. Nothing is held between two
   * batches: whoever stops early need not say so.
   *
   * @param slice - Safe integers; `offset` at least 0, `limit` at least 1. All users when absent.
   */
  list(slice?: Slice): AsyncIterable<readonly User[]>;

  /**
   * The first batch of users `offset` to `offset + limit`, in creation order: none only where the
   * list has none there.
   *
   * @param slice - Safe integers; `offset` at least 0, `limit` at least 1.
   */
  page(slice: Slice): Awaitable<UserPage>;

  /** The user with exactly this id, or `undefined` when there is none. */
  find(id: string): Awaitable<User | undefined>;

  /** Adds a user at the end of the list and returns it. */
  create(input: CreateUserInput): Awaitable<User>;

  /** Merges changes over a user and returns it as it is now, or `undefined` when there is none. */
  update(id: string, changes: UpdateUserInput): Awaitable<User | undefined>;

  /** Removes a user; `false` when there is none. Of several deletes of one user one is told `true`. */
  delete(id: string): Awaitable<boolean>;

  /** Fails when the store cannot answer now; cheap enough for a probe. */
  check(): Awaitable<void>;

  /**
   * Finishes the writes that were begun, and releases files and connections. A second call does
   * nothing more; any other call after it fails with `STORE_CLOSED`.
   */
  close(): Awaitable<void>;
}

/** The token under which a container holds the store. */
export const USER_STORE = token<UserStore>('UserStore');
