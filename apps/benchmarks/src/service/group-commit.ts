import { SqliteStore } from './sqlite.js';
import type { NewUser, User, UserChanges } from './user.js';

interface Write {
  readonly run: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores users in an SQLite file. The writes of all requests that arrive in one turn of the event
 * loop share a transaction, and with it the wait for the disk.
 */
export class GroupCommitStore extends SqliteStore {
  #waiting: Write[] = [];

  override create(input: NewUser): Promise<User> {
    return this.#add(() => super.create(input));
  }

  override update(id: string, changes: UserChanges, expected?: User): Promise<User | undefined> {
    return this.#add(() => super.update(id, changes, expected));
  }

  override delete(id: string, expected?: User): Promise<boolean> {
    return this.#add(() => super.delete(id, expected));
  }

  #add<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const count = this.#waiting.push({ run, resolve, reject });
      // Runs after the sockets that are ready have been read.
      if (count === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const writes = this.#waiting;
    this.#waiting = [];
    const settle: (() => void)[] = [];
    try {
      this.database.exec('BEGIN IMMEDIATE');
      for (const { run, resolve, reject } of writes) {
        try {
          const result = run() as never;
          settle.push(() => resolve(result));
        } catch (error) {
          if (!this.database.inTransaction) throw error;
          settle.push(() => reject(error));
        }
      }
      this.database.exec('COMMIT');
    } catch (error) {
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      for (const { reject } of writes) reject(error);
      return;
    }
    for (const each of settle) each();
  }
}
