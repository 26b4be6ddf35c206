import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { postgresProblem } from './postgres-problem.js';

function problemOf(code: string, severity = 'ERROR') {
  const error = Object.assign(new DatabaseError('name "Ada" is wrong', 0, 'error'), {
    code,
    severity,
  });
  return postgresProblem(error, 'postgres://db/users', 'reading');
}

describe('postgresProblem', () => {
  it.each([
    ['08P01', 'STORE_UNREACHABLE', 'make it ignore statement_timeout'],
    ['22P05', 'STORE_FAILED', 'Use a database that was created with ENCODING UTF8'],
    ['23505', 'STORE_FAILED', 'Remove it, because users-api did not create it'],
    ['26000', 'STORE_FAILED', 'Enable prepared statements in the pooler, or use its session mode'],
    ['42P05', 'STORE_FAILED', 'Enable prepared statements in the pooler, or use its session mode'],
    ['42501', 'STORE_READ_ONLY', 'Grant the database user access to the tables of the store'],
    ['53100', 'STORE_FULL', 'Free up disk space'],
    ['53300', 'STORE_BUSY', 'lower POOL_SIZE'],
    ['25006', 'STORE_UNREACHABLE', 'set default_transaction_read_only to off'],
    ['3F000', 'STORE_GONE', 'restart users-api to create the tables'],
    ['42P01', 'STORE_GONE', 'restart users-api to create the tables'],
    ['42703', 'STORE_GONE', 'restart users-api to create the tables'],
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

  it('does not repeat the message of the database', () => {
    expect(problemOf('22P02').message).not.toContain('Ada');
  });
});
