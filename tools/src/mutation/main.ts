/** Changes one place of a package at a time, runs the tests of the package, and lists the changes that none notices. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp, type Placed, shuffledMutants, Tester } from './package.ts';
import type { Recorded, Survivor } from './page.ts';

const USAGE = `Usage: pnpm mutate [--count 20] [--seed 1] [--record] [package ...]
Example: pnpm mutate --count 50 di rate-limit
  --record  writes the results to tools/src/mutation/results.json`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const published = globSync('packages/*/README.md').map((path) => path.split('/')[1] ?? '');
const unknown = positionals.filter((name) => !published.includes(name));
if (values.help || unknown.length > 0 || !(count > 0) || Number.isNaN(seed)) {
  console.error(unknown.length > 0 ? `There is no package '${unknown[0]}'.\n${USAGE}` : USAGE);
  process.exit(values.help ? 0 : 1);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    cleanUp();
    process.exit(1);
  });
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

for (const name of positionals.length > 0 ? positionals : published.toSorted()) {
  const folder = join('packages', name);
  if (git('status', '--porcelain', folder) !== '') {
    console.error(
      `${folder} has changes. Commit them first: mutants replace its files for a time.`,
    );
    process.exit(1);
  }
  const all = shuffledMutants(folder, seed);
  const tester = new Tester(folder, seed);
  const began = performance.now();
  await tester.measure();
  const measured = performance.now();
  const survivors: Survivor[] = [];
  let timedOut = 0;
  const sample = all.slice(0, count);
  for (const mutant of sample) {
    const outcome = await tester.test(mutant);
    if (outcome === 'timed out') timedOut += 1;
    if (outcome !== 'killed') console.log(`  ${outcome}: ${folder}/${describe(mutant)}`);
    if (outcome === 'survived') survivors.push(survivorOf(mutant));
  }
  tester.stop();
  const seconds = [measured - began, performance.now() - measured].map((ms) =>
    (ms / 1000).toFixed(0),
  );
  const killed = sample.length - survivors.length;
  const score = ((100 * killed) / sample.length).toFixed(0);
  console.log(
    `${name}: ${killed} of ${sample.length} killed (${score} %), of ${all.length}. ${seconds[0]} s to measure, ${seconds[1]} s to run.`,
  );
  if (values.record) {
    record(name, {
      commit: git('rev-parse', 'HEAD'),
      date: git('log', '-1', '--format=%cs'),
      seed,
      mutants: all.length,
      sampled: sample.length,
      timedOut,
      survivors,
    });
  }
}

function describe({ file, line, before, after }: Placed): string {
  return `${file}:${line} ${shorten(before)} → ${shorten(after)}`;
}

function survivorOf({ file, line, text, before, after }: Placed): Survivor {
  return { file, line, text, before: shorten(before), after: shorten(after) };
}

/** Replaces the results of a package. Keeps what people wrote about the survivors. */
function record(name: string, result: Recorded): void {
  const file = new URL('results.json', import.meta.url);
  const results: Record<string, Recorded> = JSON.parse(readFileSync(file, 'utf8'));
  const keyOf = ({ file, text, before, after }: Survivor): string =>
    JSON.stringify([file, text, before, after]);
  const known = new Map(results[name]?.survivors.map((one) => [keyOf(one), one]));
  const survivors = result.survivors
    .map((one) => ({ ...known.get(keyOf(one)), ...one }))
    .toSorted((one, other) =>
      one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1,
    );
  results[name] = { ...result, survivors };
  const sorted = Object.fromEntries(
    Object.entries(results).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
