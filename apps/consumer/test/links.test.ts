import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents } from './support/documents.js';
import { workspace } from './support/project.js';

/** Returns the link anchors of the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the links of a page to other files of the workspace and to headings. */
function linksOf(page: string) {
  const prose = readFileSync(page, 'utf8').replace(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(
    ([, path = '', anchor = '']) => ({
      target: path === '' ? page : resolve(page, '..', path),
      anchor,
    }),
  );
}

/** The documents for those who change the repository, or run users-api, and the pages that only the site has. */
const others = globSync(
  ['*.md', 'apps/*/README.md', 'apps/*/docs/**/*.md', 'apps/site/pages/*.md'],
  { cwd: workspace },
);

describe.each([...new Set([...documents, ...others])])('the links of %s', (document) => {
  const links = linksOf(join(workspace, document));

  it('point to existing files and folders', () => {
    expect(links.filter(({ target }) => !existsSync(target))).toEqual([]);
  });

  it('point to existing headings', () => {
    const toHeadings = links.filter(({ anchor }) => anchor !== '');
    const broken = toHeadings.filter(({ target, anchor }) => !anchorsOf(target).includes(anchor));
    expect(broken).toEqual([]);
  });
});

it('every nginx configuration in the documents sets the headers that an application behind it trusts', () => {
  const pages = globSync('docs/**/*.md', { cwd: workspace });
  const configurations = pages.flatMap((page) => [
    ...readFileSync(join(workspace, page), 'utf8').matchAll(/^```nginx\n(.*?)^```$/gms),
  ]);
  expect(configurations.length).toBeGreaterThan(1);
  for (const [configuration] of configurations) {
    expect(configuration).toContain('proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;');
    expect(configuration).toContain('proxy_set_header X-Forwarded-Proto $scheme;');
    expect(configuration).toContain('proxy_set_header X-Forwarded-Host $http_host;');
  }
});
