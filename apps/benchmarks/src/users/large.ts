import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type CommonOptions, createCommand, parseCount, parseList, pick } from '../command.js';
import { OUTPUT } from '../compile.js';
import { Load } from '../http/load.js';
import { type ServerProcess, startServer } from '../http/loaded-server.js';
import { pinSelf } from '../pinned-process.js';
import {
  type Column,
  integer,
  mebibytes,
  oneDigit,
  quantiles,
  titles,
  writeReport,
} from '../report.js';
import { Databases, STORES, type StoreKind } from './databases.js';
import type { LoadResult, WorkerLoad } from './load-worker.js';
import { NODE_FLAGS, onDatabase, SERVERS } from './servers.js';
import { countUsers, createUsers, getOne, PAGE_LENGTH, post, readPage } from './workloads.js';

interface LargeOptions extends CommonOptions {
  readonly stores: readonly string[];
  readonly users: number;
  readonly seconds: number;
}

/** Measures how long users-api with many users keeps others waiting, and how its memory grows. */
export const large = createCommand(
  'large',
  'Measure delays and memory of users-api with many users',
)
  .option('--stores <names>', 'comma-separated (default: all)', parseList, [])
  .option('--users <number>', 'users in the store', parseCount, 1_000_000)
  .option('--seconds <number>', 'how long each load lasts', parseCount, 10)
  .action(runLarge);

async function runLarge(options: LargeOptions): Promise<void> {
  const stores = pick(STORES, options.stores, 'store');
  const databases = await Databases.open(stores);
  pinSelf();
  try {
    const tables = [];
    for (const store of stores) {
      const title = `${store.title}, ${integer(options.users)} users`;
      tables.push({ title, rows: await measureStore(store, databases, options) });
    }
    const layout = { name: 'large', title: 'users-api with many users', columns: () => COLUMNS };
    writeReport(options.out, options.node, layout, tables);
  } finally {
    await databases.close();
  }
}

const times = (head: string, quantity: string): Column[] =>
  [0.5, 0.99, 1].map((share) =>
    quantiles(
      `${head} ${share === 1 ? 'max' : `p${share * 100}`}, ms`,
      quantity,
      (time) => time.toFixed(2),
      share,
    ),
  );

const COLUMNS: readonly Column[] = [
  titles('Load'),
  ...times('GET /health/live', 'live'),
  ...times('GET one', 'one'),
  quantiles('Requests/s of the load', 'requests', oneDigit),
  quantiles('503', 'refusals', integer),
  quantiles('Memory before, MiB', 'idle', mebibytes),
  quantiles('Peak above, MiB', 'growth', mebibytes),
];

/** Fills a store, starts users-api on it, and measures one load after the other. */
export async function measureStore(
  store: StoreKind,
  databases: Databases,
  { node, users, seconds }: Pick<LargeOptions, 'node' | 'users' | 'seconds'>,
) {
  const [server] = pick(SERVERS, ['users-api'], 'server');
  if (server === undefined) throw new Error('There is no server users-api.');
  const url = await databases.create(store);
  if (store.name !== 'memory') {
    const seed = join(dirname(server.main), 'seed.js');
    const env = { ...process.env, DATABASE_URL: url };
    await promisify(execFile)(node, [seed, '--count', String(users)], { env });
  }
  const serverProcess = await startServer(onDatabase(server, url).program(''), node, NODE_FLAGS);
  try {
    const origin = `http://127.0.0.1:${serverProcess.port}`;
    const base = origin + server.mount;
    // A store in memory cannot be filled by another process.
    if (store.name === 'memory') await createUsers(base, 1);
    const { data } = await readPage(base, 1, 1);
    const [first] = data;
    if (first === undefined) throw new Error('The store has no users.');
    const create = { ...post(data), path: `${server.mount}/users` };
    const filler = new Load(serverProcess.port, [create], 64);
    while ((await countUsers(base)) < users) await filler.run(500);
    filler.close();
    const paths = { live: `${origin}/health/live`, one: base + getOne(first).path };
    const last = Math.ceil((await countUsers(base)) / PAGE_LENGTH);
    const lastPage = `${server.mount}/users?page=${last}&limit=${PAGE_LENGTH}`;
    const response = await (await fetch(origin + lastPage)).text();
    const common = { method: 'GET', status: 200, type: 'application/json' } as const;
    const loads: readonly (readonly [string, Omit<WorkerLoad, 'port'> | undefined])[] = [
      ['none', undefined],
      [
        'eight clients read the last page',
        { connections: 8, exchange: { ...common, path: lastPage, response } },
      ],
      [
        'one client reads all users',
        {
          connections: 1,
          exchange: { ...common, path: `${server.mount}/users`, response: '', streamed: true },
        },
      ],
      ['64 clients create users', { connections: 64, exchange: create }],
    ];
    const rows = [];
    for (const [title, load] of loads) {
      const series = await measureLoad(serverProcess, load, paths, seconds);
      rows.push({ title, series });
    }
    return rows;
  } finally {
    await serverProcess.stop();
  }
}

const WORKER = join(OUTPUT, 'users/load-worker.js');

/** How long the server rests before a load, and between two requests that measure delays. */
const REST = 5;

/** Measures the delays of single requests during a load, in milliseconds, and memory in bytes. */
async function measureLoad(
  { pid, port }: ServerProcess,
  load: Omit<WorkerLoad, 'port'> | undefined,
  paths: Readonly<Record<'live' | 'one', string>>,
  seconds: number,
): Promise<Record<string, number[]>> {
  // Loads code, which must not count as memory of the load.
  for (let count = 0; count < 200; count += 1) await timeRequest(paths.one);
  const idle = readMemory(pid, 'VmRSS');
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const worker = load && new Worker(WORKER, { workerData: { ...load, port } satisfies WorkerLoad });
  const finished = worker && once(worker, 'message');
  // A load that fails is reported at the end.
  finished?.catch(() => {});
  const series = { live: [] as number[], one: [] as number[] };
  const start = performance.now();
  while (performance.now() - start < seconds * 1_000) {
    for (const path of ['live', 'one'] as const) {
      series[path].push(await timeRequest(paths[path]));
      await delay(REST);
    }
  }
  worker?.postMessage('stop');
  const [result] = (await finished) ?? [];
  const { requests, refusals }: LoadResult = result ?? { requests: 0, refusals: 0 };
  const duration = (performance.now() - start) / 1_000;
  return {
    ...series,
    requests: [requests / duration],
    refusals: [refusals],
    idle: [idle],
    growth: [readMemory(pid, 'VmHWM') - idle],
  };
}

/** Returns how long a request takes, in milliseconds. */
async function timeRequest(url: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`GET ${url} responds with ${response.status}.`);
  return performance.now() - start;
}

/** Returns a size in `/proc/<pid>/status`, in bytes. See proc_pid_status(5). */
function readMemory(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
}
