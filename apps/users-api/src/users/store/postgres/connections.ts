import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError, type StoreMetric } from '@fairlead/store';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import type { Clock } from '../../user.js';
import {
  isRowError,
  isTermination,
  NO_CONNECTION_FREE,
  postgresProblem,
} from './postgres-problem.js';
import { migrate } from './schema.js';

/** Options of a PostgreSQL store. Times are in milliseconds. */
export interface PostgresSettings {
  /** Maximum number of connections of this process. */
  readonly poolSize: number;
  /** Maximum time to wait for a connection. `connect_timeout` in the URL overrides it. */
  readonly connectTimeout: number;
  /** Maximum time for a statement. */
  readonly statementTimeout: number;
  /** Maximum time to wait for another session's lock while opening. Defaults to 30,000. */
  readonly lockTimeout?: number;
  /** Maximum number of pending statements. Defaults to 1,000. */
  readonly maxWaiting?: number;
  /** Called for each failure that the store recovers from. Defaults to `process.emitWarning`. */
  readonly warn?: (error: StoreError) => void;
  /** Clock for `createdAt` and `updatedAt`. Defaults to `Date.now`. */
  readonly now?: Clock;
}

/** Maximum number of attempts for a statement that conflicts with concurrent ones. */
const ATTEMPTS = 8;

/** SQLSTATEs of conflicts. */
const CONFLICTS = ['40001', '40P01'];

/** SQLSTATEs of timeouts. A write reaches one only while it waits for a lock. */
const TIMEOUTS = ['55P03', '57014'];

/** A time in UTC, which takes a tenth of the time to convert. PostgreSQL omits trailing zeros. */
const UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/** Parses times to ISO 8601 strings and counts to numbers. */
const TYPES = new pg.TypeOverrides();
const { INT8, TIMESTAMPTZ } = pg.types.builtins;
const parseDate: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ, 'text');
TYPES.setTypeParser(INT8, Number);
TYPES.setTypeParser(TIMESTAMPTZ, (text) => {
  const [, date, time, fraction = ''] = UTC.exec(text) ?? [];
  if (date === undefined) return parseDate(text).toISOString();
  return `${date}T${time}.${fraction.padEnd(3, '0')}Z`;
});

/** A bounded pool of connections, which open when they are needed. */
export class PostgresConnections {
  readonly metrics: readonly StoreMetric[];
  readonly #name: string;
  readonly #settings: Required<Omit<PostgresSettings, 'now'>>;
  readonly #config: pg.ClientConfig;
  readonly #pool: pg.Pool;
  /** Why connections were terminated. Their current statements fail as well. */
  readonly #terminations = new WeakMap<pg.ClientBase, Error>();
  /** Numbers the connections in the order in which they opened. */
  readonly #numbers = new WeakMap<pg.ClientBase, number>();
  /** Starts the slow statements that wait for their turn. */
  readonly #slowQueue: (() => void)[] = [];
  #opened = 0;
  #slow = 0;
  #pending = 0;
  #commits = 0;
  #writeFailure: StoreError | undefined = undefined;
  #lockWaits = 0;
  #lockWaitTime = 0;

