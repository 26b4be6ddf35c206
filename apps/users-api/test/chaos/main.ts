import { parseArgs } from 'node:util';
import { type ChaosReport, runChaos } from './run-chaos.js';

const { values } = parseArgs({
  // pnpm passes on the "--" before the options.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    minutes: { type: 'string', default: '1' },
    acknowledged: { type: 'string', default: '0' },
    store: { type: 'string', default: 'sqlite' },
    processes: { type: 'string', default: '1' },
    population: { type: 'string', default: '1200' },
    writes: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const { minutes, acknowledged, store, processes, population, writes, seed } = values;
if (store !== 'sqlite' && store !== 'postgres')
  throw new Error('--store must be sqlite or postgres.');
console.log(
  ['chaos', ...Object.entries(values).map(([name, value]) => `--${name} ${value}`)].join(' '),
);

const start = performance.now();
const end = start + Number(minutes) * 60_000;
let done = 0;
const report = await runChaos({
  store,
  processes: Number(processes),
  population: Number(population),
  writes: Number(writes),
  seed: Number(seed),
  goesOn: () => performance.now() < end || done < Number(acknowledged),
  onRound(report) {
    done = report.acknowledged;
    print(report);
  },
});
print(report);
console.log('No acknowledged write was lost, and every response was correct.');

function print(report: ChaosReport): void {
  const perSecond = (report.answered * 1_000) / (performance.now() - start);
  console.log(
    Object.entries({ ...report, 'responses per second': Math.round(perSecond) })
      .map(([what, count]) => `${what} ${count}`)
      .join(', '),
  );
}
