import {
  isStandardSchema,
  type SchemaInput,
  type SchemaOutput,
  SetupError,
  type StandardSchema,
  type ValidationIssue,
} from '@fairlead/core';
import { assertOptions, throwTogether, validateValue } from '@fairlead/core/extend';
import {
  boolean,
  describeValue,
  findOptionProblems,
  fn,
  hasMethods,
  integer,
  type Kinds,
  kind,
  LONGEST_DELAY,
  milliseconds,
  reporterOf,
  string,
} from '@fairlead/options';
import type {
  ClaimedJob,
  DeadLetters,
  DeadLettersPage,
  JobBackend,
  JobFailure,
  JobSettings,
} from './backend.js';

/** Options of {@link Jobs.define}. Times are in milliseconds, which a backend may round up to seconds. */
export interface JobOptions<Schema extends StandardSchema> {
  /**
   * The schema of the payload, which is stored as JSON. Both `enqueue()` and the worker validate what JSON carries, so
   * dates arrive as texts: use a schema such as `z.coerce.date()`.
   */
  readonly payload: Schema;
  /** How often a job runs again after a failure, a timeout, or a crash or shutdown of its process. Default 10. */
  readonly retries?: number;
  /** The delay before the first retry, which doubles for each further one. Default 1,000. */
  readonly backoff?: number;
  /** The longest delay before a retry. Default 3,600,000: one hour. */
  readonly maxBackoff?: number;
  /**
   * How long a job may run before it has failed. Its handler counts for `concurrency` until it ends. Default 900,000: 15
   * minutes.
   */
  readonly timeout?: number;
  /** How many jobs of the kind each process runs at once. Default 4. */
  readonly concurrency?: number;
  /**
   * Whether the handler runs in a transaction that also completes the job, so that its writes happen exactly once.
   * Default false.
   */
  readonly transaction?: boolean;
}

/** A job, as its handler receives it. */
export interface RunningJob<Payload> {
  /** What the schema returned for the payload. */
  readonly payload: Payload;
  /** The ID that `enqueue()` returned. It stays the same when the job runs again. */
  readonly id: string;
  /** 1 for the first run. */
  readonly attempt: number;
  /** Aborts when the job has run for too long, or the process stops. Pass it to what the handler awaits. */
  readonly signal: AbortSignal;
}

/** Options of {@link Job.enqueue}. */
export interface EnqueueOptions {
  /** Milliseconds before the job may run. Default 0. */
  readonly delay?: number;
}

/** A kind of job. */
export interface Job<Payload> {
  readonly name: string;
  /**
   * Stores a job. Within a transaction, it exists if and only if that commits. Outside of one, it is stored when the
   * promise resolves.
   *
   * @returns The ID of the job.
   * @throws {TypeError} When the schema rejects the payload, or the backend cannot store it: PostgreSQL refuses text with
   *   NUL or half of a surrogate pair.
   */
  enqueue(payload: Payload, options?: EnqueueOptions): Promise<string>;
}

/** Runs a job. What it throws makes the job run again later. */
export type JobHandler<Payload> = (job: RunningJob<Payload>) => unknown;

/** The part of the lifecycle of `serve()` and `runProcess()` that jobs use. */
export interface JobLifecycle {
  /** Aborts when the shutdown begins. No job starts from then on. */
  readonly stopping: AbortSignal;
  onClose(callback: (remaining: number) => unknown): void;
  /** Returns the milliseconds until the deadline of the shutdown. */
  remaining?(): number;
}

