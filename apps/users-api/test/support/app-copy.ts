import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP } from './built-program.js';
import { temporaryFolder } from './temporary-folder.js';

/** Copies what the app needs to run from source, and adds `src/added/controller.ts`. */
export function appWith(controller: string): string {
  const folder = temporaryFolder();
  cpSync(join(APP, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(APP, 'package.json'), join(folder, 'package.json'));
  cpSync(join(APP, '../../tsconfig.base.json'), join(folder, 'tsconfig.json'));
  symlinkSync(join(APP, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'src/added'));
  writeFileSync(join(folder, 'src/added/controller.ts'), controller);
  return folder;
}
