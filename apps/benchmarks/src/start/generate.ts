import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, OUTPUT } from '../compile.js';

/** One way to serve the same controllers. */
export interface Subject {
  readonly name: string;
  /** One controller with its service, and a route that answers `{ id, controller: index }`. */
  controller(index: number): string;
  /** Starts on a free port. */
  main(count: number): string;
}

/**
 * Writes a program with so many controllers, compiled with decorator metadata.
 *
 * @returns The file to run.
 */
export function generate(subject: Subject, count: number): string {
  const folder = join(OUTPUT, 'generated', `${subject.name.replaceAll(/\W+/g, '-')}-${count}`);
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
