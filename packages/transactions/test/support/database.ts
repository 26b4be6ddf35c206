import { startPostgres } from '@fairlead/test-support/postgres-server';
import { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { idempotencyTable } from '../../src/index.js';

export let pool: Pool;
let stop: () => Promise<void>;

/** Starts a server for the tests of a file, and empties its tables before each of them. */
export function useDatabase(): void {
  beforeAll(async () => {
    const server = await startPostgres();
    pool = new Pool({ connectionString: server.url, max: 8 });
    pool.on('error', () => undefined);
    // Kysely and Drizzle have no listener for the connection of a transaction.
    pool.on('connect', (connection) => connection.on('error', () => undefined));
    stop = server.stop;
    await pool.query(`
    CREATE TABLE customers (id INT PRIMARY KEY);
    INSERT INTO customers VALUES (1);
    CREATE TABLE orders (
      item TEXT NOT NULL CHECK (item <> 'bad'),
      customer INT NOT NULL DEFAULT 1 REFERENCES customers DEFERRABLE INITIALLY DEFERRED
    );
    CREATE TABLE counters (name TEXT PRIMARY KEY, value INT NOT NULL);
    ${idempotencyTable()}`);
  });

  beforeEach(async () => {
    await pool.query(
      "TRUNCATE orders, idempotency_keys; DELETE FROM counters; INSERT INTO counters VALUES ('a', 0), ('b', 0)",
    );
  });

  afterAll(async () => {
    await pool.end();
    await stop();
  });
}

export const items = async (): Promise<string[]> => {
  const { rows } = await pool.query('SELECT item FROM orders ORDER BY item');
  return rows.map(({ item }) => item);
};
