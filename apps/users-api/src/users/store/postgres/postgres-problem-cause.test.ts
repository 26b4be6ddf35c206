import { EventEmitter } from 'node:events';
import { StoreError } from '@fairlead/store';
import pg, { DatabaseError } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LATE, postgresProblem, type Stage } from './postgres-problem.js';

const NAME = 'postgres://db/users';

/** Creates an error of the database with some of its fields. */
function databaseError(fields: Partial<DatabaseError>): DatabaseError {
  return Object.assign(new DatabaseError('what the database wrote', 0, 'error'), fields);
}

describe('an error without an SQLSTATE', () => {
  it.each<[Stage, string, string]>([
    [
      'connecting',
      'STORE_UNREACHABLE',
      'cannot be reached (connect ECONNREFUSED 127.0.0.1:1). Check that the database',
    ],
    [
      'reading',
      'STORE_UNREACHABLE',
      'lost the connection (connect ECONNREFUSED 127.0.0.1:1). The database has restarted or failed over',
    ],
    [
      'writing',
      'STORE_INTERRUPTED',
      'lost the connection during a write, which may or may not have been committed (connect',
    ],
  ])('while %s has the code %s', (stage, code, text) => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:1');
    const problem = postgresProblem(cause, NAME, stage);
    expect(problem).toMatchObject({ code, cause, isTransient: true });
    expect(problem.message).toMatch(/^The store postgres:\/\/db\/users /);
    expect(problem.message).toContain(text);
    expect(problem.message).toContain(' (connect ECONNREFUSED 127.0.0.1:1). ');
  });

  it.each([
    [
      'the first address of a host name with several',
      new AggregateError([new Error('one'), 2]),
      'one',
    ],
    ['a value that is not an Error', 'gone', 'gone'],
  ])('shows the reason of %s', (_, cause, reason) => {
    expect(postgresProblem(cause, NAME, 'reading').message).toContain(` (${reason}). `);
  });

  it.each([
    [
      'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
      'requires a password',
      'Add it to DATABASE_URL, or set PGPASSWORD',
    ],
    ['self-signed certificate', 'cannot be reached over TLS', 'Check sslmode, sslrootcert'],
    ['The server does not support SSL connections', 'cannot be reached over TLS', 'Check sslmode'],
  ])('with the message %j names the fix while connecting', (message, problem, fix) => {
    const { code, message: text } = postgresProblem(new Error(message), NAME, 'connecting');
    expect(code).toBe('STORE_UNREACHABLE');
    expect(text).toContain(` ${problem} (${message}). ${fix}`);
    expect(postgresProblem(new Error(message), NAME, 'writing').code).toBe('STORE_INTERRUPTED');
  });

  it.each<[Stage, string, string]>([
    ['reading', 'STORE_UNREACHABLE', 'does not respond (no response in time). Check'],
    [
      'writing',
      'STORE_INTERRUPTED',
      'may or may not have been committed (no response in time). Ask',
    ],
  ])('that says that a statement is late while %s has the code %s', (stage, code, text) => {
    const problem = postgresProblem(new Error(LATE), NAME, stage);
    expect(problem).toMatchObject({ code, message: expect.stringContaining(text) });
  });

  it('of a connection that ends before the login names the failover', () => {
    const cause = new Error('Connection terminated unexpectedly');
    const problem = postgresProblem(cause, NAME, 'connecting');
    expect(problem.code).toBe('STORE_UNREACHABLE');
    expect(problem.message).toMatch(/has no primary: wait until the failover ends/);
  });

  it('from the database itself fails only the statement', () => {
    const cause = databaseError({ severity: 'ERROR' });
    expect(postgresProblem(cause, NAME, 'writing')).toMatchObject({
      code: 'STORE_FAILED',
      message: `The store ${NAME} failed (SQLSTATE unknown). Check the log of the database.`,
      cause,
    });
  });
});

describe('an error that closes the connection', () => {
  const terminated = databaseError({ code: '57P01', severity: 'FATAL' });

  it('leaves the outcome of a write unknown', () => {
    expect(postgresProblem(terminated, NAME, 'writing').code).toBe('STORE_INTERRUPTED');
    expect(postgresProblem(terminated, NAME, 'reading').code).toBe('STORE_UNREACHABLE');
  });
});

it('SQLSTATE 40003 leaves only the outcome of a write unknown', () => {
  const unknown = databaseError({ code: '40003', severity: 'ERROR' });
  expect(postgresProblem(unknown, NAME, 'writing').code).toBe('STORE_INTERRUPTED');
  expect(postgresProblem(unknown, NAME, 'reading').code).toBe('STORE_BUSY');
});

it('a StoreError is returned unchanged', () => {
  const error = new StoreError('STORE_BUSY', 'The store is busy.');
  expect(postgresProblem(error, NAME, 'writing')).toBe(error);
});

it('a pool without a free connection in time is a busy store', async () => {
  /** A client that connects immediately and needs no database. */
  class InstantClient extends EventEmitter {
    connect(done: (error: undefined) => void) {
      done(undefined);
    }
    end() {}
  }
  const Client = InstantClient as unknown as typeof pg.Client;
  const pool = new pg.Pool({ Client, max: 1, connectionTimeoutMillis: 1 });
  const taken = await pool.connect();
  onTestFinished(() => taken.release());
  const error: unknown = await pool.connect().catch((reason) => reason);
  expect(postgresProblem(error, NAME, 'connecting')).toMatchObject({
    code: 'STORE_BUSY',
    isTransient: true,
    message: expect.stringContaining('had no free connection in time'),
    cause: error,
  });
});
