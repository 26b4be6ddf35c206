import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listAll, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import type { StoreError } from '../store-error.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const LOST = { code: 'STORE_UNREACHABLE', mayPass: true };

/** The end of an answer: ReadyForQuery, outside a transaction. */
const READY = Buffer.from('Z\0\0\0\u0005I');

/** The error of a session that `pg_terminate_backend` ends. */
const FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0';
const TERMINATED = Buffer.from(`E\0\0\0${String.fromCharCode(FIELDS.length + 4)}${FIELDS}`);

/** Passes an answer of the database on, or ends the connection. */
type Act = (client: Socket, answer: Buffer) => unknown;

const pass: Act = (client, answer) => client.write(answer);
const endAfterwards: Act = (client, answer) => client.end(Buffer.concat([answer, TERMINATED]));
const endInstead: Act = (client) => client.end(TERMINATED);
const endSilently: Act = (client) => client.end();

/** A PostgreSQL whose connections end when the test says so. */
class DatabaseProxy {
  /** What becomes of the next answers; the opening of a connection is one, too. The others pass. */
  acts: Act[] = [];
  readonly #clients: Socket[] = [];
  readonly #server = createServer((client) => this.#serve(client));
  readonly #database: URL;

  constructor(database: string) {
    this.#database = new URL(database);
  }

  /** Starts to listen; returns the URL of the database behind it. */
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
    database.on('data', (answer) => {
      const act = answer.subarray(-READY.length).equals(READY) ? this.acts.shift() : pass;
      (act ?? pass)(client, answer);
    });
  }
}

/** Opens a store that has one connection at a time. */
async function openStore() {
  const proxy = new DatabaseProxy(await postgresUrl());
  const warnings: StoreError[] = [];
  const store = await PostgresUserStore.open(await proxy.listen(), {
    ...PATIENT,
    poolSize: 1,
    warn: (error) => warnings.push(error),
  });
  onTestFinished(() => store.close());
  /** Leaves the store without a connection, so that its next statement opens one. */
  const disconnect = async () => {
    const before = warnings.length;
    proxy.endAll();
    await expect.poll(() => warnings.length).toBeGreaterThan(before);
  };
  return { proxy, store, disconnect };
}

describe('a connection to PostgreSQL', () => {
  it.each([
    ['in the message that opens it', endAfterwards],
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
  ])('that ends %s under a read is replaced, and the read sent once more', async (_, end) => {
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
  ])('that ends %s under a write fails the write, which is not sent again', async (_, end) => {
    const { proxy, store } = await openStore();
    const { id } = await store.create(ADA);
    proxy.acts = [end];
    await expect(store.create(ADA)).rejects.toMatchObject({ code: 'STORE_INTERRUPTED' });
    expect(await listAll(store)).toHaveLength(2);
    proxy.acts = [end];
    await expect(store.delete(id)).rejects.toMatchObject({ code: 'STORE_INTERRUPTED' });
    expect(await listAll(store)).toHaveLength(1);
  });
});
