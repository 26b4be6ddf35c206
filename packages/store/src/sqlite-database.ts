import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  arrayOf,
  captureCaller,
  describeValue,
  explainSeconds,
  findOptionProblems,
  fn,
  formatLocation,
  integer,
  isIntended,
  type Kinds,
  kind,
  nonEmptyString,
  positiveMilliseconds,
  reporterOf,
  SHORTEST_TIMEOUT,
  string,
  warn,
} from '@fairlead/options';
import type { SqliteGroup, SqliteValue, SqliteWrite, WrittenRow } from './connection.js';
import {
  discardLog,
  FileWatch,
  MOVED,
  OVERWRITTEN,
  PROBE,
  primaryCode,
  RANGE,
  releaseFiles,
} from './connection.js';
import { type DatabaseFile, openDatabase, translateErrors } from './database.js';
import { ReadLock } from './read-lock.js';
import { StoreError } from './store-error.js';
import { WriteQueue } from './write-queue.js';
import { SqliteWriter, type StoreMetric, type Written } from './writer.js';

/** Options of {@link openSqlite}. */
export interface SqliteOptions<Name extends string, Queries> {
  /** Name of the program, for messages and for its writer thread, such as `users-api`. */
  readonly program: string;
  /** Name of the setting that holds the path, for messages, such as `DATABASE_URL`. */
  readonly setting: string;
  /**
   * Identifies the file as belonging to the program: a number from 1 to 2³¹ − 1, the same in all versions.
   */
  readonly applicationId: number;
  /**
   * SQL that migrates from each schema version to the next, starting at an empty database. Append to it, and
   * never change what you have released.
   */
  readonly migrations: readonly string[];
  /** SQL of the writes by name, one statement each. Use triggers for further effects. */
  readonly statements: Readonly<Record<Name, string>>;
  /**
   * Prepares the value that {@link SqliteDatabase.read} passes to its callback. Called once, after the
   * migrations.
   */
  readonly prepare: (database: DatabaseSync) => Queries;
  /**
   * Whether the program wrote a database that has this schema version but not the application ID. Default: it
   * did not. Use it for files that the program created before it used this package.
   */
  readonly isOurs?: (database: DatabaseSync, version: number) => boolean;
  /** Maximum time for a write, and for opening a locked file, in milliseconds. Default 5,000. */
  readonly timeout?: number;
  /** Maximum size of the file, in pages of 4 KiB. Unlimited by default. */
  readonly maxPages?: number;
  /** Called for each failure that the store recovers from. Default: `process.emitWarning`. */
  readonly warn?: (error: StoreError) => void;
}

const OPTIONS: Kinds<SqliteOptions<string, unknown>> = {
  program: nonEmptyString,
  setting: nonEmptyString,
  applicationId: integer(1, 2 ** 31 - 1),
  migrations: kind(
    'a non-empty array of SQL strings',
    (value) => arrayOf(nonEmptyString, '').accepts(value) && Object(value).length > 0,
  ),
  statements: kind(
    'an object of SQL strings by name',
    (value) =>
      typeof value === 'object' && arrayOf(string, '').accepts(Object.values(value ?? [null])),
  ),
  prepare: fn,
  isOurs: fn,
  timeout: positiveMilliseconds,
  maxPages: integer(1, 2 ** 32 - 2, 'number of pages'),
  warn: fn,
};
const FILE = kind(
  "the path of a file, such as join(folder, 'test.db') with a folder from mkdtemp()",
  (value) => nonEmptyString.accepts(value) && !/^(:memory:|file:.*)$|\0/is.test(String(value)),
);
const REQUIRED = [
  'program',
  'setting',
  'applicationId',
  'migrations',
  'statements',
  'prepare',
] as const;

