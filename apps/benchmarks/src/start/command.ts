import {
  type CommonOptions,
  createCommand,
  parseCount,
  parseList,
  runComparisons,
} from '../command.js';
import type { Comparison } from '../comparison.js';
import { startServer } from '../http/loaded-server.js';
import { type Program, serversOf } from '../http/servers.js';
import { mebibytes, quantiles, ratios, titles } from '../report.js';
import { FRAMEWORKS, generate } from './frameworks.js';

interface StartOptions extends CommonOptions {
  readonly controllers: readonly number[];
  readonly rounds: number;
}

/** Measures starts. */
export const start = createCommand('start', 'Measure the time to the first response')
  .option(
    '--controllers <numbers>',
    'comma-separated numbers of controllers',
    (text) => parseList(text).map(parseCount),
    [3, 500],
  )
  .option(
    '--rounds <number>',
    'starts of each server, after one that is not counted',
    parseCount,
    7,
  )
  .action(runStart);

async function runStart({ controllers, ...options }: StartOptions): Promise<void> {
  const { node } = options;
  const plain = serversOf('json').map(({ title, program }) => ({
    ...{ title, program: program('json') },
  }));
  const comparisons = [
    compareStarts('One route', '/', plain, node),
    ...controllers.map((count) => {
      const title = `${count} controllers, each with a service`;
      return compareStarts(title, `/c${count - 1}/7`, programsWith(count), node);
    }),
  ];
  await runComparisons(options, comparisons, {
    name: 'start',
    title: 'Start',
    columns: (baseline) => [
      titles('Server'),
      quantiles('Start to first answer', 'time', milliseconds),
      ratios(`Time / ${baseline} (95 %)`, 'time'),
      quantiles('CPU', 'cpu', milliseconds),
      ratios(`CPU / ${baseline} (95 %)`, 'cpu'),
      quantiles('Resident, MiB', 'memory', mebibytes),
    ],
    chart: { caption: 'time to the first answer, as a multiple of the first', quantity: 'time' },
  });
}

const milliseconds = (value: number) => `${value.toFixed(0)} ms`;

interface TitledProgram {
  readonly title: string;
  readonly program: Program;
}

const programsWith = (count: number): readonly TitledProgram[] =>
  FRAMEWORKS.map((framework) => ({
    title: framework.name,
    program: { args: [generate(framework, count)] },
  }));

function compareStarts(
  title: string,
  path: string,
  programs: readonly TitledProgram[],
  node: string,
): Comparison {
  const contestants = programs.map((each) => () => {
    const turn = async () => {
      const { response, ...measured } = await measureStart(each.program, node, path);
      return measured;
    };
    return { title: each.title, warmUp: turn, turn };
  });
  return { title, contestants };
}

/** One start of a server. */
export interface Start {
  /** Milliseconds from spawning the process to the first response. */
  readonly time: number;
  /** The CPU time of the process until then, in milliseconds. */
  readonly cpu: number;
  /** Resident memory then, in bytes. */
  readonly memory: number;
  /** The body of the first response. */
  readonly response: string;
}

/** Starts a server in production mode, sends a request for `path`, and stops it. */
export async function measureStart(program: Program, node: string, path: string): Promise<Start> {
  const begin = performance.now();
  const server = await startServer(program, node);
  try {
    const response = await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
    const time = performance.now() - begin;
    const { cpu, rss } = await server.usage();
    return { time, cpu: cpu / 1_000, memory: rss, response };
  } finally {
    await server.stop();
  }
}
