import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers';
import { CHECKPOINT_PAGES, type OpenedFiles, readIndex, rememberFiles } from './connection.js';

/** Maximum number of reads that share one lock. A long turn would otherwise keep the log from starting over. */
const MAX_READS = 1_000;

/** Locks that the stores of this thread hold. */
const held = new Set<ReadLock>();

/**
 * Holds the lock of readers while a turn of the event loop has several reads. SQLite counts the locks that the
 * connections of a process share, so until the next commit, reads make no system calls while this connection has it.
 * Each read still sees the latest commit: only the lock is shared, not the moment.
 *
 * @see https://www.sqlite.org/walformat.html#wal_locks
 */
export class ReadLock {
  /** Release them last. */
  readonly files: OpenedFiles;
  readonly #database: DatabaseSync;
  /** Number of reads of this turn. */
  #reads = 0;

  constructor(path: string) {
    // First, because an error would leave the files open.
    this.#database = new DatabaseSync(path);
    this.files = rememberFiles(path);
  }

  /** Releases the locks of all stores of this thread, so that a checkpoint can empty the log. */
  static releaseAll(): void {
    for (const lock of held) lock.#release();
  }

  /** Call before each read. */
  share(): void {
    this.#reads += 1;
    if (this.#reads === 1) setImmediate(() => this.#release());
    // For a single read, the lock costs more than it saves.
    if (this.#reads === 2) this.#acquire();
    if (this.#reads === MAX_READS) this.#release();
  }

  close(): void {
    this.#release();
    this.#database.close();
  }

  #acquire(): void {
    try {
      // The log starts over only when no reader uses it.
      if (readIndex(this.files).frames >= CHECKPOINT_PAGES) return;
      held.add(this);
      this.#database.exec('BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1');
    } catch {
      // The read then fails with the same error, or takes its own lock.
      this.#release();
    }
  }

  #release(): void {
    this.#reads = 0;
    if (held.delete(this) && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}
