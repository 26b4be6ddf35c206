import { token } from '@fairlead/di';
import type { Awaitable } from '../awaitable.js';
import type { Slice } from '../pagination.js';
import type { CreateUserInput, UpdateUserInput, User } from '../user.js';

/** Maximum number of users per batch. */
export const BATCH_USERS = 100;

/** Size of the names and emails at which a batch ends, in characters. */
export const BATCH_TEXT = 1024 * 1024;

/** A page of users and the total number of users, read at the same moment. */
export interface UserPage {
  /** The users of the page, or the first batch of them if they exceed one. */
  readonly users: readonly User[];
  readonly total: number;
}

/**
 * Stores users. Every implementation passes the tests in `test/user-store*.test.ts`.
 *
 * Users are listed in creation order. Returned users are frozen or copies, so callers cannot modify
 * the store through them. When a method returns or its promise is fulfilled, its writes are as durable
 * as the store can make them. Every method fails with a {@link StoreError}.
 */
export interface UserStore {
  /**
   * Lists users in creation order, in non-empty batches limited by {@link BATCH_USERS} and
   * {@link BATCH_TEXT}. A user who exists throughout the iteration is listed exactly once. Users created
   * or deleted during the iteration may or may not be listed. The iterator holds no resources between
   * batches, so callers may abandon it.
   *
   * @param slice - The range to list. Defaults to all users.
   */
  list(slice?: Slice): AsyncIterable<readonly User[]>;

  /**
   * Returns the first batch of a range of the list, and the total number of users. The batch is empty
   * only if the range is.
   *
   * @param slice - The range.
   */
  page(slice: Slice): Awaitable<UserPage>;

  /** Returns the user with this id, or `undefined`. */
  find(id: string): Awaitable<User | undefined>;

  /** Appends a user to the list and returns it. */
  create(input: CreateUserInput): Awaitable<User>;

  /** Applies changes to a user and returns the result, or `undefined` if there is no such user. */
  update(id: string, changes: UpdateUserInput): Awaitable<User | undefined>;

  /** Deletes a user. Exactly one of several deletes of a user returns `true`, the others `false`. */
  delete(id: string): Awaitable<boolean>;

  /** Fails when the store is unavailable. Cheap enough for a health probe. */
  check(): Awaitable<void>;

  /**
   * Finishes pending writes, then releases files and connections. Later calls of `close` do nothing,
   * and calls of other methods fail with `STORE_CLOSED`.
   */
  close(): Awaitable<void>;
}

/** Container token of the store. */
export const USER_STORE = token<UserStore>('UserStore');
