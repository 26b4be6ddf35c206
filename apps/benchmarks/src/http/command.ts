import {
  type CommonOptions,
  createCommand,
  formatList,
  parseCount,
  parseList,
  pick,
  runComparisons,
} from '../command.js';
import { type Comparison, ratioOf, type Table } from '../comparison.js';
import { formatSection, integer, oneDigit, quantiles, ratios, titles } from '../report.js';
import { AutocannonLoad } from './autocannon.js';
import { Load } from './load.js';
import { type LoadOptions, startLoaded } from './loaded-server.js';
import { pickServers, SERVERS, type ServerKind, serversOf } from './servers.js';
import { WORKLOADS, type Workload } from './workloads.js';

/** How servers take turns. */
export interface TurnOptions extends LoadOptions {
  /** The length of a turn, in milliseconds. */
  readonly slice: number;
  /** The length of the load before the first turn, in milliseconds. */
  readonly warmUp: number;
}

interface HttpOptions extends CommonOptions, TurnOptions {
  readonly servers?: readonly string[];
  readonly rounds: number;
  readonly autocannon?: true;
  readonly list?: true;
}

/** Measures servers under load. It is the default command, and the others are added to it. */
export const http = createCommand('pnpm bench', 'Measure HTTP servers under load')
  .enablePositionalOptions()
  .argument('[workload...]', 'names of workloads (default: all)')
  .option('--servers <names>', 'comma-separated (default: all); raw is always measured', parseList)
  .option('--rounds <number>', 'turns of each server', parseCount, 30)
  .option('--slice <ms>', 'length of a turn', parseCount, 40)
  .option('--warm-up <ms>', 'load before the first turn', parseCount, 800)
  .option('--connections <number>', 'keep-alive connections', parseCount, 64)
  .option('--autocannon', 'make the load with autocannon; use slices of a second or more')
  .option('--list', 'list workloads and servers')
  .action(runHttp);

async function runHttp(names: readonly string[], options: HttpOptions): Promise<void> {
  if (options.list) {
    return console.log(`Workloads\n${formatList(WORKLOADS)}\nServers\n${formatList(SERVERS)}`);
  }
  const generator = options.autocannon ? AutocannonLoad : Load;
  const servers = pickServers(options.servers);
  const comparisons = pick(WORKLOADS, names, 'workload').map((workload) =>
    compareServers(workload, serversOf(workload.name, servers), { ...options, generator }),
  );
  await runComparisons(options, options.rounds, comparisons, {
    name: names.length > 0 ? names.join('-') : 'http',
    title: 'HTTP',
    columns: () => [
      titles('Server'),
      ratios('Throughput / raw (95 %)', 'throughput'),
      ratios('CPU per request / raw (95 %)', 'cpu'),
      quantiles('CPU, µs', 'cpu', oneDigit),
      quantiles('in the best tenth', 'cpu', oneDigit, 0.1),
      quantiles('Requests/s', 'throughput', integer),
      quantiles('p50, ms', 'latency', (value) => value.toFixed(2)),
      quantiles('p99, ms', 'latency', (value) => value.toFixed(2), 0.99),
    ],
    chart: {
      caption: 'requests per second, as a multiple of raw node:http',
      quantity: 'throughput',
    },
    summarize: (tables) => [
      summarize('Throughput / raw, all workloads', tables, 'throughput'),
      summarize('CPU per request / raw, all workloads', tables, 'cpu'),
    ],
  });
}

/** Formats the ratios of one quantity for all servers and workloads. */
export function summarize(heading: string, tables: readonly Table[], quantity: string): string {
  const servers = new Set(tables.flatMap(({ rows }) => rows.map(({ title }) => title)));
  const ratio = ({ rows }: Table, server: string) => {
    const [baseline] = rows;
    const row = rows.find(({ title }) => title === server);
    return row && baseline ? ratioOf(row, baseline, quantity).median.toFixed(2) : '–';
  };
  const body = [...servers].map((server) => [
    ...[server, ...tables.map((table) => ratio(table, server))],
  ]);
  return formatSection(heading, ['Server', ...tables.map(({ name }) => `${name}`)], body);
}

/**
 * Compares servers on a workload.
 *
 * @param servers - The baseline and others that have the workload.
 */
export function compareServers(
  workload: Workload,
  servers: readonly ServerKind[],
  options: TurnOptions,
): Comparison {
  const { name, title } = workload;
  const contestants = servers.map((server) => async () => {
    const { process, run, stop } = await startLoaded(server, workload, options);
    const turn = async () => {
      const before = await process.usage();
      const { requests, duration, latencies } = await run(options.slice);
      const after = await process.usage();
      return {
        throughput: (requests / duration) * 1_000,
        cpu: (after.cpu - before.cpu) / requests,
        latency: latencies,
      };
    };
    return { title: server.title, warmUp: () => run(options.warmUp), turn, stop };
  });
  return { name, title, contestants };
}
