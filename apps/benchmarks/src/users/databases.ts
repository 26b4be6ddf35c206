import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { PostgresServer } from './postgres-server.js';

/** Where a service stores users. */
export interface StoreKind {
  /** The name on the command line. */
  readonly name: 'memory' | 'sqlite' | 'postgres';
  /** The name in tables and charts. */
  readonly title: string;
}

/** All stores, in the order of the tables. */
export const STORES: readonly StoreKind[] = [
  { name: 'memory', title: 'memory' },
  { name: 'sqlite', title: 'SQLite' },
  { name: 'postgres', title: 'PostgreSQL' },
];

/** The databases of a run. */
export class Databases {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fairlead-users-'));
  readonly #postgres: PostgresServer | undefined;

  private constructor(postgres: PostgresServer | undefined) {
    this.#postgres = postgres;
  }

  /** Starts PostgreSQL if one of the stores needs it. */
  static async open(stores: readonly StoreKind[]): Promise<Databases> {
    const needsPostgres = stores.some(({ name }) => name === 'postgres');
    return new Databases(needsPostgres ? await PostgresServer.start() : undefined);
  }

  /** Creates an empty database and returns its `DATABASE_URL`. */
  async create({ name }: StoreKind): Promise<string> {
    if (name === 'memory') return 'memory:';
    if (name === 'sqlite') return `sqlite:${mkdtempSync(join(this.#folder, 'sqlite-'))}/users.db`;
    if (this.#postgres !== undefined) return this.#postgres.createDatabase();
    throw new Error('PostgreSQL has not been started.');
  }

  /** Returns the CPU time of PostgreSQL, in microseconds, or 0 if it does not run. */
  postgresCpu(): number {
    return this.#postgres?.cpu() ?? 0;
  }

  /** Closes and removes all databases. */
  async close(): Promise<void> {
    await this.#postgres?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Runs SQL on a PostgreSQL database. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
