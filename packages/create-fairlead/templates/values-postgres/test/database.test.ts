import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DATABASE, openDatabase } from '../src/database.ts';
import { Tasks } from '../src/tasks.ts';
import { api, request } from './api.ts';
import { createTestDatabase } from './test-database.ts';

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
  assert.deepEqual([await count('tasks'), await count('task_events')], [0, 2]);
});

it('stores neither if one of them fails', async () => {
  await database().query('DROP TABLE task_events');
  const tasks = api.container.resolve(Tasks);
  await assert.rejects(tasks.create({ title: 'Buy milk' }), /task_events/);
  assert.equal(await count('tasks'), 0);
});

it('survives the loss of its connections', async () => {
  await database().transaction(async (query) => {
    // Opens another connection, which is idle afterwards.
    await database().check();
    await query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  });
  const end = 'SELECT pg_terminate_backend(pg_backend_pid())';
  await assert.rejects(
    database().transaction((query) => query(end)),
    /terminat/,
  );
  assert.equal((await create('Buy milk')).status, 201);
});

it('is degraded while it is read-only', async () => {
  assert.deepEqual(await database().check(), { degraded: undefined });
  // The setting applies to this session. The pool closes its connection when it finds that.
  await database().query('SET default_transaction_read_only = on');
  const { degraded } = await database().check();
  assert.match(String(degraded), /read-only/);
  assert.deepEqual(await database().check(), { degraded: undefined });
});

it('runs each migration once, even if processes start together', async (t) => {
  const { settings, drop } = await createTestDatabase();
  t.after(drop);
  const opened = await Promise.all([1, 2, 3].map(() => openDatabase(settings, console)));
  await Promise.all(opened.map((one) => one[Symbol.asyncDispose]()));
});
