import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { drawChart, type Panel } from './chart.js';
import { describeRun } from './markdown.js';

/** The folder for tables and charts, unless another is asked for. */
export const RESULTS = join(import.meta.dirname, '../../results');

/** What a run found. */
export interface Report {
  /** Of the files, without the version of Node. */
  readonly name: string;
  readonly title: string;
  /** Version of Node that was measured, such as `v24.21.0`. */
  readonly node: string;
  /** What was typed. */
  readonly command: string;
  /** Markdown. */
  readonly sections: readonly string[];
  /** What the chart shows; without any there is no chart. */
  readonly panels: readonly Panel[];
  /** What the bars are. */
  readonly caption: string;
}

/** Writes the tables and the chart of a run, and prints the tables. */
export function writeReport(folder: string, report: Report): void {
  const { title, node, command, sections, panels, caption } = report;
  const file = join(folder, `${report.name}-node-${node.slice(1)}`);
  const image = panels.length > 0 ? [`![${caption}](${basename(file)}.svg)\n`] : [];
  const text = [`# ${title}\n\n${describeRun(node, command)}\n`, ...image, ...sections].join('\n');
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.md`, text);
  if (panels.length > 0) {
    writeFileSync(`${file}.svg`, drawChart(`${title}, Node ${node}: ${caption}`, panels));
  }
  console.log(text);
  console.log(`Written to ${file}.md`);
}
