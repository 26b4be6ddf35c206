import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pg, { type CustomTypesConfig, type Pool, type PoolClient, type QueryResultRow } from 'pg';
import { StoreError } from '../store-error.js';
import { migrate } from './migrate.js';
import {
  breaksConnection,
  isContention,
  isFatal,
  isTermination,
  postgresProblem,
  type Stage,
} from './postgres-problem.js';

/** Limits of the connections to a PostgreSQL store. */
export interface PostgresSettings {
  /** Maximum number of connections of this process. Defaults to 10. */
  readonly poolSize?: number;
  /** Maximum number of pending statements. Defaults to 1,000. */
  readonly maxWaiting?: number;
  /** Maximum time to wait for a connection, in milliseconds. Defaults to 2,000. */
  readonly connectTimeout?: number;
  /** Maximum time of a statement, in milliseconds. Defaults to 5,000. */
  readonly statementTimeout?: number;
  /** Maximum time to wait for another session's lock while opening, in milliseconds. Defaults to 30,000. */
  readonly lockTimeout?: number;
  /** Called for each failure that the store recovers from. Defaults to `process.emitWarning`. */
  readonly warn?: (error: StoreError) => void;
}

/** A statement, which each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether the statement writes, which decides the error when its connection breaks. */
  readonly stage: Exclude<Stage, 'connecting'>;
}

/** Maximum number of attempts for a statement that conflicts with concurrent ones. */
const ATTEMPTS = 8;

/** How much longer than the database the client waits before it times out, in milliseconds. */
const TIMEOUT_GRACE = 1_000;

const { INT8, TIMESTAMPTZ } = pg.types.builtins;
const parseDate: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ, 'text');

/** Parses times to ISO 8601 strings and counts to numbers. */
const TYPES: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMPTZ) return (text: string) => parseDate(text).toISOString();
    if (oid === INT8) return Number;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/**
 * A client with an `error` listener from the start. The database can terminate a connection while it
 * opens, and an `error` event without a listener would end the process.
 */
class Client extends pg.Client {
  /** The reason why the connection was terminated, if it was. Its current statement fails as well. */
  termination: Error | undefined = undefined;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', (error) => {
      this.termination ??= error;
    });
  }
}

/** A bounded connection pool for a database with the current schema. */
export class PostgresConnections {
  readonly #name: string;
  readonly #maxWaiting: number;
  readonly #pool: Pool;
  readonly #warn: (error: StoreError) => void;
  #waiting = 0;

  private constructor(
    name: string,
    maxWaiting: number,
    pool: Pool,
    warn: (error: StoreError) => void,
  ) {
    this.#name = name;
    this.#maxWaiting = maxWaiting;
    this.#pool = pool;
    this.#warn = warn;
  }

  /**
   * Migrates a database to the current schema and opens a connection pool.
   *
   * @param url - A `postgres:` or `postgresql:` URL.
   * @param name - The store, for messages.
   * @param settings - Limits on size and time.
   * @throws {StoreError} When the database cannot be used.
   */
  static async open(
    url: string,
    name: string,
    settings: PostgresSettings,
  ): Promise<PostgresConnections> {
    const { poolSize = 10, maxWaiting = 1_000, connectTimeout = 2_000 } = settings;
    const { statementTimeout = 5_000, lockTimeout = 30_000 } = settings;
    const { warn = process.emitWarning } = settings;
    const common = {
      connectionString: url,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      application_name: 'users-api',
    };
    await withClient(common, name, (client) => migrate(client, name, { lockTimeout, warn }));
    const pool = new pg.Pool({
      ...common,
      Client,
      max: poolSize,
      statement_timeout: statementTimeout,
      query_timeout: statementTimeout + TIMEOUT_GRACE,
      types: TYPES,
    });
    // The pool replaces a broken idle connection when it is needed.
    pool.on('error', (error) => warn(postgresProblem(error, name, 'reading')));
    const connections = new PostgresConnections(name, maxWaiting, pool, warn);
    await connections.#connectOnce();
    return connections;
  }

  /**
   * Runs a statement. Retries it when it conflicts with concurrent statements.
   *
   * @returns The rows of the result.
   * @throws {StoreError} `STORE_BUSY`, when too many statements are pending.
   * @throws {StoreError} The translated error of the statement.
   */
  async query<R extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<R[]> {
    if (this.#waiting >= this.#maxWaiting) throw this.#queueFull();
    this.#waiting += 1;
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#send<R>(statement, values);
        } catch (error) {
          if (attempt === ATTEMPTS || !isContention(error)) {
            throw postgresProblem(error, this.#name, statement.stage);
          }
          // A random delay separates the conflicting statements.
          await delay(Math.random() * 2 ** attempt);
        }
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Closes the connections after their current statements. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Connects once, to report rejected connection parameters before the service listens. */
  async #connectOnce(): Promise<void> {
    try {
      (await this.#connect()).release();
    } catch (error) {
      await this.#pool.end();
      throw error;
    }
  }

  /** Sends a statement. Retries a read once if its connection was terminated. */
  async #send<R extends QueryResultRow>(
    statement: Statement,
    values: unknown[],
    mayRetry = statement.stage === 'reading',
  ): Promise<R[]> {
    const { name, text } = statement;
    const client = await this.#connect();
    let isBroken = false;
    try {
      return (await client.query<R>({ name, text, values })).rows;
    } catch (error) {
      isBroken = breaksConnection(error);
      if (!mayRetry || !(client.termination || isFatal(error))) throw error;
      this.#warn(postgresProblem(error, this.#name, statement.stage));
    } finally {
      client.release(isBroken);
    }
    // Lets the pool remove other connections that were terminated at the same time.
    await nextTurn();
    return this.#send(statement, values, false);
  }

  /** Takes a connection from the pool. Retries once if it was terminated while idle or opening. */
  async #connect(mayRetry = true): Promise<PoolClient & Client> {
    try {
      const client = (await this.#pool.connect()) as PoolClient & Client;
      if (client.termination === undefined) return client;
      client.release(true);
      throw client.termination;
    } catch (error) {
      const problem = postgresProblem(error, this.#name, 'connecting');
      if (!mayRetry || !isTermination(error)) throw problem;
      this.#warn(problem);
    }
    await nextTurn();
    return this.#connect(false);
  }

  #queueFull(): StoreError {
    return new StoreError(
      'STORE_BUSY',
      `The store ${this.#name} already has ${this.#waiting} pending statements. Try again later, or ` +
        'find out why the database is slow.',
    );
  }
}

async function withClient(
  config: pg.ClientConfig,
  name: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new Client(config);
  try {
    await client.connect();
    await work(client);
  } catch (error) {
    throw postgresProblem(error, name, 'connecting');
  } finally {
    await client.end().catch(() => {});
  }
}
