import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A directory of files to serve. Its parent directory contains a file that must not be served. */
export interface Folder {
  readonly root: string;
}

const FILES: Readonly<Record<string, string>> = {
  'secret.txt': 'secret',
  'public/a.txt': '0123456789',
  'public/empty.txt': '',
  'public/page.html': '<p>é</p>',
  'public/app.html': '<!doctype html><script src="/app.js"></script>',
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
  'public/.well-known/security.txt': 'contact',
  'public/.well-known/.hidden': 'hidden',
  'public/docs/.well-known/b.txt': 'not well-known',
  'public/both/b.txt': 'in the folder',
  'public/both.html': 'beside the folder',
};

/**
 * Writes the files before the tests of a test file, and removes them afterwards. `link.txt` and `outer` are
 * symbolic links out of the directory. Read the root only while tests run.
 */
export function provideFolder(): Folder {
  let folder = '';
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'fairlead-static-')));
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const link = (target: string, name: string) => symlink(target, join(folder, 'public', name));
    await link(join(folder, 'secret.txt'), 'link.txt');
    await link(folder, 'outer');
    await link('a.txt', 'inner.txt');
    await link('docs', 'inner-docs');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get root() {
      return join(folder, 'public');
    },
  };
}