/** An SQLite file. The main thread reads, and a separate thread commits concurrent writes together. */
export class SqliteDatabase<Name extends string, Queries> {
  readonly #file: DatabaseFile;
  readonly #opened: {
    database: DatabaseSync;
    queries: Queries;
    lock: ReadLock;
  };
  /** Number of placeholders of each statement. */
  readonly #placeholders = new Map<string, number>();
  readonly #watch: FileWatch;
  readonly #writer: SqliteWriter;
  readonly #writes: WriteQueue<SqliteWrite | SqliteGroup, Written>;
  #closing: Promise<void> | undefined = undefined;
  #isProbing = false;

  /** Use {@link openSqlite}, which checks the arguments. */
  constructor(file: DatabaseFile, options: SqliteOptions<Name, Queries>) {
    const { statements, timeout = 5_000, maxPages = 0, warn = process.emitWarning } = options;
    this.#file = file;
    this.#opened = openDatabase(file, options, timeout, (database) => {
      // Finds mistakes in the statements. The writer thread has its own connection.
      for (const [name, sql] of Object.entries<string>(statements)) {
        const count = () => countPlaceholders(database, name, sql);
        this.#placeholders.set(name, translateErrors(file, count, `the statement '${name}'`));
      }
      const prepare = () => options.prepare(database);
      const queries = translateErrors(file, prepare, 'a query of prepare()');
      return { database, queries, lock: new ReadLock(file.path) };
    });
    const { files } = this.#opened.lock;
    const watch = new FileWatch(files);
    this.#watch = watch;
    const report = reporterOf('warn of openSqlite()', (error) => warn(error as StoreError));
    const writer = new SqliteWriter({
      ...{ file, files, watch, statements, maxPages, timeout },
      warn: report,
    });
    this.#writer = writer;
    this.#writes = new WriteQueue(file.path, (writes) => writer.commit(writes), {
      textOf: textLength,
      deadline: { timeout, giveUp: (count) => writer.giveUp(count) },
    });
  }

  /** Numbers for monitoring. */
  get metrics(): readonly StoreMetric[] {
    const help = 'Writes that wait for their commit to begin.';
    const value = () => this.#writes.waiting;
    return [{ name: 'store_waiting_writes', help, type: 'gauge', value }, ...this.#writer.metrics];
  }

  /**
   * Reads synchronously.
   *
   * @param work - Called with the result of `prepare`. Must be synchronous.
   * @returns The result of `work`.
   * @throws {StoreError} `STORE_CLOSED`, `STORE_GONE` when the file was overwritten, or when SQLite fails,
   *   with its error as `cause`. Other errors of `work` are thrown unchanged.
   */
  read<T>(work: (queries: Queries) => T): T {
    this.#assertOpen();
    const { failure } = this.#writer;
    // Pages of two files would be mixed.
    if (failure !== undefined && isOverwritten(failure.cause)) throw failure;
    return translateErrors(this.#file, () => {
      this.#opened.lock.share();
      return work(this.#opened.queries);
    });
  }

  /** Like {@link read}, but all queries of `work` see the database at the same moment. */
  snapshot<T>(work: (queries: Queries) => T): T {
    const { database } = this.#opened;
    return this.read((queries) => {
      database.exec('BEGIN');
      try {
        return work(queries);
      } finally {
        // SQLite rolls back itself when the disk fails.
        if (database.isTransaction) database.exec('ROLLBACK');
      }
    });
  }

  /**
   * Runs a statement in the writer thread. Concurrent writes are committed together, in the order of the
   * calls. A statement that violates a constraint, or whose row cannot be returned, rejects only its own write.
   *
   * @param statement - A name in `statements`.
   * @param parameters - Finite numbers, strings and null, in the order of the placeholders.
   * @returns The first row of `RETURNING`, if any, once the write is on the disk.
   * @throws {StoreError} `INVALID_WRITE` for an unknown statement, or too few, too many or other parameters.
   *   `STORE_CONSTRAINT` when it violates a constraint. `STORE_INTERRUPTED` when the write may or may not have been
   *   made. With any other code, it has not been made.
   */
  async write(statement: Name, ...parameters: SqliteValue[]): Promise<WrittenRow> {
    this.#assertOpen();
    this.#assertWrite(statement, parameters);
    return (await this.#writes.add([statement, ...parameters])) as WrittenRow;
  }

  /**
   * Runs several statements in the writer thread, in their order. Either all of their writes are made, or none is. A
   * statement sees the writes of those before it.
   *
   * @param writes - Each one is the name of a statement, and its parameters.
   * @returns The first row of `RETURNING` of each statement, if any, once the writes are on the disk.
   * @throws {StoreError} The same as {@link write}.
   */
  async writeAll(
    writes: readonly (readonly [statement: Name, ...parameters: SqliteValue[]])[],
  ): Promise<readonly WrittenRow[]> {
    this.#assertOpen();
    for (const [statement, ...parameters] of writes) this.#assertWrite(statement, parameters);
    if (writes.length === 0) return [];
    return (await this.#writes.add([...writes])) as readonly WrittenRow[];
  }

  #assertWrite(statement: Name, parameters: readonly SqliteValue[]): void {
    const placeholders = this.#placeholders.get(statement);
    if (placeholders === undefined) {
      throw invalidWrite(describeValue(statement), 'as a statement', 'Add it to statements');
    }
    for (const [index, value] of parameters.entries()) {
      if (typeof value === 'string' || value === null || Number.isFinite(value)) continue;
      const place = `as parameter ${index + 1} of '${statement}'`;
      throw invalidWrite(describeValue(value), place, 'Use a string, a finite number or null');
    }
    if (parameters.length !== placeholders) {
      const place = `as the number of parameters of '${statement}', which is ${placeholders}`;
      const fix = 'Pass a value or null for each placeholder';
      throw invalidWrite(String(parameters.length), place, fix);
    }
  }

  /**
   * Throws when the file cannot be read or is no longer in place. Cheap enough for a health probe. While
   * writes fail, each call also tries an empty write in the background.
   *
   * @returns As `degraded`, why the last commit failed, until one succeeds.
   * @throws {StoreError} `STORE_GONE`, `STORE_CLOSED`, or why reading failed.
   */
  check(): { readonly degraded: StoreError | undefined } {
    this.#assertOpen();
    const { failure } = this.#writer;
    translateErrors(this.#file, () => {
      const problem = this.#findProblem();
      if (failure !== undefined || isOverwritten(problem)) void this.#probe();
      if (problem !== undefined) throw problem;
      if (failure?.code === 'STORE_GONE') throw failure;
      this.#opened.database.exec('SELECT 1 FROM sqlite_schema');
    });
    return { degraded: failure };
  }

  /**
   * Finishes pending writes, then closes the file and stops the writer thread. Later calls of `close` do
   * nothing, and calls of other methods fail with `STORE_CLOSED`.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Calls {@link close}, so that a container or `await using` closes the database. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Never rejects: the writer keeps the failure of a commit. */
  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    await Promise.allSettled([this.#writes.add(PROBE)]);
    this.#isProbing = false;
  }

  async #close(): Promise<void> {
    await this.#writes.idle();
    const { database, lock } = this.#opened;
    try {
      lock.close();
      if (isOverwritten(this.#findProblem())) discardLog(lock.files);
    } finally {
      // The last connection to close checkpoints the log, which blocks. The writer thread does that.
      database.close();
      await this.#writer.close();
      releaseFiles(lock.files);
    }
  }

  /**
   * Detects moved files, and then checkpoints the log into the original file. A log left behind would be
   * applied to the file that another process finds at the path.
   */
  #findProblem(): Error | undefined {
    const problem = this.#watch.findProblem();
    if (Object(problem).errcode === MOVED) {
      ReadLock.releaseAll();
      this.#opened.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    }
    return problem;
  }

  #assertOpen(): void {
    if (this.#closing === undefined) return;
    const message = `The store ${this.#file.path} is closed. Open a new one.`;
    throw new StoreError('STORE_CLOSED', message);
  }
}

/** Returns the number of characters in a write, or in the writes of a group. */
function textLength(write: SqliteWrite | SqliteGroup): number {
  let length = 0;
  for (const part of write) {
    if (typeof part === 'string') length += part.length;
    else if (Array.isArray(part)) length += textLength(part);
  }
  return length;
}

function isOverwritten(error: unknown): boolean {
  return Object(error).errcode === OVERWRITTEN;
}

/**
 * Returns the number of placeholders of a statement. SQLite ignores what follows the first statement, and reads
 * NULL for what it is not passed, so other SQL than one statement and parameters with a name are errors.
 */
function countPlaceholders(database: DatabaseSync, name: string, sql: string): number {
  const assert = (isValid: boolean, value: string, fix: string) => {
    if (isValid) return;
    const message = `openSqlite() cannot use ${value} as statements.${name}. ${fix}.`;
    throw new StoreError('INVALID_OPTION', message);
  };
  assert(!isBlank(sql), 'text without SQL', 'Use one statement');
  const isOne = isBlank(sql.slice(database.prepare(sql).sourceSQL.length));
  const trigger = 'a trigger in a migration for other effects of the write';
  assert(isOne, 'several SQL statements', `Use one statement, and ${trigger}`);
  // Runs nothing, but accepts the same parameters.
  const explain = database.prepare(`EXPLAIN ${sql}`);
  for (const [parameter] of sql.matchAll(/[:@$][\w$\u0080-\uffff]+/g)) {
    const isNamed = accepts(() => explain.get({ [parameter]: null }));
    assert(!isNamed, `SQL with the parameter ${parameter}`, 'Use a ? for each parameter');
  }
  const nulls = [null];
  while (accepts(() => explain.get(...nulls))) nulls.push(null);
  return nulls.length - 1;
}

/** Whether a statement has the parameters that `work` passes to it. */
function accepts(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    const { code } = Object(error) as NodeJS.ErrnoException;
    if (primaryCode(error) === RANGE || code === 'ERR_INVALID_STATE') return false;
    throw error;
  }
}

/** Whether SQL consists of white space, semicolons and comments. */
function isBlank(sql: string): boolean {
  return sql.replace(/--[^\n]*|\/\*.*?(?:\*\/|$)|[\s;]/gs, '') === '';
}

function invalidWrite(value: string, place: string, fix: string): StoreError {
  return new StoreError('INVALID_WRITE', `write() cannot use ${value} ${place}. ${fix}.`);
}

/**
 * Opens an SQLite file, creating it and its folders if necessary, and migrates it to the latest schema. The
 * caller closes it. Commits wait for the disk, so acknowledged writes survive a crash of the process and of
 * the machine. Several processes may open the same file.
 *
 * @param path - Path of the file. SQLite's names of other databases, such as `:memory:`, are rejected.
 * @throws {StoreError} `INVALID_OPTION`, when an option is missing, unknown or invalid. Otherwise, when
 *   the file cannot be opened, read or written, is locked, is not an SQLite database, or belongs to another
 *   program or a newer version of this one, or when SQL is wrong.
 */
export function openSqlite<Name extends string, Queries>(
  path: string,
  options: SqliteOptions<Name, Queries>,
): SqliteDatabase<Name, Queries> {
  const locate = captureCaller(openSqlite);
  try {
    const database = open(path, options);
    const sentence = 'The timeout of openSqlite() is';
    const doubt = explainSeconds(sentence, options.timeout, SHORTEST_TIMEOUT, 'the options');
    if (doubt !== undefined && !isIntended(options))
      warn('FAIRLEAD_OPTION', doubt + formatLocation(locate));
    return database;
  } catch (error) {
    const isMistake = error instanceof StoreError && MISTAKES.has(error.code);
    if (isMistake) error.message += formatLocation(locate);
    throw error;
  }
}

/** The codes of errors that the program causes, rather than its environment. */
const MISTAKES: ReadonlySet<string> = new Set(['INVALID_OPTION', 'STORE_FAILED']);

function open<Name extends string, Queries>(
  path: string,
  options: SqliteOptions<Name, Queries>,
): SqliteDatabase<Name, Queries> {
  const problems = findOptionProblems('openSqlite()', options, OPTIONS);
  if (!FILE.accepts(path)) {
    const { description } = FILE;
    problems.unshift(`path of openSqlite() must be ${description}: got ${describeValue(path)}.`);
  }
  const missing = REQUIRED.filter((name) => Object(options)[name] === undefined);
  for (const name of missing) {
    problems.push(`openSqlite() needs the option ${name}. Use ${OPTIONS[name].description}.`);
  }
  if (problems.length > 0) throw new StoreError('INVALID_OPTION', problems.join('\n'));
  const { program, setting } = options;
  return new SqliteDatabase({ path: resolve(path), program, setting }, options);
}
