import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pg, { type Pool, type PoolClient, type QueryResultRow } from 'pg';
import { StoreError } from '../store-error.js';
import { migrate } from './migrate.js';
import {
  breaksConnection,
  isContention,
  isEnded,
  isFatal,
  postgresProblem,
  type Stage,
} from './postgres-problem.js';
import { TYPES } from './types.js';

/** How many connections a PostgreSQL store may hold, and how long it waits. */
export interface PostgresSettings {
  /** Connections of this process at most; 10 unless given. */
  readonly poolSize?: number;
  /** Statements that wait for a connection or an answer, at most; 1,000 unless given. */
  readonly maxWaiting?: number;
  /** How long to wait for a connection, in milliseconds; 2,000 unless given. */
  readonly connectTimeout?: number;
  /** How long a statement may take, in milliseconds; 5,000 unless given. */
  readonly statementTimeout?: number;
  /** How long to wait for another session's lock while opening, in milliseconds; 30,000 unless given. */
  readonly lockTimeout?: number;
  /** Is told of what went wrong and was put right; `process.emitWarning` unless given. */
  readonly warn?: (error: StoreError) => void;
}

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** What a connection that breaks leaves unknown. */
  readonly stage: Exclude<Stage, 'connecting'>;
}

/** How often a statement is sent that the database undoes because of others beside it. */
const ATTEMPTS = 8;

/** How much longer than the database this process waits for an answer, in milliseconds. */
const ANSWER_TIMEOUT = 1_000;

/**
 * A client that listens for its errors from the start. The database can end a connection in the message
 * that opens it, and an `error` event without a listener ends the process.
 */
class Client extends pg.Client {
  /** Why the connection has ended, if it has. The statement that is under way fails as well. */
  ending: Error | undefined = undefined;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', (error) => {
      this.ending ??= error;
    });
  }
}

/** A bounded pool of connections to a database with the current schema. */
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
   * Brings a database to the current schema, and makes ready to connect to it.
   *
   * @param url - Of the scheme `postgres:` or `postgresql:`.
   * @param name - The store, for messages.
   * @param settings - Sizes and times.
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
      query_timeout: statementTimeout + ANSWER_TIMEOUT,
      types: TYPES,
    });
    // An idle connection that breaks is replaced with the next statement.
    pool.on('error', (error) => warn(postgresProblem(error, name, 'reading')));
    const connections = new PostgresConnections(name, maxWaiting, pool, warn);
    await connections.#connectOnce();
    return connections;
  }

  /**
   * Runs a statement, again when the database undoes it because of others beside it.
   *
   * @returns Its rows.
   * @throws {StoreError} `STORE_BUSY`, when as many wait as may; otherwise what kept it from its work.
   */
  async query<R extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<R[]> {
    if (this.#waiting >= this.#maxWaiting) throw this.#full();
    this.#waiting += 1;
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#send<R>(statement, values);
        } catch (error) {
          if (attempt === ATTEMPTS || !isContention(error)) {
            throw postgresProblem(error, this.#name, statement.stage);
          }
          // Those who got into each other's way are to come back at different times.
          await delay(Math.random() * 2 ** attempt);
        }
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Closes the connections, each when its statement has been answered. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** What refuses the parameters of these connections is to be known before the service listens. */
  async #connectOnce(): Promise<void> {
    try {
      (await this.#connect()).release();
    } catch (error) {
      await this.#pool.end();
      throw error;
    }
  }

  /** Sends a statement. Sends a read once more when its connection turns out to have ended. */
  async #send<R extends QueryResultRow>(
    statement: Statement,
    values: unknown[],
    mayRepeat = statement.stage === 'reading',
  ): Promise<R[]> {
    const { name, text } = statement;
    const client = await this.#connect();
    let isBroken = false;
    try {
      return (await client.query<R>({ name, text, values })).rows;
    } catch (error) {
      isBroken = breaksConnection(error);
      if (!mayRepeat || !(client.ending || isFatal(error))) throw error;
      this.#warn(postgresProblem(error, this.#name, statement.stage));
    } finally {
      client.release(isBroken);
    }
    // Meanwhile the pool removes the other connections that ended together with this one.
    await nextTurn();
    return this.#send(statement, values, false);
  }

  /** Takes a connection from the pool. Takes another when that one ends before anything is sent over it. */
  async #connect(mayRepeat = true): Promise<PoolClient & Client> {
    try {
      const client = (await this.#pool.connect()) as PoolClient & Client;
      if (client.ending === undefined) return client;
      client.release(true);
      throw client.ending;
    } catch (error) {
      const problem = postgresProblem(error, this.#name, 'connecting');
      if (!mayRepeat || !isEnded(error)) throw problem;
      this.#warn(problem);
    }
    await nextTurn();
    return this.#connect(false);
  }

  #full(): StoreError {
    return new StoreError(
      'STORE_BUSY',
      `The store ${this.#name} has ${this.#waiting} statements waiting, as many as it takes: try again ` +
        'later, or look for what makes the database slow.',
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
