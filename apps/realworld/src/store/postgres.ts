import pg from 'pg';
import { type Database, TakenError, type Value } from './database.ts';
import { READS, WRITES } from './statements.ts';

/** SQL from each version of the schema to the next. Append to it; never change what is released. */
const MIGRATIONS = [
  `CREATE TABLE users (
     id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     username TEXT NOT NULL CONSTRAINT username UNIQUE,
     email TEXT NOT NULL CONSTRAINT email UNIQUE,
     password_hash TEXT NOT NULL,
     bio TEXT NOT NULL DEFAULT '',
     image TEXT NOT NULL DEFAULT ''
   );
   CREATE TABLE follows (
     follower INTEGER REFERENCES users ON DELETE CASCADE,
     followed INTEGER REFERENCES users ON DELETE CASCADE,
     PRIMARY KEY (follower, followed)
   );
   CREATE TABLE articles (
     id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     author INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
     slug TEXT NOT NULL CONSTRAINT slug UNIQUE,
     title TEXT NOT NULL,
     description TEXT NOT NULL,
     body TEXT NOT NULL,
     tags JSONB NOT NULL,
     created_at TIMESTAMPTZ(3) NOT NULL,
     updated_at TIMESTAMPTZ(3) NOT NULL
   );
   CREATE INDEX articles_by_author ON articles (author);
   CREATE TABLE favorites (
     reader INTEGER REFERENCES users ON DELETE CASCADE,
     article INTEGER REFERENCES articles ON DELETE CASCADE,
     PRIMARY KEY (article, reader)
   );
   CREATE INDEX favorites_by_reader ON favorites (reader);
   CREATE TABLE comments (
     id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     author INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
     article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
     body TEXT NOT NULL,
     created_at TIMESTAMPTZ(3) NOT NULL
   );
   CREATE INDEX comments_by_article ON comments (article);

   -- Finds articles by tag. The trigger keeps it up to date, in the transaction of the write.
   CREATE TABLE article_tags (
     tag TEXT,
     article INTEGER REFERENCES articles ON DELETE CASCADE,
     PRIMARY KEY (tag, article)
   );
   CREATE INDEX article_tags_by_article ON article_tags (article);
   CREATE FUNCTION index_tags() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     DELETE FROM article_tags WHERE article = new.id;
     INSERT INTO article_tags SELECT tag, new.id FROM jsonb_array_elements_text(new.tags) AS tag;
     RETURN NULL;
   END $$;
   CREATE TRIGGER tags_indexed AFTER INSERT OR UPDATE OF tags ON articles
     FOR EACH ROW EXECUTE FUNCTION index_tags()`,
];

/** Identifies our advisory lock: "cond" in ASCII. */
const LOCK = 0x636f6e64;

const UNIQUE_VIOLATION = '23505';

/** The error of a change in a read-only session. */
const READ_ONLY = '25006';

/** Connects to a PostgreSQL database, and migrates it. */
export async function openPostgres(url: string, warn: (error: Error) => void): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    keepAlive: true,
  });
  // Without these listeners, a lost connection ends the process. The pool replaces an idle one, and the query of one in
  // use rejects.
  pool.on('error', warn);
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await migrate(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }

  /** Each connection prepares a statement once, under its name. */
  async function query(name: string, sql: string, values: Value[]): Promise<object[]> {
    const text = sql.replace(/\?(\d)/g, '$$$1');
    try {
      return (await pool.query<object>({ name, text, values })).rows;
    } catch (error) {
      const { code, constraint } = Object(error) as pg.DatabaseError;
      if (code !== UNIQUE_VIOLATION || constraint === undefined) throw error;
      throw new TakenError(constraint, error);
    }
  }

  return {
    read: (name, ...values) => query(name, READS[name], values),
    write: async (name, ...values) => (await query(name, WRITES[name], values))[0],
    async check() {
      try {
        // Locks no row, but fails where a change fails. The pool closes the connection of a query that fails.
        await pool.query('SELECT FROM conduit_migrations WHERE false FOR UPDATE');
        return { degraded: undefined };
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === READ_ONLY)
          return { degraded: error };
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

/** Runs the pending migrations in one transaction. Processes that start together wait for each other. */
async function migrate(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS conduit_migrations (version INTEGER PRIMARY KEY)',
    );
    const { rows } = await client.query('SELECT count(*) AS count FROM conduit_migrations');
    for (let version = Number(rows[0].count); version < MIGRATIONS.length; version += 1) {
      await client.query(MIGRATIONS[version] ?? '');
      await client.query('INSERT INTO conduit_migrations VALUES ($1)', [version + 1]);
    }
    await client.query('COMMIT');
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // Closes the connection if it has failed, which also ends its transaction.
    client.release(failure);
  }
}
