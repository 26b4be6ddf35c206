import * as d3 from 'd3-array';

/** A program that is compared with others. */
export interface Contestant {
  readonly title: string;
  /** Runs before the first round, once per pass, and is not measured. */
  warmUp?(): Promise<unknown>;
  /** Takes one turn and returns what was measured, by quantity. */
  turn(): Promise<Readonly<Record<string, number | readonly number[]>>>;
  stop?(): Promise<void>;
}

/** A table to measure. */
export interface Comparison {
  /** The name on the command line, if it has one. */
  readonly name?: string;
  readonly title: string;
  /** One function per contestant, which starts it. The first one is the baseline. */
  readonly contestants: readonly (() => Contestant | Promise<Contestant>)[];
}

/** The measurements of a contestant, by quantity. Those of a round are at the same index. */
export interface Row {
  readonly title: string;
  readonly series: Record<string, readonly number[]>;
}

/** A table that was measured. */
export interface Table extends Pick<Comparison, 'name' | 'title'> {
  readonly rows: readonly Row[];
}

/**
 * Starts all contestants, warms them up, and gives each one turn per round, in a new random order
 * for the starts, for each pass of warm-ups and for each round. A disturbance of the machine then
 * affects all of them, and none gains by its place in the order.
 *
 * @param onProgress - Called after each warm-up and after each turn.
 * @param passes - How often all contestants warm up.
 */
export async function compare(
  { contestants, ...names }: Comparison,
  rounds: number,
  onProgress = () => {},
  passes = 1,
): Promise<Table> {
  const entries: { readonly contestant: Contestant; readonly row: Row }[] = [];
  try {
    for (const [index, start] of d3.shuffle([...contestants.entries()])) {
      const contestant = await start();
      entries[index] = { contestant, row: { title: contestant.title, series: {} } };
    }
    for (const _ of Array(passes)) {
      for (const { contestant } of d3.shuffle([...entries])) {
        await contestant.warmUp?.();
        onProgress();
      }
    }
    for (const _ of Array(rounds)) {
      for (const { contestant, row } of d3.shuffle([...entries])) {
        for (const [quantity, value] of Object.entries(await contestant.turn())) {
          row.series[quantity] = (row.series[quantity] ?? []).concat(value);
        }
        onProgress();
      }
    }
  } finally {
    // One that has failed to start leaves a gap.
    for (const entry of entries) await entry?.contestant.stop?.();
  }
  return { ...names, rows: entries.map(({ row }) => row) };
}

/** Returns a table with the rounds of two tables of the same contestants. */
export function joinRounds({ rows, ...names }: Table, next: Table): Table {
  const joined = rows.map(({ title, series }, index) => {
    const added = next.rows[index]?.series ?? {};
    const lists = Object.entries(series).map(([quantity, values]) => [
      quantity,
      values.concat(added[quantity] ?? []),
    ]);
    return { title, series: Object.fromEntries(lists) };
  });
  return { ...names, rows: joined };
}

/** A median with its 95 % confidence interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Returns the value below which a share of the numbers lies, interpolated.
 *
 * @param numbers - In any order.
 * @param share - From 0 to 1. 0.5 gives the median.
 */
export function quantile(numbers: readonly number[], share: number): number {
  return d3.quantile(numbers, share) ?? Number.NaN;
}

/**
 * Estimates the median of the distribution that the numbers are a sample of.
 *
 * The interval lies between two order statistics and assumes nothing about the distribution. With
 * fewer than six numbers it is their whole range.
 */
export function estimate(numbers: readonly number[]): Estimate {
  const count = numbers.length;
  const sorted = d3.sort(numbers);
  // The count of numbers below the median is binomial: n/2 ± 1.96 √n/2 holds 95 % of it.
  const rank = Math.max(0, Math.floor((count - 1.96 * Math.sqrt(count)) / 2));
  return {
    median: quantile(sorted, 0.5),
    low: sorted[rank] ?? Number.NaN,
    high: sorted[count - 1 - rank] ?? Number.NaN,
  };
}

/** Returns a quantile of what was measured of a quantity. */
export const quantileOf = (row: Row, quantity: string, share: number): number =>
  quantile(row.series[quantity] ?? [], share);

/** Estimates the ratio of a quantity to that of the baseline in the same round. */
export function ratioOf(row: Row, baseline: Row, quantity: string): Estimate {
  const base = baseline.series[quantity];
  const values = row.series[quantity] ?? [];
  return estimate(values.map((value, round) => value / (base?.[round] ?? Number.NaN)));
}
