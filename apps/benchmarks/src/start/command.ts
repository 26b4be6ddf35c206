import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readCount } from '../arguments.js';
import { type Program, serversOf } from '../http/servers.js';
import { pinSelf } from '../pinned-process.js';
import { formatEstimate, formatMebibytes, formatTable } from '../report/markdown.js';
import { createProgress } from '../report/progress.js';
import { RESULTS, writeReport } from '../report/write.js';
import { type Estimate, estimate, quantile, shuffled } from '../statistics.js';
import { generate } from './generate.js';
import { measureStart, type Start } from './measure.js';
import { SUBJECTS } from './subjects.js';

const HELP = `pnpm bench start [options]

  --controllers <numbers>  comma-separated counts of controllers, 3,500 by default
  --rounds <number>        starts of each server, 7 by default, after one that is not counted
  --node <path>            node binary of the servers
  --out <folder>           where tables and charts are written, results/ by default`;

/** Some programs that are compared; all ratios are to the first. */
interface Group {
  readonly title: string;
  readonly path: string;
  readonly programs: readonly { readonly title: string; readonly program: Program }[];
}

interface Row {
  readonly title: string;
  readonly starts: Start[];
}

/** Measures starts, as a command line asks for it. */
export async function runStart(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      controllers: { type: 'string', default: '3,500' },
      rounds: { type: 'string', default: '7' },
      node: { type: 'string', default: process.execPath },
      out: { type: 'string', default: RESULTS },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const rounds = readCount(values.rounds, '--rounds');
  const counts = values.controllers.split(',').map((count) => readCount(count, '--controllers'));
  const node = resolve(values.node);
  const groups = [plainServers(), ...counts.map(withControllers)];
  pinSelf();
  const total = groups.reduce((sum, { programs }) => sum + programs.length, 0) * (rounds + 1);
  const progress = createProgress(total);
  const results: { readonly group: Group; readonly rows: readonly Row[] }[] = [];
  try {
    for (const group of groups) {
      progress.label(group.title);
      results.push({ group, rows: await measureGroup(group, node, rounds, progress.step) });
    }
  } finally {
    progress.stop();
  }
  writeReport(values.out, {
    name: 'start',
    title: 'Start',
    node: results[0]?.rows[0]?.starts[0]?.node ?? '',
    command: ['pnpm bench start', ...args].join(' '),
    sections: results.map(({ group, rows }) => formatGroup(group, rows)),
    panels: results.map(({ group, rows }) => ({
      title: group.title,
      bars: rows.map((row) => ({ label: row.title, value: ratio(row, rows[0], 'time') })),
    })),
    caption: 'time to the first answer, as a multiple of the first',
  });
}

function plainServers(): Group {
  return {
    title: 'One route',
    path: '/',
    programs: serversOf('json').map(({ title, program }) => ({ title, program: program('json') })),
  };
}

function withControllers(count: number): Group {
  return {
    title: `${count} controllers, each with a service`,
    path: `/c${count - 1}/7`,
    programs: SUBJECTS.map((subject) => ({
      title: subject.name,
      program: { args: [generate(subject, count)] },
    })),
  };
}

/** Starts each in turn, so that what disturbs the machine disturbs all; the first round only warms up. */
async function measureGroup(
  { programs, path }: Group,
  node: string,
  rounds: number,
  onProgress: () => void,
): Promise<readonly Row[]> {
  const rows = programs.map(({ title, program }) => ({ title, program, starts: [] as Start[] }));
  for (const round of Array(rounds + 1).keys()) {
    for (const { program, starts } of shuffled(rows)) {
      const start = await measureStart(program, node, path);
      if (round > 0) starts.push(start);
      onProgress();
    }
  }
  return rows;
}

/** What is measured of a start. */
type Measure = 'time' | 'cpu' | 'memory';

function median({ starts }: Row, measure: Measure): number {
  return quantile(
    starts.map((start) => start[measure]),
    0.5,
  );
}

function ratio(row: Row, first: Row | undefined, measure: Measure): Estimate {
  return estimate(
    row.starts.map(
      (start, round) => start[measure] / (first?.starts[round]?.[measure] ?? Number.NaN),
    ),
  );
}

function formatGroup({ title }: Group, rows: readonly Row[]): string {
  const [first] = rows;
  const head = [
    'Server',
    'Start to first answer',
    `Time / ${first?.title} (95 %)`,
    'CPU',
    `CPU / ${first?.title} (95 %)`,
    'Resident, MiB',
  ];
  const body = rows.map((row) => [
    row.title,
    `${median(row, 'time').toFixed(0)} ms`,
    formatEstimate(ratio(row, first, 'time')),
    `${median(row, 'cpu').toFixed(0)} ms`,
    formatEstimate(ratio(row, first, 'cpu')),
    formatMebibytes(median(row, 'memory')),
  ]);
  return `## ${title}\n\n${formatTable(head, body)}\n`;
}
