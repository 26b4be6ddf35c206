import type { Slice } from '../pagination.js';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
  updateUser,
} from '../user.js';
import { StoreError } from './store-error.js';
import { BATCH_TEXT, BATCH_USERS, type UserPage, type UserStore } from './user-store.js';

/** Stores users in the memory of this process. They are lost when it exits. */
export class MemoryUserStore implements UserStore {
  // A Map iterates in insertion order, which is the creation order.
  readonly #users = new Map<string, User>();
  readonly #now: Clock;
  #closed = false;

  /** @param now - Clock for `createdAt` and `updatedAt`. */
  constructor(now: Clock = Date.now) {
    this.#now = now;
  }

  async *list(slice?: Slice): AsyncGenerator<readonly User[]> {
    const users = this.#open();
    const rest = users.values().drop(slice?.offset ?? 0);
    // New users are appended, so this many entries include every user present now.
    let left = Math.min(users.size, slice?.limit ?? users.size);
    while (left > 0) {
      const batch = nextBatch(rest, left);
      if (batch.length === 0) return;
      left -= batch.length;
      yield batch;
      this.#open();
    }
  }

  page({ offset, limit }: Slice): UserPage {
    const users = this.#open();
    return { users: nextBatch(users.values().drop(offset), limit), total: users.size };
  }

  find(id: string): User | undefined {
    return this.#open().get(id);
  }

  create(input: CreateUserInput): User {
    const user = createUser(input, this.#now());
    this.#open().set(user.id, user);
    return user;
  }

  update(id: string, changes: UpdateUserInput): User | undefined {
    const user = this.#open().get(id);
    if (user === undefined) return undefined;
    const updated = updateUser(user, changes, this.#now());
    this.#users.set(id, updated);
    return updated;
  }

  delete(id: string): boolean {
    return this.#open().delete(id);
  }

  check(): void {
    this.#open();
  }

  close(): void {
    this.#closed = true;
    this.#users.clear();
  }

  #open(): Map<string, User> {
    if (this.#closed) {
      throw new StoreError('STORE_CLOSED', 'The memory store is closed. Open a new one.');
    }
    return this.#users;
  }
}

/** Takes users until the batch is full by number or by text, or until there are no more. */
function nextBatch(users: Iterator<User>, limit: number): User[] {
  const batch: User[] = [];
  let text = 0;
  while (batch.length < Math.min(limit, BATCH_USERS) && text < BATCH_TEXT) {
    const { done, value } = users.next();
    if (done) break;
    batch.push(value);
    text += value.name.length + value.email.length;
  }
  return batch;
}
