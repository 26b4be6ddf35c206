import { CompiledQuery, type Kysely } from 'kysely';
import type { TransactionAdapter } from './adapter.js';

/** Transactions of Kysely, for PostgreSQL. */
export function kyselyAdapter<DB>(db: Kysely<DB>): TransactionAdapter<Kysely<DB>> {
  const execute = (client: Kysely<DB>, text: string, values: readonly unknown[] = []) =>
    client.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]));
  return {
    client: db,
    transact: async (work, { isolation, readOnly }) => {
      const begin = db.transaction();
      const isolated = isolation === undefined ? begin : begin.setIsolationLevel(isolation);
      const transaction = readOnly === true ? isolated.setAccessMode('read only') : isolated;
      return transaction.execute(async (client) => {
        const result = await work(client);
        // Fails after a statement that failed. Otherwise the commit would roll back without an error.
        await execute(client, 'SELECT 1');
        return result;
      });
    },
    async query(client, text, values) {
      const { rows } = await execute(client, text, values);
      return rows;
    },
  };
}
