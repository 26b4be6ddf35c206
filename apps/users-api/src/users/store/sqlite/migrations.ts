/** Marks a file as one of users-api: "user" in ASCII. */
export const APPLICATION_ID = 0x75736572;

/**
 * What brings a database from each version of its schema to the next. The first makes version 1; one
 * that was released is never changed.
 */
export const MIGRATIONS: readonly string[] = [
  // The largest position plus one is the next one, so positions follow the order of creation.
  `CREATE TABLE users (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     email TEXT NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL
   ) STRICT`,
  // Counting users, or passing over them, would otherwise read them all.
  `CREATE INDEX users_position ON users (position);
   CREATE TABLE users_total (total INTEGER NOT NULL) STRICT;
   INSERT INTO users_total SELECT count(*) FROM users;
   CREATE TRIGGER users_created AFTER INSERT ON users
   BEGIN UPDATE users_total SET total = total + 1; END;
   CREATE TRIGGER users_deleted AFTER DELETE ON users
   BEGIN UPDATE users_total SET total = total - 1; END;
   PRAGMA application_id = ${APPLICATION_ID}`,
];

/** Many programs number their first schema 1, so its columns tell whose file a version 1 is. */
export const COLUMNS_OF_VERSION_1 =
  'position INTEGER, id TEXT, name TEXT, email TEXT, created_at TEXT, updated_at TEXT';
