import { existsSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { type Page, pathOf, workspace } from './pages.ts';

/** Where the links of a document lead on the site. */
export interface LinkRules {
  readonly pages: readonly Page[];
  /** The address of the repository on the web; links to files that are not pages lead there. */
  readonly repository: string | undefined;
}

/**
 * Translates a link of a document into one of the site.
 *
 * @param source - The path of the document, relative to the workspace.
 * @param href - The link as the document has it.
 * @returns A path of the site, or an address in the repository. `undefined` for a file of a
 *   repository without an address. A link to nothing stays as it is, so that the build reports it.
 */
export function translateLink(
  { pages, repository }: LinkRules,
  source: string,
  href: string,
): string | undefined {
  if (/^(?:[a-z][a-z+.-]*:|\/\/|#)/i.test(href)) return href;
  const [, path = '', hash = ''] = /^([^#]*)(.*)$/.exec(href) ?? [];
  const target = posix.join(posix.dirname(source), decodeURIComponent(path)).replace(/\/$/, '');
  const page = [target, `${target}/README.md`].find((file) =>
    pages.some((each) => each.source === file),
  );
  if (page !== undefined) return `/${pathOf(page)}${hash}`;
  const file = join(workspace, target);
  if (target.startsWith('..') || !existsSync(file)) return href;
  const kind = statSync(file).isDirectory() ? 'tree' : 'blob';
  return repository && `${repository}/${kind}/main/${target}${hash}`;
}

/** What VitePress tells about the document that it renders. */
interface Environment {
  readonly path: string;
  /** The path of the document, when the path of its page differs. */
  readonly realPath?: string;
}

/** The parts of a markdown-it token that links have. */
interface Token {
  type: string;
  content: string;
  readonly children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** Translates the links of a rendered document. A link that leads nowhere becomes plain text. */
export function translateLinks(
  rules: LinkRules,
  tokens: readonly Token[],
  { path, realPath = path }: Environment,
): void {
  const source = relative(workspace, realPath).replaceAll('\\', '/');
  for (const { children } of tokens) {
    let dropped = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') {
        const href = translateLink(rules, source, token.attrGet('href') ?? '');
        dropped = href === undefined;
        if (href !== undefined) token.attrSet('href', href);
      }
      if (dropped && /^link_/.test(token.type)) {
        token.type = 'text';
        token.content = '';
      }
    }
  }
}
