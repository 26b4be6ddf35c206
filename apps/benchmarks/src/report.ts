import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { drawChart } from './chart.js';
import { quantileOf, type Row, ratioOf, type Table } from './comparison.js';

/** The default folder for tables and charts. */
export const RESULTS = join(import.meta.dirname, '../results');

/** Returns the commit whose HTTP results are recorded for the version of a node binary. */
export function recordedCommit(node: string): string {
  const file = join(RESULTS, `http-node-${versionOf(node).slice(1)}.md`);
  const commit = existsSync(file) && /, commit ([\da-f]+)/.exec(readFileSync(file, 'utf8'))?.[1];
  if (commit) return commit;
  throw new Error(`No results are recorded in ${file}. Name a commit, such as HEAD~20.`);
}

/** The head of a table's column and the text of its cells. */
export type Column = readonly [head: string, format: (row: Row, baseline: Row) => string];

/** How the results of a run are presented. */
export interface Layout {
  /** The name of the files, without the version of Node.js. */
  readonly name: string;
  readonly title: string;
  /** Returns the columns of a table, given the title of its baseline. */
  columns(baseline: string): readonly Column[];
  /** The quantity whose ratios the chart shows. Without it there is no chart. */
  readonly chart?: { readonly caption: string; readonly quantity: string };
  /** Returns sections to put before the tables. */
  summarize?(tables: readonly Table[]): readonly string[];
}

/**
 * Writes the tables and the chart of a run, and prints the tables.
 *
 * @param folder - Created if it does not exist.
 * @param node - The node binary that was measured.
 */
export function writeReport(
  folder: string,
  node: string,
  { name, title, columns, chart, summarize }: Layout,
  tables: readonly Table[],
): void {
  const version = versionOf(node);
  const file = join(folder, `${name}-node-${version.slice(1)}`);
  const text = [
    `# ${title}\n\n${describeRun(version)}\n`,
    ...(chart ? [`![${chart.caption}](${basename(file)}.svg)\n`] : []),
    ...(summarize?.(tables) ?? []),
    ...tables.map((table) => formatTable(table, columns)),
  ].join('\n');
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.md`, text);
  if (chart !== undefined) {
    const panels = tables.map((table) => ({
      title: table.title,
      bars: withBaseline(table, (row, baseline) => ({
        label: row.title,
        value: ratioOf(row, baseline, chart.quantity),
      })),
    }));
    writeFileSync(`${file}.svg`, drawChart(`${title}, Node ${version}: ${chart.caption}`, panels));
  }
  console.log(`${text}\nWrote ${file}.md`);
}

/** Returns the version of a node binary, like `v24.21.0`. */
export const versionOf = (node: string): string =>
  execFileSync(node, ['-p', 'process.version'], { encoding: 'utf8' }).trim();

/** Describes where, when, on what and how this process was run, but leaves out the path of the node binary. */
export function describeRun(version: string): string {
  const command = ['pnpm bench', ...process.argv.slice(2)].join(' ');
  const typed = command.replace(/--node[ =]\S+/, `--node node-${version}`);
  const date = new Date().toISOString().slice(0, 10);
  const processors = cpus();
  const machine = `${processors.length} × ${processors[0]?.model.trim()}`;
  return `${date}, Node ${version}, ${machine}, commit ${describeCommit()}: \`${typed}\``;
}

/** Names the commit that is checked out, and whether packages differ from it. */
export function describeCommit(): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: join(import.meta.dirname, '../../..'), encoding: 'utf8' });
  const commit = git('rev-parse', '--short=10', 'HEAD').trim();
  return git('status', '--porcelain', 'packages') === '' ? commit : `${commit} with changes`;
}

/** Calls a function with each row and the baseline, which is the first row. */
const withBaseline = <Result>({ rows }: Table, use: (row: Row, baseline: Row) => Result) =>
  rows.map((row, _index, [baseline = row]) => use(row, baseline));

function formatTable(table: Table, columnsOf: Layout['columns']): string {
  const heading = table.name === undefined ? table.title : `${table.name}: ${table.title}`;
  const columns = columnsOf(table.rows[0]?.title ?? '');
  const head = columns.map(([text]) => text);
  const cells = (row: Row, baseline: Row) => columns.map(([, format]) => format(row, baseline));
  return formatSection(heading, head, withBaseline(table, cells));
}

/** Formats a section with a Markdown table. */
export function formatSection(
  heading: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)];
  return `## ${heading}\n\n${table.join('\n')}\n`;
}

/** A column with the titles of the rows. */
export const titles = (head: string): Column => [head, (row) => row.title];

/** A column with ratios to the baseline and their intervals, like `1.02 (0.99–1.05)`. */
export const ratios = (head: string, quantity: string): Column => [
  head,
  (row, baseline) => {
    const { median, low, high } = ratioOf(row, baseline, quantity);
    return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
  },
];

/** A column with medians, or with another quantile. */
export const quantiles = (
  head: string,
  quantity: string,
  format: (value: number) => string,
  share = 0.5,
): Column => [head, (row) => format(quantileOf(row, quantity, share))];

/** Formats a number with one digit after the point, like `62.3`. */
export const oneDigit = (value: number): string => value.toFixed(1);

/** Formats a number as an integer, like `200,000`. */
export const integer = (value: number): string => Math.round(value).toLocaleString('en');

/** Formats bytes as mebibytes, like `62.3`. */
export const mebibytes = (bytes: number): string => oneDigit(bytes / 1024 ** 2);

/** Formats nanoseconds with at least three digits, like `740 ns`, `68.1 µs` or `9.04 ms`. */
export function formatTime(nanoseconds: number): string {
  const [divisor, unit] =
    nanoseconds < 1e3 ? [1, 'ns'] : nanoseconds < 1e6 ? [1e3, 'µs'] : [1e6, 'ms'];
  const value = nanoseconds / divisor;
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}
