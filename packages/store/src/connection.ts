// What both threads use. The writer thread loads it without a TypeScript loader, so it must only import from
// node:*.
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';

/** SQLITE_BUSY: another connection holds a lock. */
export const BUSY = 5;
/** SQLITE_CONSTRAINT. */
export const CONSTRAINT = 19;
/** SQLITE_FULL: the disk or the file cannot hold more. */
export const FULL = 13;
/** SQLITE_RANGE: a parameter has no placeholder. */
export const RANGE = 25;
/** SQLITE_ABORT_ROLLBACK: the writes of a batch were rolled back together. */
export const ROLLED_BACK = 516;
/** SQLITE_READONLY_DBMOVED, which SQLite does not detect with a write-ahead log. */
export const MOVED = 1032;
/** Like {@link MOVED}, but another program wrote to the files. Not an SQLite code. */
export const OVERWRITTEN = MOVED + 2 ** 16;

/** Returns the primary result code of an error, which is the low byte of the extended one. */
export function primaryCode(error: unknown): number {
  return Number((Object(error) as { errcode?: unknown }).errcode) & 0xff;
}

/** Value of {@link WriterData.claim} once the writer thread makes the writes of its batch. */
export const TAKEN = -1;

/** Data that the main thread passes to the writer thread. */
export interface WriterData {
  readonly path: string;
  readonly files: OpenedFiles;
  /** SQL of each statement by name. */
  readonly statements: Readonly<Record<string, string>>;
  /** Maximum size of the file, in pages, or 0 for SQLite's own limit. */
  readonly maxPages: number;
  /**
   * Numbers shared by both threads. The first one counts the writes at the start of the batch that the main thread has
   * given up on. It is {@link TAKEN} once the writer thread has the lock and makes the other writes. The second one is 1
   * while the writer thread shortens the log.
   */
  readonly claim: Int32Array<SharedArrayBuffer>;
}

/** A parameter of a write, or a column of the row that it returns. */
export type SqliteValue = string | number | null;

/** The first row that a write returned, if any. */
export type WrittenRow = Readonly<Record<string, SqliteValue>> | undefined;

/** The name of a statement and its parameters, or a {@link PROBE}. */
export type SqliteWrite = readonly [statement: string, ...parameters: SqliteValue[]] | readonly [];

/** Writes that are made together or not at all. */
export type SqliteGroup = readonly SqliteWrite[];

/** Whether a member of a batch is a group. */
export function isGroup(write: SqliteWrite | SqliteGroup): write is SqliteGroup {
  return Array.isArray(write[0]);
}

/** A write that changes nothing and finds out whether others would succeed. */
export const PROBE: SqliteWrite = [];

/** The error of a write, with the properties of node:sqlite or node:fs. */
export interface WriteFailure extends Error {
  /** Name of the statement that failed. Absent if the connection or the whole batch failed. */
  readonly statement?: string;
}

/** What became of a write, or of a group, which has the row of each write; null for none. */
export interface Outcome {
  readonly row?: WrittenRow;
  readonly rows?: readonly (WrittenRow | null)[];
  readonly failure?: WriteFailure;
}

/** Sent for each batch. */
export interface WriterReply {
  readonly outcomes: readonly Outcome[];
  readonly isCommitted: boolean;
  /** Whether the batch failed during or after its commit, so that its writes may exist. */
  readonly isUnknown: boolean;
  /** Time spent waiting for another process's lock, in seconds. */
  readonly lockWait: number;
}

/** The files of an open database as they were when it was opened. */
export interface OpenedFiles {
  /** Identities by path. SQLite does not replace files while a connection is open. */
  readonly identities: ReadonlyMap<string, string | undefined>;
  readonly database: number;
  readonly log: number;
  readonly index: number;
  /** In bytes. A database with a log cannot change it. */
  readonly pageSize: number;
  readonly content: Content;
}

/** Content of the database file. Only checkpoints of the log change it. */
export interface Content {
  /** State of the checkpoints when the content was read, or undefined during one. */
  readonly checkpoint: string | undefined;
  readonly size: bigint;
  readonly modified: bigint;
  /** Checksums of pages by number, from 0. */
  readonly sums: ReadonlyMap<number, number>;
}

/**
 * Size of the log that triggers a checkpoint, in pages of 4 KiB. Random IDs touch pages all over the file,
 * so a large log merges more changes per page.
 */
export const CHECKPOINT_PAGES = 10_000;

