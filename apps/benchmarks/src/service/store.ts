import type { NewUser, Slice, User, UserChanges } from './user.js';

type Awaitable<Value> = Value | Promise<Value>;

/** A page of users and the number of all users, read at the same moment. */
export interface UserPage {
  readonly users: readonly User[];
  readonly total: number;
}

/** The most users of a batch. A longer page is streamed. */
export const BATCH = 100;

/** Stores users in the order of their creation. */
export interface UserStore {
  /** Returns a page of at most {@link BATCH} users. */
  page(slice: Slice): Awaitable<UserPage>;
  /** Lists users in batches. */
  list(slice: Slice): AsyncIterable<readonly User[]>;
  find(id: string): Awaitable<User | undefined>;
  create(input: NewUser): Awaitable<User>;
  /** Changes a user. With `expected`, only if the user still equals it. */
  update(id: string, changes: UserChanges, expected?: User): Awaitable<User | undefined>;
  /** Deletes a user. With `expected`, only if the user still equals it. */
  delete(id: string, expected?: User): Awaitable<boolean>;
  /** Fails if the store cannot be used. */
  check(): Awaitable<void>;
  close(): Awaitable<void>;
}
