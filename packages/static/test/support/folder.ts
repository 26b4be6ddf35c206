import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A directory with files to serve, inside one with a file that is not to be served. */
export interface Folder {
  readonly root: string;
  remove(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
  'secret.txt': 'secret',
  'public/a.txt': '0123456789',
  'public/empty.txt': '',
  'public/page.html': '<p>é</p>',
  'public/app.js': 'export {}',
  'public/data.json': '{}',
  'public/unknown.zzz': '?',
  'public/no-extension': '?',
  'public/with space é.txt': 'spaced',
  'public/a#b.txt': 'hash',
  'public/é.txt': 'accent',
  'public/100%.txt': 'percent',
  'public/back\\slash.txt': 'backslash',
  'public/.env': 'KEY=1',
  'public/.git/config': 'config',
  'public/docs/index.html': 'docs',
  'public/docs/start.html': 'start',
  'public/docs/guide/b.txt': 'guide',
  'public/private/c.txt': 'private',
};

/** Writes the files; `link.txt` is a symbolic link out of the directory. */
export async function createFolder(): Promise<Folder> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fairlead-static-')));
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const root = join(folder, 'public');
  await symlink(join(folder, 'secret.txt'), join(root, 'link.txt'));
  return { root, remove: () => rm(folder, { recursive: true, force: true }) };
}
