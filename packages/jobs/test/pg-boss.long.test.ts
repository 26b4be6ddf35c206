import { startPostgres } from '@fairlead/test-support/postgres-server';
import {
  createTransactions,
  type TransactionAdapter,
  type Transactions,
} from '@fairlead/transactions';
import { drizzleAdapter } from '@fairlead/transactions/drizzle';
import { kyselyAdapter } from '@fairlead/transactions/kysely';
import { pgAdapter } from '@fairlead/transactions/pg';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { createJobs, UnrecoverableError } from '../src/index.js';
import { pgBossBackend } from '../src/pg-boss.js';
import { Item, messagesOf, testBackend } from './contract.js';

let url: string;
let pool: Pool;
let stop: () => Promise<void>;

beforeAll(async () => {
  const server = await startPostgres();
  ({ url, stop } = server);
  pool = new Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  await pool.query('CREATE TABLE effects (item TEXT NOT NULL)');
});

afterAll(async () => {
  await pool.end();
  await stop();
});

const effects = async (prefix: string): Promise<string[]> => {
  const { rows } = await pool.query('SELECT item FROM effects WHERE item LIKE $1 ORDER BY item', [
    `${prefix}%`,
  ]);
  return rows.map(({ item }) => item);
};

/** Each library that transactions run on. */
const LIBRARIES = {
  pg: () => createTransactions(pgAdapter(pool)),
  kysely: () =>
    createTransactions(
      kyselyAdapter(new Kysely<Record<never, never>>({ dialect: new PostgresDialect({ pool }) })),
    ),
  drizzle: () => createTransactions(drizzleAdapter(drizzle(pool))),
} as const;

/** Opens jobs that write what they receive. They stop with the test. */
function open({ onTestFinished }: TestContext, library: keyof typeof LIBRARIES = 'pg') {
  const db = LIBRARIES[library]() as Transactions<unknown>;
  const adapter = db.adapter as TransactionAdapter<unknown>;
  const errors: unknown[] = [];
  const jobs = createJobs(pgBossBackend(db, { connectionString: url, max: 4 }), {
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => jobs.stop(0));
  const write = (item: string) =>
    adapter.query(db.client, 'INSERT INTO effects VALUES ($1)', [item]);
  return { db, jobs, errors, write };
}

describe.concurrent.each(Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[])(
  'jobs of %s',
  (name) => {
    it('exist if and only if their transaction commits', async (test) => {
      const { expect } = test;
      const { db, jobs, write } = open(test, name);
      const job = jobs.define(`${name}-rule`, { payload: Item }, async ({ payload }) => {
        await write(payload.item);
      });
      await jobs.start();
      const rolledBack = db.run(async () => {
        await job.enqueue({ item: `${name}-never` });
        throw new Error('no');
      });
      await expect(rolledBack).rejects.toThrow('no');
      const part = db.run(async () => {
        await db
          .run(async () => {
            await job.enqueue({ item: `${name}-part` });
            throw new Error('part');
          })
          .catch(() => undefined);
        await job.enqueue({ item: `${name}-a` });
        // Nothing runs before the commit.
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(await effects(name)).toEqual([]);
      });
      await part;
      await job.enqueue({ item: `${name}-b` });
      await expect.poll(() => effects(name)).toEqual([`${name}-a`, `${name}-b`]);
    });

    it('in transactions write exactly once, also when a run fails', async (test) => {
      const { expect } = test;
      const { jobs, write } = open(test, name);
      const item = `once-${name}`;
      const job = jobs.define(
        `${name}-once`,
        { payload: Item, transaction: true, backoff: 0 },
        async ({ payload, attempt }) => {
          await write(payload.item);
          if (attempt === 1) throw new Error('first');
        },
      );
      await jobs.start();
      await job.enqueue({ item });
      await expect.poll(() => effects('once')).toContain(item);
      await jobs.stop();
      expect((await effects('once')).filter((one) => one === item)).toEqual([item]);
    });

    it('refuse text that PostgreSQL cannot store, and keep errors that have it', async (test) => {
      const { expect } = test;
      const { db, jobs } = open(test, name);
      const job = jobs.define(`${name}-text`, { payload: Item }, () => {
        throw new UnrecoverableError('no\0\ud800');
      });
      await jobs.start();
      await db.run(async () => {
        await expect(job.enqueue({ item: 'a\0' })).rejects.toThrow(
          `Cannot enqueue the job '${job.name}': PostgreSQL cannot store NUL or half of a surrogate pair, which payload.item contains.`,
        );
        // The transaction continues.
        await job.enqueue({ item: 'a' });
      });
      const list = async () =>
        (await jobs.deadLetters.list()).filter((one) => one.name === job.name);
      await expect.poll(list).toMatchObject([{ attempts: 1, error: 'no\uFFFD\uFFFD' }]);
    });

    it('change dead letters in the transaction of the caller', async (test) => {
      const { expect } = test;
      const { db, jobs } = open(test, name);
      const ran: number[] = [];
      const job = jobs.define(`${name}-dead`, { payload: Item }, ({ attempt }) => {
        ran.push(attempt);
        if (ran.length === 1) throw new UnrecoverableError('no');
      });
      await jobs.start();
      await job.enqueue({ item: 'x' });
      const list = async () =>
        (await jobs.deadLetters.list()).filter((one) => one.name === job.name);
      await expect.poll(list).toHaveLength(1);
      const [{ id } = { id: '' }] = await list();
      for (const change of ['discard', 'retry'] as const) {
        const work = db.run(async () => {
          expect(await jobs.deadLetters[change](id)).toBe(true);
          throw new Error('rolled back');
        });
        await expect(work).rejects.toThrow('rolled back');
      }
      expect(await list()).toHaveLength(1);
      expect(await db.run(() => jobs.deadLetters.retry(id))).toBe(true);
      await expect.poll(() => ran).toEqual([1, 1]);
    });
  },
);

testBackend('pg-boss', (test) => open(test));

describe.concurrent('jobs', () => {
  it('lose their writes when they took too long, and another run has begun', async (test) => {
    const { expect } = test;
    const { jobs, write, errors } = open(test);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const job = jobs.define(
      'late',
      { payload: Item, transaction: true, timeout: 3_000, backoff: 0, concurrency: 2 },
      async ({ payload, attempt }) => {
        await write(`${payload.item}-${attempt}`);
        if (attempt > 1) return;
        await second.promise;
        first.resolve();
      },
    );
    await jobs.start();
    await job.enqueue({ item: 'late' });
    await expect.poll(() => effects('late')).toEqual(['late-2']);
    second.resolve();
    await first.promise;
    await expect
      .poll(() => messagesOf(errors))
      .toEqual([
        expect.stringMatching(/^The job 'late' .* failed: attempt 1 of 11\. It will run again\.$/),
      ]);
    expect(errors).toEqual([
      expect.objectContaining({
        cause: expect.objectContaining({
          message: expect.stringContaining('Another worker has this job'),
        }),
      }),
    ]);
    expect(await effects('late')).toEqual(['late-2']);
  });

  it('do not start when the transactions are of another database', async (test) => {
    const { expect } = test;
    await pool.query('CREATE DATABASE other');
    const { db } = open(test);
    const elsewhere = createJobs(
      pgBossBackend(db, {
        connectionString: url.replace(/postgres$/, 'other'),
        schema: 'elsewhere',
      }),
    );
    await expect(elsewhere.start()).rejects.toThrow(
      expect.objectContaining({
        code: 'INVALID_JOBS',
        message: expect.stringContaining("lacks the schema 'elsewhere'"),
      }),
    );
  });
});
