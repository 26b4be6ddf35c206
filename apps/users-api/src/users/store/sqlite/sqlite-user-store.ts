import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Clock, CreateUserInput, UpdateUserInput, User } from '../../user.js';
import { createUser } from '../../user.js';
import { StoreError } from '../store-error.js';
import type { Slice, StoreMetric, UserPage, UserStore } from '../user-store.js';
import { BATCH_USERS } from '../user-store.js';
import { WriteQueue } from '../write-queue.js';
import { findMoved, rememberFiles } from './connection.js';
import { BLOCK, openDatabase, sqliteProblem } from './database.js';
import { SqliteWriter } from './writer.js';
import type { SqliteWrite, WrittenRow } from './writer-worker.js';

/** Options of a {@link SqliteUserStore}. */
export interface SqliteUserStoreOptions {
  /** Clock for `createdAt` and `updatedAt`. Defaults to `Date.now`. */
  readonly now?: Clock;
  /** Maximum time of a write, and of opening a locked file, in milliseconds. Defaults to 5,000. */
  readonly timeout?: number;
  /** Maximum size of the file, in pages of 4 KiB. Unlimited by default. */
  readonly maxPages?: number;
  /** Called for each failure that the store recovers from. Defaults to `process.emitWarning`. */
  readonly warn?: (error: StoreError) => void;
}

/**
 * Stores users in an SQLite file. Acknowledged writes survive a crash of the process and of the machine.
 * A separate thread commits concurrent writes together. Reads are synchronous.
 */
export class SqliteUserStore implements UserStore {
  readonly #path: string;
  readonly #now: Clock;
  readonly #queries: Queries;
  readonly #writer: SqliteWriter;
  readonly #writes: WriteQueue<SqliteWrite, WrittenRow>;
  #closing: Promise<void> | undefined = undefined;

