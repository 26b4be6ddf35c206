import { randomUUID } from 'node:crypto';
import type { StoreError } from '@fairlead/store';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { execute, PATIENT } from '../../../../test/support/stores.js';
import type { PostgresSettings } from './connections.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const SERVER = inject('postgresUrl');

/** Opens a store in a schema of a new role, whose settings apply to new sessions only. */
async function openStore(settings: Partial<PostgresSettings> = {}) {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await execute(
    SERVER,
    `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; CREATE SCHEMA ${role} AUTHORIZATION ${role}`,
  );
  const administrator = new Client({ connectionString: SERVER });
  await administrator.connect();
  const run = (sql: string) => administrator.query<{ pid: number; wait: string }>(sql);
  const url = new URL(SERVER);
  url.username = role;
  url.password = role;
  const warnings: StoreError[] = [];
  const warn = (error: StoreError) => warnings.push(error);
  const store = await PostgresUserStore.open(url.href, { ...PATIENT, ...settings, warn });
  onTestFinished(async () => {
    await store.close();
    await run(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
    await administrator.end();
  });
  const sessions = async () => {
    const { rows } = await run(
      `SELECT pid, wait_event AS wait FROM pg_stat_activity WHERE usename = '${role}'`,
    );
    return rows;
  };
  const endSessions = async () => {
    await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
    await expect.poll(sessions).toEqual([]);
  };
  const { id } = await store.create(ADA);
  /** Uses as many sessions at the same time as the pool has. */
  const readAll = () => Promise.all([1, 2, 3, 4].map(() => store.find(id)));
  return { role, run, store, id, warnings, sessions, endSessions, readAll };
}

type Opened = Awaited<ReturnType<typeof openStore>>;

const codeOf = ({ code }: StoreError) => code;

/** Updates a user, and returns `updated` or the code of the error. */
const update = ({ store, id }: Opened) => store.update(id, ADA).then(() => 'updated', codeOf);

describe('a session that cannot do its work', () => {
  it.each<[string, (opened: Opened) => Promise<unknown>, (opened: Opened) => Promise<unknown>]>([
    [
      'was opened while the database was read-only',
      ({ role, run }) => run(`ALTER ROLE ${role} SET default_transaction_read_only = on`),
      ({ role, run }) => run(`ALTER ROLE ${role} RESET ALL`),
    ],
    [
      'has the search path from before a schema was renamed',
      async () => {},
      ({ role, run }) =>
        run(`ALTER SCHEMA ${role} RENAME TO new_${role};
          ALTER ROLE ${role} SET search_path = new_${role}`),
    ],
    [
      'has plans from before a column was changed',
      async () => {},
      ({ role, run }) => run(`ALTER TABLE ${role}.users ALTER COLUMN name TYPE varchar(900)`),
    ],
  ])('is replaced if it %s', async (_, before, after) => {
    const opened = await openStore();
    await before(opened);
    await opened.endSessions();
    await opened.readAll();
    const old = await opened.sessions();
    expect(old).toHaveLength(4);
    await after(opened);
    // Reads in between keep the sessions in use.
    const readAndUpdate = async () => {
      await opened.readAll().catch(codeOf);
      return update(opened);
    };
    await expect.poll(readAndUpdate).toBe('updated');
    // One session has shown that the others are stale, too.
    const pids = old.map(({ pid }) => pid);
    const readAndFindOld = async () => {
      await opened.readAll();
      return (await opened.sessions()).filter(({ pid }) => pids.includes(pid));
    };
    await expect.poll(readAndFindOld).toEqual([]);
  });

  it('is reported as degraded before a write fails, and until a write succeeds', async () => {
    const opened = await openStore();
    const { store, role, run, endSessions } = opened;
    await run(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
    await endSessions();
    expect(await store.check()).toMatchObject({
      degraded: {
        code: 'STORE_UNREACHABLE',
        message: expect.stringMatching(/ is read-only \(SQLSTATE 25006\)\./),
      },
    });
    await run(`ALTER ROLE ${role} RESET ALL`);
    await expect.poll(() => store.check()).toEqual({ degraded: undefined });
    expect(await update(opened)).toBe('updated');
  });
});

describe('statements that do not end in time', () => {
  /** Makes commits of a role wait for a standby that does not exist. */
  async function openWithoutStandby() {
    const opened = await openStore({ statementTimeout: 500, connectTimeout: 1_000 });
    const { role, run, endSessions } = opened;
    const setStandby = async (name: string) => {
      await run(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await run('SELECT pg_reload_conf()');
    };
    onTestFinished(() => execute(SERVER, `ALTER SYSTEM RESET synchronous_standby_names`));
    // The other sessions of the server do not wait.
    await run(`ALTER ROLE ${role} SET synchronous_commit = on`);
    await endSessions();
    await setStandby('missing');
    return { ...opened, setStandby };
  }

  it('are canceled, and never use more sessions than the pool has, or those of reads', async () => {
    const opened = await openWithoutStandby();
    const { store, id, sessions, setStandby } = opened;
    const codes = new Set<string>();
    const counts = new Set<number>();
    const end = performance.now() + 6_000;
    const write = async () => {
      while (performance.now() < end) codes.add(await update(opened));
    };
    const watch = async () => {
      while (performance.now() < end) {
        counts.add((await sessions()).length);
        expect(await store.find(id)).toMatchObject(ADA);
        await store.check();
      }
    };
    await Promise.all([watch(), ...Array.from({ length: 12 }, write)]);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect([...codes].sort()).toEqual(['STORE_BUSY', 'STORE_INTERRUPTED']);
    expect(await store.check()).toMatchObject({ degraded: expect.anything() });
    await setStandby('');
    await expect.poll(() => update(opened)).toBe('updated');
    await expect.poll(() => store.check()).toEqual({ degraded: undefined });
  });

  it('keep their sessions while the database cannot end them', async () => {
    const opened = await openWithoutStandby();
    const { store, id, sessions } = opened;
    const late = Promise.all([update(opened), update(opened)]);
    const writing = async () => (await sessions()).filter(({ wait }) => wait === 'SyncRep');
    await expect.poll(writing).not.toEqual([]);
    const stopped = (await writing()).map(({ pid }) => pid);
    const signal = (name: NodeJS.Signals) => {
      for (const pid of stopped) process.kill(pid, name);
    };
    const abandoned = () =>
      store.metrics.find(({ name }) => name === 'store_pool_abandoned_connections')?.value();
    signal('SIGSTOP');
    try {
      await late;
      const codes = [await update(opened), await update(opened), await update(opened)];
      expect(codes).not.toContain('updated');
      expect(abandoned()).toBeGreaterThanOrEqual(stopped.length);
      // One more asks whether the statements run.
      expect((await sessions()).length).toBeLessThanOrEqual(5);
      expect(await store.find(id)).toMatchObject(ADA);
    } finally {
      signal('SIGCONT');
    }
    await expect.poll(abandoned).toBe(0);
  });
});
