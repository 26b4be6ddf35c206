import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { TransactionAdapter, TransactionSettings } from './adapter.js';

/** What runs statements: a pool, or the connection of a transaction. */
export type PgClient = Pick<Pool & PoolClient, 'query'>;

/**
 * Transactions of a pool of `pg`. The pool needs a listener for `error`, as always.
 *
 * @param pool - Stays open: its owner ends it.
 */
export function pgAdapter(pool: Pool): TransactionAdapter<PgClient> {
  return {
    client: pool as PgClient,
    async transact(work, settings) {
      let failure: Error | undefined;
      // Without a listener, a connection that ends would end the process. The next statement rejects.
      const onError = (error: Error): void => {
        failure = error;
      };
      const connection = await connect(pool, onError);
      try {
        await connection.query(beginOf(settings));
        const result = await work(connection as PgClient);
        const { command } = await connection.query('COMMIT');
        // After a statement that failed, PostgreSQL rolls back, and reports no error.
        if (command !== 'COMMIT') throw rolledBack();
        return result;
      } catch (error) {
        await connection.query('ROLLBACK').catch((lost: Error) => {
          onError(lost);
          if (lost !== error && Object.isExtensible(lost)) lost.cause ??= error;
          throw lost;
        });
        throw error;
      } finally {
        // One that has failed is closed, which may emit further errors.
        if (failure === undefined) connection.off('error', onError);
        connection.release(failure);
      }
    },
    async query(client, text, values) {
      const { rows } = await client.query<QueryResultRow>(text, [...values]);
      return rows;
    },
  };
}

/** Takes a connection. It has the listener at once: the promise of `pg` resolves after a message that may follow. */
function connect(pool: Pool, onError: (error: Error) => void): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, connection) => {
      if (connection === undefined) {
        reject(error ?? new Error('The pool of pg has no connection.'));
        return;
      }
      connection.on('error', onError);
      resolve(connection);
    });
  });
}

function beginOf({ isolation, readOnly }: TransactionSettings): string {
  const level = isolation === undefined ? '' : ` ISOLATION LEVEL ${isolation.toUpperCase()}`;
  return `BEGIN${level}${readOnly === true ? ' READ ONLY' : ''}`;
}

function rolledBack(): Error {
  return new Error(
    'PostgreSQL rolled the transaction back, because a statement in it failed and its error was caught. Let such errors pass, or run the statement in a transaction of its own: db.run().',
  );
}
