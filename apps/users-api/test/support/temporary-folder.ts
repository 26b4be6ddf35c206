import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Registers a cleanup for the end of a test, like `onTestFinished`. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** Creates a folder and removes it with its contents when the current test ends. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'users-api-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
