import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pick, readCount } from '../arguments.js';
import { pinSelf } from '../pinned-process.js';
import type { Panel } from '../report/chart.js';
import { createProgress } from '../report/progress.js';
import { RESULTS, writeReport } from '../report/write.js';
import { AutocannonLoad } from './autocannon.js';
import { Load } from './load.js';
import { measureWorkload, type Table } from './measure.js';
import { BASELINE, SERVERS, type ServerKind, serversOf } from './servers.js';
import { formatHttpTable, formatSummary } from './tables.js';
import { WORKLOADS, type Workload } from './workloads.js';

const HELP = `pnpm bench [workload...] [options]

  --servers <names>      comma-separated; all by default, and always raw
  --rounds <number>      turns of each server, 30 by default
  --slice <ms>           length of a turn, 40 by default
  --warm-up <ms>         load before the first turn, 800 by default
  --connections <number> keep-alive connections, 64 by default
  --autocannon           makes the load with autocannon; give slices of a second or more
  --node <path>          node binary of the servers
  --out <folder>         where tables and charts are written, results/ by default
  --list                 names of workloads and servers`;

/** Measures servers over HTTP, as a command line asks for it. */
export async function runHttp(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      servers: { type: 'string' },
      rounds: { type: 'string', default: '30' },
      slice: { type: 'string', default: '40' },
      'warm-up': { type: 'string', default: '800' },
      autocannon: { type: 'boolean', default: false },
      connections: { type: 'string', default: '64' },
      node: { type: 'string', default: process.execPath },
      out: { type: 'string', default: RESULTS },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.list) return console.log(list());

  const workloads = pick(WORKLOADS, positionals, 'workload');
  const names = values.servers?.split(',') ?? [];
  const servers = pick(SERVERS, names.length > 0 ? [BASELINE.name, ...names] : [], 'server');
  const rounds = readCount(values.rounds, '--rounds');
  const entries = workloads.map((workload) => ({
    workload,
    servers: serversOf(workload.name, servers),
  }));
  const steps = entries.map((entry) => entry.servers.length + rounds);
  const progress = createProgress(steps.reduce((sum, count) => sum + count, 0));
  pinSelf();

  const tables: Table[] = [];
  try {
    for (const entry of entries) {
      progress.label(entry.workload.name);
      const table = await measureWorkload(entry.workload, entry.servers, {
        node: resolve(values.node),
        rounds,
        slice: readCount(values.slice, '--slice'),
        warmUp: readCount(values['warm-up'], '--warm-up'),
        connections: readCount(values.connections, '--connections'),
        generator: values.autocannon ? AutocannonLoad : Load,
        onProgress: progress.step,
      });
      tables.push(table);
    }
  } finally {
    progress.stop();
  }
  writeReport(values.out, {
    name: positionals.length > 0 ? positionals.join('-') : 'http',
    title: 'HTTP',
    node: tables[0]?.node ?? '',
    command: ['pnpm bench', ...args].join(' '),
    sections: [...formatSummary(tables), ...tables.map(formatHttpTable)],
    panels: tables.map(toPanel),
    caption: 'requests per second, as a multiple of raw node:http',
  });
}

function toPanel({ workload, rows }: Table): Panel {
  const bars = rows.map((row) => ({ label: row.server.title, value: row.throughputRatio }));
  return { title: workload.title, bars };
}

function list(): string {
  const lines = (items: readonly (Workload | ServerKind)[]) =>
    items.map(({ name, title }) => `  ${name.padEnd(22)} ${title}`);
  return ['Workloads', ...lines(WORKLOADS), 'Servers', ...lines(SERVERS)].join('\n');
}
