import { DatabaseError } from 'pg';
import { StoreError, type StoreErrorCode } from '../store-error.js';

/** The operation during which a connection failed. */
export type Stage = 'connecting' | 'reading' | 'writing';

/** Code, problem and fix. */
type Problem = readonly [StoreErrorCode, string, string];

const CHECK_DATABASE = 'Check that the database is running';

const LOST_CONNECTION: Problem = ['STORE_UNREACHABLE', 'lost the connection', CHECK_DATABASE];

const LOST_STATEMENT: Problem = [
  'STORE_FAILED',
  'is behind a pooler that loses prepared statements',
  'Enable prepared statements in the pooler, or use its session mode',
];

// SQLSTATEs, or their two-character classes: https://www.postgresql.org/docs/current/errcodes-appendix.html
const PROBLEMS: Readonly<Record<string, Problem>> = {
  '08': LOST_CONNECTION,
  // PgBouncer uses this code for most of its errors.
  '08P01': [
    'STORE_UNREACHABLE',
    'is behind a pooler that rejected the connection',
    'Check the log of the pooler, and make it ignore statement_timeout',
  ],
  '22': [
    'STORE_FAILED',
    'cannot store a value',
    'Use a database that was created with ENCODING UTF8',
  ],
  '23': [
    'STORE_FAILED',
    'has a constraint that forbids a change',
    'Remove the constraint, which users-api did not create',
  ],
  '26000': LOST_STATEMENT,
  '42P05': LOST_STATEMENT,
  '25006': [
    'STORE_UNREACHABLE',
    'is a standby that rejects writes',
    'Wait for its promotion, or connect to the primary',
  ],
  '28': ['STORE_UNREACHABLE', 'rejected the login', 'Check the user and password in DATABASE_URL'],
  '3D000': ['STORE_UNREACHABLE', 'does not exist', 'Create the database'],
  '40': ['STORE_BUSY', 'has too many concurrent writes to the same user', 'Try again later'],
  '42501': [
    'STORE_READ_ONLY',
    'denies access to its tables',
    'Grant the database user access to the tables of the store',
  ],
  '53100': ['STORE_FULL', 'cannot grow because the disk is full', 'Free up disk space'],
  '53': [
    'STORE_BUSY',
    'has run out of connections or memory',
    'Try again later, or lower POOL_SIZE',
  ],
  '55P03': ['STORE_LOCKED', 'is locked by another session', 'End that session, or try again later'],
  '57014': [
    'STORE_BUSY',
    'did not respond in time',
    'Check the database for long transactions and slow disks',
  ],
  '57': ['STORE_UNREACHABLE', 'is starting or stopping', 'Wait until it is running'],
};

const CONNECTION_PROBLEMS: Readonly<Record<Stage, Problem>> = {
  connecting: ['STORE_UNREACHABLE', 'cannot be reached', CHECK_DATABASE],
  reading: LOST_CONNECTION,
  writing: [
    'STORE_INTERRUPTED',
    'lost the connection during a write, which may or may not have been committed',
    CHECK_DATABASE,
  ],
};

const UNKNOWN: Problem = ['STORE_FAILED', 'failed', 'Check the log of the database'];

/** Message of the pool when no connection becomes free in time. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

/**
 * Translates an error of pg to a message for operators. The message of the database is only kept in the
 * cause, because it may quote user data.
 *
 * @param error - The error to translate.
 * @param name - The store, for the message.
 * @param stage - The operation that failed.
 * @returns A {@link StoreError} with `error` as its cause, or `error` itself if it is a StoreError.
 */
export function postgresProblem(error: unknown, name: string, stage: Stage): StoreError {
  if (error instanceof StoreError) return error;
  const [code, problem, fix] = problemOf(error, stage);
  const reason = reasonOf(error);
  const details = reason && ` (${reason})`;
  return new StoreError(code, `The store ${name} ${problem}${details}. ${fix}.`, error);
}

/** Whether a statement conflicted with a concurrent one and may succeed when retried. */
export function isContention(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/** Classes of errors in a single row: invalid data, violated constraint, exceeded limit. */
const ROW_ERRORS: ReadonlySet<string | undefined> = new Set(['22', '23', '54']);

/** Whether the database rejected a statement because of one of its rows. */
export function isRowError({ cause }: StoreError): boolean {
  return cause instanceof DatabaseError && ROW_ERRORS.has(cause.code?.slice(0, 2));
}

/** Whether the database closes the connection with this error. */
export function isFatal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.severity === 'FATAL';
}

/** Whether a connection is unusable after an error. */
export function breaksConnection(error: unknown): boolean {
  return !(error instanceof DatabaseError) || isFatal(error);
}

/** SQLSTATEs, system error codes and pg messages of connections that were terminated, not refused. */
const TERMINATIONS: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  'ECONNRESET',
  'EPIPE',
  'Connection terminated unexpectedly',
]);

/** Whether a connection was terminated rather than refused. Opening another may succeed. */
export function isTermination(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  return TERMINATIONS.has(code ?? message);
}

function problemOf(error: unknown, stage: Stage): Problem {
  if (error instanceof DatabaseError) {
    const { code = '' } = error;
    // The database may have committed the write without being able to confirm it.
    if (stage === 'writing' && (isFatal(error) || code === '40003')) {
      return CONNECTION_PROBLEMS.writing;
    }
    return PROBLEMS[code] ?? PROBLEMS[code.slice(0, 2)] ?? UNKNOWN;
  }
  if (error instanceof Error && error.message === NO_CONNECTION_FREE) {
    return ['STORE_BUSY', 'had no free connection in time', 'Try again later, or raise POOL_SIZE'];
  }
  return CONNECTION_PROBLEMS[stage];
}

function reasonOf(error: unknown): string {
  if (error instanceof DatabaseError) return `SQLSTATE ${error.code ?? 'unknown'}`;
  // For a host name with several addresses, an AggregateError contains the error of each address.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
