import { StoreError, type StoreErrorCode } from '@fairlead/store';
import { DatabaseError } from 'pg';

/** The operation during which a connection failed. */
export type Stage = 'connecting' | 'reading' | 'writing';

const LOST_CONNECTION =
  'lost the connection. The database has restarted or failed over, or the network has failed. If this ' +
  'continues, check that the database is running.';
const LOST_STATEMENT =
  'is behind a pooler that loses prepared statements. Enable prepared statements in the pooler, or ' +
  'use its session mode.';

const NO_TABLES =
  'has no tables of users-api, or other columns. Connect to the database that has the users, or restore a ' +
  'backup. Only a new installation needs new tables, which a restart of users-api creates.';
const NO_DATABASE =
  'does not exist. Check the name in DATABASE_URL, and whether the database was renamed: ask the server ' +
  'with psql --list. Only a new installation needs a new database.';
const NO_SESSION =
  'accepts no more sessions. End unused ones, or raise max_connections above the sum of POOL_SIZE of all ' +
  'processes.';
const POOLER = 'is behind a pooler that';

/** Problems and their fixes by code and then by SQLSTATE, its first two characters, or another key. */
const PROBLEMS: Partial<Record<StoreErrorCode, Readonly<Record<string, string>>>> = {
  STORE_UNREACHABLE: {
    connecting: 'cannot be reached. Check that the database is running.',
    closed:
      'closed the connection before the login. If a balancer or a pooler is in front of it, that has no ' +
      'primary: wait until the failover ends, or check its servers. Otherwise, check that the database is running.',
    reading: LOST_CONNECTION,
    'late reading':
      'does not respond. Check that its machine and its disk are not frozen, or wait until the failover ends.',
    password: 'requires a password. Add it to DATABASE_URL, or set PGPASSWORD.',
    tls: 'cannot be reached over TLS. Check sslmode, sslrootcert and the host in DATABASE_URL.',
    '08': LOST_CONNECTION,
    // PgBouncer uses this code for most of its errors.
    '08P01': `${POOLER} rejected the connection. Check the log of the pooler.`,
    'pooler parameter': `${POOLER} rejected a parameter. Add statement_timeout to its ignore_startup_parameters.`,
    'pooler server': `${POOLER} cannot connect to it. Check that the database is running, and the login of the pooler.`,
    '25006':
      'is read-only. Connect to the primary, or wait until this server is promoted. If it is the primary, set ' +
      'default_transaction_read_only to off.',
    '28': 'rejected the login. Check user, password and sslmode in DATABASE_URL, and PGPASSWORD.',
    '3D000': NO_DATABASE,
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
      'lost the connection during a write, which may or may not have been committed. The database has ' +
      'restarted or failed over, or the network has failed. If this continues, check that the database is running.',
    'late writing':
      'did not finish a write in time, which may or may not have been committed. Ask pg_stat_activity for its ' +
      'wait_event: SyncRep means that a synchronous standby is missing, IO that the disk hangs.',
  },
  STORE_BUSY: {
    pool:
      'had no free connection in time. Find out with pg_stat_activity what the statements of users-api wait ' +
      'for. Raise POOL_SIZE only if they are fast, and max_connections exceeds the sum of all processes.',
    'pooler full': `${POOLER} has no free connection. Raise its pool_size or max_client_conn above the sum of POOL_SIZE of all processes.`,
    '40': 'has too many concurrent writes to the same user. Try again later.',
    '53': 'has run out of memory or another resource. Check the log of the database.',
    '53300': NO_SESSION,
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

/** Messages of PgBouncer, which has no SQLSTATEs for them in every version. They contain no data of users. */
const POOLER_MESSAGES = [
  [/^unsupported startup parameter/, 'pooler parameter'],
  [/^(no more connections allowed|query_wait_timeout|too many)/, 'pooler full'],
  [/^(server (login|conn|lookup)|pgbouncer cannot connect|client_login_timeout)/, 'pooler server'],
] as const;

/** Message of a statement to which the database has not responded in time. */
export const LATE = 'no response in time';

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

/** Returns the problem of a session that says that it is read-only, before a write fails. */
export function readOnlyProblem(name: string): StoreError {
  const error = new DatabaseError('transaction_read_only is on', 0, 'error');
  return postgresProblem(Object.assign(error, { code: '25006' }), name, 'reading');
}

function keyOf({ code = '', severity, message }: DatabaseError, stage: Stage): string {
  const [, pooler] = POOLER_MESSAGES.find(([pattern]) => pattern.test(message)) ?? [];
  if (stage !== 'writing' && pooler !== undefined) return pooler;
  // The database may have committed the write without being able to confirm it.
  if (stage === 'writing' && (severity === 'FATAL' || code === '40003')) return stage;
  return [code, code.slice(0, 2)].find((key) => BY_KEY.has(key)) ?? '';
}

function keyOfMessage(message: string, stage: Stage): string {
  if (stage !== 'connecting') return message === LATE ? `late ${stage}` : stage;
  if (message === 'Connection terminated unexpectedly') return 'closed';
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

/**
 * SQLSTATEs after which a session works as before: the statement has a wrong value (22, 23, 54), conflicts with others
 * (40, 55P03), or took too long (57014), or the disk is full (53100).
 */
const HARMLESS = /^(22|23|40|54|55P03|57014|53100)/;

/** Whether a session can run other statements after one that failed with an SQLSTATE and the severity ERROR. */
export function keepsSession(code: string): boolean {
  return HARMLESS.test(code);
}

/**
 * SQLSTATEs by which a session rejects a statement that another session may accept: a plan of earlier tables (0A), a
 * read-only or aborted transaction (25), a lost or foreign prepared statement (26, 42P05), and a role or a search path
 * that has changed since (28, 3F, 42). Nothing was executed.
 */
const OF_SESSION = /^(0A|25|26|28|3F|42)/;

/** Whether an SQLSTATE with the severity ERROR may be due to the session. */
export function isOfSession(code: string): boolean {
  return OF_SESSION.test(code);
}

/** Whether an SQLSTATE is due to what a session has prepared earlier. It has nothing to do with the age of the session. */
export function isOfPlan(code: string): boolean {
  return /^(0A|26|42P05)/.test(code);
}

/** SQLSTATEs, system error codes and pg messages of connections that were terminated, not refused. */
const TERMINATIONS = /^(57P01|57P02|ECONNRESET|EPIPE|Connection terminated unexpectedly)$/;

/** Whether a connection was terminated rather than refused. Opening another may succeed. */
export function isTermination(error: unknown): boolean {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return TERMINATIONS.test(code ?? message ?? '');
}
