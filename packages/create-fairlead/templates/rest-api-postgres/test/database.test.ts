import { expect, it, vi } from 'vitest';
import { DATABASE, openDatabase } from '../src/database.js';
import { api, request } from './api.js';
import { createTestDatabase } from './test-database.js';

const database = () => api.container.resolve(DATABASE);
const create = (title: string) => request('/api/tasks', { method: 'POST', json: { title } });

/** Returns the number of rows in a table. */
async function count(table: string) {
  const [row] = await database().query<{ count: number }>(`SELECT count(*) FROM ${table}`);
  return row?.count;
}

it('stores a change and its event together', async () => {
  await create('Buy milk');
  await request('/api/tasks/1', { method: 'DELETE' });
  expect([await count('tasks'), await count('task_events')]).toEqual([0, 2]);
});

it('stores neither if one of them fails', async () => {
  await database().query('DROP TABLE task_events');
  // An error that is not for clients rejects the request in a test.
  await expect(create('Buy milk')).rejects.toThrow('task_events');
  expect(await count('tasks')).toBe(0);
});

it('survives the loss of its connections', async () => {
  await database().transaction(async (query) => {
    // Opens another connection, which is idle afterwards.
    await database().check();
    await query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  });
  const end = 'SELECT pg_terminate_backend(pg_backend_pid())';
  await expect(database().transaction((query) => query(end))).rejects.toThrow('terminat');
  expect((await create('Buy milk')).status).toBe(201);
});

it('is degraded while it is read-only, and then closes the connections from that time', async () => {
  expect(await database().check()).toEqual({ degraded: undefined });
  const [row] = await database().query<{ name: string }>('SELECT current_database() AS name');
  const end = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const set = `ALTER DATABASE ${row?.name} SET default_transaction_read_only`;
  await database().transaction(async (query) => {
    await query(`${set} = on`);
    await query(end);
  });
  // The setting applies to new connections, such as these.
  await Promise.allSettled([1, 2, 3].map(() => database().query(end)));
  expect(await database().check()).toMatchObject({ degraded: { code: '25006' } });
  await expect(create('Buy milk')).rejects.toThrow('read-only');
  await database().transaction(async (query) => {
    await query('SET TRANSACTION READ WRITE');
    await query(`${set} = off`);
  });
  const waiting = { timeout: 30_000 };
  await vi.waitFor(async () => expect((await create('Buy milk')).status).toBe(201), waiting);
  await expect.poll(() => database().check(), waiting).toEqual({ degraded: undefined });
});

it('runs each migration once, even if processes start together', async ({ onTestFinished }) => {
  const { settings, drop } = await createTestDatabase();
  onTestFinished(drop);
  const opened = await Promise.all([1, 2, 3].map(() => openDatabase(settings, console)));
  await Promise.all(opened.map((database) => database[Symbol.asyncDispose]()));
});
