import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { openNotes, openRaw, temporaryPath, textsOf } from './support/notes.js';

/** Reads the numbers of pages in the log, and of those that are in the database file, from the index of the log. */
function logOf(path: string): { readonly frames: number; readonly copied: number } {
  // Closing a descriptor of the index in this process would release its locks.
  const index = execFileSync('cat', [`${path}-shm`]);
  return { frames: index.readUInt32LE(16), copied: index.readUInt32LE(96) };
}

// On a busy machine, the reader below may end too late.
it('writers wait until a log of 80 MB starts again at its beginning', { retry: 4 }, async () => {
  const path = temporaryPath();
  const store = openNotes(path);
  const reader = openRaw(path);
  const long = 45_000_000;
  await store.write('add', 'Ada');
  reader.exec('BEGIN; SELECT 1 FROM notes');
  await store.write('addZeros', long);
  reader.exec('ROLLBACK');
  await vi.waitFor(() => {
    const { frames, copied } = logOf(path);
    expect(frames).toBeGreaterThan(20_000);
    expect(copied).toBe(frames);
  });
  // A read that does not end keeps it from that, but no write from being made.
  reader.exec('BEGIN; SELECT 1 FROM notes');
  await store.write('addZeros', long);
  await store.write('add', 'Bob');
  reader.exec('ROLLBACK');
  expect(textsOf(store)).toHaveLength(4);
});
