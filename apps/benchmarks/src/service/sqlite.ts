import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database, { type Statement } from 'better-sqlite3';
import { BATCH, type UserPage, type UserStore } from './store.js';
import { createUser, type NewUser, type Slice, type User, type UserChanges } from './user.js';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS users (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS users_position ON users (position);
  CREATE TABLE IF NOT EXISTS users_total (total INTEGER NOT NULL) STRICT;
  INSERT INTO users_total
    SELECT (SELECT count(*) FROM users) WHERE NOT EXISTS (SELECT 1 FROM users_total);
  CREATE TRIGGER IF NOT EXISTS users_created AFTER INSERT ON users
  BEGIN UPDATE users_total SET total = total + 1; END;
  CREATE TRIGGER IF NOT EXISTS users_deleted AFTER DELETE ON users
  BEGIN UPDATE users_total SET total = total - 1; END;
`;

const COLUMNS = 'id, name, email, created_at AS createdAt, updated_at AS updatedAt';

/** The position of the user at an offset, found in an index that has nothing else. */
const POSITION = `(SELECT position FROM users INDEXED BY users_position
  ORDER BY position LIMIT 1 OFFSET ?)`;

const UNCHANGED = 'id = ? AND name = ? AND email = ? AND updated_at = ?';

/** Stores users in an SQLite file. Each write has a separate transaction. */
export class SqliteStore implements UserStore {
  protected readonly database: Database.Database;
  readonly #find: Statement<[string], User>;
  readonly #page: Statement<[number, number], User>;
  readonly #total: Statement<[], number>;
  readonly #last: Statement<[], number | null>;
  readonly #first: Statement<[number], number>;
  readonly #batch: Statement<[number, number, number], User & { position: number }>;
  readonly #create: Statement<string[]>;
  readonly #update: Statement<(string | null)[], User>;
  readonly #updateExpected: Statement<(string | null)[], User>;
  readonly #delete: Statement<string[]>;
  readonly #deleteExpected: Statement<string[]>;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    const database = new Database(path);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('wal_autocheckpoint = 10000');
    database.transaction(() => database.exec(SCHEMA)).immediate();
    this.database = database;
    this.#find = database.prepare(`SELECT ${COLUMNS} FROM users WHERE id = ?`);
    this.#page = database.prepare(
      `SELECT ${COLUMNS} FROM users WHERE position >= ${POSITION} ORDER BY position LIMIT ?`,
    );
    this.#total = database.prepare<[], number>('SELECT total FROM users_total').pluck();
    this.#last = database.prepare<[], number | null>('SELECT max(position) FROM users').pluck();
    this.#first = database.prepare<[number], number>(`SELECT ${POSITION}`).pluck();
    this.#batch = database.prepare(
      `SELECT position, ${COLUMNS} FROM users
       WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`,
    );
    this.#create = database.prepare(
      'INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    );
    const update = (condition: string) =>
      database.prepare<(string | null)[], User>(
        `UPDATE users
         SET name = coalesce(?, name), email = coalesce(?, email), updated_at = max(updated_at, ?)
         WHERE ${condition} RETURNING ${COLUMNS}`,
      );
    this.#update = update('id = ?');
    this.#updateExpected = update(UNCHANGED);
    this.#delete = database.prepare('DELETE FROM users WHERE id = ?');
    this.#deleteExpected = database.prepare(`DELETE FROM users WHERE ${UNCHANGED}`);
  }

  page({ offset, limit }: Slice): UserPage {
    // Both statements run in one turn of the only process that writes.
    return { users: this.#page.all(offset, limit), total: this.#total.get() ?? 0 };
  }

  async *list({ offset, limit }: Slice): AsyncGenerator<readonly User[]> {
    const last = this.#last.get() ?? 0;
    const first = this.#first.get(offset);
    if (typeof first !== 'number') return;
    let after = first - 1;
    for (let left = limit; left > 0; left -= BATCH) {
      const rows = this.#batch.all(after, last, Math.min(left, BATCH));
      const end = rows.at(-1);
      if (end === undefined) return;
      after = end.position;
      yield rows.map(({ position, ...user }) => user);
    }
  }

  find(id: string): User | undefined {
    return this.#find.get(id);
  }

  create(input: NewUser): User | Promise<User> {
    const user = createUser(input);
    this.#create.run(user.id, user.name, user.email, user.createdAt, user.updatedAt);
    return user;
  }

  update(
    id: string,
    { name, email }: UserChanges,
    expected?: User,
  ): User | undefined | Promise<User | undefined> {
    const values = [name ?? null, email ?? null, new Date().toISOString()];
    return expected === undefined
      ? this.#update.get(...values, id)
      : this.#updateExpected.get(...values, ...versionOf(expected));
  }

  delete(id: string, expected?: User): boolean | Promise<boolean> {
    const { changes } =
      expected === undefined
        ? this.#delete.run(id)
        : this.#deleteExpected.run(...versionOf(expected));
    return changes > 0;
  }

  check(): void {
    this.#total.get();
  }

  close(): void {
    this.database.close();
  }
}

function versionOf({ id, name, email, updatedAt }: User): string[] {
  return [id, name, email, updatedAt];
}
