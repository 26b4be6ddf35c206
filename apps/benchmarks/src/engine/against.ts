import { join } from 'node:path';
import { type Calls, countCalls } from '../calls/calls.js';
import { COUNTED_ROUTES, type CountedRoute } from '../calls/routes.js';
import { showProgress } from '../command.js';
import { compare, quantile, type Table } from '../comparison.js';
import { OUTPUT } from '../compile.js';
import { compareServers, type TurnOptions } from '../http/loaded-server.js';
import type { ServerKind } from '../http/servers.js';
import { WORKLOADS, type Workload } from '../http/workloads.js';
import { describeRun, formatSection, oneDigit, versionOf } from '../report.js';
import { estimateBatches, type Quantity, seriesOf, speedIn } from './batches.js';
import { countInstructions, requireValgrind } from './instructions.js';
import { ENGINE_ROOT, ROOT } from './load.js';
import { type Worktree, withWorktree } from './worktree.js';

/** How {@link compareWith} measures. */
export interface AgainstOptions extends TurnOptions {
  /** How often all servers of a workload are started. */
  readonly batches: number;
  /** How many turns each of them takes then. */
  readonly rounds: number;
  /** Whether to count instructions instead of measuring time. */
  readonly instructions?: true;
}

const NAMES = ['plaintext', 'param', 'post', 'async-10', 'class-get', 'class-post', 'page'];

/** The workloads that two commits are compared on. */
export const ENGINE_WORKLOADS: readonly Workload[] = WORKLOADS.filter(({ name }) =>
  NAMES.includes(name),
);

/** A program that is measured, in one or more processes. */
interface Measured {
  readonly title: string;
  readonly processes: readonly ServerKind[];
}

/** The programs of one way to write an application: of the other commit, and of this tree. */
interface Pair {
  readonly style: 'functions' | 'classes';
  readonly old: Measured;
  readonly own: Measured;
}

/** The tables of a workload, one per batch. */
interface Measurement {
  readonly workload: Pick<Workload, 'name' | 'title'>;
  readonly batches: readonly Table[];
}

/**
 * Builds the packages of another commit in a temporary worktree, measures them next to those of
 * this tree, and prints tables. Writes no file.
 *
 * @param ref - What names the other commit.
 * @returns Whether this tree is certainly slower on a workload. Counts of instructions decide nothing.
 */
export async function compareWith(
  ref: string,
  workloads: readonly Workload[],
  options: AgainstOptions,
): Promise<boolean> {
  if (options.instructions) requireValgrind();
  return withWorktree(ROOT, ref, async (worktree) => {
    await buildPackages(worktree);
    const pairs = [
      createPair('functions', 'engine', ref, worktree.folder),
      createPair('classes', 'engine-class', ref, worktree.folder),
    ];
    const title = `# This tree against ${ref}\n\n${describeRun(versionOf(options.node))}; ${ref} is ${worktree.commit}\n`;
    const { text, slower } = options.instructions
      ? { text: [await formatInstructions(pairs, workloads, options.node)], slower: [] }
      : formatTimes(ref, pairs, await measure(workloads, pairs, options));
    const calls = await formatCalls(ref, worktree.folder, options.node);
    console.log([title, ...text, calls, ...slower].join('\n'));
    return slower.length > 0;
  });
}

/** Formats what was measured, and says where this tree is slower. */
function formatTimes(ref: string, pairs: readonly Pair[], measurements: readonly Measurement[]) {
  const text = [
    formatSpeeds(ref, pairs, measurements),
    formatDifferences(ref, pairs, measurements),
    ...measurements.map((measurement) => formatDetails(pairs, measurement)),
  ];
  return { text, slower: findSlower(ref, pairs, measurements) };
}

/** Names the workloads on which the whole interval of this tree lies below the other commit. */
export function findSlower(
  ref: string,
  pairs: readonly Pair[],
  measurements: readonly Measurement[],
): readonly string[] {
  return pairs.flatMap(({ style, old, own }) =>
    measurements.flatMap((measurement) => {
      const { high } = estimateSpeed(measurement, titlesOf(own), titlesOf(old), 'cpu');
      const { name } = measurement.workload;
      const least = `${oneDigit((1 - high) * 100)} %`;
      return high < 1 ? `Slower than ${ref}: ${name}, ${style}, by at least ${least}.` : [];
    }),
  );
}

