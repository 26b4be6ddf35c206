/**
 * Migrations from each schema version to the next, as lists of idempotent statements. Some databases
 * commit each statement of a schema change separately, so any of them may run again. Never change a
 * released migration.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // Creates and deletes lock this row until they commit, so users become visible in the order of
    // their positions.
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
