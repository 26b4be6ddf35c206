import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type LinkRules, translateLink } from './links.ts';
import { type Page, workspace } from './pages.ts';
import { groupPages } from './sidebar.ts';
import { REPORT } from './start-report.ts';

/** The folders whose pages `llms.txt` lists as optional, and `llms-full.txt` leaves out. */
const OPTIONAL = ['api', 'contributing', 'decisions'];

/** A block of code, inline code, or else a link or an image. */
const CODE_OR_LINK =
  /^ *(`{3,}).*?^ *\1$|(?<!`)(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\2(?!`)|(!?)\[((?:`[^`]*`|\[[^\]]*\]|[^[\]`])*)\]\(([^()\s]+)\)/gms;

/**
 * Returns the files for readers of Markdown, such as coding agents, by their path on the site: each page, `llms.txt`,
 * which lists the pages, and `llms-full.txt`, which contains them.
 *
 * @see https://llmstxt.org
 */
export function renderMarkdown(rules: LinkRules): ReadonlyMap<string, string> {
  const { pages } = rules;
  const full = pages
    .filter((page) => !isOptional(page))
    .map((page) => `Page: ${page.path}\n\n${renderPage(rules, page, 'llms-full.txt')}`);
  return new Map([
    ...pages.map((page) => [page.path, renderPage(rules, page, page.path)] as const),
    ['llms.txt', renderIndex(pages)],
    ['llms-full.txt', full.join('\n')],
  ]);
}

/** Writes these files into the folder of the built site. */
export function writeMarkdown(folder: string, rules: LinkRules): void {
  for (const [path, text] of renderMarkdown(rules)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * Returns a document with links that are relative to a file of the site, without pictures, components and settings of
 * the page, and without the comments that mark tabs. The report of the front page is text.
 */
function renderPage(rules: LinkRules, { source }: Page, from: string): string {
  return read(source)
    .replace(/^---\n.*?\n---\n+/s, '')
    .replaceAll(/^(?:<!-- \/?tabs -->|<[A-Z]\w* \/>)\n\n?/gm, '')
    .replace(
      /^<picture>\n.*?start-report.*?^<\/picture>$/ms,
      () => `\`\`\`console\n${read(REPORT)}\`\`\``,
    )
    .replaceAll(CODE_OR_LINK, (match, _fence, _tick, mark, label: string, href?: string) => {
      if (href === undefined) return match;
      const target = mark === '' ? translateLink(rules, source, href) : undefined;
      if (target === undefined) return label;
      return `[${label}](${target.startsWith('/') ? relativeTo(from, target) : target})`;
    });
}

/** Returns a path of the site as it is written in one of its files. */
function relativeTo(from: string, path: string): string {
  const [, target = '', hash] = /^\/([^#]*)(.*)$/.exec(path) ?? [];
  return posix.relative(posix.dirname(from), target) + hash;
}

/** Lists the pages with their first sentences, in the parts of the side bar. */
function renderIndex(pages: readonly Page[]): string {
  const groups = groupPages(pages);
  const list = (listed: readonly Page[]) => `${listed.map(listPage).join('\n')}\n`;
  const sections = groups.map(
    ({ text, pages: own }) => [text, own.filter((page) => !isOptional(page))] as const,
  );
  const optional = groups.flatMap((group) => group.pages).filter(isOptional);
  return [
    '# Fairlead\n',
    `> ${paragraphOf('README.md')}\n`,
    'The links lead to pages in Markdown. [llms-full.txt](llms-full.txt) contains all pages that are not optional. Each package contains an `AGENTS.md`, with its most important functions and rules.\n',
    ...[...sections, ['Optional', optional] as const]
      .filter(([, listed]) => listed.length > 0)
      .map(([name, listed]) => `## ${name}\n\n${list(listed)}`),
  ].join('\n');
}

function listPage(page: Page): string {
  const { path, title, source } = page;
  const sentence = paragraphOf(source) && describePage(page);
  return `- [${title}](${path})${sentence === undefined ? '' : `: ${sentence}`}`;
}

/** Returns the first sentence of a page; that of the front page if the page begins without one. */
export function describePage({ source }: Page): string {
  const paragraph = paragraphOf(source) ?? paragraphOf('README.md') ?? '';
  const [sentence = paragraph] = /^.*?[.?!](?= |$)/.exec(paragraph) ?? [];
  return sentence.replace(/:$/, '.');
}

/** Returns the first paragraph of a document, without links, and without the status of a decision. */
function paragraphOf(source: string): string | undefined {
  const [, ...blocks] = read(source).split(/\n{2,}/);
  const paragraph = blocks.find((block) => !/^(?:#|Accepted, )/.test(block)) ?? '';
  if (!/^[\w`[*]/.test(paragraph)) return undefined;
  return paragraph
    .replaceAll(CODE_OR_LINK, (match, _fence, _tick, _mark, label?: string) => label ?? match)
    .replaceAll('\n', ' ');
}

function isOptional({ path }: Page): boolean {
  return OPTIONAL.some((folder) => path.startsWith(`${folder}/`));
}

function read(source: string): string {
  return readFileSync(join(workspace, source), 'utf8');
}
