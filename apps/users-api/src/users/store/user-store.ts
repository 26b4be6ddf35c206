import { token } from '@fairlead/di';
import type { Degraded } from '@fairlead/middleware';
import type { StoreMetric } from '@fairlead/store';
import type { CreateUserInput, UpdateUserInput, User } from '../user.js';

/** A value or a promise for it. A synchronous implementation returns the value itself. */
export type Awaitable<T> = T | Promise<T>;

/** Maximum number of users per batch. */
export const BATCH_USERS = 100;

/** A range of the list of users. */
export interface Slice {
  /** Number of users to skip, a safe integer of at least 0. */
  readonly offset: number;
  /** Maximum number of users to return, a safe integer of at least 1. */
  readonly limit: number;
}

/** The range of the whole list. */
export const EVERYTHING: Slice = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

/** A page of users and the total number of users, read at the same moment. */
export interface UserPage {
  /** The users of the page, or the first {@link BATCH_USERS} of them. */
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
   * Lists users in creation order, in non-empty batches of at most {@link BATCH_USERS}. A user who exists
   * throughout the iteration is listed exactly once. Users created or deleted during the iteration may or
   * may not be listed. The iterator holds no resources between batches, so callers may abandon it.
   *
   * @param slice - The range to list. Defaults to all users.
   */
  list(slice?: Slice): AsyncIterable<readonly User[]>;

  /** Returns the first batch of a range, which is empty only if the range is, and the number of users. */
  page(slice: Slice): Awaitable<UserPage>;

  /** Returns the user with this id, or `undefined`. */
  find(id: string): Awaitable<User | undefined>;

  /** Appends a user to the list and returns it. */
  create(input: CreateUserInput): Awaitable<User>;

  /**
   * Applies changes to a user atomically.
   *
   * @param expected - When given, the update is made only if `name`, `email` and `updatedAt` of the user
   *   still equal these.
   * @returns The updated user, or `undefined` if there is no such user or it differs from `expected`.
   */
  update(id: string, changes: UpdateUserInput, expected?: User): Awaitable<User | undefined>;

  /**
   * Deletes a user. Exactly one of several deletes of a user returns `true`, the others `false`.
   *
   * @param expected - Same as for {@link update}.
   */
  delete(id: string, expected?: User): Awaitable<boolean>;

  /** Numbers for monitoring. */
  readonly metrics: readonly StoreMetric[];

  /**
   * Fails when the store cannot be read. Cheap enough for a health probe.
   *
   * @returns As `degraded`, why writes fail, if the store knows of any failure.
   */
  check(): Awaitable<Degraded | undefined>;

  /**
   * Finishes pending writes, then releases files and connections. Later calls of `close` do nothing,
   * and calls of other methods fail with `STORE_CLOSED`.
   */
  close(): Awaitable<void>;
}

/** Container token of the store. */
export const USER_STORE = token<UserStore>('UserStore');
