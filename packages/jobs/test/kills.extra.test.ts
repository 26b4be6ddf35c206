import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '@fairlead/test-support/postgres-server';
import { createTransactions } from '@fairlead/transactions';
import { pgAdapter } from '@fairlead/transactions/pg';
import { storeAdapter } from '@fairlead/transactions/store';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createJobs } from '../src/index.js';
import { pgBossBackend } from '../src/pg-boss.js';
import { storeBackend } from '../src/store.js';
import { openShop } from './shop.js';

/** A worker with both kinds of jobs. Its first argument is the URL of the database. */
const PROGRAM = `
import { setTimeout as delay } from 'node:timers/promises';
import { createJobs } from '@fairlead/jobs';
import { pgBossBackend } from '@fairlead/jobs/pg-boss';
import { createTransactions } from '@fairlead/transactions';
import { pgAdapter } from '@fairlead/transactions/pg';
import { Pool } from 'pg';
import { z } from 'zod';

const connectionString = process.argv[1];
const pool = new Pool({ connectionString, max: 8, application_name: 'pool' });
pool.on('error', () => undefined);
const db = createTransactions(pgAdapter(pool));
const jobs = createJobs(pgBossBackend(db, { connectionString, max: 6 }), { onError: () => undefined });
const options = { payload: z.object({ item: z.string() }), retries: 100, backoff: 0 };
jobs.define('once', { ...options, transaction: true }, async ({ payload }) => {
  await db.client.query('INSERT INTO effects VALUES ($1)', [payload.item]);
  await delay(Math.random() * 100);
});
jobs.define('seen', options, async ({ payload }) => {
  await pool.query('INSERT INTO seen VALUES ($1)', [payload.item]);
  await delay(Math.random() * 100);
});
await jobs.start();
process.send('ready');
`;

