import { token } from '@fairlead/di';
import { createJobs, type Job, type JobLifecycle } from '@fairlead/jobs';
// #if postgres
import { pgBossBackend } from '@fairlead/jobs/pg-boss';
// #endif
// #if sqlite
import { storeBackend } from '@fairlead/jobs/store';
// #endif
import type { Config } from './config.js';
import type { Database } from './database.js';
import { Task } from './schemas.js';

/** What the rest of the API enqueues. */
export interface Jobs {
  readonly taskCreated: Pick<Job<Task>, 'enqueue'>;
}

export const JOBS = token<Jobs>('Jobs');

interface Options {
  readonly config: Config;
  /** Its shutdown stops the jobs. */
  readonly lifecycle?: JobLifecycle;
  /** By default, errors are printed, without the user data of the database. */
  readonly onError?: (error: unknown) => void;
}

/** Starts the workers of this process. Disposing the container stops them, before it closes the database. */
export async function startJobs(database: Database, { config, lifecycle, onError }: Options) {
  // biome-ignore lint/correctness/noUnusedVariables: One of two remains. #if postgres
  const backend = pgBossBackend(database.transactions, config.DATABASE_URL);
  // #endif
  // biome-ignore lint/suspicious/noRedeclare: One of two remains. #if sqlite
  const backend = storeBackend(database);
  // #endif
  const jobs = createJobs(backend, onError && { onError });
  // An error makes a job run again. One whose process was killed may run twice, with the same ID.
  const taskCreated = jobs.define('task-created', { payload: Task }, async (job) => {
    if (config.WEBHOOK_URL === undefined) return;
    const response = await fetch(config.WEBHOOK_URL, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': job.id },
      body: JSON.stringify(job.payload),
      signal: job.signal,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The webhook responded with ${response.status}.`);
  });
  await jobs.start(lifecycle);
  return { taskCreated, [Symbol.asyncDispose]: () => jobs.stop() };
}

/** Stands in for the jobs in commands that need none. */
export const NO_JOBS: Jobs = {
  taskCreated: { enqueue: () => Promise.reject(new Error('There are no jobs offline.')) },
};
