import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { StoreError } from '../store-error.js';
import { sqliteProblem } from './sqlite-problem.js';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

function openDatabase(options: ConstructorParameters<typeof DatabaseSync>[1] = {}): DatabaseSync {
  const path = join(temporaryFolder(), 'users.db');
  new DatabaseSync(path).close();
  const database = new DatabaseSync(path, options);
  onTestFinished(() => database.close());
  return database;
}

describe('sqliteProblem', () => {
  it('says that a file may not be written, whoever found that out', () => {
    const database = openDatabase({ readOnly: true });
    const denied = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'access' });
    for (const error of [thrownBy(() => database.exec('CREATE TABLE a (b)')), denied]) {
      expect(sqliteProblem(error, '/users.db')).toMatchObject({
        code: 'STORE_READ_ONLY',
        mayPass: false,
        message: expect.stringMatching(/^The store \/users\.db may not be written: check the perm/),
        cause: error,
      });
    }
  });

  it('names the folder that cannot be created, and says what to do', () => {
    const error = thrownBy(() => mkdirSync('/dev/null/users'));
    expect(sqliteProblem(error, '/dev/null/users/users.db')).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(
        /^The store \/dev\/null\/users\/users\.db cannot be created, because its folder cannot: create that folder, or name another file in DATABASE_URL \(ENOTDIR: .+ '\/dev\/null\/users'\)\.$/,
      ),
    });
  });

  it('says what an error is that it does not know', () => {
    const error = thrownBy(() => openDatabase().exec('SELECT * FROM songs'));
    expect(sqliteProblem(error, '/users.db')).toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(/^The store \/users\.db failed \(no such table: songs\)\.$/),
    });
  });

  it('returns a StoreError as it is', () => {
    const error = new StoreError('STORE_BUSY', 'Busy.');
    expect(sqliteProblem(error, '/users.db')).toBe(error);
  });
});
