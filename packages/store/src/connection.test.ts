import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryPath } from '../test/support/notes.js';
import {
  discardLog,
  FileWatch,
  MOVED,
  OVERWRITTEN,
  releaseFiles,
  rememberFiles,
} from './connection.js';

const ROWS = 16;

/** In bytes. */
interface Sizes {
  readonly pageSize?: number;
  /** Of the content of a row. */
  readonly size?: number;
}

/** Creates a database with a page for each row and an empty log, without waiting for the disk. */
function createRows({ pageSize = 512, size = 0.6 * pageSize }: Sizes = {}) {
  const path = temporaryPath();
  const raw = new DatabaseSync(path);
  raw.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    PRAGMA wal_autocheckpoint = 0; CREATE TABLE rows (id INTEGER PRIMARY KEY, content BLOB)`);
  const write = raw.prepare('REPLACE INTO rows VALUES (?, ?)');
  const content = Buffer.alloc(size);
  for (let id = 1; id <= ROWS; id += 1) write.run(id, content);
  raw.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  /** Writes to the page of a row, and to no other. */
  const change = (id: number) => {
    content.fill((content[0] ?? 0) + 1);
    write.run(id, content);
  };
  return { path, log: `${path}-wal`, raw, change };
}

/** Watches the files of a new database until the test finishes. */
function openRows(sizes: Sizes = {}) {
  const rows = createRows(sizes);
  const files = rememberFiles(rows.path);
  onTestFinished(() => {
    rows.raw.close();
    releaseFiles(files);
  });
  const watch = new FileWatch(files);
  /** Returns the code of the problem; undefined without one. */
  const problem = (): unknown => Object(watch.findProblem()).errcode;
  return { ...rows, files, watch, problem };
}

/** Overwrites a part of a file in place. */
function overwrite(path: string, bytes: Uint8Array, at: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

/** Inverts a byte of a file. */
function damage(path: string, at: number): void {
  overwrite(path, Buffer.of(~(readFileSync(path)[at] ?? 0)), at);
}

describe('a watched database', () => {
  it('has no problem after writes, checkpoints, and changes of its times', () => {
    const { path, raw, change, problem } = openRows();
    const found: unknown[] = [];
    const modes = ['PASSIVE', 'RESTART', 'TRUNCATE'];
    const steps = [
      ...modes.flatMap((mode) => [
        () => change(3),
        () => raw.exec(`PRAGMA wal_checkpoint(${mode})`),
      ]),
      () => raw.exec('VACUUM'),
    ];
    for (const [index, step] of steps.entries()) {
      step();
      found.push(problem());
      utimesSync(path, index, index);
      found.push(problem());
    }
    expect(new Set(found)).toEqual(new Set([undefined]));
  });

  it('is overwritten if any page has another content', () => {
    const { path, problem } = openRows();
    const content = readFileSync(path);
    const found: unknown[] = [];
    for (let start = 0; start < content.length; start += 512) {
      for (const at of [start, start + 511]) {
        damage(path, at);
        found.push(problem());
        damage(path, at);
        expect(problem()).toBeUndefined();
      }
    }
    expect(found.length).toBeGreaterThan(2 * ROWS);
    expect(new Set(found)).toEqual(new Set([OVERWRITTEN]));
  });

  it('is overwritten if the last pages of a large file have another content', () => {
    const { path, problem } = openRows({ size: 60_000 });
    const { size } = statSync(path);
    expect(size).toBeGreaterThan(1_500 * 512);
    overwrite(path, Buffer.alloc(size / 3, 1), size - size / 3);
    expect(problem()).toBe(OVERWRITTEN);
  });

  it('is overwritten if it has more bytes', () => {
    const { path, watch } = openRows();
    writeFileSync(path, Buffer.alloc(512), { flag: 'a' });
    expect(watch.findProblem()?.message).toBe(`${path} has other content`);
  });

  it.each([0, 1, 2])(
    'is overwritten if page %i that a checkpoint has written is older',
    (index) => {
      const { path, raw, change, problem } = openRows();
      const before = readFileSync(path);
      for (const id of [3, 7, 11]) change(id);
      raw.exec('PRAGMA wal_checkpoint(PASSIVE)');
      expect(problem()).toBeUndefined();
      const after = readFileSync(path);
      const pages = Array.from({ length: after.length / 512 }, (_, page) => page * 512);
      const changed = pages.filter((at) => after.compare(before, at, at + 512, at, at + 512) !== 0);
      expect(changed).toHaveLength(3);
      const at = changed[index] ?? 0;
      overwrite(path, before.subarray(at, at + 512), at);
      expect(problem()).toBe(OVERWRITTEN);
    },
  );

  it('is overwritten if its first page, which no write has changed, has another content', () => {
    const { path, raw, change, problem } = openRows();
    change(7);
    raw.exec('PRAGMA wal_checkpoint(PASSIVE)');
    expect(problem()).toBeUndefined();
    damage(path, 100);
    expect(problem()).toBe(OVERWRITTEN);
  });

  it('is overwritten if a page is older that the last checkpoint before a restart of the log wrote', () => {
    const { path, raw, change, problem } = openRows();
    const before = readFileSync(path);
    change(3);
    raw.exec('PRAGMA wal_checkpoint(PASSIVE)');
    expect(problem()).toBeUndefined();
    const after = readFileSync(path);
    change(7);
    expect(problem()).toBeUndefined();
    const at = 512 * Math.floor(after.findIndex((byte, index) => byte !== before[index]) / 512);
    overwrite(path, before.subarray(at, at + 512), at);
    expect(problem()).toBe(OVERWRITTEN);
  });

  it.each([1, 2])('is overwritten if its log of %i writes is empty, or cut', (writes) => {
    const { log, watch, change } = openRows();
    for (const id of [3, 7].slice(-writes)) change(id);
    const { size } = statSync(log);
    expect(watch.findProblem()).toBeUndefined();
    for (const length of [size - 536, 32, 0]) {
      truncateSync(log, length);
      expect(watch.findProblem()).toMatchObject({
        errcode: OVERWRITTEN,
        message: `${log} lacks what was written to it`,
      });
    }
  });

  // https://www.sqlite.org/walformat.html
  it.each([
    ['its first salt', 16],
    ['its second salt', 23],
    ['the first salt of its last write', 32 + 536 + 8],
    ['the second salt of its last write', 32 + 536 + 15],
    ['the first checksum of its last write', 32 + 536 + 16],
    ['the second checksum of its last write', 32 + 536 + 23],
  ])('is overwritten if its log has changed in %s', (_, at) => {
    const { log, change, problem } = openRows();
    change(3);
    change(7);
    expect(problem()).toBeUndefined();
    damage(log, at);
    expect(problem()).toBe(OVERWRITTEN);
    damage(log, at);
    expect(problem()).toBeUndefined();
  });

  it('may have pages of 64 KiB', () => {
    const { log, change, problem } = openRows({ pageSize: 65_536 });
    change(3);
    change(7);
    expect(problem()).toBeUndefined();
    damage(log, 32 + 65_560 + 16);
    expect(problem()).toBe(OVERWRITTEN);
  });

  it('is not compared while another process copies the log', () => {
    const { path, change, problem } = openRows();
    change(3);
    // The number of frames that a checkpoint has begun to copy.
    overwrite(`${path}-shm`, Buffer.of(1), 128);
    damage(path, 1_000);
    expect(problem()).toBeUndefined();
  });

  it.each([
    ['is missing', (path: string) => rmSync(path)],
    [
      'is a different file',
      (path: string) => {
        writeFileSync(`${path}.new`, 'new');
        renameSync(`${path}.new`, path);
      },
    ],
  ])('is moved if it, its log or its index %s', (what, act) => {
    for (const suffix of ['', '-wal', '-shm']) {
      const { path, watch, change } = openRows();
      change(3);
      act(path + suffix);
      expect(watch.findProblem()).toMatchObject({
        errcode: MOVED,
        message: `${path}${suffix} ${what}`,
      });
    }
  });
});

describe('the descriptors of files', () => {
  const isOpen = (descriptor: number): boolean => {
    try {
      return fstatSync(descriptor).isFile();
    } catch {
      return false;
    }
  };

  it('stay open while another connection uses the files, which shares them', () => {
    const { path, raw } = createRows();
    const files = rememberFiles(path);
    const { database, log, index } = files;
    releaseFiles(files);
    expect([database, log, index].map(isOpen)).toEqual([true, true, true]);
    expect(rememberFiles(path)).toMatchObject({ database, log, index });
    raw.close();
    releaseFiles(files);
    expect([database, log, index].map(isOpen)).toEqual([false, false, false]);
  });

  it('are closed with the last of several connections', () => {
    const { path, raw } = createRows();
    const [first, second] = [rememberFiles(path), rememberFiles(path)];
    const descriptors = [first, second].flatMap(({ database, log, index }) => [
      database,
      log,
      index,
    ]);
    releaseFiles(first);
    expect(new Set(descriptors.map(isOpen))).toEqual(new Set([true]));
    raw.close();
    releaseFiles(second);
    expect(new Set(descriptors.map(isOpen))).toEqual(new Set([false]));
  });

  it('stay open for other connections while the file is moved', () => {
    const { path, raw } = createRows();
    const [first, second] = [rememberFiles(path), rememberFiles(path)];
    renameSync(path, `${path}.moved`);
    releaseFiles(first);
    renameSync(`${path}.moved`, path);
    expect(new FileWatch(second).findProblem()).toBeUndefined();
    raw.close();
    releaseFiles(second);
  });

  it('stay open while the file is open again, whose locks would end', () => {
    const { path, raw } = createRows();
    const first = rememberFiles(path);
    raw.close();
    const again = new DatabaseSync(path);
    again.exec('SELECT * FROM rows');
    const second = rememberFiles(path);
    const areOpen = () =>
      [first, second].flatMap(({ database, log, index }) => [database, log, index].map(isOpen));
    expect(second.index).not.toBe(first.index);
    releaseFiles(first);
    expect(new Set(areOpen())).toEqual(new Set([true]));
    again.close();
    releaseFiles(second);
    expect(new Set(areOpen())).toEqual(new Set([false]));
  });

  it('are closed later if one of them cannot be opened', () => {
    const { path, raw } = createRows();
    const { ino } = statSync(path);
    const count = () =>
      readdirSync('/dev/fd').filter((name) => isOpen(+name) && fstatSync(+name).ino === ino).length;
    raw.close();
    expect(() => rememberFiles(path)).toThrow('ENOENT');
    expect(count()).toBe(1);
    const other = createRows();
    const files = rememberFiles(other.path);
    other.raw.close();
    releaseFiles(files);
    expect(count()).toBe(0);
  });

  it('are opened again after they were closed', () => {
    const { path, raw } = createRows();
    const files = rememberFiles(path);
    releaseFiles(files);
    renameSync(path, `${path}.moved`);
    releaseFiles(files);
    renameSync(`${path}.moved`, path);
    const again = rememberFiles(path);
    expect([again.database, again.log, again.index].map(isOpen)).toEqual([true, true, true]);
    expect(new FileWatch(again).findProblem()).toBeUndefined();
    raw.close();
    releaseFiles(again);
  });
});

describe('discardLog', () => {
  it('keeps a copy of a log, but of none that is empty or missing', () => {
    const { log, files, change } = openRows();
    discardLog(files);
    expect(existsSync(`${log}.unused`)).toBe(false);
    change(3);
    const bytes = readFileSync(log);
    discardLog(files);
    expect(readFileSync(`${log}.unused`)).toEqual(bytes);
    expect(statSync(log).size).toBe(0);
    rmSync(`${log}.unused`);
    rmSync(log);
    discardLog(files);
    expect(existsSync(`${log}.unused`)).toBe(false);
  });
});
