import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { StoreError } from '@fairlead/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listAll, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import type { PostgresSettings } from './connections.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const LOST = { code: 'STORE_UNREACHABLE', isTransient: true };

/** The end of a response: ReadyForQuery, outside a transaction. */
const READY = Buffer.from('Z\0\0\0\u0005I');

/** The error that `pg_terminate_backend` sends to a session. */
const FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0';
const TERMINATED = Buffer.from(`E\0\0\0${String.fromCharCode(FIELDS.length + 4)}${FIELDS}`);

/** Forwards a response of the database, or ends the connection. */
type Act = (client: Socket, response: Buffer) => unknown;

const pass: Act = (client, response) => client.write(response);
const endAfterwards: Act = (client, response) => client.end(Buffer.concat([response, TERMINATED]));
const endInstead: Act = (client) => client.end(TERMINATED);
const endSilently: Act = (client) => client.end();
const ignore: Act = () => {};

/** A proxy for PostgreSQL whose connections the test can terminate. */
class DatabaseProxy {
  /** How to treat the next responses, including the one that opens a connection. All others pass. */
  acts: Act[] = [];
  readonly #clients: Socket[] = [];
  readonly #server = createServer((client) => this.#serve(client));
  readonly #database: URL;

  constructor(database: string) {
    this.#database = new URL(database);
  }

  /** Starts listening and returns the URL of the database through this proxy. */
  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void this.#server.close());
    const url = new URL(this.#database);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  endAll(): void {
    for (const client of this.#clients) client.destroy();
  }

  #serve(client: Socket): void {
    this.#clients.push(client);
    const database = connect(Number(this.#database.port), this.#database.hostname);
    client.on('error', () => {}).on('close', () => database.destroy());
    database.on('error', () => {}).on('close', () => client.end());
    client.pipe(database);
    database.on('data', (response) => {
      const act = response.subarray(-READY.length).equals(READY) ? this.acts.shift() : pass;
      (act ?? pass)(client, response);
    });
  }
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
    const before = warnings.length;
    proxy.endAll();
    await expect.poll(() => warnings.length).toBeGreaterThan(before);
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
      message: expect.stringContaining('lost the connection (Query read timeout)'),
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
