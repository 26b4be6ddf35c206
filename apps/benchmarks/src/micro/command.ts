import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pick, readCount } from '../arguments.js';
import { pinSelf } from '../pinned-process.js';
import type { Panel } from '../report/chart.js';
import { formatEstimate, formatTable, formatTime } from '../report/markdown.js';
import { createProgress } from '../report/progress.js';
import { RESULTS, writeReport } from '../report/write.js';
import { BENCHMARKS } from './benchmarks.js';
import { type MicroTable, measureBenchmark } from './measure.js';

const HELP = `pnpm bench micro [benchmark...] [options]

  --rounds <number>  turns of each library, 30 by default
  --slice <ms>       length of a turn, 15 by default
  --warm-up <ms>     work before the first turn, 300 by default
  --node <path>      node binary of the libraries
  --out <folder>     where tables and charts are written, results/ by default
  --list             names of benchmarks`;

/** Measures single operations, as a command line asks for it. */
export async function runMicro(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '30' },
      slice: { type: 'string', default: '15' },
      'warm-up': { type: 'string', default: '300' },
      node: { type: 'string', default: process.execPath },
      out: { type: 'string', default: RESULTS },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.list) {
    return console.log(
      BENCHMARKS.map((each) => `${each.name.padEnd(20)} ${each.title}`).join('\n'),
    );
  }
  const benchmarks = pick(BENCHMARKS, positionals, 'benchmark');
  const rounds = readCount(values.rounds, '--rounds');
  const options = {
    node: resolve(values.node),
    rounds,
    slice: readCount(values.slice, '--slice'),
    warmUp: readCount(values['warm-up'], '--warm-up'),
  };
  pinSelf();
  const steps = benchmarks.map(({ subjects }) => subjects.length + rounds);
  const progress = createProgress(steps.reduce((sum, count) => sum + count, 0));
  const tables: MicroTable[] = [];
  try {
    for (const benchmark of benchmarks) {
      progress.label(benchmark.name);
      tables.push(await measureBenchmark(benchmark, { ...options, onProgress: progress.step }));
    }
  } finally {
    progress.stop();
  }
  writeReport(values.out, {
    name: ['micro', ...positionals].join('-'),
    title: 'Single operations',
    node: tables[0]?.node ?? '',
    command: ['pnpm bench micro', ...args].join(' '),
    sections: tables.map(formatMicroTable),
    panels: tables.map(toPanel),
    caption: "time, as a multiple of Fairlead's",
  });
}

function formatMicroTable({ benchmark, rows }: MicroTable): string {
  const head = ['Library', 'Time', 'in the best tenth', 'Time / Fairlead (95 %)'];
  const body = rows.map((row) => [
    row.subject.title,
    formatTime(row.time),
    formatTime(row.leastTime),
    formatEstimate(row.ratio),
  ]);
  return `## ${benchmark.name}: ${benchmark.title}\n\n${formatTable(head, body)}\n`;
}

function toPanel({ benchmark, rows }: MicroTable): Panel {
  const bars = rows.map(({ subject, ratio }) => ({ label: subject.title, value: ratio }));
  return { title: benchmark.title, bars };
}
