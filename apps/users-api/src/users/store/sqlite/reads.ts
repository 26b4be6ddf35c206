import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { User } from '../../user.js';
import { BATCH_USERS, type Slice, type UserPage } from '../user-store.js';
import { transaction } from './database.js';

type Row = Record<string, SQLOutputValue>;

/** A range of positions. */
export interface Range {
  /** The position before the first user. */
  readonly after: number;
  /** The position of the last user. */
  readonly last: number;
}

/** Queries of a database. Each method reads a consistent snapshot. */
export interface SqliteReads {
  /** Returns the user with this id. */
  find(id: string): User | undefined;
  /** Returns the first batch of a page, and the number of all users. */
  page(slice: Slice): UserPage;
  /** Returns the positions of the current users, without the first `offset` users. */
  range(offset: number): Range;
  /** Returns the next batch of at most `limit` users, and the position of its last user. */
  batch(after: number, last: number, limit: number): { users: User[]; last: number };
  /** Returns the number of all users. */
  total(): number;
}

const COLUMNS = 'id, name, email, created_at AS createdAt, updated_at AS updatedAt';

/** Skips users by scanning the index of positions, which is smaller than the table. */
const POSITIONS = 'SELECT position FROM users INDEXED BY users_position ORDER BY position';

/**
 * Prepares the queries.
 *
 * @param database - A database with the current schema.
 */
export function prepareReads(database: DatabaseSync): SqliteReads {
  const find = database.prepare(`SELECT ${COLUMNS} FROM users WHERE id = ?`);
  const count = database.prepare('SELECT total FROM users_total');
  const first = database.prepare(`${POSITIONS} LIMIT 1 OFFSET ?`);
  const last = database.prepare('SELECT max(position) AS position FROM users');
  const next = database.prepare(
    `SELECT position, ${COLUMNS} FROM users
     WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`,
  );
  const total = () => Number(count.get()?.total);
  const before = (offset: number) =>
    offset === 0 ? 0 : Number(first.get(offset)?.position ?? Number.MAX_SAFE_INTEGER) - 1;
  const batch: SqliteReads['batch'] = (after, end, limit) => {
    const users: User[] = [];
    let position = after;
    for (const row of next.iterate(after, end, Math.min(limit, BATCH_USERS))) {
      users.push(toUser(row));
      position = Number(row.position);
    }
    return { users, last: position };
  };
  return {
    find: (id) => {
      const row = find.get(id);
      return row && toUser(row);
    },
    page: ({ offset, limit }) =>
      transaction(database, 'DEFERRED', () => ({
        users: batch(before(offset), Number.MAX_SAFE_INTEGER, limit).users,
        total: total(),
      })),
    range: (offset) => ({ after: before(offset), last: Number(last.get()?.position ?? 0) }),
    batch,
    total,
  };
}

function toUser(row: Row): User {
  return {
    id: String(row.id),
    name: String(row.name),
    email: String(row.email),
    createdAt: String(row.createdAt),
    updatedAt: String(row.updatedAt),
  };
}
