import {
  type Clock,
  type CreateUserInput,
  createUser,
  type UpdateUserInput,
  type User,
} from '../../user.js';
import { StoreError } from '../store-error.js';
import { BATCH_USERS, type Slice, type UserPage, type UserStore } from '../user-store.js';
import { type WriteBatch, WriteQueue } from '../write-queue.js';
import { PostgresConnections, type PostgresSettings, type Statement } from './connections.js';
import { describeUrl } from './database-url.js';
import { isRowError } from './postgres-problem.js';
import { BATCH, COUNTER, CREATE, DELETE, FIND, PAGE, POSITION, UPDATE } from './statements.js';

/** Options of a {@link PostgresUserStore}. */
export interface PostgresUserStoreOptions extends PostgresSettings {
  /** Clock for `createdAt` and `updatedAt`. Defaults to `Date.now`. */
  readonly now?: Clock;
}

interface Counter {
  readonly position: number;
  readonly total: number;
}

type Positioned = User & { readonly position: number };

/** Maximum number of creates or deletes per statement. */
const MAX_BATCH = 1_000;

/** The canonical form of an id. No user has an id in another form. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Stores users in a PostgreSQL database, which any number of processes may share. Concurrent creates are
 * sent as one statement, and so are concurrent deletes.
 */
export class PostgresUserStore implements UserStore {
  readonly metrics = [];
  readonly #name: string;
  readonly #now: Clock;
  readonly #connections: PostgresConnections;
  readonly #creates: WriteQueue<User, undefined>;
  readonly #deletes: WriteQueue<string, boolean>;
  #closing: Promise<void> | undefined = undefined;

  private constructor(name: string, now: Clock, connections: PostgresConnections) {
    this.#name = name;
    this.#now = now;
    this.#connections = connections;
    const createAll = (users: readonly User[]) => this.#createAll(users);
    this.#creates = new WriteQueue(name, (users) => writeOrSplit(createAll, users), {
      batch: MAX_BATCH,
      textOf: (user) => user.name.length + user.email.length,
    });
    const deleteAll = (ids: readonly string[]) => this.#deleteAll(ids);
    this.#deletes = new WriteQueue(name, (ids) => writeOrSplit(deleteAll, ids), {
      batch: MAX_BATCH,
      textOf: (id) => id.length,
    });
  }

  /**
   * Connects to a database, creating its tables if necessary.
   *
   * @param url - A `postgres:` or `postgresql:` URL with parameters for pg.
   * @param options - Clock and limits.
   * @throws {StoreError} When the database cannot be reached or used.
   */
  static async open(
    url: string,
    options: PostgresUserStoreOptions = {},
  ): Promise<PostgresUserStore> {
    const name = describeUrl(url);
    const connections = await PostgresConnections.open(url, name, options);
    return new PostgresUserStore(name, options.now ?? Date.now, connections);
  }

  async *list(slice?: Slice): AsyncGenerator<readonly User[]> {
    const last = (await this.#counter()).position;
    let after = slice?.offset ? await this.#positionBefore(slice.offset) : 0;
    let left = slice?.limit ?? Number.POSITIVE_INFINITY;
    while (left > 0) {
      const limit = Math.min(left, BATCH_USERS);
      const rows = await this.#query<Positioned>(BATCH, [after, last, limit]);
      const users = rows.map(({ position, ...user }) => {
        after = position;
        return user;
      });
      if (users.length === 0) return;
      left -= users.length;
      yield users;
    }
  }

  async page({ offset, limit }: Slice): Promise<UserPage> {
    const rows = await this.#query<Positioned & Counter>(PAGE, [
      Math.min(limit, BATCH_USERS),
      offset,
    ]);
    const users = rows.filter((row) => row.id !== null);
    return {
      users: users.map(({ total, position, ...user }) => user),
      total: (rows[0] ?? (await this.#counter())).total,
    };
  }

  async find(id: string): Promise<User | undefined> {
    if (!UUID.test(id)) return this.#noUser();
    return (await this.#query<User>(FIND, [id]))[0];
  }

  async create(input: CreateUserInput): Promise<User> {
    this.#assertOpen();
    const user = createUser(input, this.#now());
    await this.#creates.add(user);
    return user;
  }

  async update(id: string, { name, email }: UpdateUserInput): Promise<User | undefined> {
    if (!UUID.test(id)) return this.#noUser();
    const now = new Date(this.#now()).toISOString();
    return (await this.#query<User>(UPDATE, [id, name ?? null, email ?? null, now]))[0];
  }

  async delete(id: string): Promise<boolean> {
    this.#assertOpen();
    return UUID.test(id) && this.#deletes.add(id);
  }

  async check(): Promise<void> {
    await this.#counter();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#creates.idle(), this.#deletes.idle()]);
    await this.#connections.close();
  }

  async #createAll(users: readonly User[]): Promise<undefined[]> {
    const rows = await this.#connections.query<{ id: string }>(CREATE, [
      users.map(({ id }) => id),
      users.map(({ name }) => name),
      users.map(({ email }) => email),
      users.map(({ createdAt }) => createdAt),
    ]);
    if (rows.length !== users.length) throw this.#counterMissing();
    return rows.map(() => undefined);
  }

  async #deleteAll(ids: readonly string[]): Promise<boolean[]> {
    const rows = await this.#connections.query<{ id: string }>(DELETE, [ids]);
    const deleted = new Set(rows.map(({ id }) => id));
    // Of several deletes of the same user, only the first returns true.
    return ids.map((id) => deleted.delete(id));
  }

  async #counter(): Promise<Counter> {
    const [counter] = await this.#query<Counter>(COUNTER, []);
    if (counter === undefined) throw this.#counterMissing();
    return counter;
  }

  async #positionBefore(offset: number): Promise<number> {
    const [first] = await this.#query<{ position: number }>(POSITION, [offset]);
    return (first?.position ?? Number.MAX_SAFE_INTEGER) - 1;
  }

  async #query<R extends object>(statement: Statement, values: unknown[]): Promise<R[]> {
    this.#assertOpen();
    return this.#connections.query<R>(statement, values);
  }

  #noUser(): undefined {
    this.#assertOpen();
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    throw new StoreError('STORE_CLOSED', `The store ${this.#name} is closed. Open a new one.`);
  }

  #counterMissing(): StoreError {
    return new StoreError(
      'STORE_FAILED',
      `The store ${this.#name} has no row in users_counter. Restore the database from a backup.`,
    );
  }
}

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
