import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** The server, in which each test creates its own database. */
const SERVER = process.env.DATABASE_URL ?? '';

/** Returns the settings of a new database for one test, and how to drop it. */
export async function createTestDatabase() {
  const url = new URL(SERVER);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(`CREATE DATABASE ${name}`);
  url.pathname = name;
  const settings = { DATABASE_URL: url.href };
  return { settings, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}

async function run(statement: string): Promise<void> {
  const client = new Client({ connectionString: SERVER });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
