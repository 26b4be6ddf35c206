import { StoreError } from '@fairlead/store';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
  updateUser,
} from '../user.js';
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

  async *list({ offset, limit }: Slice = { offset: 0, limit: Infinity }) {
    let batch: User[] = [];
    // New users are appended, so this many users include every user present now.
    for (const user of this.#from(offset).take(Math.min(this.#open().size, limit))) {
      batch.push(user);
      if (batch.length < BATCH_USERS) continue;
      yield batch;
      this.#open();
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  page({ offset, limit }: Slice): UserPage {
    const { size: total } = this.#open();
    return { users: this.#from(offset).take(Math.min(limit, BATCH_USERS)).toArray(), total };
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
  *#from(offset: number): Generator<User, void> {
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
