import { StoreError, type StoreErrorCode } from '@fairlead/store';
import { DatabaseError } from 'pg';

/** The operation during which a connection failed. */
export type Stage = 'connecting' | 'reading' | 'writing';

const LOST_CONNECTION = 'lost the connection. Check that the database is running.';
const LOST_STATEMENT =
  'is behind a pooler that loses prepared statements. Enable prepared statements in the pooler, or ' +
  'use its session mode.';

const NO_TABLES =
  'has no tables of users-api, or other columns. Connect to the database that has the users, or restart ' +
  'users-api to create the tables.';

/** Problems and their fixes by code and then by SQLSTATE, its first two characters, or another key. */
const PROBLEMS: Partial<Record<StoreErrorCode, Readonly<Record<string, string>>>> = {
  STORE_UNREACHABLE: {
    connecting: 'cannot be reached. Check that the database is running.',
    reading: LOST_CONNECTION,
    password: 'requires a password. Add it to DATABASE_URL, or set PGPASSWORD.',
    tls: 'cannot be reached over TLS. Check sslmode, sslrootcert and the host in DATABASE_URL.',
    '08': LOST_CONNECTION,
    // PgBouncer uses this code for most of its errors.
    '08P01':
      'is behind a pooler that rejected the connection. Check the log of the pooler, and make it ' +
      'ignore statement_timeout.',
    '25006':
      'is read-only. Connect to the primary, or wait until this server is promoted. If it is the primary, set ' +
      'default_transaction_read_only to off.',
    '28': 'rejected the login. Check user, password and sslmode in DATABASE_URL, and PGPASSWORD.',
    '3D000': 'does not exist. Create the database.',
    '57': 'ended the connection. Check that the database is running.',
    '57P01':
      'ended the connection because an administrator requested it, or because it is stopping. Check that the database is running.',
    '57P02': 'ended all connections because of a crash. Check the log of the database.',
    '57P03': 'is starting or stopping. Wait until it is running.',
  },
  STORE_GONE: {
    '3F': NO_TABLES,
    '42P01': NO_TABLES,
    '42703': NO_TABLES,
  },
  STORE_INTERRUPTED: {
    writing:
      'lost the connection during a write, which may or may not have been committed. Check that ' +
      'the database is running.',
  },
  STORE_BUSY: {
    pool: 'had no free connection in time. Try again later, or raise POOL_SIZE.',
    '40': 'has too many concurrent writes to the same user. Try again later.',
    '53': 'has run out of connections or memory. Try again later, or lower POOL_SIZE.',
    '57014': 'did not respond in time. Check the database for long transactions and slow disks.',
  },
  STORE_LOCKED: { '55P03': 'is locked by another session. End that session, or try again later.' },
  STORE_FULL: { '53100': 'cannot grow because the disk is full. Free up disk space.' },
  STORE_READ_ONLY: {
    '42501':
      'denies access to its tables. Grant the database user access to the tables of the store.',
  },
  STORE_FAILED: {
    '': 'failed. Check the log of the database.',
    '22': 'cannot store a value. Use a database that was created with ENCODING UTF8.',
    '23': 'has a constraint that forbids a change. Remove it, because users-api did not create it.',
    '26000': LOST_STATEMENT,
    '42P05': LOST_STATEMENT,
  },
};

const BY_KEY = new Map(
  Object.entries(PROBLEMS).flatMap(([code, texts]) =>
    Object.entries(texts).map(([key, text]) => [key, [code as StoreErrorCode, text]] as const),
  ),
);

/** Message of the pool when no connection becomes free in time. */
export const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

/**
 * Translates an error of pg to a message for operators. The message of the database is only kept in the
 * cause, because it may quote user data.
 *
 * @param name - The store, for the message.
 * @returns A {@link StoreError} with `error` as its cause, or `error` itself if it is a StoreError.
 */
export function postgresProblem(error: unknown, name: string, stage: Stage): StoreError {
  if (error instanceof StoreError) return error;
  // For a host name with several addresses, an AggregateError contains the error of each address.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const message = first instanceof Error ? first.message : String(first);
  const isOfDatabase = error instanceof DatabaseError;
  const key = isOfDatabase ? keyOf(error, stage) : keyOfMessage(message, stage);
  const [code, text] = BY_KEY.get(key) ?? ['STORE_FAILED', ''];
  const reason = isOfDatabase ? `SQLSTATE ${error.code ?? 'unknown'}` : message;
  const problem = reason === '' ? text : text.replace('.', ` (${reason}).`);
  return new StoreError(code, `The store ${name} ${problem}`, error);
}

function keyOf({ code = '', severity }: DatabaseError, stage: Stage): string {
  // The database may have committed the write without being able to confirm it.
  if (stage === 'writing' && (severity === 'FATAL' || code === '40003')) return stage;
  return [code, code.slice(0, 2)].find((key) => BY_KEY.has(key)) ?? '';
}

function keyOfMessage(message: string, stage: Stage): string {
  if (stage !== 'connecting') return stage;
  if (message === NO_CONNECTION_FREE) return 'pool';
  if (message.includes('client password must be')) return 'password';
  return /certificate|SSL/.test(message) ? 'tls' : stage;
}

/** Whether the database rejected a statement because of one of its rows: value, constraint or limit. */
export function isRowError({ cause }: StoreError): boolean {
  return cause instanceof DatabaseError && /^(22|23|54)/.test(cause.code ?? '');
}

/** Whether the database lacks what a statement uses, or forbids it: syntax, access, feature. */
export function isUnsupported({ cause }: StoreError): boolean {
  return cause instanceof DatabaseError && /^(42|0A)/.test(cause.code ?? '');
}

/** SQLSTATEs, system error codes and pg messages of connections that were terminated, not refused. */
const TERMINATIONS = /^(57P01|57P02|ECONNRESET|EPIPE|Connection terminated unexpectedly)$/;

/** Whether a connection was terminated rather than refused. Opening another may succeed. */
export function isTermination(error: unknown): boolean {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return TERMINATIONS.test(code ?? message ?? '');
}
