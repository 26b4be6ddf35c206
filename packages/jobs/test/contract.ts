import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it, type TestContext, vi } from 'vitest';
import { z } from 'zod';
import { type Jobs, type RunningJob, UnrecoverableError } from '../src/index.js';

export const Item = z.object({ item: z.string() });

export const messagesOf = (errors: readonly unknown[]) =>
  errors.map((error) => Reflect.get(Object(error), 'message'));

/** The jobs of a process, which stop with the test. */
export interface OpenedJobs {
  readonly jobs: Jobs;
  /** What `onError` has received. */
  readonly errors: readonly unknown[];
}

/** Defines a job that runs until it is released. */
function define(jobs: Jobs, name: string) {
  const started = Promise.withResolvers<RunningJob<unknown>>();
  const released = Promise.withResolvers<void>();
  const job = jobs.define(name, { payload: Item, concurrency: 1, backoff: 0 }, async (run) => {
    started.resolve(run);
    await released.promise;
  });
  return { job, started: started.promise, release: released.resolve };
}

/**
 * Tests what every backend does.
 *
 * @param open - Opens the jobs of another process, which share the storage.
 */
export function testBackend(name: string, open: (test: TestContext) => OpenedJobs): void {
  describe.concurrent(`jobs of ${name}`, () => {
    it('that failed for the last time are listed, retried and discarded', async (test) => {
      const { expect } = test;
      const { jobs, errors } = open(test);
      const runs: RunningJob<{ item: string }>[] = [];
      let isFixed = false;
      const job = jobs.define('dead', { payload: Item, retries: 1, backoff: 0 }, (run) => {
        runs.push(run);
        if (!isFixed) throw new Error(`run ${run.attempt}`);
      });
      const final = jobs.define('final', { payload: Item }, ({ attempt }) => {
        throw new UnrecoverableError(`final ${attempt}`);
      });
      await jobs.start();
      // Other tests may share the storage.
      const list = async () =>
        (await jobs.deadLetters.list()).filter((one) => ['dead', 'final'].includes(one.name));
      const id = await job.enqueue({ item: 'x' });
      await expect.poll(list).toHaveLength(1);
      await final.enqueue({ item: 'y' });
      await expect.poll(list).toHaveLength(2);
      const [first, second] = await list();
      expect([first, second]).toEqual([
        {
          id: expect.any(String),
          jobId: id,
          name: 'dead',
          payload: { item: 'x' },
          error: 'run 2',
          attempts: 2,
          failedAt: expect.any(Date),
        },
        expect.objectContaining({ name: 'final', error: 'final 1', attempts: 1 }),
      ]);
      expect(messagesOf(errors)).toEqual([
        `The job 'dead' (${id}) failed: attempt 1 of 2. It will run again.`,
        `The job 'dead' (${id}) failed: attempt 2 of 2. It is a dead letter now.`,
        expect.stringContaining('attempt 1 of 11. It is a dead letter now.'),
      ]);
      const [one, other] = [first?.id ?? '', second?.id ?? ''];
      const after = await jobs.deadLetters.list({ limit: 1_000, after: one });
      expect([after.some((letter) => letter.id === one), after]).toEqual([
        false,
        expect.arrayContaining([second]),
      ]);
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
      expect(await jobs.deadLetters.discard(other)).toBe(false);
      expect(await list()).toEqual([]);
    });

    it('that are no dead letters are neither retried nor discarded', async (test) => {
      const { expect } = test;
      const { jobs } = open(test);
      const job = jobs.define('buried', { payload: Item, retries: 0 }, () => {
        throw new Error('no');
      });
      await jobs.start();
      await job.enqueue({ item: 'a' });
      const names = async () =>
        (await jobs.deadLetters.list({ limit: 1_000 })).map((letter) => letter.name);
      await expect.poll(names).toContain('buried');
      for (const id of ['', 'x', '-1', '1.5', '9'.repeat(20), crypto.randomUUID()]) {
        expect(await jobs.deadLetters.retry(id)).toBe(false);
        expect(await jobs.deadLetters.discard(id)).toBe(false);
        // As after one that was retried or discarded, the list begins again.
        const after = await jobs.deadLetters.list({ limit: 1_000, after: id });
        expect(after.map((letter) => letter.name)).toContain('buried');
      }
    });

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

    it('may add others while the process stops', async (test) => {
      const { expect } = test;
      const { jobs, errors } = open(test);
      const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const ran: string[] = [];
      // Also here, if it was about to be claimed when the process began to stop.
      const run = ({ payload }: RunningJob<{ item: string }>) => void ran.push(payload.item);
      const second = jobs.define('second', { payload: Item }, run);
      const first = jobs.define('first', { payload: Item }, async ({ payload }) => {
        started.resolve();
        await released.promise;
        await second.enqueue(payload);
      });
      await jobs.start();
      await first.enqueue({ item: 'a' });
      await started.promise;
      const stopped = jobs.stop();
      released.resolve();
      await stopped;
      expect(errors).toEqual([]);
      const other = open(test);
      other.jobs.define('second', { payload: Item }, run);
      await other.jobs.start();
      await expect.poll(() => ran).toEqual(['a']);
    });

    it('do not run in the asynchronous context of what adds them', async (test) => {
      const { expect } = test;
      const { jobs } = open(test);
      const request = new AsyncLocalStorage<string>();
      const seen: unknown[] = [];
      const job = jobs.define(
        'context',
        { payload: Item },
        () => void seen.push(request.getStore()),
      );
      await jobs.start();
      await request.run('a request', () => job.enqueue({ item: 'a' }));
      await expect.poll(() => seen).toEqual([undefined]);
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

    it('that run for too long are aborted, and run again', async (test) => {
      const { expect } = test;
      const { jobs } = open(test);
      const attempts: number[] = [];
      const job = jobs.define(
        'long',
        { payload: Item, timeout: 1_000, backoff: 0, concurrency: 1 },
        async ({ attempt, signal }) => {
          attempts.push(attempt);
          if (attempt > 1) return;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          throw signal.reason;
        },
      );
      await jobs.start();
      await job.enqueue({ item: 'a' });
      await expect.poll(() => attempts).toEqual([1, 2]);
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
      const ran: string[] = [];
      const job = web.jobs.define('split', { payload: Item }, () => void ran.push('web'));
      worker.jobs.define('split', { payload: Item }, () => void ran.push('worker'));
      await web.jobs.open();
      await worker.jobs.start();
      await job.enqueue({ item: 'a' });
      await expect.poll(() => ran).toEqual(['worker']);
    });

    it('run at once up to their concurrency', async (test) => {
      const { expect } = test;
      const { jobs } = open(test);
      let [running, most, done] = [0, 0, 0];
      const together = Promise.withResolvers<void>();
      const options = { payload: Item, concurrency: 2 };
      const job = jobs.define('concurrent', options, async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 2) together.resolve();
        await together.promise;
        await new Promise((resolve) => setTimeout(resolve, 50));
        running -= 1;
        done += 1;
      });
      await jobs.start();
      await Promise.all(Array.from({ length: 6 }, () => job.enqueue({ item: 'a' })));
      await expect.poll(() => done).toBe(6);
      expect(most).toBe(2);
    });
  });

  describe(`the shutdown with jobs of ${name}`, () => {
    it('aborts those that still run before its deadline', async (test) => {
      const { expect, onTestFinished } = test;
      const { jobs } = open(test);
      const { job, started, release } = define(jobs, 'deadline');
      const callbacks: ((remaining: number) => unknown)[] = [];
      await jobs.start({
        stopping: new AbortController().signal,
        onClose: (callback) => callbacks.push(callback),
      });
      await job.enqueue({ item: 'a' });
      const { signal } = await started;
      onTestFinished(() => void vi.useRealTimers());
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const closed = callbacks.map((callback) => callback(10_000));
      await vi.advanceTimersByTimeAsync(9_400);
      expect(signal.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(100);
      await Promise.all(closed);
      expect(signal.aborted).toBe(true);
      release();
    });
  });
}
