import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Slice } from '../pagination.js';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
} from '../user.js';
import { openDatabase, transaction } from './sqlite-database.js';
import { sqliteProblem } from './sqlite-error.js';
import type { UserPage, UserStore } from './user-store.js';

const COLUMNS = 'id, name, email, created_at AS createdAt, updated_at AS updatedAt';

const ALL: Slice = { offset: 0, limit: Number.MAX_SAFE_INTEGER };
const BATCH_SIZE = 500;

/** Settings of a {@link SqliteUserStore}. */
export interface SqliteUserStoreOptions {
  /** Clock for `createdAt` and `updatedAt`; `Date.now` unless given. */
  readonly now?: Clock;
  /** How long to wait for another process's lock, in milliseconds; 5,000 unless given. */
  readonly busyTimeout?: number;
}

/**
 * Keeps users in an SQLite file. A write that has returned survives a crash of the process
 * and of the machine.
 */
export class SqliteUserStore implements UserStore {
  readonly #path: string;
  readonly #now: Clock;
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;
  #closed = false;

  /**
   * @param path - The database file; made, with the folders above it, where there is none.
   * @param options - Clock and waiting time.
   * @throws {StoreError} When the file cannot be used as a store of users.
   */
  constructor(path: string, options: SqliteUserStoreOptions = {}) {
    this.#path = path;
    this.#now = options.now ?? Date.now;
    this.#database = openDatabase(path, options.busyTimeout ?? 5_000);
    try {
      this.#statements = prepareStatements(this.#database);
    } catch (error) {
      this.#database.close();
      throw sqliteProblem(error, path);
    }
  }

  async *list({ offset, limit }: Slice = ALL): AsyncGenerator<readonly User[]> {
    for (let done = 0; done < limit; done += BATCH_SIZE) {
      const size = Math.min(BATCH_SIZE, limit - done);
      const { users } = this.page({ offset: offset + done, limit: size });
      if (users.length > 0) yield users;
      if (users.length < size) return;
    }
  }

  page({ offset, limit }: Slice): UserPage {
    return this.#run(() =>
      transaction(this.#database, 'DEFERRED', () => ({
        users: this.#statements.page.all(limit, offset).map(toUser),
        total: Number(this.#statements.count.get()?.total),
      })),
    );
  }

  find(id: string): User | undefined {
    return this.#run(() => only(this.#statements.find.all(id)));
  }

  create(input: CreateUserInput): User {
    const user = createUser(input, this.#now());
    const { id, name, email, createdAt, updatedAt } = user;
    this.#run(() => this.#statements.insert.run(id, name, email, createdAt, updatedAt));
    return user;
  }

  update(id: string, { name, email }: UpdateUserInput): User | undefined {
    const now = new Date(this.#now()).toISOString();
    // get() would not report a commit that failed: it stops at the first row. all() runs to the end.
    return this.#run(() => only(this.#statements.update.all(name ?? null, email ?? null, now, id)));
  }

  delete(id: string): boolean {
    return this.#run(() => this.#statements.delete.run(id).changes > 0);
  }

  check(): void {
    this.#run(() => this.#statements.count.get());
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#database.close();
  }

  #run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteProblem(error, this.#path);
    }
  }
}

function prepareStatements(database: DatabaseSync) {
  const prepare = (query: string): StatementSync => database.prepare(query);
  return {
    page: prepare(`SELECT ${COLUMNS} FROM users ORDER BY position LIMIT ? OFFSET ?`),
    count: prepare('SELECT count(*) AS total FROM users'),
    find: prepare(`SELECT ${COLUMNS} FROM users WHERE id = ?`),
    insert: prepare(
      'INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    ),
    // One statement reads and writes, so nothing comes between; ISO times sort as text.
    update: prepare(
      `UPDATE users
       SET name = coalesce(?, name), email = coalesce(?, email), updated_at = max(updated_at, ?)
       WHERE id = ? RETURNING ${COLUMNS}`,
    ),
    delete: prepare('DELETE FROM users WHERE id = ?'),
  };
}

function only(rows: readonly Record<string, SQLOutputValue>[]): User | undefined {
  return rows.map(toUser)[0];
}

function toUser(row: Record<string, SQLOutputValue>): User {
  return {
    id: String(row.id),
    name: String(row.name),
    email: String(row.email),
    createdAt: String(row.createdAt),
    updatedAt: String(row.updatedAt),
  };
}
