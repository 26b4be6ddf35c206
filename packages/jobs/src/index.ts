export type {
  ClaimedJob,
  DeadLetter,
  DeadLetters,
  DeadLettersPage,
  JobBackend,
  JobFailure,
  JobSettings,
} from './backend.js';
export {
  createJobs,
  type EnqueueOptions,
  type Job,
  type JobHandler,
  type JobLifecycle,
  type JobOptions,
  type Jobs,
  type JobsOptions,
  type RunningJob,
  UnrecoverableError,
} from './jobs.js';