/** Maximum number of pages that are compared after a checkpoint. */
const RECENT_PAGES = 64;
/** Maximum number of pages that are compared before the first checkpoint. */
const FIRST_PAGES = 1_024;

/** Files that connections share. */
interface SharedFiles {
  readonly identities: OpenedFiles['identities'];
  /** Of the database, the log and the index, as far as they could be opened. */
  readonly descriptors: number[];
  /** Number of connections that have not released them. */
  connections: number;
}

/**
 * Files that connections of this process use. They share descriptors, because closing one of them would release the
 * locks of the other connections.
 *
 * @see https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
 */
const inUse = new Map<string, SharedFiles>();

/** Remembers the files of an open database. Release them once it is closed. */
export function rememberFiles(path: string): OpenedFiles {
  // For a symbolic link, SQLite places the log next to its target.
  const target = realpathSync(path);
  const paths = [path, `${target}-wal`, `${target}-shm`] as const;
  const identities = new Map(paths.map((file) => [file, identify(file)]));
  const key = keyOf(identities);
  const shared = inUse.get(key) ?? { identities, descriptors: [], connections: 0 };
  inUse.set(key, shared);
  const { descriptors } = shared;
  const open = (file: string, at: number) => (descriptors[at] ??= openSync(file, 'r'));
  const [database = 0, log = 0, index = 0] = paths.map(open);
  const bytes = Buffer.alloc(2);
  readSync(database, bytes, 0, 2, 16);
  // 1 means 64 KiB.
  const pageSize = bytes.readUInt16BE(0) === 1 ? 2 ** 16 : bytes.readUInt16BE(0);
  const opened = { identities, database, log, index, pageSize };
  const { checkpoint } = readIndex(opened);
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const pages = Math.ceil(Number(size) / pageSize);
  const step = Math.max(1, pages / FIRST_PAGES);
  const some = Array.from({ length: Math.min(pages, FIRST_PAGES) }, (_, at) =>
    Math.floor(at * step),
  );
  const sums = sumPages(opened, some);
  const content = { checkpoint, size, modified: mtimeNs, sums };
  shared.connections += 1;
  return { ...opened, content };
}

/**
 * Empties the log of files that were overwritten, and keeps a copy. Otherwise, SQLite would apply it to a file that it
 * does not belong to.
 */
export function discardLog({ identities }: OpenedFiles): void {
  const log = [...identities.keys()][1] ?? '';
  const { size } = statSync(log, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0) return;
  copyFileSync(log, `${log}.unused`);
  truncateSync(log);
}

