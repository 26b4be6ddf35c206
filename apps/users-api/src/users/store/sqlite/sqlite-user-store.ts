import type { DatabaseSync } from 'node:sqlite';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
} from '../../user.js';
import { StoreError } from '../store-error.js';
import type { Slice, UserPage, UserStore } from '../user-store.js';
import { WriteQueue } from '../write-queue.js';
import { openDatabase } from './database.js';
import { findMoved, type OpenedFile, rememberFiles } from './opened-files.js';
import { prepareReads, type SqliteReads } from './reads.js';
import { sqliteProblem } from './sqlite-problem.js';
import { SqliteWriter, type WrittenRow } from './writer.js';
import type { SqliteWrite } from './writer-worker.js';

/** Options of a {@link SqliteUserStore}. */
export interface SqliteUserStoreOptions {
  /** Clock for `createdAt` and `updatedAt`. Defaults to `Date.now`. */
  readonly now?: Clock;
  /**
   * Maximum time of a write, and maximum time to wait for another process's lock while opening the file,
   * in milliseconds. Defaults to 5,000.
   */
  readonly timeout?: number;
  /** Maximum number of waiting writes. Defaults to 10,000. */
  readonly maxWaiting?: number;
  /** Maximum size of the file, in pages of 4 KiB. Unlimited by default. */
  readonly maxPages?: number;
  /** Maximum number of writes per transaction. Unlimited by default. */
  readonly maxBatch?: number;
  /** Called for each failure that the store recovers from. Defaults to `process.emitWarning`. */
  readonly warn?: (error: StoreError) => void;
}

/**
 * Stores users in an SQLite file. Acknowledged writes survive a crash of the process and of the machine.
 * A separate thread commits concurrent writes together. Reads are synchronous.
 */
export class SqliteUserStore implements UserStore {
  readonly metrics = [];
  readonly #path: string;
  readonly #now: Clock;
  readonly #database: DatabaseSync;
  readonly #files: readonly OpenedFile[];
  readonly #reads: SqliteReads;
  readonly #writer: SqliteWriter;
  readonly #writes: WriteQueue<SqliteWrite, WrittenRow>;
  #isCheckpointed = false;
  #closing: Promise<void> | undefined = undefined;

  /**
   * @param path - Path of the database file, which is created with its folders if necessary.
   * @param options - Clock and limits.
   * @throws {StoreError} When the file cannot be used.
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
      // The last connection to close checkpoints the log, which blocks. The writer thread does that.
      this.#database.close();
      await this.#writer.close();
    }
  }

  /**
   * Checks whether the files are still in place. If not, checkpoints the log into the original file once.
   * A log left behind would be applied to the file that another process finds at the path.
   */
  #findMoved(): Error | undefined {
    const moved = findMoved(this.#files);
    if (moved === undefined) this.#isCheckpointed = false;
    else if (!this.#isCheckpointed) {
      const result = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      this.#isCheckpointed = result?.busy === 0;
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
    return new StoreError('STORE_CLOSED', `The store ${this.#path} is closed. Open a new one.`);
  }
}

function lengthOf({ parameters }: SqliteWrite): number {
  let length = 0;
  for (const value of parameters) if (typeof value === 'string') length += value.length;
  return length;
}
