/** Tests the mutants of a package. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { HostOptions, Ready, Request, Result } from './host.ts';
import { blockAt, type Mutant, mutantsOf } from './mutants.ts';

/** A mutant and its place. */
export interface Placed extends Mutant {
  /** The source file, relative to the folder of the package. */
  readonly file: string;
  /** The line of the source, without indentation. */
  readonly text: string;
}

/** What happened to a mutant. */
export type Outcome = 'killed' | 'timed out' | 'survived';

/** Lists the mutants of a package in an order that depends on the seed, and hardly on changes to the source. */
export function shuffledMutants(folder: string, seed: number): readonly Placed[] {
  const files = globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).toSorted();
  const seen = new Map<string, number>();
  const keyed = files.flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const lines = source.split('\n');
    return mutantsOf(source).map((mutant) => {
      const text = lines[mutant.line - 1]?.trim() ?? '';
      const name = JSON.stringify([file, text, mutant.before, mutant.after]);
      // The same change of the same text elsewhere in the file.
      const twin = seen.get(name) ?? 0;
      seen.set(name, twin + 1);
      const key = createHash('sha256').update(`${seed} ${twin} ${name}`).digest('hex');
      return { key, one: { ...mutant, file, text } };
    });
  });
  return keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ one }) => one);
}

/** What a measured run tells of a test file. */
interface TestFile {
  readonly file: string;
  readonly milliseconds: number;
  /** Whether it may run code in other processes and threads, which nothing measures. */
  readonly startsOthers: boolean;
  /** The blocks that run, by source file. */
  readonly blocks: Readonly<Record<string, readonly number[]>>;
}

/** A process that runs tests of a package. */
interface Host extends Ready {
  /** Returns the number of finished files when one takes longer than the limit, which ends the process. */
  run(request: Request, limit: number): Promise<Result | number>;
  stop(): void;
}

/** No mutant that ends lets tests take this many times as long, unless the machine does. */
const PATIENCE = 10;
const STARTUP = 30_000;
/** For runs that need no limit. */
const HOUR = 3_600_000;

const hosts = new Set<ChildProcess>();
const originals = new Map<string, string>();

/** Ends the processes, and restores the sources. */
export function cleanUp(): void {
  for (const child of hosts) end(child);
  for (const [path, source] of originals) writeFileSync(path, source);
}

/** Ends a process and those that it started. */
function end(child: ChildProcess): void {
  hosts.delete(child);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // They have ended.
  }
}

async function startHost(options: HostOptions, env: NodeJS.ProcessEnv): Promise<Host> {
  const script = join(import.meta.dirname, 'host.ts');
  const child = fork(script, [JSON.stringify(options)], {
    cwd: options.folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own, which `end()` kills.
    detached: true,
  });
  hosts.add(child);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-5000);
  });
  const [ready]: readonly (Ready | undefined)[] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => []),
  ]);
  if (ready === undefined)
    throw new Error(`vitest does not start in ${options.folder}:\n${errors}`);
  return {
    ...ready,
    async run(request, limit) {
      let finished = 0;
      const timer = setTimeout(() => end(child), limit);
      const { promise, resolve: answer } = Promise.withResolvers<Result | number>();
      const onMessage = (message: 'progress' | Result): void => {
        if (message === 'progress') {
          finished += 1;
          timer.refresh();
        } else answer(message);
      };
      const onExit = (): void => answer(finished);
      child.on('message', onMessage).on('exit', onExit).send(request);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit);
      }
    },
    stop: () => end(child),
  };
}

/** Runs mutants of a package against its tests. */
export class Tester {
  readonly #folder: string;
  readonly #seed: string;
  #files: readonly TestFile[] = [];
  /** Milliseconds that a test may take. */
  #testTimeout = 120_000;
  #host: Host | undefined;
  #hasGlobalSetup = false;
  /** How many mutants of a source file a test file has killed. */
  readonly #kills = new Map<string, number>();

  constructor(folder: string, seed: number) {
    this.#folder = resolve(folder);
    this.#seed = String(seed);
  }

