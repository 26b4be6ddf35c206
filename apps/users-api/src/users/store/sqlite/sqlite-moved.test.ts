import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openRaw, openStore } from '../../../../test/support/sqlite.js';
import { listAll } from '../../../../test/support/stores.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import type { SqliteUserStore } from './sqlite-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };

/** A path in a folder that can be moved, and a path outside of it. */
function paths() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'));
  return {
    folder: join(folder, 'data'),
    path: join(folder, 'data', 'users.db'),
    elsewhere: join(folder, 'moved'),
  };
}

async function namesOf(store: SqliteUserStore): Promise<readonly string[]> {
  return (await listAll(store)).map(({ name }) => name);
}

const GONE = { code: 'STORE_GONE', isTransient: true };

describe('a SqliteUserStore whose files are no longer in place', () => {
  it.each([
    ['the file was deleted', '', ({ path }) => rmSync(path)],
    ['the file was moved', '', ({ path, elsewhere }) => renameSync(path, elsewhere)],
    [
      'the file was replaced',
      '',
      ({ path, elsewhere }) => {
        copyFileSync(path, elsewhere);
        renameSync(elsewhere, path);
      },
    ],
    ['the folder was deleted', '', ({ folder }) => rmSync(folder, { recursive: true })],
    ['the folder was moved', '', ({ folder, elsewhere }) => renameSync(folder, elsewhere)],
    [
      'the folder was replaced with a file',
      '',
      ({ folder, elsewhere }) => {
        renameSync(folder, elsewhere);
        writeFileSync(folder, '');
      },
    ],
    ['the log was deleted', '-wal', ({ path }) => rmSync(`${path}-wal`)],
    ['the index of the log was deleted', '-shm', ({ path }) => rmSync(`${path}-shm`)],
  ] as [string, string, (at: ReturnType<typeof paths>) => void][])(
    'rejects writes, is not ready, and still reads when %s',
    async (_, suffix, disturb) => {
      const at = paths();
      const store = openStore(at.path);
      await store.create(ADA);
      disturb(at);
      const message = expect.stringMatching(
        `^The store ${at.path} was deleted, moved or replaced while in use ` +
          `\\(${at.path}${suffix} is (missing|a different file)\\)\\. ` +
          'Restore the original files, or stop the service, put the new file in place and start it again\\.$',
      );
      await expect(store.create(ADA)).rejects.toMatchObject({ ...GONE, message });
      expect(() => store.check()).toThrow(expect.objectContaining({ ...GONE, message }));
      expect(await namesOf(store)).toEqual(['Ada']);
    },
  );

  it('follows a symbolic link', async () => {
    const { folder, path } = paths();
    const target = join(folder, 'target.db');
    symlinkSync(target, path);
    const store = openStore(path);
    await store.create(ADA);
    store.check();
    rmSync(`${target}-wal`);
    await expect(store.create(ADA)).rejects.toMatchObject(GONE);
  });

  it('does not recreate a file that was deleted before the first write', async () => {
    const { folder, path } = paths();
    const store = openStore(path);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await expect(store.create(ADA)).rejects.toMatchObject(GONE);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('rejects a write that waits for a lock while the file is deleted', async () => {
    const { path } = paths();
    const store = openStore(path);
    await store.create(ADA);
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const waiting = expect(store.create(ADA)).rejects.toMatchObject(GONE);
    await setImmediate();
    rmSync(path);
    raw.exec('ROLLBACK');
    await waiting;
    expect(await namesOf(store)).toEqual(['Ada']);
  });

  it('writes again once the original files are back', async () => {
    const { folder, path, elsewhere } = paths();
    const store = openStore(path);
    renameSync(folder, elsewhere);
    await expect(store.create(ADA)).rejects.toMatchObject(GONE);
    renameSync(elsewhere, folder);
    await store.create({ ...ADA, name: 'Bob' });
    store.check();
    await store.close();
    expect(await namesOf(openStore(path))).toEqual(['Bob']);
  });

  it.each([
    ['it is closed', () => {}],
    ['its readiness is checked', (store: SqliteUserStore) => expect(() => store.check()).toThrow()],
  ])('checkpoints the log into a file that was moved when %s', async (_, act) => {
    const { path, elsewhere } = paths();
    const store = openStore(path);
    await store.create(ADA);
    renameSync(path, elsewhere);
    act(store);
    await store.close();
    expect(await namesOf(openStore(elsewhere))).toEqual(['Ada']);
  });

  it('leaves no log behind that would modify a replacement file', async () => {
    const { path, elsewhere } = paths();
    const before = openStore(path);
    await before.create(ADA);
    await before.close();
    copyFileSync(path, elsewhere);
    const store = openStore(path);
    await store.create({ ...ADA, name: 'Bob' });
    renameSync(elsewhere, path);
    await store.close();
    expect(await namesOf(openStore(path))).toEqual(['Ada']);
  });
});
