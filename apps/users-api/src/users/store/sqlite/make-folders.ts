import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. The new folders survive a loss of power: SQLite flushes
 * its files, and leaves the folders that hold them to the caller.
 *
 * `mkdirSync` with `recursive` never returns where a folder exists and cannot hold another, as in `/proc`.
 *
 * @param folder - Its path.
 * @throws {Error} The error of node:fs when a folder cannot be created.
 */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolders(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder)) throw error;
  }
  // Windows cannot flush a folder, and keeps a journal of the names in it.
  if (process.platform !== 'win32') sync(parent);
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
