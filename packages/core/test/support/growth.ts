/** Between 1, for linear work, and 64, for quadratic work on inputs that differ by that factor. */
export const NEARLY_LINEAR = 24;

/**
 * Compares the time of some work for one large input with its time for many small inputs of the same
 * total size: about 1 for linear work, and the ratio of the sizes for quadratic work. A busy machine
 * slows both down alike.
 *
 * @param work - Runs the work for an input of the given size.
 * @param small - Size of the small inputs.
 * @param large - Size of the large input, a multiple of `small`.
 */
export function growthOf(work: (size: number) => void, small: number, large: number): number {
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
