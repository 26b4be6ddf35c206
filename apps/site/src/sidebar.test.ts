import { describe, expect, it } from 'vitest';
import { pathOf, readPages } from './pages.ts';
import { groupPages } from './sidebar.ts';

/** Groups documents whose titles are their paths. */
function group(...sources: readonly string[]) {
  const pages = sources.map((source) => ({ source, path: pathOf(source), title: source }));
  return groupPages(pages).map(({ text, items }) => [text, items.map(({ link }) => link)]);
}

describe('the side bar', () => {
  it('lists every document once', () => {
    const pages = readPages();
    const links = groupPages(pages).flatMap(({ items }) => items.map(({ link }) => link));
    expect(new Set(links).size).toBe(pages.length);
    expect(links).toEqual(
      expect.arrayContaining(['/', '/guides/guards', '/packages/core', '/errors']),
    );
  });

  it('orders the pages of a part as the indexes link to them', () => {
    const groups = groupPages(readPages());
    const linksOf = (name: string) =>
      groups.find(({ folder }) => folder === name)?.items.map(({ link }) => link) ?? [];

    expect(linksOf('guides').slice(0, 3)).toEqual([
      '/guides/functions',
      '/guides/controllers',
      '/guides/controllers-as-values',
    ]);
    expect(linksOf('guides').at(-1)).toBe('/guides/serverless');
    expect(linksOf('tutorial').slice(0, 3)).toEqual([
      '/tutorial/',
      '/tutorial/1-first-route',
      '/tutorial/2-schemas',
    ]);
    expect(linksOf('recipes').slice(0, 2)).toEqual(['/recipes/', '/recipes/authentication']);
    expect(linksOf('coming-from').slice(0, 2)).toEqual(['/coming-from', '/coming-from/express']);
    expect(linksOf('packages').slice(0, 2)).toEqual([
      '/packages/create-fairlead',
      '/packages/fairlead',
    ]);
  });

  it('groups documents by their folder, in the order of the parts', () => {
    expect(
      group(
        'apps/site/api/core.md',
        'docs/errors.md',
        'docs/decisions/sql.md',
        'packages/core/README.md',
        'docs/coming-from/express.md',
        'docs/coming-from.md',
        'docs/recipes/logs.md',
        'docs/guides/guards.md',
        'docs/getting-started.md',
        'README.md',
      ),
    ).toEqual([
      ['Introduction', ['/', '/getting-started']],
      ['Guides', ['/guides/guards']],
      ['Recipes', ['/recipes/logs']],
      ['Coming from', ['/coming-from/express', '/coming-from']],
      ['Packages', ['/packages/core']],
      ['API', ['/api/core']],
      ['Reference', ['/errors']],
      ['Decisions', ['/decisions/sql']],
    ]);
  });

  it('adds a folder that has no part yet, and puts its index first', () => {
    expect(group('docs/case-studies/a.md', 'docs/case-studies/README.md')).toEqual([
      ['Case studies', ['/case-studies/', '/case-studies/a']],
    ]);
  });
});
