/**
 * Returns how much longer work takes when its input is eight times as large: about 8 for
 * linear work, 64 for quadratic work. Uses the best of several runs, because a busy machine adds
 * noise, and at least the resolution of the clock.
 *
 * @param work - Does the work for an input of that size.
 * @param size - The smaller size.
 */
export function growthOf(work: (size: number) => void, size: number): number {
  return (
    bestTime(() => work(8 * size)) /
    Math.max(
      bestTime(() => work(size)),
      0.05,
    )
  );
}

/** Between linear and quadratic growth, far from both. */
export const NEARLY_LINEAR = 24;

function bestTime(work: () => void): number {
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}
