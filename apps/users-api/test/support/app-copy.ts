import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP } from './built-program.js';
import { temporaryFolder } from './temporary-folder.js';

/** Copies what the app needs to run from source, and adds a controller to it. */
export function appWith(controller: string): string {
  const folder = temporaryFolder();
  cpSync(join(APP, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(APP, 'package.json'), join(folder, 'package.json'));
  cpSync(join(APP, '../../tsconfig.base.json'), join(folder, 'tsconfig.json'));
  symlinkSync(join(APP, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'src/controllers/new.ts'), controller);
  return folder;
}
