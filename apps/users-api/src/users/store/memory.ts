import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
  updateUser,
} from '../user.js';
import { StoreError } from './store-error.js';
import { BATCH_USERS, type Slice, type UserPage, type UserStore } from './user-store.js';

/** Stores users in the memory of this process. They are lost when it exits. */
export class MemoryUserStore implements UserStore {
  /** Nothing waits for this store. */
  readonly metrics = [];
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

  update(id: string, changes: UpdateUserInput, expected?: User): User | undefined {
    const user = this.#find(id, expected);
    if (user === undefined) return undefined;
    const updated = updateUser(user, changes, this.#now());
    this.#users.set(id, updated);
    return updated;
  }

  delete(id: string, expected?: User): boolean {
    return this.#find(id, expected) !== undefined && this.#users.delete(id);
  }

  check(): void {
    this.#open();
  }

  close(): void {
    this.#closed = true;
    this.#users.clear();
  }

  /** Returns a user, unless it differs from the expected one. */
  #find(id: string, expected?: User): User | undefined {
    const user = this.#open().get(id);
    return user && (expected === undefined || isSame(user, expected)) ? user : undefined;
  }

  #open(): Map<string, User> {
    if (this.#closed) {
      throw new StoreError('STORE_CLOSED', 'The memory store is closed. Open a new one.');
    }
    return this.#users;
  }
}

function isSame(user: User, { name, email, updatedAt }: User): boolean {
  return user.name === name && user.email === email && user.updatedAt === updatedAt;
}

/** Takes users until the batch is full or there are no more. */
function nextBatch(users: Iterator<User>, limit: number): User[] {
  const batch: User[] = [];
  while (batch.length < Math.min(limit, BATCH_USERS)) {
    const { done, value } = users.next();
    if (done) break;
    batch.push(value);
  }
  return batch;
}
