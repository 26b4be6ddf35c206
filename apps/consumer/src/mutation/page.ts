/** Writes docs/mutation.md. */

/** A mutant that no test notices. */
export interface Survivor {
  /** The source file, relative to the folder of the package. */
  readonly file: string;
  readonly line: number;
  /** The line of the source. */
  readonly text: string;
  readonly before: string;
  readonly after: string;
  /** Why no test can notice it: the program does the same. Written by hand, a sentence in Markdown. */
  readonly equivalent?: string;
  /** Why no test notices it. Written by hand, a sentence in Markdown. */
  readonly why?: string;
}

/** The recorded run of a package. */
export interface Recorded {
  readonly commit: string;
  /** Date of the commit. */
  readonly date: string;
  readonly seed: number;
  /** The number of all mutants of the package. */
  readonly mutants: number;
  readonly sampled: number;
  /** Killed mutants with which a test waited for too long. */
  readonly timedOut: number;
  readonly survivors: readonly Survivor[];
}

/** The score, in percent, that these packages should have. */
const GOAL = 93;
const GOALS = ['core', 'di', 'controllers', 'session', 'jwt', 'store'];

/** The interval that has the true share of a sampled share with a probability of 95 %. @see Wilson (1927) */
export function wilson(part: number, total: number): readonly [number, number] {
  const z = 1.96;
  const share = part / total;
  const scale = 1 + z ** 2 / total;
  const center = (share + z ** 2 / (2 * total)) / scale;
  const margin = (z / scale) * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  return [Math.max(0, center - margin), Math.min(1, center + margin)];
}

/** Counts the killed mutants, and those that a test could notice. */
function countsOf(result: Recorded): { readonly killed: number; readonly noticeable: number } {
  const { sampled, survivors } = result;
  const equivalent = survivors.filter((one) => one.equivalent !== undefined).length;
  return { killed: sampled - survivors.length, noticeable: sampled - equivalent };
}

const HEAD = `# Mutation tests

Do the tests notice when the code is wrong? \`pnpm mutate\` changes one place of a package, such as \`<\` to \`<=\`, and runs
the fast tests of the package. A change that fails a test is killed. One that passes them all survives: either nothing
tests that place, or the change makes no difference. This page has the recorded runs.

`;

const RUN = `## Run it

\`\`\`sh
pnpm mutate --count 50 --seed 2 di
pnpm mutate --record --count 100 --seed 2 di
\`\`\`

The seed selects the sample: the same seed selects the same changes, as long as their lines don't change. Use another
seed than the last run, because the tests have since been extended for the survivors of that one. \`--record\` writes
[results.json](../apps/consumer/src/mutation/results.json). Look at each new survivor there: write a test that kills it,
explain it in \`why\`, or, if the program behaves the same, in \`equivalent\`. To update this page, run
\`pnpm --filter consumer exec vitest run mutation -u\`.

The command replaces files in \`packages/*/src\` while it runs, and restores them. It first runs each test file and
notes what it reaches. Then each change runs only the tests that reach it, until one fails. Those that start processes
run last. A change with which a test waits counts as killed only if the tests then pass in time without it.
`;

const percent = (share: number): string => (100 * share).toFixed(1);
const code = (text: string): string =>
  `\`${text.replaceAll('|', '\\|').replaceAll('`', "'") || ' '}\``;

function rowOf(name: string, result: Recorded): string {
  const { killed, noticeable } = countsOf(result);
  const { commit, date, seed, mutants, sampled, timedOut, survivors } = result;
  const [low, high] = wilson(killed, noticeable);
  const link = survivors.length === 0 ? name : `[${name}](#${name})`;
  const goal = GOALS.includes(name) ? `${GOAL} %` : '';
  return `| ${[
    link,
    `${sampled} of ${mutants}`,
    timedOut === 0 ? killed : `${killed}, ${timedOut} by waiting`,
    sampled - noticeable,
    `**${percent(killed / noticeable)} %**`,
    `${percent(low)} to ${percent(high)} %`,
    goal,
    `\`${commit.slice(0, 7)}\`, ${date}, ${seed}`,
  ].join(' | ')} |\n`;
}

function totalOf(names: string, results: readonly Recorded[]): string {
  const counts = results.map(countsOf);
  const killed = counts.reduce((sum, one) => sum + one.killed, 0);
  const noticeable = counts.reduce((sum, one) => sum + one.noticeable, 0);
  const [low, high] = wilson(killed, noticeable);
  return `${names}: ${killed} of ${noticeable} killed, ${percent(killed / noticeable)} % (${percent(low)} to ${percent(high)} %).`;
}

function sectionOf(name: string, { survivors }: Recorded): string {
  const rows = survivors.map(({ file, line, before, after, equivalent, why }) => {
    const reason =
      equivalent === undefined ? (why ?? 'Not explained yet.') : `Equivalent. ${equivalent}`;
    return `| ${file}:${line} | ${code(before)} → ${code(after)} | ${reason} |\n`;
  });
  return `## ${name}\n\n| Place | Change | Why it survives |\n|---|---|---|\n${rows.join('')}\n`;
}

/** Returns the page for the results of packages. */
export function writePage(results: Readonly<Record<string, Recorded>>): string {
  const entries = Object.entries(results);
  const goals = entries.filter(([name]) => GOALS.includes(name));
  const sections = entries
    .filter(([, { survivors }]) => survivors.length > 0)
    .map(([name, result]) => sectionOf(name, result));
  return `${HEAD}| Package | Sample | Killed | Equivalent | Score | 95 % interval | Goal | Commit, date, seed |
|---|---|---|---|---|---|---|---|
${entries.map(([name, result]) => rowOf(name, result)).join('')}
${totalOf(
  'The packages with a goal',
  goals.map(([, result]) => result),
)}
${totalOf(
  'All packages',
  entries.map(([, result]) => result),
)}

The score is the share of killed changes among those that make a difference. A sample only estimates it: the share
of all changes is in the interval with a probability of 95 %. "By waiting" means that a test ran into its timeout. The tests of other packages and
the long tests don't run, though they'd kill some survivors.

${sections.join('')}${RUN}`;
}
