import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pick, readCount } from '../arguments.js';
import { blaming } from '../http/blame.js';
import { BASELINE, SERVERS, type ServerKind, serversOf } from '../http/servers.js';
import { WORKLOADS, type Workload } from '../http/workloads.js';
import { pinSelf } from '../pinned-process.js';
import { formatMebibytes, formatTable } from '../report/markdown.js';
import { createProgress } from '../report/progress.js';
import { RESULTS, writeReport } from '../report/write.js';
import { type Memory, measureMemory } from './measure.js';

const HELP = `pnpm bench memory [workload...] [options]

  workloads            json, post and class-get by default
  --servers <names>    comma-separated; all by default, and always raw
  --requests <number>  requests before resident memory is looked at again, 200,000 by default
  --node <path>        node binary of the servers
  --out <folder>       where tables are written, results/ by default`;

interface Row {
  readonly server: ServerKind;
  readonly memory: Memory;
}

/** What is measured unless other workloads are named. */
const USUAL = ['json', 'post', 'class-get'];

/** Measures memory, as a command line asks for it. */
export async function runMemory(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      servers: { type: 'string' },
      requests: { type: 'string', default: '200000' },
      node: { type: 'string', default: process.execPath },
      out: { type: 'string', default: RESULTS },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const workloads = pick(WORKLOADS, positionals.length > 0 ? positionals : USUAL, 'workload');
  const names = values.servers === undefined ? [] : [BASELINE.name, ...values.servers.split(',')];
  const servers = pick(SERVERS, names, 'server');
  const options = {
    node: resolve(values.node),
    requests: readCount(values.requests, '--requests'),
    connections: 64,
  };
  pinSelf();
  const entries = workloads.map((workload) => ({
    workload,
    servers: serversOf(workload.name, servers),
    rows: [] as Row[],
  }));
  const progress = createProgress(entries.reduce((sum, entry) => sum + entry.servers.length, 0));
  try {
    for (const entry of entries) {
      for (const server of entry.servers) {
        progress.label(`${entry.workload.name}, ${server.name}`);
        const memory = await blaming([server.name, entry.workload.name], () =>
          measureMemory(server, entry.workload, options),
        );
        entry.rows.push({ server, memory });
        progress.step();
      }
    }
  } finally {
    progress.stop();
  }
  writeReport(values.out, {
    name: ['memory', ...positionals].join('-'),
    title: 'Memory',
    node: entries[0]?.rows[0]?.memory.node ?? '',
    command: ['pnpm bench memory', ...args].join(' '),
    sections: entries.map(({ workload, rows }) => formatRows(workload, rows, options.requests)),
    panels: [],
    caption: '',
  });
}

function formatRows(workload: Workload, rows: readonly Row[], requests: number): string {
  const raw = rows.find(({ server }) => server.name === BASELINE.name)?.memory.perRequest;
  const head = [
    'Server',
    'Resident at start, MiB',
    `after ${requests.toLocaleString('en')} requests, MiB`,
    'Heap per request, bytes',
    '/ raw',
  ];
  const body = rows.map(({ server, memory }) => [
    server.title,
    formatMebibytes(memory.start),
    formatMebibytes(memory.end),
    Math.round(memory.perRequest).toLocaleString('en'),
    (memory.perRequest / (raw ?? Number.NaN)).toFixed(2),
  ]);
  return `## ${workload.name}: ${workload.title}\n\n${formatTable(head, body)}\n`;
}
