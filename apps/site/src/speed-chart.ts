import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './pages.ts';
import { escapeXml } from './start-report.ts';

/** The table of throughputs, relative to the workspace. */
const RESULTS = 'apps/benchmarks/results/http-node-24.21.0.md';

/** The chart, relative to the workspace. */
export const CHART = 'docs/assets/speed.svg';

/** The workloads of the chart, as the results name them. */
const WORKLOADS = ['json', 'param', 'post', 'class-get'];

const TITLE = 'Requests per second, relative to a hand-written node:http server';
const NOTE = 'Longer is faster. The dashed line is the hand-written server at 1.00.';

const PANEL = { width: 430, title: 34, row: 21, label: 190, bar: 180 };
const HEADER = 74;
const FOOTER = 34;

/** A server, and its ratios by workload. */
interface Row {
  readonly server: string;
  readonly ratios: ReadonlyMap<string, number>;
}

/** A workload with the ratio of each server. */
interface Panel {
  readonly caption: string;
  readonly bars: readonly { readonly server: string; readonly ratio: number }[];
}

/**
 * Reads the frameworks from a table of ratios. Leaves out the rows of raw servers, of response
 * schemas and of users-api.
 *
 * @param table - Markdown that has the section "Throughput / raw, all workloads".
 * @throws {Error} When the section is missing.
 */
export function readRows(table: string): readonly Row[] {
  const section = /^## Throughput \/ raw, all workloads\n\n((?:\|.*\n)+)/m.exec(table)?.[1];
  if (section === undefined) throw new Error('The results have no table of all throughputs.');
  const [[, ...heads] = [], , ...lines] = section
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return lines
    .filter(([server = '']) => !/^raw|^users-api|^Fairlead, values|response schema/.test(server))
    .map(([server = '', ...cells]) => ({
      // "Hono, @hono/node-server" is too long for a label.
      server: server.replace(/, @.*/, '').replace(/^(routing-controllers) on Express$/, '$1'),
      ratios: new Map(heads.map((head, index) => [head, Number(cells[index])])),
    }));
}

/**
 * Collects the ratios of each workload that the chart shows.
 *
 * @throws {Error} When the results have no section or no ratio of a workload.
 */
function readPanels(table: string): readonly Panel[] {
  const rows = readRows(table);
  return WORKLOADS.map((workload) => {
    const caption = new RegExp(`^## ${workload}: (.+)$`, 'm').exec(table)?.[1];
    if (caption === undefined) throw new Error(`The results have no section "${workload}".`);
    const bars = rows.map(({ server, ratios }) => ({ server, ratio: ratios.get(workload) ?? NaN }));
    const missing = bars.find(({ ratio }) => Number.isNaN(ratio));
    if (missing)
      throw new Error(`The results have no ratio of ${missing.server} in "${workload}".`);
    return { caption, bars };
  });
}

/**
 * Draws the throughputs of the frameworks as horizontal bars, with a line at that of a raw server.
 * The colors follow the color scheme of the reader; the chart brings its own background.
 *
 * @returns An SVG document with a title and a description for screen readers.
 */
