import { join } from 'node:path';
import {
  type CommonOptions,
  createCommand,
  parseCount,
  parseList,
  showProgress,
} from '../command.js';
import type { Row } from '../comparison.js';
import { OUTPUT } from '../compile.js';
import { Load } from '../http/load.js';
import { type ServerProcess, startServer } from '../http/loaded-server.js';
import { type Column, integer, oneDigit, quantiles, titles, writeReport } from '../report.js';
import { flood } from './flood.js';
import { DONE } from './work.js';

interface OverloadOptions extends CommonOptions {
  readonly times: readonly string[];
  readonly seconds: number;
  readonly patience: number;
  readonly connections: number;
}

/** Measures what servers respond when more requests arrive than they can serve. */
export const overload = createCommand(
  'overload',
  'Measure servers that receive more requests than they can serve',
)
  .option('--times <numbers>', 'load as multiples of the capacity, comma-separated', parseList, [
    ...['1', '2', '5', '10'],
  ])
  .option('--seconds <number>', 'how long each load lasts', parseCount, 20)
  .option('--patience <ms>', 'after which a client gives up', parseCount, 1_000)
  .option('--connections <number>', 'connections of the proxy', parseCount, 512)
  .action(runOverload);

/** The servers, as the title, the module and its start. */
export const OVERLOAD_SERVERS = [
  ['Fastify', 'fastify-overload', 'none'],
  ['Fastify with under-pressure', 'fastify-overload', 'limited'],
  ['Fairlead', 'fairlead-overload', 'none'],
  ['Fairlead with overload()', 'fairlead-overload', 'limited'],
] as const;

type Server = (typeof OVERLOAD_SERVERS)[number];

async function runOverload(options: OverloadOptions): Promise<void> {
  const { node, out, times } = options;
  const tables = await showProgress(times.length * OVERLOAD_SERVERS.length, async (onStep) => {
    const capacity = await measureCapacity(node);
    const measured = [];
    for (const factor of times.map(Number)) {
      const rows: Row[] = [];
      for (const server of OVERLOAD_SERVERS) {
        rows.push(await measureOverload(server, capacity * factor, options));
        onStep(`${factor} times`);
      }
      const title = `${factor} times the capacity: ${integer(capacity * factor)} requests/s`;
      measured.push({ title, rows });
    }
    return measured;
  });
  const layout = { name: 'overload', title: 'Overload', columns: () => COLUMNS };
  writeReport(out, node, layout, tables);
}

const milliseconds = (value: number) => (Number.isFinite(value) ? oneDigit(value) : '–');

const COLUMNS: readonly Column[] = [
  titles('Server'),
  quantiles('Requests/s', 'rate', integer),
  quantiles('200 in time, 1/s', 'done', oneDigit),
  quantiles('503, 1/s', 'rejected', oneDigit),
  quantiles('given up, 1/s', 'lost', oneDigit),
  quantiles('200 p50, ms', 'times', milliseconds),
  quantiles('p99', 'times', milliseconds, 0.99),
  quantiles('503 p99', 'rejectedTimes', milliseconds, 0.99),
  quantiles('GET /live p50', 'probes', milliseconds),
  quantiles('p99', 'probes', milliseconds, 0.99),
];

const start = ([, module, workload]: Server, node: string): Promise<ServerProcess> =>
  startServer({ args: [join(OUTPUT, 'http/serve.js'), module, workload] }, node);

/** Connections that keep the server busy while others wait. */
const CONNECTIONS = 16;

/** Returns how many requests Fastify serves in each second, with as many clients as it can serve in time. */
export async function measureCapacity(node: string, milliseconds = 3_000): Promise<number> {
  const server = await start(OVERLOAD_SERVERS[0], node);
  const exchange = { method: 'GET', path: '/work', status: 200, type: 'application/json' } as const;
  const load = new Load(
    server.port,
    [{ ...exchange, response: JSON.stringify(DONE) }],
    CONNECTIONS,
  );
  try {
    await load.run(milliseconds / 3);
    const { requests, duration } = await load.run(milliseconds);
    return (requests / duration) * 1_000;
  } finally {
    load.close();
    await server.stop();
  }
}

/** Starts a server, lets it serve half of the rate that it can, and then overloads it. */
export async function measureOverload(
  server: Server,
  rate: number,
  { node, seconds, patience, connections }: Omit<OverloadOptions, 'out' | 'times'>,
): Promise<Row> {
  const { port, stop } = await start(server, node);
  try {
    const common = { patience, connections };
    await flood(port, { ...common, rate: Math.min(rate, 80), duration: 2_000 });
    const result = await flood(port, { ...common, rate, duration: seconds * 1_000 });
    const perSecond = (count: number) => [count / seconds];
    return {
      title: server[0],
      series: {
        rate: [result.rate],
        done: perSecond(result.done.length),
        rejected: perSecond(result.rejected.length),
        lost: perSecond(result.lost),
        times: result.done,
        rejectedTimes: result.rejected,
        probes: result.probes,
      },
    };
  } finally {
    await stop();
  }
}
