import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { openNotes, openRaw, temporaryPath, textsOf } from './support/notes.js';

const turn = () => new Promise(setImmediate);

/** Whether another connection holds the lock of readers, which keeps a checkpoint from copying a later write. Adds a note. */
function isLocked(other: DatabaseSync): boolean {
  other.exec("INSERT INTO notes (text) VALUES ('later')");
  const { log, checkpointed } = other.prepare('PRAGMA wal_checkpoint').get() ?? {};
  return log !== checkpointed;
}

async function openBoth() {
  const path = temporaryPath();
  const store = openNotes(path);
  await store.write('add', 'first');
  const other = openRaw(path);
  other.exec('PRAGMA synchronous = OFF');
  return { store, other };
}

describe('SqliteDatabase.read', () => {
  it('holds the lock of readers from the second read of a turn to its end', async () => {
    const { store, other } = await openBoth();
    await turn();
    textsOf(store);
    expect(isLocked(other)).toBe(false);
    textsOf(store);
    expect(isLocked(other)).toBe(true);
    await turn();
    expect(isLocked(other)).toBe(false);
    textsOf(store);
    expect(isLocked(other)).toBe(false);
  });

  it('sees what another connection has written between two reads of a turn', async () => {
    const { store, other } = await openBoth();
    for (const text of ['second', 'third', 'fourth']) {
      other.exec(`INSERT INTO notes (text) VALUES ('${text}')`);
      expect(textsOf(store).at(-1)).toBe(text);
    }
  });

  it('releases the lock at the 1,000th read of a turn', async () => {
    const { store, other } = await openBoth();
    await turn();
    for (let read = 1; read < 999; read += 1) textsOf(store);
    const locked = Array.from({ length: 4 }, () => {
      textsOf(store);
      return isLocked(other);
    });
    expect(locked).toEqual([true, false, false, true]);
  });

  it('holds no lock while the log is long, so that a checkpoint can finish', async () => {
    const { store, other } = await openBoth();
    other.exec(`PRAGMA wal_autocheckpoint = 0;
      INSERT INTO notes (text) VALUES (hex(zeroblob(21000000)));
      DELETE FROM notes WHERE length(text) > 1000`);
    await turn();
    for (let read = 0; read < 3; read += 1) textsOf(store);
    expect(isLocked(other)).toBe(false);
    await turn();
    // The log starts again at its beginning.
    expect(isLocked(other)).toBe(false);
    for (let read = 0; read < 3; read += 1) textsOf(store);
    expect(isLocked(other)).toBe(true);
  });

  it('holds no lock after timers were faked', async () => {
    const { store, other } = await openBoth();
    vi.useFakeTimers();
    for (let read = 0; read < 3; read += 1) textsOf(store);
    vi.useRealTimers();
    await turn();
    expect(isLocked(other)).toBe(false);
  });

  it('releases the lock when the store is closed in the same turn', async () => {
    const { store, other } = await openBoth();
    textsOf(store);
    textsOf(store);
    await store.close();
    await turn();
    expect(isLocked(other)).toBe(false);
  });
});
