/** Writes docs/contributing/peers-suites.md. */
import type { Difference, Suite } from './suite.ts';

/** The recorded run of a suite. */
export interface Recorded {
  readonly commit: string;
  /** Date of the commit. */
  readonly date: string;
  readonly tests: number;
  readonly passed: number;
  readonly different: Readonly<Record<string, number>>;
  readonly absent: Readonly<Record<string, number>>;
  readonly open?: Readonly<Record<string, number>>;
}

const HEAD = `# Tests of other projects

Fairlead does jobs that well-known packages also do. This page shows what happens when their own tests run against
our code: how many pass, what we do differently on purpose, and what we don't have.

`;

const RUN = `## Run a suite

The suites aren't part of this repository. Clone one, install its dependencies, and pass its path:

\`\`\`sh
pnpm suites koa-compose ../compose
\`\`\`

An [adapter](../../tools/src/suites/adapters) gives the test files our code in place of the module that they import.
It translates names of options, classes of errors and their wording. The command fails if a test fails that this page
doesn't explain, or if one passes that it lists. It also records the counts. To update this page, run
\`pnpm --filter tools exec vitest run peers-suites -u\`.
`;

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

export function writePage(
  suites: readonly Suite[],
  results: Readonly<Record<string, Recorded>>,
): string {
  const recorded = suites.flatMap((suite) => {
    const result = results[suite.name];
    return result === undefined ? [] : [{ suite, result }];
  });
  const rows = recorded.map(({ suite: { name, repository, subject }, result }) => {
    const { commit, date, tests, passed, different, absent, open = {} } = result;
    const link = `[\`${commit.slice(0, 7)}\`](https://github.com/${repository}/tree/${commit}), ${date}`;
    return `| [${name}](#${name}) | ${link} | ${subject} | ${passed} of ${tests} | ${sum(different)} | ${sum(absent)} | ${sum(open)} |\n`;
  });
  const sections = recorded.map(({ suite, result }) => {
    const list = (
      differences: readonly Difference[],
      counts: Readonly<Record<string, number>>,
    ): string => differences.map(({ why }) => `| ${counts[why]} | Fairlead ${why} |\n`).join('');
    const reasons =
      list(suite.differences, result.different) +
      list(suite.absent, result.absent) +
      list(suite.open ?? [], result.open ?? {});
    const table =
      reasons === '' ? 'All tests pass.\n' : `| Tests that fail | Why |\n|---|---|\n${reasons}`;
    return `## ${suite.name}\n\n${suite.note === undefined ? '' : `${suite.note}\n\n`}${table}\n`;
  });
  return `${HEAD}| Suite | Commit | Tests | Pass | Differ on purpose | Absent | Open |\n|---|---|---|---|---|---|---|\n${rows.join('')}
"Absent" counts tests of features that Fairlead doesn't have, or has in another form. "Open" counts what it should do.

${sections.join('')}${RUN}`;
}
