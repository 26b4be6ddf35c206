/** The `application_id` of users-api databases: "user" in ASCII. */
export const APPLICATION_ID = 0x75736572;

/**
 * Migrations from each schema version to the next, starting at version 0. Never change a released
 * migration.
 */
export const MIGRATIONS: readonly string[] = [
  // SQLite assigns the largest position plus one, so positions follow the creation order.
  `CREATE TABLE users (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     email TEXT NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL
   ) STRICT`,
  // Allows counting and skipping users without reading them.
  `CREATE INDEX users_position ON users (position);
   CREATE TABLE users_total (total INTEGER NOT NULL) STRICT;
   INSERT INTO users_total SELECT count(*) FROM users;
   CREATE TRIGGER users_created AFTER INSERT ON users
   BEGIN UPDATE users_total SET total = total + 1; END;
   CREATE TRIGGER users_deleted AFTER DELETE ON users
   BEGIN UPDATE users_total SET total = total - 1; END;
   PRAGMA application_id = ${APPLICATION_ID}`,
];

/** Identifies databases of version 1, which have no `application_id`. */
export const COLUMNS_OF_VERSION_1 =
  'position INTEGER, id TEXT, name TEXT, email TEXT, created_at TEXT, updated_at TEXT';
