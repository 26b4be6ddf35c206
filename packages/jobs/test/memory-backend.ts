import type { ClaimedJob, JobBackend, JobFailure } from '../src/index.js';

/** A job as the backend keeps it. */
interface Kept {
  readonly name: string;
  readonly payload: unknown;
  readonly delay: number;
}

/** A backend that only notes what it is asked to do. `run()` runs the jobs that were added. */
export function openNotes() {
  const log: string[] = [];
  const added: Kept[] = [];
  const workers = new Map<string, (job: ClaimedJob) => Promise<JobFailure | undefined>>();
  let fails: Error | undefined;
  const backend: JobBackend = {
    async open(kinds, works) {
      if (fails !== undefined) throw fails;
      log.push(`open ${kinds.map(({ name }) => name).join()} ${works}`);
    },
    async add(name, payload, delay) {
      added.push({ name, payload, delay });
      return `${added.length}`;
    },
    async work({ name }, run) {
      workers.set(name, run);
    },
    pause: () => void log.push('pause'),
    close: async (timeout) => void log.push(`close ${timeout}`),
    deadLetters: { list: async () => [], retry: async () => false, discard: async () => false },
  };
  return {
    backend,
    log,
    added,
    /** Makes `open()` fail, or not anymore. */
    failWith(error: Error | undefined) {
      fails = error;
    },
    /** Runs a job as a worker would. */
    run(name: string, payload: unknown, attempt = 1) {
      const job: ClaimedJob = {
        id: '7',
        payload,
        attempt,
        signal: new AbortController().signal,
        async transact(work) {
          log.push('begin');
          await work();
          log.push('commit');
        },
      };
      return workers.get(name)?.(job);
    },
  };
}
