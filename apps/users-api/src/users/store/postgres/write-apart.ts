import { StoreError } from '../store-error.js';
import type { WriteBatch } from '../write-queue.js';
import { isRefused } from './postgres-problem.js';

/**
 * Makes writes in one statement, and in two of half as many each when the database refuses what one
 * of them holds: in the end that one fails alone.
 *
 * @param write - Makes the writes it is given in one statement, all or none.
 * @param writes - One or more.
 * @returns What each returned, or why it failed.
 */
export async function writeApart<Write, Result>(
  write: WriteBatch<Write, Result>,
  writes: readonly Write[],
): Promise<readonly (Result | StoreError)[]> {
  try {
    return await write(writes);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (writes.length === 1 || !isRefused(error)) return writes.map(() => error);
    const middle = Math.ceil(writes.length / 2);
    const first = await writeApart(write, writes.slice(0, middle));
    return [...first, ...(await writeApart(write, writes.slice(middle)))];
  }
}
