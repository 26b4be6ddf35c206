/** Changes one place of a package at a time, runs the tests of the package, and lists the changes that none notices. */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './mutants.ts';

const USAGE = `Usage: pnpm mutate [--count 20] [--seed 1] [package ...]
Example: pnpm mutate --count 50 di rate-limit`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
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

/** Returns numbers from 0 to below 1, the same ones for the same seed. @see Mulberry32 */
function createRandom(state: number): () => number {
  let current = state;
  return () => {
    current = (current + 0x6d2b79f5) | 0;
    let mixed = Math.imul(current ^ (current >>> 15), current | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The exit code of vitest after Ctrl-C. With a listener, this process lives long enough to restore the file. */
const INTERRUPTED = 130;
process.on('SIGINT', () => undefined);

/** Runs the tests of a package. Returns whether they pass within a time. */
function passes(folder: string, timeout?: number): boolean {
  const vitest = resolve(folder, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--exclude=**/*.long.test.ts', '--bail=1', '--reporter=dot'];
  // A mutant may wait forever.
  const limits = ['--testTimeout=30000', '--hookTimeout=30000'];
  const { status, signal } = spawnSync(process.execPath, [vitest, ...args, ...limits], {
    cwd: folder,
    stdio: 'ignore',
    ...(timeout !== undefined && { timeout, killSignal: 'SIGKILL' }),
  });
  if (signal === 'SIGINT' || status === INTERRUPTED) throw new Error('The run was interrupted.');
  return status === 0;
}

for (const name of positionals.length > 0 ? positionals : published) {
  const folder = join('packages', name);
  if (execFileSync('git', ['status', '--porcelain', folder], { encoding: 'utf8' }) !== '') {
    console.error(
      `${folder} has changes. Commit them first: mutants replace its files for a time.`,
    );
    process.exit(1);
  }
  const began = performance.now();
  if (!passes(folder)) {
    console.error(`The tests of ${folder} fail without a mutant. Make them pass first.`);
    process.exit(1);
  }
  const timeout = Math.ceil(5 * (performance.now() - began)) + 60_000;
  const files = globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).toSorted();
  const all = files.flatMap((file) => {
    const path = join(folder, file);
    return mutantsOf(readFileSync(path, 'utf8')).map((mutant) => ({ path, mutant }));
  });
  const random = createRandom(seed);
  const sample = all
    .map((one) => [random(), one] as const)
    .toSorted(([one], [other]) => one - other)
    .slice(0, count)
    .map(([, one]) => one);
  const survivors = sample.filter(({ path, mutant }) => survives(folder, path, mutant, timeout));
  const killed = sample.length - survivors.length;
  const score = ((100 * killed) / sample.length).toFixed(0);
  console.log(`${name}: ${killed} of ${sample.length} killed (${score} %), of ${all.length}`);
  for (const { path, mutant } of survivors) {
    console.log(`  ${path}:${mutant.line} ${shorten(mutant.before)} → ${shorten(mutant.after)}`);
  }
}

/** Whether the tests of a package pass with a mutant. Restores the file. */
function survives(folder: string, path: string, { code }: Mutant, timeout: number): boolean {
  const original = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, code);
    return passes(folder, timeout);
  } finally {
    writeFileSync(path, original);
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
