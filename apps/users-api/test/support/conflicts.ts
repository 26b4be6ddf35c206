import pg from 'pg';

/** The `application_name` of connections whose statements conflict. */
export const CONFLICTING = 'conflicting';

const { query } = pg.Client.prototype;

/**
 * Makes a tenth of the prepared statements on connections with the name {@link CONFLICTING} fail as if
 * they conflicted with another transaction: half of them before they run, and half after a rollback.
 */
async function queryOrConflict(this: pg.Client, ...args: unknown[]): Promise<unknown> {
  const send = (...sent: unknown[]): Promise<unknown> => Reflect.apply(query, this, sent);
  const isConflicting = nameOf(this) === CONFLICTING && Reflect.has(Object(args[0]), 'name');
  if (!isConflicting || Math.random() > 0.1) return send(...args);
  if (Math.random() < 0.5) {
    await send('BEGIN');
    await send(...args).finally(() => send('ROLLBACK'));
  }
  const conflict = new pg.DatabaseError('could not serialize access', 0, 'error');
  throw Object.assign(conflict, { code: '40001', severity: 'ERROR' });
}

/** Returns the `application_name` of a connection, which the types of pg omit. */
function nameOf(client: pg.Client): unknown {
  return Reflect.get(Object(Reflect.get(client, 'connectionParameters')), 'application_name');
}

Object.defineProperty(pg.Client.prototype, 'query', { value: queryOrConflict });
