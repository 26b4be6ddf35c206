import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ImportGraph, importsIn } from './import-graph.js';

const here = dirname(fileURLToPath(import.meta.url));
const self = join(here, 'import-graph.ts');
const neighbour = join(here, 'find-files.ts');

function names(text: string): string[] {
  return importsIn(text, self).map((path) => path.slice(here.length + 1));
}

describe('importsIn', () => {
  it.each([
    "import './find-files.js'",
    "import a from './find-files.js'",
    "import * as a from './find-files.js'",
    "import { a, b as c } from './find-files.js'",
    "import a, { b } from './find-files.js'",
    "import {\n  a, // comment\n  b,\n} from './find-files.js'",
    'import{a}from"./find-files.js"',
    "import type from './find-files.js'",
    "import { type A } from './find-files.js'",
    "export * from './find-files.js'",
    "export * as a from './find-files.js'",
    "export { a } from './find-files.js'",
    "function helper() {}\nimport './find-files.js'",
    "'use strict';import './find-files.js'",
    "import './find-files.ts'",
    "import './find-files'",
    "import './find-files.js?v=1'",
    "import '../discovery/find-files.js'",
  ])('finds %j', (text) => {
    expect(names(text)).toEqual(['find-files.ts']);
  });

  it.each([
    "import type { A } from './find-files.js'",
    "import type A from './find-files.js'",
    "export type { A } from './find-files.js'",
    "await import('./find-files.js')",
    "// import './find-files.js'",
    " * import './find-files.js'",
    'const text = "import \'./find-files.js\'"',
    "import './missing.js'",
    "import 'node:fs'",
    "export class A {}\nconst from = './find-files.js'",
  ])('does not take %j for one', (text) => {
    expect(names(text)).toEqual([]);
  });
});

describe('ImportGraph', () => {
  it('finds what a file reaches through others', () => {
    const reached = new ImportGraph().findReached(
      join(here, 'discover-controllers.ts'),
      new Set([join(here, '../errors/controller-error.ts')]),
    );
    expect(reached).toBe(join(here, '../errors/controller-error.ts'));
  });

  it('counts the file itself', () => {
    expect(new ImportGraph().findReached(self, new Set([self]))).toBe(self);
  });

  it('finds nothing that is not reached', () => {
    expect(new ImportGraph().findReached(self, new Set([neighbour]))).toBeUndefined();
  });
});
