import type { DatabaseSync } from 'node:sqlite';
import { openSqlite, StoreError } from '@fairlead/store';
import { type Database, TakenError } from './database.ts';
import { READS, WRITES } from './statements.ts';

/** SQL from each version of the schema to the next. Append to it; never change what is released. */
const MIGRATIONS = [
  `CREATE TABLE users (
     id INTEGER PRIMARY KEY,
     username TEXT NOT NULL UNIQUE,
     email TEXT NOT NULL UNIQUE,
     password_hash TEXT NOT NULL,
     bio TEXT NOT NULL DEFAULT '',
     image TEXT NOT NULL DEFAULT ''
   ) STRICT;
   CREATE TABLE follows (
     follower INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
     followed INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
     PRIMARY KEY (follower, followed)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE articles (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     author INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
     slug TEXT NOT NULL UNIQUE,
     title TEXT NOT NULL,
     description TEXT NOT NULL,
     body TEXT NOT NULL,
     tags TEXT NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL
   ) STRICT;
   CREATE INDEX articles_by_author ON articles (author);
   CREATE TABLE favorites (
     reader INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
     article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
     PRIMARY KEY (article, reader)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX favorites_by_reader ON favorites (reader);
   CREATE TABLE comments (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     author INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
     article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
     body TEXT NOT NULL,
     created_at TEXT NOT NULL
   ) STRICT;
   CREATE INDEX comments_by_article ON comments (article);

   -- Finds articles by tag. The triggers keep it up to date, in the transaction of the write.
   CREATE TABLE article_tags (
     tag TEXT NOT NULL,
     article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
     PRIMARY KEY (tag, article)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX article_tags_by_article ON article_tags (article);
   CREATE TRIGGER tags_added AFTER INSERT ON articles BEGIN
     INSERT INTO article_tags SELECT value, new.id FROM json_each(new.tags);
   END;
   CREATE TRIGGER tags_changed AFTER UPDATE OF tags ON articles BEGIN
     DELETE FROM article_tags WHERE article = new.id;
     INSERT INTO article_tags SELECT value, new.id FROM json_each(new.tags);
   END`,
];

/** Opens an SQLite file, creating it and its folder if necessary. */
export function openSqliteFile(path: string, warn: (error: Error) => void): Database {
  const database = openSqlite(path, {
    program: 'conduit',
    setting: 'DATABASE_URL',
    applicationId: 0x636f6e64, // "cond" in ASCII
    migrations: MIGRATIONS,
    statements: WRITES,
    prepare: prepareReads,
    warn,
  });
  return {
    read: async (name, ...values) => database.read((reads) => reads[name].all(...values)),
    async write(name, ...values) {
      try {
        return await database.write(name, ...values);
      } catch (error) {
        const [, column] = /^UNIQUE constraint failed: \w+\.(\w+)$/.exec(causeOf(error)) ?? [];
        throw column === undefined ? error : new TakenError(column, error);
      }
    },
    check: () => database.check(),
    close: () => database.close(),
  };
}

function prepareReads(database: DatabaseSync) {
  const entries = Object.entries(READS).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Record<
    keyof typeof READS,
    ReturnType<DatabaseSync['prepare']>
  >;
}

function causeOf(error: unknown): string {
  return error instanceof StoreError ? String(Object(error.cause).message) : '';
}
