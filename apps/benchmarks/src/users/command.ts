import {
  type CommonOptions,
  createCommand,
  formatList,
  parseCount,
  parseList,
  pick,
  runComparisons,
} from '../command.js';
import type { Comparison, Table } from '../comparison.js';
import { summarize } from '../http/command.js';
import { startLoaded, type TurnOptions } from '../http/loaded-server.js';
import type { Workload } from '../http/workloads.js';
import { type Column, integer, oneDigit, quantiles, ratios, titles } from '../report.js';
import { Databases, execute, STORES, type StoreKind } from './databases.js';
import { AGAIN, BASELINE, NODE_FLAGS, onDatabase, SERVERS, type UsersServer } from './servers.js';
import { countUsers, createWorkloads, deleteCreated } from './workloads.js';

interface UsersOptions extends CommonOptions, TurnOptions {
  readonly servers?: readonly string[];
  readonly stores: readonly string[];
  readonly batches: number;
  readonly rounds: number;
}

/** The number of users in each store when a turn begins. */
const USERS = 10_000;

const WORKLOADS = createWorkloads(USERS);

/** Measures users-api next to the same service on other frameworks. */
export const users = createCommand('users', 'Measure the users service on several frameworks')
  .argument('[workload...]', 'names of workloads (default: all)')
  .option('--stores <names>', 'comma-separated (default: all)', parseList, [])
  .option(
    '--servers <names>',
    'comma-separated (default: all but fastify-again); fastify is always measured',
    parseList,
  )
  .option('--batches <number>', 'how often all servers start', parseCount, 2)
  .option('--rounds <number>', 'turns of each server in a batch', parseCount, 6)
  .option('--slice <ms>', 'length of a turn', parseCount, 250)
  .option('--warm-up <ms>', 'load before the first turn', parseCount, 2_000)
  .option('--connections <number>', 'keep-alive connections', parseCount, 64)
  .addHelpText('after', `\nWorkloads\n${formatList(WORKLOADS)}`)
  .addHelpText('after', `\nServers\n${formatList(SERVERS)}`)
  .addHelpText('after', `\nStores\n${formatList(STORES)}`)
  .action(runUsers);

async function runUsers(names: readonly string[], options: UsersOptions): Promise<void> {
  const workloads = pick(WORKLOADS, names, 'workload');
  const stores = pick(STORES, options.stores, 'store');
  const servers = pickServers(options.servers);
  const databases = await Databases.open(stores);
  try {
    const comparisons = stores.flatMap((store) =>
      workloads.map((workload) =>
        compareUsers(workload, store, servers, databases, { ...options, users: USERS }),
      ),
    );
    await runComparisons(options, comparisons, {
      name: ['users', ...options.stores, ...names].join('-'),
      title: 'The users service',
      columns: () => COLUMNS,
      chart: { caption: 'requests per second, as a multiple of Fastify', quantity: 'throughput' },
      summarize: (tables) => [
        summarize('Throughput / Fastify', tables, 'throughput'),
        summarize('CPU per request / Fastify', tables, 'cpu'),
        ...summarizeDatabase(tables),
      ],
    });
  } finally {
    await databases.close();
  }
}

const COLUMNS: readonly Column[] = [
  titles('Server'),
  ratios('Throughput / Fastify (95 %)', 'throughput'),
  ratios('CPU per request / Fastify (95 %)', 'cpu'),
  quantiles('CPU, µs', 'cpu', oneDigit),
  quantiles('in the best tenth', 'cpu', oneDigit, 0.1),
  quantiles('Requests/s', 'throughput', integer),
  quantiles('p50, ms', 'latency', (value) => value.toFixed(2)),
  quantiles('p99, ms', 'latency', (value) => value.toFixed(2), 0.99),
  quantiles('CPU of PostgreSQL, µs', 'database', (value) =>
    Number.isNaN(value) ? '–' : oneDigit(value),
  ),
  quantiles('Users after a turn', 'users', integer),
];

function summarizeDatabase(tables: readonly Table[]): string[] {
  const measured = tables.filter(({ rows: [baseline] }) => baseline?.series.database);
  if (measured.length === 0) return [];
  return [summarize('CPU of PostgreSQL per request / Fastify', measured, 'database')];
}

/** Returns the services with the given names and the baseline, or all if there are no names. */
function pickServers(names: readonly string[] = []): readonly UsersServer[] {
  if (names.length === 0) return SERVERS.filter(({ name }) => name !== AGAIN.name);
  return pick(SERVERS, [BASELINE.name, ...names], 'server');
}

/**
 * Compares services on a workload and a store. Each has its own process and its own database.
 *
 * @param servers - The baseline and others.
 * @param options - Turns, and the number of users when a turn begins, which the workload creates.
 */
export function compareUsers(
  workload: Workload,
  store: StoreKind,
  servers: readonly UsersServer[],
  databases: Databases,
  options: TurnOptions & { readonly users: number },
): Comparison {
  const name = `${store.name}-${workload.name}`;
  const title = `${store.title}, ${workload.title}`;
  const contestants = servers
    .filter(({ stores }) => stores.includes(store.name))
    .map((server) => async () => {
      const url = await databases.create(store);
      const flags = NODE_FLAGS;
      const loaded = await startLoaded(onDatabase(server, url), workload, { ...options, flags });
      const { base, process, run, stop } = loaded;
      const reset = async () => {
        await deleteCreated(base, options.users);
        if (store.name === 'postgres') await execute(url, 'VACUUM users');
      };
      const turn = async () => {
        await reset();
        // Opens new connections if these have been idle for long.
        await run(0);
        const [before, databaseBefore] = [await process.cpu(), databases.postgresCpu()];
        const { requests, duration, latencies } = await run(options.slice);
        const [after, databaseAfter] = [await process.cpu(), databases.postgresCpu()];
        return {
          throughput: (requests / duration) * 1_000,
          cpu: (after - before) / requests,
          latency: latencies,
          users: await countUsers(base),
          ...(store.name === 'postgres' && {
            database: (databaseAfter - databaseBefore) / requests,
          }),
        };
      };
      return { title: server.title, warmUp: () => run(options.warmUp), turn, stop };
    });
  return { name, title, contestants };
}