export function drawSpeedChart(): string {
  const { panels, longest, run } = readChart();
  const panelHeight = PANEL.title + (panels[0]?.bars.length ?? 0) * PANEL.row + 16;
  const width = 2 * PANEL.width + 20;
  const height = HEADER + Math.ceil(panels.length / 2) * panelHeight + FOOTER;
  const drawn = panels.map((panel, index) => {
    const x = 20 + (index % 2) * PANEL.width;
    const y = HEADER + Math.floor(index / 2) * panelHeight;
    return `<g transform="translate(${x} ${y})">\n${drawPanel(panel, longest)}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${TITLE}</title>`,
    `<desc id="description">${describe(panels)}</desc>`,
    '<style>',
    'svg { font: 13px system-ui, sans-serif; fill: #1f2328 }',
    '.background { fill: #ffffff; stroke: #d1d9e0 }',
    '.head { font-size: 17px; font-weight: 600 }',
    '.panel { font-weight: 600 }',
    '.note { fill: #59636e; font-size: 12px }',
    '.bar { fill: #9fb3c8 }',
    '.ours { fill: #0a7d5a }',
    '.strong { font-weight: 600 }',
    '.raw { stroke: #1f2328; stroke-dasharray: 3 3; fill: none }',
    '@media (prefers-color-scheme: dark) {',
    'svg { fill: #f0f6fc }',
    '.background { fill: #161b22; stroke: #3d444d }',
    '.note { fill: #9198a1 }',
    '.bar { fill: #566577 }',
    '.ours { fill: #2ea884 }',
    '.raw { stroke: #f0f6fc }',
    '}',
    '</style>',
    `<rect class="background" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<text class="head" x="20" y="32">${TITLE}</text>`,
    `<text class="note" x="20" y="53">${NOTE}</text>`,
    ...drawn,
    `<text class="note" x="20" y="${height - 16}">${run}</text>`,
    '</svg>\n',
  ].join('\n');
}

/** Reads the results: the panels, the longest bar of all, and a sentence about the run. */
function readChart() {
  const table = readFileSync(join(workspace, RESULTS), 'utf8');
  const panels = readPanels(table);
  const longest = Math.max(1, ...panels.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  return { panels, longest, run: describeRun(table) };
}

/**
 * Renders the chart as HTML for the site: in the colors of the page, and in one column on phones.
 *
 * @returns A figure, whose bars screen readers announce as one image with the description of the SVG document.
 */
export function renderSpeedChart(): string {
  const { panels, longest, run } = readChart();
  const drawn = panels.map(({ caption, bars }) => {
    const rows = bars.map(({ server, ratio }) => {
      const row = server.startsWith('Fairlead') ? 'row ours' : 'row';
      const value = ratio.toFixed(2);
      return `<div class="${row}"><span>${escapeXml(server)}</span><span class="bar" style="--ratio: ${value}"></span><span>${value}</span></div>`;
    });
    return `<div class="panel"><div class="caption">${escapeXml(caption)}</div>${rows.join('')}</div>`;
  });
  return [
    '<figure class="speed-chart" v-pre>',
    `<figcaption><strong>${TITLE}</strong><br>${NOTE}</figcaption>`,
    `<div class="panels" role="img" aria-label="${escapeXml(describe(panels))}" style="--longest: ${longest}">${drawn.join('')}</div>`,
    `<p>${escapeXml(run)}</p>`,
    '</figure>\n',
  ].join('\n');
}

/** Replaces the picture of the chart in a document by its HTML. */
export function showChart(
  tokens: readonly { type: string; content: string; hidden: boolean }[],
): void {
  tokens.forEach((inline, index) => {
    if (inline.type !== 'inline' || !inline.content.endsWith(`](${CHART})`)) return;
    inline.type = 'html_block';
    inline.content = renderSpeedChart();
    // A paragraph cannot contain a figure.
    for (const paragraph of [tokens[index - 1], tokens[index + 1]]) {
      if (paragraph !== undefined) paragraph.hidden = true;
    }
  });
}

/** Says which processor and version of Node.js a run had, when it was, and where its results are. */
function describeRun(table: string): string {
  const [, date, node, processor] = /^(\S+), Node v(\S+), (.*?): `/m.exec(table) ?? [];
  if (date === undefined || node === undefined || processor === undefined) {
    throw new Error('The results do not state the date, the version of Node.js and the processor.');
  }
  return `Node.js ${node}, ${processor}, 64 connections, ${date}. Source: ${RESULTS}`;
}

/** Puts the chart in words. */
function describe(panels: readonly Panel[]): string {
  return panels
    .map(({ caption, bars }) => {
      const values = bars.map(({ server, ratio }) => `${server} ${ratio.toFixed(2)}`);
      return `${caption}: ${values.join('; ')}.`;
    })
    .join(' ');
}

/** Draws a panel. All panels have the scale in which the longest bar has the full width. */
function drawPanel({ caption, bars }: Panel, longest: number): string {
  const lengthOf = (ratio: number) => ((ratio / longest) * PANEL.bar).toFixed(1);
  const rows = bars.map(({ server, ratio }, index) => {
    const y = PANEL.title + index * PANEL.row;
    const ours = server.startsWith('Fairlead');
    return [
      `<text${ours ? ' class="strong"' : ''} x="${PANEL.label - 10}" y="${y + 12}" text-anchor="end">${server}</text>`,
      `<rect class="bar${ours ? ' ours' : ''}" x="${PANEL.label}" y="${y}" width="${lengthOf(ratio)}" height="${PANEL.row - 5}" rx="2"/>`,
      `<text${ours ? ' class="strong"' : ''} x="${PANEL.label + PANEL.bar + 8}" y="${y + 12}">${ratio.toFixed(2)}</text>`,
    ].join('\n');
  });
  const raw = PANEL.label + Number(lengthOf(1));
  return [
    `<text class="panel" x="0" y="18">${caption}</text>`,
    ...rows,
    `<path class="raw" d="M${raw} ${PANEL.title - 6}V${PANEL.title + bars.length * PANEL.row}"/>`,
  ].join('\n');
}
