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
    ['08P01', 'STORE_UNREACHABLE', 'let it ignore statement_timeout'],
    ['22P05', 'STORE_FAILED', 'create the database with ENCODING UTF8'],
    ['23505', 'STORE_FAILED', 'which is not of users-api'],
    ['26000', 'STORE_FAILED', 'let it keep them, or pool sessions'],
    ['42P05', 'STORE_FAILED', 'let it keep them, or pool sessions'],
    ['42501', 'STORE_READ_ONLY', 'grant it the tables of the store'],
    ['53100', 'STORE_FULL', 'make room'],
    ['53300', 'STORE_BUSY', 'lower POOL_SIZE'],
    ['57P03', 'STORE_UNREACHABLE', 'wait until it is up'],
    ['XX000', 'STORE_FAILED', 'failed'],
  ])('takes SQLSTATE %s for %s and says what to do: %s', (sqlState, code, advice) => {
    expect(problemOf(sqlState)).toMatchObject({
      code,
      message: expect.stringContaining(`${advice} (SQLSTATE ${sqlState}).`),
    });
  });

  it('does not repeat what the database wrote', () => {
    expect(problemOf('22P02').message).not.toContain('Ada');
  });
});
