import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it, where there is none. A folder that was made survives the loss of
 * power: SQLite sees to that for its files, and not for what they lie in.
 *
 * @param folder - Its path.
 * @throws {Error} That of node:fs, when one cannot be made.
 */
export function makeFolders(folder: string): void {
  const lowest = resolve(folder);
  const highest = mkdirSync(lowest, { recursive: true });
  // Windows has no way to flush a folder, and writes the names in it to a journal.
  if (highest === undefined || process.platform === 'win32') return;
  for (let made = lowest; made.length >= highest.length; made = dirname(made)) sync(dirname(made));
}

/** Waits until the disk has the names in a folder. */
function sync(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
