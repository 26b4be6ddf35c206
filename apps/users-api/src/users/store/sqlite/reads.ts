import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Slice } from '../../pagination.js';
import type { User } from '../../user.js';
import { BATCH_TEXT, BATCH_USERS } from '../batch-size.js';
import type { UserPage } from '../user-store.js';
import { transaction } from './database.js';

type Row = Record<string, SQLOutputValue>;

/** Positions that a list goes through. */
export interface Range {
  /** The position before the first user. */
  readonly after: number;
  /** The position of the last user. */
  readonly last: number;
}

/** What is read from a database of users; each method sees one moment of it. */
export interface SqliteReads {
  /** The user with this id. */
  find(id: string): User | undefined;
  /** The users of a page who go into one batch, and the count of all users. */
  page(slice: Slice): UserPage;
  /** The positions of the users who are there now, from the one behind `offset` others on. */
  range(offset: number): Range;
  /** The next users of a list, `limit` at most, and the position of the last one of them. */
  batch(after: number, last: number, limit: number): { users: User[]; last: number };
  /** The count of all users. */
  total(): number;
}

const COLUMNS = 'id, name, email, created_at AS createdAt, updated_at AS updatedAt';

/** What is passed over is counted in the index of positions, which holds nothing else. */
const POSITIONS = 'SELECT position FROM users INDEXED BY users_position ORDER BY position';

/**
 * Prepares the reads of a database.
 *
 * @param database - It has the current schema.
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
    let text = 0;
    for (const row of next.iterate(after, end, Math.min(limit, BATCH_USERS))) {
      const user = toUser(row);
      users.push(user);
      position = Number(row.position);
      text += user.name.length + user.email.length;
      if (text >= BATCH_TEXT) break;
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