/** Kinds of jobs, and what runs them. */
export interface Jobs {
  /**
   * Defines a kind of job.
   *
   * @param name - Identifies the kind in the storage: letters, digits, `.`, `-`, `_` and `/`.
   * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid. `INVALID_JOBS`, when the name is taken, or jobs
   *   are already open.
   */
  define<Schema extends StandardSchema>(
    name: string,
    options: JobOptions<Schema>,
    handler: JobHandler<SchemaOutput<Schema>>,
  ): Job<SchemaInput<Schema>>;
  /** Lets this process enqueue jobs, without running any. */
  open(lifecycle?: JobLifecycle): Promise<void>;
  /**
   * Lets this process enqueue jobs, and runs them.
   *
   * @param lifecycle - That of `serve()` or `runProcess()`, whose shutdown then stops the jobs, and aborts them half a
   *   second before its deadline. Without one, call `stop()`.
   */
  start(lifecycle?: JobLifecycle): Promise<void>;
  /**
   * Starts no further job, and waits for those that run. Another call waits for them, too.
   *
   * @param timeout - Milliseconds until they are aborted, to run again later; `Infinity` for never. The first call sets
   *   it. Default: until half a second before the deadline of a process that stops, and else 8,000.
   * @throws {SetupError} `INVALID_OPTION`, when the timeout is no number of at least 0.
   */
  stop(timeout?: number): Promise<void>;
  readonly deadLetters: DeadLetters;
}

/** Options of {@link createJobs}. */
export interface JobsOptions {
  /**
   * Receives an error for each failed run of a job, with the cause, and errors of the storage. Default:
   * `console.error`.
   */
  readonly onError?: (error: unknown) => void;
}

/** An error of a handler after which its job must not run again. */
export class UnrecoverableError extends Error {
  override readonly name: string = 'UnrecoverableError';
}

const RETRIES = 10;
const BACKOFF = 1_000;
const MAX_BACKOFF = 3_600_000;
const TIMEOUT = 900_000;
const CONCURRENCY = 4;

/** Default of {@link Jobs.stop} unless the process stops: what `serve()` gives open requests. */
const STOP_TIMEOUT = 8_000;

/** Milliseconds before the deadline of a process for recording which jobs were aborted, and closing what they use. */
const SETTLING = 500;

/** The longest times that every backend accepts: one day. */
export const ONE_DAY = 86_400_000;

/** What the options of a kind of job accept. */
export const JOB_OPTIONS: Kinds<JobOptions<StandardSchema>> = {
  payload: kind('a Standard Schema, such as one of zod, valibot or arktype', isStandardSchema),
  retries: integer(0, 1_000),
  backoff: integer(0, ONE_DAY, 'number of milliseconds'),
  maxBackoff: integer(0, ONE_DAY, 'number of milliseconds'),
  timeout: integer(1, ONE_DAY, 'number of milliseconds'),
  concurrency: integer(1, 1_000),
  transaction: boolean,
};
const JOBS_OPTIONS: Kinds<JobsOptions> = { onError: fn };
const ENQUEUE_OPTIONS: Kinds<EnqueueOptions> = { delay: milliseconds };
const PAGE_OPTIONS: Kinds<DeadLettersPage> = { limit: integer(1, 1_000), after: string };

/** A definition, which the type of its payload does not distinguish anymore. */
interface Definition {
  readonly settings: JobSettings;
  readonly run: (job: ClaimedJob) => Promise<void>;
}

