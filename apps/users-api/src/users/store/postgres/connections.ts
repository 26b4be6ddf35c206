import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError, type StoreMetric } from '@fairlead/store';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import type { Clock } from '../../user.js';
import { AbandonedStatements } from './abandoned-statements.js';
import { FailureLog } from './failure-log.js';
import { Lane, type SharedLanes } from './lane.js';
import {
  isOfPlan,
  isOfSession,
  isRowError,
  isTermination,
  keepsSession,
  LATE,
  postgresProblem,
} from './postgres-problem.js';
import { migrate } from './schema.js';

/** Options of a PostgreSQL store. Times are in milliseconds. */
export interface PostgresSettings {
  /** Maximum number of sessions of this process, including those of statements that it no longer waits for. */
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

/** Age in milliseconds up to which a session has the current settings of the database. */
const NEW_SESSION = 1_000;

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
  /** When connections opened, as `performance.now()`. */
  readonly #openedAt = new WeakMap<pg.ClientBase, number>();
  readonly #slow: Lane;
  readonly #writing: Lane;
  readonly #abandoned: AbandonedStatements;
  readonly #failures: FailureLog;
  /** The last statement that a session rejected, and when that session opened. */
  #rejected: { readonly text: string; readonly openedAt: number } | undefined = undefined;
  /** When a session opened that can do what an older one could not. All older ones are closed. */
  #staleBefore = 0;
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
    // From 3 connections on, one is left for other reads, such as those of health checks, and one more for slow reads.
    const shared: SharedLanes = { free: max < 3 ? max : max - 1, lanes: [] };
    this.#slow = new Lane(Math.max(1, Math.ceil(max / 2) - 1), shared);
    this.#writing = new Lane(Math.max(1, max - 2), shared);
    const timeouts = { connect: connectTimeout, statement: statementTimeout };
    this.#abandoned = new AbandonedStatements(this.#config, timeouts);
    this.#failures = new FailureLog(warn);
    const pool = new pg.Pool({
      ...this.#config,
      statement_timeout: statementTimeout,
      max,
      types: TYPES,
    });
    // Without a listener, an error of a connection in use would end the process.
    pool.on('connect', (client) => {
      this.#openedAt.set(client, performance.now());
      client.on('error', (error) => this.#terminations.set(client, error));
    });
    // The pool replaces a broken idle connection when it is needed.
    pool.on('error', (error) => this.#failures.add(postgresProblem(error, name, 'reading')));
    this.#pool = pool;
    const waiting = () => pool.waitingCount + this.#slow.waiting + this.#writing.waiting;
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
      metric(
        'store_pool_abandoned_connections',
        'Connections whose statement took too long and has not ended',
        () => this.#abandoned.count,
      ),
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
   * Runs a statement, which each connection prepares once. Repeats it in these cases:
   *
   * - It conflicts with concurrent statements.
   * - The database rejects it because of the session, which is older than a second, or has an earlier plan.
   * - Its connection ended before it was sent or, for a `SELECT`, later, until this happens to a connection that is
   *   newer than the first one that ended.
   *
   * @param isSlow - Whether a `SELECT` leaves half of the connections to other statements. Writes leave two.
   * @returns The rows of the result.
   * @throws {StoreError} `STORE_BUSY`, when too many statements are pending.
   * @throws {StoreError} The translated error of the statement.
   */
  async query<R extends object>(statement: pg.QueryConfig, isSlow = false): Promise<R[]> {
    const { maxWaiting } = this.#settings;
    if (this.#pending >= maxWaiting || (isSlow && this.#slow.waiting >= maxWaiting / 2)) {
      throw new StoreError(
        'STORE_BUSY',
        `The store ${this.#name} already has ${this.#pending} pending statements. Try again later, or ` +
          'find out why the database is slow.',
      );
    }
    this.#pending += 1;
    try {
      return await this.#send<R>(statement, isSlow);
    } finally {
      this.#pending -= 1;
    }
  }

  /** Closes the connections after their current statements, except for abandoned ones. */
  async close(): Promise<void> {
    this.#abandoned.close();
    await this.#pool.end();
    this.#failures.flush(0);
  }

  async #send<R extends object>(statement: pg.QueryConfig, isSlow: boolean): Promise<R[]> {
    const isRead = statement.text.startsWith('SELECT');
    const lane = isRead ? (isSlow ? this.#slow : undefined) : this.#writing;
    const startedAt = performance.now();
    /** When the first connection ended. Others that are older may have ended together with it. */
    let endedAt: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      let client: pg.PoolClient | undefined;
      let sentAt: number | undefined;
      let close = () => {};
      try {
        client = await this.#connect(lane);
        const opened = client;
        close = () => void this.#close(opened, lane);
        const termination = this.#terminations.get(client);
        if (termination !== undefined) throw termination;
        sentAt = performance.now();
        const rows = await this.#run<R>(client, statement, close);
        client.release();
        lane?.leave();
        if (!isRead) {
          this.#commits += 1;
          this.#writeFailure = undefined;
        }
        if (this.#rejected !== undefined) this.#compare(client, statement);
        if (!this.#failures.isEmpty) this.#failures.flush();
        return rows;
      } catch (error) {
        const now = performance.now();
        const stage = sentAt === undefined ? 'connecting' : isRead ? 'reading' : 'writing';
        const problem = postgresProblem(error, this.#name, stage);
        const { code = '', severity = undefined } = error instanceof pg.DatabaseError ? error : {};
        const isFatal = severity === 'FATAL';
        const isTerminated = client && (isFatal || this.#terminations.has(client));
        const openedAt = (client && this.#openedAt.get(client)) ?? Infinity;
        const mayReconnect = endedAt === undefined || openedAt <= endedAt;
        // What a new session rejects, the next one would reject, too.
        const isOld = openedAt < (isOfPlan(code) ? startedAt : now - NEW_SESSION);
        const isBroken = isFatal || severity === undefined || (isOld && !keepsSession(code));
        if (client !== undefined && !(error instanceof LateError)) {
          if (isBroken) close();
          else {
            client.release();
            lane?.leave();
          }
        }
        if (sentAt !== undefined && isOfSession(code)) {
          this.#rejected = { text: statement.text, openedAt };
        }
        const isConflict = CONFLICTS.includes(code);
        if (isConflict || (stage === 'writing' && TIMEOUTS.includes(code))) {
          this.#lockWaits += 1;
          this.#lockWaitTime += now - (sentAt ?? 0);
        }
        if (isConflict && attempt < ATTEMPTS) {
          // A random delay separates the conflicting statements.
          await delay(Math.random() * 2 ** attempt);
        } else if (isOld && !isFatal && isOfSession(code)) {
          this.#failures.add(problem);
        } else if (mayReconnect && stage !== 'writing' && (isTerminated || isTermination(error))) {
          endedAt ??= now;
          this.#failures.add(problem);
          // Lets the pool remove connections that it already knows to have ended.
          await nextTurn();
        } else {
          if (!isRead && !isConflict && !isRowError(problem)) this.#writeFailure = problem;
          throw problem;
        }
      }
    }
  }

  /** Returns a connection that is not known to be stale, when it is the caller's turn. */
  async #connect(lane: Lane | undefined): Promise<pg.PoolClient> {
    if (lane !== undefined) await lane.enter(this.#settings.connectTimeout);
    try {
      for (;;) {
        const client = await connect(this.#pool);
        if ((this.#openedAt.get(client) ?? 0) >= this.#staleBefore) return client;
        void this.#close(client, undefined);
      }
    } catch (error) {
      lane?.leave();
      throw error;
    }
  }

  /** Finds out whether a session accepts what an older one has rejected. */
  #compare(client: pg.PoolClient, { text }: pg.QueryConfig): void {
    const openedAt = this.#openedAt.get(client) ?? 0;
    if (text !== this.#rejected?.text || openedAt <= this.#rejected.openedAt) return;
    this.#rejected = undefined;
    this.#staleBefore = openedAt;
  }

  /** Closes a connection, which is one of the pool until the database has closed its side. Never rejects. */
  async #close(client: pg.PoolClient, lane: Lane | undefined): Promise<void> {
    const late = delay(this.#settings.connectTimeout, undefined, { ref: false });
    await Promise.race([client.end(), late]);
    client.release(true);
    lane?.leave();
  }

  /**
   * Returns the rows of a statement.
   *
   * @param close - Closes the connection. Called later if the statement is late.
   * @throws {LateError} When the database does not respond, although it should have timed out itself.
   */
  #run<R extends object>(
    client: pg.PoolClient,
    statement: pg.QueryConfig,
    close: () => void,
  ): Promise<R[]> {
    const { promise, resolve, reject } = Promise.withResolvers<R[]>();
    let endAbandoned: (() => void) | undefined;
    const abandon = () => {
      const ended = new Promise<void>((end) => {
        endAbandoned = end;
      });
      this.#abandoned.add(client, statement.text, ended, close);
      reject(new LateError());
    };
    const timer = setTimeout(abandon, this.#settings.statementTimeout + 1_000);
    // pg passes null without an error.
    client.query<R>(statement, (error: Error | null, result) => {
      clearTimeout(timer);
      endAbandoned?.();
      if (error === null) resolve(result.rows);
      else reject(error);
    });
    return promise;
  }
}

/** Takes a connection from a pool. With the promises of pg instead of its callbacks, a GET takes a sixth more CPU time. */
function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) reject(error);
      else resolve(client);
    });
  });
}

/** The database has not responded to a statement in time. */
class LateError extends Error {
  constructor() {
    super(LATE);
  }
}

/** Describes a number for monitoring. */
export function metric(name: string, help: string, value: () => number): StoreMetric {
  return { name, help, type: name.endsWith('_total') ? 'counter' : 'gauge', value };
}
