import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspace } from './support/project.js';

const architecture = readFileSync(join(workspace, 'ARCHITECTURE.md'), 'utf8');

/** Every "`name()` in `file`" of a text. */
function namedFunctions(text: string): [name: string, file: string][] {
  return [...text.matchAll(/`(\w+)\(\)`\s+in\s+`([\w/.-]+\.ts)`/g)].map(
    ([, name = '', file = '']) => [name, file],
  );
}

/** Whether a source defines a function, a method, or a property that holds a function. */
function defines(source: string, name: string): boolean {
  return new RegExp(
    `(?:function\\*? ${name}\\b|^  (?:readonly |async |static )*${name}(?: = |<|\\())`,
    'm',
  ).test(source);
}

describe('ARCHITECTURE.md', () => {
  it.each(namedFunctions(architecture))('finds %s() in %s', (name, file) => {
    expect(defines(readFileSync(join(workspace, file), 'utf8'), name)).toBe(true);
  });

  it.each(['One request', 'One startup'])('names the functions of "%s"', (title) => {
    const section = architecture.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
    const steps = section.match(/^\d+\. /gm) ?? [];
    expect(steps.length).toBeGreaterThan(5);
    expect(namedFunctions(section).length).toBeGreaterThanOrEqual(steps.length);
  });

  it.each(
    [...architecture.matchAll(/`((?:packages|apps)\/[\w/.-]+\.ts)`/g)].map(([, file = '']) => file),
  )('mentions the file %s, which exists', (file) => {
    expect(existsSync(join(workspace, file))).toBe(true);
  });
});

/** The files that a list of a page names, or the lines that are no part of one. */
function listedFiles(page: string, title: string): readonly string[] {
  const section = page.split(/^#+ /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  const [, list = ''] = /^```\n(.*?)^```$/ms.exec(section) ?? [];
  let folder = '';
  return list
    .trimEnd()
    .split('\n')
    .flatMap((line): readonly string[] => {
      // What does not fit beside the names.
      if (/^ {6,}\S/.test(line)) return [];
      const [, opened] = /^(\S+\/)(?: {2,}\S.*)?$/.exec(line) ?? [];
      if (opened !== undefined) {
        folder = opened;
        return [];
      }
      const [, indent, names] = /^( {2})?((?:[\w-]+, )*[\w-]+)(?: +\S.*)?$/.exec(line) ?? [];
      if (names === undefined) return [line];
      if (indent === undefined) folder = '';
      return names.split(', ').map((name) => `${folder}${name}.ts`);
    });
}

const files = readFileSync(join(workspace, 'docs/contributing/files.md'), 'utf8');

it.each(globSync('packages/*/src', { cwd: workspace }).map((folder) => basename(dirname(folder))))(
  'the list of files of packages/%s has every file of its source, and no other',
  (name) => {
    const sources = globSync('**/*.ts', { cwd: join(workspace, 'packages', name, 'src') });
    const listed = listedFiles(name === 'core' ? architecture : files, name);
    expect(listed.toSorted()).toEqual(
      sources.filter((file) => !/\.test(?:-d)?\.ts$/.test(file)).toSorted(),
    );
  },
);

it('reads lists of files: folders, several names, and descriptions on the next line', () => {
  const list =
    '```\nindex       exports\na/          one\n  b, c      two\n  d, e, f\n            three\ng\n```\n';
  expect(listedFiles(`# Title\n\n## core\n\n${list}\n## di\n`, 'core')).toEqual([
    'index.ts',
    'a/b.ts',
    'a/c.ts',
    'a/d.ts',
    'a/e.ts',
    'a/f.ts',
    'g.ts',
  ]);
});

it('recognizes functions, methods and properties that hold functions', () => {
  const source =
    'export function one() {}\nclass A {\n  async two() {}\n  readonly three = () => 3;\n}\n';
  expect(['one', 'two', 'three', 'four'].filter((name) => defines(source, name))).toEqual([
    'one',
    'two',
    'three',
  ]);
});