/**
 * Creates jobs. Define their kinds, then call `start()` or `open()`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function createJobs(backend: JobBackend, options: JobsOptions = {}): Jobs {
  assertOptions('createJobs()', options, JOBS_OPTIONS);
  const onError = reporterOf('onError of createJobs()', options.onError);
  const definitions = new Map<string, Definition>();
  let state: 'defining' | 'opening' | 'open' | 'stopping' | 'stopped' = 'defining';
  let end: Promise<void> | undefined;
  /** Returns the default of {@link Jobs.stop}. */
  let timeLeft = (): number => STOP_TIMEOUT;

  const begin = async (call: string, works: boolean, lifecycle?: JobLifecycle): Promise<void> => {
    if (state !== 'defining') {
      throw misused(`${call} was called, but jobs are ${state} already. Call it once per process.`);
    }
    if (lifecycle !== undefined && !isLifecycle(lifecycle)) {
      throw new SetupError(
        'INVALID_OPTION',
        `${call} cannot use ${describeValue(lifecycle)} as the lifecycle. Pass the argument of the function that serve() or runProcess() calls.`,
      );
    }
    state = 'opening';
    const kinds = [...definitions.values()];
    try {
      await backend.open(
        kinds.map(({ settings }) => settings),
        works,
        onError,
      );
    } catch (error) {
      state = 'defining';
      throw error;
    }
    state = 'open';
    if (lifecycle !== undefined) {
      timeLeft = () => timeLeftOf(lifecycle.remaining?.());
      lifecycle.onClose(async function jobs(remaining) {
        await stop(timeLeftOf(remaining));
      });
    }
    if (!works) return;
    const pause = (): void => backend.pause();
    lifecycle?.stopping.addEventListener('abort', pause, { once: true });
    for (const { settings, run } of kinds) {
      if (lifecycle?.stopping.aborted) return;
      await backend.work(settings, (job) => attempt(job, settings, run, onError));
    }
  };

  const close = async (timeout: number): Promise<void> => {
    state = 'stopping';
    backend.pause();
    // Jobs that run until then may add others. With a longer time, a timer would end at once.
    await backend.close(Math.min(timeout, LONGEST_DELAY));
    state = 'stopped';
  };

  const stop = async (timeout: number): Promise<void> => {
    if (typeof timeout !== 'number' || !(timeout >= 0)) {
      const message = `stop() of jobs cannot use ${describeValue(timeout)}. Pass milliseconds, or nothing.`;
      throw new SetupError('INVALID_OPTION', message);
    }
    if (state === 'open') end = close(timeout);
    await end;
  };

  return Object.freeze({
    define<Schema extends StandardSchema>(
      name: string,
      jobOptions: JobOptions<Schema>,
      handler: JobHandler<SchemaOutput<Schema>>,
    ): Job<SchemaInput<Schema>> {
      assertDefinition(name, jobOptions, handler);
      if (state !== 'defining') {
        throw misused(
          `The job '${name}' was defined after jobs were opened. Import its module before start() and open().`,
        );
      }
      if (definitions.has(name)) {
        throw misused(`The job '${name}' is defined twice. Rename one, or remove it.`);
      }
      const { payload: schema, transaction = false } = jobOptions;
      const run = async (job: ClaimedJob): Promise<void> => {
        const { id, attempt: count, signal } = job;
        const payload = (await readPayload(schema, job.payload, (issues) => {
          const text = `The stored payload does not match the schema: ${issues}`;
          return new UnrecoverableError(text);
        })) as SchemaOutput<Schema>;
        const handle = async (): Promise<void> => {
          await handler(Object.freeze({ payload, id, attempt: count, signal }));
        };
        if (transaction) await job.transact(handle);
        else await handle();
      };
      definitions.set(name, { settings: settingsOf(name, jobOptions), run });
      return Object.freeze({
        name,
        async enqueue(input: SchemaInput<Schema>, { delay = 0, ...rest }: EnqueueOptions = {}) {
          assertOptions(`enqueue() of '${name}'`, { delay, ...rest }, ENQUEUE_OPTIONS);
          const text = JSON.stringify(input);
          if (text === undefined) {
            throw new TypeError(
              `Cannot enqueue the job '${name}': JSON cannot carry ${describeValue(input)}. Pass an object.`,
            );
          }
          const payload: unknown = JSON.parse(text);
          await readPayload(schema, payload, (issues) => {
            const fix = 'Pass a payload whose JSON fits the schema.';
            return new TypeError(`Cannot enqueue the job '${name}': ${issues}. ${fix}`);
          });
          if (state !== 'open' && state !== 'stopping') {
            throw new Error(
              state === 'stopped'
                ? `Cannot enqueue the job '${name}': jobs have stopped. Enqueue it before the onClose callback of jobs, in a request or a job.`
                : `Cannot enqueue the job '${name}': jobs are not open yet. Await start() or open() when the process starts.`,
            );
          }
          return backend.add(name, payload, delay);
        },
      });
    },
    open: (lifecycle?: JobLifecycle) => begin('open()', false, lifecycle),
    start: (lifecycle?: JobLifecycle) => begin('start()', true, lifecycle),
    stop: (timeout = timeLeft()) => stop(timeout),
    deadLetters: Object.freeze({
      retry: (id: string) => backend.deadLetters.retry(id),
      discard: (id: string) => backend.deadLetters.discard(id),
      async list(page: DeadLettersPage = {}) {
        assertOptions('deadLetters.list()', page, PAGE_OPTIONS);
        return backend.deadLetters.list(page);
      },
    }),
  });
}

