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
import { isStoreName, openPlaces, type Place, STORE_NAMES } from './stores.js';

const USAGE = `Usage: pnpm --filter users-api bench [options]

--rounds   slices of creates for each store, in turns; 12 unless given, 0 leaves them out
--seconds  length of a slice; 2 unless given
--users    users of the list whose memory is measured; 1000000 unless given, 0 leaves it out
--stores   the stores, with commas; ${STORE_NAMES.join(',')} unless given`;

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
      const places = await openPlaces(names, join(folder, 'creates'), database);
      report.push(describeCreates(await creates(places, rounds, seconds ?? 0)));
    }
    if (users) {
      const places = await openPlaces(names, join(folder, 'lists'), database);
      report.push(describeLists(await lists(places, users)));
    }
    console.log(report.join('\n\n'));
  } finally {
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the stores in turns, in random order. */
async function creates(
  places: readonly Place[],
  rounds: number,
  seconds: number,
): Promise<readonly Measured[]> {
  const stores: { title: string; server: ServerProcess; slices: Slice[] }[] = [];
  for (const { title, url, maxBatch } of places) {
    stores.push({ title, server: await ServerProcess.start(url, maxBatch), slices: [] });
  }
  const bar = startBar((rounds + 1) * stores.length);
  for (let round = 0; round <= rounds; round += 1) {
    for (const { title, server, slices } of shuffled(stores)) {
      bar.update({ what: `creates, ${title}` });
      const slice = await measureCreates(server, seconds);
      // The first round warms up.
      if (round > 0) slices.push(slice);
      bar.increment();
    }
  }
  bar.stop();
  await Promise.all(stores.map(({ server }) => server.stop()));
  return stores;
}

/** Measures the stores that keep users outside of the process, one after the other. */
async function lists(
  places: readonly Place[],
  users: number,
): Promise<(ListMemory & { title: string })[]> {
  const bar = startBar(users * places.filter(({ config }) => config).length);
  const measured: (ListMemory & { title: string })[] = [];
  for (const { title, url, config } of places) {
    if (config === undefined) continue;
    bar.update({ what: `filling ${title}` });
    await fill(config, users, (created) => bar.increment(created));
    bar.update({ what: `reading ${title}` });
    measured.push({ title, ...(await measureList(url, users)) });
  }
  bar.stop();
  return measured;
}

function startBar(steps: number): cliProgress.SingleBar {
  const format = '{bar} {percentage} %, {eta_formatted} left, {what}';
  const bar = new cliProgress.SingleBar({ format, clearOnComplete: true });
  bar.start(steps, 0, { what: '' });
  return bar;
}
