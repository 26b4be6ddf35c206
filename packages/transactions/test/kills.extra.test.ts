import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@fairlead/client';
import { startPostgres } from '@fairlead/test-support/postgres-server';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { idempotencyTable } from '../src/index.js';

/** Longer runs set this variable. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 100);
const OPERATIONS = 6;

/** Counts each order, and gives it an ID that no other run of the handler would give it. */
const PROGRAM = `
import { createApp, listen } from '@fairlead/core';
import { createTransactions, idempotency } from '@fairlead/transactions';
import { pgAdapter } from '@fairlead/transactions/pg';
import { Pool } from 'pg';
import { z } from 'zod';

const pool = new Pool({ connectionString: process.argv[1], application_name: 'orders', max: 4 });
pool.on('error', () => undefined);
const db = createTransactions(pgAdapter(pool));
const app = createApp({ onError: () => undefined }).post(
  '/orders',
  { body: z.object({ item: z.string() }), status: 201 },
  idempotency(db, { principal: () => 'all', required: true }),
  async ({ body: { item } }) => {
    const { rows } = await db.client.query('INSERT INTO orders (item) VALUES ($1) RETURNING id', [item]);
    await db.client.query('UPDATE counters SET value = value + 1');
    return { item, id: rows[0].id };
  },
);
const server = await listen(app, 0, { host: '127.0.0.1' });
process.send(server.url);
`;

let pool: Pool;
let url: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ url, stop } = await startPostgres());
  pool = new Pool({ connectionString: url, max: 2 });
  // The server ends idle connections when it stops.
  pool.on('error', () => undefined);
  await pool.query(`
    CREATE TABLE orders (id UUID NOT NULL DEFAULT gen_random_uuid(), item TEXT NOT NULL);
    CREATE TABLE counters (value INT NOT NULL);
    INSERT INTO counters VALUES (0);
    ${idempotencyTable()}`);
});

afterAll(async () => {
  await pool.end();
  await stop();
});

interface Server {
  readonly child: ChildProcess;
  readonly origin: string;
}

async function startServer(): Promise<Server> {
  // The builds start in a fraction of the time.
  const args = ['--input-type=module', '--eval', PROGRAM, url];
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [origin] = await once(child, 'message');
  return { child, origin };
}

it(
  'each operation happens once, and has one response, although servers and connections are killed',
  async () => {
    let server = await startServer();
    let spare = startServer();
    onTestFinished(async () => {
      for (const { child } of [server, await spare]) child.kill('SIGKILL');
    });
    let attempts = 0;
    const client = createClient('http://orders.invalid', {
      fetch: (request) => {
        attempts += 1;
        return fetch(
          new Request(request.url.replace('http://orders.invalid', server.origin), request),
        );
      },
    });
    const responses = new Map<string, Set<string>>();
    /** Repeats an operation until it succeeds. The client itself repeats what it may. */
    const order = async (item: string, key: string): Promise<void> => {
      for (;;) {
        const call = { body: { item }, headers: { 'Idempotency-Key': key } };
        const result = await client.send('POST', '/orders', call).catch(() => undefined);
        if (result?.ok === true) {
          const { response, body } = result;
          const { status } = response;
          const seen = responses.get(item) ?? new Set();
          responses.set(item, seen.add(JSON.stringify({ status, body })));
          return;
        }
        await delay(5);
      }
    };
    const operations: (readonly [item: string, key: string])[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const next = await spare;
      const started = Array.from(
        { length: OPERATIONS },
        (_, index) => [`${round}-${index}`, randomUUID()] as const,
      );
      operations.push(...started);
      const [repeated = started[0]] = operations.slice(-2 * OPERATIONS);
      // One of an earlier round, too.
      const orders = [...started, repeated].flatMap((one) => (one ? [order(...one)] : []));
      await delay(Math.random() * 20);
      await pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orders' AND random() < 0.5",
      );
      await delay(Math.random() * 20);
      server.child.kill('SIGKILL');
      server = next;
      spare = startServer();
      await Promise.all(orders);
    }
    await Promise.all(operations.map((one) => order(...one)));

    const calls = ROUNDS * (2 * OPERATIONS + 1);
    expect(attempts).toBeGreaterThan(calls);
    const items = operations.map(([item]) => item).sort();
    const { rows } = await pool.query('SELECT item, id FROM orders');
    expect(rows.map(({ item }) => item).sort()).toEqual(items);
    const { rows: counters } = await pool.query('SELECT value FROM counters');
    expect(counters).toEqual([{ value: items.length }]);
    for (const { item, id } of rows) {
      const only = JSON.stringify({ status: 201, body: { item, id } });
      expect([...(responses.get(item) ?? [])]).toEqual([only]);
    }
  },
  ROUNDS * 18_000,
);
