import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { workspace } from './pages.ts';

/** The report as text, relative to the workspace. */
export const REPORT = 'docs/assets/start-report.txt';

/** The pictures of the report by their color scheme, relative to the workspace. */
export const PICTURES = {
  light: 'docs/assets/start-report-light.svg',
  dark: 'docs/assets/start-report-dark.svg',
} as const;

/** The command of the report. */
const COMMAND = ['--import', '@oxc-node/core/register', 'src/main.ts'];

/** Registers the controller of the README. */
const MAIN = `
import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { serve } from '@fairlead/serve';
import { UsersController } from './users.ts';

async function createUsersApp() {
  const router = createRouter();
  const app = createApp().route('/', router);
  await app.plugin(controllersPlugin({ router, controllers: [UsersController] }));
  return app;
}

await serve(createUsersApp, { port: 8080 });
`;

const TSCONFIG = { compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true } };

/**
 * Starts the program of the README that contains mistakes, from the sources of this repository.
 *
 * @returns The command, and what it prints.
 * @throws {Error} When the README has no such program, or it starts.
 */
export async function printStartReport(): Promise<string> {
  const readme = await readFile(join(workspace, 'README.md'), 'utf8');
  const users = /^```ts no-run\n(\/\/ src\/users\.ts\n.*?)^```$/ms.exec(readme)?.[1];
  if (users === undefined) throw new Error('README.md has no block "// src/users.ts".');
  const project = await mkdtemp(join(tmpdir(), 'fairlead-start-'));
  try {
    await mkdir(join(project, 'src'));
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    await writeFile(join(project, 'src/main.ts'), MAIN);
    await writeFile(join(project, 'src/users.ts'), users);
    await symlink(resolve(import.meta.dirname, '../node_modules'), join(project, 'node_modules'));
    return `$ node ${COMMAND.join(' ')}\n${await readFailure(project)}`;
  } finally {
    await rm(project, { recursive: true });
  }
}

/** Returns what the program of a project prints on standard error. */
function readFailure(project: string): Promise<string> {
  const conditions = ['--conditions=@fairlead/source', '--enable-source-maps'];
  const { NODE_OPTIONS, ...env } = process.env;
  return new Promise((done, fail) => {
    const options = { cwd: project, env, timeout: 60_000 };
    execFile(process.execPath, [...conditions, ...COMMAND], options, (error, _, stderr) => {
      if (error?.code === 1) done(stderr);
      else fail(new Error(`The program of README.md must fail to start.\n${stderr}`));
    });
  });
}

/** A line of the report, with its class in pictures and on the page. */
export interface Line {
  readonly kind: 'command' | 'title' | 'problem' | 'fix' | 'detail';
  /** The number of characters to leave empty before the text. */
  readonly indent: number;
  /** The number of characters to leave empty before a continuation of the text. */
  readonly hang: number;
  readonly text: string;
}

/** The length of what stands before a text in a line. */
const MARKERS: Partial<Record<Line['kind'], number>> = {
  problem: '1. '.length,
  fix: 'Fix: '.length,
};

/** Splits the report into its lines, without empty ones at the end. */
export function readLines(report: string): readonly Line[] {
  return report
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      const text = line.trimStart();
      const kind = kindOf(text, index);
      const indent = line.length - text.length;
      return { kind, indent, hang: indent + (MARKERS[kind] ?? 0), text };
    });
}

function kindOf(text: string, index: number): Line['kind'] {
  if (index < 2) return index === 0 ? 'command' : 'title';
  if (/^\d+\. /.test(text)) return 'problem';
  return text.startsWith('Fix: ') ? 'fix' : 'detail';
}

/** Characters per line of a picture, and pixels. */
const PICTURE = { columns: 98, character: 7.83, height: 19, padding: 20 };

const COLORS = {
  light: { text: '#1f2328', muted: '#59636e', fix: '#0a6b4e', back: '#f6f8fa', edge: '#d1d9e0' },
  dark: { text: '#f0f6fc', muted: '#9198a1', fix: '#4cc9a0', back: '#161b22', edge: '#3d444d' },
} as const;

/**
 * Draws the report as a terminal shows it. Long lines continue below their beginning.
 *
 * @returns An SVG document with a title and a description for screen readers.
 */
export function drawStartReport(report: string, scheme: keyof typeof PICTURES): string {
  const { columns, character, height: lineHeight, padding } = PICTURE;
  const { text, muted, fix, back, edge } = COLORS[scheme];
  const rows = readLines(report).flatMap(({ kind, indent, hang, text }) =>
    wrap(text, columns - hang).map((part, index) => ({
      kind,
      indent: index === 0 ? indent : hang,
      part,
    })),
  );
  const width = Math.ceil(columns * character + 2 * padding);
  const height = rows.length * lineHeight + 2 * padding - 5;
  const drawn = rows.flatMap(({ kind, indent, part }, index) => {
    if (part === '') return [];
    const x = (padding + indent * character).toFixed(1);
    const y = padding + index * lineHeight + 10;
    return `<text class="${kind}" x="${x}" y="${y}">${escapeXml(part)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
    '<title id="title">The report of a start that fails</title>',
    `<desc id="description">${escapeXml(report.trimEnd())}</desc>`,
    '<style>',
    `text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: ${text} }`,
    '.title, .problem { font-weight: 600 }',
    `.command, .detail { fill: ${muted} }`,
    `.fix { fill: ${fix} }`,
    '</style>',
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${back}" stroke="${edge}"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

/** Breaks a text between words. */
function wrap(text: string, columns: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    const longer = last === '' ? word : `${last} ${word}`;
    if (longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Escapes a text for XML and HTML. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Renders the report as HTML, whose text a reader can select and a screen reader reads. */
export function renderStartReport(report: string): string {
  const lines = readLines(report).map(
    ({ kind, indent, hang, text }) =>
      `<span class="${kind}" style="--indent: ${indent}ch; --hang: ${hang}ch">${escapeXml(text)}</span>`,
  );
  // VitePress compiles pages as templates of Vue.
  return `<pre class="start-report" tabindex="0" v-pre>${lines.join('\n')}</pre>\n`;
}

/** Replaces the pictures of the report in a document by its text. */
export function showReport(tokens: readonly { readonly type: string; content: string }[]): void {
  for (const token of tokens) {
    if (token.type !== 'html_block' || !token.content.includes(PICTURES.light)) continue;
    token.content = renderStartReport(readFileSync(join(workspace, REPORT), 'utf8'));
  }
}
