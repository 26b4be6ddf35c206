import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRaw, openStore } from '../../../../test/support/sqlite.js';
import { listAll } from '../../../../test/support/stores.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };

/** Writes a database like another program, and returns the bytes of the file. */
function writeDatabase(path: string, sql: string): Buffer {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return readFileSync(path);
}

/** The schemas of earlier versions, as they were released. */
const VERSION_1 = `
  CREATE TABLE users (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT`;
const VERSION_2 = `
  CREATE INDEX users_position ON users (position);
  CREATE TABLE users_total (total INTEGER NOT NULL) STRICT;
  INSERT INTO users_total SELECT count(*) FROM users;
  CREATE TRIGGER users_created AFTER INSERT ON users
  BEGIN UPDATE users_total SET total = total + 1; END;
  CREATE TRIGGER users_deleted AFTER DELETE ON users
  BEGIN UPDATE users_total SET total = total - 1; END;
  PRAGMA application_id = ${0x75736572}`;

/** SQL that creates users whose names are their positions. */
function insertUsers(count: number): string {
  return `
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO users SELECT n, 'id ' || n, n, 'a@a', '2030-01-02T12:00:00.000Z',
      '2030-01-02T12:00:00.000Z' FROM numbers`;
}

describe('SqliteUserStore', () => {
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

  it('rejects a database with a newer schema without modifying it', () => {
    const path = join(temporaryFolder(), 'users.db');
    const bytes = writeDatabase(
      path,
      `PRAGMA application_id = 0x75736572; PRAGMA user_version = 99; CREATE TABLE users (id TEXT)`,
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
    writeDatabase(path, 'ALTER TABLE users RENAME COLUMN email TO mail');
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({ code: 'STORE_FAILED', message: expect.stringContaining(path) }),
    );
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it.each([
    ['1', VERSION_1],
    ['2', `${VERSION_1}; ${VERSION_2}`],
  ])('migrates a file of version %s with its users, order and count', async (version, schema) => {
    const path = join(temporaryFolder(), 'users.db');
    const positions = [1, 5, 1023, 1024, 9000];
    writeDatabase(
      path,
      `${schema}; PRAGMA user_version = ${version};
       INSERT INTO users SELECT value, 'id ' || value, 'A', 'a@a', '2030-01-02T12:00:00.000Z',
         '2030-01-02T12:00:00.000Z' FROM json_each('${JSON.stringify(positions)}')`,
    );
    const store = openStore(path);
    const users = await listAll(store);
    expect(users.map(({ id }) => id)).toEqual(positions.map((position) => `id ${position}`));
    for (const offset of positions.keys()) {
      expect(store.page({ offset, limit: 2 })).toEqual({
        users: users.slice(offset, offset + 2),
        total: 5,
      });
    }
    const ada = await store.create(ADA);
    await store.delete('id 5');
    expect(store.page({ offset: 3, limit: 5 })).toEqual({ users: [users[4], ada], total: 5 });
    await store.close();
    expect(await listAll(openStore(path))).toHaveLength(5);
  });

  it('returns any page of a long list with gaps', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    const raw = openRaw(path);
    raw.exec(`${insertUsers(10_000)}; DELETE FROM users WHERE position BETWEEN 1500 AND 4700
      OR position BETWEEN 8192 AND 9215 OR position % 7 = 0`);
    const ids = raw.prepare('SELECT id FROM users ORDER BY position').all();
    const expected = ids.map(({ id }) => id);
    const offset = fc.oneof(fc.nat(expected.length + 10), fc.constantFrom(0, 1e15));
    fc.assert(
      fc.property(offset, fc.integer({ min: 1, max: 100 }), (from, limit) => {
        const { users, total } = store.page({ offset: from, limit });
        expect(users.map(({ id }) => id)).toEqual(expected.slice(from, from + limit));
        expect(total).toBe(expected.length);
      }),
    );
    const listed = await Array.fromAsync(store.list({ offset: 3_000, limit: 2_000 }));
    expect(listed.flat().map(({ id }) => id)).toEqual(expected.slice(3_000, 5_000));
  });

  it('counts only blocks that have users', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    const raw = openRaw(path);
    raw.exec(insertUsers(5_000));
    raw.exec('DELETE FROM users WHERE position > 10 AND position < 4999');
    const blocks = raw.prepare('SELECT block, total FROM users_blocks ORDER BY block').all();
    expect(blocks).toEqual([
      { block: 0, total: 10 },
      { block: 4, total: 2 },
    ]);
    expect(store.page({ offset: 10, limit: 5 }).users.map(({ name }) => name)).toEqual([
      '4999',
      '5000',
    ]);
  });

  it('reads users and total of a page at the same moment', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const store = openStore(path);
    openRaw(path).exec(insertUsers(3_000));
    const [first = []] = await Array.fromAsync(store.list());
    let isDeleting = true;
    const deleted = (async () => {
      for (const { id } of first) await store.delete(id);
      isDeleting = false;
    })();
    while (isDeleting) {
      const { users, total } = store.page({ offset: 2_500, limit: 1 });
      expect(users[0]?.name).toBe(String(3_000 - total + 2_501));
      await setImmediate();
    }
    await deleted;
  });

  it('rejects a device', () => {
    expect(() => openStore('/dev/null')).toThrow(
      expect.objectContaining({
        code: 'STORE_UNREACHABLE',
        message: 'The store /dev/null is not a regular file. Set DATABASE_URL to another file.',
      }),
    );
  });

  it('makes an update or delete only if the user equals the expected one', async () => {
    const store = openStore(join(temporaryFolder(), 'users.db'), { now: () => 0 });
    const ada = await store.create(ADA);
    for (const field of ['name', 'email', 'updatedAt'] as const) {
      const expected = { ...ada, [field]: '2030-01-02T12:00:00.000Z' };
      expect(await store.update(ada.id, { name: 'Bob' }, expected)).toBeUndefined();
      expect(await store.delete(ada.id, expected)).toBe(false);
    }
    expect(store.find(ada.id)).toEqual(ada);
    const bob = await store.update(ada.id, { name: 'Bob' }, ada);
    expect(bob).toEqual({ ...ada, name: 'Bob' });
    expect(await store.update(ada.id, { name: 'Cy' }, ada)).toBeUndefined();
    expect(await store.delete(ada.id, bob)).toBe(true);
    expect(await store.update(ada.id, {}, bob)).toBeUndefined();
  });

  it('makes one of several updates that expect the same user in one batch', async () => {
    const store = openStore(join(temporaryFolder(), 'users.db'));
    const ada = await store.create(ADA);
    const names = ['Bob', 'Cy', 'Dee'];
    const updates = names.map((name) => store.update(ada.id, { name }, ada));
    expect((await Promise.all(updates)).map((user) => user?.name)).toEqual([
      'Bob',
      undefined,
      undefined,
    ]);
  });
});
