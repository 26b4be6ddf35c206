import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  type NotesStore,
  openNotes,
  openRaw,
  readIndexFile,
  temporaryFolder,
  textsOf,
} from './support/notes.js';

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

/** Runs a command as an operator would, in another process. */
function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}

const codeOf = (error: { code: string }) => error.code;

/** Keeps this thread busy, so that the writer thread gets ahead of it by a fraction of a millisecond. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** Writes that change pages all over the file. */
async function fill(store: NotesStore, text: string): Promise<void> {
  await Promise.all(Array.from({ length: 300 }, () => store.write('add', text.repeat(300))));
}

describe('a database whose files are overwritten while in use', () => {
  const OVERWRITTEN = {
    ...GONE,
    message: expect.stringMatching(/ was overwritten while in use .+ without a -wal and a -shm/),
  };

  it.each([
    ['an older copy with its times', 0, ({ path, elsewhere }) => run('cp', '-p', elsewhere, path)],
    ['an older copy after a checkpoint', 1, ({ path, elsewhere }) => run('cp', elsewhere, path)],
    ['another file', 1, ({ path }) => run('cp', import.meta.filename, path)],
    ['nothing', 1, ({ path }) => run('truncate', '-s', '0', path)],
    ['its first pages', 1, ({ path }) => run('truncate', '-s', '8192', path)],
  ] as [string, number, (at: ReturnType<typeof paths>) => void][])(
    'acknowledges no write, does not read, is not ready, and leaves the file alone after %s',
    async (_, checkpoints, disturb) => {
      const at = paths();
      const before = openNotes(at.path);
      await fill(before, 'a');
      await before.close();
      run('cp', '-p', at.path, at.elsewhere);
      const between = openNotes(at.path);
      await between.write('remove', 1);
      await between.close();

      const store = openNotes(at.path);
      await fill(store, 'b');
      const raw = new DatabaseSync(at.path);
      for (let count = 0; count < checkpoints; count++) {
        raw.exec('PRAGMA wal_checkpoint(PASSIVE)');
        await store.write('add', 'c');
      }
      raw.close();
      disturb(at);
      const bytes = readFileSync(at.path);
      const log = readFileSync(`${at.path}-wal`);
      await expect(store.write('add', 'd')).rejects.toMatchObject(OVERWRITTEN);
      await expect(store.write('add', 'd')).rejects.toMatchObject(OVERWRITTEN);
      expect(() => store.check()).toThrow(expect.objectContaining(OVERWRITTEN));
      expect(() => textsOf(store)).toThrow(expect.objectContaining(OVERWRITTEN));
      await store.close();
      expect(readFileSync(at.path).equals(bytes)).toBe(true);
      // What is left of the log would be applied to it.
      expect(statSync(`${at.path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
      expect(readFileSync(`${at.path}-wal.unused`).equals(log)).toBe(true);
    },
  );

  it.each([
    ['emptied', '0'],
    ['cut', '30000'],
    ['replaced with zeros', '0', '+100000'],
  ])('acknowledges no write after the log was %s, and opens intact', async (_, ...sizes) => {
    const { path } = paths();
    const before = openNotes(path);
    await fill(before, 'a');
    await before.close();
    const store = openNotes(path);
    await fill(store, 'b');
    for (const size of sizes) run('truncate', '-s', size, `${path}-wal`);
    await expect(store.write('add', 'c')).rejects.toMatchObject(OVERWRITTEN);
    expect(() => store.check()).toThrow(expect.objectContaining(OVERWRITTEN));
    await store.close();
    expect(openRaw(path).prepare('PRAGMA integrity_check').all()).toEqual([
      { integrity_check: 'ok' },
    ]);
    expect(textsOf(openNotes(path))).toHaveLength(300);
  });

  it('is not ready, and no longer reads, if check() is the first to notice', async () => {
    const { path } = paths();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    openRaw(path).exec('PRAGMA wal_checkpoint(PASSIVE)');
    await store.write('add', 'Bob');
    run('truncate', '-s', '0', path);
    expect(() => store.check()).toThrow(expect.objectContaining(OVERWRITTEN));
    const expectRejected = () =>
      expect(() => textsOf(store)).toThrow(expect.objectContaining(OVERWRITTEN));
    await vi.waitFor(expectRejected, 60_000);
  });

  it('writes again once the file has its content again', async () => {
    const { path, elsewhere } = paths();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    run('cp', path, elsewhere);
    run('truncate', '-s', '0', path);
    await expect(store.write('add', 'Bob')).rejects.toMatchObject(OVERWRITTEN);
    run('cp', elsewhere, path);
    await store.write('add', 'Cy');
    expect(store.check()).toEqual({ degraded: undefined });
    expect(textsOf(store)).toEqual(['Ada', 'Cy']);
  });
});

describe('a database that other programs use', () => {
  it.each([
    ['reads it', ({ path, elsewhere }) => run('cp', path, elsewhere)],
    ['touches it', ({ path }) => run('touch', path)],
    ['writes to it', (_, raw) => raw.exec("INSERT INTO notes (text) VALUES ('Eve')")],
    ['checkpoints its log', (_, raw) => raw.exec('PRAGMA wal_checkpoint(PASSIVE)')],
    ['restarts its log', (_, raw) => raw.exec('PRAGMA wal_checkpoint(RESTART)')],
    ['truncates its log', (_, raw) => raw.exec('PRAGMA wal_checkpoint(TRUNCATE)')],
    ['vacuums it', (_, raw) => raw.exec('VACUUM')],
    ['copies it with VACUUM INTO', ({ elsewhere }, raw) => raw.exec(`VACUUM INTO '${elsewhere}'`)],
    ['copies it with .backup', ({ elsewhere }, raw) => backup(raw, elsewhere)],
    [
      'restores a copy with .restore',
      async ({ path, elsewhere }, raw) => {
        await backup(raw, elsewhere);
        const copy = openRaw(elsewhere);
        copy.exec("INSERT INTO notes (text) VALUES ('Eve')");
        await backup(copy, path);
      },
    ],
  ] as [string, (at: ReturnType<typeof paths>, raw: DatabaseSync) => unknown][])(
    'is written and read as before when one %s',
    async (_, act) => {
      const at = paths();
      const store = openNotes(at.path);
      const raw = new DatabaseSync(at.path);
      for (let count = 0; count < 2; count++) {
        await fill(store, 'a');
        await act(at, raw);
        expect(store.check()).toEqual({ degraded: undefined });
        await store.write('add', 'b');
        expect(store.check()).toEqual({ degraded: undefined });
        rmSync(at.elsewhere, { force: true });
      }
      expect(textsOf(store).length).toBeGreaterThanOrEqual(602);
      await store.close();
      expect(raw.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    },
  );

  it('is read without a write to its files, which a frozen file system would block', async () => {
    const { path } = paths();
    const store = openNotes(path);
    await store.write('add', 'Ada');
    const index = () => readIndexFile(path).subarray(0, 136);
    const before = index();
    for (let read = 0; read < 3; read += 1) expect(textsOf(store)).toEqual(['Ada']);
    store.check();
    expect(index()).toEqual(before);
  });
});

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

  it('has made no write that it rejects with another code than STORE_INTERRUPTED', async () => {
    const { path, elsewhere } = paths();
    const store = openNotes(path);
    const codes = new Map<unknown, string>();
    for (let round = 0; round < 150; round++) {
      const writes = Array.from({ length: 20 }, async (_, index) => {
        const text = `${round}.${index}`;
        codes.set(text, await store.write('add', text).then(() => 'made', codeOf));
      });
      // The rounds move the file before, during and after the commit.
      await setImmediate();
      spin((round % 30) * 0.05);
      renameSync(path, elsewhere);
      await Promise.all(writes);
      renameSync(elsewhere, path);
    }
    const texts = new Set(textsOf(store));
    const outcomes = [...codes].map(([text, code]) => `${code}, ${texts.has(text)}`);
    expect(outcomes).toContain('STORE_GONE, false');
    expect(outcomes).not.toContain('STORE_GONE, true');
    expect(outcomes).not.toContain('made, false');
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

  it('checkpoints the log of a moved file while reads hold the lock', async () => {
    const { path, elsewhere } = paths();
    const store = openNotes(path);
    const second = openNotes(path);
    await store.write('add', 'Ada');
    renameSync(path, elsewhere);
    for (let read = 0; read < 3; read += 1) textsOf(second);
    for (let read = 0; read < 3; read += 1) textsOf(store);
    expect(() => store.check()).toThrow();
    expect(statSync(`${path}-wal`).size).toBe(0);
    await second.close();
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
