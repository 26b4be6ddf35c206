import pg from 'pg';
import { cancelStatement, processOf } from './cancel.js';

/** Milliseconds from abandoning a statement, or asking for it, until the database is asked whether it runs. */
const INTERVAL = 1_000;

/** Characters that tell statements apart. The database shows the first 1,024 bytes by default. */
const SHOWN = 200;

// Parameters: processes, beginnings of statements, minimum duration in milliseconds. A process of another server may
// have the same number.
const TERMINATE = `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
  JOIN unnest($1::int[], $2::text[]) AS abandoned (process, beginning)
    ON pid = process AND left(query, ${SHOWN}) = beginning
  WHERE state = 'active' AND clock_timestamp() - query_start > $3 * interval '1 millisecond'`;

interface Statement {
  readonly process: number | undefined;
  readonly beginning: string;
  /** When it was abandoned, as `performance.now()`. */
  readonly since: number;
  readonly close: () => void;
}

/** Times in milliseconds. */
interface Timeouts {
  /** Maximum time to connect. */
  readonly connect: number;
  /** Minimum time for which an abandoned statement has run. */
  readonly statement: number;
}

/**
 * Statements that the database did not finish in time, and whose callers no longer wait. Each keeps its connection
 * until it has ended, so that the process never has more sessions than its pool allows. If canceling a statement does
 * not end it, another connection asks the database whether it still runs: it does not after a failover.
 */
export class AbandonedStatements {
  readonly #config: pg.ClientConfig;
  readonly #timeouts: Timeouts;
  readonly #statements = new Set<Statement>();
  #timer: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;

  constructor(config: pg.ClientConfig, timeouts: Timeouts) {
    this.#config = config;
    this.#timeouts = timeouts;
  }

  /** Number of statements that may still run. */
  get count(): number {
    return this.#statements.size;
  }

  /**
   * Cancels a statement.
   *
   * @param text - The SQL of the statement.
   * @param ended - Settles when the statement or its connection ends.
   * @param close - Called once, when the statement no longer runs.
   */
  add(client: pg.Client, text: string, ended: Promise<unknown>, close: () => void): void {
    const since = performance.now();
    const statement = { process: processOf(client), beginning: text.slice(0, SHOWN), since, close };
    this.#statements.add(statement);
    const end = () => this.#end(statement);
    ended.then(end, end);
    // If this fails, the statement does not end, and the database is asked.
    void cancelStatement(client, this.#timeouts.connect).catch(() => {});
    if (this.#isClosed) end();
    else this.#schedule();
  }

  /** Waits for no statement, also not for those that are added later. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const statement of this.#statements) this.#end(statement);
  }

  #end(statement: Statement): void {
    if (this.#statements.delete(statement)) statement.close();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(async () => {
      // The others may be about to end, because they were canceled.
      const last = performance.now() - INTERVAL;
      await this.#endStopped([...this.#statements].filter(({ since }) => since <= last));
      this.#timer = undefined;
      if (this.#statements.size > 0 && !this.#isClosed) this.#schedule();
    }, INTERVAL);
  }

  /** Ends the statements that the database no longer runs, and terminates the others. */
  async #endStopped(statements: readonly Statement[]): Promise<void> {
    if (statements.length === 0) return;
    try {
      const running = await this.#terminate(statements);
      for (const one of statements) if (!running.has(one.process)) this.#end(one);
    } catch (error) {
      // Another engine lacks the view or the functions. Any other error may pass.
      const { code = '' } = error instanceof pg.DatabaseError ? error : {};
      if (/^(42|0A)/.test(code)) for (const one of statements) this.#end(one);
    }
  }

  /** Returns the processes of those statements that the database runs. */
  async #terminate(statements: readonly Statement[]): Promise<ReadonlySet<number | undefined>> {
    const { connect: connectionTimeoutMillis, statement } = this.#timeouts;
    const known = statements.filter(({ process }) => process !== undefined);
    const timeouts = { connectionTimeoutMillis, query_timeout: connectionTimeoutMillis };
    const client = new pg.Client({ ...this.#config, ...timeouts });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(TERMINATE, [
        known.map(({ process }) => process),
        known.map(({ beginning }) => beginning),
        statement,
      ]);
      return new Set(rows.map(({ pid }) => pid));
    } finally {
      void client.end().catch(() => {});
    }
  }
}
