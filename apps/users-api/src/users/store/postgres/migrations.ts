/**
 * What brings a database from each version of its schema to the next, as single statements: some
 * engines commit each by itself, so that each may be run again. One that was released is never changed.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // Whoever creates or deletes users locks this row until the commit, so that positions have no gaps
    // that will be filled later: who sees a user sees all who came before.
    `CREATE TABLE IF NOT EXISTS users_counter (
       id INT PRIMARY KEY,
       position BIGINT NOT NULL,
       total BIGINT NOT NULL
     )`,
    'INSERT INTO users_counter (id, position, total) VALUES (1, 0, 0) ON CONFLICT (id) DO NOTHING',
    `CREATE TABLE IF NOT EXISTS users (
       position BIGINT PRIMARY KEY,
       id UUID NOT NULL UNIQUE,
       name TEXT NOT NULL,
       email TEXT NOT NULL,
       created_at TIMESTAMPTZ(3) NOT NULL,
       updated_at TIMESTAMPTZ(3) NOT NULL
     )`,
  ],
];