  /**
   * Runs the tests of the package, and notes what each file runs.
   *
   * @throws {Error} When one fails.
   */
  async measure(): Promise<void> {
    const notes = mkdtempSync(join(tmpdir(), 'mutation-'));
    const host = await this.#start(true, { MUTATION_RAN: notes });
    this.#hasGlobalSetup = host.hasGlobalSetup;
    const measured = await host.run({ changed: [] }, HOUR);
    host.stop();
    const ran = new Map<string, Pick<TestFile, 'blocks' | 'startsOthers'>>();
    for (const name of readdirSync(notes)) {
      const { testPath, ...note } = JSON.parse(readFileSync(join(notes, name), 'utf8'));
      ran.set(relative(this.#folder, testPath), note);
    }
    rmSync(notes, { recursive: true });
    const results = typeof measured === 'number' ? [] : measured.files;
    // Notes change what tests of the source's text see.
    const unclear = results.filter(({ file, passed }) => !passed || !ran.has(file));
    const files = unclear.map(({ file }) => file);
    const again = files.length === 0 ? { files: [] } : await this.#run(files, HOUR);
    const failed = typeof again === 'number' ? undefined : again.files.find((one) => !one.passed);
    if (results.length === 0 || typeof again === 'number' || failed !== undefined) {
      const why = failed === undefined ? '' : `: ${failed.file}\n${failed.messages.join('\n')}`;
      throw new Error(`The tests of ${this.#folder} fail without a mutant${why}`);
    }
    this.#stop();
    this.#testTimeout = Math.max(10_000, PATIENCE * Math.max(...results.map((one) => one.slowest)));
    this.#files = results.map(({ file, milliseconds, passed }) => ({
      file,
      milliseconds,
      blocks: ran.get(file)?.blocks ?? {},
      startsOthers: !passed || (ran.get(file)?.startsOthers ?? true),
    }));
  }

  /** Runs the tests that may notice a mutant. */
  async test(mutant: Placed): Promise<Outcome> {
    const path = join(this.#folder, mutant.file);
    const original = readFileSync(path, 'utf8');
    const block = blockAt(original, mutant.start);
    const rank = ({ file, milliseconds }: TestFile): number =>
      milliseconds / (1 + 10 * (this.#kills.get(`${mutant.file} ${file}`) ?? 0));
    const ordered = this.#files.toSorted((one, other) => rank(one) - rank(other));
    const [others, inProcess] = [true, false].map((startsOthers) =>
      ordered.filter(
        (one) =>
          one.startsOthers === startsOthers &&
          (startsOthers || one.blocks[mutant.file]?.includes(block) === true),
      ),
    );
    for (const files of [inProcess ?? [], others ?? []]) {
      if (files.length === 0) continue;
      // What a global setup built has to be built again, with and without the mutant.
      const restarts = files === others && this.#hasGlobalSetup;
      if (restarts) this.#stop();
      originals.set(path, original);
      writeFileSync(path, mutant.code);
      let result: { readonly outcome: Outcome; readonly waited?: TestFile | undefined };
      try {
        result = await this.#runMutant(mutant, files);
      } finally {
        writeFileSync(path, original);
        originals.delete(path);
        if (restarts) this.#stop();
      }
      const { outcome, waited } = result;
      if (waited !== undefined && !(await this.#passesInTime(waited))) {
        this.#testTimeout *= 2;
        this.#stop();
        return this.test(mutant);
      }
      if (outcome !== 'survived') return outcome;
    }
    return 'survived';
  }

  /** Returns the outcome, and the test file that took too long. */
  async #runMutant(
    mutant: Placed,
    tests: readonly TestFile[],
  ): Promise<{ readonly outcome: Outcome; readonly waited?: TestFile | undefined }> {
    const path = join(this.#folder, mutant.file);
    const files = tests.map(({ file }) => file);
    const result = await this.#run(files, this.#limitOf(tests), path);
    // The next run has the original again.
    this.#changed = path;
    if (typeof result === 'number') {
      this.#stop();
      return { outcome: 'timed out', waited: tests[result] };
    }
    const failed = result.files.find(({ passed }) => !passed);
    if (failed === undefined) return { outcome: result.crashed ? 'killed' : 'survived' };
    const key = `${mutant.file} ${failed.file}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
    if (!failed.messages.some(isTimeout)) return { outcome: 'killed' };
    return { outcome: 'timed out', waited: tests.find(({ file }) => file === failed.file) };
  }

  /** Whether a test file passes without a mutant within the limits, as the machine is now. */
  async #passesInTime(test: TestFile): Promise<boolean> {
    const result = await this.#run([test.file], this.#limitOf([test]));
    return typeof result !== 'number' && result.files.every(({ passed }) => passed);
  }

  /** Returns the milliseconds that each of some test files may take. */
  #limitOf(tests: readonly TestFile[]): number {
    const slowest = Math.max(...tests.map(({ milliseconds }) => milliseconds));
    return STARTUP + 2 * this.#testTimeout + PATIENCE * slowest;
  }

  /** The file that the host has read with a mutant. */
  #changed: string | undefined;

  async #run(files: readonly string[], limit: number, changed?: string): Promise<Result | number> {
    this.#host ??= await this.#start(false, {});
    const stale = [changed, this.#changed].filter((path) => path !== undefined);
    this.#changed = undefined;
    return this.#host.run({ files, changed: stale }, limit);
  }

  #start(measures: boolean, env: NodeJS.ProcessEnv): Promise<Host> {
    const options = { folder: this.#folder, measures, testTimeout: this.#testTimeout };
    return startHost(options, { TEST_SEED: this.#seed, ...env });
  }

  #stop(): void {
    this.#host?.stop();
    this.#host = undefined;
  }

  stop(): void {
    this.#stop();
  }
}

/** Whether a test failed because it waited for too long. */
function isTimeout(message: string): boolean {
  return /timed out in \d+ms|^Matcher did not succeed in time/.test(message);
}
