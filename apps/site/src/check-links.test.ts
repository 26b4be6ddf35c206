import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findBrokenLinks } from './check-links.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'site-'));
  await mkdir(join(folder, 'guides'));
  await writeFile(join(folder, 'logo.svg'), '<svg/>');
  await writeFile(join(folder, 'guides/a.html'), '<h1 id="a" tabindex="-1">A</h1>');
});

afterEach(() => rm(folder, { recursive: true }));

/** Returns the broken links of a page that has links to the given addresses. */
async function check(base: string, ...hrefs: readonly string[]) {
  const links = hrefs.map((href) => `<a class="link" href="${href}">Link</a>`);
  await writeFile(join(folder, 'index.html'), `<h1 id="über">Home</h1>${links.join('')}`);
  return findBrokenLinks(folder, base);
}

it('accepts links to pages, files, anchors and other sites', async () => {
  const found = await check(
    ...['/', '/', '/guides/a.html', './guides/a.html#a', '#%C3%BCber', '/logo.svg'],
    'https://example.com/missing#missing',
  );
  expect(found).toEqual([]);
});

it('reports links to missing pages and anchors, with the page that has them', async () => {
  expect(await check('/', '/guides/b.html', 'guides/a.html#b', '#b', '/guides/')).toEqual([
    'index.html: /guides/b.html',
    'index.html: guides/a.html#b',
    'index.html: #b',
    'index.html: /guides/',
  ]);
});

it('reports links that leave the base of the site', async () => {
  expect(await check('/docs/', '/docs/guides/a.html', '/guides/a.html')).toEqual([
    'index.html: /guides/a.html',
  ]);
});