/** Closes the descriptors of files that no connection uses. */
export function releaseFiles(files: OpenedFiles): void {
  const released = inUse.get(keyOf(files.identities));
  if (released !== undefined) released.connections -= 1;
  for (const [key, { connections, identities, descriptors }] of inUse) {
    const [path = '', , index = ''] = identities.keys();
    // The last connection deletes the index. Another one may have opened the file again in the meantime.
    const isInUse = existsSync(index) && identify(path) === identities.get(path);
    if (connections > 0 || isInUse) continue;
    inUse.delete(key);
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

function keyOf(identities: OpenedFiles['identities']): string {
  return [...identities.values()].join();
}

/** Detects changes to the files of an open database that SQLite does not notice, and that would lose writes. */
export class FileWatch {
  readonly #files: OpenedFiles;
  /** As last read. The writer thread reads more often. */
  content: Content;

  constructor(files: OpenedFiles) {
    this.#files = files;
    this.content = files.content;
  }

  /** Returns an error {@link MOVED} or {@link OVERWRITTEN}. Never reports what SQLite did in another process. */
  findProblem(): Error | undefined {
    for (;;) {
      const header = readIndex(this.#files);
      const problem = this.#findOverwritten(header) ?? findMoved(this.#files.identities);
      if (problem === undefined) return undefined;
      // Otherwise, a connection has written in the meantime.
      if (header.bytes.equals(readIndex(this.#files).bytes)) return problem;
    }
  }

  #findOverwritten(header: IndexHeader): Error | undefined {
    const [path = '', log] = this.#files.identities.keys();
    if (!hasLog(this.#files, header)) return overwritten(`${log} lacks what was written to it`);
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined || identityOf(found) !== this.#files.identities.get(path)) {
      return undefined;
    }
    const { checkpoint, size, modified, sums } = this.content;
    if (checkpoint !== undefined && checkpoint === header.checkpoint) {
      if (size === found.size && modified === found.mtimeNs) return undefined;
      const current = sumPages(this.#files, [...sums.keys()]);
      const isSame = [...sums].every(([page, sum]) => current.get(page) === sum);
      if (size !== found.size || !isSame) return overwritten(`${path} has other content`);
    }
    const pages = findRecentPages(this.#files, header) ?? [...sums.keys()];
    this.content = {
      checkpoint: header.checkpoint,
      size: found.size,
      modified: found.mtimeNs,
      sums: header.checkpoint === undefined ? sums : sumPages(this.#files, pages),
    };
    return undefined;
  }
}

function overwritten(problem: string): Error {
  return Object.assign(new Error(problem), { errcode: OVERWRITTEN });
}

/** What the index of the log records. @see https://www.sqlite.org/walformat.html */
interface IndexHeader {
  readonly bytes: Buffer;
  /** Number of committed frames in the log. */
  readonly frames: number;
  /** Number of committed frames that are in the database file. */
  readonly copied: number;
  /** Random numbers that mark the frames of this log. */
  readonly salts: Buffer;
  /** Checksum of the last frame. */
  readonly sums: readonly [number, number];
  /** Changes with each checkpoint. Undefined during one. */
  readonly checkpoint: string | undefined;
}

export function readIndex({ index }: Pick<OpenedFiles, 'index'>): IndexHeader {
  const bytes = Buffer.alloc(136);
  readSync(index, bytes, 0, bytes.length, 0);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  // Locks of readers and their marks change without a write.
  bytes.fill(0, 100, 128);
  const [copied = 0, copying = 0] = [words[24], words[32]];
  const salts = bytes.subarray(32, 40);
  return {
    bytes,
    frames: words[4] ?? 0,
    copied,
    salts,
    sums: [words[6] ?? 0, words[7] ?? 0],
    checkpoint: copied === copying ? `${salts.toString('hex')}:${copied}` : undefined,
  };
}

/** Whether the log has the first and the last frame that its index names. */
function hasLog({ log, pageSize }: OpenedFiles, header: IndexHeader): boolean {
  const { bytes: index, frames, salts, sums } = header;
  // A process that dies may leave two different copies. The next writer repairs them.
  if (frames === 0 || !index.subarray(0, 48).equals(index.subarray(48, 96))) return true;
  const bytes = Buffer.alloc(56);
  readSync(log, bytes, 0, 32, 0);
  readSync(log, bytes, 32, 24, 32 + (frames - 1) * (pageSize + 24));
  return (
    bytes.subarray(16, 24).equals(salts) &&
    bytes.subarray(40, 48).equals(salts) &&
    bytes.readUInt32BE(48) === sums[0] &&
    bytes.readUInt32BE(52) === sums[1]
  );
}

/** Returns the pages that the last checkpoint has copied last, if they are still in the log. */
function findRecentPages(
  { log, pageSize }: OpenedFiles,
  { copied }: IndexHeader,
): readonly number[] | undefined {
  if (copied === 0) return undefined;
  const bytes = Buffer.alloc(4);
  const count = Math.min(copied, RECENT_PAGES);
  const recent = Array.from({ length: count }, (_, at) => {
    readSync(log, bytes, 0, 4, 32 + (copied - 1 - at) * (pageSize + 24));
    return bytes.readUInt32BE(0) - 1;
  });
  return [...new Set([0, ...recent])];
}

function sumPages(
  { database, pageSize }: Pick<OpenedFiles, 'database' | 'pageSize'>,
  pages: readonly number[],
): ReadonlyMap<number, number> {
  const bytes = Buffer.alloc(pageSize);
  return new Map(
    pages.map((page) => {
      const length = readSync(database, bytes, 0, pageSize, page * pageSize);
      return [page, crc32(bytes.subarray(0, length))];
    }),
  );
}

/**
 * Detects files that were deleted, moved or replaced. Later writes of this process would be lost, or go to a
 * file that no other process opens.
 */
function findMoved(identities: OpenedFiles['identities']): Error | undefined {
  for (const [path, identity] of identities) {
    const found = identify(path);
    if (found === identity) continue;
    const problem = found === undefined ? 'is missing' : 'is a different file';
    return Object.assign(new Error(`${path} ${problem}`), { errcode: MOVED });
  }
  return undefined;
}

function identify(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && identityOf(found);
}

function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}
