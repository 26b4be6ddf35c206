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

/** Maximum number of users per block. */
const BLOCK_USERS = 1_024;

interface Entry {
  user: User;
  readonly block: Set<Entry>;
}

/** Stores users in the memory of this process. They are lost when it exits. */
export class MemoryUserStore implements UserStore {
  readonly metrics = [];
  readonly #entries = new Map<string, Entry>();
  /** All entries in creation order. A page skips whole blocks. */
  readonly #blocks = new Set<Set<Entry>>();
  /** The block of the next user. */
  #last = new Set<Entry>();
  readonly #now: Clock;
  #closed = false;

  /** @param now - Clock for `createdAt` and `updatedAt`. */
  constructor(now: Clock = Date.now) {
    this.#now = now;
  }

  async *list(slice?: Slice): AsyncGenerator<readonly User[]> {
    const { size } = this.#open();
    const rest = this.#from(slice?.offset ?? 0);
    // New users are appended, so this many entries include every user present now.
    let left = Math.min(size, slice?.limit ?? size);
    while (left > 0) {
      const batch = nextBatch(rest, left);
      if (batch.length === 0) return;
      left -= batch.length;
      yield batch;
      this.#open();
    }
  }

  page({ offset, limit }: Slice): UserPage {
    return { total: this.#open().size, users: nextBatch(this.#from(offset), limit) };
  }

  find(id: string): User | undefined {
    return this.#open().get(id)?.user;
  }

  create(input: CreateUserInput): User {
    const entries = this.#open();
    const user = createUser(input, this.#now());
    if (this.#last.size >= BLOCK_USERS) this.#last = new Set();
    const entry = { user, block: this.#last };
    this.#blocks.add(this.#last.add(entry));
    entries.set(user.id, entry);
    return user;
  }

  update(id: string, changes: UpdateUserInput, expected?: User): User | undefined {
    const entry = this.#expect(id, expected);
    if (entry === undefined) return undefined;
    entry.user = updateUser(entry.user, changes, this.#now());
    return entry.user;
  }

  delete(id: string, expected?: User): boolean {
    const entry = this.#expect(id, expected);
    if (entry === undefined) return false;
    entry.block.delete(entry);
    if (entry.block.size === 0) this.#blocks.delete(entry.block);
    return this.#entries.delete(id);
  }

  check(): void {
    this.#open();
  }

  close(): void {
    this.#closed = true;
    this.#entries.clear();
    this.#blocks.clear();
  }

  /** Iterates over users, also while others are created and deleted. */
  *#from(offset: number): Generator<User, undefined> {
    let skip = offset;
    for (const block of this.#blocks) {
      if (skip >= block.size) {
        skip -= block.size;
        continue;
      }
      for (const { user } of block) {
        if (skip === 0) yield user;
        else skip -= 1;
      }
    }
  }

  /** Returns an entry, unless its user differs from the expected one. */
  #expect(id: string, expected?: User): Entry | undefined {
    const entry = this.#open().get(id);
    if (entry === undefined || expected === undefined) return entry;
    const { name, email, updatedAt } = entry.user;
    const isSame =
      name === expected.name && email === expected.email && updatedAt === expected.updatedAt;
    return isSame ? entry : undefined;
  }

  #open(): Map<string, Entry> {
    if (this.#closed) {
      throw new StoreError('STORE_CLOSED', 'The memory store is closed. Open a new one.');
    }
    return this.#entries;
  }
}

/** Takes users until the batch is full or there are no more. */
function nextBatch(users: Iterator<User, undefined>, limit: number): User[] {
  const batch: User[] = [];
  while (batch.length < Math.min(limit, BATCH_USERS)) {
    const { done, value } = users.next();
    if (done) break;
    batch.push(value);
  }
  return batch;
}
