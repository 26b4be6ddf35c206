import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FileWatch, rememberFiles } from '../src/connection.js';
import { SqliteWriter } from '../src/writer.js';
import {
  NOTES,
  openNotes,
  openRaw,
  readIndexFile,
  temporaryPath,
  textsOf,
} from './support/notes.js';

/** Opens a store whose log has more than 80 MiB, and a reader that keeps it from starting over. */
async function openLongLog() {
  const path = temporaryPath();
  const store = openNotes(path);
  const reader = openRaw(path);
  await store.write('add', 'Ada');
  reader.exec('BEGIN; SELECT 1 FROM notes');
  await store.write('addZeros', 45_000_000);
  return { path, store, reader };
}

/** Returns the number of pages in the log, and of those that are in the database file. */
function logOf(path: string): { readonly frames: number; readonly copied: number } {
  const index = readIndexFile(path);
  return { frames: index.readUInt32LE(16), copied: index.readUInt32LE(96) };
}

// On a busy machine, the reader may end too late, so these tests are not part of each run.
it('a log of 80 MiB starts over once a reader ends', { retry: 4 }, async () => {
  const { path, store, reader } = await openLongLog();
  reader.exec('ROLLBACK');
  await vi.waitFor(() => {
    const { frames, copied } = logOf(path);
    expect(frames).toBeGreaterThan(20_000);
    expect(copied).toBe(frames);
  });
  await store.write('add', 'Bob');
  expect(logOf(path).frames).toBeLessThan(100);
});

it('an endless read keeps a long log from starting over, but writes succeed', async () => {
  const { path, store } = await openLongLog();
  await store.write('add', 'Bob');
  const { frames, copied } = logOf(path);
  expect(frames).toBeGreaterThan(20_000);
  expect(copied).toBeLessThan(frames);
  expect(textsOf(store)).toHaveLength(3);
});

it('reports a file that was overwritten after a long log was copied to it', {
  retry: 4,
}, async () => {
  const { path, store, reader } = await openLongLog();
  reader.exec('ROLLBACK');
  await vi.waitFor(() => expect(logOf(path).copied).toBe(logOf(path).frames));
  await setTimeout(100);
  execFileSync('truncate', ['-s', '8192', path]);
  await expect(store.write('add', 'Bob')).rejects.toMatchObject({ code: 'STORE_GONE' });
});

it('a write that waits until a long log is shortened is not said to wait for another process', async () => {
  const path = temporaryPath();
  openNotes(path);
  const files = rememberFiles(path);
  const { statements, program, setting } = NOTES;
  const file = { path, program, setting };
  const watch = new FileWatch(files);
  const limits = { maxPages: 0, timeout: 7, warn: process.emitWarning };
  const writer = new SqliteWriter({ file, files, watch, statements, ...limits });
  onTestFinished(() => writer.close());
  const reader = openRaw(path);
  reader.exec('BEGIN; SELECT 1 FROM notes');
  await writer.commit([['addZeros', 45_000_000]]);
  // The thread waits for the reader.
  const committed = writer.commit([['add', 'Bob']]);
  await expect
    .poll(() => writer.giveUp(0), { interval: 1 })
    .toMatchObject({
      code: 'STORE_BUSY',
      message: `The store ${path} could not start a write within 7 ms and dropped it. Try again later.`,
    });
  reader.exec('ROLLBACK');
  await committed;
});
