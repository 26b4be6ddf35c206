import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import cliProgress from 'cli-progress';
import { Database } from '../test/chaos/fleet/database.js';
import { measureCreates, type Slice } from './creates.js';
import { fill, type ListMemory, measureList } from './list-memory.js';
import { describeCreates, describeLists, describeRun, type Measured } from './report.js';
import { ServerProcess } from './server-process.js';
import { shuffled } from './statistics.js';
import { type BenchStore, createStores, isStoreName, STORE_NAMES } from './stores.js';

const USAGE = `Usage: pnpm --filter users-api bench [options]

--rounds   time slices of creates per store, or 0 to skip them (default: 12)
--seconds  length of a slice (default: 2)
--users    number of users in the measured list, or 0 to skip it (default: 1000000)
--stores   comma-separated stores (default: ${STORE_NAMES.join(',')})
--help     print this help`;

const args = process.argv.slice(2).filter((argument) => argument !== '--');
const { values } = parseArgs({
  args,
  options: {
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    users: { type: 'string', default: '1000000' },
    stores: { type: 'string', default: STORE_NAMES.join() },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(USAGE);
else await run();

async function run(): Promise<void> {
  const [rounds, seconds, users] = [values.rounds, values.seconds, values.users].map(Number);
  const names = values.stores.split(',').filter(isStoreName);
  const folder = mkdtempSync(join(tmpdir(), 'users-api-bench-'));
  const database = names.includes('postgres') ? await Database.start() : undefined;
  try {
    const report = [describeRun(['pnpm --filter users-api bench', ...args].join(' '))];
    if (rounds) {
      const stores = await createStores(names, join(folder, 'creates'), database);
      report.push(describeCreates(await runCreates(stores, rounds, seconds ?? 0)));
    }
    if (users) {
      const stores = await createStores(names, join(folder, 'lists'), database);
      report.push(describeLists(await runLists(stores, users)));
    }
    console.log(report.join('\n\n'));
  } finally {
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures creates in rounds, with the stores in random order. */
async function runCreates(
  stores: readonly BenchStore[],
  rounds: number,
  seconds: number,
): Promise<readonly Measured[]> {
  const measured: { title: string; server: ServerProcess; slices: Slice[] }[] = [];
  for (const { title, url, maxBatch } of stores) {
    measured.push({ title, server: await ServerProcess.start(url, maxBatch), slices: [] });
  }
  const bar = startBar((rounds + 1) * measured.length);
  for (let round = 0; round <= rounds; round += 1) {
    for (const { title, server, slices } of shuffled(measured)) {
      bar.update({ task: `creates, ${title}` });
      const slice = await measureCreates(server, seconds);
      // The first round warms up.
      if (round > 0) slices.push(slice);
      bar.increment();
    }
  }
  bar.stop();
  await Promise.all(measured.map(({ server }) => server.stop()));
  return measured;
}

/** Measures lists of the stores that can be filled from this process. */
async function runLists(
  stores: readonly BenchStore[],
  users: number,
): Promise<(ListMemory & { title: string })[]> {
  const bar = startBar(users * stores.filter(({ config }) => config).length);
  const measured: (ListMemory & { title: string })[] = [];
  for (const { title, url, config } of stores) {
    if (config === undefined) continue;
    bar.update({ task: `filling ${title}` });
    await fill(config, users, (count) => bar.increment(count));
    bar.update({ task: `reading ${title}` });
    measured.push({ title, ...(await measureList(url, users)) });
  }
  bar.stop();
  return measured;
}

function startBar(steps: number): cliProgress.SingleBar {
  const format = '{bar} {percentage} %, {eta_formatted} left, {task}';
  const bar = new cliProgress.SingleBar({ format, clearOnComplete: true });
  bar.start(steps, 0, { task: '' });
  return bar;
}
