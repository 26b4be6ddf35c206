import type { UserStore } from '../users/store/user-store.js';
import { madeUpUser } from './made-up-user.js';

/** What to create, and how. */
export interface FillOptions {
  /** Users to create, 1 or more. */
  readonly count: number;
  /** Creates that are under way at once, 1 or more: a store commits together what comes together. */
  readonly inFlight: number;
  /** Begins no further create once it is aborted. */
  readonly signal: AbortSignal;
  /** Called for each user that the store has acknowledged. */
  readonly onCreated: () => void;
}

/**
 * Creates made-up users. After a failure no further create begins.
 *
 * @returns Resolves when no create is under way any more.
 * @throws {StoreError} The first that a create has failed with.
 */
export async function fillStore(
  store: Pick<UserStore, 'create'>,
  { count, inFlight, signal, onCreated }: FillOptions,
): Promise<void> {
  let begun = 0;
  let hasFailed = false;
  const createOnAndOn = async (): Promise<void> => {
    while (begun < count && !signal.aborted && !hasFailed) {
      begun += 1;
      try {
        await store.create(madeUpUser(begun));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      onCreated();
    }
  };
  const lanes = Array.from({ length: Math.min(inFlight, count) }, createOnAndOn);
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
