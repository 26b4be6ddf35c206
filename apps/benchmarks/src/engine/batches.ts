import { mean } from 'd3-array';
import { type Estimate, quantile, type Table } from '../comparison.js';

/** What a speed is derived from: the CPU time of a request, or the requests in a second. */
export type Quantity = 'cpu' | 'throughput';

/** The 97.5 % quantiles of Student's t distribution with 1 to 9 degrees of freedom. */
const T_QUANTILES = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959964;

/** Returns the 97.5 % quantile of Student's t distribution. */
export function tQuantile(degrees: number): number {
  const exact = T_QUANTILES[degrees - 1];
  if (exact !== undefined) return exact;
  // Abramowitz and Stegun 26.7.5, correct to four digits here.
  const first = (Z ** 3 + Z) / 4;
  const second = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96;
  const third = (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384;
  return Z + first / degrees + second / degrees ** 2 + third / degrees ** 3;
}

/**
 * Estimates a ratio from its values in several batches, whose processes are independent.
 *
 * Two processes of one program differ more than two turns of one process. So the interval is that
 * of Student's t over the logarithms of the batches, and more turns do not make it narrower than
 * the processes are alike.
 *
 * @param ratios - One per batch, at least two.
 * @returns The geometric mean as `median`, and its 95 % confidence interval.
 */
export function estimateBatches(ratios: readonly number[]): Estimate {
  const count = ratios.length;
  const logs = ratios.map(Math.log);
  const center = mean(logs) ?? Number.NaN;
  const variance = logs.reduce((sum, log) => sum + (log - center) ** 2, 0) / (count - 1);
  const margin = tQuantile(count - 1) * Math.sqrt(variance / count);
  return {
    median: Math.exp(center),
    low: Math.exp(center - margin),
    high: Math.exp(center + margin),
  };
}

/**
 * Returns how much faster some processes are than others in one batch. Above 1 is faster.
 *
 * @param table - The turns of the batch.
 * @param processes - The titles of the processes of one program. Their geometric mean counts.
 * @param baseline - The titles of those of the other one.
 * @returns The median of the ratios in the same round.
 */
export function speedIn(
  table: Table,
  processes: readonly string[],
  baseline: readonly string[],
  quantity: Quantity,
): number {
  const own = seriesOf(table, processes, quantity);
  const base = seriesOf(table, baseline, quantity);
  const ratios = own.map((value, round) => value / (base[round] ?? Number.NaN));
  const median = quantile(ratios, 0.5);
  return quantity === 'cpu' ? 1 / median : median;
}

/** Returns the geometric mean of some processes in each round. */
export function seriesOf(
  { rows }: Table,
  titles: readonly string[],
  quantity: Quantity,
): readonly number[] {
  const all = titles.map((title) => {
    const series = rows.find((row) => row.title === title)?.series[quantity];
    if (series === undefined) throw new Error(`The table has no process ${title}.`);
    return series;
  });
  const [first = []] = all;
  return first.map((_, round) =>
    Math.exp(mean(all, (series) => Math.log(series[round] ?? Number.NaN)) ?? Number.NaN),
  );
}
