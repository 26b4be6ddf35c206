import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { execute, listAll, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const REJECTED = { ...ADA, name: 'refused' };
const FIRST = { offset: 0, limit: 1 };

async function openStore(url: string): Promise<PostgresUserStore> {
  const store = await PostgresUserStore.open(url, PATIENT);
  onTestFinished(() => store.close());
  return store;
}

describe('a row that PostgreSQL rejects', () => {
  it.each([0, 4, 8])('fails alone at index %i of a batch of creates', async (at) => {
    const url = await postgresUrl();
    const store = await openStore(url);
    await execute(url, "ALTER TABLE users ADD CHECK (name <> 'refused')");
    const inputs = Array.from({ length: 9 }, (_, index) => (index === at ? REJECTED : ADA));
    const results = await Promise.allSettled(inputs.map((input) => store.create(input)));
    const failed = results.filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([results[at]]);
    expect(failed).toMatchObject([
      { reason: { code: 'STORE_FAILED', message: expect.stringContaining('SQLSTATE 23514') } },
    ]);
    expect(await listAll(store)).toHaveLength(8);
    expect((await store.page(FIRST)).total).toBe(8);
  });

  it('fails alone in a batch of deletes', async () => {
    const url = await postgresUrl();
    const store = await openStore(url);
    const users = await Promise.all([ADA, ADA, ADA].map((input) => store.create(input)));
    await execute(
      url,
      `CREATE TABLE orders (user_id UUID REFERENCES users (id));
       INSERT INTO orders VALUES ('${users[1]?.id}')`,
    );
    const results = await Promise.allSettled(users.map(({ id }) => store.delete(id)));
    expect(results).toMatchObject([
      { value: true },
      { reason: { code: 'STORE_FAILED', message: expect.stringContaining('SQLSTATE 23503') } },
      { value: true },
    ]);
    expect(await listAll(store)).toEqual([users[1]]);
  });
});

describe('a database whose encoding cannot store every character', () => {
  it('is rejected', async () => {
    const server = inject('postgresUrl');
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await execute(
      server,
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
    );
    onTestFinished(() => execute(server, `DROP DATABASE ${name}`));
    const url = new URL(server);
    url.pathname = `/${name}`;
    await expect(openStore(url.href)).rejects.toMatchObject({
      code: 'STORE_INCOMPATIBLE',
      message: expect.stringContaining('has the encoding LATIN1'),
    });
  });
});
