import type { Database } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqliteFile } from './sqlite.ts';

/**
 * Opens a database, and migrates it.
 *
 * @param url - The URL of a PostgreSQL database, or the path of an SQLite file.
 * @param warn - Called with failures from which the database recovers, such as a lost connection.
 */
export async function openDatabase(url: string, warn: (error: Error) => void): Promise<Database> {
  const isPostgres = /^postgres(ql)?:/.test(url);
  return isPostgres ? openPostgres(url, warn) : openSqliteFile(url, warn);
}
