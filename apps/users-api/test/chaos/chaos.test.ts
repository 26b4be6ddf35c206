import { describe, expect, it } from 'vitest';
import { runChaos } from './run-chaos.js';

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

/** One round for each kind of disturbance that there is. */
const CASES = [
  { store: 'sqlite', processes: 1, workers: 1, rounds: 2, met: { kills: 1, stops: 1 } },
  { store: 'sqlite', processes: 2, workers: 1, rounds: 3, met: { kills: 2, stops: 2 } },
  { store: 'sqlite', processes: 1, workers: 2, rounds: 3, met: { workerKills: 1 } },
  { store: 'postgres', processes: 1, workers: 1, rounds: 3, met: { kills: 1, crashes: 1 } },
  { store: 'postgres', processes: 2, workers: 1, rounds: 4, met: { kills: 2, crashes: 1 } },
] as const;

/** A process takes some seconds to start on a loaded machine; no test waits for this. */
const TIMEOUT = 300_000;

describe('while the service is killed and stopped, again and again', () => {
  it.concurrent.for(CASES)(
    'no acknowledged write is lost, no answer is wrong: $store, $processes × $workers processes',
    { timeout: TIMEOUT },
    async ({ rounds, met, ...options }, { onTestFailed }) => {
      onTestFailed(() => console.error(`TEST_SEED=${SEED} repeats what was asked and disturbed.`));
      const goesOn = (played: number) => played < rounds;
      const report = await runChaos({ ...options, population: 0, writes: 50, seed: SEED, goesOn });
      expect(report).toMatchObject({ rounds, ...met });
    },
  );
});
