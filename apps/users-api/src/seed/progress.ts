import { Presets, SingleBar } from 'cli-progress';

/** Shows how far something has got. */
export interface Progress {
  /** @param done - How many of all are done. */
  update(done: number): void;
  /** Shows nothing more. */
  stop(): void;
}

/**
 * Shows progress on standard error: as a bar in a terminal, as a line for each tenth elsewhere.
 *
 * @param count - All that there is to do, 1 or more.
 */
export function openProgress(count: number): Progress {
  return process.stderr.isTTY === true ? openBar(count) : openLines(count);
}

function openBar(count: number): Progress {
  const format = ' {bar} {percentage}% | {value}/{total} users | {eta_formatted} left';
  const bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
  bar.start(count, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

function openLines(count: number): Progress {
  const step = Math.ceil(count / 10);
  return {
    update(done) {
      if (done % step === 0 || done === count) console.error(`${done}/${count} users`);
    },
    stop: () => undefined,
  };
}
