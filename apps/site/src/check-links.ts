import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * Finds the links of a built site that lead to a missing page, file or anchor.
 *
 * @param folder - The folder of the built site.
 * @param base - The path at which the site is served, with a slash at each end.
 * @returns One line for each broken link, with the page that has it.
 */
export function findBrokenLinks(folder: string, base: string): readonly string[] {
  const files = new Set(globSync('**', { cwd: folder }).map((file) => file.replaceAll('\\', '/')));
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, readPage(join(folder, file))]),
  );
  return [...pages].flatMap(([page, { hrefs }]) =>
    hrefs
      .filter((href) => {
        const url = new URL(href, `http://site${posix.join(base, page)}`);
        if (url.host !== 'site') return false;
        if (!url.pathname.startsWith(base)) return true;
        const path = decodeURIComponent(url.pathname.slice(base.length));
        const target = path === '' || path.endsWith('/') ? `${path}index.html` : path;
        if (!files.has(target)) return true;
        const anchor = decodeURIComponent(url.hash.slice(1));
        return anchor !== '' && pages.get(target)?.ids.has(anchor) === false;
      })
      .map((href) => `${page}: ${href}`),
  );
}

/** Returns the links and the anchors of a page. VitePress writes every attribute with double quotes. */
function readPage(file: string) {
  const html = readFileSync(file, 'utf8');
  const valuesOf = (pattern: RegExp) =>
    [...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'));
  return {
    hrefs: [...new Set(valuesOf(/<a\s[^>]*?\bhref="([^"]*)"/g))],
    ids: new Set(valuesOf(/<[a-z][^>]*?\sid="([^"]*)"/g)),
  };
}
