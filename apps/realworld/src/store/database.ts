import type { READS, WRITES } from './statements.ts';

export type Value = string | number | null;

/**
 * Runs the statements of `statements.ts`. Its implementations hide what differs between databases: how to connect, how
 * to migrate, and how to tell that a value is taken.
 */
export interface Database {
  /** Returns the rows of a query. */
  read(name: keyof typeof READS, ...values: Value[]): Promise<object[]>;
  /**
   * Writes, and returns the first row of the `RETURNING` clause.
   *
   * @throws {TakenError} When another row has a value that must be unique.
   */
  write(name: keyof typeof WRITES, ...values: Value[]): Promise<object | undefined>;
  /** Throws, or rejects, if the database cannot be used. Returns as `degraded` why it can only be read. */
  check(): unknown;
  close(): Promise<void>;
}

/** Another row has this value of a unique column. */
export class TakenError extends Error {
  override readonly name = 'TakenError';
  readonly column: string;

  constructor(column: string, cause: unknown) {
    super(`Another row has this ${column}.`, { cause });
    this.column = column;
  }
}
