import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from '@swc/core';

/** One way to serve the same controllers. */
export interface Subject {
  readonly name: string;
  /** One controller with its service, and a route that answers `{ id, controller: index }`. */
  controller(index: number): string;
  /** Starts on a free port, and prints it. */
  main(count: number): string;
}

/** Where the benchmarks' programs are written: below this package, so that they find its packages. */
const OUTPUT = join(import.meta.dirname, '../../dist/start');

/**
 * Writes a program with so many controllers, compiled with decorator metadata.
 *
 * @returns The file to run.
 */
export function generate(subject: Subject, count: number): string {
  const folder = join(OUTPUT, `${subject.name.replaceAll(/\W+/g, '-')}-${count}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'controllers'), { recursive: true });
  for (const index of Array(count).keys()) {
    const code = compile(subject.controller(index));
    writeFileSync(join(folder, 'controllers', `controller-${index}.js`), code);
  }
  const main = join(folder, 'main.js');
  writeFileSync(main, compile(subject.main(count)));
  return main;
}

function compile(source: string): string {
  return transformSync(source, {
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
  }).code;
}
