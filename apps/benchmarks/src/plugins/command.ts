import { join } from 'node:path';
import {
  type CommonOptions,
  createCommand,
  formatList,
  parseCount,
  pick,
  runComparisons,
} from '../command.js';
import { OUTPUT } from '../compile.js';
import { AutocannonLoad } from '../http/autocannon.js';
import { summarize } from '../http/command.js';
import { compareServers, type TurnOptions } from '../http/loaded-server.js';
import type { ServerKind } from '../http/servers.js';
import type { Exchange, Workload } from '../http/workloads.js';
import { integer, oneDigit, quantiles, ratios, titles } from '../report.js';
import { createToken, LIST } from './fixtures.js';

interface PluginsOptions extends CommonOptions, TurnOptions {
  readonly rounds: number;
}

const get = (path: string, value: unknown, headers: Record<string, string>): Exchange => ({
  ...{ method: 'GET', path, headers, status: 200, type: 'application/json' },
  response: JSON.stringify(value),
});

/** Signs in, and returns the `Cookie` header of the session. */
async function signIn(base: string): Promise<string> {
  const response = await fetch(`${base}/sign-in`, { method: 'POST' });
  await response.arrayBuffer();
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.replace(/;.*/, ''))
    .join('; ');
}

/** All workloads of the packages. */
export const PLUGIN_WORKLOADS: readonly Workload[] = [
  {
    name: 'gzip',
    title: 'GET of 11 KB JSON, compressed with gzip',
    prepare: async () => [get('/list', LIST, { 'Accept-Encoding': 'gzip' })],
  },
  {
    name: 'jwt',
    title: 'GET with a bearer token, HS256',
    prepare: async () => [
      get('/me', { user: 'ada' }, { Authorization: `Bearer ${createToken()}` }),
    ],
  },
  {
    name: 'session',
    title: 'GET with a session in an encrypted cookie',
    prepare: async (base) => [get('/me', { user: 'ada' }, { Cookie: await signIn(base) })],
  },
];

const server = (name: string, module: string, title: string): ServerKind => ({
  ...{ name, title, workloads: PLUGIN_WORKLOADS.map((workload) => workload.name) },
  program: (workload) => ({ args: [join(OUTPUT, 'http/serve.js'), module, workload] }),
});

/** The servers. The first one is the baseline, and the second one shows the noise of a run. */
export const PLUGIN_SERVERS: readonly ServerKind[] = [
  server('fastify', 'fastify-plugins', 'Fastify'),
  server('fastify-again', 'fastify-plugins', 'Fastify, again (A/A)'),
  server('fairlead', 'fairlead-plugins', 'Fairlead'),
];

/** Measures packages that are on the path of a request next to plugins of Fastify. */
export const plugins = createCommand('plugins', 'Measure packages next to plugins of Fastify')
  .argument('[workload...]', 'names of workloads (default: all)')
  .option('--rounds <number>', 'turns of each server', parseCount, 15)
  .option('--slice <ms>', 'length of a turn', parseCount, 500)
  .option('--warm-up <ms>', 'load before the first turn', parseCount, 2_000)
  .option('--connections <number>', 'keep-alive connections', parseCount, 64)
  .addHelpText('after', `\nWorkloads\n${formatList(PLUGIN_WORKLOADS)}`)
  .action(runPlugins);

async function runPlugins(names: readonly string[], options: PluginsOptions): Promise<void> {
  // The other generator needs a Content-Length, which compressed streams lack.
  const turns = { ...options, generator: AutocannonLoad };
  const comparisons = pick(PLUGIN_WORKLOADS, names, 'workload').map((workload) =>
    compareServers(workload, PLUGIN_SERVERS, turns),
  );
  await runComparisons(options, comparisons, {
    name: ['plugins', ...names].join('-'),
    title: 'Packages and plugins',
    columns: () => [
      titles('Server'),
      ratios('Throughput / Fastify (95 %)', 'throughput'),
      ratios('CPU per request / Fastify (95 %)', 'cpu'),
      quantiles('CPU, µs', 'cpu', oneDigit),
      quantiles('in the best tenth', 'cpu', oneDigit, 0.1),
      quantiles('Requests/s', 'throughput', integer),
      quantiles('p99, ms', 'latency', (value) => value.toFixed(2), 0.99),
    ],
    chart: { caption: 'requests per second, as a multiple of Fastify', quantity: 'throughput' },
    summarize: (tables) => [
      summarize('Throughput / Fastify', tables, 'throughput'),
      summarize('CPU per request / Fastify', tables, 'cpu'),
    ],
  });
}
