import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from './markdown.ts';
import { readPages } from './pages.ts';

const repository = 'https://example.com/fairlead';
const pages = readPages();
const files = renderMarkdown({ pages, repository });
const read = (path: string) => files.get(path) ?? '';

/** Returns the relative links of a text outside of blocks of code. */
function linksOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^ *(`{3,}).*?^ *\1$/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\((?!https?:|mailto:|#)([^)#]+)/g)].map(([, path = '']) => path);
}

describe('the Markdown of the site', () => {
  it('has a file for each page, next to it', () => {
    expect([...files.keys()]).toEqual(expect.arrayContaining(pages.map(({ path }) => path)));
    expect(read('guides/controllers.md')).toMatch(/^# Controllers\n/);
    expect(read('packages/core.md')).toMatch(/^# @fairlead\/core\n/);
  });

  it('has no settings and no components of pages', () => {
    expect(read('playground.md')).toMatch(/^# Playground\n/);
    expect(read('playground.md')).not.toMatch(/^</m);
  });

  it('has links that lead to its other files', () => {
    const broken = [...files].flatMap(([file, text]) =>
      linksOf(text)
        .map((path) => posix.join(posix.dirname(file), path))
        .filter((path) => !files.has(path))
        .map((path) => `${file}: ${path}`),
    );
    expect(linksOf(read('guides/authentication.md'))).toContain('../packages/jwt.md');
    expect(linksOf(read('llms-full.txt'))).toContain('guides/guards.md');
    expect(broken).toEqual([]);
  });

  it('keeps the anchors of links, and translates those to files that are no pages', () => {
    expect(read('packages/core.md')).toContain('](../guides/guards.md#protect-routes-not-paths)');
    expect(read('index.md')).toContain(
      `[CONTRIBUTING.md](${repository}/blob/main/CONTRIBUTING.md)`,
    );
    const withoutAddress = renderMarkdown({ pages, repository: undefined }).get('index.md');
    expect(withoutAddress).toMatch(/^CONTRIBUTING\.md explains /m);
  });

  it('keeps code, has the text of pictures, and does not mark tabs', () => {
    expect(read('getting-started.md')).toContain('\n```ts\n// src/app.ts\nimport { createApp }');
    expect(read('getting-started.md')).not.toContain('<!-- tabs -->');
    expect(read('index.md')).toMatch(/^Bar charts of requests per second /m);
    expect(read('index.md')).toMatch(/^```console\n\$ node .*\nThe application failed to start: /m);
    expect(read('index.md')).not.toContain('<picture>');
  });
});

describe('llms.txt', () => {
  const text = read('llms.txt');
  const entries = [...text.matchAll(/^- \[(.+?)\]\(([^)]+)\)(?:: (.*))?$/gm)].map(
    ([, title, path, notes]) => ({ title, path, notes }),
  );

  it('has a title, a summary, and sections of links, as llmstxt.org describes', () => {
    const [title, summary] = text.split('\n\n');
    expect(title).toBe('# Fairlead');
    expect(summary).toMatch(/^> Fairlead is a TypeScript framework .*\.$/);
    const lines = text
      .slice(text.indexOf('\n## '))
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.filter((line) => !/^(?:## \w|- \[.+\]\(.+\))/.test(line))).toEqual([]);
    expect(text).toMatch(/\n## Guides\n\n- \[.+\n- \[/);
    expect(text.split('\n## ').at(-1)).toMatch(/^Optional\n\n- \[.*\]\((?:api|decisions)\//);
  });

  it('lists every page once, with its first sentence', () => {
    const paths = entries.map(({ path = '' }) => path);
    expect(paths.toSorted()).toEqual(pages.map(({ path }) => path).toSorted());
    const silent = entries.filter(({ path = '', notes }) => !notes && !path.startsWith('api/'));
    expect(silent).toEqual([]);
    expect(entries).toContainEqual({
      title: 'Discovery',
      path: 'guides/discovery.md',
      notes: expect.stringMatching(/^Add a controller by adding a file.*\.$/),
    });
    expect(entries.filter(({ notes = '' }) => /\]\(|^Accepted/.test(notes))).toEqual([]);
    expect(entries.filter(({ notes }) => notes && !/[.?!]$/.test(notes))).toEqual([]);
  });
});

it('llms-full.txt contains every page that is not optional, under its path', () => {
  const listed = [...read('llms-full.txt').matchAll(/^Page: (\S+\.md)\n\n# /gm)].map(
    ([, path]) => path,
  );
  const expected = pages
    .map(({ path }) => path)
    .filter((path) => !/^(?:api|contributing|decisions)\//.test(path));
  expect(listed).toEqual(expected);
});
