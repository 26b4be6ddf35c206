import { join } from 'node:path';
import {
  type CommonOptions,
  createCommand,
  formatList,
  parseCount,
  pick,
  runComparisons,
} from '../command.js';
import type { Comparison } from '../comparison.js';
import { OUTPUT } from '../compile.js';
import { startPinned } from '../pinned-process.js';
import { formatTime, quantiles, ratios, titles } from '../report.js';
import { BENCHMARKS, type Benchmark } from './benchmarks.js';

/** How libraries take turns. */
export interface TurnOptions {
  /** The node binary. */
  readonly node: string;
  /** The length of a turn, in milliseconds. */
  readonly slice: number;
  /** How long each library runs before the first turn, in milliseconds. */
  readonly warmUp: number;
}

interface MicroOptions extends CommonOptions, TurnOptions {
  readonly rounds: number;
  readonly list?: true;
}

/** Measures single operations. */
export const micro = createCommand('micro', 'Measure routers, pipelines and containers')
  .argument('[benchmark...]', 'names of benchmarks (default: all)')
  .option('--rounds <number>', 'turns of each library', parseCount, 30)
  .option('--slice <ms>', 'length of a turn', parseCount, 15)
  .option('--warm-up <ms>', 'work before the first turn', parseCount, 300)
  .option('--list', 'list benchmarks')
  .action(runMicro);

async function runMicro(names: readonly string[], options: MicroOptions): Promise<void> {
  if (options.list) return console.log(formatList(BENCHMARKS));
  const comparisons = pick(BENCHMARKS, names, 'benchmark').map((benchmark) =>
    compareLibraries(benchmark, options),
  );
  await runComparisons(options, comparisons, {
    name: ['micro', ...names].join('-'),
    title: 'Single operations',
    columns: () => [
      titles('Library'),
      quantiles('Time', 'time', formatTime),
      quantiles('in the best tenth', 'time', formatTime, 0.1),
      ratios('Time / Fairlead (95 %)', 'time'),
    ],
    chart: { caption: "time, as a multiple of Fairlead's", quantity: 'time' },
  });
}

/** Compares the libraries of a benchmark. Each runs in its own process. */
export function compareLibraries(
  { name, title, libraries }: Benchmark,
  { node, slice, warmUp }: TurnOptions,
): Comparison {
  const contestants = libraries.map((library) => async () => {
    const program = [join(OUTPUT, 'micro/worker.js'), library.name, name];
    const { ask, stop } = await startPinned(node, program);
    const turn = async () => ({ time: Number(await ask(slice)) });
    return { title: library.title, warmUp: () => ask(warmUp), turn, stop };
  });
  return { name, title, contestants };
}
