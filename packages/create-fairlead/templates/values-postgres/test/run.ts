import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startPostgres } from './postgres.ts';

// Runs all tests, or the files of the command line. Starts PostgreSQL, unless `DATABASE_URL` is the URL of a server.
const files = process.argv.length > 2 ? process.argv.slice(2) : ['test/*.test.ts'];
const { DATABASE_URL } = process.env;
const server = DATABASE_URL ? undefined : await startPostgres();
const child = spawn(process.execPath, ['--test', ...files], {
  env: { ...process.env, DATABASE_URL: server?.url ?? DATABASE_URL },
  stdio: 'inherit',
});
const [code] = await once(child, 'close');
await server?.stop();
process.exitCode = code ?? 1;
