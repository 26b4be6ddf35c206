/** Runs the suite of another project, prints what differs, and records the counts for docs/contributing/peers-suites.md. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compare, runSuite } from './suite.ts';
import { suites } from './suites.ts';

const [name, checkout] = process.argv.slice(2).filter((argument) => argument !== '--');
const suite = suites.find((one) => one.name === name);
if (suite === undefined || checkout === undefined) {
  const rows = suites.map((one) => `  ${one.name.padEnd(20)} https://github.com/${one.repository}`);
  console.error(
    `Usage: pnpm suites <name> <path of a checkout with its dependencies installed>\n${rows.join('\n')}`,
  );
  process.exit(1);
}

// pnpm runs this in the folder of the package.
const folder = resolve(process.env.INIT_CWD ?? '', checkout);
const { failed, stale, ...counts } = compare(suite, await runSuite(suite, folder));
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();
const file = new URL('results.json', import.meta.url);
const results: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
results[suite.name] = {
  commit: git('rev-parse', 'HEAD'),
  date: git('log', '-1', '--format=%cs'),
  ...counts,
};
const sorted = Object.fromEntries(
  suites.flatMap((one) => (one.name in results ? [[one.name, results[one.name]]] : [])),
);
writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);

console.log(`${suite.name}: ${counts.passed} of ${counts.tests} tests pass.`);
for (const [why, count] of Object.entries({
  ...counts.different,
  ...counts.absent,
  ...counts.open,
}))
  console.log(`${count} fail: Fairlead ${why}`);
for (const test of failed) console.error(`FAILED ${test.name}\n  ${test.message}`);
for (const known of stale)
  console.error(`No failed test is named '${known}'. Remove it from suites.ts.`);
if (failed.length + stale.length > 0) process.exit(1);
