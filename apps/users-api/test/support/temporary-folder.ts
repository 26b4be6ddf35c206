import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Takes what is to be done at the end of a test, as `onTestFinished` does. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** Makes a folder and removes it, with what is in it, when the running test ends. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'users-api-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
