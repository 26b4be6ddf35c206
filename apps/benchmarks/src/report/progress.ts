import cliProgress from 'cli-progress';

/** Shows how far a run is, where there is a terminal. */
export interface Progress {
  /** @param label - What is measured now. */
  label(label: string): void;
  step(): void;
  stop(): void;
}

/** @param total - How many steps there are. */
export function createProgress(total: number): Progress {
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage} %, {eta_formatted} left, {label}',
    clearOnComplete: true,
    // Off a terminal nothing is written.
    noTTYOutput: false,
  });
  bar.start(total, 0, { label: '' });
  return {
    label: (label) => bar.update({ label }),
    step: () => bar.increment(),
    stop: () => bar.stop(),
  };
}
