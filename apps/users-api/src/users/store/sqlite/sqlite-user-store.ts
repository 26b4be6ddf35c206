import type { DatabaseSync } from 'node:sqlite';
import type { Slice } from '../../pagination.js';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
} from '../../user.js';
import { StoreError } from '../store-error.js';
import type { UserPage, UserStore } from '../user-store.js';
import { WriteQueue } from '../write-queue.js';
import { openDatabase } from './database.js';
import { findMoved, type OpenedFile, rememberFiles } from './opened-files.js';
import { prepareReads, type SqliteReads } from './reads.js';
import { sqliteProblem } from './sqlite-problem.js';
import { SqliteWriter, type WrittenRow } from './writer.js';
import type { SqliteWrite } from './writer-worker.js';

/** Settings of a {@link SqliteUserStore}. */
export interface SqliteUserStoreOptions {
  /** Clock for `createdAt` and `updatedAt`; `Date.now` unless given. */
  readonly now?: Clock;
  /**
   * How long a write may take, from the call to its outcome, and how long to wait for another process's
   * lock while the file is opened. In milliseconds; 5,000 unless given.
   */
  readonly timeout?: number;
  /** Writes that wait for the disk, at most; 10,000 unless given. */
  readonly maxWaiting?: number;
  /** Largest size of the file, in pages of 4 KiB; as much as the disk holds unless given. */
  readonly maxPages?: number;
  /** Writes in one transaction, at most; all that wait unless given. */
  readonly maxBatch?: number;
  /** Is told of what went wrong and was put right; `process.emitWarning` unless given. */
  readonly warn?: (error: StoreError) => void;
}

/**
 * Keeps users in an SQLite file. A write that is acknowledged survives a crash of the process and
 * of the machine. Writes that arrive together are committed together, in a thread of their own;
 * reads are answered at once.
 */
export class SqliteUserStore implements UserStore {
  readonly #path: string;
  readonly #now: Clock;
  readonly #database: DatabaseSync;
  readonly #files: readonly OpenedFile[];
  readonly #reads: SqliteReads;
  readonly #writer: SqliteWriter;
  readonly #writes: WriteQueue<SqliteWrite, WrittenRow>;
  #isFolded = false;
  #closing: Promise<void> | undefined = undefined;

  /**
   * @param path - The database file; made, with the folders above it, where there is none.
   * @param options - Clock, waiting time, bound of the queue.
   * @throws {StoreError} When the file cannot be used as a store of users.
   */
  constructor(path: string, options: SqliteUserStoreOptions = {}) {
    const { now = Date.now, warn = process.emitWarning } = options;
    const { timeout = 5_000, maxPages = 0, maxWaiting, maxBatch } = options;
    this.#path = path;
    this.#now = now;
    this.#database = openDatabase(path, timeout);
    try {
      this.#files = rememberFiles(path);
      this.#reads = prepareReads(this.#database);
    } catch (error) {
      this.#database.close();
      throw sqliteProblem(error, path);
    }
    this.#writer = new SqliteWriter({ path, files: this.#files, maxPages, timeout, warn });
    this.#writes = new WriteQueue(path, (writes) => this.#writer.commit(writes), {
      ...(maxWaiting === undefined ? undefined : { waiting: maxWaiting }),
      ...(maxBatch === undefined ? undefined : { batch: maxBatch }),
      textOf: lengthOf,
      deadline: { timeout, giveUp: (count) => this.#writer.giveUp(count) },
    });
  }

  async *list(slice?: Slice): AsyncGenerator<readonly User[]> {
    const range = this.#read((reads) => reads.range(slice?.offset ?? 0));
    let left = slice?.limit ?? Number.POSITIVE_INFINITY;
    let after = range.after;
    while (left > 0) {
      const { users, last } = this.#read((reads) => reads.batch(after, range.last, left));
      if (users.length === 0) return;
      left -= users.length;
      after = last;
      yield users;
    }
  }

  page(slice: Slice): UserPage {
    return this.#read((reads) => reads.page(slice));
  }

  find(id: string): User | undefined {
    return this.#read((reads) => reads.find(id));
  }

  async create(input: CreateUserInput): Promise<User> {
    const user = createUser(input, this.#now());
    const { id, name, email, createdAt, updatedAt } = user;
    await this.#write({ statement: 'create', parameters: [id, name, email, createdAt, updatedAt] });
    return user;
  }

  async update(id: string, { name, email }: UpdateUserInput): Promise<User | undefined> {
    const now = new Date(this.#now()).toISOString();
    const parameters = [name ?? null, email ?? null, now, id];
    // The statement returns the columns of a user.
    return (await this.#write({ statement: 'update', parameters })) as User | undefined;
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#write({ statement: 'delete', parameters: [id] })) !== undefined;
  }

  check(): void {
    this.#read((reads) => {
      const moved = this.#findMoved();
      if (moved !== undefined) throw moved;
      reads.total();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writes.idle();
    try {
      this.#findMoved();
    } finally {
      // Who closes last folds the log into the file, which takes the disk: let that be the writer.
      this.#database.close();
      await this.#writer.close();
    }
  }

  /**
   * Looks for a file that is no longer in place, and folds the log into the database once when there is one.
   * Otherwise the log stays behind, and the next process folds it into whatever file is in place then.
   */
  #findMoved(): Error | undefined {
    const moved = findMoved(this.#files);
    if (moved === undefined) this.#isFolded = false;
    else if (!this.#isFolded) {
      const result = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      this.#isFolded = result?.busy === 0;
    }
    return moved;
  }

  #write(write: SqliteWrite): Promise<WrittenRow> {
    if (this.#closing !== undefined) return Promise.reject(this.#closed());
    return this.#writes.add(write);
  }

  #read<T>(read: (reads: SqliteReads) => T): T {
    if (this.#closing !== undefined) throw this.#closed();
    try {
      return read(this.#reads);
    } catch (error) {
      throw sqliteProblem(error, this.#path);
    }
  }

  #closed(): StoreError {
    return new StoreError('STORE_CLOSED', `The store ${this.#path} was closed: open a new one.`);
  }
}

function lengthOf({ parameters }: SqliteWrite): number {
  let length = 0;
  for (const value of parameters) if (typeof value === 'string') length += value.length;
  return length;
}
