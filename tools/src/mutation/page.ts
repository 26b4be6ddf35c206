/** Writes docs/contributing/mutation.md. */

/** Why mutants survive. */
export const KINDS: Readonly<Record<string, string>> = {
  equivalent: 'The program does the same. It does not count.',
  killed: 'A test that was written after this run kills it.',
  slower: 'Only time or memory differ: a cache, a shortcut, a removal that another one follows.',
  limit: 'A limit, a time or a default differs by one.',
  rare: 'It takes what no test does, such as 2²⁴ cookies or a full disk.',
  long: 'Only the long tests notice it: they have a real Redis, real time or many processes.',
  wording: 'The wording of a message differs, or the place that it names.',
  open: 'A test is missing.',
};

/** A mutant that no test notices. */
export interface Survivor {
  /** The source file, relative to the folder of the package. */
  readonly file: string;
  readonly line: number;
  /** The line of the source. */
  readonly text: string;
  readonly before: string;
  readonly after: string;
  /** Why it survives. Written by hand. Default `open`. */
  readonly kind?: string;
  /** Explains the kind for this mutant, in Markdown. Written by hand. */
  readonly note?: string;
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
  const equivalent = survivors.filter(({ kind }) => kind === 'equivalent').length;
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
seed than the last run: tests have been written for the survivors of that one. \`--record\` writes
[results.json](../../tools/src/mutation/results.json). Look at each new survivor there. Write a test that kills it,
or set its \`kind\` to one of the table above, with a \`note\` if that doesn't explain it. To update this page, run
\`pnpm --filter tools exec vitest run mutation -u\`.

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
  const rows = survivors.map(({ file, line, before, after, kind = 'open', note = '' }) => {
    const reason = note === '' ? kind : `${kind}: ${note}`;
    return `| ${file}:${line} | ${code(before)} → ${code(after)} | ${reason} |\n`;
  });
  return `## ${name}\n\n| Place | Change | Why it survives |\n|---|---|---|\n${rows.join('')}\n`;
}

/** Returns the page for the results of packages. */
export function writePage(results: Readonly<Record<string, Recorded>>): string {
  const entries = Object.entries(results);
  const goals = entries.filter(([name]) => GOALS.includes(name));
  const survivors = entries.flatMap(([, result]) => result.survivors);
  const kinds = Object.entries(KINDS).map(([kind, text]) => {
    const count = survivors.filter((one) => (one.kind ?? 'open') === kind).length;
    return `| ${kind} | ${count} | ${text} |\n`;
  });
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

The score is the share of killed changes among those that make a difference. A sample only estimates it: the interval
has the share of all changes with a probability of 95 %. "By waiting" means that a test ran into its timeout. The
long tests and those of other packages don't run, though they'd kill some survivors.

| Survivors | Number | Why they survive |
|---|---|---|
${kinds.join('')}
${sections.join('')}${RUN}`;
}
