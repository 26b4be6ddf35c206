import { startPostgres } from '@fairlead/test-support/postgres-server';
import { sql as drizzleSql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../src/index.js';

let pool: Pool;
let stop: () => Promise<void>;

beforeAll(async () => {
  const server = await startPostgres();
  pool = new Pool({ connectionString: server.url });
  // end() resolves before the server knows, so stop() may still terminate a connection.
  pool.on('error', () => undefined);
  stop = server.stop;
  await pool.query(`
    CREATE TABLE accounts (
      email text NOT NULL CONSTRAINT accounts_email UNIQUE,
      age int CONSTRAINT accounts_age CHECK (age > 17)
    );
    INSERT INTO accounts VALUES ('ada@example.com', 36)`);
});

afterAll(async () => {
  await pool.end();
  await stop();
});

/** Logs what a query rejects with, and returns the line. */
async function lineOf(query: Promise<unknown>) {
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line) => void lines.push(line) } });
  logger.error({
    err: await query.then(
      () => undefined,
      (error: unknown) => error,
    ),
  });
  const [line = '{}'] = lines;
  return { line, err: JSON.parse(line).err };
}

const TEXT = 'INSERT INTO accounts VALUES ($1, $2)';

describe.each<[string, (values: readonly unknown[]) => Promise<unknown>, object]>([
  ['pg', (values) => pool.query(TEXT, [...values]), {}],
  [
    'Kysely',
    (values) =>
      new Kysely<object>({ dialect: new PostgresDialect({ pool }) }).executeQuery(
        CompiledQuery.raw(TEXT, [...values]),
      ),
    {},
  ],
  [
    'Drizzle',
    ([email, age]) =>
      drizzle(pool).execute(drizzleSql`INSERT INTO accounts VALUES (${email}, ${age})`),
    { message: 'The statement failed.', statement: TEXT },
  ],
])('an error of %s', (_, run, wrapper) => {
  it.each<[string, readonly unknown[], object]>([
    [
      'a value that exists',
      ['ada@example.com', 36],
      { code: '23505', table: 'accounts', constraint: 'accounts_email' },
    ],
    ['no value', [null, 4242], { code: '23502', table: 'accounts', column: 'email' }],
    ['a value that is not allowed', ['bob-4242', 7], { code: '23514', constraint: 'accounts_age' }],
    ['a value of another type', ['bob-4242', 'old-4242'], { code: '22P02' }],
  ])('names the place of %s, and no value', async (__, values, expected) => {
    const { line, err } = await lineOf(run(values));
    const database = err.cause ?? err;
    expect(database).toMatchObject({
      ...expected,
      message: expect.stringMatching(/^PostgreSQL: SQLSTATE \w{5}, \w+$/),
    });
    expect(err).toMatchObject(wrapper);
    expect(line).not.toMatch(/ada@example|4242/);
  });
});
