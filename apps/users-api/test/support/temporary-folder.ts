import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a folder for the running test and removes it, with what is in it, when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'users-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
