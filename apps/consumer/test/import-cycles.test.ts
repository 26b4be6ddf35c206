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

function sourcesIn(folder: string): readonly string[] {
  return globSync('**/*.ts', { cwd: folder }).filter((file) => !/\.test(?:-d)?\.ts$/.test(file));
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

it.each(globSync(['packages/*/src', 'apps/*/src', 'tools/src'], { cwd: workspace }))(
  '%s has no import cycle',
  (folder) => {
    expect(findCycles(join(workspace, folder))).toEqual([]);
  },
);

/** The room of a file: its folder in `src`, or the file itself if it is directly in `src`. */
function roomOf(file: string): string {
  return file.split('/')[0] ?? file;
}

/** The rooms that each room of a package imports. */
function importsOfRooms(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const file of sourcesIn(folder)) {
    const room = roomOf(file);
    const imported = importsOf(join(folder, file)).map((one) => roomOf(relative(folder, one)));
    rooms.set(
      room,
      new Set([...(rooms.get(room) ?? []), ...imported].filter((one) => one !== room)),
    );
  }
  return rooms;
}

it.each(globSync('packages/*/src', { cwd: workspace }))(
  'no two folders of %s import each other, also by way of others',
  (folder) => {
    const rooms = importsOfRooms(join(workspace, folder));
    const above = new Map<string, Set<string>>();
    const reach = (room: string, found: Set<string>): Set<string> => {
      for (const one of rooms.get(room) ?? []) if (!found.has(one)) reach(one, found.add(one));
      return found;
    };
    for (const room of rooms.keys()) above.set(room, reach(room, new Set()));
    expect([...above].filter(([room, found]) => found.has(room)).map(([room]) => room)).toEqual([]);
  },
);

/** The folders of core. Each imports only those before it. */
const FLOORS = [
  'promise.ts',
  'cancel-stream.ts',
  'setup',
  'node-http.ts',
  'annotations',
  'errors',
  'server',
  'exchange',
  'response',
  'context',
  'pipeline',
  'schema',
  'body',
  'router',
  'middleware',
  'checks',
  'app',
  'extend.ts',
  'versions.ts',
  'index.ts',
];

it('each floor of core imports only the floors below it', () => {
  const rooms = importsOfRooms(join(workspace, 'packages/core/src'));
  expect([...rooms.keys()].sort()).toEqual([...FLOORS].sort());
  const upward = [...rooms].flatMap(([room, imported]) =>
    [...imported]
      .filter((one) => FLOORS.indexOf(one) > FLOORS.indexOf(room))
      .map((one) => `${room} imports ${one}`),
  );
  expect(upward).toEqual([]);
});

it('the command line imports only the entry of its client generator, which imports nothing of it', () => {
  const source = join(workspace, 'packages/fairlead/src');
  const crossings = sourcesIn(source).flatMap((file) =>
    importsOf(join(source, file))
      .map((one) => relative(source, one))
      .filter((one) => (roomOf(one) === 'client') !== (roomOf(file) === 'client')),
  );
  expect([...new Set(crossings)]).toEqual(['client/index.ts']);
});

it('only what writes metadata in controllers knows a style, so that nothing else asks for it', () => {
  const source = join(workspace, 'packages/controllers/src');
  const knowing = sourcesIn(source).filter((file) =>
    /\b(?:CLASS|VALUE)_STYLE\b/.test(readFileSync(join(source, file), 'utf8')),
  );
  expect([...new Set(knowing.map(roomOf))].sort()).toEqual(['decorators', 'metadata', 'values']);
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