/** Counts the instructions of all programs, one server at a time, and formats them. */
async function formatInstructions(
  pairs: readonly Pair[],
  workloads: readonly Workload[],
  node: string,
): Promise<string> {
  const count = async ({ processes: [server] }: Measured, workload: Workload) =>
    server === undefined ? Number.NaN : countInstructions(server, workload, node);
  const programs = [RAW, FASTIFY, ...pairs.flatMap(({ old, own }) => [old, own])];
  const rows = await showProgress(workloads.length * programs.length, async (onStep) => {
    const counts: number[][] = programs.map(() => []);
    for (const workload of workloads) {
      for (const [index, program] of programs.entries()) {
        counts[index]?.push(await count(program, workload));
        onStep(workload.name);
      }
    }
    return counts;
  });
  return formatSection(
    'Thousands of instructions per request, outside the kernel, in one thread: lower is better',
    ['', ...workloads.map(({ name }) => name)],
    programs.map(({ title }, index) => [
      title,
      ...(rows[index] ?? []).map((instructions) => oneDigit(instructions / 1_000)),
    ]),
  );
}

/** Installs what the measured packages need, and builds them. */
async function buildPackages({ run, commit }: Worktree): Promise<void> {
  console.error(`Building the packages of ${commit} …`);
  const filters = ['--filter', '.', '--filter', '@fairlead/controllers...'];
  await run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', ...filters]);
  await run('pnpm', ['exec', 'turbo', 'run', 'build', '--filter=@fairlead/controllers']);
}

/** A process of one of the servers that are measured here. */
function processOf(module: string, title: string, root = ROOT): ServerKind {
  return {
    ...{ name: title, title, workloads: NAMES },
    program: (workload) => ({
      args: [join(OUTPUT, 'http/serve.js'), module, workload],
      env: { [ENGINE_ROOT]: root },
    }),
  };
}

const RAW: Measured = { title: 'raw node:http', processes: [processOf('raw', 'raw node:http')] };

const FASTIFY: Measured = { title: 'Fastify', processes: [processOf('fastify', 'Fastify')] };

function createPair(style: Pair['style'], module: string, ref: string, folder: string): Pair {
  const measured = (tree: string, root: string): Measured => {
    const title = `${tree}, ${style}`;
    return {
      title,
      processes: [title, `${title}, again`].map((name) => processOf(module, name, root)),
    };
  };
  return { style, old: measured(ref, folder), own: measured('this tree', ROOT) };
}

/** In how many parts a server warms up. One that idles through the warm-ups of the others becomes slower. */
const PASSES = 4;

/** Measures all workloads in each batch, so that the batches of a workload are far apart. */
function measure(
  workloads: readonly Workload[],
  pairs: readonly Pair[],
  options: AgainstOptions,
): Promise<readonly Measurement[]> {
  const programs = [RAW, FASTIFY, ...pairs.flatMap(({ old, own }) => [old, own])];
  const servers = programs.flatMap(({ processes }) => processes);
  const { batches: count, rounds } = options;
  const turns = { ...options, warmUp: options.warmUp / PASSES };
  const steps = count * workloads.length * servers.length * (PASSES + rounds);
  return showProgress(steps, async (onStep) => {
    const measurements = workloads.map((workload) => ({ workload, batches: [] as Table[] }));
    for (const _ of Array(count)) {
      for (const { workload, batches } of measurements) {
        const comparison = compareServers(workload, servers, turns);
        batches.push(await compare(comparison, rounds, () => onStep(workload.name), PASSES));
      }
    }
    return measurements;
  });
}

const titlesOf = ({ processes }: Measured) => processes.map(({ title }) => title);

function estimateSpeed(
  { batches }: Measurement,
  own: readonly string[],
  baseline: readonly string[],
  quantity: Quantity,
) {
  return estimateBatches(batches.map((table) => speedIn(table, own, baseline, quantity)));
}

/** Formats the speeds of all workloads relative to raw. */
function formatSpeeds(
  ref: string,
  pairs: readonly Pair[],
  measurements: readonly Measurement[],
): string {
  const cells = (...programs: readonly Measured[]) =>
    measurements.map((measurement) =>
      programs
        .map((program) => estimateSpeed(measurement, titlesOf(program), titlesOf(RAW), 'cpu'))
        .map(({ median }) => median.toFixed(2))
        .join(' / '),
    );
  return formatSection(
    'Speed by CPU time, relative to raw node:http: functions / classes, higher is better',
    ['', ...measurements.map(({ workload }) => workload.name)],
    [
      [ref, ...cells(...pairs.map(({ old }) => old))],
      ['this tree', ...cells(...pairs.map(({ own }) => own))],
      ['Fastify', ...cells(FASTIFY)],
    ],
  );
}

