import { type SQL, sql } from 'drizzle-orm';
import type { Isolation, TransactionAdapter } from './adapter.js';

/** What Drizzle runs statements on: a database, or a transaction of it. */
export interface DrizzleClient<Client> {
  execute(query: SQL): PromiseLike<unknown>;
  transaction<T>(
    work: (transaction: Client) => Promise<T>,
    settings?: { isolationLevel?: Isolation; accessMode?: 'read only' | 'read write' },
  ): Promise<T>;
}

/** Transactions of Drizzle, for PostgreSQL. */
export function drizzleAdapter<Client extends DrizzleClient<Client>>(
  db: DrizzleClient<Client>,
): TransactionAdapter<Client> {
  return {
    // A transaction has the statements of a database.
    client: db as Client,
    transact: (work, { isolation, readOnly }) =>
      db.transaction(
        async (client) => {
          const result = await work(client);
          // Fails after a statement that failed. Otherwise the commit would roll back without an error.
          await client.execute(sql`SELECT 1`);
          return result;
        },
        {
          ...(isolation !== undefined && { isolationLevel: isolation }),
          ...(readOnly === true && { accessMode: 'read only' }),
        },
      ),
    async query(client, text, values) {
      const result = await client.execute(bind(text, values));
      const { rows = result } = Object(result);
      return rows;
    },
  };
}

/** Turns a statement with `$1`, `$2` and so on into one of Drizzle. */
function bind(text: string, values: readonly unknown[]): SQL {
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, index) =>
      // Without param(), an array would become a list of parameters.
      index % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`,
    ),
  );
}
