import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compilers } from './support/compilers.js';
import { renderConfigurations, renderTable, replaceRegion } from './support/page.js';
import { here, type Run, runCommand, runProject } from './support/project.js';

const page = resolve(here, '../../docs/contributing/compilers.md');

let runs: Run[];

beforeAll(async () => {
  runs = await Promise.all(compilers.map(runProject));
});

const allRuns = () =>
  runs.flatMap(({ title, compiler, observations }) =>
    observations.map((observation) => ({ title, compiler, ...observation })),
  );
const runsOf = (feature: string) => allRuns().filter((observed) => observed.feature === feature);

it('runs every case under every compiler', () => {
  expect(runs.map(({ observations }) => observations.length)).toEqual(
    runs.map(() => runs[0]?.observations.length),
  );
  expect(new Set(allRuns().map(({ outcome }) => outcome))).toEqual(
    new Set([
      'works',
      'ErasedTypeError',
      'UndefinedTypeError',
      'MissingMetadataError',
      'ReferenceError',
      'SyntaxError',
    ]),
  );
});

it('needs no emitted types for declared dependencies', () => {
  const declared = allRuns().filter(({ needs }) => needs === 'declaration');

  expect(declared.filter(({ outcome }) => outcome !== 'works')).toEqual([]);
});

it('injects by type under every compiler that emits types', () => {
  const typed = allRuns().filter(
    ({ needs, compiler }) => needs === 'metadata' && compiler.emitsMetadata,
  );

  expect(typed.filter(({ outcome }) => outcome !== 'works')).toEqual([]);
});

it('reports that the compiler emitted no types, and how to fix it', () => {
  const typed = allRuns().filter(
    ({ needs, compiler }) => needs === 'metadata' && !compiler.emitsMetadata,
  );

  expect(typed.map(({ message }) => message)).toEqual(
    typed.map(() =>
      expect.stringMatching(
        /Cannot build (\w+): the type of its constructor parameter \d is unknown, because the compiler emitted no types for the decorated class\.(?: The same applies to .*)?\n(?: +At: .*\n)? +Fix: compile with experimentalDecorators and emitDecoratorMetadata \(swc: jsc\.transform\.decoratorMetadata\), which esbuild and tsx do not support, or .* `static inject = /,
      ),
    ),
  );
});

describe('a type without a class at run time', () => {
  const emitting = (feature: string) =>
    runsOf(feature).filter(({ compiler }) => compiler.emitsMetadata);

  it('is reported with its class, its parameter and the fix for `import type`', () => {
    const observed = emitting('a class imported with `import type`');

    expect(observed).toEqual(
      observed.map(() =>
        expect.objectContaining({
          outcome: 'ErasedTypeError',
          message: expect.stringMatching(
            /^Cannot inject parameter 1 of Greeter: its type was erased to (Object|Function)\.\n.*\n {2}Fix: import a class with `import`, not with `import type`/,
          ),
        }),
      ),
    );
  });

  it.each([
    [
      'an interface, imported with `import type`',
      /^.* parameter 0 of Logger: .*\n.*\n.*an interface/,
    ],
    [
      'an enum',
      /^.* parameter 0 of Logger: .*(?:(?:Number|enum).*\n.*\n|Object\.\n.*\n.*an enum).*@Inject\(NAME\)/,
    ],
    [
      'a default value without a type: `name = "Ada"`',
      /^.* parameter 0 of Greeter: .*\n.*\n.*(inferred|default value).*@Inject\((?:NAME|token)\)/,
    ],
    [
      'a union: `clock: Clock | undefined`',
      /^.* parameter 0 of Greeter: .*\n.*\n.*a union.*@Inject\(NAME\)/,
    ],
    [
      '`@Optional() clock: Clock | undefined`, with `Clock` provided',
      /^.* parameter 0 of Greeter: .*\n.*\n.*a union.*@Inject\(NAME\)/,
    ],
    [
      'two modules that import each other, without `lazy`',
      /^Cannot access 'Author' before|parameter 0 of Book: (?:.*\n)+.*lazy\(/,
    ],
    [
      'two modules that import each other, `lazy` only in the one that is evaluated second',
      /^Cannot access 'Author' before|parameter 0 of Book: (?:.*\n)+.*lazy\(/,
    ],
    ['a class declared later in the same module', /^Cannot access 'Later' before initialization$/],
  ])('is reported: %s', (feature, message) => {
    const observed = emitting(feature);

    expect(observed.length).toBeGreaterThan(0);
    expect(observed.map((run) => run.message)).toEqual(
      observed.map(() => expect.stringMatching(message)),
    );
  });

  it('is never injected as undefined without an error', () => {
    expect(allRuns().filter(({ outcome }) => outcome === 'silent')).toEqual([]);
  });
});

it.each(['typescript', 'typescript-6', 'typescript-7'])(
  'reports imports that swc cannot compile when isolatedModules is set: %s',
  async (dependency) => {
    const project = join(here, 'dist', dependency);

    await expect(runCommand('tsc --noEmit --isolatedModules', dependency, project)).rejects.toThrow(
      expect.objectContaining({
        stdout: expect.stringMatching(/^src\/interface-value\.ts.*TS1272/),
      }),
    );
  },
);

it('docs/contributing/compilers.md contains the results and the configurations', async () => {
  const written = await readFile(page, 'utf8');
  const configured = replaceRegion(written, 'configurations', await renderConfigurations(runs));

  await expect(replaceRegion(configured, 'table', renderTable(runs))).toMatchFileSnapshot(page);
});
