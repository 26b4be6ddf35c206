import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoreConfig } from '../src/config.js';
import { openStore } from '../src/users/store/open.js';
import { startProcess } from './support/service-process.js';
import { openRaw } from './support/sqlite.js';
import { PATIENT, postgresUrl } from './support/stores.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Starts the program that fills the store of an environment. */
function seed(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return startProcess(env, { program: 'seed', args });
}

/** Counts the users of a database. */
async function countUsers(config: StoreConfig): Promise<number> {
  const store = await openStore(config);
  onTestFinished(async () => store.close());
  return (await store.page({ offset: 0, limit: 1 })).total;
}

describe('seed', () => {
  it('adds as many users as it is told to the store of DATABASE_URL', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const env = { DATABASE_URL: `sqlite:${path}` };
    const { code, stdout, stderr } = await seed(env, '--count', '30').ended;
    expect(code).toBe(0);
    expect(stdout).toBe(`Created 30 of 30 users in sqlite:${path}.\n`);
    expect(stderr).toContain('27/30 users\n30/30 users\n');
    expect(await countUsers({ kind: 'sqlite', path })).toBe(30);
  });

  it('fills PostgreSQL, whose password need not stand in DATABASE_URL', async () => {
    const url = await postgresUrl();
    const { password } = new URL(url);
    const env = { DATABASE_URL: url.replace(`:${password}@`, '@'), PGPASSWORD: password };
    const { code, stdout } = await seed(env, '--count', '3000').ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Created 3000 of 3000 users in postgres:/);
    expect(await countUsers({ kind: 'postgres', url, ...PATIENT })).toBe(3_000);
  });

  it('stops at SIGINT, and says how many users there are', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const filling = seed({ DATABASE_URL: `sqlite:${path}` }, '--count', '200000');
    await filling.wrote('20000/200000 users');
    filling.kill('SIGINT');
    const { code, stdout } = await filling.ended;
    expect(code).toBe(130);
    expect(stdout).toBe(
      `Created ${await countUsers({ kind: 'sqlite', path })} of 200000 users in sqlite:${path}.\n`,
    );
  });

  it('stops at the first failure, and says how many users there are', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const filling = seed({ DATABASE_URL: `sqlite:${path}` }, '--count', '200000');
    await filling.wrote('20000/200000 users');
    const raw = openRaw(path);
    raw.exec('PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE');
    const { code, stdout, stderr } = await filling.ended;
    raw.exec('ROLLBACK');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^users-api: The store .* within 5000 ms/m);
    expect(stdout).toBe(
      `Created ${await countUsers({ kind: 'sqlite', path })} of 200000 users in sqlite:${path}.\n`,
    );
  });

  it.each([
    [['--count', '0'], '--count is "0". Use an integer from 1 to 100000000.'],
    [['--counts'], "Unknown option '--counts'"],
    [[], 'DATABASE_URL is memory:'],
  ])('refuses %j with a message', async (args, message) => {
    const { code, stderr } = await seed({ DATABASE_URL: 'memory:' }, ...args).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
