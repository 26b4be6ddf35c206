import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';

const SOURCE = import.meta.dirname;

/** Where compiled programs are: below this package, so that they find its packages. */
export const OUTPUT = join(SOURCE, '../dist');

/**
 * Compiles what runs in processes of its own, so that no loader weighs on what is measured.
 *
 * @param folder - A folder below `src/`; what is in its place below {@link OUTPUT} is replaced.
 */
export async function compileFolder(folder: string): Promise<void> {
  rmSync(join(OUTPUT, folder), { recursive: true, force: true });
  for await (const file of glob(`${folder}/**/*.ts`, { cwd: SOURCE })) {
    const target = join(OUTPUT, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, compile(readFileSync(join(SOURCE, file), 'utf8')));
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
