import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transformSync } from '@swc/core';

const PACKAGE = join(import.meta.dirname, '..');

/** The folder for compiled programs. It is inside this package, so that they find its dependencies. */
export const OUTPUT = join(PACKAGE, 'dist');

/** How the sources refer to core's internal modules, and how the compiled files do. */
const CORE = ['../../../../../packages/core/src/', '../../core/'] as const;

/** The private packages that core's modules import, of which its built package has copies. */
const PRIVATE = ['options', 'schemas'] as const;

/** Compiles this package and core's internal modules into {@link OUTPUT}. */
export async function compileSources(): Promise<void> {
  rmSync(OUTPUT, { recursive: true, force: true });
  await compileFolder(join(PACKAGE, 'src'), OUTPUT);
  for (const name of ['core', ...PRIVATE]) {
    await compileFolder(join(PACKAGE, `../../packages/${name}/src`), join(OUTPUT, name));
  }
}

async function compileFolder(source: string, target: string): Promise<void> {
  for await (const file of glob('**/*.ts', { cwd: source })) {
    if (file.includes('.test')) continue;
    const output = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    let code = compile(readFileSync(join(source, file), 'utf8')).replaceAll(...CORE);
    for (const name of PRIVATE) {
      const path = relative(dirname(output), join(OUTPUT, name, 'index.js')).replaceAll('\\', '/');
      code = code.replaceAll(`'@fairlead/${name}'`, `'./${path}'`);
    }
    writeFileSync(output, code);
  }
}

/** Compiles TypeScript with decorator metadata. */
export function compile(source: string): string {
  return transformSync(source, {
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
  }).code;
}
