import { randomUUID } from 'node:crypto';
import type { Degraded } from '@fairlead/middleware';
import { StoreError, type WriteBatch, WriteQueue } from '@fairlead/store';
import {
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
import { metric, PostgresConnections, type PostgresSettings } from './connections.js';
import { describeUrl } from './database-url.js';
import { isRowError, isUnsupported, readOnlyProblem } from './postgres-problem.js';
import { ANCHOR_ID } from './schema.js';

type Row = User & { readonly position: number; readonly total: number };

/** Proves that a batch comes from the same database as the one before, in the same or a later state. */
interface Proof {
  readonly identity: string;
  /** The number of bytes that the database has logged, which never decreases, or 0 if it is unknown. */
  readonly logged: number;
}

/** A user of a list, and what is the same in each row. If the batch is empty, the user is null. */
type ListRow = (Row | { readonly [Key in keyof Row]: null }) &
  Proof & { readonly lastPosition: number | null; readonly lastId: string | null };

/** The id of a user to delete, and the other fields if they are expected. */
type Deletion = { readonly [Key in 'id' | 'name' | 'email' | 'updatedAt']: string | null };

/** Number of users at the start of the list whose pages take the least time. */
const NEAR_USERS = 200;

/** Offset above which a page takes the database so long that it must not occupy every connection. */
const SLOW_OFFSET = 10_000;

/** The canonical form of an id. No user has an id in another form. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const COLUMNS = 'id, name, email, created_at AS "createdAt", updated_at AS "updatedAt"';
const TOTAL = '(SELECT coalesce(sum(total), 0)::bigint FROM users_totals) AS total';
const ADD = 'ON CONFLICT (writer) DO UPDATE SET total = users_totals.total + excluded.total';

// CockroachDB documents concat_ws for text.
const ANY_IDENTITY = `(SELECT version::text FROM users_schema WHERE id = ${ANCHOR_ID}),
  'users'::regclass::oid::text,
  (SELECT oid::text FROM pg_database WHERE datname = current_database())`;

/** A SELECT of a {@link Proof} from any engine. */
const ANY_PROOF = `SELECT concat_ws(' ', ${ANY_IDENTITY}) AS identity, 0::bigint AS logged`;

/** A SELECT of a {@link Proof} from PostgreSQL, which has a number for each cluster and for each promotion. */
const PROOF = `SELECT concat_ws(' ', ${ANY_IDENTITY}, (SELECT system_identifier::text FROM pg_control_system()),
    CASE WHEN pg_is_in_recovery() THEN 'standby'
      ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END) AS identity,
  (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
    ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint AS logged`;

/** Statements by name. CockroachDB needs RETURNING in each part of a WITH clause. */
const SQL = {
  find: `SELECT ${COLUMNS} FROM users WHERE id = $1`,

  count: `SELECT ${TOTAL}`,

  check: `SELECT ${TOTAL}, current_setting('transaction_read_only') AS "readOnly"`,

  // Parameters: limit, offset. PostgreSQL plans it once, because the inner limit makes any page cheap.
  near_page: `SELECT near.*, ${TOTAL}
    FROM (SELECT position, ${COLUMNS} FROM users ORDER BY position, id LIMIT ${NEAR_USERS}) AS near
    ORDER BY position, id LIMIT $1 OFFSET $2`,

  // Parameters: limit, offset. Skips users in the index, without reading them.
  far_page: `SELECT position, ${COLUMNS}, ${TOTAL} FROM users
    WHERE (position, id) >= (SELECT position, id FROM users ORDER BY position, id LIMIT 1 OFFSET $2)
    ORDER BY position, id LIMIT $1`,

  // Parameters: offset. Returns the last user as well.
  first_batch: `SELECT proof.*, last.*, batch.* FROM (${PROOF}) AS proof
    LEFT JOIN (
      SELECT position AS "lastPosition", id AS "lastId" FROM users
      ORDER BY position DESC, id DESC LIMIT 1
    ) AS last ON true
    LEFT JOIN (
      SELECT position, ${COLUMNS} FROM users
      WHERE (position, id) >= (SELECT position, id FROM users ORDER BY position, id LIMIT 1 OFFSET $1)
      ORDER BY position, id LIMIT ${BATCH_USERS}
    ) AS batch ON true
    ORDER BY batch.position, batch.id`,

  // Parameters: position and id of the user before the batch, and of the last user to list.
  batch: `SELECT proof.*, batch.* FROM (${PROOF}) AS proof
    LEFT JOIN (
      SELECT position, ${COLUMNS} FROM users
      WHERE (position, id) > ($1::bigint, $2::uuid) AND (position, id) <= ($3::bigint, $4::uuid)
      ORDER BY position, id LIMIT ${BATCH_USERS}
    ) AS batch ON true
    ORDER BY batch.position, batch.id`,

  // Each node of YugabyteDB may have another identifier.
  prove: `${PROOF} WHERE version() NOT LIKE '%-YB-%'`,

  // Parameters: writer, ids, names, emails, times. Positions are microseconds plus the index in the batch.
  // A row takes longer than a microsecond, so a statement that comes later has later positions.
  create: `WITH counted AS (
      INSERT INTO users_totals (writer, total) VALUES ($1::uuid, array_length($2::uuid[], 1)) ${ADD}
      RETURNING writer
    )
    INSERT INTO users (id, position, name, email, created_at, updated_at)
    SELECT id, (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) + number,
      name, email, time, time
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
      WITH ORDINALITY AS input (id, name, email, time, number)`,

  // Parameters: id, name or null, email or null, time, expected fields or nulls.
  update: `UPDATE users
    SET name = coalesce($2::text, name), email = coalesce($3::text, email),
      updated_at = greatest(updated_at, $4::timestamptz)
    WHERE id = $1::uuid AND ($7::timestamptz IS NULL
      OR (name, email, updated_at) = ($5::text, $6::text, $7::timestamptz))
    RETURNING ${COLUMNS}`,

  // Parameters: writer, ids, expected fields or nulls. Returns the indexes of deletes that succeeded, from
  // 1. Locks users in the order of their ids, so that no two statements wait for each other.
  delete: `WITH gone AS (
      DELETE FROM users USING (
        SELECT users.id, input.number
        FROM users JOIN unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
          WITH ORDINALITY AS input (id, name, email, updated_at, number) ON users.id = input.id
        WHERE input.updated_at IS NULL
          OR (users.name, users.email, users.updated_at) = (input.name, input.email, input.updated_at)
        ORDER BY users.id FOR UPDATE OF users
      ) AS doomed
      WHERE users.id = doomed.id RETURNING doomed.number
    ), counted AS (
      INSERT INTO users_totals (writer, total)
      SELECT $1::uuid, -count(*) FROM gone HAVING count(*) > 0 ${ADD} RETURNING writer
    )
    SELECT number FROM gone`,

  // Parameters: writer.
  probe: `INSERT INTO users_totals (writer, total) VALUES ($1::uuid, 0) ${ADD}`,

  // Parameters: writer. Moves the totals of other writers to this one. Skips rows that are in use. Other
  // writers may have ended. One that has not adds its row again.
  fold: `WITH others AS (
      SELECT writer, total FROM users_totals
      WHERE writer <> $1::uuid AND total <> 0 FOR UPDATE SKIP LOCKED
    )
    INSERT INTO users_totals (writer, total)
    SELECT writer, -total FROM others UNION ALL SELECT $1::uuid, coalesce(sum(total), 0) FROM others
    ${ADD}`,

  sweep: `DELETE FROM users_totals WHERE writer IN (
      SELECT writer FROM users_totals WHERE total = 0 FOR UPDATE SKIP LOCKED
    )`,
} as const;

type Name = keyof typeof SQL;

/**
 * Stores users in a PostgreSQL database, which any number of processes may share. Concurrent creates are
 * sent as one statement, and so are concurrent deletes.
 *
 * Creation order is by the database's clock. Of two creates that overlap in time, either may come first,
 * and one may become visible after a reader has passed its place in the list.
 */
export class PostgresUserStore implements UserStore {
  readonly #name: string;
  readonly #now: () => number;
  readonly #connections: PostgresConnections;
  readonly #creates: WriteQueue<User, undefined>;
  readonly #deletes: WriteQueue<Deletion, boolean>;
  #sql: Readonly<Record<Name, string>> = SQL;
  /** The writer of statements that find out whether writes work. */
  readonly #prober = randomUUID();
  #isProbing = false;
  #closing: Promise<void> | undefined = undefined;

  private constructor(url: string, { now = Date.now, ...settings }: PostgresSettings) {
    this.#name = describeUrl(url);
    this.#now = now;
    this.#connections = new PostgresConnections(url, this.#name, settings);
    // Creates and deletes have a writer each, so that they do not wait for each other.
    const [creator, deleter] = [randomUUID(), randomUUID()];
    this.#creates = this.#queue((users) => this.#createAll(creator, users));
    this.#deletes = this.#queue((deletions) => this.#deleteAll(deleter, deletions));
  }

  /**
   * Connects to a database, creating its tables if necessary.
   *
   * @param url - A `postgres:` or `postgresql:` URL with parameters for pg.
   * @throws {StoreError} When the database cannot be reached or used.
   */
  static async open(url: string, settings: PostgresSettings): Promise<PostgresUserStore> {
    const store = new PostgresUserStore(url, settings);
    try {
      await store.#connections.migrate();
      await store.#findProof();
      await store.#query('fold', [randomUUID()]);
      await store.#query('sweep', []);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get metrics() {
    const waiting = () => this.#creates.waiting + this.#deletes.waiting;
    return [
      metric('store_waiting_writes', 'Creates and deletes that wait for others', waiting),
      ...this.#connections.metrics,
    ];
  }

  async *list({ offset, limit }: Slice = EVERYTHING): AsyncGenerator<readonly User[]> {
    let left = limit;
    const first = await this.#query<ListRow>('first_batch', [offset], offset > SLOW_OFFSET);
    for (let rows = first; ; ) {
      const users = rows.slice(0, left).filter(isUser).map(toUser);
      if (users.length > 0) yield users;
      left -= users.length;
      const after = rows.at(-1);
      if (left === 0 || rows.length < BATCH_USERS || after === undefined) return;
      // Users created since the first batch may be left out. Otherwise the list might never end.
      const last = [first[0]?.lastPosition, first[0]?.lastId];
      rows = await this.#query('batch', [after.position, after.id, ...last]);
      this.#assertSame(after, rows[0]);
    }
  }

  async page({ offset, limit }: Slice): Promise<UserPage> {
    const rows = await this.#firstBatch(offset, limit);
    // An empty page begins at the end or later. Creates since then do not count.
    const total = rows[0]?.total ?? Math.min(offset, await this.#count());
    return { users: rows.map(toUser), total };
  }

  async find(id: string): Promise<User | undefined> {
    return (await this.#query<User>('find', [toUuid(id)]))[0];
  }

  async create(input: CreateUserInput): Promise<User> {
    this.#assertOpen();
    const user = createUser(input, this.#now());
    await this.#creates.add(user);
    return user;
  }

  async update(id: string, changes: UpdateUserInput, expected?: User): Promise<User | undefined> {
    const now = toIso(this.#now());
    const values = [toUuid(id), changes.name, changes.email, now];
    const before = [expected?.name, expected?.email, expected?.updatedAt];
    return (await this.#query<User>('update', [...values, ...before]))[0];
  }

  async delete(id: string, expected?: User): Promise<boolean> {
    this.#assertOpen();
    const { name = null, email = null, updatedAt = null } = expected ?? {};
    return this.#deletes.add({ id: toUuid(id), name, email, updatedAt });
  }

  async check(): Promise<Degraded> {
    const [row] = await this.#query<{ readOnly: string }>('check', []);
    const readOnly = row?.readOnly === 'on' ? readOnlyProblem(this.#name) : undefined;
    const degraded = this.#connections.writeFailure ?? readOnly;
    if (degraded !== undefined) void this.#probe();
    return { degraded };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#creates.idle(), this.#deletes.idle()]);
    await this.#connections.close();
  }

  #queue<Write extends Deletion, Result>(
    write: WriteBatch<Write, Result>,
  ): WriteQueue<Write, Result> {
    return new WriteQueue(this.#name, (writes) => writeOrSplit(write, writes), {
      batch: 1_000,
      textOf: ({ name, email }) => (name?.length ?? 0) + (email?.length ?? 0),
    });
  }

  async #createAll(writer: string, users: readonly User[]): Promise<undefined[]> {
    const columns = columnsOf(users, ['id', 'name', 'email', 'createdAt']);
    await this.#send('create', [writer, ...columns]);
    return users.map(() => undefined);
  }

  async #deleteAll(writer: string, deletions: readonly Deletion[]): Promise<boolean[]> {
    const columns = columnsOf(deletions, ['id', 'name', 'email', 'updatedAt']);
    const rows = await this.#send<{ number: number }>('delete', [writer, ...columns]);
    const deleted = new Set(rows.map(({ number }) => number));
    return deletions.map((_, index) => deleted.has(index + 1));
  }

  /** Writes without an effect. Never rejects: the connections keep the failure. */
  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    await Promise.allSettled([this.#query('probe', [this.#prober])]);
    this.#isProbing = false;
  }

  /** Uses a weaker proof if the engine cannot run the one of PostgreSQL. */
  async #findProof(): Promise<void> {
    const proofs = await this.#query<Proof>('prove', []).catch((error: StoreError) => {
      if (isUnsupported(error)) return [];
      throw error;
    });
    if (proofs.length > 0) return;
    const weaken = (sql: string) => sql.replace(PROOF, ANY_PROOF);
    this.#sql = { ...SQL, first_batch: weaken(SQL.first_batch), batch: weaken(SQL.batch) };
  }

  /** Throws unless a batch of a list comes from the database of the batch before, in the same or a later state. */
  #assertSame(before: Proof, now: Proof | undefined): void {
    if (now?.identity === before.identity && now.logged >= before.logged) return;
    throw new StoreError(
      'STORE_GONE',
      `The store ${this.#name} is now another database, or an earlier state of the same one. A list ended ` +
        'in the middle. Request it again. If nobody has failed over or restored the database, check where ' +
        'DATABASE_URL leads.',
    );
  }

  #firstBatch(offset: number, limit: number): Promise<Row[]> {
    const count = Math.min(limit, BATCH_USERS);
    const statement = offset + count > NEAR_USERS ? 'far_page' : 'near_page';
    return this.#query(statement, [count, offset], offset > SLOW_OFFSET);
  }

  async #count(): Promise<number> {
    const [row] = await this.#query<Row>('count', []);
    return row?.total ?? 0;
  }

  async #query<R extends object>(name: Name, values: unknown[], isSlow = false): Promise<R[]> {
    this.#assertOpen();
    return this.#send(name, values, isSlow);
  }

  #send<R extends object>(name: Name, values: unknown[], isSlow = false): Promise<R[]> {
    return this.#connections.query(
      { name: `users_${name}`, text: this.#sql[name], values },
      isSlow,
    );
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new StoreError('STORE_CLOSED', `The store ${this.#name} is closed. Open a new one.`);
  }
}

const columnsOf = <R>(rows: readonly R[], keys: readonly (keyof R)[]) =>
  keys.map((key) => rows.map((row) => row[key]));

const isUser = (row: ListRow): row is ListRow & Row => row.id !== null;

const toUser = ({ id, name, email, createdAt, updatedAt }: User): User => ({
  id,
  name,
  email,
  createdAt,
  updatedAt,
});

const toUuid = (id: string): string | null => (UUID.test(id) ? id : null);

/** Runs a batch as one statement, or splits it until a row that the database rejects fails alone. */
async function writeOrSplit<Write, Result>(
  write: WriteBatch<Write, Result>,
  writes: readonly Write[],
): Promise<readonly (Result | StoreError)[]> {
  try {
    return await write(writes);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (writes.length === 1 || !isRowError(error)) return writes.map(() => error);
    const middle = Math.ceil(writes.length / 2);
    const first = await writeOrSplit(write, writes.slice(0, middle));
    return [...first, ...(await writeOrSplit(write, writes.slice(middle)))];
  }
}