/** Runs a job once. Never rejects. */
async function attempt(
  job: ClaimedJob,
  { name, retries }: JobSettings,
  run: (job: ClaimedJob) => Promise<void>,
  onError: (error: unknown) => void,
): Promise<JobFailure | undefined> {
  try {
    await run(job);
    return undefined;
  } catch (error) {
    const isFinal = error instanceof UnrecoverableError;
    const isLast = isFinal || job.attempt > retries;
    const next = isLast ? 'It is a dead letter now.' : 'It will run again.';
    const count = `attempt ${job.attempt} of ${retries + 1}`;
    onError(new Error(`The job '${name}' (${job.id}) failed: ${count}. ${next}`, { cause: error }));
    return { error, isFinal };
  }
}

/**
 * Validates a payload.
 *
 * @param reject - Creates the error for its issues.
 */
async function readPayload(
  schema: StandardSchema,
  value: unknown,
  reject: (issues: string) => Error,
): Promise<unknown> {
  const issues: ValidationIssue[] = [];
  const payload = await validateValue(schema, value, ['payload'], issues);
  if (issues.length === 0) return payload;
  throw reject(issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}

function settingsOf(name: string, options: JobOptions<StandardSchema>): JobSettings {
  const {
    retries = RETRIES,
    backoff = BACKOFF,
    maxBackoff = MAX_BACKOFF,
    timeout = TIMEOUT,
    concurrency = CONCURRENCY,
    transaction = false,
  } = options;
  return Object.freeze({ name, retries, backoff, maxBackoff, timeout, concurrency, transaction });
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertDefinition(
  name: unknown,
  options: JobOptions<StandardSchema>,
  handler: unknown,
): void {
  if (typeof name !== 'string' || !/^[\w.\-/]{1,128}$/.test(name)) {
    throw new SetupError(
      'INVALID_OPTION',
      `define() cannot use ${describeValue(name)} as the name of a job. Use up to 128 letters, digits, '.', '-', '_' and '/'.`,
    );
  }
  const call = `define('${name}')`;
  const problems = findOptionProblems(call, options, JOB_OPTIONS);
  if (Object(options).payload === undefined) {
    problems.push(`${call} needs the option payload. Pass the schema of the payload.`);
  }
  if (!fn.accepts(handler)) {
    problems.push(`${call} cannot use ${describeValue(handler)} as the handler. Pass a function.`);
  }
  throwTogether(problems);
}

/**
 * Returns how long jobs may run before they are aborted.
 *
 * @param remaining - Milliseconds until the deadline of a process that stops; `Infinity` for one that doesn't.
 */
function timeLeftOf(remaining = Infinity): number {
  return remaining === Infinity ? STOP_TIMEOUT : Math.max(remaining - SETTLING, 0);
}

function isLifecycle(value: object): boolean {
  return hasMethods('onClose')(value) && Reflect.get(value, 'stopping') instanceof AbortSignal;
}

function misused(message: string): SetupError {
  return new SetupError('INVALID_JOBS', message);
}
