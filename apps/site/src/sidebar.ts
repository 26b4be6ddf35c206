import type { Page } from './pages.ts';

/** A part of the site, as the side bar shows it. */
interface Part {
  /** The folder of its pages; the empty string for pages that introduce the framework. */
  readonly folder: string;
  readonly text: string;
  /** Whether its pages are hidden until a reader opens the part. */
  readonly collapsed: boolean;
}

/** The parts in their order. A folder that is not listed follows under its own name. */
const PARTS: readonly Part[] = [
  { folder: '', text: 'Introduction', collapsed: false },
  { folder: 'tutorial', text: 'Tutorial', collapsed: true },
  { folder: 'guides', text: 'Guides', collapsed: false },
  { folder: 'recipes', text: 'Recipes', collapsed: true },
  { folder: 'examples', text: 'Examples', collapsed: true },
  { folder: 'coming-from', text: 'Coming from', collapsed: true },
  { folder: 'packages', text: 'Packages', collapsed: true },
  { folder: 'api', text: 'API', collapsed: true },
  { folder: 'reference', text: 'Reference', collapsed: true },
  { folder: 'releases', text: 'Release notes', collapsed: true },
  { folder: 'decisions', text: 'Decisions', collapsed: true },
  { folder: 'contributing', text: 'Contributing', collapsed: true },
];

/** The pages of the introduction, in their order. */
const INTRODUCTION = ['index.md', 'docs.md', 'getting-started.md', 'playground.md'];

/** A group of the side bar. */
export interface Group extends Part {
  readonly pages: readonly Page[];
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/**
 * Groups pages by the folder of their path.
 *
 * @param pages - In the order in which each group lists them.
 * @returns The groups that have pages.
 */
export function groupPages(pages: readonly Page[]): readonly Group[] {
  const byFolder = Map.groupBy(pages, ({ path }) => folderOf(path));
  const known = PARTS.map(({ folder }) => folder);
  const others = [...byFolder.keys()].filter((folder) => !known.includes(folder));
  return [...PARTS, ...others.map((folder) => ({ folder, text: nameOf(folder), collapsed: true }))]
    .map((part) => ({ ...part, pages: sortIndexFirst(byFolder.get(part.folder) ?? []) }))
    .filter(({ pages }) => pages.length > 0)
    .map((part) => ({ ...part, items: part.pages.map(itemOf) }));
}

function folderOf(path: string): string {
  if (INTRODUCTION.includes(path)) return '';
  if (path === 'coming-from.md') return 'coming-from';
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : 'reference';
}

function sortIndexFirst(pages: readonly Page[]): readonly Page[] {
  const rank = ({ path }: Page) => {
    if (INTRODUCTION.includes(path)) return INTRODUCTION.indexOf(path);
    return path.endsWith('/index.md') ? 0 : INTRODUCTION.length;
  };
  return pages.toSorted((a, b) => rank(a) - rank(b));
}

function itemOf({ path, title }: Page) {
  const text = path === 'index.md' ? 'Overview' : title;
  return { text, link: `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}` };
}

function nameOf(folder: string): string {
  return `${folder.charAt(0).toUpperCase()}${folder.slice(1)}`.replaceAll('-', ' ');
}
