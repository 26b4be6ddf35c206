import type { Statement } from './connections.js';

const COLUMNS = 'id, name, email, created_at AS "createdAt", updated_at AS "updatedAt"';

const read = (name: string, text: string): Statement => ({ name, text, stage: 'reading' });
const write = (name: string, text: string): Statement => ({ name, text, stage: 'writing' });

/** Parameters: id. */
export const FIND = read('users_find', `SELECT ${COLUMNS} FROM users WHERE id = $1`);

/** Parameters: limit, offset. For an empty page, returns one row with the total and a null id. */
export const PAGE = read(
  'users_page',
  `SELECT users_counter.total, page.*
   FROM users_counter LEFT JOIN (
     SELECT position, ${COLUMNS} FROM users
     WHERE position IN (SELECT position FROM users ORDER BY position LIMIT $1 OFFSET $2)
   ) AS page ON true
   WHERE users_counter.id = 1
   ORDER BY page.position`,
);

/** Returns the last assigned position and the number of users. */
export const COUNTER = read(
  'users_counter',
  'SELECT position, total FROM users_counter WHERE id = 1',
);

/** Parameters: offset. */
export const POSITION = read(
  'users_position',
  'SELECT position FROM users ORDER BY position LIMIT 1 OFFSET $1',
);

/** Parameters: position before the first user, position of the last user, limit. */
export const BATCH = read(
  'users_batch',
  `SELECT position, ${COLUMNS} FROM users
   WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3`,
);

/** Parameters: ids, names, emails, creation times. Returns the ids. */
export const CREATE = write(
  'users_create',
  `WITH counter AS (
     UPDATE users_counter
     SET position = position + array_length($1::uuid[], 1), total = total + array_length($1::uuid[], 1)
     WHERE id = 1
     RETURNING position - array_length($1::uuid[], 1) AS position
   )
   INSERT INTO users (position, id, name, email, created_at, updated_at)
   SELECT counter.position + input.number, input.id, input.name, input.email, input.time, input.time
   FROM counter, unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[])
     WITH ORDINALITY AS input (id, name, email, time, number)
   RETURNING id`,
);

/** Parameters: id, name or null, email or null, time of the update. */
export const UPDATE = write(
  'users_update',
  `UPDATE users
   SET name = coalesce($2::text, name), email = coalesce($3::text, email),
     updated_at = greatest(updated_at, $4::timestamptz)
   WHERE id = $1
   RETURNING ${COLUMNS}`,
);

/**
 * Parameters: ids. Returns the ids of the deleted users. Locks users in the order of their ids and then
 * the counter, which prevents deadlocks.
 */
export const DELETE = write(
  'users_delete',
  `WITH gone AS (
     DELETE FROM users
     WHERE id IN (SELECT id FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE)
     RETURNING id
   ), counter AS (
     UPDATE users_counter SET total = total - (SELECT count(*) FROM gone)
     WHERE id = 1 AND EXISTS (SELECT 1 FROM gone)
   )
   SELECT id FROM gone`,
);
