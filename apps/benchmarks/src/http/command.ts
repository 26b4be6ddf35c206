import { Option } from 'commander';
import {
  type CommonOptions,
  createCommand,
  formatList,
  parseCount,
  parseList,
  pick,
  runComparisons,
} from '../command.js';
import { ratioOf, type Table } from '../comparison.js';
import { compareWith, ENGINE_WORKLOADS } from '../engine/against.js';
import {
  formatSection,
  integer,
  oneDigit,
  quantiles,
  ratios,
  recordedCommit,
  titles,
} from '../report.js';
import { AutocannonLoad } from './autocannon.js';
import { Load } from './load.js';
import { compareServers, type TurnOptions } from './loaded-server.js';
import { pickServers, SERVERS, serversOf } from './servers.js';
import { WORKLOADS } from './workloads.js';

interface HttpOptions extends CommonOptions, TurnOptions {
  readonly servers?: readonly string[];
  readonly rounds: number;
  readonly autocannon?: true;
  readonly list?: true;
  readonly against?: string;
  readonly batches: number;
  readonly quick?: true;
  readonly instructions?: true;
}

/** Measures servers under load. It is the default command, and the others are added to it. */
export const http = createCommand('pnpm bench', 'Measure HTTP servers under load')
  .enablePositionalOptions()
  .argument('[workload...]', 'names of workloads (default: all)')
  .option('--servers <names>', 'comma-separated (default: all); raw is always measured', parseList)
  .option('--batches <number>', 'how often all servers start', parseCount, 2)
  .option('--rounds <number>', 'turns of each server in a batch', parseCount, 40)
  .option('--slice <ms>', 'length of a turn', parseCount, 40)
  .option('--warm-up <ms>', 'load before the first turn', parseCount, 2_000)
  .option('--connections <number>', 'keep-alive connections', parseCount, 64)
  .option('--autocannon', 'make the load with autocannon; use slices of a second or more')
  .option('--list', 'list workloads and servers')
  .addOption(
    // Servers with more code take longer until V8 has compiled them. Short turns meet the same disturbances.
    new Option(
      '--against <ref>',
      'compare the packages with those of another commit, or of the last "recorded" results',
    )
      .conflicts(['servers', 'autocannon', 'list', 'out'])
      .implies({ batches: 5, warmUp: 4_000, slice: 25, rounds: 60 }),
  )
  .addOption(
    new Option('--quick', 'with --against: 3 batches, 30 turns, warm-up of 2 s').implies({
      ...{ batches: 3, rounds: 30, warmUp: 2_000 },
    }),
  )
  .option(
    '--instructions',
    'with --against: count instructions with valgrind; needs no quiet machine',
  )
  .action(runHttp);

async function runHttp(names: readonly string[], options: HttpOptions): Promise<void> {
  if (options.list) {
    return console.log(`Workloads\n${formatList(WORKLOADS)}\nServers\n${formatList(SERVERS)}`);
  }
  if (options.against !== undefined) {
    if (options.batches < 2) throw new Error('Use at least 2 batches: an interval needs two.');
    const ref = options.against === 'recorded' ? recordedCommit(options.node) : options.against;
    const isSlower = await compareWith(ref, pick(ENGINE_WORKLOADS, names, 'workload'), options);
    if (isSlower) process.exitCode = 1;
    return;
  }
  if (options.quick || options.instructions) {
    throw new Error('Use --quick and --instructions only with --against.');
  }
  const generator = options.autocannon ? AutocannonLoad : Load;
  const servers = pickServers(options.servers);
  const comparisons = pick(WORKLOADS, names, 'workload').map((workload) =>
    compareServers(workload, serversOf(workload.name, servers), { ...options, generator }),
  );
  await runComparisons(options, comparisons, {
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
