import { describe, expect, it } from 'vitest';
import { translateLink } from './links.ts';
import { readPages } from './pages.ts';

const repository = 'https://example.com/fairlead';
const rules = { pages: readPages(), repository };

describe('a link of a document', () => {
  it.each([
    ['README.md', 'packages/core/README.md', '/packages/core.md'],
    ['README.md', 'docs/guides/guards.md#order', '/guides/guards.md#order'],
    ['docs/errors.md', '../README.md', '/index.md'],
    ['docs/guides/errors.md', 'guards.md', '/guides/guards.md'],
    ['docs/guides/errors.md', '../errors.md', '/errors.md'],
    ['packages/core/README.md', '../../docs/errors.md#core', '/errors.md#core'],
    ['packages/static/README.md', '../core', '/packages/core.md'],
    ['packages/static/README.md', '../core/', '/packages/core.md'],
    ['README.md', 'apps/users-api/README.md', '/examples/users-api/index.md'],
    ['README.md', 'apps/users-api/docs/chaos.md', '/examples/users-api/chaos.md'],
  ])('of %s to %s leads to the page of that document', (source, href, expected) => {
    expect(translateLink(rules, source, href)).toBe(expected);
  });

  it.each([
    ['README.md', 'LICENSE', `${repository}/blob/main/LICENSE`],
    ['README.md', 'CONTRIBUTING.md#rules', `${repository}/blob/main/CONTRIBUTING.md#rules`],
    ['docs/runtimes.md', '../packages', `${repository}/tree/main/packages`],
  ])('of %s to %s, which is no page, leads to the repository', (source, href, expected) => {
    expect(translateLink(rules, source, href)).toBe(expected);
  });

  it('to a file that is no page leads nowhere while the repository has no address', () => {
    expect(translateLink({ ...rules, repository: undefined }, 'README.md', 'LICENSE')).toBe(
      undefined,
    );
  });

  it.each([
    'https://example.com/a.md',
    'mailto:a@example.com',
    '#anchor',
    'missing.md',
    '../../out.md',
  ])('stays as it is: %s', (href) => {
    expect(translateLink(rules, 'README.md', href)).toBe(href);
  });
});
