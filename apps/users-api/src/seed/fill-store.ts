import type { UserStore } from '../users/store/user-store.js';
import type { CreateUserInput } from '../users/user.js';

/** Options of {@link fillStore}. */
export interface FillOptions {
  /** Users to create, 1 or more. */
  readonly count: number;
  /** Maximum number of concurrent creates, 1 or more. Stores commit concurrent writes together. */
  readonly inFlight: number;
  /** When aborted, no further create starts. */
  readonly signal: AbortSignal;
  /** Called for each user that the store has acknowledged. */
  readonly onCreated: () => void;
}

const FIRST = ['Ada', 'Alan', 'Barbara', 'Claude', 'Donald', 'Edsger', 'Frances', 'Grace'];
const LAST = ['Allen', 'Dijkstra', 'Hopper', 'Knuth', 'Liskov', 'Lovelace', 'Shannon', 'Turing'];

/**
 * Creates sample users. After a failure, no further create starts.
 *
 * @returns Resolves when every create has settled.
 * @throws {StoreError} The error of the first create that failed.
 */
export async function fillStore(
  store: Pick<UserStore, 'create'>,
  { count, inFlight, signal, onCreated }: FillOptions,
): Promise<void> {
  let started = 0;
  let hasFailed = false;
  const runLane = async (): Promise<void> => {
    while (started < count && !signal.aborted && !hasFailed) {
      started += 1;
      try {
        await store.create(sampleUser(started));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      onCreated();
    }
  };
  const lanes = Array.from({ length: Math.min(inFlight, count) }, runLane);
  const failed = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Returns the same user for the same number. The email's domain is reserved by RFC 2606 §3. */
function sampleUser(number: number): CreateUserInput {
  const first = FIRST[number % FIRST.length] ?? '';
  const last = LAST[Math.floor(number / FIRST.length) % LAST.length] ?? '';
  const email = `${first}.${last}.${number}@example.com`.toLowerCase();
  return { name: `${first} ${last}`, email };
}