  /**
   * @param path - Path of the database file, which is created with its folders if necessary.
   * @throws {StoreError} When the file cannot be used.
   */
  constructor(path: string, options: SqliteUserStoreOptions = {}) {
    const { now = Date.now, timeout = 5_000, maxPages = 0, warn = process.emitWarning } = options;
    this.#path = path;
    this.#now = now;
    this.#queries = openDatabase(path, timeout, (database) => prepareQueries(database, path));
    const { files } = this.#queries;
    const writer = new SqliteWriter({ path, files, maxPages, timeout, warn });
    this.#writer = writer;
    this.#writes = new WriteQueue(path, (writes) => writer.commit(writes), {
      textOf: (write) => write.reduce((sum, text) => sum + (text?.length ?? 0), 0),
      deadline: { timeout, giveUp: (count) => writer.giveUp(count) },
    });
  }

  get metrics(): readonly StoreMetric[] {
    const help = 'Writes that wait for their commit to begin.';
    const value = () => this.#writes.waiting;
    return [{ name: 'store_waiting_writes', help, type: 'gauge', value }, ...this.#writer.metrics];
  }

  async *list({ offset, limit }: Slice = { offset: 0, limit: Infinity }) {
    let left = limit;
    let { rows, last } = this.#first({ offset, limit });
    while (rows.length > 0) {
      yield rows.map(toUser);
      left -= rows.length;
      const from = (rows.at(-1)?.[5] ?? last) + 1;
      rows = this.#read(({ users }) => users(from, last, Math.min(left, BATCH_USERS), 0));
    }
  }

  page(slice: Slice): UserPage {
    const { rows, total } = this.#first(slice);
    return { users: rows.map(toUser), total };
  }

  find(id: string): User | undefined {
    const [row] = this.#read(({ user }) => user(id));
    return row && toUser(row);
  }

  async create(input: CreateUserInput): Promise<User> {
    const user = createUser(input, this.#now());
    const { id, name, email, createdAt, updatedAt } = user;
    await this.#write('create', id, name, email, createdAt, updatedAt);
    return user;
  }

  async update(id: string, { name, email }: UpdateUserInput, expected?: User) {
    const changes = [name ?? null, email ?? null, new Date(this.#now()).toISOString()];
    const row = await this.#write('update', ...changes, id, ...comparedOf(expected));
    // The statement returns the columns of a user.
    return row as User | undefined;
  }

  async delete(id: string, expected?: User): Promise<boolean> {
    return (await this.#write('delete', id, ...comparedOf(expected))) !== undefined;
  }

  check(): void {
    this.#read(({ counts }) => {
      const moved = this.#findMoved();
      if (moved !== undefined) throw moved;
      counts();
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
      this.#queries.database.close();
      await this.#writer.close();
    }
  }

  /**
   * Detects moved files, and then checkpoints the log into the original file. A log left behind would be
   * applied to the file that another process finds at the path.
   */
  #findMoved(): Error | undefined {
    const { database, files } = this.#queries;
    const moved = findMoved(files);
    if (moved !== undefined) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return moved;
  }

  async #write(...write: SqliteWrite): Promise<WrittenRow> {
    this.#assertOpen();
    return this.#writes.add(write);
  }

  /** Reads the first batch of a slice, the number of users and the last position in one snapshot. */
  #first({ offset, limit }: Slice) {
    return this.#read(({ database, users, counts, usersInBlocks }) => {
      database.exec('BEGIN');
      try {
        const [[total, last] = [0, 0]] = counts();
        // Bisects to the last block that has at most `offset` users before it.
        let [block, end, before] = [0, offset > 0 ? Math.floor(last / BLOCK) : 0, 0];
        while (block < end) {
          const middle = Math.floor((block + end) / 2);
          const [[sum] = [0]] = usersInBlocks(block, middle);
          if (before + sum > offset) end = middle;
          else [block, before] = [middle + 1, before + sum];
        }
        const size = offset < total ? Math.min(limit, BATCH_USERS) : 0;
        const rows = users(block * BLOCK, last, size, offset - before);
        database.exec('COMMIT');
        return { rows, total, last };
      } catch (error) {
        try {
          database.exec('ROLLBACK');
        } catch {
          // SQLite has already rolled back, as it does when the disk fails.
        }
        throw error;
      }
    });
  }

  #read<T>(read: (queries: Queries) => T): T {
    this.#assertOpen();
    try {
      return read(this.#queries);
    } catch (error) {
      throw sqliteProblem(error, this.#path);
    }
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new StoreError('STORE_CLOSED', `The store ${this.#path} is closed. Open a new one.`);
  }
}

/** Returns the columns that a write compares. Null matches any value. */
function comparedOf(expected: User | undefined): readonly (string | null)[] {
  return [expected?.name ?? null, expected?.email ?? null, expected?.updatedAt ?? null];
}

function toUser([id, name, email, createdAt, updatedAt]: UserRow): User {
  return { id, name, email, createdAt, updatedAt };
}

/** Columns of a user, and its position. The table is STRICT, so these are the types. */
type UserRow = readonly [string, string, string, string, string, number];

const COLUMNS = 'id, name, email, created_at, updated_at, position';

type Queries = ReturnType<typeof prepareQueries>;

function prepareQueries(database: DatabaseSync, path: string) {
  return {
    database,
    files: rememberFiles(path),
    user: prepare<UserRow>(database, `SELECT ${COLUMNS} FROM users WHERE id = ?`),
    users: prepare<UserRow>(
      database,
      `SELECT ${COLUMNS} FROM users WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ? OFFSET ?`,
    ),
    counts: prepare<readonly [total: number, last: number]>(
      database,
      'SELECT (SELECT total FROM users_total), (SELECT max(position) FROM users)',
    ),
    usersInBlocks: prepare<readonly [users: number]>(
      database,
      'SELECT coalesce(sum(total), 0) FROM users_blocks WHERE block BETWEEN ? AND ?',
    ),
  };
}

/** Prepares a query that returns rows as arrays, which are faster than objects. */
function prepare<Row>(database: DatabaseSync, sql: string) {
  const statement = database.prepare(sql);
  // Missing before Node.js 22.16.
  statement.setReturnArrays?.(true);
  const toRow = (row: object) => (Array.isArray(row) ? row : Object.values(row)) as Row;
  return (...parameters: SQLInputValue[]) => statement.all(...parameters).map(toRow);
}
