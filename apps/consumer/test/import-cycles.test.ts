import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { workspace } from './support/project.js';

/** The relative imports and re-exports of a file, type-only ones included. */
function importsOf(file: string): string[] {
  return ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => resolve(file, '..', fileName.replace(/\.js$/, '.ts')));
}

/** Everything that the files of a folder import, directly or through others. */
function importedBy(folder: string): Set<string> {
  const imported = new Set<string>();
  const visit = (file: string): void => {
    if (imported.has(file)) return;
    imported.add(file);
    importsOf(file).forEach(visit);
  };
  for (const file of sourcesIn(folder)) visit(join(folder, file));
  return imported;
}

function sourcesIn(folder: string): readonly string[] {
  return globSync('**/*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
}

/** Import cycles below a folder. Each is a list of files whose first and last entries are the same. */
function findCycles(folder: string): string[][] {
  const cycles: string[][] = [];
  const visited = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file]);
    if (visited.has(file)) return;
    visited.add(file);
    for (const imported of importsOf(file)) visit(imported, [...path, file]);
  };
  for (const file of globSync('**/*.ts', { cwd: folder })) visit(join(folder, file), []);
  return cycles.map((cycle) => cycle.map((file) => file.slice(folder.length + 1)));
}

it.each(globSync(['packages/*/src', 'apps/*/src'], { cwd: workspace }))(
  '%s has no import cycle',
  (folder) => {
    expect(findCycles(join(workspace, folder))).toEqual([]);
  },
);

it('server/ of core is below the application, of which it imports nothing', () => {
  const core = join(workspace, 'packages/core/src');
  const imported = [...importedBy(join(core, 'server'))].map((file) => relative(core, file));
  const above = imported.filter((file) => !/^(?:server|errors)\//.test(file)).sort();
  expect(above).toEqual([
    'copies.ts',
    'description.ts',
    'next.ts',
    'node-http.ts',
    'options.ts',
    'schema/schema.ts',
    'target.ts',
  ]);
});

it('only index.ts and values/ of controllers import its decorators', () => {
  const source = join(workspace, 'packages/controllers/src');
  const isDecorator = (file: string) => file.startsWith(join(source, 'decorators/'));
  const importers = sourcesIn(source).filter(
    (file) => !/^decorators\//.test(file) && importsOf(join(source, file)).some(isDecorator),
  );
  expect([...new Set(importers.map((file) => file.split('/')[0]))].sort()).toEqual([
    'index.ts',
    'values',
  ]);
});
