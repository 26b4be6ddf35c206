import {
  type CommonOptions,
  createCommand,
  parseCount,
  parseList,
  pick,
  runComparisons,
} from './command.js';
import { ratioOf } from './comparison.js';
import { type LoadedServer, type LoadOptions, startLoaded } from './http/loaded-server.js';
import { pickServers, type ServerKind, serversOf } from './http/servers.js';
import { WORKLOADS, type Workload } from './http/workloads.js';
import { integer, mebibytes, quantiles, titles } from './report.js';

interface MemoryCommandOptions extends CommonOptions {
  readonly servers?: readonly string[];
  readonly requests: number;
}

/** Measures memory. */
export const memory = createCommand('memory', 'Measure resident memory and heap per request')
  .argument('[workload...]', 'names of workloads (default: json, post and class-get)')
  .option('--servers <names>', 'comma-separated (default: all); raw is always measured', parseList)
  .option(
    '--requests <number>',
    'requests before resident memory is read again',
    parseCount,
    200_000,
  )
  .action(runMemory);

async function runMemory(names: readonly string[], options: MemoryCommandOptions): Promise<void> {
  const { node, requests } = options;
  const servers = pickServers(options.servers);
  const selected = names.length > 0 ? names : ['json', 'post', 'class-get'];
  const comparisons = pick(WORKLOADS, selected, 'workload').map((workload) => ({
    ...{ name: workload.name, title: workload.title },
    contestants: serversOf(workload.name, servers).map((server) => () => ({
      title: server.title,
      turn: () =>
        measureMemory(server, workload, { node, requests, warmUp: WARM_UP, connections: 64 }),
    })),
  }));
  await runComparisons({ ...options, rounds: 1 }, comparisons, {
    name: ['memory', ...names].join('-'),
    title: 'Memory',
    columns: () => [
      titles('Server'),
      quantiles('Resident at start, MiB', 'start', mebibytes),
      quantiles(`after ${integer(requests)} requests, MiB`, 'end', mebibytes),
      quantiles('Heap per request, bytes', 'perRequest', integer),
      ['/ raw', (row, raw) => ratioOf(row, raw, 'perRequest').median.toFixed(2)],
    ],
  });
}

/** The size of the new space while allocations are counted, in MiB. */
const NEW_SPACE = 256;

/** Requests per count of allocations. Together they allocate less than {@link NEW_SPACE}. */
const COUNTED = 1_500;

/**
 * How often allocations are counted if the garbage collector runs meanwhile. Collecting garbage on
 * purpose before a count does not help: it drops compiled code for some thousand requests.
 */
const ATTEMPTS = 10;

/** Requests before allocations are counted. They give the compiler time to finish. */
const WARM_UP = 20_000;

/** How memory is measured. */
interface MemoryOptions extends LoadOptions {
  /** The number of requests before resident memory is read again. */
  readonly requests: number;
  /** The number of requests before allocations are counted. */
  readonly warmUp: number;
}

/**
 * Measures the memory of a server on a workload, in bytes: resident at the `start` and at the `end`
 * of the load, and heap allocated `perRequest`, including what becomes garbage.
 *
 * @throws {Error} If a response is wrong, or the garbage collector ran during every count.
 */
export async function measureMemory(
  server: ServerKind,
  workload: Workload,
  { requests, warmUp, ...options }: MemoryOptions,
): Promise<Record<'start' | 'end' | 'perRequest', number>> {
  const resident = await withLoad(server, workload, options, async (loaded) => {
    const { rss: start } = await loaded.process.usage();
    await send(loaded, requests);
    return { start, end: (await loaded.process.usage()).rss };
  });
  const flags = [
    '--expose-gc',
    `--min-semi-space-size=${NEW_SPACE}`,
    `--max-semi-space-size=${NEW_SPACE}`,
  ];
  const perRequest = await withLoad(server, workload, { ...options, flags }, async (loaded) => {
    await send(loaded, warmUp);
    return countAllocations(loaded);
  });
  return { ...resident, perRequest };
}

async function withLoad<Result>(
  server: ServerKind,
  workload: Workload,
  options: LoadOptions,
  use: (loaded: LoadedServer) => Promise<Result>,
): Promise<Result> {
  const loaded = await startLoaded(server, workload, options);
  try {
    return await use(loaded);
  } finally {
    await loaded.stop();
  }
}

/** Returns the bytes of heap allocated per request. */
async function countAllocations(loaded: LoadedServer): Promise<number> {
  for (const _ of Array(ATTEMPTS)) {
    const before = await loaded.process.usage();
    const sent = await send(loaded, COUNTED);
    const after = await loaded.process.usage();
    if (after.collections === before.collections) return (after.heap - before.heap) / sent;
  }
  throw new Error(
    `The garbage collector ran during each of ${ATTEMPTS} counts of allocations in ` +
      `${loaded.kind.name}. Lower COUNTED or raise NEW_SPACE.`,
  );
}

/** Sends at least as many requests as asked for and returns how many it sent. */
async function send(loaded: LoadedServer, requests: number): Promise<number> {
  let sent = 0;
  while (sent < requests) sent += (await loaded.run(20)).requests;
  return sent;
}
