import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the settings of a new database for one test, and how to delete it. */
export async function createTestDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
  const settings = { DATABASE_PATH: join(folder, 'tasks.db') };
  return { settings, drop: () => rm(folder, { recursive: true }) };
}
