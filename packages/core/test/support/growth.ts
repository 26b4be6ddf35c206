/** Between 1, for linear work, and 64, for quadratic work on inputs that differ by that factor. */
export const NEARLY_LINEAR = 24;

/**
 * Compares the time of some work for one large input with its time for many small inputs of the same
 * total size: about 1 for linear work, and the ratio of the sizes for quadratic work. Measures again what
 * looks superlinear, because a busy machine and its garbage collections may slow down only one of the two.
 *
 * @param work - Runs the work for an input of the given size.
 * @param small - Size of the small inputs.
 * @param large - Size of the large input, a multiple of `small`.
 */
export function growthOf(work: (size: number) => void, small: number, large: number): number {
  let growth = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && growth >= NEARLY_LINEAR; attempt += 1)
    growth = compare(work, small, large);
  return growth;
}

function compare(work: (size: number) => void, small: number, large: number): number {
  let [whole, parts] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 10; round += 1) {
    whole = Math.min(
      whole,
      timeOf(() => work(large)),
    );
    parts = Math.min(
      parts,
      timeOf(() => {
        for (let done = 0; done < large; done += small) work(small);
      }),
    );
  }
  return whole / parts;
}

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
