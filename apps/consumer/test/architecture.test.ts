import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

it('ARCHITECTURE.md names every file of core', () => {
  const [, core = ''] = /^### core$(.*?)^### /ms.exec(architecture) ?? [];
  const files = globSync('**/*.ts', { cwd: join(workspace, 'packages/core/src') })
    .filter((file) => !/\.test(?:-d)?\.ts$/.test(file) && !file.includes('/libraries/'))
    .map((file) => basename(file, '.ts'));
  const named = new Set(core.match(/[\w-]+/g));
  expect(files.filter((file) => !named.has(file))).toEqual([]);
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
