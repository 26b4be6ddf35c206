/**
 * Runs the public API tests of RealWorld against this application, on SQLite and on PostgreSQL. Fails if one of them
 * fails.
 *
 *     pnpm --filter realworld conformance <checkout of github.com/realworld-apps/realworld>
 *
 * Older checkouts have a Postman collection, which newman runs. Newer ones have a Bruno collection, which its command
 * line runs. npx fetches both programs, so they are no dependencies.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listen } from '@fairlead/core';
import { createLogger } from '@fairlead/pino';
import { startPostgres } from '@fairlead/test-support/postgres-server';
import { createConduit } from '../src/app.ts';
import { openDatabase } from '../src/store/open.ts';

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('Pass the path of a checkout of RealWorld.');

const folder = mkdtempSync(join(tmpdir(), 'conduit-'));
const postgres = await startPostgres();
try {
  for (const url of [join(folder, 'conduit.db'), postgres.url]) await testStore(url);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true });
}

/** Serves the application on a free port, and runs every collection of the checkout. */
async function testStore(url: string): Promise<void> {
  const logger = createLogger({ level: 'error' });
  const database = await openDatabase(url, (error) => logger.warn(error));
  const secret = 'a secret of at least thirty-two bytes';
  const server = await listen(await createConduit({ database, secret, logger }), 0);
  try {
    const commands = commandsFor(resolve(checkout ?? ''), server.url);
    if (commands.length === 0) throw new Error(`${checkout} has no collection.`);
    for (const { cwd, command } of commands) {
      console.log(
        `\n${url.startsWith('postgres') ? 'PostgreSQL' : 'SQLite'}: ${command.join(' ')}`,
      );
      const code = await run(command, cwd);
      if (code !== 0) process.exitCode = 1;
    }
  } finally {
    await server.close();
    await database.close();
  }
}

/** Returns the arguments of npx for each collection. */
function commandsFor(root: string, url: string) {
  const variables = Object.entries({
    APIURL: `${url}/api`,
    USERNAME: 'ada',
    EMAIL: 'ada@example.com',
    PASSWORD: 'password',
  }).flatMap(([name, value]) => ['--global-var', `${name}=${value}`]);
  const postman = globSync('{api,specs/api}/*.postman_collection.json', { cwd: root }).map(
    (file) => ({
      cwd: root,
      command: ['newman@6.2.2', 'run', file, ...variables],
    }),
  );
  const bruno = join(root, 'specs/api/bruno');
  if (!existsSync(bruno)) return postman;
  const folders = globSync('*/', { cwd: bruno, exclude: ['environments'] }).sort();
  const flags = ['--env', 'local', '--env-var', `host=${url}`];
  const command = ['@usebruno/cli@4.1.0', 'run', ...folders, ...flags];
  return [...postman, { cwd: bruno, command }];
}

function run(command: readonly string[], cwd: string): Promise<number | null> {
  const child = spawn('npx', ['--yes', ...command], { cwd, stdio: 'inherit' });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
}
