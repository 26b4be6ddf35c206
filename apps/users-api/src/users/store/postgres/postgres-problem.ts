import { DatabaseError } from 'pg';
import { StoreError, type StoreErrorCode } from '../store-error.js';

/** What was under way when a connection failed. */
export type Stage = 'connecting' | 'reading' | 'writing';

type Problem = readonly [StoreErrorCode, string];

const LOST_STATEMENT: Problem = [
  'STORE_FAILED',
  'has a pooler before it that loses prepared statements: let it keep them, or pool sessions',
];

// https://www.postgresql.org/docs/current/errcodes-appendix.html; two characters name a whole class.
const PROBLEMS: Readonly<Record<string, Problem>> = {
  '08': ['STORE_UNREACHABLE', 'has lost the connection: check that the database runs'],
  // The code that PgBouncer gives to most of what it refuses.
  '08P01': [
    'STORE_UNREACHABLE',
    'is refused by the pooler before it: look into its log, and let it ignore statement_timeout',
  ],
  '22': ['STORE_FAILED', 'cannot hold a value: create the database with ENCODING UTF8'],
  '23': ['STORE_FAILED', 'forbids a change: remove the constraint, which is not of users-api'],
  '26000': LOST_STATEMENT,
  '42P05': LOST_STATEMENT,
  '25006': ['STORE_UNREACHABLE', 'is a standby that takes no writes: wait for its promotion'],
  '28': ['STORE_UNREACHABLE', 'refuses this user: check user and password in DATABASE_URL'],
  '3D000': ['STORE_UNREACHABLE', 'does not exist: create the database'],
  '40': ['STORE_BUSY', 'has too many writers of one user: try again later'],
  '42501': ['STORE_READ_ONLY', 'may not be used by this user: grant it the tables of the store'],
  '53100': ['STORE_FULL', 'cannot grow, the disk is full: make room'],
  '53': ['STORE_BUSY', 'has no connection or memory left: try again later, or lower POOL_SIZE'],
  '55P03': ['STORE_LOCKED', 'is locked by another session: end that session, or try again later'],
  '57014': ['STORE_BUSY', 'has not answered in time: look for long transactions and a slow disk'],
  '57': ['STORE_UNREACHABLE', 'is being started or stopped: wait until it is up'],
};

const OF_STAGE: Readonly<Record<Stage, Problem>> = {
  connecting: ['STORE_UNREACHABLE', 'cannot be reached: check that the database runs'],
  reading: ['STORE_UNREACHABLE', 'has lost the connection: check that the database runs'],
  writing: [
    'STORE_INTERRUPTED',
    'has lost the connection during a write, which may be there or not: check that the database runs',
  ],
};

/** Said by the pool when all its connections are in use for too long. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

/**
 * Says what an error of pg means to whoever runs the service. What the database wrote is kept as the
 * cause alone: it may quote what users sent.
 *
 * @param error - What was thrown.
 * @param name - The store, for the message.
 * @param stage - What was under way.
 * @returns A {@link StoreError} with `error` as its cause; `error` itself when it is one already.
 */
export function postgresProblem(error: unknown, name: string, stage: Stage): StoreError {
  if (error instanceof StoreError) return error;
  const [code, text] = problemOf(error, stage);
  const reason = reasonOf(error);
  return new StoreError(code, `The store ${name} ${text}${reason && ` (${reason})`}.`, error);
}

/** Whether a statement was undone because of others beside it, and may succeed when it is sent again. */
export function isContention(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/** Data, constraint, limit: what is wrong with one row, and not with those beside it. */
const OF_ONE_ROW: ReadonlySet<string | undefined> = new Set(['22', '23', '54']);

/** Whether the database has refused a statement for what it was given. */
export function isRefused({ cause }: StoreError): boolean {
  return cause instanceof DatabaseError && OF_ONE_ROW.has(cause.code?.slice(0, 2));
}

/** Whether the database ends the connection with an error. */
export function isFatal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.severity === 'FATAL';
}

/** Whether a connection is of no use after an error. */
export function breaksConnection(error: unknown): boolean {
  return !(error instanceof DatabaseError) || isFatal(error);
}

/** How a connection ends that was not refused: SQLSTATE, code of a system error, or message of pg. */
const ENDINGS: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  'ECONNRESET',
  'EPIPE',
  'Connection terminated unexpectedly',
]);

/** Whether a connection that was opening was ended rather than refused, so that another may open. */
export function isEnded(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  return ENDINGS.has(code ?? message);
}

function problemOf(error: unknown, stage: Stage): Problem {
  if (error instanceof DatabaseError) {
    const { code = '' } = error;
    // The database may have made a write and not been able to say so.
    if (stage === 'writing' && (isFatal(error) || code === '40003')) {
      return OF_STAGE.writing;
    }
    return PROBLEMS[code] ?? PROBLEMS[code.slice(0, 2)] ?? ['STORE_FAILED', 'failed'];
  }
  if (error instanceof Error && error.message === NO_CONNECTION_FREE) {
    return [
      'STORE_BUSY',
      'has had no free connection in time: raise POOL_SIZE, or try again later',
    ];
  }
  return OF_STAGE[stage];
}

function reasonOf(error: unknown): string {
  if (error instanceof DatabaseError) return `SQLSTATE ${error.code}`;
  // Of a name with several addresses, each has an error of its own.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
