import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  openSqlite,
  type SqliteDatabase,
  type SqliteOptions,
  type StoreMetric,
} from '@fairlead/store';
import {
  type Clock,
  type CreateUserInput,
  createUser,
  toIso,
  type UpdateUserInput,
  type User,
} from '../../user.js';
import {
  BATCH_USERS,
  EVERYTHING,
  type Slice,
  type UserPage,
  type UserStore,
} from '../user-store.js';

/** The `application_id` of users-api databases: "user" in ASCII. Version 1 has none. */
const APPLICATION_ID = 0x75736572;
const COLUMNS_OF_VERSION_1 =
  'position INTEGER, id TEXT, name TEXT, email TEXT, created_at TEXT, updated_at TEXT';

const READ_COLUMNS =
  "SELECT group_concat(name || ' ' || type, ', ') AS columns FROM pragma_table_info('users')";

/** Number of positions in a block of `users_blocks`. Part of the schema. */
const BLOCK = 1024;

/** Migrations from each schema version to the next, starting at 0. Never change a released migration. */
const MIGRATIONS: readonly string[] = [
  // SQLite assigns the largest position plus one, so positions follow the creation order.
  `CREATE TABLE users (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     email TEXT NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL
   ) STRICT`,
  `CREATE INDEX users_position ON users (position);
   CREATE TABLE users_total (total INTEGER NOT NULL) STRICT;
   INSERT INTO users_total SELECT count(*) FROM users;
   CREATE TRIGGER users_created AFTER INSERT ON users
   BEGIN UPDATE users_total SET total = total + 1; END;
   CREATE TRIGGER users_deleted AFTER DELETE ON users
   BEGIN UPDATE users_total SET total = total - 1; END`,
  // The number of users in each block of positions allows skipping users without reading them.
  `CREATE TABLE users_blocks (block INTEGER PRIMARY KEY, total INTEGER NOT NULL) STRICT;
   INSERT INTO users_blocks SELECT position / ${BLOCK}, count(*) FROM users GROUP BY 1;
   DROP INDEX users_position;
   CREATE TRIGGER users_blocks_created AFTER INSERT ON users BEGIN
     INSERT INTO users_blocks VALUES (new.position / ${BLOCK}, 1)
       ON CONFLICT (block) DO UPDATE SET total = total + 1;
   END;
   CREATE TRIGGER users_blocks_deleted AFTER DELETE ON users BEGIN
     UPDATE users_blocks SET total = total - 1 WHERE block = old.position / ${BLOCK};
     DELETE FROM users_blocks WHERE block = old.position / ${BLOCK} AND total = 0;
   END`,
];

// A null parameter matches any value.
const EXPECTED =
  '(name, email, updated_at) = (coalesce(?, name), coalesce(?, email), coalesce(?, updated_at))';
const STATEMENTS = {
  create: 'INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  // A single statement reads and writes atomically. ISO times sort as text.
  update: `UPDATE users
    SET name = coalesce(?, name), email = coalesce(?, email), updated_at = max(updated_at, ?)
    WHERE id = ? AND ${EXPECTED}
    RETURNING id, name, email, created_at AS createdAt, updated_at AS updatedAt`,
  delete: `DELETE FROM users WHERE id = ? AND ${EXPECTED} RETURNING id`,
};

/** Options of a {@link SqliteUserStore}. */
export interface SqliteUserStoreOptions
  extends Pick<SqliteOptions<never, never>, 'timeout' | 'maxPages' | 'warn'> {
  /** Clock for `createdAt` and `updatedAt`. Defaults to `Date.now`. */
  readonly now?: Clock;
}

/**
 * Stores users in an SQLite file. Acknowledged writes survive a crash of the process and of the machine.
 * A separate thread commits concurrent writes together. Reads are synchronous.
 */
export class SqliteUserStore implements UserStore {
  readonly #now: Clock;
  readonly #database: SqliteDatabase<keyof typeof STATEMENTS, ReturnType<typeof prepareQueries>>;

  /**
   * @param path - Path of the database file, which is created with its folders if necessary.
   * @throws {StoreError} When the file cannot be used.
   */
  constructor(path: string, { now = Date.now, ...options }: SqliteUserStoreOptions = {}) {
    this.#now = now;
    this.#database = openSqlite(path, {
      ...options,
      program: 'users-api',
      setting: 'DATABASE_URL',
      applicationId: APPLICATION_ID,
      migrations: MIGRATIONS,
      statements: STATEMENTS,
      prepare: prepareQueries,
      isOurs: (database, version) =>
        version === 1 && database.prepare(READ_COLUMNS).get()?.columns === COLUMNS_OF_VERSION_1,
    });
  }

  get metrics(): readonly StoreMetric[] {
    return this.#database.metrics;
  }

  async *list({ offset, limit }: Slice = EVERYTHING) {
    let left = limit;
    let { rows, last } = this.#first({ offset, limit });
    while (rows.length > 0) {
      yield rows.map(toUser);
      left -= rows.length;
      const from = (rows.at(-1)?.[5] ?? last) + 1;
      rows = this.#database.read(({ users }) => users(from, last, Math.min(left, BATCH_USERS), 0));
    }
  }

  page(slice: Slice): UserPage {
    const { rows, total } = this.#first(slice);
    return { users: rows.map(toUser), total };
  }

  find(id: string): User | undefined {
    const [row] = this.#database.read(({ user }) => user(id));
    return row && toUser(row);
  }

  async create(input: CreateUserInput): Promise<User> {
    const user = createUser(input, this.#now());
    const { id, name, email, createdAt, updatedAt } = user;
    await this.#database.write('create', id, name, email, createdAt, updatedAt);
    return user;
  }

  async update(id: string, { name, email }: UpdateUserInput, expected?: User) {
    const changes = [name ?? null, email ?? null, toIso(this.#now())];
    const row = await this.#database.write('update', ...changes, id, ...comparedOf(expected));
    // The statement returns the columns of a user.
    return row as User | undefined;
  }

  async delete(id: string, expected?: User): Promise<boolean> {
    return (await this.#database.write('delete', id, ...comparedOf(expected))) !== undefined;
  }

  check() {
    this.#database.read(({ counts }) => counts());
    return this.#database.check();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Reads the first batch of a slice, the number of users and the last position in one snapshot. */
  #first({ offset, limit }: Slice) {
    return this.#database.snapshot(({ users, counts, usersInBlocks }) => {
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
      return { rows: users(block * BLOCK, last, size, offset - before), total, last };
    });
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

function prepareQueries(database: DatabaseSync) {
  return {
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
  statement.setReturnArrays(true);
  return (...parameters: SQLInputValue[]) => statement.all(...parameters) as unknown as Row[];
}
