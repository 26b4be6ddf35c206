/** Runs the test files of another project against ours, and compares the results with what we know of them. */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A group of the suite's tests that fail against our code, and why. */
export interface Difference {
  /** Completes "Fairlead …" as a sentence in Markdown, with a full stop. */
  readonly why: string;
  /** The tests: their names as the report of a run prints them, or the start of several names up to a ` > `. */
  readonly tests?: readonly string[];
  /** Part of the messages of further tests, with which an adapter refuses what we do not have. */
  readonly message?: string;
}

export interface Suite {
  /** Name of the suite on the command line. */
  readonly name: string;
  /** Owner and name of its repository on GitHub. */
  readonly repository: string;
  /** What of ours it tests, in Markdown. */
  readonly subject: string;
  readonly runner: 'node' | 'mocha' | 'vitest' | 'ava' | 'server';
  /** The test files, relative to the checkout. For `server`, the script that connects to a server of ours. */
  readonly files: readonly string[];
  /**
   * What the test files get in place of the modules they import: a module of `adapters/` for a file of the
   * checkout or for the name of a package.
   */
  readonly adapters: Readonly<Record<string, string>>;
  /** What readers should know of the run, in Markdown. */
  readonly note?: string;
  /** What we do differently on purpose. */
  readonly differences: readonly Difference[];
  /** What we do not have, or do not test here. */
  readonly absent: readonly Difference[];
  /** What we should do, and do not yet. */
  readonly open?: readonly Difference[];
}

/** One test of a suite, as our reporters write it. */
export interface TestResult {
  /** The file, then the names of the test and of what it is in, joined by ` > `. */
  readonly name: string;
  readonly passed: boolean;
  readonly message?: string;
}

export interface Comparison {
  readonly tests: number;
  readonly passed: number;
  /** The number of failed tests by reason. */
  readonly different: Readonly<Record<string, number>>;
  readonly absent: Readonly<Record<string, number>>;
  readonly open: Readonly<Record<string, number>>;
  /** Failed tests that no reason names. */
  readonly failed: readonly TestResult[];
  /** Names in reasons that no failed test has. */
  readonly stale: readonly string[];
}

const here = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);

/**
 * Runs a suite.
 *
 * @param checkout - The folder with the suite's repository, with its dependencies installed.
 * @throws {Error} When the checkout has no test files, or they have no results.
 */
export async function runSuite(suite: Suite, checkout: string): Promise<readonly TestResult[]> {
  const root = realpathSync(checkout);
  const files = globSync([...suite.files], { cwd: root }).toSorted();
  if (files.length === 0) throw new Error(`${root} has no files ${suite.files.join(', ')}.`);
  const folder = mkdtempSync(join(tmpdir(), 'suite-'));
  const output = join(folder, 'results');
  const redirects = Object.entries(suite.adapters).map(([replaced, adapter]) => [
    /^[./]/.test(replaced) ? pathToFileURL(join(root, replaced)).href : replaced,
    pathToFileURL(join(here, 'adapters', adapter)).href,
  ]);
  const redirect = pathToFileURL(join(here, 'redirect.ts')).href;
  const child = spawn(process.execPath, commandOf(suite, root, files), {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'test',
      NODE_OPTIONS: `--conditions=@fairlead/source --import=${redirect}`,
      SUITE_FILES: JSON.stringify(files),
      SUITE_OUTPUT: output,
      SUITE_ROOT: root,
      SUITE_REDIRECTS: JSON.stringify(Object.fromEntries(redirects)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  try {
    await new Promise((done, fail) => child.once('close', done).once('error', fail));
    const lines = readFileSync(output, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1);
    const results =
      suite.runner === 'ava' ? readTap(printed) : lines.map((line): TestResult => JSON.parse(line));
    if (results.length === 0) throw new Error(`The suite ran no test:\n${printed}`);
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the arguments of node that run the files and report to `SUITE_OUTPUT`. */
function commandOf({ runner }: Suite, root: string, files: readonly string[]): string[] {
  const reporter = (name: string): string => join(here, 'reporters', name);
  switch (runner) {
    case 'node':
      return [
        `--test-reporter=${reporter('node.ts')}`,
        // Faster than `--test`, which starts a process for each file.
        '--input-type=module',
        `--eval=${JSON.stringify(files.map((file) => pathToFileURL(join(root, file)).href))}.reduce((before, file) => before.then(() => import(file)), Promise.resolve())`,
      ];
    case 'mocha':
      return [
        createRequire(join(root, 'package.json')).resolve('mocha/bin/_mocha'),
        '--exit',
        `--reporter=${reporter('mocha.cjs')}`,
        ...files,
      ];
    case 'vitest':
      return [
        resolve(require.resolve('vitest/package.json'), '../vitest.mjs'),
        'run',
        `--root=${root}`,
        `--config=${join(here, 'vitest.config.ts')}`,
      ];
    case 'ava':
      return [join(root, 'node_modules/ava/entrypoints/cli.mjs'), '--tap', ...files];
    case 'server':
      return [join(here, 'adapters/h1spec.ts')];
  }
}

/** Reads the report of ava, which has no other reporters. */
export function readTap(text: string): TestResult[] {
  const lines = text.matchAll(/^(not )?ok \d+ - (.*)\n(?: {2}---\n([\s\S]*?)^ {2}\.\.\.$)?/gm);
  return Array.from(lines, ([, not, name = '', message = '']) => ({
    name: name.replaceAll(' › ', ' > '),
    passed: not === undefined,
    message,
  }));
}

/** Compares the results of a run with the known differences. */
export function compare(suite: Suite, results: readonly TestResult[]): Comparison {
  const failed = results.filter(({ passed }) => !passed);
  const known = new Set<TestResult>();
  const stale: string[] = [];
  const countOf = ({ tests = [], message }: Difference): number => {
    const mine = tests.flatMap((name) => {
      const found = failed.filter(
        (test) => test.name === name || test.name.startsWith(`${name} > `),
      );
      if (found.length === 0) stale.push(name);
      return found;
    });
    if (message !== undefined) {
      const found = failed.filter((test) => test.message?.includes(message));
      if (found.length === 0) stale.push(message);
      mine.push(...found);
    }
    const before = known.size;
    for (const test of mine) known.add(test);
    return known.size - before;
  };
  const countAll = (list: readonly Difference[]): Record<string, number> =>
    Object.fromEntries(list.map((difference) => [difference.why, countOf(difference)]));
  return {
    tests: results.length,
    passed: results.length - failed.length,
    different: countAll(suite.differences),
    absent: countAll(suite.absent),
    open: countAll(suite.open ?? []),
    failed: failed.filter((test) => !known.has(test)),
    stale,
  };
}
