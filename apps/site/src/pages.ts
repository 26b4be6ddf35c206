import { globSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';

/** The root of the workspace. */
export const workspace = resolve(import.meta.dirname, '../../..');

/** The folder of the generated API reference, relative to the workspace. */
export const API_FOLDER = 'apps/site/api';

/** The documents that become pages, relative to the workspace. */
const SOURCES = [
  ...['README.md', 'docs/**/*.md', 'packages/*/README.md', `${API_FOLDER}/**/*.md`],
  ...['apps/{benchmarks,realworld,users-api}/README.md', 'apps/users-api/docs/*.md'],
  // Pages that only the site has.
  'apps/site/pages/*.md',
];

/** Documents that link to others in the order in which a reader needs them. */
const INDEXES = [
  'docs/README.md',
  'docs/tutorial/README.md',
  'docs/recipes/README.md',
  'docs/coming-from.md',
  'README.md',
];

/** A document of the repository that becomes a page of the site. */
export interface Page {
  /** The path of the document, relative to the workspace. */
  readonly source: string;
  /** The path of the page, relative to the site, with the extension `.md`. */
  readonly path: string;
  /** The text of the first heading. */
  readonly title: string;
}

/**
 * Returns the path of the page of a document.
 *
 * @param source - The path of the document, relative to the workspace.
 */
export function pathOf(source: string): string {
  if (source === 'README.md') return 'index.md';
  if (source === 'docs/README.md') return 'docs.md';
  return source
    .replace(/^packages\/([^/]+)\/README\.md$/, 'packages/$1.md')
    .replace(/^apps\/benchmarks\/README\.md$/, 'benchmarks.md')
    .replace(/^apps\/(realworld|users-api)\/(?:docs\/)?/, 'examples/$1/')
    .replace(/^(?:docs|apps\/site(?:\/pages)?)\//, '')
    .replace(/\/README\.md$/, '/index.md');
}

/**
 * Reads the documents that become pages, in the order in which the indexes link to them. Those without a
 * link follow in the order of their titles.
 *
 * @throws {Error} When a document has no heading, or two documents have the same path.
 */
export function readPages(): readonly Page[] {
  const sources = globSync(SOURCES, { cwd: workspace });
  const pages = sources.map((source) => ({ source, path: pathOf(source), title: titleOf(source) }));
  const byPath = Map.groupBy(pages, ({ path }) => path);
  const twice = [...byPath.values()].find(({ length }) => length > 1);
  if (twice !== undefined) {
    const names = twice.map(({ source }) => source).join(' and ');
    throw new Error(`${names} would become the same page. Rename one of them.`);
  }
  const linked = INDEXES.flatMap(linksOf);
  const rank = ({ source }: Page) => (linked.includes(source) ? linked.indexOf(source) : Infinity);
  return pages
    .toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
    .toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** Returns the documents that a document links to, relative to the workspace. */
function linksOf(source: string): readonly string[] {
  const text = readFileSync(join(workspace, source), 'utf8');
  const links = text.matchAll(/\]\(([^)#:]+\.md)\b/g);
  return [...links].map(([, path = '']) => posix.join(posix.dirname(source), path));
}

function titleOf(source: string): string {
  const text = readFileSync(join(workspace, source), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${source} has no heading. Start it with "# Title".`);
  return title.replaceAll(/[`\\]/g, '');
}
