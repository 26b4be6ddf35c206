import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@fairlead/store';
import { createTransactions } from '@fairlead/transactions';
import { storeAdapter } from '@fairlead/transactions/store';
import { afterAll, expect, it, type TestContext, vi } from 'vitest';
import { createJobs, type RunningJob } from '../src/index.js';
import {
  type JobsStore,
  jobsMigration,
  jobsStatements,
  prepareJobs,
  storeBackend,
} from '../src/store.js';
import { Item, messagesOf, testBackend } from './contract.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-jobs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const TRIGGER = `CREATE TABLE users (email TEXT PRIMARY KEY) STRICT;
  CREATE TRIGGER user_added AFTER INSERT ON users BEGIN
    INSERT INTO jobs (name, payload) VALUES ('trigger', json_object('item', new.email));
  END`;

/** Opens the file as another process would. */
function openStore(file: string) {
  return openSqlite(join(folder, file), {
    program: 'jobs',
    setting: 'DATABASE_URL',
    applicationId: 7,
    // Several threads start at once.
    timeout: 60_000,
    migrations: [jobsMigration, TRIGGER],
    statements: {
      ...jobsStatements,
      addUser: 'INSERT INTO users VALUES (?)',
      crash: "UPDATE jobs SET run_at = 0, attempt = ? WHERE name = 'crashed'",
    },
    prepare(database) {
      const users = database.prepare('SELECT email FROM users');
      return { ...prepareJobs(database), users: () => users.all().map(({ email }) => email) };
    },
  });
}

/** Opens the jobs of a file as another process would. */
function open({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, file: string) {
  const store = openStore(file);
  const db = createTransactions(storeAdapter(store));
  const errors: unknown[] = [];
  const jobs = createJobs(storeBackend(store, db), { onError: (error) => errors.push(error) });
  onTestFinished(async () => {
    await jobs.stop(0);
    await store.close();
  });
  const users = () => store.read((queries) => queries.users());
  return { store, db, jobs, errors, users };
}

testBackend('a store', (test) => open(test, 'shared.db'));

it('a trigger adds a job in the write that causes it', async (test) => {
  const { store, jobs } = open(test, 'trigger.db');
  const ran: string[] = [];
  jobs.define('trigger', { payload: Item }, ({ payload }) => void ran.push(payload.item));
  await jobs.start();
  await store.write('addUser', 'ada@example.com');
  await expect(store.write('addUser', 'ada@example.com')).rejects.toThrow('constraint');
  await store.write('addUser', 'bob@example.com');
  await expect.poll(() => ran).toEqual(['ada@example.com', 'bob@example.com']);
});

/** Opens jobs whose first claim succeeds, but takes until it is released. */
function openClaiming(test: TestContext, file: string) {
  const { store } = open(test, file);
  const [isClaiming, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: JobsStore = {
    read: (work) => store.read(work),
    async write(statement, ...parameters) {
      const row = await store.write(statement, ...parameters);
      if (statement !== 'jobsClaim') return row;
      isClaiming.resolve();
      await released.promise;
      return row;
    },
  };
  const jobs = createJobs(storeBackend(slow), { onError: () => undefined });
  return { jobs, claiming: isClaiming.promise, release: released.resolve };
}

it('stop() waits for a job that was being claimed', async (test) => {
  const { jobs, claiming, release } = openClaiming(test, 'claimed.db');
  const log: string[] = [];
  const job = jobs.define('claimed', { payload: Item }, () => void log.push('ran'));
  await jobs.start();
  await job.enqueue({ item: 'a' });
  await claiming;
  const stopped = jobs.stop().then(() => log.push('stopped'));
  release();
  await stopped;
  expect(log).toEqual(['ran', 'stopped']);
});

it('stop() leaves a job whose claim has taken until its timeout to another process', async (test) => {
  const { jobs, claiming, release } = openClaiming(test, 'late.db');
  const ran: string[] = [];
  const job = jobs.define('late', { payload: Item }, () => void ran.push('first'));
  await jobs.start();
  await job.enqueue({ item: 'a' });
  await claiming;
  test.onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const stopped = jobs.stop(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  release();
  await stopped;
  vi.useRealTimers();
  const other = open(test, 'late.db');
  other.jobs.define('late', { payload: Item }, ({ attempt }) => void ran.push(`other ${attempt}`));
  await other.jobs.start();
  await expect.poll(() => ran).toEqual(['other 2']);
});

it('the leases of all jobs are renewed at once', async (test) => {
  const { store } = open(test, 'leases.db');
  const renewed: unknown[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const slow: JobsStore = {
    read: (work) => store.read(work),
    async write(statement, ...parameters) {
      if (statement === 'jobsDelay') {
        renewed.push(String(parameters[1]));
        await released;
      }
      return store.write(statement, ...parameters);
    },
  };
  test.onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const jobs = createJobs(storeBackend(slow));
  const running: string[] = [];
  const job = jobs.define('leased', { payload: Item }, async ({ id }) => {
    running.push(id);
    await released;
  });
  await jobs.start();
  for (const item of ['a', 'b', 'c']) await job.enqueue({ item });
  await expect.poll(() => running).toHaveLength(3);
  // One renewal, which is slow.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(renewed).toEqual(running);
  release();
  await jobs.stop();
});

it('a process that was suspended does not take over its own jobs', async (test) => {
  const { jobs, errors } = open(test, 'suspended.db');
  test.onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const runs: RunningJob<{ item: string }>[] = [];
  const job = jobs.define('suspended', { payload: Item }, async (running) => {
    runs.push(running);
    if (running.payload.item === 'long') await released;
  });
  await jobs.start();
  await job.enqueue({ item: 'long' });
  await expect.poll(() => runs).toHaveLength(1);
  vi.setSystemTime(Date.now() + 60_000);
  await job.enqueue({ item: 'next' });
  await expect.poll(() => runs.at(-1)?.payload.item).toBe('next');
  expect(runs).toHaveLength(2);
  expect(runs[0]?.signal.aborted).toBe(false);
  release();
  await jobs.stop();
  expect(errors).toEqual([]);
});

it('a job whose process was killed in the last run is a dead letter', async (test) => {
  const { store, jobs, errors } = open(test, 'crashed.db');
  let runs = 0;
  const job = jobs.define('crashed', { payload: Item, retries: 1 }, () => {
    runs += 1;
  });
  await jobs.open();
  const id = await job.enqueue({ item: 'a' }, { delay: 60_000 });
  // As if both runs had begun, and none had ended.
  await store.write('crash', 2);
  await jobs.stop();
  const other = open(test, 'crashed.db');
  other.jobs.define('crashed', { payload: Item, retries: 1 }, () => {
    runs += 1;
  });
  await other.jobs.start();
  await expect.poll(() => other.jobs.deadLetters.list()).toHaveLength(1);
  expect(await other.jobs.deadLetters.list()).toEqual([
    expect.objectContaining({ jobId: id, attempts: 2, error: expect.stringContaining('ended') }),
  ]);
  expect([runs, errors]).toEqual([0, []]);
});

it('jobs exist if and only if their transaction commits', async (test) => {
  const { store, db, jobs, users } = open(test, 'rule.db');
  const ran: [string, string][] = [];
  const job = jobs.define('rule', { payload: Item }, ({ id, payload }) => {
    ran.push([id, payload.item]);
  });
  await jobs.start();
  const rolledBack = db.run(async () => {
    await job.enqueue({ item: 'never' });
    await db.client.write('addUser', 'never');
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  const ids = await db.run(async () => {
    await db.client.write('addUser', 'ada');
    const enqueued = [await job.enqueue({ item: 'a' }), await job.enqueue({ item: 'b' })];
    // Nothing can run before the commit.
    expect(store.read((queries) => queries.jobs.isDue('rule', Date.now()))).toBe(false);
    return enqueued;
  });
  ids.push(await job.enqueue({ item: 'c' }));
  await expect.poll(() => ran).toHaveLength(3);
  expect(ran).toEqual(['a', 'b', 'c'].map((item, index) => [ids[index], item]));
  expect(users()).toEqual(['ada']);
});

it('a job of a transaction that nothing has awaited is refused after its end', async (test) => {
  const { db, jobs } = open(test, 'ended.db');
  const job = jobs.define('ended', { payload: Item }, () => undefined);
  await jobs.open();
  let late: Promise<string> | undefined;
  await db.run(async () => {
    late = job.enqueue({ item: 'a' });
    late.catch(() => undefined);
  });
  await expect(late).rejects.toThrow('The transaction has ended.');
  expect(await jobs.deadLetters.list()).toEqual([]);
});

it('jobs in transactions write exactly once, also when a run fails', async (test) => {
  const { db, jobs, users, errors } = open(test, 'once.db');
  const options = { payload: Item, transaction: true, backoff: 0 };
  const next = jobs.define('next', options, ({ payload }) =>
    db.client.write('addUser', payload.item),
  );
  const first = jobs.define('first', options, async ({ payload, attempt }) => {
    await db.client.write('addUser', `${payload.item}-${attempt}`);
    await next.enqueue({ item: `next-${attempt}` });
    if (attempt === 1) throw new Error('first');
  });
  await jobs.start();
  await first.enqueue({ item: 'first' });
  await expect.poll(users).toEqual(['first-2', 'next-2']);
  await jobs.stop();
  expect(messagesOf(errors)).toEqual([expect.stringContaining('attempt 1 of 11')]);
  expect(users()).toEqual(['first-2', 'next-2']);
});

it('a job in a transaction loses its writes when it took too long, and another run has begun', async (test) => {
  const { db, jobs, users, errors } = open(test, 'lost.db');
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const options = { payload: Item, transaction: true, timeout: 100, backoff: 0, concurrency: 2 };
  const job = jobs.define('lost', options, async ({ payload, attempt }) => {
    await db.client.write('addUser', `${payload.item}-${attempt}`);
    if (attempt > 1) return;
    await second.promise;
    first.resolve();
  });
  await jobs.start();
  await job.enqueue({ item: 'lost' });
  await expect.poll(users).toEqual(['lost-2']);
  second.resolve();
  await first.promise;
  await jobs.stop();
  expect(users()).toEqual(['lost-2']);
  expect(errors.map((error) => Object(error).cause ?? error)).toEqual([
    expect.objectContaining({ message: expect.stringContaining('ran for more than 100 ms') }),
    expect.objectContaining({ message: expect.stringContaining('Another worker has this job') }),
  ]);
});

it('a job in a transaction that its store rejects runs again', async (test) => {
  const { db, jobs, store, users, errors } = open(test, 'rejected.db');
  const options = { payload: Item, transaction: true, backoff: 0, retries: 1 };
  const job = jobs.define('rejected', options, ({ payload, attempt }) =>
    db.client.write('addUser', attempt === 1 ? 'ada' : payload.item),
  );
  await store.write('addUser', 'ada');
  await jobs.start();
  await job.enqueue({ item: 'bob' });
  await expect.poll(users).toEqual(['ada', 'bob']);
  expect(errors).toEqual([
    expect.objectContaining({ cause: expect.objectContaining({ code: 'STORE_CONSTRAINT' }) }),
  ]);
});

it('jobs in a transaction are refused without transactions of their store', async (test) => {
  const { store } = open(test, 'transaction.db');
  const { db } = open(test, 'other.db');
  const without = createJobs(storeBackend(store));
  without.define('a', { payload: Item, transaction: true }, () => undefined);
  await expect(without.start()).rejects.toMatchObject({
    code: 'INVALID_JOBS',
    message:
      "storeBackend() lacks the transactions for the jobs 'a'. Pass those that their handlers write with: const db = createTransactions(storeAdapter(store)), then storeBackend(store, db), and db.client.write() in handlers. Or remove transaction: true.",
  });
  await expect(createJobs(storeBackend(store, db)).start()).rejects.toMatchObject({
    code: 'INVALID_JOBS',
    message: expect.stringContaining('of another database than its store'),
  });
});

it('without transactions, jobs are stored at once', async (test) => {
  const { store, db } = open(test, 'apart.db');
  const jobs = createJobs(storeBackend(store));
  test.onTestFinished(() => jobs.stop(0));
  const ran: string[] = [];
  const job = jobs.define('apart', { payload: Item }, ({ payload }) => void ran.push(payload.item));
  await jobs.start();
  const rolledBack = db.run(async () => {
    await job.enqueue({ item: 'a' });
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  await expect.poll(() => ran).toEqual(['a']);
});

it('a job that throws a value without text is a dead letter', async (test) => {
  const { jobs } = open(test, 'textless.db');
  const job = jobs.define('textless', { payload: Item, retries: 0, concurrency: 1 }, () => {
    throw Object.create(null);
  });
  await jobs.start();
  await job.enqueue({ item: 'a' });
  await job.enqueue({ item: 'b' });
  await expect.poll(() => jobs.deadLetters.list()).toHaveLength(2);
  const [letter] = await jobs.deadLetters.list();
  expect(letter?.error).toBe('an object');
});
