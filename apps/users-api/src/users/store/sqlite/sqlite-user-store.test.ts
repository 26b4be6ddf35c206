import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openRaw, openStore } from '../../../../test/support/sqlite.js';
import { listAll } from '../../../../test/support/stores.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { APPLICATION_ID, MIGRATIONS } from './migrations.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };

/** Writes a database like another program, and returns the bytes of the file. */
function writeDatabase(path: string, sql: string): Buffer {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return readFileSync(path);
}

const AT_WORK = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData);
  database.exec('BEGIN IMMEDIATE');
  parentPort.postMessage('begun');
  database.exec(\`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000000)
    SELECT count(*) FROM numbers\`);
  database.exec('COMMIT');
  database.close();`;

/** Resolves once a thread has started a long write to a file. */
async function writing(path: string): Promise<void> {
  const worker = new Worker(AT_WORK, { eval: true, workerData: path });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, 'message');
}

describe('SqliteUserStore', () => {
  it('creates the file and its folders', () => {
    const path = join(temporaryFolder(), 'a', 'b', 'users.db');
    openStore(path);
    expect(existsSync(path)).toBe(true);
  });

  it('preserves users, their order and their times when it is reopened', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const before = openStore(path);
    const [first, second, third] = await Promise.all(
      ['1', '2', '3'].map((name) => before.create({ ...ADA, name })),
    );
    await before.delete(second?.id ?? '');
    const updated = await before.update(first?.id ?? '', { name: 'One' });
    await before.close();
    const after = openStore(path);
    const fourth = await after.create(ADA);
    expect(await listAll(after)).toEqual([updated, third, fourth]);
  });

  it('reads what another store has written to the same file', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const [one, other] = [openStore(path), openStore(path)];
    const ada = await one.create(ADA);
    const updated = await other.update(ada.id, { name: 'Ada L.' });
    expect(one.find(ada.id)).toEqual(updated);
    expect(await one.delete(ada.id)).toBe(true);
    expect(await other.delete(ada.id)).toBe(false);
    expect(other.page({ offset: 0, limit: 1 })).toEqual({ users: [], total: 0 });
  });

  it('never moves updatedAt backwards when two clocks differ', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const fast = openStore(path, { now: () => Date.UTC(2030, 0, 2) });
    const slow = openStore(path, { now: () => Date.UTC(2030, 0, 1) });
    const ada = await slow.create(ADA);
    const updated = await fast.update(ada.id, {});
    expect((await slow.update(ada.id, {}))?.updatedAt).toBe(updated?.updatedAt);
  });

  it('uses a write-ahead log, which it removes when it is closed', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    await store.create(ADA);
    expect(existsSync(`${path}-wal`)).toBe(true);
    await store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('rejects a file that is not a database without modifying it, and names it', () => {
    const path = join(temporaryFolder(), 'notes.txt');
    const text = 'A shopping list, which is by no means a database. '.repeat(50);
    writeFileSync(path, text);
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        name: 'StoreError',
        code: 'STORE_NOT_A_DATABASE',
        message: expect.stringContaining(`The store ${path} is not an SQLite database`),
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('rejects a folder', () => {
    const path = temporaryFolder();
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_UNREACHABLE',
        message: expect.stringContaining(path),
      }),
    );
  });

  it('rejects a device', () => {
    expect(() => openStore('/dev/null')).toThrow(
      expect.objectContaining({
        code: 'STORE_UNREACHABLE',
        message: 'The store /dev/null is not a regular file. Set DATABASE_URL to another file.',
      }),
    );
  });

  it.each([
    ['below a file', (folder: string) => join(folder, 'file', 'users.db')],
    ['two levels below a file', (folder: string) => join(folder, 'file', 'a', 'users.db')],
    ['below a broken link', (folder: string) => join(folder, 'link', 'users.db')],
  ])('rejects a path %s', (_, pathIn) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'missing'), join(folder, 'link'));
    const path = pathIn(folder);
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        name: 'StoreError',
        code: 'STORE_UNREACHABLE',
        message: expect.stringContaining(`The store ${path} `),
      }),
    );
  });

  it('rejects a damaged database', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    await store.create(ADA);
    await store.close();
    truncateSync(path, 5_000);
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_NOT_A_DATABASE',
        message: expect.stringContaining(path),
      }),
    );
  });

  it('rejects a database with a newer schema without modifying it', () => {
    const path = join(temporaryFolder(), 'users.db');
    const bytes = writeDatabase(
      path,
      `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 99; CREATE TABLE users (id TEXT)`,
    );
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_INCOMPATIBLE',
        message: expect.stringContaining(
          'schema version 99, but this users-api supports versions up to',
        ),
      }),
    );
    expect(readFileSync(path)).toEqual(bytes);
  });

  it.each([
    ['without a schema version', 'CREATE TABLE songs (title TEXT)'],
    ['with our schema version', 'PRAGMA user_version = 1; CREATE TABLE songs (title TEXT)'],
    [
      'with our schema version and another users table',
      'PRAGMA user_version = 1; CREATE TABLE users (id TEXT, name TEXT)',
    ],
  ])('rejects a database of another program %s without modifying it', (_, sql) => {
    const path = join(temporaryFolder(), 'users.db');
    const bytes = writeDatabase(path, sql);
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_INCOMPATIBLE',
        message: expect.stringContaining('a database of another program'),
      }),
    );
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('names and closes the file when its users table is unusable', async () => {
    const path = join(temporaryFolder(), 'users.db');
    await openStore(path).close();
    writeDatabase(
      path,
      'ALTER TABLE users RENAME TO people; CREATE VIEW users AS SELECT * FROM people',
    );
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({ code: 'STORE_FAILED', message: expect.stringContaining(path) }),
    );
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('rejects writes while another process holds the lock, and recovers', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path, { timeout: 200 });
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    await expect(store.create(ADA)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining(path),
      isTransient: true,
    });
    raw.exec('ROLLBACK');
    // A loaded machine may need more time than the timeout of a write.
    await vi.waitFor(() => store.create({ ...ADA, name: 'Bob' }), 60_000);
    expect(new Set((await listAll(store)).map(({ name }) => name))).toEqual(new Set(['Bob']));
  });

  it('waits for the writes of another process while opening', async () => {
    const path = join(temporaryFolder(), 'users.db');
    await writing(path);
    const store = openStore(path);
    expect(store.page({ offset: 0, limit: 1 })).toEqual({ users: [], total: 0 });
  });

  it('stays usable after a failed read', () => {
    const store = openStore(join(temporaryFolder(), 'users.db'));
    expect(() => store.page({ offset: 1e300, limit: 1 })).toThrow(
      expect.objectContaining({ code: 'STORE_FAILED' }),
    );
    expect(store.page({ offset: 0, limit: 1 })).toEqual({ users: [], total: 0 });
  });

  it('migrates a file of version 1 with its users, order and count', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const [version1 = ''] = MIGRATIONS;
    writeDatabase(
      path,
      `${version1}; PRAGMA user_version = 1;
       INSERT INTO users VALUES (1, 'b', 'B', 'b@b', '2030-01-02T12:00:00.000Z', '2030-01-02T12:00:00.000Z');
       INSERT INTO users VALUES (5, 'a', 'A', 'a@a', '2030-01-02T12:00:01.000Z', '2030-01-02T12:00:01.000Z')`,
    );
    const store = openStore(path);
    const users = await listAll(store);
    expect(users.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(store.page({ offset: 1, limit: 5 })).toEqual({ users: users.slice(1), total: 2 });
    const ada = await store.create(ADA);
    await store.delete('b');
    expect(store.page({ offset: 1, limit: 5 })).toEqual({ users: [ada], total: 2 });
  });
});
