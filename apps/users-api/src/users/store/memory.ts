import { StoreError } from '@fairlead/store';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
  updateUser,
} from '../user.js';
import {
  BATCH_USERS,
  EVERYTHING,
  type Slice,
  type UserPage,
  type UserStore,
} from './user-store.js';

/** Maximum number of users per block. */
const BLOCK_USERS = 1_024;

interface Entry {
  user: User;
  readonly block: Entry[];
}

/**
 * Entries by id, in many maps by the last two digits of the id. A map copies all of its entries when it grows.
 * With millions of users in one map, that would delay other requests by up to 0.5 s.
 */
class EntryIndex {
  readonly #maps = Array.from({ length: 256 }, () => new Map<string, Entry>());
  size = 0;

  get(id: string): Entry | undefined {
    return this.#mapOf(id)?.get(id);
  }

  /** Adds an entry with a new id. */
  add(entry: Entry): void {
    this.#mapOf(entry.user.id)?.set(entry.user.id, entry);
    this.size += 1;
  }

  delete(id: string): boolean {
    const isDeleted = this.#mapOf(id)?.delete(id) === true;
    if (isDeleted) this.size -= 1;
    return isDeleted;
  }

  /** Returns undefined if the id does not end in two digits, so that no user can have it. */
  #mapOf(id: string): Map<string, Entry> | undefined {
    return this.#maps[Number.parseInt(id.slice(-2), 16)];
  }
}

/** Stores users in the memory of this process. They are lost when it exits. */
export class MemoryUserStore implements UserStore {
  readonly metrics = [];
  #entries = new EntryIndex();
  /** All entries in creation order. A page skips whole blocks. */
  readonly #blocks = new Set<Entry[]>();
  /** The block of the next user. */
  #last: Entry[] = [];
  readonly #now: Clock;
  #closed = false;

  /** @param now - Clock for `createdAt` and `updatedAt`. */
  constructor(now: Clock = Date.now) {
    this.#now = now;
  }

  async *list({ offset, limit }: Slice = EVERYTHING): AsyncGenerator<readonly User[]> {
    // New users are appended, so this many include every user present now.
    let left = Math.min(this.#open().size, limit);
    for (const entries of this.#copies(offset, left)) {
      for (let start = 0; start < entries.length && left > 0; start += BATCH_USERS) {
        const batch = entries.slice(start, start + Math.min(left, BATCH_USERS));
        left -= batch.length;
        yield batch.map(({ user }) => user);
        this.#open();
      }
      if (left === 0) return;
    }
  }

  page({ offset, limit }: Slice): UserPage {
    const total = this.#open().size;
    const count = Math.min(limit, BATCH_USERS);
    const users: User[] = [];
    for (const entries of this.#copies(offset, count)) {
      for (const { user } of entries.slice(0, count - users.length)) users.push(user);
      if (users.length === count) break;
    }
    return { users, total };
  }

  find(id: string): User | undefined {
    return this.#open().get(id)?.user;
  }

  create(input: CreateUserInput): User {
    const entries = this.#open();
    const user = createUser(input, this.#now());
    if (this.#last.length >= BLOCK_USERS) this.#last = [];
    const entry = { user, block: this.#last };
    this.#last.push(entry);
    this.#blocks.add(this.#last);
    entries.add(entry);
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
    entry.block.splice(entry.block.indexOf(entry), 1);
    if (entry.block.length === 0) this.#blocks.delete(entry.block);
    return this.#entries.delete(id);
  }

  check(): undefined {
    this.#open();
  }

  close(): void {
    this.#closed = true;
    this.#entries = new EntryIndex();
    this.#blocks.clear();
  }

  /** Copies up to `limit` entries of each block after the first `offset` entries, because blocks change. */
  *#copies(offset: number, limit: number): Generator<readonly Entry[]> {
    let skip = offset;
    for (const block of this.#blocks) {
      if (skip < block.length) yield block.slice(skip, skip + limit);
      skip = Math.max(0, skip - block.length);
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

  #open(): EntryIndex {
    if (this.#closed) {
      throw new StoreError('STORE_CLOSED', 'The memory store is closed. Open a new one.');
    }
    return this.#entries;
  }
}
