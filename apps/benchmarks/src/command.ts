import { resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { sum } from 'd3-array';
import { type Comparison, compare, joinRounds, type Table } from './comparison.js';
import { pinSelf } from './pinned-process.js';
import { type Layout, RESULTS, writeReport } from './report.js';

/** The options that every command has. */
export interface CommonOptions {
  /** The node binary to measure with. */
  readonly node: string;
  /** The folder for tables and charts. */
  readonly out: string;
}

/** How much a command measures. */
interface Rounds {
  /** How often all contestants start; 1 by default. */
  readonly batches?: number;
  /** Their turns after each start. */
  readonly rounds: number;
}

/** Creates a command with the options of {@link CommonOptions}. */
export function createCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(
      new Option('--node <path>', 'node binary to measure with')
        .argParser((path) => resolve(path))
        .default(process.execPath, 'the running one'),
    )
    .addOption(
      new Option('--out <folder>', 'folder for tables and charts').default(RESULTS, 'results/'),
    );
}

/**
 * Parses an option that counts something.
 *
 * @throws {InvalidArgumentError} Unless `text` is a whole number above 0.
 */
export function parseCount(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Use a whole number above 0.');
}

/** Parses an option that takes several values, separated by commas. */
export const parseList = (text: string): string[] => text.split(',');

/**
 * Returns the items with the given names, or all items if there are no names.
 *
 * @param kind - What the items are, for the error.
 * @throws {Error} If no item has one of the names. The message lists the known names.
 */
export function pick<Item extends { readonly name: string }>(
  items: readonly Item[],
  names: readonly string[],
  kind: string,
): readonly Item[] {
  const unknown = names.filter((name) => items.every((item) => item.name !== name));
  if (unknown.length > 0) {
    const known = items.map(({ name }) => name).join(', ');
    throw new Error(`Unknown ${kind}: ${unknown.join(', ')}. Use one of these: ${known}.`);
  }
  return names.length === 0 ? items : items.filter(({ name }) => names.includes(name));
}

/** Formats names and titles as the lines of a list. */
export function formatList(items: readonly { readonly name: string; readonly title: string }[]) {
  return items.map(({ name, title }) => `  ${name.padEnd(22)} ${title}`).join('\n');
}

/**
 * Moves this process off the measured core, measures all tables in each batch, and writes the report.
 * Shows a progress bar if there is a terminal.
 */
export async function runComparisons(
  { node, out, batches = 1, rounds }: CommonOptions & Rounds,
  comparisons: readonly Comparison[],
  layout: Layout,
): Promise<void> {
  const steps = batches * sum(comparisons, ({ contestants }) => contestants.length * (1 + rounds));
  const tables = await showProgress(steps, async (onStep) => {
    const measured: Table[] = [];
    for (const _ of Array(batches)) {
      for (const [index, comparison] of comparisons.entries()) {
        const label = comparison.name ?? comparison.title;
        const table = await compare(comparison, rounds, () => onStep(label));
        const before = measured[index];
        measured[index] = before === undefined ? table : joinRounds(before, table);
      }
    }
    return measured;
  });
  writeReport(out, node, layout, tables);
}

/**
 * Moves this process off the measured core, and shows a progress bar if there is a terminal.
 *
 * @param steps - How often `measure` calls its argument, with the name of what it measures.
 */
export async function showProgress<Result>(
  steps: number,
  measure: (onStep: (label: string) => void) => Promise<Result>,
): Promise<Result> {
  pinSelf();
  const format = '{bar} {percentage} %, {eta_formatted} left, {label}';
  const bar = new SingleBar({ format, clearOnComplete: true, noTTYOutput: false });
  bar.start(steps, 0, { label: '' });
  try {
    return await measure((label) => bar.increment(1, { label }));
  } finally {
    bar.stop();
  }
}
