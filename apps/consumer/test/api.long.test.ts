import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Entry, entriesOf } from './support/entries.js';
import { packages } from './support/packages.js';
import { workspace } from './support/project.js';

const entries = packages.flatMap(entriesOf);
const temporary = mkdtempSync(join(tmpdir(), 'fairlead-api-'));
afterAll(() => rmSync(temporary, { recursive: true }));

/** The path of the committed report of a module. */
const reportOf = ({ folder, name }: Entry) => join(folder, 'api', `${name}.api.md`);

function configure({ folder, name, types }: Entry): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            module: 'NodeNext',
            lib: ['ES2023', 'ESNext'],
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: join(temporary, folder),
        reportTempFolder: join(temporary, folder),
        includeForgottenExports: true,
      },
    },
  });
}

let state: CompilerState;

beforeAll(() => {
  const [first, ...others] = entries;
  if (first === undefined) throw new Error('No package exports a module.');
  // One program for all modules takes a fraction of the time.
  state = CompilerState.create(configure(first), {
    additionalEntryPoints: others.map(({ types }) => types),
  });
});

it.each(entries)('the API of $specifier is the one in its report', async (entry) => {
  const config = configure(entry);
  const { errorCount } = Extractor.invoke(config, { compilerState: state, localBuild: true });
  expect(errorCount).toBe(0);
  await expect(
    readFileSync(config.reportTempFilePath, 'utf8'),
    `The public API of ${entry.specifier} changed. If you meant to, run \`pnpm api\` and commit ${relative(workspace, reportOf(entry))}`,
  ).toMatchFileSnapshot(reportOf(entry));
});

it('every report belongs to a module', () => {
  const reports = globSync('packages/*/api/*', { cwd: workspace });
  const expected = entries.map((entry) => relative(workspace, reportOf(entry)));
  expect(reports.filter((report) => !expected.includes(report))).toEqual([]);
});
