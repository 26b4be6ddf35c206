import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { isOfSession, keepsSession, postgresProblem } from './postgres-problem.js';

function problemOf(code: string, severity = 'ERROR') {
  const error = Object.assign(new DatabaseError('name "Ada" is wrong', 0, 'error'), {
    code,
    severity,
  });
  return postgresProblem(error, 'postgres://db/users', 'reading');
}

describe('postgresProblem', () => {
  it.each([
    ['08P01', 'STORE_UNREACHABLE', 'Check the log of the pooler'],
    ['22P05', 'STORE_FAILED', 'Use a database that was created with ENCODING UTF8'],
    ['23505', 'STORE_FAILED', 'Remove it, because users-api did not create it'],
    ['26000', 'STORE_FAILED', 'Enable prepared statements in the pooler, or use its session mode'],
    ['42P05', 'STORE_FAILED', 'Enable prepared statements in the pooler, or use its session mode'],
    ['42501', 'STORE_READ_ONLY', 'Grant the database user access to the tables of the store'],
    ['53100', 'STORE_FULL', 'Free up disk space'],
    ['53300', 'STORE_BUSY', 'raise max_connections above the sum of POOL_SIZE of all processes'],
    ['25006', 'STORE_UNREACHABLE', 'set default_transaction_read_only to off'],
    ['3D000', 'STORE_UNREACHABLE', 'Only a new installation needs a new database'],
    ['53200', 'STORE_BUSY', 'Check the log of the database'],
    [
      '3F000',
      'STORE_GONE',
      'Only a new installation needs new tables, which a restart of users-api creates',
    ],
    [
      '42P01',
      'STORE_GONE',
      'Only a new installation needs new tables, which a restart of users-api creates',
    ],
    [
      '42703',
      'STORE_GONE',
      'Only a new installation needs new tables, which a restart of users-api creates',
    ],
    ['57P01', 'STORE_UNREACHABLE', 'Check that the database is running'],
    ['57P02', 'STORE_UNREACHABLE', 'Check the log of the database'],
    ['57P03', 'STORE_UNREACHABLE', 'Wait until it is running'],
    ['57P05', 'STORE_UNREACHABLE', 'Check that the database is running'],
    ['XX000', 'STORE_FAILED', 'Check the log of the database'],
  ])('translates SQLSTATE %s to %s and names the fix: %s', (sqlState, code, fix) => {
    expect(problemOf(sqlState)).toMatchObject({
      code,
      message: expect.stringMatching(` \\(SQLSTATE ${sqlState}\\)\\. .*${fix}\\.$`),
    });
  });

  it.each([
    [
      'unsupported startup parameter: statement_timeout',
      'STORE_UNREACHABLE',
      'ignore_startup_parameters',
    ],
    [
      'no more connections allowed (max_client_conn)',
      'STORE_BUSY',
      'Raise its pool_size or max_client_conn',
    ],
    ['query_wait_timeout', 'STORE_BUSY', 'Raise its pool_size or max_client_conn'],
    [
      'server login has been failing, try again later (server_login_retry)',
      'STORE_UNREACHABLE',
      'Check that the database is running',
    ],
    ['bouncer config error', 'STORE_UNREACHABLE', 'Check the log of the pooler'],
  ])('names the fix for the message %s of PgBouncer', (message, code, fix) => {
    const fields = { code: '08P01', severity: 'FATAL' };
    const error = Object.assign(new DatabaseError(message, 0, 'error'), fields);
    const problem = postgresProblem(error, 'postgres://db/users', 'connecting');
    expect(problem).toMatchObject({ code, message: expect.stringContaining(fix) });
    expect(postgresProblem(error, 'postgres://db/users', 'writing').code).toBe('STORE_INTERRUPTED');
  });

  it('does not repeat the message of the database', () => {
    expect(problemOf('22P02').message).not.toContain('Ada');
  });
});

describe('the session of a statement that failed', () => {
  it.each(['22P02', '23505', '40001', '40P01', '53100', '54000', '55P03', '57014'])(
    'works as before after SQLSTATE %s',
    (code) => {
      expect(keepsSession(code)).toBe(true);
      expect(isOfSession(code)).toBe(false);
    },
  );

  it.each(['0A000', '25001', '25006', '25P02', '26000', '3F000', '42501', '42P01', '42P05'])(
    'may be the reason for SQLSTATE %s, which another may accept',
    (code) => {
      expect(keepsSession(code)).toBe(false);
      expect(isOfSession(code)).toBe(true);
    },
  );

  it.each(['', '08P01', '53200', '55000', '58030', 'XX000'])(
    'is not trusted after SQLSTATE %s, and no other is tried',
    (code) => {
      expect(keepsSession(code)).toBe(false);
      expect(isOfSession(code)).toBe(false);
    },
  );
});
