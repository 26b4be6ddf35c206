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
import { type NotesStore, openNotes, openRaw, temporaryFolder, textsOf } from './support/notes.js';

/** A path in a folder that can be moved, and a path outside of it. */
function paths() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'));
  return {
    folder: join(folder, 'data'),
    path: join(folder, 'data', 'notes.db'),
    elsewhere: join(folder, 'moved'),
  };
}

const GONE = { code: 'STORE_GONE', isTransient: true };

describe('a database whose files are no longer in place', () => {
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
      const store = openNotes(at.path);
      await store.write('add', 'Ada');
      disturb(at);
      const message = expect.stringMatching(
        `^The store ${at.path} was deleted, moved or replaced while in use ` +
          `\\(${at.path}${suffix} is (missing|a different file)\\)\\. ` +
          'Restore the original files, or stop the service, put the new file in place and start it again\\.$',
      );
      await expect(store.write('add', 'Ada')).rejects.toMatchObject({ ...GONE, message });
      expect(() => store.check()).toThrow(expect.objectContaining({ ...GONE, message }));
      expect(textsOf(store)).toEqual(['Ada']);
    },
  );

  it('follows a symbolic link', async () => {
    const { folder, path } = paths();
    const target = join(folder, 'target.db');
    symlinkSync(target, path);
    const store = openNotes(path);
    await store.write('add', 'Ada');
    store.check();
    rmSync(`${target}-wal`);
    await expect(store.write('add', 'Ada')).rejects.toMatchObject(GONE);
  });

  it('does not recreate a file that was deleted before the first write', async () => {
    const { folder, path } = paths();
    const store = openNotes(path);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await expect(store.write('add', 'Ada')).rejects.toMatchObject(GONE);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('rejects a write that waits for a lock while the file is deleted', async () => {
    const { path } = paths();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    const raw = openRaw(path);
    raw.exec('BEGIN IMMEDIATE');
    const waiting = expect(store.write('add', 'Ada')).rejects.toMatchObject(GONE);
    await setImmediate();
    rmSync(path);
    raw.exec('ROLLBACK');
    await waiting;
    expect(textsOf(store)).toEqual(['Ada']);
  });

  it('writes again once the original files are back', async () => {
    const { folder, path, elsewhere } = paths();
    const store = openNotes(path);
    renameSync(folder, elsewhere);
    await expect(store.write('add', 'Ada')).rejects.toMatchObject(GONE);
    renameSync(elsewhere, folder);
    await store.write('add', 'Bob');
    store.check();
    await store.close();
    expect(textsOf(openNotes(path))).toEqual(['Bob']);
  });

  it.each([
    ['it is closed', () => {}],
    ['its readiness is checked', (store: NotesStore) => expect(() => store.check()).toThrow()],
  ])('checkpoints the log into a file that was moved when %s', async (_, act) => {
    const { path, elsewhere } = paths();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    renameSync(path, elsewhere);
    act(store);
    await store.close();
    expect(textsOf(openNotes(elsewhere))).toEqual(['Ada']);
  });

  it('leaves no log behind that would modify a replacement file', async () => {
    const { path, elsewhere } = paths();
    const before = openNotes(path);
    await before.write('add', 'Ada');
    await before.close();
    copyFileSync(path, elsewhere);
    const store = openNotes(path);
    await store.write('add', 'Bob');
    renameSync(elsewhere, path);
    await store.close();
    expect(textsOf(openNotes(path))).toEqual(['Ada']);
  });
});
