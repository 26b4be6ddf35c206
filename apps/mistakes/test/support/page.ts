import { fileURLToPath } from 'node:url';
import { PLACES, type Place } from '../../src/mistake.js';
import type { Result } from './make-mistakes.js';

/** The directory of the repository, which differs between checkouts. */
const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

/** What the page calls a place, and the meaning of that word. */
const WORDS: Readonly<Record<Place, readonly [word: string, meaning: string]>> = {
  startup: ['start', 'an error ends the startup, before the port opens'],
  warning: ['warning', 'the application starts, and prints a warning'],
  request: ['log', 'a request that reaches the mistake prints an error or a warning'],
  response: ['response', 'only the response to such a request contains the message'],
  close: ['close', 'closing the application or the server fails'],
  never: ['never', 'nothing reports it'],
};

const INTRODUCTION = `# All mistakes

Look up a mistake: what reports it, and with which message. A test makes each one, and writes this page.
[Mistakes](../../../docs/mistakes.md) explains the places.

The column **Compiler** tells whether TypeScript in strict mode rejects the code. The other columns apply to code that
compiles, to JavaScript, to casts, and to options from variables or files:`;

/** Renders the page: a table for each area, then the counts. */
export function renderPage(results: readonly Result[]): string {
  const names = [...new Set(results.map(({ area }) => area))];
  const areas = new Map(names.map((name) => [name, results.filter(({ area }) => area === name)]));
  const legend = [
    row(['At run time', 'Meaning']),
    row(['---', '---']),
    ...PLACES.map((place) => row(WORDS[place])),
  ];
  return [
    INTRODUCTION,
    legend.join('\n'),
    ...[...areas].map(([area, own]) => `## ${area}\n\n${renderTable(own)}`),
    `## Counts\n\n${renderCounts(areas)}`,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

function renderTable(results: readonly Result[]): string {
  const rows = results.map(({ title, compilerErrors, place, message, wanted }) =>
    row([
      title,
      compilerErrors.length > 0 ? 'yes' : '',
      WORDS[place][0],
      place === 'never' ? [wanted.never, message].filter(Boolean).join(' ') : code(message),
    ]),
  );
  const head = [row(['Mistake', 'Compiler', 'At run time', 'Message']), row(Array(4).fill('---'))];
  return [...head, ...rows].join('\n');
}

/** The counts of each area, first for TypeScript, then without the compiler. */
function renderCounts(areas: ReadonlyMap<string, readonly Result[]>): string {
  const all = [...areas.values()].flat();
  const countsOf = (results: readonly Result[]) => [
    results.length,
    results.filter(({ compilerErrors }) => compilerErrors.length > 0).length,
    ...PLACES.map((place) => results.filter((result) => result.place === place).length),
  ];
  const compiled = all.filter(({ compilerErrors }) => compilerErrors.length === 0);
  const [, , ...places] = countsOf(compiled);
  const head = ['', 'Mistakes', 'Compiler', ...PLACES.map((place) => WORDS[place][0])];
  return [
    row(head),
    row(head.map(() => '---')),
    ...[...areas].map(([area, results]) => row([area, ...countsOf(results)])),
    row(['**All**', ...countsOf(all)]),
    row(['**All that compile**', compiled.length, '', ...places]),
  ].join('\n');
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll(REPOSITORY, '').replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The first line of a message, without what differs between runs and versions of Node.js. */
function code(message: string): string {
  const [line = ''] = message
    .replaceAll(/[^\s'(]*reports\/files\/src-\w+/g, 'src')
    .replaceAll(/rows\/(?:packages\/)?[\w-]+\.ts:\d+:\d+/g, 'src/users.ts')
    .replaceAll(process.cwd(), '/app')
    .replaceAll(/port \d{5}/g, 'port 8080')
    // Before Node.js 26.2, @oxc-node/core loads modules on another thread, whose errors lose their code.
    .replaceAll('Error [ERR_MODULE_NOT_FOUND]:', 'Error:')
    .split('\n');
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}
