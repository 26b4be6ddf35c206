import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { StoreError } from '@fairlead/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  DatabaseProxy,
  endAfterwards,
  endInstead,
  endSilently,
  ignore,
  pass,
} from '../../../../test/support/database-proxy.js';
import { listAll, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import type { PostgresSettings } from './connections.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const LOST = { code: 'STORE_UNREACHABLE', isTransient: true };

function metricOf(store: PostgresUserStore, name: string): number | undefined {
  return store.metrics.find((metric) => metric.name === name)?.value();
}

/** Opens a store with a single connection, unless `settings` allow more. */
async function openStore(settings: Partial<PostgresSettings> = {}) {
  const proxy = new DatabaseProxy(await postgresUrl());
  const warnings: StoreError[] = [];
  const store = await PostgresUserStore.open(await proxy.listen(), {
    ...PATIENT,
    poolSize: 1,
    ...settings,
    warn: (error) => warnings.push(error),
  });
  onTestFinished(() => store.close());
  /** Terminates the connection, so that the next statement opens another. */
  const disconnect = async () => {
    proxy.endAll();
    await expect.poll(() => metricOf(store, 'store_pool_connections')).toBe(0);
  };
  return { proxy, store, disconnect };
}

describe('a connection to PostgreSQL', () => {
  it.each([
    ['right after it opens', endAfterwards],
    ['with an error while it opens', endInstead],
    ['without an error while it opens', endSilently],
  ])('that ends %s is replaced once, for reads and writes', async (_, end) => {
    const { proxy, store, disconnect } = await openStore();
    await disconnect();
    proxy.acts = [end];
    const { id } = await store.create(ADA);
    await disconnect();
    proxy.acts = [end];
    expect(await store.find(id)).toMatchObject(ADA);
    await disconnect();
    proxy.acts = [end, end];
    await expect(store.find(id)).rejects.toMatchObject(LOST);
    expect(await listAll(store)).toHaveLength(1);
  });

  it.each([
    ['with an error', endInstead],
    ['without an error', endSilently],
  ])('that ends %s during a read is replaced, and the read is retried once', async (_, end) => {
    const { proxy, store } = await openStore();
    const { id } = await store.create(ADA);
    proxy.acts = [end];
    expect(await store.find(id)).toMatchObject(ADA);
    proxy.acts = [end, pass, end];
    await expect(store.find(id)).rejects.toMatchObject(LOST);
    expect(await store.find(id)).toMatchObject(ADA);
  });

  it.each([
    ['with an error', endInstead],
    ['without an error', endSilently],
  ])('that ends %s together with all others is replaced by a new one', async (_, end) => {
    const { proxy, store } = await openStore({ poolSize: 4 });
    const { id } = await store.create(ADA);
    const find = () => store.find(id);
    await Promise.all([find(), find(), find(), find()]);
    proxy.acts = [end, end, end, end];
    expect(await store.find(id)).toMatchObject(ADA);
    await Promise.all([find(), find(), find(), find()]);
    proxy.acts = [end, end, end, end, pass, end];
    await expect(store.find(id)).rejects.toMatchObject(LOST);
  });

  it.each([
    ['with an error', endInstead],
    ['without an error', endSilently],
  ])('that ends %s during a write fails the write, which is not retried', async (_, end) => {
    const { proxy, store } = await openStore();
    const { id } = await store.create(ADA);
    proxy.acts = [end];
    await expect(store.create(ADA)).rejects.toMatchObject({ code: 'STORE_INTERRUPTED' });
    expect(await listAll(store)).toHaveLength(2);
    proxy.acts = [end];
    await expect(store.delete(id)).rejects.toMatchObject({ code: 'STORE_INTERRUPTED' });
    expect(await listAll(store)).toHaveLength(1);
  });

  it('that stops responding is replaced after the time for a statement', async () => {
    const { proxy, store } = await openStore({ statementTimeout: 1_000 });
    proxy.acts = [ignore];
    await expect(store.check()).rejects.toMatchObject({
      ...LOST,
      message: expect.stringContaining('does not respond (no response in time)'),
    });
    proxy.acts = [pass];
    await expect.poll(() => store.check().then(() => 'open')).toBe('open');
    expect(proxy.acts).toEqual([]);
  });

  it('is given up after connect_timeout seconds of the URL', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://ada@127.0.0.1:${port}/users?connect_timeout=0.1`;
    await expect(PostgresUserStore.open(url, PATIENT)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('cannot be reached (timeout expired)'),
    });
  });
});
