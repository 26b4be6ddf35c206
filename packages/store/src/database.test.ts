import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryPath } from '../test/support/notes.js';
import { sqliteProblem, translateErrors } from './database.js';

/** Describes a file for messages. */
const fileAt = (path: string) => ({ path, program: 'notes', setting: 'NOTES_PATH' });

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

function openDatabase(options: ConstructorParameters<typeof DatabaseSync>[1] = {}): DatabaseSync {
  const path = temporaryPath();
  new DatabaseSync(path).close();
  const database = new DatabaseSync(path, options);
  onTestFinished(() => database.close());
  return database;
}

describe('sqliteProblem', () => {
  it('reports a read-only file for errors of SQLite and of node:fs', () => {
    const database = openDatabase({ readOnly: true });
    const denied = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'access' });
    for (const error of [thrownBy(() => database.exec('CREATE TABLE a (b)')), denied]) {
      expect(sqliteProblem(error, fileAt('/notes.db'))).toMatchObject({
        code: 'STORE_READ_ONLY',
        isTransient: false,
        message: expect.stringMatching(
          /^The store \/notes\.db is not writable \(.+\)\. Check the path, and the permissions/,
        ),
        cause: error,
      });
    }
  });

  it.each([
    [3, 'STORE_UNREACHABLE', 'cannot be opened'],
    [5, 'STORE_LOCKED', 'is locked by another process'],
    [8, 'STORE_READ_ONLY', 'is not writable'],
    [10, 'STORE_FAILED', 'cannot be read or written'],
    [11, 'STORE_NOT_A_DATABASE', 'seems damaged'],
    [13, 'STORE_FULL', 'cannot grow because the disk is full'],
    [14, 'STORE_UNREACHABLE', 'cannot be opened'],
    [18, 'STORE_FAILED', 'cannot run a query'],
    [19, 'STORE_CONSTRAINT', 'cannot run a query, which violates a constraint'],
    [20, 'STORE_FAILED', 'cannot run a query'],
    [26, 'STORE_NOT_A_DATABASE', 'is not an SQLite database'],
  ])('knows result code %i of SQLite, and its extended codes', (errcode, code, problem) => {
    for (const one of [errcode, errcode + 256]) {
      const error = Object.assign(new Error('reason'), { errcode: one });
      expect(sqliteProblem(error, fileAt('/notes.db'))).toMatchObject({
        code,
        message: expect.stringContaining(`The store /notes.db ${problem} (reason). `),
      });
    }
  });

  it.each([
    [516, 'STORE_FAILED', 'rolled back all writes of a batch'],
    [1032, 'STORE_GONE', 'was deleted, moved or replaced while in use'],
  ])('knows extended code %i of SQLite', (errcode, code, problem) => {
    const error = Object.assign(new Error('reason'), { errcode });
    expect(sqliteProblem(error, fileAt('/notes.db'))).toMatchObject({
      code,
      message: expect.stringContaining(`The store /notes.db ${problem} (reason). `),
    });
  });

  it('reports a file that cannot be opened for other errors of node:fs', () => {
    const error = Object.assign(new Error('too many files'), { code: 'EMFILE', syscall: 'open' });
    expect(sqliteProblem(error, fileAt('/notes.db'))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('The store /notes.db cannot be opened (too many files). '),
    });
  });

  it('names the folder that cannot be created and the fix', () => {
    const error = thrownBy(() => mkdirSync('/dev/null/notes'));
    expect(sqliteProblem(error, fileAt('/dev/null/notes/notes.db'))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(
        /^The store \/dev\/null\/notes\/notes\.db cannot be created because its folder cannot be created \(ENOTDIR: .+ '\/dev\/null\/notes'\)\. Create the folder, or set NOTES_PATH to another file\.$/,
      ),
    });
  });

  it.each([
    ['SELECT * FROM songs', 'no such table: songs'],
    ['SELECT song FROM notes', 'no such column: song'],
    ['INSERT INTO notes (song) VALUES (1)', 'table notes has no column named song'],
  ])('explains how to add what is missing: %s', (sql, problem) => {
    const database = openDatabase();
    database.exec('CREATE TABLE notes (text)');
    const error = thrownBy(() => database.exec(sql));
    for (const [part, fix] of [
      ['migration 2', 'insert a migration that creates what is missing before it'],
      ["the statement 'add'", 'append a migration that creates what is missing'],
    ]) {
      expect(sqliteProblem(error, fileAt('/notes.db'), part)).toMatchObject({
        code: 'STORE_FAILED',
        message: `The store /notes.db cannot run ${part} (${problem}). Correct its SQL, or ${fix}. Never edit a migration that you have released.`,
      });
    }
  });

  it('does not call a file damaged that only a failing disk makes seem so', () => {
    const error = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
    expect(sqliteProblem(error, fileAt('/notes.db'))).toMatchObject({
      code: 'STORE_NOT_A_DATABASE',
      message:
        'The store /notes.db seems damaged (database disk image is malformed). Check the disk, then the ' +
        'file with PRAGMA integrity_check. Restore a backup only if that finds errors.',
    });
  });

  it('includes the message of an unknown error', () => {
    const error = Object.assign(new Error('out of memory'), { errcode: 7 });
    expect(sqliteProblem(error, fileAt('/notes.db'))).toMatchObject({
      code: 'STORE_FAILED',
      message: 'The store /notes.db failed (out of memory). Check the file and the disk.',
    });
  });
});

describe('translateErrors', () => {
  it('rethrows what is not an error of SQLite or of the file system', () => {
    for (const thrown of [new TypeError('Not a number.'), 'text', undefined]) {
      const work = () => {
        throw thrown;
      };
      expect(thrownBy(() => translateErrors(fileAt('/notes.db'), work))).toBe(thrown);
    }
  });
});