/** Formats by how much this tree is faster, and how far processes of one program are apart. */
function formatDifferences(
  ref: string,
  pairs: readonly Pair[],
  measurements: readonly Measurement[],
): string {
  const cells = (own: readonly string[], baseline: readonly string[]) =>
    measurements.map((measurement) => {
      const { median, low, high } = estimateSpeed(measurement, own, baseline, 'cpu');
      return `${percent(median)} (${percent(low)} to ${percent(high)})`;
    });
  const row = ({ style, old, own }: Pair) => [style, ...cells(titlesOf(own), titlesOf(old))];
  const again = (program: Measured) => {
    const [first = '', second = ''] = titlesOf(program);
    return [`A/A: ${program.title}`, ...cells([second], [first])];
  };
  return formatSection(
    `How much faster this tree is than ${ref}, by CPU time, with 95 % intervals over the batches (Student's t)`,
    ['', ...measurements.map(({ workload }) => workload.name)],
    [...pairs.map(row), ...pairs.flatMap(({ old, own }) => [again(old), again(own)])],
  );
}

/** Formats a ratio as a difference, like `+1.2 %`. */
function percent(ratio: number): string {
  const text = `${oneDigit(Math.abs(ratio - 1) * 100)} %`;
  return `${ratio < 1 ? '−' : '+'}${text}`;
}

/** Formats what a warm request passes through in both trees. */
async function formatCalls(ref: string, folder: string, node: string): Promise<string> {
  const rows: string[][] = [];
  const failures: string[] = [];
  for (const route of COUNTED_ROUTES) {
    const [own] = await countCalls([route], node);
    const old = await countOld(route, node, folder);
    if (old instanceof Error)
      failures.push(`${route.name} does not run on ${ref}. ${reasonOf(old)}`);
    rows.push([route.name, formatCount(old), formatCount(own)]);
  }
  const head = ['Route', ref, 'this tree'];
  return [
    formatSection('Files, functions and calls of a warm request', head, rows),
    ...failures.map((failure) => `${failure}\n`),
  ].join('\n');
}

/** Counts the calls in the other tree, whose packages may lack what the route uses. */
async function countOld(route: CountedRoute, node: string, folder: string): Promise<Calls | Error> {
  try {
    const [calls] = await countCalls([route], node, folder);
    return calls ?? new Error('nothing was counted');
  } catch (error) {
    return error as Error;
  }
}

/** Returns the error that a process has printed, without its stack. */
const reasonOf = ({ message }: Error) => /^\w*Error: .*/m.exec(message)?.[0] ?? message;

const formatCount = (count: Calls | Error | undefined) =>
  count === undefined || count instanceof Error
    ? '–'
    : `${count.files}, ${count.functions}, ${count.calls}`;

/** Formats the speeds of a workload with their intervals. */
function formatDetails(pairs: readonly Pair[], measurement: Measurement): string {
  const row = (title: string, own: readonly string[], baseline: readonly string[]) => [
    title,
    ...(['cpu', 'throughput'] as const).map((quantity) => {
      const { median, low, high } = estimateSpeed(measurement, own, baseline, quantity);
      return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
    }),
    oneDigit(
      quantile(
        measurement.batches.flatMap((table) => seriesOf(table, own, 'cpu')),
        0.5,
      ),
    ),
  ];
  const over = (own: Measured, baseline: Measured) =>
    row(`${own.title} / ${baseline.title}`, titlesOf(own), titlesOf(baseline));
  const { name, title } = measurement.workload;
  return formatSection(
    `${name}: ${title}`,
    ['Faster than', 'By CPU time (95 %)', 'By throughput (95 %)', 'CPU, µs'],
    [
      over(FASTIFY, RAW),
      ...pairs.flatMap(({ old, own }) => [over(old, RAW), over(own, RAW)]),
      ...pairs.map(({ own }) => over(own, FASTIFY)),
      ...pairs.map(({ own, old }) => over(own, old)),
      ...pairs.flatMap((pair) =>
        [pair.old, pair.own].map((program) => {
          const [first = '', second = ''] = titlesOf(program);
          return row(`A/A: ${program.title}`, [second], [first]);
        }),
      ),
    ],
  );
}
