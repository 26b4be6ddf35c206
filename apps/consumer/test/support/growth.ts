/** Between 4, for linear work, and 16, for quadratic work, on inputs whose sizes differ by a factor of 4. */
export const NEARLY_LINEAR = 10;

/** Handles an input of a size. */
export type Work = (size: number) => unknown;

/** The CPU time of short measurements, in microseconds. */
const SHORT = 20_000;
/** The CPU time of a repeated measurement that is not worth further rounds, in microseconds. */
const LONG = 500_000;

/**
 * Finds how the CPU time of some work grows with its input, at n, 2n and 4n. Repeats and lengthens measurements
 * that look superlinear, so that other processes and the compilation of the code do not count.
 *
 * @param size - The largest input, 4n.
 * @returns The CPU time for 4n, divided by that for n: about 4, or less, for linear work.
 */
export async function growthOf(work: Work, size: number): Promise<number> {
  const sizes = [size / 4, size / 2, size].map(Math.floor);
  let growth = Number.POSITIVE_INFINITY;
  let longest = 0;
  // The first run compiles code, which would make the smallest input look as slow as the others.
  await work(sizes[0] ?? size);
  for (
    let rounds = 1;
    rounds <= 4 && growth >= NEARLY_LINEAR && (rounds <= 2 || longest < LONG);
    rounds *= 2
  ) {
    const times = sizes.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, one] of sizes.entries()) {
        const isRepeated = rounds > 1 && index === 0;
        const time = await timeOf(work, one, isRepeated ? SHORT : 0);
        times[index] = Math.min(times[index] ?? time, time);
      }
    }
    const [least = 1, , most = 1] = times;
    growth = most / least;
    longest = most;
  }
  return growth;
}

/** Returns the CPU time of a run, in microseconds. Runs it until the measurement is long enough. */
async function timeOf(work: Work, size: number, enough: number): Promise<number> {
  const start = process.cpuUsage();
  for (let runs = 1; ; runs += 1) {
    await work(size);
    const { user, system } = process.cpuUsage(start);
    if (user + system >= enough) return (user + system) / runs;
  }
}
