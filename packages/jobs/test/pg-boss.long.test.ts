import { randomUUID } from 'node:crypto';
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
import { z } from 'zod';
import { createJobs, type Jobs, type RunningJob, UnrecoverableError } from '../src/index.js';
import { pgBossBackend } from '../src/pg-boss.js';

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

const Item = z.object({ item: z.string() });
const messagesOf = (errors: readonly unknown[]) =>
  errors.map((error) => Reflect.get(Object(error), 'message'));

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

    it('that failed for the last time are listed, retried and discarded', async (test) => {
      const { expect } = test;
      const { db, jobs, errors } = open(test, name);
      const runs: RunningJob<{ item: string }>[] = [];
      let isFixed = false;
      const job = jobs.define(`${name}-dead`, { payload: Item, retries: 1, backoff: 0 }, (run) => {
        runs.push(run);
        if (!isFixed) throw new Error(`run ${run.attempt}`);
      });
      const final = jobs.define(`${name}-final`, { payload: Item }, ({ attempt }) => {
        throw new UnrecoverableError(`final ${attempt}`);
      });
      await jobs.start();
      const list = async () =>
        (await jobs.deadLetters.list()).filter((one) => one.name.startsWith(name));
      const id = await job.enqueue({ item: 'x' });
      await expect.poll(list).toHaveLength(1);
      await final.enqueue({ item: 'y' });
      await expect.poll(list).toHaveLength(2);
      const [first, second] = await list();
      expect([first, second]).toEqual([
        {
          id: expect.any(String),
          jobId: id,
          name: `${name}-dead`,
          payload: { item: 'x' },
          error: 'run 2',
          attempts: 2,
          failedAt: expect.any(Date),
        },
        expect.objectContaining({ name: `${name}-final`, error: 'final 1', attempts: 1 }),
      ]);
      expect(messagesOf(errors)).toEqual([
        `The job '${name}-dead' (${id}) failed: attempt 1 of 2. It will run again.`,
        `The job '${name}-dead' (${id}) failed: attempt 2 of 2. It is a dead letter now.`,
        expect.stringContaining('attempt 1 of 11. It is a dead letter now.'),
      ]);
      const [one, other] = [first?.id ?? '', second?.id ?? ''];
      const after = await jobs.deadLetters.list({ limit: 1_000, after: one });
      expect([after.some(({ id }) => id === one), after]).toEqual([
        false,
        expect.arrayContaining([second]),
      ]);
      // Within a transaction, as all changes of jobs.
      await db
        .run(async () => {
          expect(await jobs.deadLetters.discard(other)).toBe(true);
          throw new Error('no');
        })
        .catch(() => undefined);
      isFixed = true;
      expect(await jobs.deadLetters.retry(one)).toBe(true);
      expect(await jobs.deadLetters.retry(one)).toBe(false);
      await expect
        .poll(() => runs.map((run) => [run.id, run.attempt]))
        .toEqual([
          [id, 1],
          [id, 2],
          [id, 1],
        ]);
      expect(await list()).toEqual([second]);
      expect(await jobs.deadLetters.discard(other)).toBe(true);
      expect(await jobs.deadLetters.discard(randomUUID())).toBe(false);
      expect(await list()).toEqual([]);
    });
  },
);

describe.concurrent('jobs', () => {
  /** Defines a job that runs until it is released. */
  function define(jobs: Jobs, name: string) {
    const [started, released] = [
      Promise.withResolvers<RunningJob<unknown>>(),
      Promise.withResolvers<void>(),
    ];
    const job = jobs.define(name, { payload: Item, concurrency: 1, backoff: 0 }, async (run) => {
      started.resolve(run);
      await released.promise;
    });
    return { job, started: started.promise, release: released.resolve };
  }

  it('that run when the process stops end first, and waiting ones run in another process', async (test) => {
    const { expect } = test;
    const { jobs, errors } = open(test);
    const { job, started, release } = define(jobs, 'drained');
    await jobs.start();
    await job.enqueue({ item: 'a' });
    await started;
    const second = await job.enqueue({ item: 'b' });
    let hasStopped = false;
    const stopped = jobs.stop().then(() => {
      hasStopped = true;
    });
    await new Promise(setImmediate);
    expect(hasStopped).toBe(false);
    release();
    await stopped;
    expect(errors).toEqual([]);
    const other = open(test);
    const next = define(other.jobs, 'drained');
    await other.jobs.start();
    expect((await next.started).id).toBe(second);
    next.release();
    await other.jobs.stop();
  });

  it('that run for longer than the shutdown are aborted, and run again', async (test) => {
    const { expect } = test;
    const { jobs } = open(test);
    const { job, started, release } = define(jobs, 'aborted');
    await jobs.start();
    const id = await job.enqueue({ item: 'a' });
    const { signal } = await started;
    await jobs.stop(0);
    expect(signal.aborted).toBe(true);
    release();
    const other = open(test);
    const next = define(other.jobs, 'aborted');
    await other.jobs.start();
    expect(await next.started).toMatchObject({ id, attempt: 2 });
    next.release();
  });

  it('lose their writes when they took too long, and another run has begun', async (test) => {
    const { expect } = test;
    const { jobs, write, errors } = open(test);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const job = jobs.define(
      'late',
      { payload: Item, transaction: true, timeout: 1_000, backoff: 0, concurrency: 2 },
      async ({ payload, attempt, signal }) => {
        await write(`${payload.item}-${attempt}`);
        if (attempt > 1) return;
        expect(signal.aborted).toBe(false);
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

  it('wait until a delay has passed', async (test) => {
    const { expect } = test;
    const { jobs } = open(test);
    const times: number[] = [];
    const job = jobs.define('delayed', { payload: Item }, () => void times.push(Date.now()));
    await jobs.start();
    const before = Date.now();
    await job.enqueue({ item: 'a' }, { delay: 1_000 });
    await expect.poll(() => times).toHaveLength(1);
    // The clock of the database may differ by a little.
    expect(Number(times[0]) - before).toBeGreaterThan(900);
  });

  it('of a process that is only open run in another one', async (test) => {
    const { expect } = test;
    const [web, worker] = [open(test), open(test)];
    const job = web.jobs.define('split', { payload: Item }, () => web.write('split-web'));
    worker.jobs.define('split', { payload: Item }, ({ payload }) => worker.write(payload.item));
    await web.jobs.open();
    await worker.jobs.start();
    await job.enqueue({ item: 'split-worker' });
    await expect.poll(() => effects('split')).toEqual(['split-worker']);
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
