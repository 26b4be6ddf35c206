import { setTimeout as delay } from 'node:timers/promises';
import pg, { type Pool, type QueryResultRow } from 'pg';
import { StoreError } from '../store-error.js';
import { migrate } from './migrate.js';
import { breaksConnection, isContention, postgresProblem, type Stage } from './postgres-problem.js';
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

/** A bounded pool of connections to a database with the current schema. */
export class PostgresConnections {
  readonly #name: string;
  readonly #maxWaiting: number;
  readonly #pool: Pool;
  #waiting = 0;

  private constructor(name: string, maxWaiting: number, pool: Pool) {
    this.#name = name;
    this.#maxWaiting = maxWaiting;
    this.#pool = pool;
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
    const { statementTimeout = 5_000, warn = process.emitWarning } = settings;
    const common = {
      connectionString: url,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      application_name: 'users-api',
    };
    await withClient(common, name, (client) => migrate(client, name));
    const pool = new pg.Pool({
      ...common,
      max: poolSize,
      statement_timeout: statementTimeout,
      query_timeout: statementTimeout + ANSWER_TIMEOUT,
      types: TYPES,
    });
    // An idle connection that breaks is replaced with the next statement.
    pool.on('error', (error) => warn(postgresProblem(error, name, 'reading')));
    const connections = new PostgresConnections(name, maxWaiting, pool);
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
      (await this.#pool.connect()).release();
    } catch (error) {
      await this.#pool.end();
      throw postgresProblem(error, this.#name, 'connecting');
    }
  }

  async #send<R extends QueryResultRow>(
    { name, text }: Statement,
    values: unknown[],
  ): Promise<R[]> {
    const client = await this.#pool.connect().catch((error) => {
      throw postgresProblem(error, this.#name, 'connecting');
    });
    let broken = false;
    // The statement fails with the same error.
    const onError = (): void => {
      broken = true;
    };
    client.on('error', onError);
    try {
      return (await client.query<R>({ name, text, values })).rows;
    } catch (error) {
      broken ||= breaksConnection(error);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
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
  const client = new pg.Client(config);
  // A statement fails with the same error.
  client.on('error', () => {});
  try {
    await client.connect();
    await work(client);
  } catch (error) {
    throw postgresProblem(error, name, 'connecting');
  } finally {
    await client.end().catch(() => {});
  }
}