/** Longer runs set this variable. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 20);
const ORDERS = 20;

/** Starts a worker in a process, which ends with the test. */
async function start(...program: string[]): Promise<ChildProcess> {
  const flags = ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'];
  const child = spawn(process.execPath, [...flags, ...program], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

it(
  'each job of a commit runs, and none of a rollback, while workers and connections are killed',
  async () => {
    const server = await startPostgres();
    const { url } = server;
    const control = new Pool({ connectionString: url, max: 2, application_name: 'control' });
    const pool = new Pool({ connectionString: url, max: 6, application_name: 'pool' });
    pool.on('error', () => undefined);
    // The server may end a connection that the pool has begun to close.
    control.on('error', () => undefined);
    const workers = new Set<ChildProcess>();
    await control.query(
      'CREATE TABLE orders (item TEXT); CREATE TABLE effects (item TEXT); CREATE TABLE seen (item TEXT)',
    );

    const db = createTransactions(pgAdapter(pool));
    const jobs = createJobs(pgBossBackend(db, url), { onError: () => undefined });
    onTestFinished(async () => {
      for (const worker of workers) worker.kill('SIGKILL');
      await Promise.all([jobs.stop(0), pool.end(), control.end()]);
      await server.stop();
    });
    const payload = z.object({ item: z.string() });
    const once_ = jobs.define('once', { payload, retries: 100, backoff: 0 }, () => undefined);
    const seen = jobs.define('seen', { payload, retries: 100, backoff: 0 }, () => undefined);
    await jobs.open();

    const startWorker = async (): Promise<void> => {
      workers.add(await start('--input-type=module', '--eval', PROGRAM, url));
    };
    const killConnections = () =>
      control.query(`SELECT pg_terminate_backend(pid) FROM (
      SELECT pid FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND application_name IN ('pool', 'pgboss')
      ORDER BY random() LIMIT 3) AS one`);
    const counts = { committed: 0, rolledBack: 0, lost: 0 };
    const order = async (item: string, fails: boolean): Promise<void> => {
      const work = db.run(async () => {
        await db.client.query('INSERT INTO orders VALUES ($1)', [item]);
        await once_.enqueue({ item });
        await delay(Math.random() * 40);
        await seen.enqueue({ item });
        if (fails) throw new Error('rolled back');
      });
      await work.then(
        () => {
          counts.committed += 1;
        },
        (error) => {
          // Whether one whose connection was killed has committed is known to the table of orders only.
          counts[error.message === 'rolled back' ? 'rolledBack' : 'lost'] += 1;
        },
      );
    };

    await Promise.all([startWorker(), startWorker()]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const orders = Array.from({ length: ORDERS }, (_, index) =>
        order(`${round}-${index}`, index % 2 === 0),
      );
      await delay(Math.random() * 60);
      await killConnections();
      await Promise.all(orders);
      const [oldest] = workers;
      oldest?.kill('SIGKILL');
      if (oldest !== undefined) workers.delete(oldest);
      await Promise.all([killConnections(), startWorker()]);
    }

    const itemsOf = async (table: string): Promise<string[]> => {
      const { rows } = await control.query(`SELECT item FROM ${table} ORDER BY item`);
      return rows.map(({ item }) => item);
    };
    const orders = await itemsOf('orders');
    const open = async () => {
      const { rows } = await control.query(
        "SELECT count(*)::int FROM pgboss.job WHERE state < 'completed'",
      );
      return rows[0].count;
    };
    await expect.poll(open, { timeout: 100_000, interval: 500 }).toBe(0);
    // Exactly once, and at least once.
    expect(await itemsOf('effects')).toEqual(orders);
    const runs = await itemsOf('seen');
    expect([...new Set(runs)]).toEqual(orders);
    // Every fault has happened.
    expect(counts.rolledBack).toBeGreaterThan(0);
    expect(counts.lost).toBeGreaterThan(0);
    expect(runs.length).toBeGreaterThan(orders.length);
  },
  ROUNDS * 20_000,
);

/** Opens an SQLite file in a folder that ends with the test. */
async function createShop() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-jobs-'));
  const path = join(folder, 'shop.db');
  const store = openShop(path);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return { path, store };
}

it('a worker that is told to stop ends its jobs first, and leaves the others to the next one', async () => {
  const { path, store } = await createShop();
  const worker = await start('test/shop-worker.ts', path);
  const items = Array.from({ length: 30 }, (_, index) => `${index + 10}`);
  for (const item of items) await store.write('addOrder', item);
  const effects = () => store.read((queries) => queries.effects());
  await expect.poll(() => effects().length, { interval: 20 }).toBeGreaterThan(0);
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
  // Each effect is of a job that has ended, and some have not begun.
  const open = store.read((queries) => queries.open());
  expect(open).toBeGreaterThan(0);
  expect(effects().length + open).toBe(items.length);
  await start('test/shop-worker.ts', path);
  await expect.poll(() => store.read((queries) => queries.open())).toBe(0);
  expect(effects().toSorted()).toEqual(items);
});

it('each job of a store runs while workers are killed', async () => {
  const { path, store } = await createShop();
  const db = createTransactions(storeAdapter(store));
  const jobs = createJobs(storeBackend(store, db));
  const payload = z.object({ item: z.string() });
  const seen = jobs.define('seen', { payload }, () => undefined);
  const sale = jobs.define('once', { payload }, () => undefined);
  await jobs.open();
  const orders: string[] = [];
  const sold: string[] = [];
  const sell = (item: string, fails: boolean) =>
    db.run(async () => {
      await sale.enqueue({ item });
      if (fails) throw new Error('rolled back');
    });
  for (let round = 0; round < 10; round += 1) {
    const worker = await start('test/shop-worker.ts', path);
    for (let index = 0; index < 10; index += 1) {
      const item = `${round}-${index}`;
      // By the trigger, which adds the job of an order, and by a call.
      if (index % 2 === 0) await store.write('addOrder', item);
      else await seen.enqueue({ item });
      orders.push(item);
      await sell(item, false);
      sold.push(item);
      await expect(sell(`no ${item}`, true)).rejects.toThrow('rolled back');
    }
    await store.write('addOrder', 'twice').catch(() => undefined);
    await delay(400 + Math.random() * 400);
    worker.kill('SIGKILL');
  }
  orders.push('twice');
  await start('test/shop-worker.ts', path);
  await expect
    .poll(() => store.read(({ open }) => open()), { timeout: 60_000, interval: 200 })
    .toBe(0);
  const runs = store.read(({ effects }) => effects());
  expect([...new Set(runs)].toSorted()).toEqual(orders.toSorted());
  // Exactly once, unlike those without a transaction.
  expect(store.read((queries) => queries.sold()).toSorted()).toEqual(sold.toSorted());
  // Some ran twice, because their worker was killed.
  expect(runs.length).toBeGreaterThan(orders.length);
}, 300_000);
