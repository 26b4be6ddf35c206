import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from '@fairlead/core';
import { Client, Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { APP } from './support/built-program.js';
import { execute, postgresUrl } from './support/stores.js';
import { temporaryFolder } from './support/temporary-folder.js';

const LOCK = 42;
const APPLICATION = 'orders';
const IS_COMMITTING = `query = 'COMMIT' AND wait_event_type = 'Lock' AND application_name = '${APPLICATION}'`;

/** A customer is checked at the commit. The commit of the item 'slow' waits for a lock. */
const SCHEMA = `
  CREATE TABLE customers (id INT PRIMARY KEY);
  INSERT INTO customers VALUES (1);
  CREATE TABLE orders (
    id SERIAL PRIMARY KEY,
    customer INT NOT NULL REFERENCES customers DEFERRABLE INITIALLY DEFERRED,
    item TEXT NOT NULL CHECK (item <> 'bad')
  );
  CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NULL; END';
  CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.item = 'slow') EXECUTE FUNCTION wait()`;

type CreateMyApp = (
  pool: Pool,
  mailer: { send(text: string): Promise<void> },
  onError: (error: unknown) => void,
) => Application;

/** What the test calls of `transaction.ts`. */
type TransactionClass = new (
  pool: Pool,
) => {
  readonly client: Pool;
  afterCommit(callback: () => void): void;
  run(work: () => unknown): Promise<unknown>;
};

/** Writes the files of the page to a folder, and imports its application and its transaction. */
async function importRecipe(): Promise<{
  createMyApp: CreateMyApp;
  Transaction: TransactionClass;
}> {
  const folder = temporaryFolder();
  const page = readFileSync(join(APP, '../../docs/recipes/transactions.md'), 'utf8');
  for (const [, code = '', name = ''] of page.matchAll(/^```ts\n(\/\/ (\S+)\n.*?)^```$/gms)) {
    writeFileSync(join(folder, name), code);
  }
  cpSync(join(APP, '../../tsconfig.base.json'), join(folder, 'tsconfig.json'));
  cpSync(join(APP, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(APP, 'node_modules'), join(folder, 'node_modules'));
  const { createMyApp } = await import(join(folder, 'app.ts'));
  const { Transaction } = await import(join(folder, 'transaction.ts'));
  return { createMyApp, Transaction };
}

async function start() {
  const url = await postgresUrl();
  await execute(url, SCHEMA);
  const pool = new Pool({ connectionString: url, max: 2, application_name: APPLICATION });
  onTestFinished(() => pool.end());
  const [sent, errors]: [string[], unknown[]] = [[], []];
  const mailer = { send: vi.fn(async (text: string) => void sent.push(text)) };
  const { createMyApp, Transaction } = await importRecipe();
  const app = createMyApp(pool, mailer, (error) => errors.push(error));
  onTestFinished(() => app.close());
  const post = (customer: number, item: string) =>
    app.request('/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ customer, item }),
    });
  const observer = new Client({ connectionString: url });
  await observer.connect();
  onTestFinished(() => observer.end());
  const items = async () => {
    const { rows } = await observer.query('SELECT item FROM orders ORDER BY id');
    return rows.map(({ item }) => item);
  };
  return { post, items, observer, pool, mailer, sent, errors, transaction: new Transaction(pool) };
}

describe('the recipe for transactions', () => {
  it('responds with 201, and runs callbacks, only after the commit', async () => {
    const { post, items, observer, sent } = await start();
    await observer.query(`SELECT pg_advisory_lock(${LOCK})`);
    let status: number | undefined;
    const response = post(1, 'slow').then((result) => {
      status = result.status;
      return result;
    });
    const committing = `SELECT FROM pg_stat_activity WHERE ${IS_COMMITTING}`;
    await expect.poll(async () => (await observer.query(committing)).rowCount).toBe(1);
    expect({ status, sent, items: await items() }).toEqual({
      status: undefined,
      sent: [],
      items: [],
    });
    await observer.query(`SELECT pg_advisory_unlock(${LOCK})`);
    expect(await (await response).json()).toEqual({ id: 1 });
    expect({ status, sent, items: await items() }).toEqual({
      status: 201,
      sent: ['Order 1'],
      items: ['slow'],
    });
  });

  it.each([
    ['the commit fails', 7, 'tea', '23503'],
    ['a query of the method fails', 1, 'bad', '23514'],
  ])(
    'responds with 500, calls onError and runs no callback if %s',
    async (_, customer, item, code) => {
      const { post, items, sent, errors } = await start();
      expect((await post(customer, item)).status).toBe(500);
      expect(errors).toMatchObject([{ code }]);
      expect(sent).toEqual([]);
      expect(await items()).toEqual([]);
      expect((await post(1, 'tea')).status).toBe(201);
      expect(await items()).toEqual(['tea']);
      expect(sent).toHaveLength(1);
    },
  );

  it('responds with 500 and runs no callback if the connection ends during the commit', async () => {
    const { post, observer, sent, errors, pool } = await start();
    await observer.query(`SELECT pg_advisory_lock(${LOCK})`);
    const response = post(1, 'slow');
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${IS_COMMITTING}`;
    await expect.poll(async () => (await observer.query(end)).rowCount).toBe(1);
    expect((await response).status).toBe(500);
    expect(errors).toMatchObject([{ code: '57P01' }]);
    expect(sent).toEqual([]);
    await observer.query(`SELECT pg_advisory_unlock(${LOCK})`);
    expect((await post(1, 'tea')).status).toBe(201);
    expect(pool.totalCount).toBe(1);
  });

  it('fails if PostgreSQL rolls back at the commit, because the method caught an error', async () => {
    const { transaction, sent, items } = await start();
    const work = async () => {
      transaction.afterCommit(() => sent.push('sent'));
      await transaction.client.query("INSERT INTO orders (customer, item) VALUES (1, 'tea')");
      await transaction.client.query('SELECT 1 / 0').catch(() => {});
      return 'done';
    };
    await expect(transaction.run(work)).rejects.toThrow('PostgreSQL rolled the transaction back.');
    expect({ sent, items: await items() }).toEqual({ sent: [], items: [] });
    expect(() => transaction.client).toThrow('Add @UseInterceptor(Transactional)');
  });

  it('still responds with 201 if a callback fails, which is logged', async () => {
    const { post, items, mailer, errors } = await start();
    const log = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => log.mockRestore());
    const down = new Error('The mail server is down.');
    mailer.send.mockRejectedValue(down);
    expect((await post(1, 'tea')).status).toBe(201);
    expect(await items()).toEqual(['tea']);
    expect(errors).toEqual([]);
    await expect.poll(() => log.mock.calls).toMatchObject([[{ cause: down }]]);
  });
});
