import { readdir, readFile } from 'node:fs/promises';
import { ServiceUnavailableError } from '@fairlead/core';
import { token } from '@fairlead/di';
// #if jobs
import { createTransactions, type Transactions } from '@fairlead/transactions';
// #endif
import { DatabaseError, Pool, type QueryResultRow, types } from 'pg';
import type { Config } from './config.js';

/** SQL files, which run in the order of their names, each one once. */
const MIGRATIONS = new URL('../migrations/', import.meta.url);

// IDs and counts are exact as numbers, up to 2 ** 53.
types.setTypeParser(types.builtins.INT8, Number);

/**
 * Errors after which a connection works as before: values, constraints, conflicts, locks, timeouts and a full disk. After
 * others, such as that the session is read-only since a failover, it is closed, and the next query opens another.
 */
const HARMLESS = /^(22|23|40|54|55P03|57014|53100)/;

/** The error of a change in a read-only session. */
const READ_ONLY = '25006';

/** `console`, or a logger such as pino. */
type Logger = Pick<Console, 'warn'>;

/** Runs a query, and returns its rows. */
export type Query = <Row extends QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

export interface Database {
  readonly query: Query;
  /** Runs queries in a transaction. Commits it when `work` resolves, and rolls it back when it rejects. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  // #if jobs
  /** The transactions that jobs are enqueued in. */
  readonly transactions: Transactions<Query>;
  // #endif
  /** Rejects if the database cannot be used. Returns as `degraded` why it can only be read. */
  check(): Promise<{ readonly degraded: Error | undefined }>;
}

export const DATABASE = token<Database>('Database');

/** Connects to the database, and migrates it. Disposing the container closes the connections. */
export async function openDatabase({ DATABASE_URL }: Pick<Config, 'DATABASE_URL'>, logger: Logger) {
  const database = new PostgresDatabase(DATABASE_URL, logger);
  try {
    await database.migrate();
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

class PostgresDatabase implements Database {
  readonly #pool: Pool;
  // #if jobs
  readonly transactions: Transactions<Query>;
  // #endif

  constructor(connectionString: string, logger: Logger) {
    this.#pool = new Pool({
      connectionString,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 10_000,
      keepAlive: true,
    });
    // Without these listeners, a lost connection would end the process. The pool replaces an idle one, and the query of
    // one in use rejects.
    this.#pool.on('error', ({ message }) => logger.warn(`Lost a connection: ${message}`));
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    // #if jobs
    this.transactions = createTransactions<Query>({
      client: this.query,
      lacks: ['settings'],
      transact: (work) => this.#transact(work),
      query: (query, text, values) => query(text, values),
    });
    // #endif
  }

  query: Query = async (text, values) => (await this.#pool.query(text, values?.slice())).rows;

  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // #if jobs
    return this.transactions.run(() => work(this.transactions.client));
  }

  async #transact<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // #endif
    const client = await this.#pool.connect();
    let lost: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(async (text, values) => {
        return (await client.query(text, values?.slice())).rows;
      });
      const { command } = await client.query('COMMIT');
      // If `work` has caught the error of a query, COMMIT rolls back without an error.
      if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.');
      return result;
    } catch (error) {
      if (error instanceof DatabaseError && !HARMLESS.test(error.code ?? '')) lost = error;
      await client.query('ROLLBACK').catch((failure: Error) => {
        lost = failure;
      });
      throw error;
    } finally {
      // Closes the connection if it was lost, or if its session may be the problem.
      client.release(lost);
    }
  }

  async check() {
    try {
      // Locks no row, but fails where a change fails. The pool then closes the connection.
      await this.query('SELECT FROM migrations WHERE false FOR UPDATE');
      return { degraded: undefined };
    } catch (error) {
      if (error instanceof DatabaseError && error.code === READ_ONLY) return { degraded: error };
      throw error;
    }
  }

  /** Runs new migrations in one transaction. Processes that start together wait for the first one. */
  async migrate(): Promise<void> {
    const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
    await this.transaction(async (query) => {
      await query('SET LOCAL statement_timeout = 0');
      await query(`SELECT pg_advisory_xact_lock(hashtext('migrations'))`);
      await query('CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY)');
      const rows = await query<{ name: string }>('SELECT name FROM migrations');
      const done = new Set(rows.map(({ name }) => name));
      for (const name of files.filter((file) => !done.has(file))) {
        await query(await readFile(new URL(name, MIGRATIONS), 'utf8'));
        await query('INSERT INTO migrations (name) VALUES ($1)', [name]);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

const refuse = (): never => {
  throw new ServiceUnavailableError('There is no database offline.');
};
/** Stands in for the database in commands that need none. */
export const OFFLINE: Database = {
  query: refuse,
  transaction: refuse,
  check: refuse,
  // #if jobs
  get transactions() {
    return refuse();
  },
  // #endif
};
