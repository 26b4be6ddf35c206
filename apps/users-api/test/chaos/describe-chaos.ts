import { describe, expect, it } from 'vitest';
import { type ChaosOptions, type ChaosReport, runChaos } from './run-chaos.js';

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

/** A process takes some seconds to start on a loaded machine. No test waits for this. */
const TIMEOUT = 300_000;

/** A fleet and its disturbances. */
interface ChaosCase extends Pick<ChaosOptions, 'store' | 'processes'> {
  readonly rounds: number;
  /** Number of disturbances of each kind. */
  readonly met: Partial<ChaosReport>;
}

/** Defines a concurrent test for each case. */
export function describeChaos(cases: readonly ChaosCase[]): void {
  describe('while the service is killed and stopped, again and again', () => {
    it.concurrent.for(cases)(
      'no acknowledged write is lost, no answer is wrong: $store, $processes processes',
      { timeout: TIMEOUT },
      async ({ rounds, met, ...options }, { onTestFailed }) => {
        onTestFailed(() =>
          console.error(`TEST_SEED=${SEED} repeats the requests and disturbances.`),
        );
        const goesOn = (played: number) => played < rounds;
        const report = await runChaos({
          ...options,
          ...{ population: 0, writes: 50, seed: SEED, goesOn },
        });
        expect(report).toMatchObject({ rounds, ...met });
      },
    );
  });
}
