import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { openSqlite, type StoreError } from '../../src/index.js';

/** SQL that creates the table of the first version. */
export const CREATE_NOTES =
  'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT';

/** Options of a store of notes. The long timeout keeps writes from failing on a loaded machine. */
export const NOTES = {
  program: 'notes',
  setting: 'NOTES_PATH',
  applicationId: 0x6e6f7465,
  migrations: [CREATE_NOTES, 'CREATE INDEX notes_text ON notes (text)'],
  statements: {
    add: 'INSERT INTO notes (text) VALUES (?) RETURNING id, text',
    insert: 'INSERT INTO notes (id, text) VALUES (?, ?)',
    addJson: 'INSERT INTO notes (text) VALUES (json(?))',
    insertOrRollback: 'INSERT OR ROLLBACK INTO notes (id, text) VALUES (?, ?)',
    addZeros: 'INSERT INTO notes (text) VALUES (hex(zeroblob(?)))',
    remove: 'DELETE FROM notes WHERE id = ? RETURNING id',
    addTwo: 'INSERT OR FAIL INTO notes (id, text) VALUES (?1, ?2), (?1 + 1, ?2)',
    count:
      'INSERT INTO notes (text) VALUES (?) RETURNING CAST(? AS INTEGER) + 1 AS total, ? * 1.0 AS share',
    bytes: "INSERT INTO notes (text) VALUES (?) RETURNING x'00' AS content",
  },
  prepare: (database: DatabaseSync) => ({
    texts: database.prepare('SELECT text FROM notes ORDER BY id LIMIT ?'),
  }),
  timeout: 60_000,
};

/** Options that tests change. */
interface Changes {
  readonly migrations?: readonly string[];
  readonly statements?: typeof NOTES.statements;
  readonly prepare?: typeof NOTES.prepare;
  readonly timeout?: number;
  readonly maxPages?: number;
  readonly warn?: (error: StoreError) => void;
}

export type NotesStore = ReturnType<typeof openNotes>;

/** Opens a store and closes it when the current test ends. */
export function openNotes(path: string, changes: Changes = {}) {
  const store = openSqlite(path, { ...NOTES, ...changes });
  onTestFinished(() => store.close());
  return store;
}

/** Returns the texts of all notes. */
export function textsOf(store: NotesStore): readonly unknown[] {
  return store.read(({ texts }) => texts.all(-1)).map(({ text }) => text);
}

/** Returns the value of each metric, by name. */
export function metricsOf(store: NotesStore): Record<string, number> {
  return Object.fromEntries(store.metrics.map(({ name, value }) => [name, value()]));
}

/** Opens a database file as another process would, and closes it when the current test ends. */
export function openRaw(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}

/** Reads the index of a database's log. In this process, closing its descriptor would release the locks of SQLite. */
export function readIndexFile(path: string): Buffer {
  return execFileSync('cat', [`${path}-shm`]);
}

/** Creates a folder and removes it with its contents when the current test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a path in a new temporary folder. */
export function temporaryPath(): string {
  return join(temporaryFolder(), 'notes.db');
}