  /**
   * @param url - A `postgres:` or `postgresql:` URL.
   * @param name - The store, for messages.
   */
  constructor(url: string, name: string, settings: PostgresSettings) {
    const { warn = process.emitWarning, poolSize: max, statementTimeout } = settings;
    const seconds = Number(new URL(url).searchParams.get('connect_timeout'));
    const connectTimeout = seconds * 1_000 || settings.connectTimeout;
    this.#name = name;
    this.#settings = { lockTimeout: 30_000, maxWaiting: 1_000, ...settings, connectTimeout, warn };
    this.#config = {
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      application_name: 'users-api',
      // Reads the files of certificates once. The pool could not report that one is missing later.
      ...parseIntoClientConfig(url),
    };
    // The database times out first, unless the connection is broken.
    const timeouts = {
      statement_timeout: statementTimeout,
      query_timeout: statementTimeout + 1_000,
    };
    const pool = new pg.Pool({ ...this.#config, ...timeouts, max, types: TYPES });
    // Without a listener, an error of a connection in use would end the process.
    pool.on('connect', (client) => {
      this.#opened += 1;
      this.#numbers.set(client, this.#opened);
      client.on('error', (error) => this.#terminations.set(client, error));
    });
    // The pool replaces a broken idle connection when it is needed.
    pool.on('error', (error) => warn(postgresProblem(error, name, 'reading')));
    this.#pool = pool;
    const waiting = () => pool.waitingCount + this.#slowQueue.length;
    this.metrics = [
      metric('store_commits_total', 'Statements that wrote', () => this.#commits),
      metric('store_lock_waits_total', 'Conflicts and lock timeouts', () => this.#lockWaits),
      metric(
        'store_lock_wait_seconds_total',
        'Time lost to them',
        () => this.#lockWaitTime / 1_000,
      ),
      metric('store_writes_failing', '1 while the last statement that writes has failed', () =>
        Number(this.#writeFailure !== undefined),
      ),
      metric('store_pool_connections', 'Open connections', () => pool.totalCount),
      metric('store_pool_idle_connections', 'Unused open connections', () => pool.idleCount),
      metric('store_pool_waiting', 'Statements that wait for a connection', waiting),
    ];
  }

  /**
   * Why the last statement that writes failed, until one succeeds. A statement that failed because of its
   * values, or conflicted with others, does not count.
   */
  get writeFailure(): StoreError | undefined {
    return this.#writeFailure;
  }

  /**
   * Migrates the database to the current schema.
   *
   * @throws {StoreError} When the database cannot be used.
   */
  async migrate(): Promise<void> {
    let client: pg.Client | undefined;
    try {
      client = new pg.Client(this.#config);
      // The statement fails with the same error.
      client.on('error', () => {});
      await client.connect();
      await migrate(client, this.#name, this.#settings);
    } catch (error) {
      throw postgresProblem(error, this.#name, 'connecting');
    } finally {
      await client?.end().catch(() => {});
    }
  }

  /**
   * Runs a statement, which each connection prepares once. Repeats it when it conflicts with concurrent
   * statements. Repeats it when its connection ended before it was sent or, for a `SELECT`, later, until this
   * happens to a connection that is newer than the first one that ended.
   *
   * @param isSlow - Whether to leave half of the connections to other statements.
   * @returns The rows of the result.
   * @throws {StoreError} `STORE_BUSY`, when too many statements are pending.
   * @throws {StoreError} The translated error of the statement.
   */
  async query<R extends object>(statement: pg.QueryConfig, isSlow = false): Promise<R[]> {
    const { maxWaiting } = this.#settings;
    if (this.#pending >= maxWaiting || (isSlow && this.#slowQueue.length >= maxWaiting / 2)) {
      throw new StoreError(
        'STORE_BUSY',
        `The store ${this.#name} already has ${this.#pending} pending statements. Try again later, or ` +
          'find out why the database is slow.',
      );
    }
    this.#pending += 1;
    try {
      const send = () => this.#send<R>(statement);
      return await (isSlow ? this.#inTurn(send) : send());
    } finally {
      this.#pending -= 1;
    }
  }

  /** Closes the connections after their current statements. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Sends a slow statement as soon as fewer than half of the connections run one. */
  async #inTurn<T>(send: () => Promise<T>): Promise<T> {
    const { connectTimeout, poolSize } = this.#settings;
    const since = performance.now();
    if (this.#slow < Math.max(1, Math.floor(poolSize / 2))) this.#slow += 1;
    else await new Promise<void>((resolve) => this.#slowQueue.push(resolve));
    try {
      if (performance.now() - since <= connectTimeout) return await send();
      throw postgresProblem(new Error(NO_CONNECTION_FREE), this.#name, 'connecting');
    } finally {
      const next = this.#slowQueue.shift();
      if (next === undefined) this.#slow -= 1;
      else next();
    }
  }

  async #send<R extends object>(statement: pg.QueryConfig): Promise<R[]> {
    const isRead = statement.text.startsWith('SELECT');
    /** Number of the last connection that may have ended together with the first one. */
    let suspects: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      let client: pg.PoolClient | undefined;
      let sentAt: number | undefined;
      try {
        client = await this.#pool.connect();
        const termination = this.#terminations.get(client);
        if (termination !== undefined) throw termination;
        sentAt = performance.now();
        const { rows } = await client.query<R>(statement);
        client.release();
        if (!isRead) {
          this.#commits += 1;
          this.#writeFailure = undefined;
        }
        return rows;
      } catch (error) {
        const stage = sentAt === undefined ? 'connecting' : isRead ? 'reading' : 'writing';
        const problem = postgresProblem(error, this.#name, stage);
        const { code = '', severity = undefined } = error instanceof pg.DatabaseError ? error : {};
        const isFatal = severity === 'FATAL';
        const isTerminated = client && (isFatal || this.#terminations.has(client));
        const number = (client && this.#numbers.get(client)) ?? Infinity;
        const mayReconnect = suspects === undefined || number <= suspects;
        client?.release(isFatal || severity === undefined);
        const isConflict = CONFLICTS.includes(code);
        if (isConflict || (stage === 'writing' && TIMEOUTS.includes(code))) {
          this.#lockWaits += 1;
          this.#lockWaitTime += performance.now() - (sentAt ?? 0);
        }
        if (isConflict && attempt < ATTEMPTS) {
          // A random delay separates the conflicting statements.
          await delay(Math.random() * 2 ** attempt);
        } else if (mayReconnect && stage !== 'writing' && (isTerminated || isTermination(error))) {
          suspects ??= this.#opened;
          this.#settings.warn(problem);
          // Lets the pool remove connections that it already knows to have ended.
          await nextTurn();
        } else {
          if (!isRead && !isConflict && !isRowError(problem)) this.#writeFailure = problem;
          throw problem;
        }
      }
    }
  }
}

/** Describes a number for monitoring. */
export function metric(name: string, help: string, value: () => number): StoreMetric {
  return { name, help, type: name.endsWith('_total') ? 'counter' : 'gauge', value };
}
