/** Keeps vitest ready in a process, and runs test files of a package in it. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { createVitest, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';
import { instrument } from './mutants.ts';

/** What a host process does. It first sends `Ready`. It answers a request with `progress` after each file, then `Result`. */
export interface HostOptions {
  readonly folder: string;
  /** Whether the source of the package notes the blocks that run, each test file in a process. */
  readonly measures: boolean;
  /** Milliseconds that a test may take. */
  readonly testTimeout: number;
}

export interface Ready {
  /** Whether vitest runs code once, before the first test files. */
  readonly hasGlobalSetup: boolean;
}

export interface Request {
  /** The test files, in order, relative to the folder of the package. All of them, if undefined. */
  readonly files?: readonly string[];
  /** The source files that have changed since the last request. */
  readonly changed: readonly string[];
}

export interface Result {
  readonly files: readonly FileResult[];
  /** Whether vitest has rejected the run for another reason than a failed test. */
  readonly crashed: boolean;
}

export interface FileResult {
  readonly file: string;
  readonly milliseconds: number;
  readonly passed: boolean;
  /** The slowest test, in milliseconds. */
  readonly slowest: number;
  /** The messages of failed tests. */
  readonly messages: readonly string[];
}

const { folder, measures, testTimeout }: HostOptions = JSON.parse(process.argv[2] ?? '');

const reporter: Reporter = {
  onTestModuleEnd() {
    process.send?.('progress');
  },
};

const vitest = await createVitest(
  'test',
  {
    root: folder,
    watch: false,
    reporters: [reporter],
    maxWorkers: 1,
    isolate: measures,
    bail: measures ? 0 : 1,
    testTimeout,
    hookTimeout: testTimeout,
    // In the order of the request.
    sequence: {
      sequencer: class {
        sort = keep;
        shard = keep;
      } as never,
    },
  },
  {
    plugins: [
      {
        // vitest keeps transformed modules on the disk, by their source and the names of plugins.
        name: measures ? 'mutation-measured' : 'mutation',
        enforce: 'pre',
        config: () => ({
          test: {
            expect: { poll: { timeout: testTimeout / 2 } },
            ...(measures && { setupFiles: [new URL('ran.ts', import.meta.url).pathname] }),
          },
        }),
        transform(_code, id) {
          const name = relative(folder, id);
          if (!measures || !name.startsWith('src/') || /\.test\.ts$/.test(name)) return;
          return instrument(readFileSync(id, 'utf8'), name);
        },
      },
    ],
  },
);
const specifications = new Map(
  (await vitest.globTestSpecifications())
    .map((one) => [relative(folder, one.moduleId), one] as const)
    .filter(([file]) => !file.endsWith('.long.test.ts')),
);

function keep(files: readonly TestSpecification[]): Promise<TestSpecification[]> {
  return Promise.resolve([...files]);
}

process.on('message', async ({ files = [...specifications.keys()], changed }: Request) => {
  for (const file of changed) vitest.invalidateFile(file);
  // Failed tests of earlier requests would end this one.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    files.flatMap((file) => specifications.get(file) ?? []),
  );
  const result: Result = {
    files: testModules.map(resultOf),
    crashed: unhandledErrors.length > 0,
  };
  process.send?.(result);
});
process.on('disconnect', () => process.exit());

function resultOf(module: TestModule): FileResult {
  const tests = [...module.children.allTests()];
  const errors = [
    ...module.errors(),
    ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
    ...tests.flatMap((test) => test.result().errors ?? []),
  ];
  return {
    file: relative(folder, module.moduleId),
    milliseconds: module.diagnostic().duration,
    passed: module.ok(),
    slowest: Math.max(0, ...tests.map((test) => test.diagnostic()?.duration ?? 0)),
    messages: errors.map(({ message }) => message),
  };
}

const ready: Ready = { hasGlobalSetup: vitest.config.globalSetup.length > 0 };
process.send?.(ready);
