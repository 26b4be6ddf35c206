import pg from 'pg';
import { BATCH, type UserPage, type UserStore } from './store.js';
import { createUser, type NewUser, type Slice, type User, type UserChanges } from './user.js';

// A counter in one row would make each create wait for the commit of the one before. The rows of
// users_total share the count, and each connection mostly has a row to itself.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS users (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL
  );
  CREATE TABLE IF NOT EXISTS users_total (slot INT PRIMARY KEY, total BIGINT NOT NULL);
  INSERT INTO users_total SELECT slot, 0 FROM generate_series(0, 15) AS slot ON CONFLICT DO NOTHING;
`;

const COLUMNS = 'id, name, email, created_at AS "createdAt", updated_at AS "updatedAt"';

const counting = (change: string) =>
  `UPDATE users_total SET total = total ${change} WHERE slot = pg_backend_pid() % 16`;

/** Statements, which each connection prepares once. */
const FIND = { name: 'find', text: `SELECT ${COLUMNS} FROM users WHERE id = $1` };
const PAGE = {
  name: 'page',
  text: `SELECT counted.total, page.*
    FROM (SELECT sum(total)::bigint AS total FROM users_total) AS counted
    LEFT JOIN (
      SELECT position, ${COLUMNS} FROM users WHERE position IN (
        SELECT position FROM users ORDER BY position LIMIT $1 OFFSET $2
      )
    ) AS page ON true
    ORDER BY page.position`,
};
const LAST = { name: 'last', text: 'SELECT max(position) AS position FROM users' };
const FIRST = {
  name: 'first',
  text: 'SELECT position FROM users ORDER BY position LIMIT 1 OFFSET $1',
};
const NEXT = {
  name: 'next',
  text: `SELECT position, ${COLUMNS} FROM users
    WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3`,
};
const CREATE = {
  name: 'create',
  text: `WITH counted AS (${counting('+ 1')})
    INSERT INTO users (id, name, email, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)`,
};
const UPDATE = {
  name: 'update',
  text: `UPDATE users
    SET name = coalesce($2, name), email = coalesce($3, email),
      updated_at = greatest(updated_at, $4::timestamptz)
    WHERE id = $1 RETURNING ${COLUMNS}`,
};
const UPDATE_EXPECTED = {
  name: 'update-expected',
  text: `UPDATE users
    SET name = coalesce($2, name), email = coalesce($3, email),
      updated_at = greatest(updated_at, $4::timestamptz)
    WHERE id = $1 AND name = $5 AND email = $6 AND updated_at = $7 RETURNING ${COLUMNS}`,
};
const DELETE = {
  name: 'delete',
  text: `WITH gone AS (DELETE FROM users WHERE id = $1 RETURNING id), counted AS (
      ${counting('- 1')} AND EXISTS (SELECT 1 FROM gone)
    )
    SELECT id FROM gone`,
};
const DELETE_EXPECTED = {
  name: 'delete-expected',
  text: `WITH gone AS (
      DELETE FROM users WHERE id = $1 AND name = $2 AND email = $3 AND updated_at = $4 RETURNING id
    ), counted AS (
      ${counting('- 1')} AND EXISTS (SELECT 1 FROM gone)
    )
    SELECT id FROM gone`,
};

const { INT8, TIMESTAMPTZ } = pg.types.builtins;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Parses times to ISO 8601 strings and counts to numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString();
    if (oid === INT8) return Number;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/** Stores users in a PostgreSQL database. */
export class PostgresStore implements UserStore {
  readonly #pool: pg.Pool;

  private constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  static async open(url: string): Promise<PostgresStore> {
    const pool = new pg.Pool({
      connectionString: url,
      max: 10,
      connectionTimeoutMillis: 2_000,
      statement_timeout: 5_000,
      types,
    });
    pool.on('error', (error) => process.emitWarning(error));
    await pool.query(SCHEMA);
    return new PostgresStore(pool);
  }

  async page({ offset, limit }: Slice): Promise<UserPage> {
    const { rows } = await this.#pool.query({ ...PAGE, values: [limit, offset] });
    // The response schema leaves out the other columns.
    return { users: rows[0].id === null ? [] : rows, total: rows[0].total };
  }

  async *list({ offset, limit }: Slice): AsyncGenerator<readonly User[]> {
    const last = (await this.#pool.query(LAST)).rows[0].position;
    const [first] = (await this.#pool.query({ ...FIRST, values: [offset] })).rows;
    if (first === undefined) return;
    let after = first.position - 1;
    for (let left = limit; left > 0; left -= BATCH) {
      const values = [after, last, Math.min(left, BATCH)];
      const { rows } = await this.#pool.query({ ...NEXT, values });
      if (rows.length === 0) return;
      after = rows.at(-1).position;
      yield rows.map(({ position, ...user }) => user);
    }
  }

  async find(id: string): Promise<User | undefined> {
    if (!UUID.test(id)) return undefined;
    return (await this.#pool.query<User>({ ...FIND, values: [id] })).rows[0];
  }

  async create(input: NewUser): Promise<User> {
    const user = createUser(input);
    await this.#pool.query({ ...CREATE, values: [user.id, user.name, user.email, user.createdAt] });
    return user;
  }

  async update(
    id: string,
    { name, email }: UserChanges,
    expected?: User,
  ): Promise<User | undefined> {
    if (!UUID.test(id)) return undefined;
    const values = [id, name, email, new Date().toISOString()];
    const query =
      expected === undefined
        ? { ...UPDATE, values }
        : {
            ...UPDATE_EXPECTED,
            values: [...values, expected.name, expected.email, expected.updatedAt],
          };
    return (await this.#pool.query<User>(query)).rows[0];
  }

  async delete(id: string, expected?: User): Promise<boolean> {
    if (!UUID.test(id)) return false;
    const query =
      expected === undefined
        ? { ...DELETE, values: [id] }
        : {
            ...DELETE_EXPECTED,
            values: [id, expected.name, expected.email, expected.updatedAt],
          };
    return (await this.#pool.query(query)).rows.length > 0;
  }

  async check(): Promise<void> {
    await this.#pool.query(LAST);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
