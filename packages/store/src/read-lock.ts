import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers';
import { CHECKPOINT_PAGES, type OpenedFiles, readIndex } from './connection.js';

/** Number of reads after which a turn takes the lock again, so that a long one does not keep the log from shrinking. */
const MAX_READS = 1_000;

/** The locks that databases of this process hold. */
const held = new Set<ReadLock>();

/**
 * Holds the lock of readers while a turn of the event loop has several reads. SQLite counts the locks that the
 * connections of a process share, so a read makes no system calls while this connection has one, and takes a fifth of
 * the time. Each read still sees the latest commit: only the lock is shared, not the moment.
 *
 * @see https://www.sqlite.org/walformat.html#wal_locks
 */
export class ReadLock {
  readonly #files: OpenedFiles;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  /** Any read, which takes the lock. */
  readonly #take: StatementSync;
  readonly #end: StatementSync;
  /** Number of reads of this turn. */
  #reads = 0;

  constructor(path: string, files: OpenedFiles) {
    this.#files = files;
    this.#database = new DatabaseSync(path);
    this.#database.exec('PRAGMA query_only = ON');
    this.#begin = this.#database.prepare('BEGIN');
    this.#take = this.#database.prepare('SELECT 1 FROM sqlite_schema');
    this.#end = this.#database.prepare('ROLLBACK');
  }

  /** Releases the locks of all databases of this process, so that a checkpoint can empty the log. */
  static releaseAll(): void {
    for (const lock of held) lock.#release();
  }

  /** Call before each read. */
  share(): void {
    this.#reads += 1;
    if (this.#reads === 1) setImmediate(() => this.#release());
    // A single read would not make up for this one.
    if (this.#reads === 2) this.#acquire();
    if (this.#reads === MAX_READS) this.#release();
  }

  close(): void {
    this.#release();
    this.#database.close();
  }

  #acquire(): void {
    held.add(this);
    try {
      // The log starts again at its beginning only when no reader uses it.
      if (readIndex(this.#files).frames >= CHECKPOINT_PAGES) return;
      this.#begin.run();
      this.#take.get();
    } catch {
      // The read itself fails, too, or takes its own lock.
      this.#release();
    }
  }

  #release(): void {
    this.#reads = 0;
    if (held.delete(this) && this.#database.isTransaction) this.#end.run();
  }
}
