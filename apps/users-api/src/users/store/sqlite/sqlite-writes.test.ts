import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { openRaw, openStore } from '../../../../test/support/sqlite.js';
import { listAll } from '../../../../test/support/stores.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import type { StoreError } from '../store-error.js';
import type { UserStore } from '../user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };

describe('writes of a SqliteUserStore', () => {
  it('commits the other writes of a batch when SQLite rejects one', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    openRaw(path).exec(`
      CREATE TRIGGER no_bob BEFORE INSERT ON users WHEN new.name = 'Bob'
      BEGIN SELECT raise(ABORT, 'no Bob'); END`);
    const names = ['Ada', 'Bob', 'Cy'];
    const results = await Promise.allSettled(names.map((name) => store.create({ ...ADA, name })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await listAll(store)).map(({ name }) => name)).toEqual(['Ada', 'Cy']);
    expect(store.page({ offset: 0, limit: 1 }).total).toBe(2);
  });

  it('rejects a whole batch when the disk is full, and recovers when there is space', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path, { maxPages: 20 });
    const ada = await store.create({ ...ADA, name: 'x'.repeat(30_000) });
    const large = { ...ADA, name: 'x'.repeat(20_000) };
    const results = await Promise.allSettled(
      [large, large, large].map((user) => store.create(user)),
    );
    expect(results).toEqual(
      results.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'STORE_FULL', isTransient: true }),
      })),
    );
    expect(await listAll(store)).toEqual([ada]);
    await store.delete(ada.id);
    const created = await store.create(large);
    expect(await listAll(store)).toEqual([created]);
  });

  it('rejects writes while 10,000 are waiting, and accepts them later', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const waiting = Array.from({ length: 10_000 }, () => store.create(ADA));
    expect(metricsOf(store)).toMatchObject({ store_waiting_writes: 10_000 });
    await expect(store.create(ADA)).rejects.toMatchObject({
      code: 'STORE_BUSY',
      isTransient: true,
    });
    expect(store.page({ offset: 0, limit: 1 }).total).toBe(0);
    raw.exec('ROLLBACK');
    await Promise.all(waiting);
    await store.create(ADA);
    expect(store.page({ offset: 0, limit: 1 }).total).toBe(10_001);
    expect(metricsOf(store)).toMatchObject({ store_waiting_writes: 0 });
  });

  it('makes an update or delete only if the user equals the expected one', async () => {
    const store = openStore(join(temporaryFolder(), 'users.db'), { now: () => 0 });
    const ada = await store.create(ADA);
    for (const field of ['name', 'email', 'updatedAt'] as const) {
      const expected = { ...ada, [field]: '2030-01-02T12:00:00.000Z' };
      expect(await store.update(ada.id, { name: 'Bob' }, expected)).toBeUndefined();
      expect(await store.delete(ada.id, expected)).toBe(false);
    }
    expect(store.find(ada.id)).toEqual(ada);
    const bob = await store.update(ada.id, { name: 'Bob' }, ada);
    expect(bob).toEqual({ ...ada, name: 'Bob' });
    expect(await store.update(ada.id, { name: 'Cy' }, ada)).toBeUndefined();
    expect(await store.delete(ada.id, bob)).toBe(true);
    expect(await store.update(ada.id, {}, bob)).toBeUndefined();
  });

  it('makes one of several updates that expect the same user in one batch', async () => {
    const store = openStore(join(temporaryFolder(), 'users.db'));
    const ada = await store.create(ADA);
    const names = ['Bob', 'Cy', 'Dee'];
    const updates = names.map((name) => store.update(ada.id, { name }, ada));
    expect((await Promise.all(updates)).map((user) => user?.name)).toEqual([
      'Bob',
      undefined,
      undefined,
    ]);
  });

  it('finishes pending writes when it is closed', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    const creates = Promise.all([store.create(ADA), store.create(ADA)]);
    await store.close();
    expect(await listAll(openStore(path))).toEqual(await creates);
  });

  it('rejects the writes of a thread that dies, warns, and starts a new thread', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const warnings: StoreError[] = [];
    const store = openStore(path, { warn: (error) => warnings.push(error) });
    const worker = await startedBy(() => store.create(ADA));
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const interrupted = expect(store.create(ADA)).rejects.toMatchObject({
      code: 'STORE_INTERRUPTED',
      isTransient: true,
    });
    await setImmediate();
    await worker.terminate();
    await interrupted;
    raw.exec('ROLLBACK');
    await store.create(ADA);
    expect(store.page({ offset: 0, limit: 1 }).total).toBe(2);
    expect(warnings).toMatchObject([{ code: 'STORE_INTERRUPTED' }]);
  });
});

function metricsOf(store: UserStore): Record<string, number> {
  return Object.fromEntries(store.metrics.map(({ name, value }) => [name, value()]));
}

/** Runs a callback and returns the thread that it starts. */
async function startedBy(work: () => Promise<unknown>): Promise<Worker> {
  const workers: Worker[] = [];
  const onThread = (message: unknown) => void workers.push((message as { worker: Worker }).worker);
  subscribe('worker_threads', onThread);
  await work();
  unsubscribe('worker_threads', onThread);
  expect(workers).toHaveLength(1);
  return workers[0] as Worker;
}
