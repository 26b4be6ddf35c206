import { type Estimate, estimate, quantile, shuffled } from '../statistics.js';
import type { AutocannonLoad } from './autocannon.js';
import { blaming } from './blame.js';
import { checkAnswers } from './check.js';
import { Load, type LoadGenerator } from './load.js';
import { ServerProcess } from './server-process.js';
import { BASELINE, type ServerKind } from './servers.js';
import type { Workload } from './workloads.js';

/** How a workload is measured. */
export interface MeasureOptions {
  /** The node binary of the servers. */
  readonly node: string;
  /** How often each server has its turn. */
  readonly rounds: number;
  /** Length of a turn, in milliseconds. */
  readonly slice: number;
  /** Load on each server before the first round, in milliseconds. */
  readonly warmUp: number;
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number;
  /** What makes the load; {@link Load} where it is not said. */
  readonly generator?: typeof Load | typeof AutocannonLoad;
  /** Called once each server is warm, and after each round. */
  onProgress(): void;
}

/** What was measured of a server. Ratios are to the baseline in the same round. */
export interface Row {
  readonly server: ServerKind;
  readonly throughputRatio: Estimate;
  readonly cpuRatio: Estimate;
  /** CPU time of the server's process for a request, in microseconds: the median turn. */
  readonly cpu: number;
  /** The same in the turn that only a tenth of the turns were below: what a busy machine disturbs least. */
  readonly leastCpu: number;
  /** Requests in a second. */
  readonly throughput: number;
  /** Latencies, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** What was measured of a workload. */
export interface Table {
  readonly workload: Workload;
  /** Version of Node of the servers. */
  readonly node: string;
  readonly rows: readonly Row[];
}

/** One server's turn. */
interface Turn {
  readonly throughput: number;
  readonly cpu: number;
  readonly latencies: readonly number[];
}

interface Contestant {
  readonly server: ServerKind;
  readonly process: ServerProcess;
  readonly load: LoadGenerator;
  readonly turns: Turn[];
}

/**
 * Starts all servers of a workload, checks their answers, and loads each in turn.
 *
 * @param servers - Those that have the workload; the baseline is among them.
 * @throws {Error} When a server does not start, or answers otherwise than expected.
 */
export async function measureWorkload(
  workload: Workload,
  servers: readonly ServerKind[],
  options: MeasureOptions,
): Promise<Table> {
  const contestants: Contestant[] = [];
  try {
    for (const server of servers) {
      const names = [server.name, workload.name];
      contestants.push(await blaming(names, () => enter(server, workload, options)));
    }
    for (const { server, load } of contestants) {
      await blaming([server.name, workload.name], () => load.run(options.warmUp));
      options.onProgress();
    }
    for (const _ of Array(options.rounds)) {
      for (const contestant of shuffled(contestants)) {
        const names = [contestant.server.name, workload.name];
        contestant.turns.push(await blaming(names, () => takeTurn(contestant, options.slice)));
      }
      options.onProgress();
    }
  } finally {
    for (const { process, load } of contestants) {
      load.close();
      await process.stop();
    }
  }
  const baseline = contestants.find(({ server }) => server.name === BASELINE.name)?.turns ?? [];
  return {
    workload,
    node: contestants[0]?.process.node ?? '',
    rows: contestants.map(({ server, turns }) => summarize(server, turns, baseline)),
  };
}

async function enter(
  server: ServerKind,
  workload: Workload,
  { node, connections, generator: LoadClass = Load }: MeasureOptions,
): Promise<Contestant> {
  const process = await ServerProcess.start(server.program(workload.name), node);
  try {
    const { mount = '' } = server;
    const base = `http://127.0.0.1:${process.port}${mount}`;
    const exchanges = await workload.prepare(base);
    await checkAnswers(base, exchanges);
    const mounted = exchanges.map((exchange) => ({ ...exchange, path: mount + exchange.path }));
    const load = new LoadClass(process.port, mounted, connections);
    return { server, process, load, turns: [] };
  } catch (error) {
    await process.stop();
    throw error;
  }
}

async function takeTurn({ process, load }: Contestant, milliseconds: number): Promise<Turn> {
  const before = await process.usage();
  const { requests, duration, latencies } = await load.run(milliseconds);
  const after = await process.usage();
  return {
    throughput: (requests / duration) * 1_000,
    cpu: (after.cpu - before.cpu) / requests,
    latencies,
  };
}

function summarize(server: ServerKind, turns: readonly Turn[], baseline: readonly Turn[]): Row {
  const ratios = (key: 'throughput' | 'cpu') =>
    estimate(turns.map((turn, round) => turn[key] / (baseline[round]?.[key] ?? Number.NaN)));
  const cpu = turns.map((turn) => turn.cpu);
  const latencies = turns.flatMap((turn) => turn.latencies);
  return {
    server,
    throughputRatio: ratios('throughput'),
    cpuRatio: ratios('cpu'),
    cpu: quantile(cpu, 0.5),
    leastCpu: quantile(cpu, 0.1),
    throughput: quantile(
      turns.map((turn) => turn.throughput),
      0.5,
    ),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}
