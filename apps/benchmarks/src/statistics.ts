/** A median with its interval of 95 % confidence. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * @param numbers - At least one, in any order.
 * @param share - 0 to 1; 0.5 is the median.
 * @returns The value below which that share of the numbers lies, interpolated.
 */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * Estimates the median of what some numbers are a sample of. The interval is between two order
 * statistics, and assumes nothing of the distribution; below six numbers it is their whole range.
 */
export function estimate(numbers: readonly number[]): Estimate {
  const count = numbers.length;
  const sorted = numbers.toSorted((one, other) => one - other);
  // The count of numbers below the median is binomial: n/2 ± 1.96 √n/2 holds 95 % of it.
  const rank = Math.max(0, Math.floor((count - 1.96 * Math.sqrt(count)) / 2));
  return {
    median: quantile(numbers, 0.5),
    low: sorted[rank] ?? Number.NaN,
    high: sorted[count - 1 - rank] ?? Number.NaN,
  };
}

/** @returns The same items in random order. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}
