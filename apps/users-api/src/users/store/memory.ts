import type { Slice } from '../pagination.js';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
  updateUser,
} from '../user.js';
import { BATCH_USERS } from './batch-size.js';
import { StoreError } from './store-error.js';
import type { UserPage, UserStore } from './user-store.js';

/** Keeps users in this process; they are gone when it ends. */
export class MemoryUserStore implements UserStore {
  // A Map lists its entries in the order they were first set, which is creation order.
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
    // Users that are added from now on come behind the others, so this many leave none of those out.
    let left = Math.min(users.size, slice?.limit ?? users.size);
    while (left > 0) {
      const batch: User[] = [];
      for (let next = rest.next(); !next.done; next = rest.next()) {
        batch.push(next.value);
        left -= 1;
        if (left === 0 || batch.length === BATCH_USERS) break;
      }
      if (batch.length === 0) return;
      yield batch;
      this.#open();
    }
  }

  page({ offset, limit }: Slice): UserPage {
    const users = this.#open();
    return { users: users.values().drop(offset).take(limit).toArray(), total: users.size };
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
      throw new StoreError('STORE_CLOSED', 'The memory store was closed: open a new one.');
    }
    return this.#users;
  }
}
