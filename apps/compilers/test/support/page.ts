import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Observation } from '../../fixtures/observation.js';
import { here, type Run } from './project.js';

/** The groups of rows in the table. */
const groups = [
  { needs: 'declaration', heading: 'Declared in the code' },
  { needs: 'metadata', heading: 'Injected from emitted types' },
  { needs: 'nothing', heading: 'Mistakes and the errors that report them' },
];

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function replaceRegion(page: string, name: string, content: string): string {
  const [before, rest, ...more] = page.split(`<!-- ${name} -->`);
  const [, after] = rest?.split(`<!-- /${name} -->`) ?? [];
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(
      `Cannot replace the region '${name}' of the page. Add one pair of <!-- ${name} --> and <!-- /${name} -->.`,
    );
  }
  return `${before}<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->${after}`;
}

/** Renders the table, with a row for each feature and a column for the runs with the same results. */
export function renderTable(runs: readonly Run[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const features = runs[0]?.observations ?? [];
  const resultsOf = (run: Run) => features.map(({ feature }) => cellOf(feature, run)).join();
  const columns = [...Map.groupBy(runs, resultsOf).values()];
  const cellsOf = (feature: string) =>
    columns.flatMap(([run]) => (run === undefined ? [] : cellOf(feature, run)));
  const rows = groups.flatMap(({ needs, heading }) => [
    row([`**${heading}**`, ...columns.map(() => '')]),
    ...features
      .filter((feature) => feature.needs === needs)
      .map(({ feature }) => row([feature.replaceAll('|', '\\|'), ...cellsOf(feature)])),
  ]);
  const head = [
    row(['', ...columns.map((same) => same.map(({ title }) => title).join(', '))]),
    row(['---', ...columns.map(() => '---')]),
  ];
  return [...head, ...rows].join('\n');
}

function cellOf(feature: string, { observations }: Run): string {
  return describe(observations.find((observation) => observation.feature === feature));
}

function describe(observation: Observation | undefined): string {
  const { outcome = 'missing' } = observation ?? {};
  const words = new Map([
    ['works', 'yes'],
    ['silent', '**`undefined`**'],
  ]);
  return words.get(outcome) ?? `\`${outcome}\``;
}

/** Renders the commands and files of each configuration in the runs. */
export async function renderConfigurations(runs: readonly Run[]): Promise<string> {
  const byConfig = new Map(runs.map((run) => [run.compiler.config, run]));
  const sections = [...byConfig].map(async ([config, { compiler }]) => {
    const files = await renderFiles(join(here, 'configs', config));
    const commands = ['```sh', ...compiler.compile, ...compiler.run, '```'].join('\n');
    return [`### ${config}`, commands, ...files].join('\n\n');
  });
  return (await Promise.all(sections)).join('\n\n');
}

async function renderFiles(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return `\`${file}\`\n\n\`\`\`${extname(file).slice(1) || 'json'}\n${text}\`\`\``;
    }),
  );
}
